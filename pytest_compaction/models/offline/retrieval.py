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
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final
from weakref import WeakValueDictionary

import numpy as np

from pytest_compaction.artifacts import FileState, file_operations, file_states
from pytest_compaction.cache import SizedCache
from pytest_compaction.conversation import Message, Text, ToolCall, ToolResult
from pytest_compaction.models.offline.cues import CONSTRAINT, DECISION, ERROR, NEXT, STATE
from pytest_compaction.text import BM25, content_stems, normalize, segments

PASSAGE_UNITS: Final = 6
"""Units of a passage, at most."""
_HEADING: Final = re.compile(r"^ {0,3}#{1,6}[ \t][^\n]*$", re.MULTILINE)
"""A heading of a summary names what is below it, and is not a statement of its own."""
_MOST_CHARACTERS: Final = 20_000_000
"""Characters of the units of all cached views."""
_LONGEST: Final = 20_000
"""Characters of a message whose units are kept."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A line or sentence of the view, with its message and passage; ``kind`` tells its origin.

    ``kind`` is ``said``, ``printed`` or ``written``. ``normal`` is the text normalised, for
    quotations.
    """

    text: str
    normal: str
    message: int
    passage: int
    kind: str


@dataclass(frozen=True, slots=True, weakref_slot=True)
class PreparedView:
    """A view cut into units and indexed, made once for many questions.

    ``users`` are the messages with units that the user wrote, in order. ``results`` has the text of
    each tool call, normalised, and the message that answers it.
    """

    units: Sequence[Unit]
    users: Sequence[int]
    by_unit: BM25
    by_passage: BM25
    files: tuple[FileState, ...]
    results: tuple[tuple[str, int], ...]

    def of_message(self, message: int) -> range:
        """The numbers of the units of a message."""
        begin = bisect_left(self.units, message, key=_message)
        return range(begin, bisect_left(self.units, message + 1, begin, key=_message))

    def next_by_user(self, message: int) -> int:
        """The user's next message after this one, -1 if there is none."""
        place = bisect_right(self.users, message)
        return self.users[place] if place < len(self.users) else -1

    def beginning(self, view: tuple[Message, ...]) -> PreparedView:
        """The first messages of the view, prepared."""
        size = bisect_left(self.units, len(view), key=_message)
        passages = self.units[size - 1].passage + 1 if size else 0
        return PreparedView(
            self.units[:size],
            self.users[: bisect_left(self.users, len(view))],
            self.by_unit.beginning(size),
            self.by_passage.beginning(passages),
            tuple(file_states(file_operations(view))),
            _results(view),
        )


def _message(unit: Unit) -> int:
    return unit.message


_PREPARED: Final = SizedCache[tuple[Message, ...], PreparedView](
    _MOST_CHARACTERS, lambda made: sum(len(unit.text) for unit in made.units)
)
_HELD: Final = WeakValueDictionary[tuple[Message, ...], PreparedView]()
"""Views that somebody holds who asks for them again, however long they are."""


def prepare(view: tuple[Message, ...]) -> PreparedView:
    """Cut a view into units and passages and index both; the latest are cached."""
    return _HELD.get(view) or _PREPARED.get(view, lambda: _prepared(view))


def prepare_beginnings(view: Sequence[Message], sizes: Iterable[int]) -> list[PreparedView]:
    """Prepare a view, and what it was after so many messages, reading each message once.

    As long as somebody holds what is returned, :func:`prepare` gives the same.
    """
    view = tuple(view)
    whole = prepare(view)
    found = {view[:size]: whole.beginning(view[:size]) for size in sizes if size < len(view)}
    found[view] = whole
    _HELD.update(found)
    return list(found.values())


def _prepared(view: tuple[Message, ...]) -> PreparedView:
    units: list[Unit] = []
    users: list[int] = []
    by_unit, by_passage = BM25(), BM25()
    for number, message in enumerate(view):
        before = len(units)
        size = sum(len(part.text) for part in message.parts if isinstance(part, Text | ToolResult))
        size += sum(len(call.arguments) for call in message.calls)
        for kind, lines in _lines_once(message) if size <= _LONGEST else _read(message):
            for first in range(0, len(lines), PASSAGE_UNITS):
                passage: list[str] = []
                for text, normal, terms in lines[first : first + PASSAGE_UNITS]:
                    by_unit.add(terms)
                    passage.extend(terms)
                    units.append(Unit(text, normal, number, len(by_passage), kind))
                by_passage.add(passage)
        if message.role == "user" and message.origin == "log" and len(units) > before:
            users.append(number)
    files = tuple(file_states(file_operations(view)))
    return PreparedView(units, users, by_unit, by_passage, files, _results(view))


def _results(view: Sequence[Message]) -> tuple[tuple[str, int], ...]:
    place = {result.call_id: n for n, message in enumerate(view) for result in message.results}
    return tuple(
        (normalize(" ".join(map(str, call.parsed().values()))), place[call.id])
        for message in view
        for call in message.calls
        if call.id in place
    )


_Line = tuple[str, str, tuple[str, ...]]
"""A unit, the same normalised, and its stems."""


@lru_cache(maxsize=512)
def _lines_once(message: Message) -> tuple[tuple[str, Sequence[_Line]], ...]:
    return tuple(_read(message))


def _read(message: Message) -> Iterator[tuple[str, Sequence[_Line]]]:
    for kind, texts in _texts(message):
        lines: list[_Line] = []
        for text in texts:
            normal = normalize(text)
            lines.append((text, normal, content_stems(normal)))
        yield kind, lines


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

Array = np.ndarray[Any, np.dtype[Any]]
_Scores = dict[str, tuple[Array, Array]]
"""By term: the units or passages that hold it, and what it scores in each."""


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
        units = prepared.units
        self._weights = dict.fromkeys(search_terms(question), 1.0)
        self._in_unit = _scores_of(prepared.by_unit, self._weights)
        self._in_passage = _scores_of(prepared.by_passage, self._weights)
        cues = topic_cues(question)
        bonus = _QUOTED_SHARE * sum(prepared.by_unit.idf(term) for term in self._weights)
        shares = _bonus_shares(prepared, question, quoted, cues)
        self._passage = np.fromiter((unit.passage for unit in units), np.intp, len(units))
        self._message = np.fromiter((unit.message for unit in units), np.intp, len(units))
        self._factor = np.fromiter((_WEIGHTS[unit.kind] for unit in units), float, len(units))
        self._bonus = np.zeros(len(units))
        self._bonus[list(shares)] = [bonus * share for share in shares.values()]
        found = self._total(self._in_passage, len(prepared.by_passage))[self._passage] > 0
        found[list(shares)] = True
        self._left = found.copy()
        """Units with a bonus, or in a passage with a term of the question, that are not taken."""
        self._found = found
        for number in np.flatnonzero(found).tolist() if cues else ():
            if any(cue.search(units[number].text) for cue in cues):
                self._factor[number] *= _CUE
        self._order = np.arange(len(units))
        self._order[list(shares)] = range(-len(shares), 0)
        """Of equal units one with a bonus comes first, then the first in the view."""

    def best(self) -> tuple[int | None, float]:
        """The best unit that is left, and its worth; of equal ones the first in the view."""
        worths = np.where(self._left, self._with_neighbours(), 0.0)
        most = float(worths.max(initial=0.0))
        near = np.flatnonzero(self._left & (worths > max(most - 1000 * _EQUAL, _EQUAL)))
        best, most = None, 0.0
        for number in sorted(near.tolist(), key=self._order.__getitem__):
            if worths[number] > most + _EQUAL:
                best, most = number, float(worths[number])
        return best, most

    def take(self, number: int, new: bool) -> None:
        """Mark a unit as taken; if it says something new, its terms weigh less from now on."""
        self._left[number] = False
        if not new:
            return
        for term in self._weights:
            if number in self._in_unit[term][0]:
                self._weights[term] *= _ANSWERED
            elif self._passage[number] in self._in_passage[term][0]:
                self._weights[term] *= _ANSWERED_NEAR

    def _total(self, scores: _Scores, size: int) -> Array:
        """The weighted sum of the scores of all terms for each unit or passage."""
        total = np.zeros(size)
        for term, weight in self._weights.items():
            numbers, added = scores[term]
            total[numbers] += weight * added
        return total

    def _with_neighbours(self) -> Array:
        """What each unit is worth now: at least a share of its neighbours in its message."""
        in_passages = self._total(self._in_passage, 1 + self._passage.max(initial=0))
        own = self._total(self._in_unit, len(self._passage))
        own = self._factor * (own + _PASSAGE_SHARE * in_passages[self._passage]) + self._bonus
        own = np.where(self._found, own, 0.0)
        worths = own.copy()
        for away, share in enumerate(_NEIGHBOUR_SHARES, start=1):
            near = np.where(self._message[:-away] == self._message[away:], share, 0.0)
            worths[away:] = np.maximum(worths[away:], own[:-away] * near)
            worths[:-away] = np.maximum(worths[:-away], own[away:] * near)
        return worths


def _scores_of(index: BM25, terms: Iterable[str]) -> _Scores:
    found = {term: index.term(term) for term in terms}
    return {
        term: (np.array([*scores], dtype=np.intp), np.array([*scores.values()]))
        for term, scores in found.items()
    }


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
