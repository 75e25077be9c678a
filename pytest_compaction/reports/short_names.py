"""Names of strategies in the columns of a table: shortened from the left, told apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Final

from pytest_compaction.text import printable

_CUT: Final = "…"
_LONG: Final = 1000
"""The most characters of a name that are looked at."""


def short_names(names: Iterable[str], width: int) -> dict[str, str]:
    """Each name in at most ``width`` characters; different names stay different.

    Names of one module begin alike, so what is cut is their beginning. Names that then read
    alike are shown from where they differ.
    """
    whole = {name: printable(name, _LONG) for name in dict.fromkeys(names)}
    found = {name: _end(text, width) for name, text in whole.items()}
    alike: dict[str, list[str]] = defaultdict(list)
    for name, text in found.items():
        alike[text].append(name)
    for group in alike.values():
        if len(group) > 1:
            start = _alike([whole[name] for name in group])
            found |= {name: _from(whole[name], start, width) for name in group}
    return _numbered(found, width)


def _alike(texts: Sequence[str]) -> int:
    """How many characters some texts begin with alike."""
    return sum(1 for _ in takewhile(lambda chars: len(set(chars)) == 1, zip(*texts, strict=False)))


def _end(text: str, width: int) -> str:
    """The end of a name, as much as there is room for."""
    if len(text) <= width:
        return text
    return f"{_CUT}{text[len(text) - width + 1 :]}"


def _from(text: str, start: int, width: int) -> str:
    """The part of a name from ``start`` on, with what stands before it as far as there is room."""
    start = max(min(start, len(text) - width + 1), 1)
    rest = text[start:]
    room = width - 1
    return f"{_CUT}{rest}" if len(rest) <= room else f"{_CUT}{rest[: room - 1]}{_CUT}"


def _numbered(found: dict[str, str], width: int) -> dict[str, str]:
    """Names that are alike even then get numbers; only a very narrow column needs them."""
    seen: dict[str, int] = defaultdict(int)
    result: dict[str, str] = {}
    for name, text in found.items():
        seen[text] += 1
        number = f"{_CUT}{seen[text]}" if seen[text] > 1 else ""
        result[name] = f"{text[: width - len(number)]}{number}" if number else text
    return result
