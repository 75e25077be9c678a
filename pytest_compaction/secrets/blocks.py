"""Blocks that hold a private key: from their first line to the last, or as far as one is left.

A block may stand in a text of its own, in a diff, in a quoted or numbered listing, escaped as in
JSON. One that was cut off ends with the last line that can be of a key; a block
that is only mentioned, as by code that looks for one, has no such line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

Span = tuple[int, int]

_GAP: Final = "[ +]"
_LABEL: Final = rf"(?:[A-Za-z0-9]{{1,12}}{_GAP}){{0,4}}"
# RFC 7468 (PRIVATE KEY, with RSA, EC, DSA, OPENSSH, ENCRYPTED before it), RFC 4880 (PGP … BLOCK),
# RFC 4716 as ssh.com writes private keys (SSH2, four hyphens), OpenVPN (Static key V1)
_KIND: Final = rf"(?:PRIVATE{_GAP}KEY|Static{_GAP}key)(?:{_GAP}[A-Z0-9]{{1,8}})?{_GAP}?-{{4,5}}"
_BEGIN: Final = re.compile(rf"-{{4,5}}{_GAP}?BEGIN{_GAP}{_LABEL}{_KIND}|Private-Lines: \d{{1,4}}")
_END: Final = re.compile(rf"-{{4,5}}{_GAP}?END{_GAP}{_LABEL}{_KIND}")
_SIGNS: Final = ("PRIVATE KEY", "Static key", "Private-Lines", "PRIVATE+KEY")
_LONGEST: Final = 40_000
"""Most characters of a block: RSA keys of 16,384 bits take 13,000, those of GPG more."""
_MATERIAL: Final = re.compile(r"(?=[A-Za-z+/]{0,64}[0-9])[A-Za-z0-9+/]{16,}")
_LINE: Final = re.compile(
    r"""(?x)(?:["'`]?[ \t]{0,4}[+\\]?[ \t]{0,4}(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n|[ ]))
    [ \t]{0,40}(?:[0-9]{1,5}[ \t]{0,4}[\t→|:])?[ \t]{0,8}(?:[>|+\-#*]{1,2}[ \t]{0,4})?["'`]?
    (?:(?P<header>[A-Z][\w\-]{1,20}:[ ][^\r\n\\]{0,80})
      |(?P<key>=?[A-Za-z0-9+/]{1,200}={0,3}))?
    (?=["'`\s\\,;)}]|\Z)"""
)
"""A break and the line behind it, which may be empty, a header or a line of a key."""
_LINE_BEFORE: Final = re.compile(r"(?:[A-Za-z0-9+/]{16,200}={0,2}|=?[A-Za-z0-9+/]{1,200}={0,3})\Z")
_BREAK_BEFORE: Final = re.compile(
    r"""(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n)[ \t]{0,40}(?:[0-9]{1,5}[ \t]{0,4}[\t→|:])?"""
    r"""[ \t]{0,8}(?:[>|+#*-] ?)?["'`]?\Z"""
)
_FULL: Final = 32
"""Fewest characters of a line of a key after which a shorter one may be its last."""


def find_blocks(text: str) -> Iterator[Span]:
    """Where blocks with a private key stand, in order; linear."""
    if not any(sign in text for sign in _SIGNS):
        return
    done = 0
    begins = list(_BEGIN.finditer(text))
    for number, begin in enumerate(begins):
        following = begins[number + 1].start() if number + 1 < len(begins) else len(text)
        limit = min(following, begin.end() + _LONGEST)
        end = _END.search(text, begin.end(), limit)
        if end is not None and _MATERIAL.search(text, begin.end(), end.start()):
            done = end.end()
            yield begin.start(), done
        elif end is None and (stop := _last_line(text, begin.end(), limit)):
            done = stop
            yield begin.start(), done
    yield from _without_begin(text, done, begins)


def _without_begin(text: str, done: int, begins: list[re.Match[str]]) -> Iterator[Span]:
    """The lines before an end whose beginning was cut off."""
    first = begins[0].start() if begins else len(text)
    for end in _END.finditer(text):
        if end.start() < first or end.start() >= done:
            start = _first_line(text, end.start())
            if start < end.start():
                yield start, end.end()


def _last_line(text: str, start: int, limit: int) -> int:
    """The end of the last line of a key from here on; zero if there is none."""
    last, full = 0, False
    while (line := _LINE.match(text, start, limit)) and line.end() > start:
        key = line["key"] or ""
        if _MATERIAL.fullmatch(key.rstrip("=")) or (full and key):
            last = line.end()
        full = len(key) >= _FULL
        start = line.end()
    return last


def _first_line(text: str, end: int) -> int:
    """The start of the first line of a key that goes on to an end; the end if there is none."""
    first, full, at = end, False, end
    while at > max(0, end - _LONGEST):
        gap = _BREAK_BEFORE.search(text, max(0, at - 70), at)
        line = gap and _LINE_BEFORE.search(text, max(0, gap.start() - 210), gap.start())
        if not line or (at < end and len(line[0]) < _FULL):
            break
        full = full or len(line[0]) >= _FULL
        first = at = line.start()
    return first if full else end
