"""Keys whose own look says what they are: those of the table, and those that an encoding hides.

A text is cut into words once. A word is looked at more closely only if it begins as a key of the
table does: at its start, or a few parts back where dots, slashes or colons join it to what comes
before. What base64 or the escapes of an address hide is decoded once and looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

from pytest_compaction.secrets.blocks import Span, find_blocks
from pytest_compaction.secrets.encoded import ENCODED, decoded
from pytest_compaction.secrets.files import find_in_files
from pytest_compaction.secrets.formats import INNER, KEYS, WHOLE

_WORD_SIGN: Final = b"w"
_LONG_WORD: Final = _WORD_SIGN * 14
"""Every key has a word that is this long."""
_WORD_SIGNS: Final = bytes(
    _WORD_SIGN[0] if chr(code).isalnum() or chr(code) in "_-*" else ord(" ") for code in range(128)
) + bytes(128)
"""Stands for the signs of words, and for all others."""
_BEFORE: Final = re.compile(r"(?a)(?<=%)[0-9A-Fa-f]{2}|[\-_]{1,4}")
"""What may stand at the start of a word without being a part of it."""
_GAPS: Final = re.compile(
    r"\x1b\[[0-9;]{0,20}[A-Za-z]|\\{1,4}(?:[nrtbf]|u00[01][0-9A-Fa-f](?:\[[0-9;]{0,20}m)?"
    r"|u00[0-9A-Fa-f]{2}|x1b(?:\[[0-9;]{0,20}m)?|x[0-9A-Fa-f]{2})"
)
"""Colours of a terminal and escapes of JSON: they part words as a space does."""
_JOINTS: Final = (".", "/", ":", "$")
_PARTS: Final = re.compile(r"(?a)(?<![\w\-])(?:[\w\-]{1,24}(?:[.:$]|//?)){1,3}\Z")
_PART: Final = re.compile(r"(?a)[\w\-]{1,24}(?:[.:$]|//?)")
_PART_START: Final = re.compile(r"\A|[=:/]")
_BACK: Final = 70
_RANDOM: Final = re.compile(r"[A-Z0-9*@:]")
"""Lower-case words joined by hyphens may begin as a key does."""
_CAPITALS: Final = r"(?:[A-Z]?[a-z]{2,}|[A-Z]{2,6})"
IDENTIFIER: Final = re.compile(rf"{_CAPITALS}(?:[_\-.]{_CAPITALS}|[A-Z][a-z]{{2,}})+")
"""Words without a digit, joined as in names of variables, types and packages."""
_CREDENTIALS: Final = re.compile(
    r"""://(?P<secret>[^\s/@:"'<>`]{0,200}:[^\s/@"<>`]{1,4000}|(?=[\w\-]{0,40}[0-9])[\w\-]{20,200})@"""
)
"""RFC 3986: ``user:password`` or a token before the host of an address; the user may be empty."""
_ESCAPED: Final = re.compile(r"(?a)(?:[\w\-.~+*!]|%(?=[0-9A-Fa-f]{2})){16,}+")
"""One value of an address, as far as it may be escaped (RFC 3986)."""
_OCTET: Final = re.compile("%[0-9A-Fa-f]{2}")
_INNER_ROOM: Final = 400


def _by_head() -> dict[str, re.Pattern[str]]:
    """The patterns of the table by the first two characters of what they find."""
    rows: dict[str, list[str]] = {}
    for heads, rest in KEYS:
        for head in heads.split():
            rows.setdefault(head[:2], []).append(f"{re.escape(head)}(?:{rest})")
    return {start: re.compile(f"(?a:{'|'.join(patterns)})") for start, patterns in rows.items()}


_HEADS: Final = _by_head()
_INNER: Final = tuple(
    (sign, before, re.compile(rf"(?a){'(?<![A-Za-z0-9])' if before else ''}(?:{whole})"))
    for sign, before, whole in INNER
)
_WHOLE: Final = re.compile(rf"(?a)(?:{'|'.join(WHOLE)})(?![\w\-])")


def without_gaps(text: str) -> str:
    """A text of the same length with spaces for the escapes and colours between its words."""
    if "\\" in text or "\x1b" in text:
        return _GAPS.sub(lambda gap: " " * len(gap[0]), text)
    return text


def find_formatted(text: str) -> Iterator[Span]:
    """Where keys stand whose format is known, private keys and credentials of addresses; linear."""
    plain = without_gaps(text)
    yield from find_blocks(text)
    yield from _plainly(plain)
    if "%" in text and _OCTET.search(text):
        for value in _ESCAPED.finditer(plain):
            if _OCTET.search(value[0]) and _holds_key(unquote(value[0])):
                yield value.span()


def _plainly(text: str) -> Iterator[Span]:
    """What no encoding hides, and what base64 does."""
    yield from _in_words(text, encoded=True)
    if "://" in text:
        yield from (match.span("secret") for match in _CREDENTIALS.finditer(text))
    yield from _inner(text)
    yield from find_in_files(text)


def _in_words(text: str, encoded: bool) -> Iterator[Span]:
    end = 0
    for start in _long_words(text):
        match = next(filter(None, (_key_at(text, at) for at in _starts(text, start))), None)
        if match is not None and match.end() > end:
            yield match.span()
            end = match.end()
        elif encoded and start >= end and (run := ENCODED.match(text, start)):
            end = run.end()
            if _hides_key(decoded(run[0])):
                yield run.span()


def _long_words(text: str) -> Iterator[int]:
    """Where the words begin that are long enough to be of a key.

    A row of equal bytes is found much faster than what a pattern describes.
    """
    signs = text.encode("ascii", "replace").translate(_WORD_SIGNS)
    start = signs.find(_LONG_WORD)
    while start >= 0:
        yield start
        end = signs.find(b" ", start)
        start = signs.find(_LONG_WORD, end) if end >= 0 else -1


def _key_at(text: str, at: int) -> re.Match[str] | None:
    """The key that begins at a place."""
    pattern = _HEADS.get(text[at : at + 2])
    match = (pattern and pattern.match(text, at)) or _WHOLE.match(text, at)
    return match if match is not None and is_random(match[0]) else None


def find_in_piece(piece: str) -> Iterator[Span]:
    """Where keys of the table stand in a short text without spaces."""
    yield from _in_words(piece, encoded=False)
    yield from _inner(piece)


def is_head(word: str) -> bool:
    """Whether a key of the table may begin as a word does, or as a part of it behind a sign."""
    return any(word[at.end() : at.end() + 2] in _HEADS for at in _PART_START.finditer(word))


def _starts(text: str, start: int) -> Iterator[int]:
    """Where a key may start that this word is a part of."""
    yield start
    before = _BEFORE.match(text, start)
    if before is not None:
        yield before.end()
    if text[start - 1 : start] in _JOINTS:
        parts = _PARTS.search(text, max(0, start - _BACK), start)
        if parts is not None:
            yield from (part.start() for part in _PART.finditer(text, parts.start(), start))


def _inner(text: str) -> Iterator[Span]:
    """Keys that a text within them shows."""
    for sign, before, whole in _INNER:
        at = text.find(sign)
        while at >= 0:
            match = whole.search(text, max(0, at - before), at + _INNER_ROOM)
            if match is not None:
                yield match.span()
            at = text.find(sign, max(at + 1, match.end() if match else 0))


def _holds_key(text: str) -> bool:
    """Whether a key stands in a text that is a value of an address."""
    spans = (find_blocks(text), _plainly(without_gaps(text)))
    return any(next(found, None) is not None for found in spans)


def _hides_key(text: str | None) -> bool:
    """Whether a key stands in what base64 was decoded to; it is not decoded again."""
    if text is None:
        return False
    spans = (find_blocks(text), _in_words(without_gaps(text), encoded=False))
    credentials = "://" in text and _CREDENTIALS.search(text) is not None
    return credentials or any(next(found, None) is not None for found in spans)


def is_random(key: str) -> bool:
    """Whether a match has what words lack that begin as a key does."""
    return bool(_RANDOM.search(key)) and not IDENTIFIER.fullmatch(key)
