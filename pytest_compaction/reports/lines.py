"""Lines of the terminal: their text, their emphasis, and how they are written."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from pytest_compaction.reports.tables.table_page import cells

WIDTH: Final = 80
"""Columns that lines are made for; a narrower terminal gets them wrapped."""
Style = Literal["plain", "bold", "dim", "good", "warning", "bad"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the summary and its emphasis."""

    text: str
    style: Style = "plain"


_MARKUP: Final[Mapping[Style, Mapping[str, bool]]] = {
    "plain": {},
    "bold": {"bold": True},
    "dim": {"light": True},
    "good": {"green": True},
    "warning": {"yellow": True},
    "bad": {"red": True},
}


class Terminal(Protocol):
    """Pytest's terminal reporter, as far as lines are written to it."""

    config: Any

    def write_line(self, line: str, **markup: bool) -> None:
        """Write one line."""
        ...


def write_lines(terminal: Terminal, lines: Iterable[Line]) -> None:
    """Write lines with their emphasis, wrapped where the terminal is too narrow for one."""
    width = width_of(terminal)
    for line in lines:
        for text in fitted(line.text, width):
            terminal.write_line(text, **_MARKUP[line.style])


def write_whole(terminal: Terminal, lines: Iterable[Line]) -> None:
    """Write lines that scripts look for or that end in a path: none is wrapped.

    Each begins a line of its own, also after progress that pytest has not ended.
    """
    for line in lines:
        writer = terminal.config.get_terminal_writer()
        if writer.width_of_current_line:
            writer.line()
        terminal.write_line(line.text, **_MARKUP[line.style])


def width_of(terminal: Terminal) -> int:
    """The columns of the terminal that pytest writes to, at least 40."""
    width: int = terminal.config.get_terminal_writer().fullwidth
    return width


def fitted(text: str, width: int, hanging: str = "    ") -> list[str]:
    """A line as lines of at most ``width`` columns, broken at spaces.

    All lines but the first begin with the indentation of the text and ``hanging``. A word that
    is longer, such as a path, stays whole, so that it can be copied.
    """
    wide = cells(text)
    if wide <= width:
        return [text]
    room = max(width - (wide - len(text)), 1)
    words = text.lstrip(" ")
    indent = text[: len(text) - len(words)]
    return textwrap.wrap(
        words,
        room,
        initial_indent=indent,
        subsequent_indent=(indent + hanging)[: room // 2],
        expand_tabs=False,
        replace_whitespace=False,
        break_long_words=False,
        break_on_hyphens=False,
    )


def removed_text(share: float, form: str = ".1%") -> str:
    """The share of tokens removed; in a word where the views are larger than their logs."""
    return format(share, form) if share >= 0 else "grew"


def interval_text(
    interval: tuple[float, float] | None,
    form: str = ".2f",
    limits: tuple[float, float] | None = None,
) -> str:
    """An interval in brackets, within what is possible at all.

    ``limits`` are the least and the largest possible figure: a t interval does not know them.
    """
    if interval is None:
        return "(no interval)"
    low, high = interval
    if limits is not None:
        low, high = max(low, limits[0]), min(high, limits[1])
    return f"[{format(low, form)}, {format(high, form)}]"
