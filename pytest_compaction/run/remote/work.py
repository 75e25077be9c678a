"""Work on cases that a task does elsewhere: the engine of a run waits for its result."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pytest_compaction.case.case import Case, Probe
from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import Spec
from pytest_compaction.conversation.messages import Message
from pytest_compaction.judges import Verdict
from pytest_compaction.models import Endpoints, JudgeReply, Usage
from pytest_compaction.run.engine import CaseWork, Method, PlannedCase
from pytest_compaction.run.feeder import Step
from pytest_compaction.run.remote.executor import Tasks
from pytest_compaction.run.remote.result import Failure, Result, TaskError, decoded, or_raise
from pytest_compaction.run.remote.task import Briefing, Collector, Task, measured, perform
from pytest_compaction.run.response import Arm, Response

_ROUNDS: Final = 4
"""How often a case is measured if each time another task has paid for one of its calls."""
_AHEAD: Final = 2
"""Cases that are open at most, as a multiple of the tasks that may be under way."""
GRACE_SECONDS: float = 10.0
"""How long the end of a session waits for tasks that pay for calls."""


@dataclass
class Elsewhere:
    """What the work on all cases of a run needs in order to be done by tasks.

    This process alone reads and writes the store and the accounts: ``endpoints`` are those of the
    run, ``None`` if all models work offline. ``reads_reference`` says that a role has the model
    of the reference run, whose replies count as stored.
    """

    tasks: Tasks
    briefing: Briefing
    registry: Registry
    specs: Sequence[Spec]
    endpoints: Endpoints | None
    reads_reference: bool = False
    _under_way: set[asyncio.Task[None]] = field(default_factory=set)

    def ahead(self) -> int:
        """How many cases may be open."""
        return _AHEAD * self.tasks.most

    def work(self, case: Case, arm: Arm, method: Method, planned: PlannedCase | None) -> CaseWork:
        """The work on a case: a task, or done here if nothing is known to be asked."""
        if planned is None or not planned.probes:
            return CaseWork(case, arm, method, planned)
        return _RemoteWork(self, case, arm, method, planned)

    async def result(
        self, task: Task, begun: asyncio.Event, composed: Callable[[Response], str]
    ) -> Result:
        """What a task finds; ``begun`` is set when it waits for its turn.

        It is measured again while its findings are of replies that do not count. ``composed``
        makes the answers that the task did not make.
        """
        me = asyncio.current_task()
        self._under_way.add(me) if me else None
        try:
            for _ in range(_ROUNDS):
                prepared = await self._prepared(task)
                begun.set()
                if isinstance(prepared, Result):
                    return prepared
                outcome = await self.tasks.outcome(perform, prepared.packed)
                found = _read(outcome, task, composed)
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
        """The task with the replies that the store has; if those are enough, what it finds.

        To find out which calls the task will make, it is done here with the store alone.
        """
        if self.endpoints is None:
            return task
        store = self.endpoints.caller
        if store.is_empty and not self.reads_reference:
            return task
        collector = Collector(store.held)
        [spec] = [each for each in self.specs if each.text == task.arm.compactor]
        tokens = self.endpoints.tokens
        found = await asyncio.to_thread(measured, task, self.registry, spec, tokens, collector)
        if collector.lacks_replies:
            return replace(task, replies=collector.replies)
        self.endpoints.accounts.book((), collector.stored)
        return found


class _RemoteWork(CaseWork):
    """The work on one case in one arm, done by a task. What the task was not told is done here."""

    def __init__(
        self,
        elsewhere: Elsewhere,
        case: Case,
        arm: Arm,
        method: Method,
        planned: PlannedCase,
    ) -> None:
        super().__init__(case, arm, method, planned)
        probes = {probe.id: probe for probe in case.probes}
        asked = tuple((probes[id], judged) for id, (_, judged) in planned.probes.items())
        share = max(1, elsewhere.briefing.settings.concurrency // elsewhere.tasks.most)
        self._elsewhere = elsewhere
        self._task_elsewhere = Task(elsewhere.briefing, case, arm, asked, share)
        self._found = Result()

    async def made(self) -> tuple[tuple[Step, ...], Usage]:
        """Every compaction that took place, and their usage."""
        found = await self._result()
        return found.steps, found.usage

    async def messages(self, point: int) -> tuple[Message, ...]:
        """The messages of the view after a point."""
        return or_raise((await self._result()).views[point])

    async def response(self, probe: Probe) -> Response:
        """The response to a probe."""
        found = await self._result()
        for (asked, _), (response, _) in zip(
            self._task_elsewhere.asked, found.answers, strict=True
        ):
            if asked == probe:
                return or_raise(response)
        return await super().response(probe)

    async def replies(self, response: Response) -> list[JudgeReply]:
        """What the judges say of a response that no task judged."""
        return [] if self._judged(response) else await super().replies(response)

    def verdict(self, response: Response, replies: Sequence[JudgeReply]) -> Verdict:
        """The verdict on a response."""
        known = self._judged(response)
        return or_raise(known) if known else super().verdict(response, replies)

    def _judged(self, response: Response) -> Verdict | Failure | None:
        return next((known for one, known in self._found.answers if one == response), None)

    async def _run_ahead(self) -> None:
        try:
            await self._result()
        finally:
            self.begun.set()

    async def _result(self) -> Result:
        self._found = await self.once("result", self._measured)
        return or_raise(self._found.failure or self._found)

    async def _measured(self) -> Result:
        composed = self._method.roles.composed
        return await self._elsewhere.result(self._task_elsewhere, self.begun, composed)


def _read(outcome: bytes | str, task: Task, composed: Callable[[Response], str]) -> Result:
    """The result that came back; one with a failure if none did, or none that can be read."""
    if isinstance(outcome, bytes):
        try:
            return decoded(outcome, task.case, task.asked, composed)
        except (KeyError, TypeError, ValueError, zlib.error) as error:
            outcome = f"the result of a worker cannot be read ({type(error).__name__})"
    where = f"case {task.case.id} with {task.arm.compactor} could not be measured"
    return Result(failure=Failure.of(TaskError(f"{where}: {outcome}")))


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
