"""Set expressions that stand for one word: "paid no attention to" for "ignored".

A text that holds the expression is found by that word. The table is general English and the
common speech of software work.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from pytest_compaction.text.vocabulary import table
from pytest_compaction.text.words import stem

Phrase = tuple[str, tuple[int, int]]
"""The word that an expression stands for, and the place of the expression."""
_SHORT: Final = 400
"""Characters of a sentence of which it is kept whether it holds an expression."""
_PATTERNS: Final[dict[str, list[str]]] = {}
"""The expressions of each word."""
for _word, _, _pattern in (row.partition(": ") for row in table("phrases")):
    _PATTERNS.setdefault(_word if "-" in _word else stem(_word), []).append(_pattern)
_TABLE: Final = {
    word: re.compile(rf"\b(?:{'|'.join(patterns)})(?!\w)") for word, patterns in _PATTERNS.items()
}
_ANY: Final = re.compile("|".join(pattern.pattern for pattern in _TABLE.values()))
"""Any expression. Most sentences have none, and are spared the whole table."""


def has_phrase(normal: str) -> bool:
    """Whether a sentence holds an expression. Logs and views hold the same lines often."""
    return (_has_any if len(normal) <= _SHORT else _has_any.__wrapped__)(normal)


@lru_cache(maxsize=8192)
def _has_any(normal: str) -> bool:
    return _ANY.search(normal) is not None


def phrases_in(normal: str) -> Sequence[Phrase]:
    """The words that expressions of a normalised sentence stand for, with their places."""
    return _in_table(normal) if has_phrase(normal) else ()


@lru_cache(maxsize=1024)
def _in_table(normal: str) -> tuple[Phrase, ...]:
    return tuple(
        (word, match.span())
        for word, pattern in _TABLE.items()
        for match in pattern.finditer(normal)
    )
