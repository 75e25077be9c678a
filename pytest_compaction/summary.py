"""Structured summaries: sections with entries, their Markdown text, and reading it back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

Source = Literal["intent", "files", "errors", "decisions", "values", "next", "state"]
"""Kinds of material that a section collects."""

EMPTY_SECTION: Final = "(nothing yet)"
_HEADING: Final = re.compile(r"^#{1,6}\s+(.+?)\s*$")
_ENTRY: Final = re.compile(r"^\s*[-*]\s+(.+?)\s*$")


@dataclass(frozen=True, slots=True)
class Section:
    """One section that a summary must fill: its heading, what to write there, and its sources."""

    id: str
    title: str
    asks: str
    gathers: tuple[Source, ...]
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Summary:
    """Entries by section id, in the order of the sections."""

    entries: tuple[tuple[str, tuple[str, ...]], ...]

    def of(self, section: str) -> tuple[str, ...]:
        """The entries of a section; empty when it has none."""
        return dict(self.entries).get(section, ())

    @property
    def empty(self) -> bool:
        """Whether no section has an entry."""
        return not any(lines for _, lines in self.entries)

    def render(self, sections: Sequence[Section]) -> str:
        """Markdown: a heading a section, a list item an entry; empty sections say so."""
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


def summary_from_json(data: Mapping[str, Any]) -> Summary:
    """The inverse of :meth:`Summary.as_json`."""
    return Summary(tuple((section, tuple(lines)) for section, lines in data.items()))


def parse_summary(text: str, sections: Sequence[Section]) -> Summary:
    """Read a rendered summary back; text under unknown headings is left out."""
    by_title = {section.title.casefold(): section.id for section in sections}
    found: dict[str, list[str]] = {section.id: [] for section in sections}
    current: str | None = None
    for line in text.splitlines():
        heading = _HEADING.match(line)
        if heading:
            current = by_title.get(heading[1].casefold().rstrip(":"))
            continue
        entry = _ENTRY.match(line)
        content = entry[1] if entry else line.strip()
        if current is not None and content and content != EMPTY_SECTION:
            found[current].append(content)
    return Summary(tuple((section, tuple(lines)) for section, lines in found.items()))
