"""Structured summaries: sections with entries, and their Markdown text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

Source = Literal["intent", "files", "errors", "decisions", "values", "next", "state"]
"""Kinds of material that go into a section."""

EMPTY_SECTION: Final = "(nothing yet)"
AS_WRITTEN: Final = ""
"""In place of the id of a section: the one entry is a whole summary, as a model wrote it."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a summary: its heading, what to write there, and its sources.

    ``share`` is the weight with which it shares the budget with the other sections.
    """

    id: str
    title: str
    asks: str
    gathers: tuple[Source, ...]
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Summary:
    """Entries by section id, in the order of the sections, or a text as it was written."""

    entries: tuple[tuple[str, tuple[str, ...]], ...]

    def of(self, section: str) -> tuple[str, ...]:
        """The entries of a section; empty if it has no entries."""
        return dict(self.entries).get(section, ())

    @property
    def empty(self) -> bool:
        """Whether no section has an entry."""
        return not any(lines for _, lines in self.entries)

    @property
    def as_written(self) -> str:
        """The text of a summary that is kept as a model wrote it, else empty."""
        return "".join(self.of(AS_WRITTEN))

    def render(self, sections: Sequence[Section]) -> str:
        """Markdown: a heading for each section and a list item for each entry, if it has any.

        A summary that is kept as it was written is that text.
        """
        if self.as_written:
            return self.as_written
        lines: list[str] = []
        for section in sections:
            lines.append(f"## {section.title}")
            entries = self.of(section.id)
            lines.extend(f"- {entry}" for entry in entries)
            if not entries:
                lines.append(EMPTY_SECTION)
            lines.append("")
        return "\n".join(lines).strip()

    def as_json(self) -> dict[str, list[str]]:
        """A JSON-serialisable form; :func:`summary_from_json` reads it back."""
        return {section: list(lines) for section, lines in self.entries}


def written_summary(text: str) -> Summary:
    """A summary that is kept as it was written."""
    return Summary(((AS_WRITTEN, (text,)),) if text else ())


def summary_from_json(data: Mapping[str, Any]) -> Summary:
    """The inverse of :meth:`Summary.as_json`."""
    return Summary(tuple((section, tuple(lines)) for section, lines in data.items()))
