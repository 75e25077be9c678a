"""BM25: the ranking of many short texts by how well they answer a query.

Okapi BM25 after Robertson and Zaragoza, "The Probabilistic Relevance Framework"
(2009), with the non-negative inverse document frequency ln(1 + (N - n + ½)/(n + ½)).
It is not taken from a library because importing one, and numpy with it, costs every
xdist worker more time than all rankings of a run.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, MutableSequence, Sequence
from itertools import islice
from typing import Final

K1: Final = 1.2
B: Final = 0.6
"""Within the ranges that the source finds good: 1.2 to 2 for ``K1``, 0.5 to 0.8 for ``B``."""


_COUNT_BITS: Final = 5
"""A posting is one number of 32 bits: that of the document, and in the lower bits how often it has
the term. Pairs would take twelve times the memory, which for a long log is more than the log."""
_COUNT: Final = (1 << _COUNT_BITS) - 1
"""A term may stand more often in a document than the bits can say; then they say this."""


class BM25:
    """An index over documents given as lists of terms; no document is kept."""

    def __init__(self, documents: Iterable[Sequence[str]] = ()) -> None:
        self._lengths = array("I")
        self._size = 0
        self._total = 0
        self._postings: dict[str, int | array[int]] = {}
        """The posting of a term that one document has, or the postings of any other, in order."""
        self._often: dict[str, dict[int, int]] = {}
        """How often a term stands in the documents where that is ``_COUNT`` or more."""
        self._of_lengths: tuple[int, Sequence[float]] = 0, ()
        """What is known of lengths for so many documents; see ``_norms``."""
        for document in documents:
            self.add(document)

    def add(self, document: Sequence[str]) -> None:
        """Take in one more document; its number is that of the documents before it."""
        number = self._size
        first = number << _COUNT_BITS
        self._lengths.append(len(document))
        self._size += 1
        self._total += len(document)
        postings = self._postings
        for term, count in Counter(document).items():
            if count >= _COUNT:
                self._often.setdefault(term, {})[number] = count
                count = _COUNT
            known = postings.get(term)
            if known is None:
                postings[term] = first | count
            elif isinstance(known, int):
                postings[term] = array("I", (known, first | count))
            else:
                known.append(first | count)

    def __len__(self) -> int:
        """How many documents there are."""
        return self._size

    def idf(self, term: str) -> float:
        """Inverse document frequency of a term, at least 0; 0 for a term no document has."""
        size, holders = self._size, len(self._holders(term))
        return math.log(1 + (size - holders + 0.5) / (holders + 0.5)) if holders else 0.0

    def term(self, term: str) -> TermScores:
        """The scores that one query term adds."""
        often = self._often.get(term, {})
        return TermScores(self.idf(term), self._holders(term), often, self._lengths, self._norms)

    def scores(self, query: Iterable[str]) -> Sequence[float]:
        """One score per document; 0 if it shares no term with the query."""
        totals = array("d", bytes(8 * self._size))
        for term in dict.fromkeys(query):
            self.term(term).add_to(totals)
        return totals

    @property
    def _norms(self) -> Sequence[float]:
        """What a length adds below the line of the formula, by length."""
        if self._of_lengths[0] != self._size:
            average = self._total / self._size or 1.0  # without terms nothing has a score
            lengths = range(max(self._lengths) + 1)
            norms = array("d", (K1 * (1 - B + B * (length / average)) for length in lengths))
            self._of_lengths = self._size, norms
        return self._of_lengths[1]

    def beginning(self, size: int) -> BM25:
        """The same for the first ``size`` documents alone, without reading them again."""
        return _Beginning(self, size)

    def _holders(self, term: str) -> Sequence[int]:
        """The postings of a term."""
        found = self._postings.get(term, ())
        return (found,) if isinstance(found, int) else found


class _Beginning(BM25):
    """The first documents of an index, from its postings."""

    def __init__(self, whole: BM25, size: int) -> None:
        self._lengths = whole._lengths
        self._size = min(size, len(whole))
        self._total = sum(islice(self._lengths, self._size))
        self._postings = whole._postings
        self._often = whole._often
        self._of_lengths = 0, ()
        self._end = size << _COUNT_BITS

    def add(self, document: Sequence[str]) -> None:
        """Raise ``TypeError``: the documents are those of another index."""
        raise TypeError("no document can be added to a part of an index")

    def _holders(self, term: str) -> Sequence[int]:
        found = super()._holders(term)
        return found[: bisect_left(found, self._end)]


class TermScores:
    """The score that a query term adds to each document; iterates over those that hold it."""

    def __init__(
        self,
        weight: float,
        holders: Sequence[int],
        often: Mapping[int, int],
        lengths: Sequence[int],
        norms: Sequence[float],
    ) -> None:
        self._holders = holders
        self._often = often
        self._lengths = lengths
        self._norms = norms
        self._weight = weight

    def __iter__(self) -> Iterator[tuple[int, float]]:
        for posting in self._holders:
            number = posting >> _COUNT_BITS
            yield number, self._score(number, posting & _COUNT)

    def __len__(self) -> int:
        """How many documents hold the term."""
        return len(self._holders)

    def documents(self) -> Iterator[int]:
        """The numbers of the documents that hold the term."""
        return (posting >> _COUNT_BITS for posting in self._holders)

    def add_to(self, totals: MutableSequence[float]) -> None:
        """Add to the total of each document what the term adds to it."""
        lengths, norms = self._lengths, self._norms
        above = [self._weight * count * (K1 + 1) for count in range(_COUNT)]
        for posting in self._holders:
            number = posting >> _COUNT_BITS
            count = posting & _COUNT
            if count == _COUNT:
                totals[number] += self._score(number, count)
            else:
                totals[number] += above[count] / (count + norms[lengths[number]])

    def of(self, number: int) -> float:
        """The score of a document; 0 if it lacks the term."""
        holders = self._holders
        place = bisect_left(holders, number << _COUNT_BITS)
        if place == len(holders) or holders[place] >> _COUNT_BITS != number:
            return 0.0
        return self._score(number, holders[place] & _COUNT)

    def _score(self, number: int, count: int) -> float:
        if count == _COUNT:
            count = self._often[number]
        return self._weight * count * (K1 + 1) / (count + self._norms[self._lengths[number]])
