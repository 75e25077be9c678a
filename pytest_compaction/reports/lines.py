"""Lines of the terminal: their text, their emphasis, and how they are written."""

from __future__ import annotations

import os
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from wcwidth import wcwidth

from pytest_compaction.text import printable

WIDTH: Final = 80
"""Columns that lines are made for; a narrower terminal gets them wrapped."""
_CUT: Final = "…"
_LONG_NAME: Final = 1000
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


Terminal = Any
"""Pytest's terminal reporter."""


def write_lines(terminal: Terminal, lines: Iterable[Line]) -> None:
    """Write lines with their emphasis, wrapped where the terminal is too narrow for one."""
    width = width_of(terminal)
    for line in lines:
        for text in fitted(line.text, width):
            terminal.write_line(text, **_MARKUP[line.style])


def read_by(reader: str) -> str:
    """That a model read the views, and what their figures compare with."""
    text = f"views read by {reader}, not by rules: their figures compare with its own alone"
    return printable(text, 300)


def write_unwrapped(terminal: Terminal, lines: Iterable[Line]) -> None:
    """Write lines that scripts look for or that end in a path, each on a line of its own."""
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
    """A line as lines of at most ``width`` columns, broken at spaces; a path stays whole."""
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
    """An interval in brackets, within what is possible at all."""
    if interval is None:
        return "(no interval)"
    low, high = interval
    if limits is not None:
        low, high = max(low, limits[0]), min(high, limits[1])
    return f"[{format(low, form)}, {format(high, form)}]"


def counted(number: int, one: str, several: str = "") -> str:
    """A number of things: ``1 item``, ``2 items``."""
    return f"{number} {one if number == 1 else several or f'{one}s'}"


def wrapped(
    text: str, style: Style = "plain", indent: str = "", hanging: str = "  "
) -> Iterator[Line]:
    """A sentence in as many lines as it takes; all but the first begin with ``hanging`` too."""
    for line in textwrap.wrap(
        printable(text),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + hanging,
        break_on_hyphens=False,
    ):
        yield Line(line, style)


def cells(text: str) -> int:
    """Terminal cells of a printable text: two for a wide character, none for a combining one."""
    return sum(abs(wcwidth(ch)) for ch in text)  # -1 is for control characters


def clipped(text: str, width: int) -> str:
    """The text, cut to ``width`` cells if it takes more."""
    if cells(text) <= width:
        return text
    while cells(text) > width - 1:
        text = text[:-1]
    return f"{text}…"


def short_names(names: Iterable[str], width: int) -> dict[str, str]:
    """Each name in at most ``width`` characters; different names stay different.

    Names of one module begin alike, so what is cut is their beginning. Names that then read alike
    are shown from where they differ, and get numbers where even that is not enough.
    """
    whole = {name: printable(name, _LONG_NAME) for name in dict.fromkeys(names)}
    found = {
        name: text if len(text) <= width else f"{_CUT}{text[len(text) - width + 1 :]}"
        for name, text in whole.items()
    }
    alike: dict[str, list[str]] = defaultdict(list)
    for name, text in found.items():
        alike[text].append(name)
    for group in alike.values():
        if len(group) > 1:
            begin_alike = os.path.commonprefix([whole[n] for n in group])  # noqa: RUF071 - by characters
            for name in group:
                begin = max(min(len(begin_alike), len(whole[name]) - width + 1), 1)
                rest = whole[name][begin:]
                cut = rest if len(rest) < width else f"{rest[: width - 2]}{_CUT}"
                found[name] = f"{_CUT}{cut}"
    seen: dict[str, int] = defaultdict(int)
    for name, text in found.items():
        seen[text] += 1
        if seen[text] > 1:
            number = f"{_CUT}{seen[text]}"
            found[name] = f"{text[: width - len(number)]}{number}"
    return found
