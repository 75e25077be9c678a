"""Tasks that are handed out: all come back, and what is lost is handed out once more."""

import asyncio
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool

import pytest
from support.remote import ByHand

from pytest_compaction.run import ExecutorError, Tasks
from pytest_compaction.run import executor as module


class LostWorkerError(Exception):
    """Stands in for the error of Dask."""


class Running:
    """Tasks under way on executors whose futures a test ends."""

    def __init__(self, opener):
        self.tasks = Tasks(opener, "dask://here:1")
        self.tasks.connect()
        self.outcomes = {}

    async def begin(self, *keys):
        for key in keys:
            outcome = self.tasks.outcome(len, lambda key=key: key)
            self.outcomes[key] = asyncio.ensure_future(outcome)
        await settled()

    @property
    def ended(self):
        return {key: task.result() for key, task in self.outcomes.items() if task.done()}


async def settled():
    """Wait until the tasks of the loop have nothing more to do; some look from a thread."""
    for _ in range(20):
        await asyncio.sleep(0.001)


def run_on(test, opener):
    async def body():
        running = Running(opener)
        try:
            await test(running)
        finally:
            running.tasks.close()
            await asyncio.gather(*running.outcomes.values(), return_exceptions=True)

    asyncio.run(asyncio.wait_for(body(), 20))


@pytest.fixture
def hand():
    return ByHand()


def test_what_ends_first_comes_back_first(hand):
    async def test(running):
        await running.begin("a", "b", "c")
        hand.futures[1].set_result(b"second")
        await settled()
        assert running.ended == {"b": b"second"}
        hand.futures[0].set_result("a sentence")
        hand.futures[2].set_result(b"third")
        await settled()
        assert running.ended == {"a": "a sentence", "b": b"second", "c": b"third"}

    run_on(test, hand.opened)


def test_only_as_many_tasks_are_out_as_there_is_room_for(hand):
    async def test(running):
        await running.begin("a", "b", "c")
        assert hand.tasks == ["a", "b"], "a second one for the only slot, and no more"
        hand.futures[0].set_result(b"a")
        await settled()
        assert hand.tasks == ["a", "b", "c"]

    run_on(test, lambda: hand.opened(slots=1))


def test_a_lost_task_is_handed_out_again_alone(hand):
    async def test(running):
        await running.begin("a", "b")
        hand.futures[0].set_exception(LostWorkerError("it is gone"))
        await settled()
        await running.begin("c")
        assert hand.tasks == ["a", "b"], "the other task is still out"
        hand.futures[1].set_result(b"b")
        await settled()
        assert hand.tasks == ["a", "b", "a"]
        hand.futures[2].set_result(b"a")
        await settled()
        assert running.ended == {"a": b"a", "b": b"b"}
        assert hand.tasks[3:] == ["c"]

    run_on(test, hand.opened)


def test_a_task_that_is_lost_twice_is_a_sentence(hand):
    async def test(running):
        await running.begin("a")
        for number in range(2):
            hand.futures[number].set_exception(LostWorkerError("it is gone"))
            await settled()
        said = running.ended["a"]
        assert "lost with its worker 2 times at dask://here:1 (LostWorkerError: it is gone)" in said
        assert len(hand.futures) == 2

    run_on(test, hand.opened)


@pytest.mark.parametrize(
    "error", [BrokenProcessPool("a child died"), CancelledError(), asyncio.CancelledError()]
)
def test_after_a_break_there_is_a_new_executor(error):
    made = []

    def opener():
        made.append(ByHand())
        return made[-1].opened()

    async def test(running):
        await running.begin("a", "b")
        for future in made[0].futures:
            future.set_exception(error)
        for key in "ab":
            await settled()
            assert made[0].closed
            assert made[1].tasks[-1] == key
            made[1].futures[-1].set_result(b"done")
        await settled()
        assert running.ended == {"a": b"done", "b": b"done"}
        assert len(made) == 2

    run_on(test, opener)


def test_an_executor_that_cannot_be_opened_again_ends_everything_with_its_sentence(hand):
    def opener():
        if hand.futures:
            raise ExecutorError("no Dask scheduler answered")
        return hand.opened()

    async def test(running):
        await running.begin("a")
        hand.futures[0].set_exception(CancelledError())
        await settled()
        await running.begin("b")
        assert running.ended == dict.fromkeys("ab", "no Dask scheduler answered")

    run_on(test, opener)


def test_a_package_that_is_missing_on_a_worker_is_not_tried_twice(hand):
    async def test(running):
        await running.begin("a")
        missing = ModuleNotFoundError("No module named 'x'", name="pytest_compaction")
        hand.futures[0].set_exception(missing)
        await settled()
        said = running.ended["a"]
        assert "cannot import pytest_compaction; install the same version" in said
        assert len(hand.futures) == 1

    run_on(test, hand.opened)


def test_a_cluster_without_any_worker_left_does_not_keep_a_run_waiting(hand, monkeypatch):
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.001)
    slots = [1]

    async def test(running):
        slots[0] = 0
        await running.begin("a")
        said = await running.outcomes["a"]
        assert "no worker of dask://here:1 has been there" in said
        assert hand.futures[0].cancelled()

    opened = hand.opened()
    run_on(test, lambda: module.Opened(hand, lambda: slots[0], opened.close))


def test_closing_cancels_what_is_out(hand):
    async def test(running):
        await running.begin("a")
        running.tasks.stop()
        running.tasks.close()
        running.tasks.close()
        assert hand.futures[0].cancelled()
        assert hand.closed
        assert await running.outcomes["a"] == "the run was ended"

    run_on(test, hand.opened)


def test_after_the_end_a_lost_task_is_not_handed_out_again(hand):
    async def test(running):
        await running.begin("a", "b")
        running.tasks.stop()
        hand.futures[0].set_exception(LostWorkerError("it is gone"))
        hand.futures[1].set_result(b"b")
        await settled()
        assert running.ended == {"a": "the run was ended", "b": b"b"}
        assert len(hand.futures) == 2

    run_on(test, hand.opened)
