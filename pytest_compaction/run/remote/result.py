"""What a task found: the compaction, views, responses and verdicts, or errors as data.

On its way back a result names what its reader has (the case, its messages and probes) and
does not carry it.
"""

from __future__ import annotations

import io
import pickle
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pytest_compaction.case.case import Case, Probe
from pytest_compaction.conversation.messages import Message
from pytest_compaction.judges.verdict import Verdict
from pytest_compaction.models.calls.accounts import Total
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Call, CallReply
from pytest_compaction.run.feeder import Step
from pytest_compaction.run.remote.failure import Failure
from pytest_compaction.run.remote.task import Asked
from pytest_compaction.run.response import Response


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a probe, and the verdict on it; ``None`` if nobody wants one."""

    response: Response | Failure
    verdict: Verdict | Failure | None = None


@dataclass(frozen=True, slots=True)
class Findings:
    """A group as it was measured: ``views`` by compaction point, ``answers`` by probe asked.

    ``failure`` says why there is no compaction, and nothing else.
    """

    steps: tuple[Step, ...] = ()
    usage: Usage = Usage()
    views: tuple[tuple[Message, ...] | Failure, ...] = ()
    answers: tuple[Answer, ...] = ()
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class CallMade:
    """A call that an endpoint was asked, and its reply. Keys in both are replaced."""

    digest: str
    call: Call
    reply: CallReply


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The findings of a task, the calls that it made, and what its accounts hold.

    ``paid`` is what was paid for. ``stored`` has role and model of every call that needed
    no endpoint. ``notes`` are sentences for the end of the run.
    """

    findings: Findings
    made: tuple[CallMade, ...] = ()
    paid: tuple[Total, ...] = ()
    stored: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


def encoded(result: TaskResult, case: Case, asked: Asked) -> bytes:
    """The result as bytes for a reader who has the case and the probes."""
    buffer = io.BytesIO()
    _Writer(buffer, case, asked).dump(result)
    return zlib.compress(buffer.getvalue(), 1)


def decoded(data: bytes, case: Case, asked: Asked) -> TaskResult:
    """The result that :func:`encoded` wrote, about the reader's own case and probes."""
    result: TaskResult = _Reader(io.BytesIO(zlib.decompress(data)), case, asked).load()
    return result


def _known(case: Case, asked: Asked) -> Iterator[Case | Probe | Message]:
    """What sender and reader both have, in the same order on both sides."""
    yield case
    yield from (probe for probe, _ in asked)
    yield from case.messages
    for point in case.points:
        yield from point.recorded


class _Writer(pickle.Pickler):
    def __init__(self, buffer: io.BytesIO, case: Case, asked: Asked) -> None:
        super().__init__(buffer, protocol=5)
        self._numbers: dict[int, int] = {}
        self._messages: dict[str, tuple[int, Message]] = {}
        for number, known in enumerate(_known(case, asked)):
            self._numbers[id(known)] = number
            if isinstance(known, Message):
                self._messages.setdefault(known.id, (number, known))

    def persistent_id(self, obj: Any) -> int | None:
        """The number of something that the reader has; a strategy may have copied a message."""
        if isinstance(obj, Message):
            number, known = self._messages.get(obj.id, (None, None))
            return number if obj == known else None
        return self._numbers.get(id(obj))


class _Reader(pickle.Unpickler):
    def __init__(self, buffer: io.BytesIO, case: Case, asked: Asked) -> None:
        super().__init__(buffer)
        self._known = tuple(_known(case, asked))

    def persistent_load(self, pid: Any) -> Any:
        """What has that number here."""
        return self._known[pid]
