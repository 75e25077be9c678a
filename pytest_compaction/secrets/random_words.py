"""Random words: keys without a format, such as those of AWS, that nothing else in a text is like.

Hashes and ids are random as well, and they are facts. They have one case of letters, a head
that says what they are, or stand in an address; such words are not found here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_compaction.secrets.blocks import Span
from pytest_compaction.secrets.encoded import ENCODED, decoded
from pytest_compaction.secrets.formatted import without_gaps

_RUN: Final = re.compile(
    r"(?<![A-Za-z0-9+/_\-=~@#%$&.?:])(?P<word>[A-Za-z0-9+/_\-]{24,96}={0,2})(?![A-Za-z0-9+/_\-=~@%])"
)
_MIXED: Final = re.compile(r"(?=[^0-9]*[0-9])(?=[^A-Z]*[A-Z])[^a-z]*[a-z]")
_TURN: Final = re.compile(r"(?<=[a-z])[A-Z0-9]|(?<=[A-Z])[a-z0-9]|(?<=[0-9])[A-Za-z]|[+/_\-]")
_LEAST_TURNS: Final = 0.4
"""Least share of characters of another class than the one before; random words have 0.6 of
62 letters and digits, words that are joined like names 0.3."""
_ID: Final = re.compile(r"[a-z]{2,14}[_\-]|.{0,60}[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-")
"""An id says what it is of, ``msg_…``, ``toolu_…``, or has the groups of a UUID."""
_FACT: Final = re.compile(
    r"(?i)(?:sha\d{1,3}|md5|h1|base64|integrity|digest|hash|etag|fingerprint|revision|id"
    r"|(?:next|continuation|page|client)_?token)[\"']?\W{1,4}\Z"
)
"""Before a digest, an id or a mark of a page."""
_LOOK_BACK: Final = 26
_ROWS: Final = frozenset({60, 64, 70, 72, 76})
"""Characters of the lines of certificates and other data in base64."""
_HUMPS: Final = re.compile(r"[A-Z]?[a-z]{2,}")
_MOST_HUMPS: Final = 0.7
"""Share of characters in humps above which a word is a name in code; random words have 0.4."""
_WORDS: Final = re.compile(r"(?:^|[+/_\-])[a-z]{4,}(?=[+/_\-]|$)|[A-Z]?[a-z]{5,}")
"""A piece that random words do not have."""


def find_random(text: str) -> Iterator[Span]:
    """Where random words stand that may be keys; linear."""
    plain = without_gaps(text)
    for match in _RUN.finditer(plain):
        start, stop = match.span("word")
        if is_random_word(match["word"]) and not (
            _FACT.search(plain, max(0, start - _LOOK_BACK), start)
            or (stop - start in _ROWS and plain[stop : stop + 1] in ("\n", "\r", " "))
        ):
            yield start, stop


def is_random_word(word: str) -> bool:
    """Whether a word has the classes of characters in an order as only chance makes it."""
    if not _MIXED.match(word) or _ID.match(word):
        return False
    core = word.rstrip("=")
    if len(_TURN.findall(core)) < _LEAST_TURNS * len(core) or len(_WORDS.findall(core)) > 1:
        return False
    if sum(map(len, _HUMPS.findall(core))) > _MOST_HUMPS * len(core):
        return False
    return not (ENCODED.fullmatch(word) and decoded(word) is not None)
