"""The engine whose groups are tasks: the face of the local one, in order, bounded, paid once."""

import threading
import time
from contextlib import contextmanager
from dataclasses import replace

import pytest
from support.builders import COUNTER, build_case
from support.remote import ByHand, briefing, perform_here, threads

from pytest_compaction.compactors.registry import named_strategies
from pytest_compaction.models.calls.prices import prices_at
from pytest_compaction.models.chat.prompts import Prompts
from pytest_compaction.models.offline.model import OfflineModel
from pytest_compaction.run.asked import Asked
from pytest_compaction.run.engine import Engine
from pytest_compaction.run.loops.work_loop import WorkLoop
from pytest_compaction.run.remote import engine as module
from pytest_compaction.run.remote.dispatcher import Dispatcher
from pytest_compaction.run.remote.engine import RemoteEngine
from pytest_compaction.run.remote.intake import Intake
from pytest_compaction.run.remote.result import TaskError
from pytest_compaction.run.response import Arm, Roles
from pytest_compaction.run.triggers import Trigger

STRATEGY = "truncate"
ARM = Arm(STRATEGY)
CASES = {f"c{n}": replace(build_case(), id=f"c{n}", digest=f"d{n}") for n in range(12)}


class Counting(Engine):
    """A local engine that counts what it is asked."""

    asked = 0

    def compaction(self, case, arm):
        self.asked += 1
        return super().compaction(case, arm)


@contextmanager
def engine_on(opener, given=None, concurrency=8, cases=CASES.__getitem__):
    registry, specs = named_strategies([STRATEGY], {})
    model = OfflineModel(COUNTER)
    work = WorkLoop(4)
    local = Counting(
        Roles(model, model, (model,), COUNTER),
        lambda _: registry.create(specs[0]),
        Trigger("case"),
        3.5,
        60.0,
        work,
    )
    intake = Intake(None, registry, {STRATEGY: specs[0]}, COUNTER)
    remote = RemoteEngine(
        local,
        Dispatcher(opener, "threads"),
        intake,
        given or briefing(),
        cases,
        concurrency,
    )
    try:
        yield remote, local
    finally:
        remote.close()
        work.close()


def everything(cases=CASES, trials=1):
    return [
        Asked(case.id, replace(ARM, trial=trial), probe.id)
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


def test_a_case_is_measured_as_the_local_engine_measures_it():
    with engine_on(threads(2)) as (remote, local):
        remote.connect()
        remote.select(everything())
        for case in CASES.values():
            assert measured(remote, case) == measured(local, case)
            there, here = remote.compaction(case, ARM), local.compaction(case, ARM)
            assert there.steps == here.steps
            assert there.usage == here.usage
            assert there.view() == here.view()
            assert there.view(0) == here.view(0)


def test_the_local_engine_has_nothing_to_do_for_what_was_selected():
    with engine_on(threads(2)) as (remote, local):
        remote.connect()
        remote.select(everything(trials=2))
        for case in CASES.values():
            for trial in (1, 2):
                measured(remote, case, replace(ARM, trial=trial))
        assert local.asked == 0


def test_what_no_task_was_told_of_is_done_here():
    case = CASES["c0"]
    made_up = replace(case.probes[0], id="made-up", question="Which port?")
    with engine_on(threads(1)) as (remote, local):
        remote.connect()
        remote.select([Asked("c0", ARM, case.probes[0].id, judged=False)])
        compaction = remote.compaction(case, ARM)
        assert compaction.ask(made_up).probe is made_up
        assert local.asked == 1
        verdict = remote.verdict(compaction.ask(case.probes[0]))
        assert verdict.overall is not None
        assert remote.compaction(CASES["c1"], ARM).steps
        other = replace(case, digest="another")
        assert remote.compaction(other, ARM).case is other
        assert local.asked == 3


def test_tasks_are_handed_out_in_the_order_of_items_and_only_some_ahead():
    hand = ByHand()
    with engine_on(lambda: hand.opened(slots=1)) as (remote, _):
        remote.connect()
        remote.select(everything())

        def end(number):
            while len(hand.futures) <= number:
                time.sleep(0.001)
            hand.futures[number].set_result(perform_here(hand.parcels[number].task()))

        first = threading.Thread(target=end, args=(0,))
        first.start()
        remote.compaction(CASES["c0"], ARM)
        first.join()
        ids = [parcel.task().case.id for parcel in hand.parcels]
        assert ids == ["c0", "c1", "c2"], "two under way for one slot, and one that has ended"
        for number in range(1, 20):
            if number < len(hand.futures):
                end(number)
            remote.compaction(CASES["c0"], ARM)
        ids = [parcel.task().case.id for parcel in hand.parcels]
        assert ids == [f"c{n}" for n in range(len(ids))]
        assert len(ids) < len(CASES), "items of the first case do not let the last one begin"


def test_a_case_is_parsed_when_its_task_is_handed_out_and_only_some_ahead():
    hand, parsed = ByHand(), set()

    def cases(id):
        parsed.add(id)
        return CASES[id]

    with engine_on(lambda: hand.opened(slots=1), cases=cases) as (remote, _):
        remote.connect()
        remote.select(everything())
        assert not parsed
        remote._begin_more()
        assert parsed == {parcel.task().case.id for parcel in hand.parcels} == {"c0", "c1"}


def test_an_item_that_may_not_run_is_in_no_task():
    hand = ByHand()
    probes = CASES["c0"].probes
    with engine_on(lambda: hand.opened(slots=1)) as (remote, _):
        remote.connect()
        unsure = [Asked("c1", ARM, CASES["c1"].probes[0].id, ahead=False)]
        remote.select([*unsure, Asked("c0", ARM, probes[0].id)])
        remote._begin_more()
        (parcel,) = hand.parcels
        assert parcel.task().asked == ((probes[0], True),)


@pytest.mark.parametrize(("slots", "concurrency"), [(2, 8), (3, 8), (4, 2), (1, 1), (16, 5)])
def test_all_tasks_together_stay_within_the_requests_in_flight(monkeypatch, slots, concurrency):
    monkeypatch.setattr(module, "GRACE_SECONDS", 0.0)
    paying = briefing(prompts=Prompts.load(), prices=prices_at(None))
    hand = ByHand()
    with engine_on(lambda: hand.opened(slots), paying, concurrency) as (remote, _):
        remote.connect()
        remote.select(everything())

        def fail():
            while not hand.futures:
                time.sleep(0.001)
            hand.futures[0].set_result("no")

        ending = threading.Thread(target=fail)
        ending.start()
        with pytest.raises(TaskError, match="case c0 with truncate could not be measured: no"):
            remote.compaction(CASES["c0"], ARM)
        ending.join()
        shares = [parcel.task().concurrency for parcel in hand.parcels]
        running = sum(not future.done() for future in hand.futures)
        assert running * shares[0] <= concurrency
        assert running == min(slots, concurrency)


def test_results_are_dropped_when_their_items_are_done():
    with engine_on(threads(2)) as (remote, _):
        remote.connect()
        remote.select(everything())
        for case in CASES.values():
            measured(remote, case)
            for _ in case.probes:
                assert (case.id, ARM) in remote._found
                remote.finish(case.id, ARM)
            assert not {id for id, _ in remote._found if int(id[1:]) <= int(case.id[1:])}


def test_items_that_never_run_do_not_keep_later_ones_waiting():
    with engine_on(threads(1)) as (remote, _):
        remote.connect()
        remote.select(everything())
        assert measured(remote, CASES["c11"])
        assert measured(remote, CASES["c3"]), "an item that comes out of its order"
        assert measured(remote, CASES["c11"]), "and one that was done before"


def test_a_result_that_cannot_be_taken_in_is_an_error_of_one_item_and_made_again_for_the_next():
    with engine_on(threads(1)) as (remote, local):
        accepts, failed = remote._intake.accepts, []

        def full_disk(result):
            if not failed:
                failed.append(result)
                raise OSError("no space left")
            return accepts(result)

        remote._intake.accepts = full_disk
        remote.connect()
        remote.select(Asked("c0", ARM, probe.id) for probe in CASES["c0"].probes)
        with pytest.raises(OSError, match="no space left"):
            remote.compaction(CASES["c0"], ARM)
        assert measured(remote, CASES["c0"]) == measured(local, CASES["c0"])
        assert len(failed) == 1


def test_the_end_of_a_session_cancels_what_is_outstanding():
    hand = ByHand()
    with engine_on(lambda: hand.opened(slots=1)) as (remote, _):
        remote.connect()
        remote.select(everything())
        remote._begin_more()
        assert len(hand.futures) == 2
        remote.close()
        assert all(future.cancelled() for future in hand.futures)
        assert hand.closed
