"""Text as the matcher, the retriever and the offline model see it: segments, tokens, stems.

All functions are pure, apart from caches. Texts are compared in *normalised* form: Unicode
NFKC, no invisible characters, case folded, no quotes or Markdown marks, white space
collapsed.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import chain
from typing import Final

from pytest_compaction.secrets import scrubbed
from pytest_compaction.text.ideographs import SIGNS, WIDE, spaced
from pytest_compaction.text.languages.en import NEGATIONS as NEGATIONS
from pytest_compaction.text.languages.en import STOPWORDS as STOPWORDS

_PLAIN: Final = tuple(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", " ": " "}.items()
)
_QUOTES: Final = str.maketrans(dict.fromkeys("「」『』《》〈〉", '"'))
_MARKS: Final = '`*"'
_QUOTE: Final = re.compile(r"'(?:(?!\w)|(?<!\w'))")
"""A quotation mark, which stands at the edge of a word."""
_SPACE: Final = re.compile(r"\s+")
_TOKEN: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\w+(?:[./:@+\-\\']+\w+)*", re.UNICODE)
_TOKEN_OF_ANY_SCRIPT: Final = re.compile(
    r"\d{1,3}(?:,\d{3})+(?:\.\d+)?"
    rf"|[^\W{SIGNS}]+(?:[./:@+\-\\']+[^\W{SIGNS}]+)*|[{SIGNS}]"
)
_PIECE: Final = re.compile(r"[^\W_]+(?:(?<=\d)\.(?=\d)[^\W_]+)*", re.UNICODE)
_PART_END: Final = re.compile(r"[/:@+\-\\']+|(?<!\d)\.+|\.+(?!\d)")
"""Where a token is split into parts; not at the point of ``1.5``."""
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_LEADING_NUMBER: Final = re.compile(r"(\d+(?:\.\d+)?)([a-z%]+)")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?;])\s+(?=[\"'(\[]?[A-Z0-9]|`)|(?<=[。！？])")
_NAME: Final = re.compile(r"[\w\-.]+")
_EXTENSION: Final = re.compile(r"[a-z][a-z0-9]{0,5}")
_NAMED: Final = re.compile("[a-z_]")
_NO_NAME: Final = re.compile(r"[\d./]+")
_ABBREVIATION: Final = re.compile(r"(?:[a-z]\.)+[a-z]")
_BULLET: Final = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)]|#{1,6}|>)\s+")

MAX_SEGMENT_WORDS: Final = 80
"""A longer segment is cut, so that a minified line does not count as one sentence."""

_KEY_ROOM: Final = 4096
"""Characters read beyond a limit, so that no key is cut in half and shown."""

_SHORT: Final = 400
"""Characters of a text whose stems are kept: a line or sentence that several views hold."""

MAX_SUFFIXES: Final = 32
"""The most suffixes of a path that are compared, besides the whole path."""

_stemming: Final = threading.Lock()
"""The stemmer holds the current word as its state, and compactors run in threads."""


def visible(text: str) -> str:
    """Without invisible format characters (zero-width, bidirectional marks, tags)."""
    if text.isascii():
        return text
    hidden = {ord(ch): None for ch in set(text) if unicodedata.category(ch) == "Cf"}
    return text.translate(hidden) if hidden else text


def normalize(text: str) -> str:
    """The form in which two texts are compared; see the module's first paragraph."""
    if not text.isascii():
        text = visible(unicodedata.normalize("NFKC", text))
        for sign, plain in _PLAIN:
            if sign in text:
                text = text.replace(sign, plain)
    text = text.casefold()
    if not text.isascii() and WIDE.search(text):
        text = spaced(text.translate(_QUOTES))
    if "'" in text:
        text = _QUOTE.sub("", text)
    for mark in _MARKS:
        if mark in text:
            text = text.replace(mark, "")
    return " ".join(text.split())


def segments(text: str) -> list[str]:
    """The sentences and lines of a text without list bullets, heading marks and empty lines."""
    found: list[str] = []
    for line in text.splitlines():
        line = _BULLET.sub("", line).strip()
        if not line:
            continue
        for piece in _SENTENCE_END.split(line):
            words = piece.split()
            if len(words) <= MAX_SEGMENT_WORDS:
                found += [piece.strip()] if words else []
                continue
            starts = range(0, len(words), MAX_SEGMENT_WORDS)
            found += (" ".join(words[i : i + MAX_SEGMENT_WORDS]) for i in starts)
    return found


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """English Snowball stem of a lower-case word; other words come back unchanged."""
    return stem_in("english", word) if word.isascii() else word


@lru_cache(maxsize=65536)
def stem_in(algorithm: str, word: str) -> str:
    """The stem by one of the algorithms of Snowball; a word of a script without one is its own."""
    if not algorithm or len(word) >= 40:
        return word
    with _stemming:
        return _stemmer(algorithm)(word)


@cache
def _stemmer(algorithm: str) -> Callable[[str], str]:
    import snowballstemmer  # takes long to import, with all its languages

    found: Callable[[str], str] = snowballstemmer.stemmer(algorithm).stemWord
    return found


def canonical_number(token: str) -> str:
    """One spelling for equal numbers: ``5,000`` and ``5000.0`` are ``5000``."""
    token = token.replace(",", "")
    if not _NUMBER.fullmatch(token):
        return token
    whole, _, fraction = token.partition(".")
    fraction = fraction.rstrip("0")
    whole = whole.lstrip("0") or "0"
    return f"{whole}.{fraction}" if fraction else whole


def is_path(token: str) -> bool:
    """Whether a normalised token reads as a file path: a slash, or a name with an extension."""
    if "/" in token:
        return "://" not in token and "@" not in token and not _NO_NAME.fullmatch(token)
    if "." not in token or "@" in token:
        return False
    name, _, extension = token.rpartition(".")
    return (
        _EXTENSION.fullmatch(extension) is not None
        and _NAME.fullmatch(name) is not None
        and _NAMED.search(name.rpartition(".")[2]) is not None
        and not _ABBREVIATION.fullmatch(token)
    )


def path_suffixes(path: str) -> list[str]:
    """The suffixes of a path on component boundaries, longest first, itself included.

    None begins with a point, as no token does: ``~/.config/a.ini`` is ``config/a.ini``.

    Of a path with very many components only the shorter suffixes are given, so that
    a megabyte of base64 stays linear.
    """
    parts = [
        part for part in path.replace("\\", "/").split("/") if part not in {"", ".", "~", "$home"}
    ]
    starts = [*range(min(1, len(parts))), *range(max(1, len(parts) - MAX_SUFFIXES), len(parts))]
    return ["/".join(parts[i:]).lstrip(".") for i in starts]


def raw_tokens(normal: str) -> list[str]:
    """Tokens of a normalised text with their inner punctuation: ``src/a.py``, ``1.5``, ``a-b``."""
    return (_TOKEN if normal.isascii() else _TOKEN_OF_ANY_SCRIPT).findall(normal)


def token_places(normal: str) -> list[tuple[str, int]]:
    """The tokens of a normalised text, each with the place where it begins."""
    pattern = _TOKEN if normal.isascii() else _TOKEN_OF_ANY_SCRIPT
    return [(match[0], match.start()) for match in pattern.finditer(normal)]


@lru_cache(maxsize=65536)
def token_forms(token: str) -> tuple[str, ...]:
    """All forms under which a token of a text can be asked for.

    The token itself, its canonical number, every path suffix, its pieces, the
    stems of its words, and the number alone for ``30s``; never a part of a number.
    """
    canonical = canonical_number(token)
    if _NUMBER.fullmatch(canonical):
        return (canonical,)
    forms: dict[str, None] = {canonical: None}
    if "/" in token:
        forms.update(dict.fromkeys(path_suffixes(token)))
    for part in _PART_END.split(token):
        forms[canonical_number(part)] = None
        leading = _LEADING_NUMBER.fullmatch(part)
        if leading:
            forms[canonical_number(leading[1])] = None
        for piece in _PIECE.findall(part):
            forms[stem(piece) if piece.isalpha() else canonical_number(piece)] = None
    if token.isalpha():
        forms[stem(token)] = None
    if token in NEGATIONS or token.endswith("n't"):
        forms["not"] = None
    return tuple(forms)


def content_stems(normal: str) -> tuple[str, ...]:
    """Stems and exact tokens of a normalised text without stop words, in order, repeated."""
    return (_stems if len(normal) <= _SHORT else _stems.__wrapped__)(normal)


@lru_cache(maxsize=4096)
def _stems(normal: str) -> tuple[str, ...]:
    return (*chain.from_iterable(map(_content_forms, raw_tokens(normal))),)


@lru_cache(maxsize=65536)
def _content_forms(token: str) -> tuple[str, ...]:
    """The forms of a token without stop words; none of a stop word."""
    if token in STOPWORDS:
        return ()
    return tuple(form for form in token_forms(token) if form not in STOPWORDS)


def clipped(text: str, limit: int) -> str:
    """The text on one line of at most ``limit`` characters; a cut text ends in ``…``."""
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def printable(text: str, limit: int | None = None) -> str:
    """Text that is safe on a terminal: control and format characters are escaped, keys replaced.

    ``limit`` bounds the characters of the result; a longer text ends in ``…``.
    Line breaks become spaces.
    """
    flat = scrubbed(_SPACE.sub(" ", text if limit is None else text[: limit * 2 + _KEY_ROOM]))
    safe = flat if limit is None else flat[: limit * 2]
    if not safe.isprintable():
        safe = "".join(
            ch
            if ch.isprintable()
            else ch.encode("unicode_escape", "backslashreplace").decode("ascii")
            for ch in safe
        )
    if limit is not None and len(safe) > limit:
        return safe[: max(limit - 1, 0)] + "…"
    return safe
