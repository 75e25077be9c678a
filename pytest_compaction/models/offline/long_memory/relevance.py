"""How much each statement of a view has to do with a question, by the words that they share.

A word that few statements hold tells more than one that many do. A statement also gains from the
words that stand around it, because people name a thing once and then speak of "it".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from pytest_compaction.models.offline.long_memory.statement import Statement
from pytest_compaction.text.bm25 import BM25
from pytest_compaction.text.words import content_stems, normalize

_CONTEXT: Final = 0.35
"""What the words of the exchange count, beside those of the statement."""
_BESIDE: Final = 0.5
"""What the words of the sentences right beside it count."""
_BY_ASSISTANT: Final = 0.6
"""What a statement of the assistant counts: questions are about what the user told."""
_ABOUT_TALK: Final = frozenset(
    content_stems(
        "mention mentioned conversation conversations across throughout discuss discussed "
        "discussion list order summarize summarise summary comprehensive overview recap tell "
        "told say said provide give describe explain different various specific specifically "
        "aspect aspects item items brought bring raise raised session sessions chat chats "
        "total altogether many much day days week weeks month months long time times between "
        "pass passed walk remember recall sequence chronological question ask asked talk "
        "talked use used want wanted like need suggest recommend advise help please show far "
        "over start end first last get got make made include including kind sort currently "
        "current work working plan planning planned know onto until till happen happened went "
        "come came back each together go going way thing things experience ever yet already "
        "anything anyone new"
    )
)
"""Words about the talk itself, and those that go with anything."""


@dataclass(frozen=True, slots=True)
class Relevant:
    """A statement, by its number in the view, and how much it has to do with the question."""

    number: int
    score: float


class Relevance:
    """The statements of a view, indexed once for all questions."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._statements = statements
        self._by_statement = BM25()
        self._by_exchange = BM25()
        for place, exchange in groupby(statements, key=lambda said: said.exchange):
            while len(self._by_exchange) < place:
                self._by_exchange.add(())  # an exchange in which nothing was said
            whole: list[str] = []
            for said in exchange:
                stems = content_stems(normalize(said.text))
                self._by_statement.add(stems)
                whole.extend(stems)
            self._by_exchange.add(whole)

    def terms(self, question: str) -> list[str]:
        """The stems of a question that say what it is about, all of them if none does."""
        stems = list(dict.fromkeys(content_stems(normalize(question))))
        return [stem for stem in stems if stem not in _ABOUT_TALK] or stems

    def ranked(self, terms: Iterable[str], by_user: bool = False) -> list[Relevant]:
        """The statements that share a word with the question, the most relevant first."""
        wanted = list(terms)
        around = self._by_exchange.scores(wanted)
        own = self._own(wanted)
        found = [
            Relevant(number, self._whole(number, own, around))
            for number in own
            if self._statements[number].by_user
            or not (by_user or self._statements[number].asks_only)
        ]
        return sorted(found, key=lambda one: (-one.score, one.number))

    def of(self, numbers: Iterable[int], terms: Iterable[str]) -> list[Relevant]:
        """How relevant these statements are, by what stands around them too; the best first."""
        wanted = list(terms)
        around, own = self._by_exchange.scores(wanted), self._own(wanted)
        found = [Relevant(number, self._whole(number, own, around)) for number in numbers]
        return sorted(
            (one for one in found if one.score > 0), key=lambda one: (-one.score, one.number)
        )

    def _own(self, terms: Iterable[str]) -> dict[int, float]:
        scores: dict[int, float] = {}
        for term in dict.fromkeys(terms):
            for number, score in self._by_statement.term(term).items():
                scores[number] = scores.get(number, 0.0) + score
        return scores

    def _whole(self, number: int, own: Mapping[int, float], around: Sequence[float]) -> float:
        said = self._statements[number]
        near = [
            own[n]
            for n in range(max(number - 2, 0), min(number + 2, len(self._statements)))
            if n != number and n in own and self._with(said, self._statements[n])
        ]
        score = own.get(number, 0.0) + _BESIDE * max(near, default=0.0)
        score += _CONTEXT * around[said.exchange]
        return score if said.by_user else _BY_ASSISTANT * score

    def _with(self, one: Statement, other: Statement) -> bool:
        return one.exchange == other.exchange and one.by_user == other.by_user

    def exchanges(self, terms: Iterable[str]) -> Sequence[float]:
        """How much each exchange as a whole has to do with the question."""
        return self._by_exchange.scores(list(terms))

    def weight(self, term: str) -> float:
        """How much a word tells; one that the view does not hold tells most."""
        known = self._by_exchange.idf(term)
        return known or math.log(1 + (len(self._by_exchange) + 0.5) / 1.5)

    def share(self, terms: Iterable[str], held: Iterable[str]) -> float:
        """The share of what a question is about that these stems hold, from 0 to 1."""
        wanted, there = set(terms), set(held)
        whole = sum(map(self.weight, wanted))
        return sum(map(self.weight, wanted & there)) / whole if whole else 0.0
