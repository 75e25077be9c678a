"""Retrieval for the offline responder: which lines of a view speak to a question.

A view is cut into units (sentences, list items, output lines) inside passages (a
few neighbouring units of one message). A unit is worth its own BM25 score, a
share of its passage's, and at least a share of its neighbours'; what was said
counts more than what was printed, and that more than what was written to files.
People ask several things at once: each time a unit is taken, the terms that it
answers weigh less for the next one, so that the other parts get their turn.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pytest_compaction.artifacts import FileState, file_operations, file_states
from pytest_compaction.conversation import Message, Text, ToolCall, ToolResult
from pytest_compaction.models.cues import CONSTRAINT, DECISION, ERROR, NEXT, STATE
from pytest_compaction.ranking import BM25
from pytest_compaction.text import content_stems, normalize, segments

PASSAGE_UNITS: Final = 6
_PASSAGE_SHARE: Final = 0.6
_NEIGHBOUR_SHARES: Final = (0.6, 0.4)
"""What a unit is worth at least, as a share of the units one and two places away."""
_ANSWERED: Final = 0.8
"""Factor on the weight of a term for each unit taken that holds it."""
_ANSWERED_NEAR: Final = 0.95
"""The same where only the unit's passage holds it."""
_CUE: Final = 1.4
_CUTOFF: Final = 0.1
"""A unit worth less than this share of the first one is not worth saying."""
_NOVEL: Final = 0.2
"""A unit with a smaller share of terms not said yet repeats what was said."""
_WEIGHTS: Final = {"said": 1.0, "printed": 0.4, "written": 0.25}

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


@dataclass(frozen=True, slots=True)
class Unit:
    """A line or sentence of the view: its message, its passage, and how it got there."""

    text: str
    message: int
    passage: int
    kind: str


@dataclass(frozen=True, slots=True)
class PreparedView:
    """A view cut into units and indexed; made once and asked many questions."""

    units: tuple[Unit, ...]
    by_unit: BM25
    by_passage: BM25
    files: tuple[FileState, ...]


@lru_cache(maxsize=24)
def prepare(view: tuple[Message, ...]) -> PreparedView:
    """Cut a view into units and passages and index both."""
    units: list[Unit] = []
    passages: list[list[str]] = []
    terms: list[list[str]] = []
    for number, message in enumerate(view):
        for kind, texts in _texts(message):
            for place, text in enumerate(texts):
                if place % PASSAGE_UNITS == 0:
                    passages.append([])
                terms.append(content_stems(normalize(text)))
                passages[-1].extend(terms[-1])
                units.append(Unit(text, number, len(passages) - 1, kind))
    files = tuple(file_states(file_operations(view)))
    return PreparedView(tuple(units), BM25(terms), BM25(passages), files)


def _texts(message: Message) -> Iterator[tuple[str, list[str]]]:
    for part in message.parts:
        if isinstance(part, Text):
            yield "said", segments(part.text)
        elif isinstance(part, ToolResult):
            yield "printed", segments(part.text)
        elif isinstance(part, ToolCall):
            for value in part.parsed().values():
                if isinstance(value, str):
                    yield "written", segments(value)


def question_proper(question: str) -> str:
    """The question without the sentences that only say how to answer, normalised."""
    sentences = [normalize(sentence) for sentence in segments(question)]
    asking = [sentence for sentence in sentences if not _FORM_SENTENCE.match(sentence)]
    return " ".join(asking or sentences)


def relevant(prepared: PreparedView, question: str) -> Iterator[str]:
    """Units that speak to the question, the best first; none when no term occurs in the view."""
    search = _Search(prepared, question)
    said: set[str] = set()
    first = 0.0
    while True:
        number, worth = search.best()
        first = first or worth
        if number is None or worth < first * _CUTOFF:
            return
        text = prepared.units[number].text
        terms = set(content_stems(normalize(text)))
        new = bool(terms) and len(terms - said) >= _NOVEL * len(terms)
        search.take(number, new)
        if new:
            said |= terms
            yield text


class _Search:
    """The state of one search: term weights, and which units are taken."""

    def __init__(self, prepared: PreparedView, question: str) -> None:
        terms = [term for term in content_stems(question) if term not in _QUESTION_TERMS]
        self._units = prepared.units
        self._in_units = {term: prepared.by_unit.term_scores(term) for term in terms}
        self._in_passages = {term: prepared.by_passage.term_scores(term) for term in terms}
        self._weights = dict.fromkeys(terms, 1.0)
        cues = [cue for topic, cue in _TOPICS if topic.search(question)]
        passages = {passage for scores in self._in_passages.values() for passage in scores}
        self._factors = {
            number: _factor(unit, cues)
            for number, unit in enumerate(self._units)
            if unit.passage in passages
        }
        self._taken: set[int] = set()
        self._worth = self._weighed()

    def best(self) -> tuple[int | None, float]:
        """The unit worth most now, and its worth; equal ones in the order of the view."""
        best: int | None = None
        most = 0.0
        for number in self._factors:
            if number not in self._taken:
                worth = self._with_neighbours(number)
                if worth > most + 1e-9:
                    best, most = number, worth
        return best, most

    def take(self, number: int, new: bool) -> None:
        """Mark a unit as taken; if it said something new, its terms weigh less from now on."""
        self._taken.add(number)
        if not new:
            return
        passage = self._units[number].passage
        for term in self._weights:
            if number in self._in_units[term]:
                self._weights[term] *= _ANSWERED
            elif passage in self._in_passages[term]:
                self._weights[term] *= _ANSWERED_NEAR
        self._worth = self._weighed()

    def _weighed(self) -> dict[int, float]:
        by_unit = _weighted_sum(self._in_units, self._weights)
        by_passage = _weighted_sum(self._in_passages, self._weights)
        return {
            number: factor
            * (
                by_unit.get(number, 0.0)
                + _PASSAGE_SHARE * by_passage.get(self._units[number].passage, 0.0)
            )
            for number, factor in self._factors.items()
        }

    def _with_neighbours(self, number: int) -> float:
        worth = self._worth[number]
        unit = self._units[number]
        for distance, share in enumerate(_NEIGHBOUR_SHARES, start=1):
            for other in (number - distance, number + distance):
                near = self._worth.get(other, 0.0) * share
                if near > worth and self._units[other].message == unit.message:
                    worth = near
        return worth


def _weighted_sum(
    scores: Mapping[str, Mapping[int, float]], weights: Mapping[str, float]
) -> dict[int, float]:
    total: dict[int, float] = defaultdict(float)
    for term, found in scores.items():
        for number, score in found.items():
            total[number] += weights[term] * score
    return total


def _factor(unit: Unit, cues: Sequence[re.Pattern[str]]) -> float:
    factor = _WEIGHTS[unit.kind]
    if any(cue.search(unit.text) for cue in cues):
        factor *= _CUE
    return factor
