"""Readings of a text behind its escapes, with a map back to the text."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

Span = tuple[int, int]

_INVISIBLE: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f"
)
_STYLED: Final = "\uff01-\uff5e\u2460-\u24ff\U0001d400-\U0001d7ff"
"""Wide, circled and mathematical forms of letters and digits."""
_SIGN: Final = re.compile(rf"[\\%&\x1b{_INVISIBLE}{_STYLED}]|<(?=/?[bius ecmwf])")
"""How an escape begins; a look for one character is many times faster than the pattern."""
_ESCAPE: Final = re.compile(
    rf"""(?xi)
    (?P<gone>(?:\x1b|\\{{1,4}}(?:u001b|x1b|033|e(?=\[)))
        (?:\[[0-9;?]{{0,20}}[a-z]|\][^\x07\x1b]{{0,200}}(?:\x07|\x1b\\))
      |[{_INVISIBLE}]+|</?(?:b|i|u|s|em|strong|span|code|mark|wbr|br|font)\b[^<>]{{0,80}}>)
    |(?P<styled>[{_STYLED}])
    |(?:\\{{1,4}}u|%(?:25){{0,3}}u)(?P<four>[0-9a-f]{{4}})
    |(?:\\{{1,4}}(?:x|u\{{0{{0,4}})|%(?:25){{0,3}}|&(?:amp;)?\#x0{{0,4}})(?P<two>[0-9a-f]{{2}})[;\}}]?
    |\\{{1,4}}(?P<octal>[01][0-7]{{2}})
    |&(?:amp;)?\#0{{0,4}}(?P<decimal>[0-9]{{2,5}});?
    |(?P<named>&(?:amp|lt|gt|quot|apos|sol|lowbar|hyphen|dash|period|colon|equals|plus|num);)
    """
)
_BASES: Final = {"four": 16, "two": 16, "octal": 8, "decimal": 10}
_ROUNDS: Final = 3
"""Escapes are escaped once more where a format holds another."""
_BEFORE: Final = 60
_SHORTEST: Final = 12
_SPACE: Final = re.compile(r"\s")
_LAST_WORD: Final = re.compile(r"\S+\Z")
_WINDOW: Final = 400
"""Most characters before and after an escape that may be of the same word."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A text behind its escapes; character ``i`` stands for ``starts[i]`` to ``starts[i + 1]``."""

    text: str
    starts: Sequence[int]

    def span(self, start: int, stop: int) -> Span:
        """Where a part of this reading stands in the text that it was made of."""
        return self.starts[start], self.starts[stop - 1 : stop + 1][-1]


def _escapes(text: str, start: int, stop: int) -> Iterator[re.Match[str]]:
    sign = _SIGN.search(text, start, stop)
    while sign:
        escape = _ESCAPE.match(text, sign.start(), stop)
        if escape:
            yield escape
        sign = _SIGN.search(text, escape.end() if escape else sign.end(), stop)


def plain(text: str, start: int = 0, stop: int | None = None) -> Plain | None:
    """The reading of a part of a text; ``None`` if it has no escape. Linear."""
    stop = len(text) if stop is None else stop
    read: Plain | None = None
    for _ in range(_ROUNDS):
        pieces: list[str] = []
        starts: list[int] = []
        end = start
        for escape in _escapes(text, start, stop):
            starts += range(end, escape.start())
            kind, character = str(escape.lastgroup), ""
            if kind in _BASES:
                character = re.sub(f"[{_INVISIBLE}]", "", chr(int(escape[kind], _BASES[kind])))
            elif kind == "styled":
                character = unicodedata.normalize("NFKC", escape[0])
            elif kind == "named":
                character = html.unescape(escape[0])
            pieces += (text[end : escape.start()], character)
            starts += [escape.start()] * len(character)
            end = escape.end()
        if not pieces:
            break
        starts += range(end, stop + 1)
        text = "".join((*pieces, text[end:stop]))
        read = Plain(text, starts if read is None else [read.starts[place] for place in starts])
        start, stop = 0, len(text)
    return read


def windows(text: str) -> Iterator[Plain]:
    """Readings of the words that have an escape, each with what stands before it. Linear."""
    first = last = -1
    for escape in (*_escapes(text, 0, len(text)), None):
        if first >= 0:
            limit = last + _WINDOW if escape is None else min(last + _WINDOW, escape.start())
            gap = _SPACE.search(text, last, limit)
            if escape and not gap and escape.start() == limit:
                last = escape.end()
                continue
            before = _LAST_WORD.search(text, max(0, first - _WINDOW), first)
            start = max(0, (before.start() if before else first) - _BEFORE)
            read = plain(text, start, gap.start() if gap else min(last + _WINDOW, len(text)))
            if read is not None and len(read.text) >= _SHORTEST:
                yield read
        if escape:
            first, last = escape.span()
