"""Runs cases: compaction, then responses, then verdicts; each once, shared, and prefetched.

One event loop in a daemon thread does all the waiting. The first item of a case
starts the compaction and then all probes that the session selected; an item
only waits for what is its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pytest_compaction.case.case import Case, Probe
from pytest_compaction.compactors.protocol import Compactor, CompactorError, Context, State, View
from pytest_compaction.conversation.chat_format import to_chat
from pytest_compaction.conversation.messages import Message, canonical_json, short_hash
from pytest_compaction.judges.panel import PanelJudge
from pytest_compaction.judges.rubric import RubricJudge
from pytest_compaction.judges.verdict import Verdict, unscored_verdict
from pytest_compaction.metrics.survival import survived, view_index
from pytest_compaction.models.protocol import (
    AnswerReply,
    ChargedError,
    Model,
    ModelError,
    NotAskedError,
)
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Caller
from pytest_compaction.run.feeding import CompactionError, Fed, Feeder, Step
from pytest_compaction.run.metered_model import MeteredModel
from pytest_compaction.run.responder import Responder
from pytest_compaction.run.response import Arm, Response, Roles
from pytest_compaction.run.server_context import seen
from pytest_compaction.run.triggers import Trigger

T = TypeVar("T")


@dataclass(frozen=True)
class Compaction:
    """A case as a strategy left it. ``ask`` answers a probe from the compacted context alone."""

    case: Case
    arm: Arm
    fed: Fed = field(repr=False)
    usage: Usage
    _feeder: Feeder = field(repr=False)
    _engine: Engine = field(repr=False)
    model_error: ModelError | None = field(default=None, repr=False)
    """Why the model could not summarise, whatever the strategy then did."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """Every compaction that took place, in order."""
        return tuple(self.fed.steps)

    def view(self, point: int = -1) -> tuple[Message, ...]:
        """The messages that the model sees after a compaction point (the last by default)."""
        return self._engine.wait(self.view_at(point)).messages

    def ask(self, probe: Probe) -> Response:
        """The answer to a probe. Raises :class:`CompactionError` if there is no view."""
        return self._engine.response(self, probe)

    async def view_at(self, point: int, question: str | None = None) -> View:
        """The view after a point; strategies that read per question are given it."""
        standing = self.fed.standings[point]
        failed = standing.error is not None or standing.state is None
        if self.model_error and (failed or isinstance(self.model_error, NotAskedError)):
            raise type(self.model_error)(*self.model_error.args)
        if standing.error is not None or standing.state is None:
            raise CompactionError(standing.error or "there is no view")
        try:
            return await self._feeder.rendered(standing.state, question)
        except CompactorError as error:
            raise CompactionError(f"{error} (case {self.case.id})") from error


class Engine:
    """Shares work between items: one compaction a case, strategy and trial; one answer a probe."""

    def __init__(
        self,
        roles: Roles,
        create: Callable[[str], Compactor[State]],
        trigger: Trigger,
        pass_score: float,
        timeout: float,
        concurrency: int,
        caller: Caller | None = None,
    ) -> None:
        self._roles = roles
        self._caller = caller
        self._create = create
        self._trigger = trigger
        self._timeout = timeout
        self._pass_score = pass_score
        self._selected: Mapping[tuple[str, Arm], Sequence[tuple[Probe, bool]]] = {}
        self._tasks: dict[Hashable, asyncio.Task[Any]] = {}
        self._askers: dict[int, tuple[Responder, PanelJudge]] = {}
        self._loop = asyncio.new_event_loop()
        self._limit = asyncio.Semaphore(concurrency)
        self._thread: threading.Thread | None = None

    def select(self, selected: Mapping[tuple[str, Arm], Sequence[tuple[Probe, bool]]]) -> None:
        """Tell which probes of which case will be asked, and which of the answers judged."""
        self._selected = selected

    def compaction(self, case: Case, arm: Arm) -> Compaction:
        """The compaction of a case; made once, then shared. Blocks."""
        return self.wait(self._once(("compaction", case.id, arm), lambda: self._compact(case, arm)))

    def response(self, compaction: Compaction, probe: Probe) -> Response:
        """The answer to a probe; made once. Blocks."""
        return self.wait(self._answer_once(compaction, probe))

    def verdict(self, response: Response) -> Verdict:
        """The verdict on a response; made once. Blocks."""
        return self.wait(self._verdict_once(response))

    async def once(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What was made for a key; made now if it was not. For work that runs on this engine."""
        return await self._once(key, make)

    def begin(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        """Start work for a key without waiting; what goes wrong is raised where it is asked for."""
        if key not in self._tasks:
            self._tasks["ahead", key] = asyncio.ensure_future(self._ahead(key, make))

    async def _ahead(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        with contextlib.suppress(Exception):
            await self._once(key, make)

    @property
    def limit(self) -> asyncio.Semaphore:
        """Requests in flight at most, shared by all that runs on this engine."""
        return self._limit

    def metered(self, model: Model) -> MeteredModel:
        """A meter over a model that asks on this engine's loop, within its limit."""
        return MeteredModel(model, self._loop, self._limit)

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the engine's loop and wait for it."""
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._loop.run_forever, name="compaction-engine", daemon=True
            )
            self._thread.start()
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def close(self) -> None:
        """Cancel what is still under way and stop the loop."""
        if self._thread is not None:
            asyncio.run_coroutine_threadsafe(self._cancel(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._thread = None
        if not self._loop.is_closed():
            self._loop.close()

    async def _cancel(self) -> None:
        under_way = asyncio.all_tasks() - {asyncio.current_task()}
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        if self._caller is not None:
            await self._caller.close()

    def _at_trial(self, trial: int) -> tuple[Responder, PanelJudge]:
        """Who answers and who judges in a trial."""
        if trial not in self._askers:
            roles = self._roles
            judges = [RubricJudge(model.at_trial(trial)) for model in roles.judges]
            self._askers[trial] = (
                Responder(roles.responder.at_trial(trial), roles.tokens),
                PanelJudge(judges, self._pass_score, self._limit),
            )
        return self._askers[trial]

    async def _once(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        task: asyncio.Task[T] | None = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = asyncio.ensure_future(make())
        return await asyncio.shield(task)

    async def _compact(self, case: Case, arm: Arm) -> Compaction:
        model = self.metered(self._roles.compaction.at_trial(arm.trial))
        context = Context(case.window, case.budget, self._roles.tokens, model)
        compactor = self._create(arm.compactor)
        feeder = Feeder(case, compactor, context, self._trigger, self._timeout)
        fed = await feeder.feed()
        compaction = Compaction(case, arm, fed, model.usage, feeder, self, model.error)
        for probe, judged in self._selected.get((case.id, arm), ()):
            work = self._prefetch(compaction, probe, judged)
            self._tasks["prefetch", case.id, arm, probe.id] = asyncio.ensure_future(work)
        return compaction

    async def _prefetch(self, compaction: Compaction, probe: Probe, judged: bool) -> None:
        """Answer and judge ahead; what goes wrong is raised again where an item asks for it."""
        with contextlib.suppress(Exception):
            response = await self._answer_once(compaction, probe)
            if judged:
                await self._verdict_once(response)

    async def _answer_once(self, compaction: Compaction, probe: Probe) -> Response:
        key = ("answer", compaction.case.id, compaction.arm, probe.id)
        return await self._once(key, lambda: self._answer_or_spent(compaction, probe))

    async def _verdict_once(self, response: Response) -> Verdict:
        key = ("verdict", response.case.id, response.arm, response.probe.id, response.text)
        return await self._once(key, lambda: self._verdict(response))

    async def _answer_or_spent(self, compaction: Compaction, probe: Probe) -> Response:
        """The answer; where there is none, what the compaction took is not forgotten."""
        try:
            return await self._answer(compaction, probe)
        except ChargedError as error:
            error.spent["compaction"] = compaction.usage
            raise

    async def _answer(self, compaction: Compaction, probe: Probe) -> Response:
        view = await compaction.view_at(probe.point, probe.question)
        standing = compaction.fed.standings[probe.point]
        reply = AnswerReply("")
        failure = standing.failure
        if failure is not None and compaction.model_error is not None:
            failure = str(compaction.model_error)
        responder, _ = self._at_trial(compaction.arm.trial)
        responder.check(view.parameters)
        read = seen(View(view.messages), None, self._roles.tokens)
        if failure is None:
            async with self._limit:
                reply = await responder.answer(
                    view.messages, probe.question, probe.answer, view.parameters
                )
            read = seen(view, reply.applied, self._roles.tokens)
            failure = read.problem
        asked = [to_chat(view.messages), probe.question]
        prompt = canonical_json([*asked, view.parameters] if view.parameters else asked)
        return Response(
            text=reply.text,
            probe=probe,
            case=compaction.case,
            arm=compaction.arm,
            log_tokens=standing.log_tokens,
            view_tokens=read.tokens,
            survives=survived(probe.facts, view_index(read.messages)),
            prompt_hash=short_hash(prompt),
            usage=reply.usage,
            compaction_usage=compaction.usage,
            latency_s=reply.latency_s,
            steps=compaction.steps,
            failure=failure,
        )

    async def _verdict(self, response: Response) -> Verdict:
        if response.failure is not None:
            return unscored_verdict(
                response.failure, response.probe, response.survives, self._pass_score
            )
        _, judge = self._at_trial(response.arm.trial)
        return await judge.verdict(response.case, response.probe, response.text, response.survives)
