"""Parcels that are handed out: all come back, and what is lost is handed out once more."""

from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool

import pytest
from support.remote import ByHand

from pytest_compaction.run.remote import dispatcher as module
from pytest_compaction.run.remote.dispatcher import Dispatcher
from pytest_compaction.run.remote.executors import ExecutorError


class LostWorkerError(Exception):
    """Stands in for the error of Dask."""


@pytest.fixture
def hand():
    return ByHand()


@pytest.fixture
def dispatcher(hand):
    return Dispatcher(hand.opened, "dask://here:1")


def test_what_ends_first_comes_back_first_under_its_key(dispatcher, hand):
    for key in "abc":
        dispatcher.hand_out(key, f"parcel {key}")
    hand.futures[1].set_result(b"second")
    assert dispatcher.finished() == [("b", b"second")]
    assert dispatcher.under_way == 2
    hand.futures[0].set_result("a sentence")
    hand.futures[2].set_result(b"third")
    assert sorted(dispatcher.finished()) == [("a", "a sentence"), ("c", b"third")]
    assert dispatcher.under_way == 0
    assert dispatcher.finished() == []


def test_looking_does_not_wait(dispatcher, hand):
    dispatcher.hand_out("a", "parcel")
    assert dispatcher.finished(0.0) == []
    assert dispatcher.under_way == 1


def test_a_lost_parcel_is_handed_out_again_alone(dispatcher, hand):
    dispatcher.hand_out("a", "parcel a")
    dispatcher.hand_out("b", "parcel b")
    hand.futures[0].set_exception(LostWorkerError("it is gone"))
    assert dispatcher.finished(0.0) == []
    assert dispatcher.is_careful
    assert len(hand.futures) == 2, "the other parcel is still out"
    hand.futures[1].set_result(b"b")
    assert dispatcher.finished() == [("b", b"b")]
    assert hand.parcels == ["parcel a", "parcel b", "parcel a"]
    hand.futures[2].set_result(b"a")
    assert dispatcher.finished() == [("a", b"a")]
    assert not dispatcher.is_careful


def test_a_parcel_that_is_lost_twice_is_a_sentence(dispatcher, hand):
    dispatcher.hand_out("a", "parcel")
    hand.futures[0].set_exception(LostWorkerError("it is gone"))
    dispatcher.finished(0.0)
    hand.futures[1].set_exception(LostWorkerError("it is gone"))
    [(key, said)] = dispatcher.finished()
    assert key == "a"
    assert "lost with its worker 2 times at dask://here:1 (LostWorkerError: it is gone)" in said
    assert len(hand.futures) == 2


@pytest.mark.parametrize("error", [BrokenProcessPool("a child died"), CancelledError()])
def test_after_a_break_there_is_a_new_executor(error):
    made = []

    def opener():
        made.append(ByHand())
        return made[-1].opened()

    dispatcher = Dispatcher(opener, "pools:two")
    for key in "ab":
        dispatcher.hand_out(key, key)
    for future in made[0].futures:
        future.set_exception(error)
    assert dispatcher.finished(0.0) == []
    assert made[0].closed
    for key in "ab":
        made[1].futures[-1].set_result(b"done")
        assert dispatcher.finished() == [(key, b"done")]
    assert len(made) == 2


def test_an_executor_that_cannot_be_opened_again_ends_everything_with_its_sentence():
    made = [ByHand()]

    def opener():
        if made[0].futures:
            raise ExecutorError("no Dask scheduler answered")
        return made[0].opened()

    dispatcher = Dispatcher(opener, "dask://here:1")
    dispatcher.hand_out("a", "parcel")
    made[0].futures[0].set_exception(CancelledError())
    assert dispatcher.finished() == [("a", "no Dask scheduler answered")]
    dispatcher.hand_out("b", "parcel")
    assert dispatcher.finished() == [("b", "no Dask scheduler answered")]


def test_a_package_that_is_missing_on_a_worker_is_not_tried_twice(dispatcher, hand):
    dispatcher.hand_out("a", "parcel")
    missing = ModuleNotFoundError("No module named 'pytest_compaction'", name="pytest_compaction")
    hand.futures[0].set_exception(missing)
    [(_, said)] = dispatcher.finished()
    assert "cannot import pytest_compaction; install the same version" in said
    assert len(hand.futures) == 1


def test_a_cluster_without_any_worker_left_does_not_keep_a_run_waiting(hand, monkeypatch):
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.001)
    slots = [1]
    dispatcher = Dispatcher(lambda: hand.opened(slots[0]), "dask://here:1")
    slots[0] = 0
    dispatcher.hand_out("a", "parcel")
    [(key, said)] = dispatcher.finished()
    assert key == "a"
    assert "no worker of dask://here:1 has been there" in said
    assert hand.futures[0].cancelled()


def test_closing_cancels_what_is_out(dispatcher, hand):
    dispatcher.hand_out("a", "parcel")
    dispatcher.close()
    dispatcher.close()
    assert hand.futures[0].cancelled()
    assert hand.closed


def test_after_the_end_a_lost_parcel_is_not_handed_out_again(dispatcher, hand):
    dispatcher.hand_out("a", "parcel a")
    dispatcher.hand_out("b", "parcel b")
    dispatcher.stop()
    hand.futures[0].set_exception(LostWorkerError("it is gone"))
    hand.futures[1].set_result(b"b")
    assert dispatcher.finished() == [("b", b"b"), ("a", "the run was ended")]
    assert len(hand.futures) == 2
