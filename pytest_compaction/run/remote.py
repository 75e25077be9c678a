"""Cases measured by tasks of an executor, in other processes or on other machines.

A task is one case with one strategy in one trial. A worker takes the key and the address of the
endpoint from its own environment, and must have the code of the sender. A result is JSON, so that
reading it runs no code; it names what its reader has (the case, its messages and probes).
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import importlib.metadata
import json
import os
import pickle
import sys
import zlib
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeVar
from weakref import WeakValueDictionary

from pytest_compaction.cache import DataclassJson, code_digest
from pytest_compaction.case import Case
from pytest_compaction.compactors import (
    ENTRY_POINTS,
    Registry,
    Spec,
    UnknownCompactorError,
    module_named,
    named_strategies,
)
from pytest_compaction.conversation import (
    EncodingUnavailableError,
    Image,
    Message,
    Opaque,
    Text,
    Thinking,
    TokenCounter,
    ToolCall,
    ToolResult,
)
from pytest_compaction.folders import temporary_folder
from pytest_compaction.metrics import (
    ForeignNames,
    ForeignWordings,
    ListedNames,
    NuggetScore,
    Readings,
)
from pytest_compaction.models import (
    CIPHERTEXT,
    Accounts,
    Call,
    Caller,
    CallReply,
    ChargedError,
    Endpoints,
    JudgeReply,
    Model,
    ModelError,
    NotAskedError,
    NotRecordedError,
    OfflineModel,
    OwnCalls,
    PriceTable,
    Prompts,
    Total,
    UnsupportedError,
    Usage,
    adapting_to,
    current_slot,
    endpoint_within,
    host_of,
    is_offline,
)
from pytest_compaction.rubric import CriterionScore
from pytest_compaction.run.engine import CaseWork, Method, PlannedCase
from pytest_compaction.run.executor import Tasks
from pytest_compaction.run.feeder import CompactionError, Step
from pytest_compaction.run.figures.shipped_nulls import Nulls
from pytest_compaction.run.loop import WorkLoop
from pytest_compaction.run.next_actions import NextAction
from pytest_compaction.run.responder import Reminded
from pytest_compaction.run.response import (
    Arm,
    FactHistory,
    NullReading,
    Response,
    Roles,
    ViewFigures,
)
from pytest_compaction.run.triggers import Trigger
from pytest_compaction.secrets import forget, scrubbed, scrubbed_json
from pytest_compaction.settings import Settings
from pytest_compaction.text import Reading, read_also

_T = TypeVar("_T")

_KINDS: Final[tuple[type[ChargedError], ...]] = (
    CompactionError,
    NotRecordedError,
    NotAskedError,
    UnsupportedError,
    ModelError,
)
"""The errors that an item tells apart, the special before the general."""
_ROUNDS: Final = 4
"""How often a case is measured if each time another task has paid for one of its calls."""
_AHEAD: Final = 2
GRACE_SECONDS: float = 10.0
"""How long the end of a session waits for tasks that pay for calls."""


class TaskError(Exception):
    """A case could not be measured where it was sent; the text is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An error that a task ended with. ``kind`` is the name of its type, ``spent`` is by role."""

    kind: str
    text: str
    spent: Mapping[str, Usage] = field(default_factory=dict)

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        for known in _KINDS:
            if isinstance(error, known):
                return cls(known.__name__, scrubbed(str(error)), dict(error.spent))
        said = str(error) if isinstance(error, TaskError) else f"{type(error).__name__}: {error}"
        return cls(TaskError.__name__, scrubbed(said))

    def error(self) -> Exception:
        for known in _KINDS:
            if self.kind == known.__name__:
                return known(self.text, spent=self.spent)
        return TaskError(self.text)


@dataclass(frozen=True, slots=True)
class Result:
    """The results of the work on a case by their keys, and the calls that were made for them.

    A key is one of :class:`~pytest_compaction.run.engine.CaseWork`. ``failure`` says why there is
    no compaction, and so nothing at all.

    ``made`` are the calls that an endpoint was asked, by digest, and their replies; keys in both
    are replaced. ``stored`` has role and model of every call that needed no endpoint. ``notes``
    are sentences for the end of the run.
    """

    found: tuple[tuple[Hashable, Any], ...] = ()
    failure: Failure | None = None
    made: tuple[tuple[str, Call, CallReply], ...] = ()
    paid: tuple[Total, ...] = ()
    stored: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


class _ResultJson(DataclassJson):
    """A result for a reader who has the case; ``composed`` makes answers that were not made."""

    def __init__(self, case: Case, composed: Callable[[Response], str] | None = None) -> None:
        super().__init__(
            *(Result, Failure, Total, Call, CallReply, Usage, OwnCalls, Step, Arm, Response),
            *(Message, Text, Image, ToolCall, ToolResult),
            *(Thinking, Opaque, ViewFigures, Readings, Reading, NullReading),
            *(FactHistory, Reminded, NextAction, ForeignNames, ForeignWordings, ListedNames),
            *(JudgeReply, CriterionScore, NuggetScore),
        )
        # The parts of a case, which sender and reader both have, in one order on both sides.
        recorded = (message for point in case.points for message in point.recorded)
        self._known = (case, *case.probes, *case.messages, *recorded)
        self._numbers = {id(known): number for number, known in enumerate(self._known)}
        self._own = {known.id: known for known in reversed(case.messages)}
        self._composed = composed

    def as_json(self, value: Any) -> Any:
        if isinstance(value, Message) and self._own.get(value.id) == value:
            value = self._own[value.id]  # a strategy may have copied it
        number = self._numbers.get(id(value))
        return super().as_json(value) if number is None else {"known": number}

    def from_json(self, sent: Any) -> Any:
        if isinstance(sent, dict) and "known" in sent:
            return self._known[sent["known"]]
        return super().from_json(sent)

    def members(self, value: Any) -> dict[str, Any]:
        found = super().members(value)
        if isinstance(value, Response):
            answer = value.answer if isinstance(value.answer, str) else None
            found |= {"figures": value.made, "answer": answer}
        return found

    def made(self, type: type[Any], members: dict[str, Any]) -> Any:
        if type is Response:
            figures = members["figures"]
            answer = self._composed if members["answer"] is None else members["answer"]
            members |= {"figures": lambda: figures, "answer": answer}
        return super().made(type, members)


def encoded(result: Result, case: Case) -> bytes:
    return zlib.compress(json.dumps(_ResultJson(case).as_json(result)).encode(), 1)


def decoded(data: bytes, case: Case, composed: Callable[[Response], str]) -> Result:
    """The result that :func:`encoded` wrote, about the reader's own case."""
    result = _ResultJson(case, composed).from_json(json.loads(zlib.decompress(data)))
    if not isinstance(result, Result):
        raise TypeError("what a worker sent is no result")
    return result


def or_raise(value: Any) -> Any:
    if isinstance(value, Failure):
        raise value.error()
    return value


@dataclass(frozen=True, slots=True)
class Briefing:
    """Settings and code that all tasks of a run share."""

    settings: Settings
    trigger: Trigger
    nulls: Nulls
    prompts: Prompts | None = None
    prices: PriceTable | None = None
    modules: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    hidden: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Task:
    """One case, strategy and trial; ``concurrency`` is the task's share of requests in flight."""

    briefing: Briefing
    case: Case
    arm: Arm
    planned: PlannedCase
    concurrency: int
    replies: Mapping[str, CallReply] = field(default_factory=dict)

    def packed(self) -> tuple[str, bytes]:
        """The digest of the code that must agree before the task can be read, and its bytes."""
        return code_digest(), zlib.compress(pickle.dumps(self), 1)


def perform(packed: tuple[str, bytes]) -> bytes | str:
    """The encoded result of a task, or the sentence on why it could not be done here.

    Raises nothing, because an exception would have to be unpickled by whoever waits.
    """
    sent, content = packed
    if sent != code_digest():
        return (
            f"the worker has other code than the run ({code_digest()[:12]} there, {sent[:12]} "
            "here); install the same versions of pytest-compaction, snowballstemmer and tiktoken "
            "on both and restart the workers"
        )
    try:
        # From the process that runs pytest: whoever can send a task can already run code.
        task: Task = pickle.loads(zlib.decompress(content))  # noqa: S301
        return encoded(_performed(task), task.case)
    except (TaskError, UnknownCompactorError, EncodingUnavailableError) as error:
        return scrubbed(f"on a worker: {error}")
    except Exception as error:
        return scrubbed(f"on a worker: {type(error).__name__}: {error}")


def _performed(task: Task) -> Result:
    briefing, replies = task.briefing, task.replies
    if briefing.prices is not None:
        ours, theirs = host_of(os.environ.get("OPENAI_BASE_URL")), briefing.prices.host
        if ours != theirs:
            raise TaskError(
                f"OPENAI_BASE_URL names the host {ours or '(none)'} there and "
                f"{theirs or '(none)'} here; set the same for the workers"
            )
    for _, place in briefing.modules.values():
        if place and place not in sys.path and Path(place).is_dir():
            sys.path.append(place)
    forget(briefing.hidden.items())
    registry, _ = named_strategies([task.arm.compactor], {})
    for name, (digest, _) in briefing.modules.items():
        if name in sys.modules and digest_of_module(name) != digest:
            raise TaskError(
                f"the module {name!r} is not the one of the run; install the same code there and "
                "restart the workers"
            )
    tokens = _tokens(briefing.settings.encoding)

    async def sent(call: Call, digest: str) -> CallReply | None:
        return replies.get(digest)

    if briefing.prices is None:
        return measured(task, registry, tokens, Collector(sent))
    with temporary_folder() as folder:
        accounts = Accounts(folder / "accounts.sqlite")
        endpoint = endpoint_within(briefing.settings.calls.request_timeout)
        caller = Collector(sent, adapting_to(endpoint, accounts, briefing.prices, tokens))
        return replace(
            measured(task, registry, tokens, caller),
            made=tuple(caller.made),
            paid=tuple(accounts.totals()),
            stored=tuple(caller.stored),
            notes=tuple(accounts.notes),
        )


_tokens = lru_cache(maxsize=4)(TokenCounter)
"""The counter of this process: what it has counted need not be counted again."""


class Collector:
    """Answers calls by ``known``, or else by ``following``; without that a call fails."""

    def __init__(
        self,
        known: Callable[[Call, str], Awaitable[CallReply | None]],
        following: Caller | None = None,
    ) -> None:
        self.replies: dict[str, CallReply] = {}
        self.made: list[tuple[str, Call, CallReply]] = []
        self.stored: list[tuple[str, str]] = []
        self.lacks_replies = False
        """Whether a call failed for want of somebody to ask."""
        self._known = known
        self._following = following
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def call(self, call: Call) -> CallReply:
        digest = call.digest
        async with self._locks.setdefault(digest, asyncio.Lock()):
            found = self.replies.get(digest) or await self._known(call, digest)
            if found is not None:
                self.replies[digest] = found
                self.stored.append((call.role, call.model))
                return found
            if self._following is None:
                self.lacks_replies = True
                raise NotRecordedError(f"this request is not in the store: {digest}")
            async with current_slot():
                reply = await self._following.call(call)
            reply = replace(reply, body=scrubbed_json(reply.body, CIPHERTEXT))
            body = scrubbed_json(dict(call.body), CIPHERTEXT)
            self.made.append((digest, Call(call.operation, body, call.trial, call.role), reply))
            self.replies[digest] = replace(reply, latency_s=None)
            return reply

    async def close(self) -> None:
        if self._following is not None:
            await self._following.close()


def measured(task: Task, registry: Registry, tokens: TokenCounter, caller: Caller) -> Result:
    """Compact the case of a task, ask its probes and judge the answers. Blocks."""
    briefing, settings = task.briefing, task.briefing.settings
    read_also(settings.languages)

    def model(name: str) -> Model:
        if is_offline(name) or briefing.prompts is None:
            return OfflineModel(tokens)
        from pytest_compaction.models import ChatModel

        return ChatModel(name, caller, tokens, briefing.prompts)

    judges = tuple(map(model, settings.judges))
    models = model(settings.model), model(settings.responder), judges
    reader = None if settings.read_by_rules else model(settings.reader)
    roles = Roles(*models, tokens, settings.answers, reader=reader)
    loop = WorkLoop(task.concurrency, caller)
    method = Method(roles, registry.named, briefing.trigger, settings, loop, briefing.nulls)

    async def results() -> dict[Hashable, Any]:
        work = CaseWork(task.case, task.arm, method, task.planned)
        views = [work.messages(number) for number in range(len(task.case.points))]
        await asyncio.gather(work.run_ahead(), work.made(), *views, return_exceptions=True)
        return {
            key: Failure.of(error) if (error := made.exception()) else made.result()
            for key, made in work.tasks.items()
            if isinstance(key, tuple)
        }

    try:
        found = loop.wait(results())
        failed = found["made",]
        if isinstance(failed, Failure):
            return Result(failure=failed)
        return Result(tuple(found.items()))
    finally:
        loop.close()


def own_modules(specs: Iterable[Spec]) -> dict[str, tuple[str, str]]:
    """The modules of strategies that do not come with the package: digest and folder of each."""
    points = {
        point.name: point.module for point in importlib.metadata.entry_points(group=ENTRY_POINTS)
    }
    parts = [part for spec in specs for part in spec.parts or (spec,)]
    named = [points.get(part.target, "") or module_named(part.target) for part in parts]
    found: dict[str, tuple[str, str]] = {}
    for name in named:
        if name and name.partition(".")[0] != __name__.partition(".")[0]:
            module = importlib.import_module(name)
            file = getattr(module, "__file__", None)
            above = name.count(".") + hasattr(module, "__path__")
            place = Path(file).resolve().parents[above] if file else None
            far = place is not None and place.name not in {"site-packages", "dist-packages"}
            found[name] = digest_of_module(name), str(place) if far else ""
    return found


@lru_cache(maxsize=256)
def digest_of_module(name: str) -> str:
    """The digest of a module's file when this process first asked; empty without a file."""
    file = getattr(importlib.import_module(name), "__file__", None)
    return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else ""


@dataclass
class Elsewhere:
    """The executor of an engine: does the work on the cases of a run by tasks."""

    tasks: Tasks
    briefing: Briefing
    registry: Registry
    endpoints: Endpoints | None
    _under_way: set[asyncio.Task[Any]] = field(default_factory=set)

    def ahead(self) -> int:
        return _AHEAD * self.tasks.most

    def work(self, case: Case, arm: Arm, method: Method, planned: PlannedCase | None) -> CaseWork:
        """The work on a case: a task, or done here if nothing is known to be asked."""
        if planned is None or not planned.probes:
            return CaseWork(case, arm, method, planned)
        share = max(1, self.briefing.settings.concurrency // self.tasks.most)
        task = Task(self.briefing, case, arm, planned, share)
        return _RemoteWork(self, task, method)

    async def result(
        self, task: Task, begun: asyncio.Event, composed: Callable[[Response], str]
    ) -> Result:
        """The result of a task; ``begun`` is set when it waits for its turn."""
        me = asyncio.current_task()
        self._under_way.add(me) if me else None
        try:
            for _ in range(_ROUNDS):
                prepared = await self._prepared(task)
                begun.set()
                if isinstance(prepared, Result):
                    return prepared
                outcome = await self.tasks.outcome(perform, prepared.packed)
                try:
                    if isinstance(outcome, str):
                        raise TaskError(outcome)
                    found = decoded(outcome, task.case, composed)
                except (LookupError, TypeError, ValueError, zlib.error, TaskError) as error:
                    said = str(error)
                    if not isinstance(error, TaskError):
                        said = f"the result of a worker cannot be read ({type(error).__name__})"
                    what = f"case {task.case.id} with {task.arm.compactor}"
                    failure = TaskError(f"{what} could not be measured: {said}")
                    found = Result(failure=Failure.of(failure))
                if not self.endpoints or await asyncio.to_thread(_accept, found, self.endpoints):
                    break
            return found
        finally:
            self._under_way.discard(me) if me else None

    async def drain(self) -> None:
        """Hand out nothing more; what tasks under way pay for is kept if they end soon."""
        self.tasks.stop()
        if self._under_way and self.endpoints is not None:
            await asyncio.wait(self._under_way, timeout=GRACE_SECONDS)

    async def _prepared(self, task: Task) -> Task | Result:
        """The task with the replies that the store has; if those are enough, its result."""
        if self.endpoints is None or self.endpoints.caller.is_empty:
            return task
        collector, tokens = Collector(self.endpoints.caller.held), self.endpoints.tokens
        found = await asyncio.to_thread(measured, task, self.registry, tokens, collector)
        if collector.lacks_replies:
            return replace(task, replies=collector.replies)
        self.endpoints.accounts.book((), collector.stored)
        return found


class _RemoteWork(CaseWork):
    """The work on one case in one arm, done by a task. What the task was not told is done here."""

    def __init__(self, elsewhere: Elsewhere, task: Task, method: Method) -> None:
        super().__init__(task.case, task.arm, method, task.planned)
        self._measured = lambda: elsewhere.result(task, self.begun, method.roles.composed)

    async def once(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
        """The result that the task found for a key, or else the one that is made here."""
        found = await super().once("result", self._measured)
        known = or_raise(found.failure or dict(found.found)).get(key)
        return await super().once(key, make) if known is None else or_raise(known)

    async def _run_ahead(self) -> None:
        try:
            await super().once("result", self._measured)
        finally:
            self.begun.set()


def _accept(result: Result, endpoints: Endpoints) -> bool:
    """Keep what a task paid for. False if its findings are of replies that do not count.

    That is so if the store has another reply to the same call by now, which another task
    made at the same time. A run that is repeated must come to the same scores.
    """
    accounts, store = endpoints.accounts, endpoints.caller
    kept = [store.adopt(call, digest, reply) for digest, call, reply in result.made]
    counts = all(
        one.body == reply.body for one, (_, _, reply) in zip(kept, result.made, strict=True)
    )
    accounts.book(result.paid, result.stored if counts else ())
    for note in result.notes:
        accounts.note(note)
    return counts
