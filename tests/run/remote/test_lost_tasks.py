"""Tasks that are handed out: all come back, as a result or as a sentence."""

import asyncio
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool

import pytest
from support.remote import ByHand

from pytest_compaction.run import Tasks
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


@pytest.mark.parametrize(
    "error", [LostWorkerError("it is gone"), BrokenProcessPool("a child died"), CancelledError()]
)
def test_a_task_that_is_lost_is_a_sentence(hand, error):
    async def test(running):
        await running.begin("a")
        hand.futures[0].set_exception(error)
        await settled()
        said = running.ended["a"]
        assert f"lost with its worker at dask://here:1 ({type(error).__name__}" in said
        assert len(hand.futures) == 1

    run_on(test, hand.opened)


def test_a_package_that_is_missing_on_a_worker_is_a_sentence(hand):
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
