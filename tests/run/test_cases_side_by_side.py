"""The engine runs cases side by side: as many requests as may, in item order, and lets go."""

import asyncio
import gc
import inspect
import threading
import time
import weakref
from collections import Counter
from dataclasses import replace

import pytest
from support.builders import COUNTER, build_case
from support.measuring import offline_settings

from pytest_compaction.compactors import named_strategies
from pytest_compaction.models import OfflineModel, current_slot
from pytest_compaction.run import (
    Arm,
    CaseWork,
    Engine,
    Method,
    PlannedProbe,
    Roles,
    RunStoppedError,
    Trigger,
    WorkLoop,
    engine,
)

ARM = Arm("anchored")


class Asking(OfflineModel):
    """Rules behind a wait, as behind an endpoint; counts what flies, in which order it began.

    The first requests are answered once as many as ``expected`` fly.
    """

    name = "asking"

    def __init__(self, expected=1):
        super().__init__(COUNTER)
        self.expected = expected
        self.flying = self.most = 0
        self.begun = []
        self.enough = asyncio.Event()

    def at_trial(self, trial):
        return self

    async def summarize(self, request):
        return await self._fly("summarize", super().summarize, request)

    async def answer(self, request):
        return await self._fly("answer", super().answer, request)

    async def judge(self, request):
        return await self._fly("judge", super().judge, request)

    async def _fly(self, what, method, request):
        async with current_slot():
            return await self._flight(what, method, request)

    async def _flight(self, what, method, request):
        self.begun.append(what)
        self.flying += 1
        self.most = max(self.most, self.flying)
        if self.flying >= self.expected:
            self.enough.set()
        try:
            await asyncio.wait_for(self.enough.wait(), 20)
            await asyncio.sleep(0.01)
            return await method(request)
        finally:
            self.flying -= 1


class Bench:
    """An engine over some cases, and what it asked for."""

    def __init__(self, count, slots, model=None):
        self.cases = {f"case-{n:02}": build_case(id=f"case-{n:02}") for n in range(count)}
        self.model = model or Asking()
        self.parsed, self.forgotten, self.said = Counter(), [], []
        self.work = WorkLoop(slots)
        registry, (spec,) = named_strategies(["anchored"], {})
        method = Method(
            Roles(self.model, self.model, (self.model,), COUNTER),
            lambda name: registry.create(spec),
            Trigger("case"),
            offline_settings(timeout=30.0),
            self.work,
            nulls="none",
        )
        self.engine = Engine(method, self.case_of, self.forgotten.append)

    def case_of(self, id):
        self.parsed[id] += 1
        return self.cases[id]

    def until_stopped(self, case):
        """Ask for an answer that the end of the run prevents."""
        try:
            self.engine.compaction(case, ARM).ask(case.probes[0])
        except RunStoppedError as error:
            self.said.append(str(error))

    @property
    def asked(self):
        return [
            PlannedProbe(case.id, ARM, probe.id)
            for case in self.cases.values()
            for probe in case.probes
        ]

    def run(self):
        """What pytest does: one item after the other."""
        for one in self.asked:
            case = self.cases[one.case]
            (probe,) = (probe for probe in case.probes if probe.id == one.probe)
            self.engine.verdict(self.engine.compaction(case, ARM).ask(probe))
            self.engine.finish(one.case, one.arm)


@pytest.fixture
def bench():
    made = []

    def make(*arguments):
        made.append(Bench(*arguments))
        return made[-1]

    yield make
    for each in made:
        each.work.close()


def test_as_many_requests_fly_as_may_with_cases_enough(bench):
    side_by_side = bench(12, 6, Asking(expected=6))
    side_by_side.engine.select(side_by_side.asked)
    side_by_side.run()
    assert side_by_side.model.most == 6
    calls = Counter(side_by_side.model.begun)
    assert calls["answer"] == calls["judge"] == len(side_by_side.asked)


def test_a_case_is_compacted_and_answered_once_however_many_run_side_by_side(bench):
    alone, many = bench(6, 1), bench(6, 8)
    for each in (alone, many):
        each.engine.select(each.asked)
        each.run()
    assert Counter(alone.model.begun) == Counter(many.model.begun)
    assert alone.model.most == 1


def test_a_later_case_is_not_begun_while_all_slots_are_wanted(bench):
    one_slot = bench(8, 1)
    one_slot.engine.select(one_slot.asked)
    first = one_slot.cases["case-00"]
    one_slot.engine.compaction(first, ARM).ask(first.probes[0])
    assert len(one_slot.parsed) < 4


def test_what_no_item_asked_for_is_not_paid_for(bench):
    deselected = bench(4, 8)
    only = deselected.asked[0]
    deselected.engine.select([only])
    case = deselected.cases[only.case]
    deselected.engine.verdict(deselected.engine.compaction(case, ARM).ask(case.probes[0]))
    calls = Counter(deselected.model.begun)
    assert (calls["answer"], calls["judge"]) == (1, 1)
    assert not deselected.parsed


def test_an_item_that_may_not_run_is_asked_when_it_runs_and_keeps_its_case_open(bench):
    unsure = bench(3, 8)
    case, skipped = unsure.cases["case-00"], unsure.cases["case-01"]
    first, *rest = case.probes
    unsure.engine.select(
        [
            PlannedProbe(case.id, ARM, first.id, ahead=False),
            *(PlannedProbe(case.id, ARM, probe.id) for probe in rest),
            *(PlannedProbe(skipped.id, ARM, probe.id, ahead=False) for probe in skipped.probes),
        ]
    )
    for probe in (*rest, first):
        assert not unsure.forgotten
        unsure.engine.verdict(unsure.engine.compaction(case, ARM).ask(probe))
        calls = Counter(unsure.model.begun)
        assert calls["answer"] <= len(rest) or probe is first
        unsure.engine.finish(case.id, ARM)
    unsure.work.wait(asyncio.sleep(0.05))
    assert unsure.forgotten == [case.id]
    assert Counter(unsure.model.begun)["judge"] == len(case.probes)
    assert not unsure.parsed, "the case of items that may not run was not begun"


def test_nothing_is_asked_any_more_once_the_run_is_stopped(bench):
    stopped = bench(6, 4, Asking(expected=99))
    stopped.engine.select(stopped.asked)
    case = stopped.cases["case-00"]
    waiting = threading.Thread(target=stopped.until_stopped, args=(case,))
    waiting.start()
    while stopped.model.flying < 4:
        time.sleep(0.001)
    stopped.work.stop()
    waiting.join()
    assert stopped.said == ["the run was stopped before this was asked or answered"]
    assert (stopped.model.flying, len(stopped.model.begun)) == (0, 4)
    stopped.until_stopped(stopped.cases["case-05"])
    assert len(stopped.said) == 2
    assert len(stopped.model.begun) == 4


def test_work_that_is_cancelled_before_its_first_step_is_closed():
    loop = WorkLoop(1)
    loop.wait(asyncio.sleep(0))
    held = threading.Event()
    loop.tell(held.wait)
    stopping = threading.Thread(target=loop.stop)
    work, said = asyncio.sleep(0), []

    def wait() -> None:
        try:
            loop.wait(work)
        except RunStoppedError as error:
            said.append(str(error))

    waiting = threading.Thread(target=wait)
    for thread in (stopping, waiting):  # the loop comes to them in this order
        thread.start()
        time.sleep(0.05)
    held.set()
    stopping.join()
    waiting.join()
    assert said == ["the run was stopped before this was asked or answered"]
    assert inspect.getcoroutinestate(work) == inspect.CORO_CLOSED
    loop.close()


def test_nothing_is_asked_before_the_first_item_runs(bench):
    waiting = bench(4, 8)
    waiting.engine.select(waiting.asked)
    assert waiting.model.begun == []


def test_a_case_is_let_go_after_its_last_item(bench):
    released = bench(5, 4)
    released.engine.select(released.asked)
    case = released.cases["case-00"]
    for probe in case.probes:
        response = weakref.ref(released.engine.compaction(case, ARM).ask(probe))
        released.engine.finish(case.id, ARM)
    released.work.wait(asyncio.sleep(0.05))
    gc.collect()
    assert released.forgotten == ["case-00"]
    assert response() is None


@pytest.mark.parametrize("are_long", [True, False])
def test_only_a_window_of_cases_is_open_while_items_are_not_done(bench, monkeypatch, are_long):
    monkeypatch.setattr(engine, "OPEN", 4)
    monkeypatch.setattr(engine, "OPEN_CHARACTERS", 1 if are_long else 10**9)
    window = bench(30, 2)
    window.engine.select(window.asked)
    case = window.cases["case-00"]
    window.engine.compaction(case, ARM)
    window.work.wait(asyncio.sleep(1.0))
    assert len(window.parsed) <= 5 if are_long else len(window.parsed) > 20


def test_time_spent_waiting_for_a_slot_is_not_the_strategys(bench):
    crowded = bench(2, 1, Asking(expected=1))
    case = crowded.cases["case-00"]

    async def hold_the_slot():
        async with crowded.work.limit.at(0):
            begun = asyncio.ensure_future(compact())
            await asyncio.sleep(1.0)
        return await begun

    async def compact():
        method = replace(crowded.engine.method, settings=offline_settings(timeout=0.7))
        work = CaseWork(case, ARM, method, None)
        return await work.compacted()

    made = crowded.work.wait(hold_the_slot())
    assert [step.error for step in made.steps] == [None] * len(case.points)


def test_a_case_that_cannot_be_opened_leaves_the_others_alone(bench):
    broken = bench(3, 4)
    del broken.cases["case-01"]
    asked = broken.asked
    broken.engine.select([PlannedProbe("case-01", ARM, "gone"), *asked])
    broken.run()
    assert Counter(broken.model.begun)["judge"] == len(asked)


def test_rules_take_one_case_after_the_other(bench):
    by_rules = bench(5, 8, OfflineModel(COUNTER))
    by_rules.engine.select(by_rules.asked)
    case = by_rules.cases["case-00"]
    by_rules.engine.verdict(by_rules.engine.compaction(case, ARM).ask(case.probes[0]))
    by_rules.work.wait(asyncio.sleep(0.3))
    assert len(by_rules.parsed) <= 3
