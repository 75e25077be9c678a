"""Retrieval for the offline responder: the lines of a view that answer a question.

A view is cut into units (sentences, list items, output lines) inside passages (a few
neighbouring units of one message). A unit is worth its own BM25 score plus a share of its
passage's, and at least a share of its neighbours' worth. Said text counts more than
printed text, and printed text more than text written to files. A question may ask several
things at once, so each time a unit is taken, the terms in it weigh less for the next one.
Quotations in the question are looked up word for word. If one is a command that was run,
its output is found too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import Final

from pytest_compaction.models.offline.cues import CONSTRAINT, DECISION, ERROR, NEXT, STATE
from pytest_compaction.models.offline.units import PreparedView
from pytest_compaction.text import BM25, content_stems, normalize, segments

_LAST_REQUEST: Final = re.compile(
    r"\b(?:user|i|we)\b.{0,40}\b(?:ask|want|request|say|said)\w*\b.{0,20}\b(?:last|latest)\b"
    r"|\b(?:last|latest|most recent) (?:request|wish|instruction)"
)
_QUOTATION: Final = re.compile(r"`([^`\n]{3,})`|“([^“”\n]{3,})”|\"([^\"\n]{3,})\"")
_QUESTION_TERMS: Final = frozenset(
    content_stems(
        "exactly list answer give name say tell remind question session far sentence words"
    )
)
_FORM_SENTENCE: Final = re.compile(
    r"^(?:please )?(?:answer|reply|list|give|write|respond|use|be|keep)\b.*"
    r"\b(?:list|sentence|words?|items?|json|paths?|bullets?)\b"
)
_TOPICS: Final[tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]] = (
    (
        re.compile(
            r"next|remain|pending|still to|to.?do\b|left to|open\b|postpone|unfinished|go on"
        ),
        NEXT,
    ),
    (
        re.compile(r"decid|decision|why|reason|instead|chose|choice|reject|against|rule[sd]? out"),
        DECISION,
    ),
    (re.compile(r"error|exception|fail|traceback|crash|exit (?:code|status)|refus"), ERROR),
    (
        re.compile(r"must|constraint|instruction|rules?\b|allowed|asked for|require|limit"),
        CONSTRAINT,
    ),
    (re.compile(r"\bstate\b|status|stand\b|tests? (?:pass|fail|are|in|result)|green|red\b"), STATE),
)
_PASSAGE_SHARE: Final = 0.6
"""The share of the score of a passage that each of its units gets."""
_NEIGHBOUR_SHARES: Final = (0.6, 0.4)
"""The least worth of a unit, as a share of the units one and two places away."""
_ANSWERED: Final = 0.8
"""Factor on the weight of a term for each taken unit that contains it."""
_ANSWERED_NEAR: Final = 0.95
"""That factor if only the unit's passage contains the term."""
_CUE: Final = 1.4
"""Factor on the worth of a unit with a cue of the question's topics."""
_CUTOFF: Final = 0.1
"""A unit worth less than this share of the first one is left out."""
_NOVEL: Final = 0.2
"""A unit with a smaller share of new terms counts as a repetition."""
_QUOTED_SHARE: Final = 0.3
"""Bonus of a unit with a quotation of the question, as a share of the best possible score."""
_CALL_SHARE: Final = 0.5
"""A quotation means a tool call if it makes up at least this share of the call's text."""
_EQUAL: Final = 1e-9
"""Two units are worth the same if they differ by no more than this."""
_WEIGHTS: Final = {"said": 1.0, "printed": 0.4, "written": 0.25}


def relevant(prepared: PreparedView, question: str, quoted: Sequence[str] = ()) -> Iterator[str]:
    """Units that answer the question, the best first; none if no term occurs in the view.

    ``question`` is normalised; ``quoted`` are its quotations.
    """
    search = _Search(prepared, question, quoted)
    said: set[str] = set()
    first = 0.0
    while True:
        number, worth = search.best()
        first = first or worth
        if number is None or worth < first * _CUTOFF:
            return
        unit = prepared.units[number]
        terms = set(content_stems(unit.normal))
        new = bool(terms) and len(terms - said) >= _NOVEL * len(terms)
        search.take(number, new)
        if new:
            said |= terms
            yield unit.text


class _Scores:
    """The scores of the terms of a question in the units or passages that hold some.

    ``totals`` is the sum of them for each unit or passage.
    """

    def __init__(self, index: BM25, terms: Iterable[str]) -> None:
        self._terms = [(term, index.term(term)) for term in terms]
        self.totals = [0.0] * len(index)
        for _, scores in self._terms:
            for number, score in scores.items():
                self.totals[number] += score

    def of(self, number: int) -> list[tuple[str, float]]:
        """The terms that stand there, each with its score, in the order of the terms."""
        return [(term, scores[number]) for term, scores in self._terms if number in scores]


class _Search:
    """The state of one search: the weights of terms, and the units taken.

    What a unit is worth only falls while units are taken. So a queue holds every unit, or its
    whole passage, by the most that it may be worth, and only the first are weighed at all.
    """

    def __init__(self, prepared: PreparedView, question: str, quoted: Sequence[str]) -> None:
        self._view, self._units = prepared, prepared.units
        self._weights = dict.fromkeys(search_terms(question), 1.0)
        self._in_unit = _Scores(prepared.by_unit, self._weights)
        self._in_passage = _Scores(prepared.by_passage, self._weights)
        self._cues = topic_cues(question)
        bonus = _QUOTED_SHARE * sum(prepared.by_unit.idf(term) for term in self._weights)
        self._bonus = {
            number: bonus * share
            for number, share in _bonus_shares(prepared, question, quoted, self._cues).items()
        }
        self._first = {number: place - len(self._bonus) for place, number in enumerate(self._bonus)}
        """Of equal units one with a bonus comes first."""
        self._taken: set[int] = set()
        self._passages = self._in_passage.totals
        self._factors: dict[int, float] = {}
        self._sums: dict[int, float] = {}
        """What the passages of units are worth with the weights as they are now."""
        self._weighed: dict[int, float] = {}
        """What units are worth with the weights as they are now."""
        self._queue: list[tuple[float, int, int | None]] = [
            (-self._worth(number), number, None) for number in self._bonus
        ]
        """By its most worth a unit, or the first unit of a passage with a term and its number."""
        by_unit = self._in_unit.totals
        for passage, score in enumerate(self._passages):
            if score > 0:
                numbers = prepared.within(passage)
                most = self._most(passage, max(by_unit[numbers.start : numbers.stop]))
                self._queue.append((-most, numbers.start, passage))
        heapify(self._queue)

    def _of_units(self, passage: int) -> Iterator[tuple[float, int, int | None]]:
        """An entry for each unit of a passage without a bonus: its most worth, its number."""
        by_unit = self._in_unit.totals
        for number in self._view.within(passage):
            if number not in self._bonus:
                yield -self._most(passage, by_unit[number]), number, None

    def _most(self, passage: int, by_unit: float) -> float:
        """What a unit of a passage is worth at most, by its score while no unit is taken."""
        kind = self._units[self._view.begins[passage]].kind
        factor = _WEIGHTS[kind] * _CUE if self._cues else _WEIGHTS[kind]
        return factor * (by_unit + _PASSAGE_SHARE * self._passages[passage])

    def best(self) -> tuple[int | None, float]:
        """The best unit that is left, and its worth; of equal ones the first in the view."""
        best: int | None = None
        most = 0.0
        for number in self._candidates():
            worth = self._with_neighbours(number)
            if worth > most + _EQUAL:
                best, most = number, worth
        return best, most

    def _candidates(self) -> list[int]:
        """The units left that may be the best: no weak one that stands by no strong one."""
        reach = range(-len(_NEIGHBOUR_SHARES), len(_NEIGHBOUR_SHARES) + 1)
        near = {number + distance for number in self._strong() for distance in reach}
        left = (number for number in near if self._is_found(number) and number not in self._taken)
        return sorted(left, key=lambda number: (self._first.get(number, 0), number))

    def _strong(self) -> list[int]:
        """The units worth as much as the best one left, or hardly less; those taken too."""
        floor: float | None = None
        strong: list[int] = []
        while self._queue and (floor is None or -self._queue[0][0] >= floor):
            most, number, passage = heappop(self._queue)
            if passage is not None:
                for entry in self._of_units(passage):
                    heappush(self._queue, entry)
            elif -most > self._worth(number):
                heappush(self._queue, (-self._worth(number), number, None))
            else:
                strong.append(number)
                if floor is None and number not in self._taken:
                    floor = -most - 1000 * _EQUAL
        for number in strong:
            heappush(self._queue, (-self._worth(number), number, None))
        return strong

    def _is_found(self, number: int) -> bool:
        """Whether a unit has a bonus, or stands in a passage with a term of the question."""
        if not 0 <= number < len(self._units):
            return False
        return number in self._bonus or self._passages[self._units[number].passage] > 0

    def take(self, number: int, new: bool) -> None:
        """Mark a unit as taken; if it says something new, its terms weigh less from now on."""
        self._taken.add(number)
        if not new:
            return
        passage = self._units[number].passage
        held = {term for term, _ in self._in_unit.of(number)}
        near = {term for term, _ in self._in_passage.of(passage)}
        for term in self._weights:
            if term in held:
                self._weights[term] *= _ANSWERED
            elif term in near:
                self._weights[term] *= _ANSWERED_NEAR
        self._weighed.clear()
        self._sums.clear()

    def _worth(self, number: int) -> float:
        """What a unit is worth now, its neighbours aside; 0 for one that was not found."""
        if number in self._weighed:
            return self._weighed[number]
        worth = 0.0
        if self._is_found(number):
            unit = self._units[number]
            if number not in self._factors:
                cued = any(cue.search(unit.text) for cue in self._cues)
                self._factors[number] = _WEIGHTS[unit.kind] * _CUE if cued else _WEIGHTS[unit.kind]
            by_unit = self._weighted_sum(self._in_unit, number)
            if unit.passage not in self._sums:
                self._sums[unit.passage] = self._weighted_sum(self._in_passage, unit.passage)
            worth = self._factors[number] * (by_unit + _PASSAGE_SHARE * self._sums[unit.passage])
            worth = self._bonus[number] + worth if number in self._bonus else worth
        self._weighed[number] = worth
        return worth

    def _weighted_sum(self, scores: _Scores, number: int) -> float:
        total = 0.0
        for term, score in scores.of(number):  # not sum(), which rounds otherwise since 3.12
            total += self._weights[term] * score
        return total

    def _with_neighbours(self, number: int) -> float:
        worth = self._worth(number)
        message = self._units[number].message
        for distance, share in enumerate(_NEIGHBOUR_SHARES, start=1):
            for other in (number - distance, number + distance):
                near = self._worth(other) * share
                if near > worth and self._units[other].message == message:
                    worth = near
        return worth


def _bonus_shares(
    prepared: PreparedView, question: str, quoted: Sequence[str], cues: Sequence[re.Pattern[str]]
) -> dict[int, float]:
    """Units that the question points at, with their share of the bonus.

    These are units with a quotation, the output of a quoted call, and what was said right
    after a quoted sentence. If the question asks for it, the user's last message is added.
    """
    units = prepared.units
    shares: dict[int, float] = {}
    if asks_last_request(question) and prepared.users:
        shares.update((number, 1.0) for number in prepared.of_message(prepared.users[-1]))
    if not quoted:
        return shares
    answering = {  # messages that answer a quoted call
        place
        for said, place in prepared.results
        if any(text in said and len(text) >= _CALL_SHARE * len(said) for text in quoted)
    }
    holding = [
        (number, unit)
        for number, unit in enumerate(units)
        if any(text in unit.normal for text in quoted)
    ]
    found = {number: _WEIGHTS[unit.kind] for number, unit in holding}
    for message in answering:
        for number in prepared.of_message(message):
            if units[number].kind == "printed":
                cued = any(cue.search(units[number].text) for cue in cues)
                found[number] = 1.0 if cued else 0.3
    shares.update(sorted(found.items()))
    said_in = {unit.message for _, unit in holding if unit.kind == "said"}
    for message in sorted({prepared.next_by_user(message) for message in said_in}):
        for number in prepared.of_message(message):
            if units[number].kind == "said":
                shares.setdefault(number, 0.6)
    return shares


def topic_cues(question: str) -> list[re.Pattern[str]]:
    """The cues of the topics of a normalised question."""
    return [cue for topic, cue in _TOPICS if topic.search(question)]


def search_terms(question: str) -> list[str]:
    """The terms of a normalised question that are worth a search."""
    return [term for term in content_stems(question) if term not in _QUESTION_TERMS]


def asks_last_request(question: str) -> bool:
    """Whether a normalised question asks for the user's last request."""
    return bool(_LAST_REQUEST.search(question))


def question_proper(question: str) -> str:
    """The question, normalised, without sentences that only say how to answer."""
    sentences = [normalize(sentence) for sentence in segments(question)]
    asking = [sentence for sentence in sentences if not _FORM_SENTENCE.match(sentence)]
    return " ".join(asking or sentences)


def quotations(question: str) -> tuple[str, ...]:
    """The quotations of a question, normalised: code in backticks, phrases in quotation marks."""
    found = [
        normalize(next(filter(None, match)).rstrip("… .,;:"))
        for match in _QUOTATION.findall(question)
    ]
    return tuple(dict.fromkeys(text for text in found if len(text) > 3))
