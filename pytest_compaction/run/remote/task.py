"""A task: one case with one strategy in one trial, sent to a worker that measures it.

There is no key in a task. A worker takes the key and the address of the endpoint from its own
environment. It must have the code of the sender: one that was started before a change, or with
other versions of the packages on which scores depend, would measure something else without a word.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import importlib.metadata
import os
import pickle
import sys
import zlib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Final
from weakref import WeakValueDictionary

from pytest_compaction.cache import code_digest
from pytest_compaction.case.case import Case
from pytest_compaction.compactors.own_code import module_named
from pytest_compaction.compactors.registry import ENTRY_POINTS, Registry, named_strategies
from pytest_compaction.compactors.specs import Spec, UnknownCompactorError
from pytest_compaction.conversation.tokens import EncodingUnavailableError, TokenCounter
from pytest_compaction.folders import temporary_folder
from pytest_compaction.judges import Verdict
from pytest_compaction.models import (
    CIPHERTEXT,
    Accounts,
    Call,
    Caller,
    CallReply,
    Model,
    NotRecordedError,
    OfflineModel,
    PriceTable,
    Prompts,
    asking,
    current_slot,
    endpoint_within,
    host_of,
    is_offline,
)
from pytest_compaction.run.engine import Engine, Method, PlannedProbe
from pytest_compaction.run.figures.shipped_nulls import Nulls
from pytest_compaction.run.loop import WorkLoop
from pytest_compaction.run.remote.result import (
    Asked,
    Failure,
    Result,
    TaskError,
    encoded,
    or_failure,
)
from pytest_compaction.run.response import Arm, Response, Roles
from pytest_compaction.run.triggers import Trigger
from pytest_compaction.secrets import forget, scrubbed, scrubbed_json
from pytest_compaction.settings import Settings

_PACKAGE: Final = __name__.partition(".")[0]
Lookup = Callable[[Call, str], Awaitable[CallReply | None]]
"""The known reply to a call with a digest, ``None`` without one."""


@dataclass(frozen=True, slots=True)
class Briefing:
    """What is the same for all tasks of a run.

    ``prompts`` and ``prices`` are ``None`` if no role has a model behind an endpoint.
    ``modules`` are those of the user's strategies, see :func:`own_modules`. ``hidden`` has
    stand-ins of names of strategies by the secrets that they replace.
    """

    settings: Settings
    trigger: Trigger
    nulls: Nulls
    prompts: Prompts | None = None
    prices: PriceTable | None = None
    modules: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    hidden: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Task:
    """One case, strategy and trial; ``concurrency`` is the task's share of requests in flight.

    ``replies`` are those that the sender's store has, by the digest of the call.
    """

    briefing: Briefing
    case: Case
    arm: Arm
    asked: Asked
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
        return encoded(_result(task), task.case, task.asked)
    except (TaskError, UnknownCompactorError, EncodingUnavailableError) as error:
        return scrubbed(f"on a worker: {error}")
    except Exception as error:
        return scrubbed(f"on a worker: {type(error).__name__}: {error}")


def _result(task: Task) -> Result:
    prices, calls = task.briefing.prices, task.briefing.settings.calls
    if prices is not None:
        ours, theirs = host_of(os.environ.get("OPENAI_BASE_URL")), prices.host
        if ours != theirs:
            raise TaskError(
                f"OPENAI_BASE_URL names the host {ours or '(none)'} there and "
                f"{theirs or '(none)'} here; set the same for the workers"
            )
    registry, spec = _strategy(task)
    tokens = _tokens(task.briefing.settings.encoding)

    async def sent(call: Call, digest: str) -> CallReply | None:
        return task.replies.get(digest)

    if prices is None:
        return measured(task, registry, spec, tokens, Collector(sent))
    with temporary_folder() as folder:
        accounts = Accounts(folder / "accounts.sqlite")
        endpoint = endpoint_within(calls.request_timeout)
        collector = Collector(sent, asking(accounts, prices, tokens, None, endpoint))
        return replace(
            measured(task, registry, spec, tokens, collector),
            made=tuple(collector.made),
            paid=tuple(accounts.totals()),
            stored=tuple(collector.stored),
            notes=tuple(accounts.notes),
        )


def _strategy(task: Task) -> tuple[Registry, Spec]:
    """The strategy of a task, made from the code that the sender has."""
    modules = task.briefing.modules
    for _, folder in modules.values():
        if folder and folder not in sys.path and Path(folder).is_dir():
            sys.path.append(folder)
    forget(task.briefing.hidden.items())
    registry, specs = named_strategies([task.arm.compactor], {})
    for name, (digest, _) in modules.items():
        if name in sys.modules and digest_of_module(name) != digest:
            raise TaskError(
                f"the module {name!r} is not the one of the run; install the same code there and "
                "restart the workers"
            )
    return registry, specs[0]


@lru_cache(maxsize=4)
def _tokens(encoding: str) -> TokenCounter:
    """The counter of this process: what it has counted need not be counted again."""
    return TokenCounter(encoding)


class Collector:
    """Answers calls by ``known``, or else by ``following``; without that a call fails.

    As with a store, two equal calls become one, and no key gets from a reply into an answer.
    """

    def __init__(self, known: Lookup, following: Caller | None = None) -> None:
        self.replies: dict[str, CallReply] = {}
        """Every reply so far by the digest of its call, without its latency."""
        self.made: list[tuple[str, Call, CallReply]] = []
        """The calls that were asked of the next caller and answered."""
        self.stored: list[tuple[str, str]] = []
        """Role and model of every call that was answered without asking."""
        self.lacks_replies = False
        """Whether a call failed for want of somebody to ask."""
        self._known = known
        self._following = following
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def call(self, call: Call) -> CallReply:
        """The reply to a call."""
        digest = call.digest
        lock = self._locks.get(digest)
        if lock is None:
            lock = self._locks[digest] = asyncio.Lock()
        async with lock:
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
            asked = Call(call.operation, body, call.trial, call.role)
            self.made.append((digest, asked, reply))
            self.replies[digest] = replace(reply, latency_s=None)
            return reply

    async def close(self) -> None:
        """Close the next caller."""
        if self._following is not None:
            await self._following.close()


def measured(
    task: Task, registry: Registry, spec: Spec, tokens: TokenCounter, caller: Caller
) -> Result:
    """Compact the case of a task, ask its probes and judge the answers. Blocks.

    Models behind an endpoint make their calls through ``caller``, which is closed.
    """
    briefing, case = task.briefing, task.case
    work = WorkLoop(task.concurrency, caller)
    method = Method(
        _roles(briefing, tokens, caller),
        lambda _: registry.create(spec),
        briefing.trigger,
        briefing.settings,
        work,
        briefing.nulls,
    )
    engine = Engine(method)
    try:
        engine.select(
            PlannedProbe(case.id, task.arm, probe.id, judged) for probe, judged in task.asked
        )
        compaction = or_failure(lambda: engine.compaction(case, task.arm))
        if isinstance(compaction, Failure):
            return Result(failure=compaction)
        answers: list[tuple[Response | Failure, Verdict | Failure | None]] = []
        for probe, judged in task.asked:
            response = or_failure(partial(compaction.ask, probe))
            if isinstance(response, Failure) or not judged:
                answers.append((response, None))
            else:
                answers.append((response, or_failure(partial(engine.verdict, response))))
        views = tuple(or_failure(partial(compaction.view, n)) for n in range(len(case.points)))
        return Result(compaction.steps, compaction.usage, views, tuple(answers))
    finally:
        work.close()


def _roles(briefing: Briefing, tokens: TokenCounter, caller: Caller) -> Roles:
    def model(name: str) -> Model:
        if is_offline(name) or briefing.prompts is None:
            return OfflineModel(tokens)
        from pytest_compaction.models import ChatModel

        return ChatModel(name, caller, tokens, briefing.prompts)

    settings = briefing.settings
    judges = tuple(map(model, settings.judges))
    responder = model(settings.responder)
    return Roles(model(settings.model), responder, judges, tokens, settings.answers)


def own_modules(specs: Iterable[Spec]) -> dict[str, tuple[str, str]]:
    """The modules of strategies that do not come with the package: digest and folder of each.

    The folder is the one that the module is imported from, empty for an installed package.
    """
    points = {
        point.name: point.module for point in importlib.metadata.entry_points(group=ENTRY_POINTS)
    }
    parts = [part for spec in specs for part in spec.parts or (spec,)]
    named = [points.get(part.target, "") or module_named(part.target) for part in parts]
    return {
        name: (digest_of_module(name), _folder_of(name))
        for name in named
        if name and not name.startswith(f"{_PACKAGE}.")
    }


def _folder_of(name: str) -> str:
    module = importlib.import_module(name)
    file = getattr(module, "__file__", None)
    if not file:
        return ""
    folder = Path(file).resolve().parents[name.count(".") + hasattr(module, "__path__")]
    return "" if folder.name in {"site-packages", "dist-packages"} else str(folder)


@lru_cache(maxsize=256)
def digest_of_module(name: str) -> str:
    """The digest of a module's file when this process first asked; empty without a file.

    Raises what importing the module raises.
    """
    file = getattr(importlib.import_module(name), "__file__", None)
    return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else ""
