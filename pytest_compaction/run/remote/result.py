"""What a task found: the compaction, views, responses and verdicts, or errors as data.

On its way back a result names what its reader has (the case, its messages and probes) and
does not carry it. It is JSON: to read it runs no code, whatever a strategy put into a view.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Final, TypeVar

from pytest_compaction.case.case import Case, Probe
from pytest_compaction.conversation import messages
from pytest_compaction.conversation.messages import Message
from pytest_compaction.judges import FactOutcome, JudgeScores, Nuggets, Scores, Verdict
from pytest_compaction.metrics import (
    EventOrder,
    ForeignNames,
    ForeignWordings,
    NuggetFigures,
    NuggetScore,
    Readings,
)
from pytest_compaction.models import (
    Call,
    CallReply,
    ChargedError,
    ModelError,
    NotAskedError,
    NotRecordedError,
    OwnCalls,
    Total,
    UnsupportedError,
    Usage,
)
from pytest_compaction.rubric import CriterionScore
from pytest_compaction.run import response as responses
from pytest_compaction.run.feeder import CompactionError, Step
from pytest_compaction.run.responder import Reminded
from pytest_compaction.run.response import Arm, Response, ViewFigures
from pytest_compaction.secrets import scrubbed
from pytest_compaction.text import Reading

T = TypeVar("T")

Asked = tuple[tuple[Probe, bool], ...]
"""The probes that are asked of a case, and whether each answer is judged."""

_KINDS: Final[tuple[type[ChargedError], ...]] = (
    CompactionError,
    NotRecordedError,
    NotAskedError,
    UnsupportedError,
    ModelError,
)
"""The errors that an item tells apart, the special before the general."""


class TaskError(Exception):
    """A case could not be measured where it was sent; the text is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An error that a task ended with. ``kind`` is the name of its type, ``spent`` is by role."""

    kind: str
    text: str
    spent: Mapping[str, Usage] = field(default_factory=dict)

    @classmethod
    def of(cls, error: Exception) -> Failure:
        """The error as data, without the keys of this process."""
        for known in _KINDS:
            if isinstance(error, known):
                return cls(known.__name__, scrubbed(str(error)), dict(error.spent))
        said = str(error) if isinstance(error, TaskError) else f"{type(error).__name__}: {error}"
        return cls(TaskError.__name__, scrubbed(said))

    def error(self) -> Exception:
        """The error to raise, a new one each time."""
        for known in _KINDS:
            if self.kind == known.__name__:
                return known(self.text, spent=self.spent)
        return TaskError(self.text)


@dataclass(frozen=True, slots=True)
class Result:
    """What a task found, what it paid for, and the calls that it made.

    ``views`` are by compaction point. ``answers`` has for each probe asked its response and the
    verdict on it, ``None`` if nobody wants one. ``failure`` says why there is no compaction.

    ``made`` are the calls that an endpoint was asked, by digest, and their replies; keys in both
    are replaced. ``stored`` has role and model of every call that needed no endpoint. ``notes``
    are sentences for the end of the run.
    """

    steps: tuple[Step, ...] = ()
    usage: Usage = Usage()
    views: tuple[tuple[Message, ...] | Failure, ...] = ()
    answers: tuple[tuple[Response | Failure, Verdict | Failure | None], ...] = ()
    failure: Failure | None = None
    made: tuple[tuple[str, Call, CallReply], ...] = ()
    paid: tuple[Total, ...] = ()
    stored: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


_TYPES: Final[Mapping[str, type[Any]]] = {
    one.__name__: one
    for one in (
        *(Result, Failure, Total, Call, CallReply, Usage, OwnCalls),
        *(Message, messages.Text, messages.Image, messages.ToolCall, messages.ToolResult),
        *(messages.Thinking, messages.Opaque, Step, Arm, Response, ViewFigures, Readings, Reading),
        *(responses.NullReading, responses.FactHistory, Reminded, ForeignNames),
        ForeignWordings,
        *(Verdict, FactOutcome, Scores, JudgeScores, Nuggets),
        *(CriterionScore, NuggetScore, NuggetFigures, EventOrder),
    )
}
"""The types that a result is made of, beside numbers, texts, tuples, lists and mappings."""


def encoded(result: Result, case: Case, asked: Asked) -> bytes:
    """The result as bytes for a reader who has the case and the probes.

    An object of JSON has one member: the name of what it stands for, with what that is made of.
    """
    numbers = {id(known): number for number, known in enumerate(_known(case, asked))}
    own = {known.id: known for known in reversed(case.messages)}

    def plain(value: Any) -> Any:
        if isinstance(value, Message) and own.get(value.id) == value:
            value = own[value.id]  # a strategy may have copied it
        if id(value) in numbers:
            return {"known": numbers[id(value)]}
        if value is None or isinstance(value, str | int | float):
            return value
        if isinstance(value, list):
            return [plain(item) for item in value]
        if isinstance(value, tuple):
            return {"tuple": [plain(item) for item in value]}
        if isinstance(value, Mapping):
            return {"map": {str(name): plain(member) for name, member in value.items()}}
        if is_dataclass(value) and _TYPES.get(type(value).__name__) is type(value):
            members = {one.name: getattr(value, one.name) for one in fields(value) if one.init}
            if isinstance(value, Response):
                members["figures"] = value.made
                members["answer"] = value.answer if isinstance(value.answer, str) else None
            return {type(value).__name__: {name: plain(one) for name, one in members.items()}}
        raise TypeError(f"a result cannot hold {type(value).__name__}")

    return zlib.compress(json.dumps(plain(result)).encode(), 1)


def decoded(data: bytes, case: Case, asked: Asked, composed: Callable[[Response], str]) -> Result:
    """The result that :func:`encoded` wrote, about the reader's own case and probes.

    ``composed`` makes the answers that were not made.
    Raises ``KeyError``, ``TypeError`` or ``ValueError`` for anything else.
    """
    all_known = tuple(_known(case, asked))

    def value_of(sent: Any) -> Any:
        if isinstance(sent, list):
            return [value_of(item) for item in sent]
        if not isinstance(sent, dict):
            return sent
        ((name, inner),) = sent.items()
        if name == "known":
            return all_known[inner]
        if name == "tuple":
            return tuple(value_of(item) for item in inner)
        members = {member: value_of(one) for member, one in inner.items()}
        if name == "map":
            return members
        if name == Response.__name__:
            figures = members["figures"]
            members["figures"] = lambda: figures
            members["answer"] = composed if members["answer"] is None else members["answer"]
        return _TYPES[name](**members)

    result = value_of(json.loads(zlib.decompress(data)))
    if not isinstance(result, Result):
        raise TypeError("what a worker sent is no result")
    return result


def _known(case: Case, asked: Asked) -> Iterator[Case | Probe | Message]:
    """What sender and reader both have, in the same order on both sides."""
    yield case
    yield from (probe for probe, _ in asked)
    yield from case.messages
    for point in case.points:
        yield from point.recorded


def or_failure(work: Callable[[], T]) -> T | Failure:
    """What the work gives, or the error that it raises as data."""
    try:
        return work()
    except Exception as error:
        return Failure.of(error)


def or_raise(value: T | Failure) -> T:
    """The value; for a failure its error is raised."""
    if isinstance(value, Failure):
        raise value.error()
    return value
