"""Find known secrets in the forms in which others repeat them.

A secret is found as it is, percent-encoded as in an address, escaped as in JSON, in capitals, in
names of files, in base64 and in hexadecimal digits. A long random one is found in pieces as well:
behind escapes, over lines, with other signs between its characters, backwards, or encoded twice.
"""

from __future__ import annotations

import codecs
import json
import re
import zlib
from base64 import a85encode, b32decode, b32encode, b64decode, b64encode, b85encode
from binascii import b2a_uu
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import quote, quote_plus

from pytest_compaction.secrets.disguises import Span, windows

LONG: Final = 12
"""Fewest characters of a secret that is found within a word, and of a piece of one."""
_SHORTEST_ENCODED: Final = 6
"""Fewest characters of a secret that is also looked for in base64 and in hexadecimal digits."""
_ESCAPED_OCTET: Final = re.compile("%[0-9A-F]{2}")
_SLUG: Final = re.compile(r"[^A-Za-z0-9_.:+=]")


def find_known(text: str, secrets: Iterable[str]) -> Iterator[Span]:
    """Where secrets stand, whatever their look; some spans overlap. Linear."""
    known = tuple(secrets)
    if not known:
        return
    yield from _whole(text, known)
    if len(text) < LONG or not (needles := _all_needles(known)):
        return
    yield from _hidden(text, needles)
    yield from _masked(text, known)
    for read in windows(text):
        for span in (*_whole(read.text, known), *_hidden(read.text, needles)):
            yield read.span(*span)


# --- whole secrets ---


def _whole(text: str, secrets: tuple[str, ...]) -> Iterator[Span]:
    for form in _all_forms(secrets):
        if form in text:
            yield from (match.span() for match in _pattern(form).finditer(text))


def shortest_form(secrets: tuple[str, ...]) -> int:
    """Fewest characters of a text in which one of the secrets may stand."""
    return min(map(len, _all_forms(secrets)), default=LONG)


@lru_cache(maxsize=16)
def _all_forms(secrets: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(form for secret in secrets for form in _forms(secret)))


@lru_cache(maxsize=256)
def _forms(secret: str) -> tuple[str, ...]:
    # Half a surrogate pair has no UTF-8 form; here it only has to raise no error.
    octets = secret.encode("utf-8", "surrogatepass")
    quoted = (quote(octets, safe=""), quote(octets), quote_plus(octets))
    lower = (_ESCAPED_OCTET.sub(lambda match: match[0].lower(), form) for form in quoted)
    escaped = [json.dumps(secret, ensure_ascii=ascii_only)[1:-1] for ascii_only in (False, True)]
    # Some writers of JSON escape the slash as well.
    slashes = (form.replace("/", r"\/") for form in escaped)
    forms = [secret, *quoted, *lower, *escaped, *slashes]
    if len(secret) >= _SHORTEST_ENCODED and not secret.isalpha():
        named = (secret.replace("-", "_"), _SLUG.sub("_", secret))
        forms += [form for name in (secret, *named) for form in (name, name.upper(), name.lower())]
        forms += [octets.hex(), octets.hex().upper(), *_in_base64(octets)]
    return tuple(dict.fromkeys(forms))


def _in_base64(octets: bytes) -> Iterator[str]:
    """The characters that stand for these octets wherever they begin in a longer text."""
    for before in range(3):
        whole = b64encode(bytes(before) + octets)
        # The characters that the octets before and behind have a part in are left out.
        first, last = -(-before * 8 // 6), (before + len(octets)) * 8 // 6
        shown = whole[first:last].decode()
        yield shown
        yield shown.replace("+", "-").replace("/", "_")


@lru_cache(maxsize=256)
def _pattern(form: str) -> re.Pattern[str]:
    """Finds a form of a secret; a short one only where it is a word of its own."""
    literal = re.escape(form)
    if len(form) >= LONG:
        return re.compile(literal)
    return re.compile(rf"(?<![A-Za-z0-9_]){literal}(?![A-Za-z0-9_])")


# --- pieces of long random secrets, among letters and digits alone ---

_OTHER: Final = re.compile("[^0-9A-Za-z]+")
_SAME: Final = re.compile("[0-9A-Za-z]")
_TURN: Final = re.compile("[0-9](?=[A-Za-z])|[a-z](?=[0-9A-Z])|[A-Z](?=[0-9])")
_TURNS: Final = 3
"""Fewest changes between digits, small and capital letters of a random word."""
_DIGIT: Final = re.compile("[0-9]")
_DIGITS_OF_CODE: Final = 8
"""Digits of a random word that has few letters, such as one of hexadecimal digits."""
_OCTETS: Final = (
    *("{:02x}", "0x{:02x}", "x{:02x}", "u{:04x}", "{:04x}"),
    *("{:d}", "{:o}", "{:03o}", "{:08b}"),
)
"""How the octets of a secret are written one by one, without the signs between them."""
_ALPHABET_58: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_HALF: Final = LONG // 2
"""Characters of a secret by which a piece is looked for, and the fewest of a piece near another."""
_NEAR: Final = 200
_PLAIN, _NUMBERS, _DENSE = range(3)
"""Forms of words, of numbers, and of data without spaces."""
_SIGNS: Final = bytes(code for code in range(256) if not _SAME.fullmatch(chr(code)))
_LOWER: Final = bytes(range(256)).lower()
_RUN: Final = b"w" * 24
_CLASSES: Final = {
    kind: bytes(_RUN[0] if re.fullmatch(signs, chr(code)) else 32 for code in range(256))
    for kind, signs in ((_NUMBERS, "[0-9a-fA-FxXuU]"), (_DENSE, "[!-~\n]"))
}
_DATA: Final = re.compile(r"[A-Za-z0-9+/_\-]{24,}+(?:\n[A-Za-z0-9+/_\-]{1,23}(?![^=\s]))?")
_PACKED: Final = (b"\x1f\x8b", b"x\x01", b"x\x9c", b"x\xda")
"""How data begin that gzip or zlib packed."""
_MOST_UNPACKED: Final = 1_000_000
_PRINTABLE: Final = bytes(range(32, 127)) + b"\t\n\r"
_DEPTH: Final = 3
"""Most encodings around one another."""


@dataclass(frozen=True, slots=True)
class _Needle:
    """A form of a secret without signs, as it is written and in lower case."""

    written: str
    sought: bytes
    width: int
    """Characters that stand for one of the secret."""
    kind: int


@lru_cache(maxsize=16)
def _all_needles(secrets: tuple[str, ...]) -> tuple[_Needle, ...]:
    strong = (secret for secret in secrets if _is_random(_OTHER.sub("", secret)))
    return tuple(needle for secret in strong for needle in _needles(secret))


def _is_random(word: str) -> bool:
    many = len(_TURN.findall(word)) >= _TURNS or len(_DIGIT.findall(word)) >= _DIGITS_OF_CODE
    return len(word) >= LONG and many


@lru_cache(maxsize=256)
def _needles(secret: str) -> tuple[_Needle, ...]:
    octets = secret.encode("utf-8", "surrogatepass")
    doubled = "".join(2 * character for character in secret)  # as overstruck by a terminal
    rotated = "".join(chr(33 + (ord(c) + 14) % 94) if "!" <= c <= "~" else c for c in secret)
    lines = (octets[at : at + 45] for at in range(0, len(octets), 45))
    forms = {
        _PLAIN: (secret, secret[::-1], doubled, codecs.encode(secret, "rot13")),
        _NUMBERS: ("".join(map(form.format, octets)) for form in _OCTETS),
        _DENSE: (
            *_in_base64(octets),
            *(encode(octets).decode() for encode in (b32encode, b85encode, a85encode)),
            *(_in_base58(octets), b"".join(map(b2a_uu, lines)).decode(), rotated),
        ),
    }
    cores = {_OTHER.sub("", form): kind for kind, texts in forms.items() for form in texts}
    return tuple(
        _Needle(core, core.lower().encode(), max(1, len(core) // len(secret)), kind)
        for core, kind in cores.items()
        if len(core) >= LONG
    )


def _in_base58(octets: bytes) -> str:
    number, digits = int.from_bytes(octets, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        digits = _ALPHABET_58[digit] + digits
    return digits


def _hidden(text: str, needles: tuple[_Needle, ...], depth: int = 0) -> Iterator[Span]:
    """Pieces of secrets in a text, and encoded data that hold one."""
    octets = text.encode("ascii", "replace")
    core = octets.translate(_LOWER, _SIGNS)
    runs = list(_runs(octets, _DENSE))
    numbers = any(_runs(core, _NUMBERS))
    kinds = {_PLAIN, _DENSE if runs else _PLAIN, _NUMBERS if numbers else _PLAIN}
    places: list[int] = []
    for needle in needles:
        found = list(_common(core, needle, 0, len(core), False)) if needle.kind in kinds else ()
        if found:
            places = places or [at for at, code in enumerate(octets) if code not in _SIGNS]
            around = max(0, found[0][0] - _NEAR), min(len(core), found[-1][1] + _NEAR)
            for start, stop in (*found, *_common(core, needle, *around, True)):
                yield places[start], places[stop - 1] + 1
    for start, stop in runs if depth < _DEPTH else ():
        inner = _opened(text[start:stop])
        if any(next(_hidden(found, needles, depth + 1), None) for found in inner):
            yield start, stop


def _common(core: bytes, needle: _Needle, first: int, last: int, near: bool) -> Iterator[Span]:
    """Where a text has a piece of a needle: a long random one, or ``near`` one, any."""
    sought, size = needle.sought, _HALF * needle.width
    for at in range(0, len(sought) - size + 1, 1 if near else size + 1):
        place = core.find(sought[at : at + size], first, last)
        while place >= 0:
            start, stop, begin, end = place, place + size, at, at + size
            while stop < last and end < len(sought) and core[stop] == sought[end]:
                stop, end = stop + 1, end + 1
            while start > first and begin > 0 and core[start - 1] == sought[begin - 1]:
                start, begin = start - 1, begin - 1
            if near or (stop - start >= 2 * size and _is_random(needle.written[begin:end])):
                yield start, stop
            place = core.find(sought[at : at + size], stop, last)


def _runs(octets: bytes, kind: int) -> Iterator[Span]:
    """Where a row of characters stands in which data may be encoded."""
    row = octets.translate(_CLASSES[kind])
    start = row.find(_RUN)
    while start >= 0:
        stop = row.find(b" ", start)
        stop = len(row) if stop < 0 else stop
        yield start, stop
        start = row.find(_RUN, stop)


def _opened(run: str) -> Iterator[str]:
    """The text in data in base64 or base32, as a whole and line by line."""
    words = _DATA.findall(run)
    for word in ("".join(words), *words) if len(words) > 1 else words:
        packed = word.replace("-", "+").replace("_", "/")
        packed = packed[: len(packed) - (len(packed) % 4 == 1)]
        for decode, group in ((b64decode, 4), (b32decode, 8))[: 1 + word.isupper()]:
            try:
                octets = decode(packed + "=" * (-len(packed) % group))
                if octets[:2] in _PACKED:
                    octets = zlib.decompressobj(wbits=47).decompress(octets, _MOST_UNPACKED)
            except (ValueError, zlib.error):
                continue
            octets = octets.replace(b"\0", b"")
            if len(octets.translate(None, _PRINTABLE)) <= len(octets) // 4:
                yield octets.decode("latin-1")


# --- shown in part ---


_SHOWN: Final = r"""[^\s"'*]{0,20}?"""


def _masked(text: str, secrets: tuple[str, ...]) -> Iterator[Span]:
    for secret in secrets:
        if len(secret) > LONG and secret[:4] in text and secret[-4:] in text:
            yield from (match.span() for match in _mask(secret).finditer(text))


@lru_cache(maxsize=256)
def _mask(secret: str) -> re.Pattern[str]:
    first, last = re.escape(secret[:4]), re.escape(secret[-4:])
    gap = r"(?:[*•·#xX]{3,80}|\[?(?:\.{2,6}|…)\]?)"
    return re.compile(rf"{first}{_SHOWN}{gap}{_SHOWN}{last}")
