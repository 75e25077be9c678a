"""The work on the other side: a parcel is opened, its task measured, and the result sent back."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeVar
from weakref import WeakValueDictionary

from pytest_compaction.compactors.registry import Registry, named_strategies
from pytest_compaction.compactors.specs import Spec, UnknownCompactorError
from pytest_compaction.conversation.tokens import EncodingUnavailableError, TokenCounter
from pytest_compaction.folders import temporary_folder
from pytest_compaction.models.calls.accounts import Accounts
from pytest_compaction.models.calls.address import host_of
from pytest_compaction.models.calls.store import CIPHERTEXT
from pytest_compaction.models.calls.turns import turn_of_context
from pytest_compaction.models.offline.model import OfflineModel
from pytest_compaction.models.protocol import Model, NotRecordedError
from pytest_compaction.models.registry import asking, endpoint_within, is_offline
from pytest_compaction.models.wire.call import Call, Caller, CallReply
from pytest_compaction.run.asked import Asked as AskedProbe
from pytest_compaction.run.engine import Engine
from pytest_compaction.run.loops.work_loop import WorkLoop
from pytest_compaction.run.remote.result import (
    Answer,
    CallMade,
    Failure,
    Findings,
    TaskError,
    TaskResult,
    encoded,
)
from pytest_compaction.run.remote.task import Briefing, Parcel, Task, digest_of_module, disagreement
from pytest_compaction.run.response import Roles
from pytest_compaction.secrets.hidden import forget
from pytest_compaction.secrets.keys import scrubbed, scrubbed_json

T = TypeVar("T")
Lookup = Callable[[Call, str], Awaitable[CallReply | None]]
"""The known reply to a call with a digest, ``None`` without one."""


def perform(parcel: Parcel) -> bytes | str:
    """The encoded result of a task, or the sentence on why it could not be done here.

    Raises nothing, because an exception would have to be unpickled by whoever waits.
    """
    try:
        differs = disagreement(parcel.versions)
        if differs is not None:
            return differs
        task = parcel.task()
        return encoded(_result(task), task.case, task.asked)
    except (TaskError, UnknownCompactorError, EncodingUnavailableError) as error:
        return scrubbed(f"on a worker: {error}")
    except Exception as error:
        return scrubbed(f"on a worker: {type(error).__name__}: {error}")


def _result(task: Task) -> TaskResult:
    briefing = task.briefing
    _check_endpoint(briefing)
    registry, spec = _strategy(task)
    tokens = _tokens(briefing.encoding)

    async def sent(call: Call, digest: str) -> CallReply | None:
        return task.replies.get(digest)

    if briefing.prices is None:
        return TaskResult(measured(task, registry, spec, tokens, Collector(sent)))
    with temporary_folder() as folder:
        accounts = Accounts(folder / "accounts.sqlite")
        endpoint = endpoint_within(briefing.request_timeout)
        paying = asking(accounts, briefing.prices, tokens, None, endpoint)
        collector = Collector(sent, paying)
        findings = measured(task, registry, spec, tokens, collector)
        return TaskResult(
            findings,
            tuple(collector.made),
            tuple(accounts.totals()),
            tuple(collector.stored),
            tuple(accounts.notes),
        )


def _check_endpoint(briefing: Briefing) -> None:
    """Raise unless the worker would ask the endpoint whose prices the run knows."""
    if briefing.prices is None:
        return
    ours, theirs = host_of(os.environ.get("OPENAI_BASE_URL")), briefing.prices.host
    if ours != theirs:
        raise TaskError(
            f"OPENAI_BASE_URL names the host {ours or '(none)'} there and {theirs or '(none)'} "
            "here; set the same for the workers"
        )


def _strategy(task: Task) -> tuple[Registry, Spec]:
    """The strategy of a task, made from the code that the sender has."""
    for folder in task.briefing.folders:
        if folder not in sys.path and Path(folder).is_dir():
            sys.path.append(folder)
    forget(task.briefing.hidden.items())
    registry, specs = named_strategies([task.arm.compactor], {})
    for name, digest in task.briefing.modules.items():
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
        self.made: list[CallMade] = []
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
            async with turn_of_context():
                reply = await self._following.call(call)
            reply = replace(reply, body=scrubbed_json(reply.body, CIPHERTEXT))
            body = scrubbed_json(dict(call.body), CIPHERTEXT)
            asked = Call(call.operation, body, call.trial, call.role)
            self.made.append(CallMade(digest, asked, reply))
            self.replies[digest] = replace(reply, latency_s=None)
            return reply

    async def close(self) -> None:
        """Close the next caller."""
        if self._following is not None:
            await self._following.close()


def measured(
    task: Task, registry: Registry, spec: Spec, tokens: TokenCounter, caller: Caller
) -> Findings:
    """Compact the case of a task, ask its probes and judge the answers. Blocks.

    Models behind an endpoint make their calls through ``caller``, which is closed.
    """
    briefing, case = task.briefing, task.case
    work = WorkLoop(task.concurrency, caller)
    engine = Engine(
        _roles(briefing, tokens, caller),
        lambda _: registry.create(spec),
        briefing.trigger,
        briefing.pass_score,
        briefing.timeout,
        work,
        briefing.compares_nulls,
        reminds=briefing.reminds,
        judgements=briefing.judgements,
        published_rounding=briefing.published_rounding,
    )
    try:
        asked = [AskedProbe(case.id, task.arm, probe.id, judged) for probe, judged in task.asked]
        engine.select(asked)
        compaction = _or_failure(lambda: engine.compaction(case, task.arm))
        if isinstance(compaction, Failure):
            return Findings(failure=compaction)
        answers = []
        for probe, judged in task.asked:
            response = _or_failure(partial(compaction.ask, probe))
            if isinstance(response, Failure) or not judged:
                answers.append(Answer(response))
            else:
                answers.append(Answer(response, _or_failure(partial(engine.verdict, response))))
        views = tuple(_or_failure(partial(compaction.view, n)) for n in range(len(case.points)))
        return Findings(compaction.steps, compaction.usage, views, tuple(answers))
    finally:
        work.close()


def _or_failure(work: Callable[[], T]) -> T | Failure:
    try:
        return work()
    except Exception as error:
        return Failure.of(error)


def _roles(briefing: Briefing, tokens: TokenCounter, caller: Caller) -> Roles:
    def model(name: str) -> Model:
        if is_offline(name) or briefing.prompts is None:
            return OfflineModel(tokens)
        from pytest_compaction.models.chat.model import ChatModel

        return ChatModel(name, caller, tokens, briefing.prompts)

    return Roles(
        model(briefing.model),
        model(briefing.responder),
        tuple(model(name) for name in briefing.judges),
        tokens,
        briefing.rules_answer,
    )
