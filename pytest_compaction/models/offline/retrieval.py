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
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pytest_compaction.artifacts.operations import FileState, file_operations, file_states
from pytest_compaction.conversation.messages import Message, Text, ToolCall, ToolResult
from pytest_compaction.models.offline.question import asks_last_request, search_terms, topic_cues
from pytest_compaction.text.bm25 import BM25
from pytest_compaction.text.words import content_stems, normalize, segments

PASSAGE_UNITS: Final = 6
_PASSAGE_SHARE: Final = 0.6
"""Units of a passage, and the share of its score that each of them gets."""
_NEIGHBOUR_SHARES: Final = (0.6, 0.4)
"""The least worth of a unit, as a share of the units one and two places away."""
_ANSWERED: Final = 0.8
"""Factor on the weight of a term for each taken unit that contains it."""
_ANSWERED_NEAR: Final = 0.95
"""The same factor if only the unit's passage contains the term."""
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
_HEADING: Final = re.compile(r"^ {0,3}#{1,6}[ \t][^\n]*$", re.MULTILINE)
"""A heading of a summary names what is below it, and is not a statement of its own."""
_EQUAL: Final = 1e-9
"""Two units are worth the same if they differ by no more than this."""
_WEIGHTS: Final = {"said": 1.0, "printed": 0.4, "written": 0.25}


@dataclass(frozen=True, slots=True)
class Unit:
    """A line or sentence of the view, with its message and passage; ``kind`` tells its origin.

    ``normal`` is the text normalised, for quotations.
    """

    text: str
    normal: str
    message: int
    passage: int
    kind: str
    by_user: bool


@dataclass(frozen=True, slots=True)
class PreparedView:
    """A view cut into units and indexed, made once for many questions."""

    units: tuple[Unit, ...]
    by_unit: BM25
    by_passage: BM25
    files: tuple[FileState, ...]
    results: tuple[tuple[str, tuple[int, ...]], ...]
    """The text of each tool call, normalised, and the messages that answer it."""


@lru_cache(maxsize=8)
def prepare(view: tuple[Message, ...]) -> PreparedView:
    """Cut a view into units and passages and index both."""
    units: list[Unit] = []
    passages: list[list[str]] = []
    terms: list[Sequence[str]] = []
    for number, message in enumerate(view):
        for kind, texts in _texts(message):
            for place, text in enumerate(texts):
                if place % PASSAGE_UNITS == 0:
                    passages.append([])
                normal = normalize(text)
                terms.append(content_stems(normal))
                passages[-1].extend(terms[-1])
                by_user = message.role == "user" and message.origin == "log"
                units.append(Unit(text, normal, number, len(passages) - 1, kind, by_user))
    files = tuple(file_states(file_operations(view)))
    return PreparedView(tuple(units), BM25(terms), BM25(passages), files, _results(view))


def _results(view: Sequence[Message]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    place = {result.call_id: n for n, message in enumerate(view) for result in message.results}
    return tuple(
        (normalize(" ".join(map(str, call.parsed().values()))), (place[call.id],))
        for message in view
        for call in message.calls
        if call.id in place
    )


def _texts(message: Message) -> Iterator[tuple[str, list[str]]]:
    for part in message.parts:
        if isinstance(part, Text):
            text = part.text if message.origin == "log" else _HEADING.sub("", part.text)
            yield "said", segments(text)
        elif isinstance(part, ToolResult):
            yield "printed", segments(part.text)
        elif isinstance(part, ToolCall):
            for value in part.parsed().values():
                if isinstance(value, str):
                    yield "written", segments(value)


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


class _Search:
    """The state of one search: the weights of terms, and the units taken."""

    def __init__(self, prepared: PreparedView, question: str, quoted: Sequence[str]) -> None:
        terms = search_terms(question)
        self._units = prepared.units
        self._in_units = {term: prepared.by_unit.term_scores(term) for term in terms}
        self._in_passages = {term: prepared.by_passage.term_scores(term) for term in terms}
        self._weights = dict.fromkeys(terms, 1.0)
        cues = topic_cues(question)
        passages = {passage for scores in self._in_passages.values() for passage in scores}
        self._factors = [
            (number, _factor(unit, cues), unit.passage)
            for number, unit in enumerate(self._units)
            if unit.passage in passages
        ]
        bonus = _QUOTED_SHARE * sum(prepared.by_unit.idf(term) for term in self._weights)
        self._bonus = {
            number: bonus * share
            for number, share in _bonus_shares(prepared, question, quoted, cues).items()
        }
        self._taken: set[int] = set()
        self._worth = self._weighed()

    def best(self) -> tuple[int | None, float]:
        """The best unit that is left, and its worth; of equal ones the first in the view."""
        best: int | None = None
        most = 0.0
        for number in self._candidates():
            worth = self._with_neighbours(number)
            if worth > most + _EQUAL:
                best, most = number, worth
        return best, most

    def _candidates(self) -> Iterator[int]:
        """The units left that may be the best: no weak one that stands by no strong one."""
        left = [number for number in self._worth if number not in self._taken]
        floor = max((self._worth[number] for number in left), default=0.0) - 1000 * _EQUAL
        strong = [number for number, worth in self._worth.items() if worth >= floor]
        reach = range(-len(_NEIGHBOUR_SHARES), len(_NEIGHBOUR_SHARES) + 1)
        near = {number + distance for number in strong for distance in reach}
        return (number for number in left if number in near)

    def take(self, number: int, new: bool) -> None:
        """Mark a unit as taken; if it says something new, its terms weigh less from now on."""
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
        found = {
            number: factor
            * (by_unit.get(number, 0.0) + _PASSAGE_SHARE * by_passage.get(passage, 0.0))
            for number, factor, passage in self._factors
        }
        if not self._bonus:
            return found
        raised = {number: bonus + found.get(number, 0.0) for number, bonus in self._bonus.items()}
        return {**raised, **{n: worth for n, worth in found.items() if n not in raised}}

    def _with_neighbours(self, number: int) -> float:
        worth = self._worth[number]
        unit = self._units[number]
        for distance, share in enumerate(_NEIGHBOUR_SHARES, start=1):
            for other in (number - distance, number + distance):
                near = self._worth.get(other, 0.0) * share
                if near > worth and self._units[other].message == unit.message:
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
    if asks_last_request(question):
        last = max((unit.message for unit in units if unit.by_user), default=-1)
        shares.update((n, 1.0) for n, unit in enumerate(units) if unit.message == last)
    if not quoted:
        return shares
    printed = _printed_by(prepared, quoted)
    holders: set[int] = set()
    for number, unit in enumerate(units):
        if unit.message in printed and unit.kind == "printed":
            shares[number] = 1.0 if any(cue.search(unit.text) for cue in cues) else 0.3
        elif any(text in unit.normal for text in quoted):
            shares[number] = _WEIGHTS[unit.kind]
            if unit.kind == "said":
                holders.add(unit.message)
    following = {_next_said(units, message) for message in holders}
    for number, unit in enumerate(units):
        if unit.message in following and unit.kind == "said":
            shares.setdefault(number, 0.6)
    return shares


def _printed_by(prepared: PreparedView, quoted: Sequence[str]) -> set[int]:
    """The messages that answer a quoted call."""
    return {
        place
        for said, places in prepared.results
        if any(text in said and len(text) >= _CALL_SHARE * len(said) for text in quoted)
        for place in places
    }


def _next_said(units: Sequence[Unit], message: int) -> int:
    """The number of the user's next message after this one, -1 if there is none."""
    return min(
        (unit.message for unit in units if unit.message > message and unit.by_user), default=-1
    )


def _weighted_sum(
    scores: Mapping[str, Mapping[int, float]], weights: Mapping[str, float]
) -> dict[int, float]:
    total: dict[int, float] = defaultdict(float)
    for term, found in scores.items():
        weight = weights[term]
        for number, score in found.items():
            total[number] += weight * score
    return total


def _factor(unit: Unit, cues: Sequence[re.Pattern[str]]) -> float:
    factor = _WEIGHTS[unit.kind]
    if any(cue.search(unit.text) for cue in cues):
        factor *= _CUE
    return factor
