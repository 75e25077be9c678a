"""BM25: the ranking of many short texts by how well they answer a query.

Okapi BM25 after Robertson and Zaragoza, "The Probabilistic Relevance Framework"
(2009), with the non-negative inverse document frequency ln(1 + (N - n + ½)/(n + ½)).
It is not taken from a library because importing one, and numpy with it, costs every
xdist worker more time than all rankings of a run.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from copy import copy
from typing import Final

K1: Final = 1.2
B: Final = 0.6
"""Within the ranges that the source finds good: 1.2 to 2 for ``K1``, 0.5 to 0.8 for ``B``."""


class BM25:
    """An index over documents given as lists of terms; no document is kept."""

    def __init__(self, documents: Iterable[Sequence[str]] = ()) -> None:
        self._size = 0
        self._total = 0
        self._lengths: list[int] = []
        self._postings: dict[str, int | list[int]] = {}
        """The document of each occurrence of a term, in order; no list for one that occurs once."""
        self._norms: list[float] = []
        """The length's part of the denominator, by length; empty if not made yet."""
        for document in documents:
            self.add(document)

    def add(self, document: Sequence[str]) -> None:
        """Take in one more document; its number is that of the documents before it.

        Raises ``TypeError`` for the beginning of another index.
        """
        if self._size < len(self._lengths):
            raise TypeError("no document can be added to a part of an index")
        number = self._size
        self._size += 1
        self._total += len(document)
        self._lengths.append(len(document))
        self._norms = []
        postings = self._postings
        for term in document:
            known = postings.get(term)
            if known is None:
                postings[term] = number
            elif isinstance(known, int):
                postings[term] = [known, number]
            else:
                known.append(number)

    def __len__(self) -> int:
        """Number of documents."""
        return self._size

    def idf(self, term: str) -> float:
        """Inverse document frequency of a term, at least 0; 0 for a term no document has."""
        return self._idf(len(set(self._occurrences(term))))

    def _idf(self, holders: int) -> float:
        return math.log(1 + (self._size - holders + 0.5) / (holders + 0.5)) if holders else 0.0

    def term(self, term: str) -> dict[int, float]:
        """The score that one query term adds to each document that holds it, in order."""
        counts = Counter(self._occurrences(term))
        if counts and not self._norms:
            average = self._total / self._size
            lengths = range(max(self._lengths) + 1)
            self._norms = [K1 * (1 - B + B * (length / average)) for length in lengths]
        lengths_of, norms = self._lengths, self._norms
        weight = self._idf(len(counts))
        return {
            number: weight * count * (K1 + 1) / (count + norms[lengths_of[number]])
            for number, count in counts.items()
        }

    def scores(self, query: Iterable[str]) -> list[float]:
        """One score per document; 0 if it shares no term with the query."""
        totals = [0.0] * self._size
        for term in dict.fromkeys(query):
            for number, score in self.term(term).items():
                totals[number] += score
        return totals

    def beginning(self, size: int) -> BM25:
        """The index of the first ``size`` documents alone, without reading them again."""
        part = copy(self)
        part._size = min(size, self._size)
        part._total = sum(self._lengths[: part._size])
        part._norms = []
        return part

    def _occurrences(self, term: str) -> Sequence[int]:
        """The document of each occurrence of a term, in order."""
        known = self._postings.get(term, [])
        found = [known] if isinstance(known, int) else known
        return found[: bisect_left(found, self._size)]
