"""Set expressions that stand for one word: "paid no attention to" for "ignored".

A text that holds the expression is found by that word. The table is general English and the
common speech of software work.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
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


def _options(pattern: str) -> list[str]:
    """What stands between the bars of a pattern, outside of its brackets."""
    depth, begin = 0, 0
    found: list[str] = []
    for place, sign in enumerate(pattern):
        depth += (sign == "(") - (sign == ")")
        if sign == "|" and not depth:
            found.append(pattern[begin:place])
            begin = place + 1
    return [*found, pattern[begin:]]


def _spread(pattern: str) -> Iterator[str]:
    """The same pattern as several that begin with a letter each."""
    for option in _options(pattern):
        if not option.startswith("(?:"):
            yield option
            continue
        depth = 0
        end = next(
            place
            for place, sign in enumerate(option)
            if (depth := depth + (sign == "(") - (sign == ")")) == 0 and sign == ")"
        )
        inner, rest = option[3:end], option[end + 1 :]
        if rest.startswith("?"):
            yield from _spread(rest[1:])
            rest = rest[1:]
        for one in _options(inner):
            yield from _spread(one + rest)


def _by_letters(patterns: Iterable[str], letters: int = 2) -> str:
    """One pattern for all of them, which goes by their first letters and fails soon."""
    rows: dict[str, list[str]] = {}
    for pattern in patterns:
        sure = letters and pattern[:1].isalpha() and pattern[1:2] not in {"?", "*"}
        rows.setdefault(pattern[:1] if sure else "", []).append(pattern[1:] if sure else pattern)
    return "|".join(
        f"{letter}(?:{_by_letters(rest, letters - 1)})" if letter else "|".join(rest)
        for letter, rest in rows.items()
    )


_ANY: Final = re.compile(
    rf"\b(?:{_by_letters(_spread('|'.join(chain.from_iterable(_PATTERNS.values()))))})(?!\w)"
)
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
