"""Lines of the terminal: their text, their emphasis, and how they are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, Protocol

WIDTH: Final = 80
Style = Literal["plain", "bold", "dim", "good", "bad"]


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
    "bad": {"red": True},
}


class Terminal(Protocol):
    """Pytest's terminal reporter, as far as lines are written to it."""

    def write_line(self, line: str, **markup: bool) -> None:
        """Write one line."""
        ...


def write_lines(terminal: Terminal, lines: Iterable[Line]) -> None:
    """Write lines with their emphasis."""
    for line in lines:
        terminal.write_line(line.text, **_MARKUP[line.style])


def interval_text(
    interval: tuple[float, float] | None,
    form: str = ".2f",
    limits: tuple[float, float] | None = None,
) -> str:
    """An interval in brackets, within what is possible at all.

    ``limits`` are the least and the largest possible figure: a t interval does not know them.
    """
    if interval is None:
        return "(one case)"
    low, high = interval
    if limits is not None:
        low, high = max(low, limits[0]), min(high, limits[1])
    return f"[{format(low, form)}, {format(high, form)}]"
