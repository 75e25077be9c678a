"""Views that hold the case file's own wording of facts, which their log does not have.

A strategy that reads the case files puts the texts of facts, or their keys, into its view. A
summary may hit upon the wording of a fact by chance, so that only a view with most of the wordings
is marked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from pytest_compaction.case.case import Fact
from pytest_compaction.text import normalize

LEAST: Final = 4
"""The fewest such wordings of a marked view: one or two may be chance."""
SHOWN: Final = 5
"""The most facts that are kept."""
_WORDS: Final = 5
"""The fewest words of a wording: a shorter one, any summary may have."""
_WORD: Final = re.compile(r"\w+")
_Words = tuple[str, ...]
_WORDINGS: Final[tuple[Callable[[Fact], Iterable[str]], ...]] = (
    lambda fact: (fact.text,),
    lambda fact: (group[0] for group in fact.keys if len(fact.keys) > 1),
    lambda fact: (key for group in fact.keys for key in group if len(fact.keys) > 1),
)
"""What of a fact may be copied: its text, the first key of each group, all keys."""


@dataclass(frozen=True, slots=True)
class ForeignWordings:
    """Facts of which a view has the case file's wording and its log has not.

    ``texts`` are the first ``SHOWN`` of them, ``count`` is how many they are, and ``of`` how many
    facts have a wording that the log lacks. All are empty below ``LEAST``.
    """

    texts: tuple[str, ...] = ()
    count: int = 0
    of: int = 0

    @property
    def come_from_the_case(self) -> bool:
        """Whether the view has at least half of the wordings, and not just a few."""
        return self.count >= LEAST and 2 * self.count >= self.of


def foreign_wordings(
    made: Iterable[str], facts: Iterable[Fact], log: Sequence[str]
) -> ForeignWordings:
    """The facts whose wording stands in a view and not in its log.

    ``made`` are the normalised texts of the messages that the strategy wrote, ``log`` those of
    the log. The words of a wording may stand in any order, with nothing between. Of the ways to
    copy a fact (its text, its keys) the one counts by which most facts are found. Facts of type
    ``path`` are left out: an honest list of files says "a.py was read" as the case does.
    """
    windows = _Windows([word for text in made for word in _WORD.findall(text)])
    different = {fact.text: fact for fact in facts if fact.type != "path"}
    best = ForeignWordings()
    for wording in _WORDINGS:
        worded = {text: _words_of(wording(fact)) for text, fact in different.items()}
        worded = {text: words for text, words in worded.items() if len(words) >= _WORDS}
        found = {text: there for text, words in worded.items() if (there := windows.like(words))}
        if len(found) > best.count and len(found) >= LEAST:
            best = max(best, _not_in_log(worded, found, log), key=lambda each: each.count)
    return best


def _not_in_log(
    worded: Mapping[str, _Words], found: Mapping[str, _Words], log: Sequence[str]
) -> ForeignWordings:
    said = f" {' '.join(word for text in log for word in _WORD.findall(text))} "

    def is_said(words: _Words) -> bool:
        return f" {' '.join(words)} " in said

    foreign = [text for text, there in found.items() if not is_said(there)]
    if len(foreign) < LEAST:
        return ForeignWordings()
    of = sum(text in foreign or not is_said(words) for text, words in worded.items())
    return ForeignWordings(tuple(foreign[:SHOWN]), len(foreign), of)


class _Windows:
    """Finds words that stand together in a text, in any order."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._sums = list(accumulate(map(hash, words), initial=0))
        self._starts: dict[int, dict[int, int]] = {}

    def like(self, words: _Words) -> _Words:
        """The words in the order in which they stand together; empty if they do not."""
        size = len(words)
        if size not in self._starts:  # equal words in any order have equal sums of hashes
            pairs = zip(self._sums, self._sums[size:], strict=False)
            self._starts[size] = {last - first: start for start, (first, last) in enumerate(pairs)}
        start = self._starts[size].get(sum(map(hash, words)))
        return () if start is None else tuple(self._words[start : start + size])


def _words_of(texts: Iterable[str]) -> _Words:
    return tuple(word for text in texts for word in _WORD.findall(normalize(text)))
