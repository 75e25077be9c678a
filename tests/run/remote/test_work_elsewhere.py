"""Work on cases that tasks do: as it is done here, in order, bounded, and let go."""

import threading
import time
from contextlib import contextmanager
from dataclasses import replace

import pytest
from support.builders import COUNTER, build_case
from support.remote import SETTINGS, ByHand, briefing, perform_here, threads, unpacked

from pytest_compaction.compactors import named_strategies
from pytest_compaction.models import OfflineModel
from pytest_compaction.run import (
    Arm,
    CaseWork,
    Elsewhere,
    Engine,
    Method,
    PlannedProbe,
    Roles,
    Tasks,
    Trigger,
    WorkLoop,
)
from pytest_compaction.run.remote import TaskError

STRATEGY = "truncate"
ARM = Arm(STRATEGY)
CASES = {f"c{n}": replace(build_case(), id=f"c{n}", digest=f"d{n}") for n in range(12)}


@contextmanager
def engines(opener, concurrency=8, most=0, cases=CASES.__getitem__):
    """An engine whose cases are measured by tasks, and one that does all the work here."""
    registry, specs = named_strategies([STRATEGY], {})
    model = OfflineModel(COUNTER)
    roles = Roles(model, model, (model,), COUNTER)
    tasks = Tasks(opener, "threads", most)
    tasks.connect()
    given = briefing(settings=replace(SETTINGS, concurrency=concurrency))
    elsewhere = Elsewhere(tasks, given, registry, None)

    def create(name):
        return registry.create(specs[0])

    def engine(work, **where):
        settings = replace(given.settings, timeout=60.0)
        method = Method(roles, create, Trigger("case"), settings, work)
        return Engine(method, cases, **where)

    loops = WorkLoop(4), WorkLoop(4)
    remote = engine(loops[0], executor=elsewhere)
    try:
        yield remote, engine(loops[1])
    finally:
        tasks.close()
        for loop in loops:
            loop.close()


@pytest.fixture
def done_here(monkeypatch):
    """The cases that were compacted here."""
    found, compact = [], CaseWork._compact

    def counted(work):
        found.append(work.case.id)
        return compact(work)

    monkeypatch.setattr(CaseWork, "_compact", counted)
    return found


def everything(cases=CASES, trials=1):
    return [
        PlannedProbe(case.id, replace(ARM, trial=trial), probe.id)
        for case in cases.values()
        for trial in range(1, trials + 1)
        for probe in case.probes
    ]


def measured(engine, case, arm=ARM):
    """What the items of a case do, one after the other."""
    found = []
    for probe in case.probes:
        response = engine.compaction(case, arm).ask(probe)
        found.append((response, engine.verdict(response)))
    return found


def until(met):
    for _ in range(2000):
        if met():
            return
        time.sleep(0.005)
    raise AssertionError


def ids(hand):
    return [unpacked(sent).case.id for sent in hand.tasks]


@contextmanager
def item_of(remote, case):
    """An item that waits for the compaction of a case, in a thread of its own."""
    found = []

    def ask():
        try:
            found.append(remote.compaction(case, ARM))
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    yield found
    thread.join(20)
    assert not thread.is_alive()


def test_a_case_is_measured_as_it_is_measured_here():
    with engines(threads(2)) as (remote, local):
        remote.select(everything())
        for case in CASES.values():
            assert measured(remote, case) == measured(local, case)
            there, here = remote.compaction(case, ARM), local.compaction(case, ARM)
            assert there.steps == here.steps
            assert there.usage == here.usage
            assert there.view() == here.view()
            assert there.view(0) == here.view(0)


def test_nothing_is_done_here_for_what_was_selected():
    hand = ByHand()
    with engines(hand.opened) as (remote, _):
        remote.select(everything(trials=2))
        for case in CASES.values():
            for trial in (1, 2):
                arm = replace(ARM, trial=trial)
                answered = threading.Thread(target=measured, args=(remote, case, arm))
                answered.start()
                while answered.is_alive():
                    for sent, future in zip(hand.tasks, hand.futures, strict=True):
                        if not future.done():
                            future.set_result(perform_here(unpacked(sent)))
                    answered.join(0.01)
                for _ in case.probes:
                    remote.finish(case.id, arm)
        assert len(hand.tasks) == 2 * len(CASES)


def test_what_no_task_was_told_of_is_done_here(done_here):
    case = CASES["c0"]
    made_up = replace(case.probes[0], id="made-up", question="Which port?")
    hand = ByHand()
    with engines(hand.opened) as (remote, _):
        remote.select([PlannedProbe("c0", ARM, case.probes[0].id, judged=False)])
        with item_of(remote, case):
            until(lambda: hand.futures)
            hand.futures[0].set_result(b"")
            until(lambda: hand.futures[0].done())
        assert not done_here
    with engines(threads(1)) as (remote, _):
        remote.select([PlannedProbe("c0", ARM, case.probes[0].id, judged=False)])
        compaction = remote.compaction(case, ARM)
        done_here.clear()
        assert compaction.ask(made_up).probe is made_up
        assert done_here == ["c0"]
        assert remote.verdict(compaction.ask(case.probes[0])).overall is not None
        assert remote.compaction(CASES["c1"], ARM).steps
        assert done_here == ["c0", "c1"]


def test_tasks_are_handed_out_in_the_order_of_items_and_only_some_ahead():
    hand, parsed = ByHand(), []

    def cases(id):
        parsed.append(id)
        return CASES[id]

    with engines(lambda: hand.opened(slots=1), cases=cases) as (remote, _):
        remote.select(everything())
        assert not parsed
        with item_of(remote, CASES["c0"]):
            until(lambda: len(hand.futures) == 2)
            assert ids(hand) == ["c0", "c1"], "one for the slot, and one that is there when it ends"
            hand.futures[0].set_result(perform_here(unpacked(hand.tasks[0])))
        until(lambda: len(hand.futures) == 3)
        assert parsed == ["c1", "c2", "c3"], "the item that runs does not let later ones begin"
        for _ in CASES["c0"].probes:
            remote.finish("c0", ARM)
        until(lambda: parsed == ["c1", "c2", "c3", "c4"])


def test_an_item_that_may_not_run_is_in_no_task():
    hand = ByHand()
    probes = CASES["c0"].probes
    with engines(lambda: hand.opened(slots=1)) as (remote, _):
        unsure = [PlannedProbe("c1", ARM, CASES["c1"].probes[0].id, ahead=False)]
        remote.select([*unsure, PlannedProbe("c0", ARM, probes[0].id)])
        with item_of(remote, CASES["c0"]):
            until(lambda: hand.futures)
            (sent,) = hand.tasks
            assert list(unpacked(sent).planned.probes) == [probes[0].id]
            hand.futures[0].set_result("no")


@pytest.mark.parametrize(("slots", "concurrency"), [(2, 8), (3, 8), (4, 2), (1, 1), (16, 5)])
def test_all_tasks_together_stay_within_the_requests_in_flight(slots, concurrency):
    hand = ByHand()
    room = min(slots, concurrency)
    with engines(lambda: hand.opened(slots), concurrency, most=concurrency) as (remote, _):
        remote.select(everything())
        with item_of(remote, CASES["c0"]) as found:
            until(lambda: len(hand.futures) == room)
            hand.futures[0].set_result("no")
        assert isinstance(found[0], TaskError)
        assert str(found[0]) == "case c0 with truncate could not be measured: no"
        until(lambda: len(hand.futures) == min(room + 1, len(CASES)))
        shares = [unpacked(sent).concurrency for sent in hand.tasks]
        running = sum(not future.done() for future in hand.futures)
        assert running * shares[0] <= concurrency
        assert running == room


def test_results_are_dropped_when_their_items_are_done():
    with engines(threads(2)) as (remote, _):
        remote.select(everything())
        for case in CASES.values():
            measured(remote, case)
            for _ in case.probes:
                assert (case.id, ARM) in remote._works
                remote.finish(case.id, ARM)
            until(lambda case=case: (case.id, ARM) not in remote._works)


def test_items_that_never_run_do_not_keep_later_ones_waiting():
    with engines(threads(1)) as (remote, _):
        remote.select(everything())
        assert measured(remote, CASES["c11"])
        assert measured(remote, CASES["c3"]), "an item that comes out of its order"
        assert measured(remote, CASES["c11"]), "and one that was done before"


def test_the_end_of_a_session_cancels_what_is_outstanding():
    hand = ByHand()
    with engines(lambda: hand.opened(slots=1)) as (remote, _):
        remote.select(everything())
        with item_of(remote, CASES["c0"]):
            until(lambda: len(hand.futures) == 2)
            remote.method.work.stop()
    assert all(future.cancelled() for future in hand.futures)
    assert hand.closed
