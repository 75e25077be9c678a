"""Runs cases side by side, in the order of their items, and keeps what they share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

from pytest_compaction.case.case import Case, Probe
from pytest_compaction.conversation.messages import Message
from pytest_compaction.judges import Verdict
from pytest_compaction.models.offline import model as offline
from pytest_compaction.models.protocol import JudgeReply
from pytest_compaction.models.usage import Usage
from pytest_compaction.run.case_work import CaseWork, Method
from pytest_compaction.run.compaction import Compaction
from pytest_compaction.run.feeder import Step
from pytest_compaction.run.plan import Key, Plan, PlannedProbe
from pytest_compaction.run.response import Arm, Response

_AHEAD: Final = 2
"""Cases that are open at most; as a multiple of the requests that may fly, if any may."""
OPEN: Final = 32
"""The same if that is more, so that requests need not wait for the figures of earlier items."""
OPEN_CHARACTERS: Final = 20_000_000
"""While requests may fly, further cases are opened as long as the logs of all open ones have
fewer characters: what bounds the memory is not how many they are but how long."""


class Engine:
    """Runs cases: one compaction for each case, strategy and trial; one answer for each probe.

    ``case_of`` gives the case of an id, and ``forget`` lets it go when its items are done.

    While models at an endpoint are asked, further cases are begun as long as fewer requests
    fly than may; ``waits`` says that strategies ask such models too. Where rules do all the work,
    one case is begun after the other. ``work_on`` makes the work on a case, which may be done
    elsewhere; then as many cases are open as ``ahead`` says.
    """

    def __init__(
        self,
        method: Method,
        case_of: Callable[[str], Case] | None = None,
        forget: Callable[[str], object] | None = None,
        waits: bool = False,
        work_on: Callable[..., CaseWork] = CaseWork,
        ahead: Callable[[], int] | None = None,
    ) -> None:
        self.method = method
        self._work = method.work
        self._work_on = work_on
        self._most_open = ahead
        rules = all(model.name == offline.NAME for model in method.roles.all)
        self._one_by_one = rules and not waits and ahead is None
        self._window = _AHEAD if self._one_by_one else max(OPEN, _AHEAD * method.work.limit.most)
        self._case_of = case_of
        self._forget = forget
        self._plan = Plan()
        self._works: dict[Key, CaseWork] = {}
        self._open_characters = 0
        self._finished: asyncio.Event | None = None
        self._ahead: asyncio.Task[None] | None = None

    def select(self, planned: Iterable[PlannedProbe]) -> None:
        """Tell what the items of this process will ask, in their order."""
        self._plan.add(planned)

    def compaction(self, case: Case, arm: Arm) -> Compaction:
        """The compaction of a case; made once, then shared. Blocks."""
        work, (steps, usage) = self._work.wait(self._made(case, arm))

        def messages(point: int) -> tuple[Message, ...]:
            return self._work.wait(work.messages(point))

        def response(probe: Probe) -> Response:
            return self._work.wait(work.response(probe))

        return Compaction(case, arm, steps, usage, messages, response)

    def verdict(self, response: Response) -> Verdict:
        """The verdict on a response; its judges are asked once. Blocks."""
        work, replies = self._work.wait(self._replies(response))
        if not self._one_by_one:
            self._work.give_way()
        return work.verdict(response, replies)

    def finish(self, case: str, arm: Arm) -> None:
        """Tell that an item of a case is done. After the last one its views are let go."""
        self._work.tell(lambda: self._finish(case, arm))

    async def _made(self, case: Case, arm: Arm) -> tuple[CaseWork, tuple[tuple[Step, ...], Usage]]:
        work = self._open(case, arm)
        if self._ahead is None and self._case_of is not None:
            self._ahead = asyncio.ensure_future(self._open_ahead(self._case_of))
        return work, await work.made()

    async def _replies(self, response: Response) -> tuple[CaseWork, list[JudgeReply]]:
        work = self._open(response.case, response.arm)
        return work, await work.replies(response)

    def _open(self, case: Case, arm: Arm) -> CaseWork:
        """The work on a case; begun now if nobody has begun it."""
        key = (case.id, arm)
        self._plan.opened(key)
        work = self._works.get(key)
        if work is None:
            planned = self._plan.of(key)
            rank = planned.rank if planned else 0
            work = self._works[key] = self._work_on(case, arm, self.method, rank, planned)
            self._open_characters += work.characters
            work.run_ahead()
        return work

    async def _open_ahead(self, case_of: Callable[[str], Case]) -> None:
        """Begin one case after the other while there is room for requests."""
        self._finished = asyncio.Event()
        while True:
            key = self._plan.next
            if key is None:
                return
            if not await self._has_room():
                continue
            await self._begin(key, case_of)

    async def _has_room(self) -> bool:
        """Wait for room; false if time has gone by, so that the plan may have changed."""
        if self._is_full and self._finished is not None:
            self._finished.clear()
            await self._finished.wait()
            return False
        if self._one_by_one:
            under_way = [work.run_ahead() for work in self._works.values()]
            waiting = [task for task in under_way if not task.done()]
            if waiting:
                await asyncio.wait(waiting)
            return not waiting
        if self._work.limit.has_room:
            return True
        await self._work.limit.room()
        return False

    @property
    def _is_full(self) -> bool:
        """Whether as many cases are open as may be."""
        if self._most_open is not None:
            return len(self._works) >= self._most_open()
        if len(self._works) <= self._window:
            return False
        return self._one_by_one or self._open_characters >= OPEN_CHARACTERS

    async def _begin(self, key: Key, case_of: Callable[[str], Case]) -> None:
        """Begin the work on a case, and wait until it asks a model or is done."""
        id, arm = key
        try:
            case = await asyncio.to_thread(case_of, id)
        except Exception:
            # The item that asks for the case raises the same, where it can be reported.
            self._plan.opened(key)
            return
        if self._plan.of(key) is not None:
            await self._open(case, arm).begun.wait()

    def _finish(self, case: str, arm: Arm) -> None:
        if not self._plan.finish((case, arm)):
            return
        work = self._works.pop((case, arm), None)
        if work is not None:
            self._open_characters -= work.characters
            work.close()
        if self._forget is not None and not self._plan.needs(case):
            self._forget(case)
        if self._finished is not None:
            self._finished.set()
