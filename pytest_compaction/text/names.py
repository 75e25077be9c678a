"""The names that a text shows by its capitals: in camel case, and proper names."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from pytest_compaction.text.words import STOPWORDS, stem

_CAMEL: Final = re.compile(r"\b[A-Za-z]?[a-z0-9]+(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b")
_HUMPED: Final = re.compile("[a-z0-9][A-Z]")
_HUMP: Final = re.compile(r"[A-Z]?[a-z]+")
_CAPITAL: Final = re.compile(r"[A-Z](?<![\w/.][A-Z])[a-z]++(?![\w/]|\.\w)")
"""The letter is sought before it is asked what stands before it, which is faster."""
_LOWER: Final = re.compile(r"(?<![\w/.])[a-z]+(?![\w/]|\.\w)")
_CALENDAR: Final = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may
    june july august september october november december easter""".split()
)
_OPENS: Final = re.compile(r"(?:^|[.!?]\s+|\n\s*)[\W_]*$")


def distinct_words(text: str) -> str:
    """What stands between white space, each once: enough for names and words in small letters."""
    return " ".join(set(text.split()))


def camel_names(text: str) -> dict[str, tuple[str, ...]]:
    """The stems of the words of each name in camel case, by the name as it is written."""
    names: dict[str, tuple[str, ...]] = {}
    if not _HUMPED.search(text):
        return names
    for name in sorted(set(_CAMEL.findall(text))):
        parts = _HUMP.findall(name)
        if len(parts) > 1:
            names[name] = tuple(stem(part.lower()) for part in parts)
    return names


def in_lower_case(names: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The same by the names in lower case; of two spellings the last one in order counts."""
    return {name.casefold(): names[name] for name in sorted(names)}


def capital_words(text: str) -> frozenset[str]:
    """The words, in lower case, that have a capital where no sentence begins."""
    return frozenset(
        match[0].lower()
        for match in _CAPITAL.finditer(text)
        if not _OPENS.search(text[max(match.start() - 8, 0) : match.start()])
    )


def lower_words(text: str) -> frozenset[str]:
    """The words without a capital."""
    return frozenset(_LOWER.findall(text))


def proper_among(capitals: Collection[str], lower: Collection[frozenset[str]]) -> frozenset[str]:
    """The words with a capital that none of the texts also has without one."""
    return frozenset(
        word
        for word in capitals
        if word not in STOPWORDS
        and word not in _CALENDAR
        and not any(word in words for words in lower)
    )


def proper_names(text: str) -> frozenset[str]:
    """The words that are written with a capital where no sentence begins, and never without one.

    They are given in lower case.
    """
    capitals = capital_words(text)
    return proper_among(capitals, [lower_words(text)] if capitals else [])
