"""BM25: the ranking of many short texts by how well they answer a query.

Okapi BM25 after Robertson and Zaragoza, "The Probabilistic Relevance Framework"
(2009), with the non-negative inverse document frequency ln(1 + (N - n + ½)/(n + ½)).
It is not taken from a library because importing one, and numpy with it, costs every
xdist worker more time than all rankings of a run.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final

K1: Final = 1.2
B: Final = 0.6
"""Within the ranges that the source finds good: 1.2 to 2 for ``K1``, 0.5 to 0.8 for ``B``."""


class BM25:
    """An index over documents given as lists of terms."""

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        self._size = len(documents)
        self._lengths = [len(document) for document in documents]
        self._average = (sum(self._lengths) / self._size) if self._size else 0.0
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, document in enumerate(documents):
            for term, count in Counter(document).items():
                self._postings[term].append((number, count))

    def idf(self, term: str) -> float:
        """Inverse document frequency of a term, at least 0; 0 for a term no document has."""
        holders = len(self._postings.get(term, ()))
        return math.log(1 + (self._size - holders + 0.5) / (holders + 0.5)) if holders else 0.0

    def term_scores(self, term: str) -> dict[int, float]:
        """The score that one query term adds to each document that holds it."""
        weight = self.idf(term)
        return {
            number: weight * count * (K1 + 1) / (count + K1 * (1 - B + B * self._share(number)))
            for number, count in self._postings.get(term, ())
        }

    def scores(self, query: Sequence[str]) -> list[float]:
        """One score per document; 0 if it shares no term with the query."""
        totals = [0.0] * self._size
        for term in dict.fromkeys(query):
            for number, score in self.term_scores(term).items():
                totals[number] += score
        return totals

    def _share(self, number: int) -> float:
        return self._lengths[number] / self._average
