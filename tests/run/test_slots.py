"""Slots for requests: never more than there are, and none lost with a process."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.run.loops.slots import OwnSlots, SharedSlots, SlotPool


@pytest.fixture
def pool(tmp_path):
    made = SlotPool(tmp_path, 3)
    yield made
    made.close()


def of_worker(pool, name, workers=2):
    return SharedSlots(pool.pipe, name, 3, workers)


def test_processes_together_take_as_many_as_there_are(pool):
    one, two = of_worker(pool, "gw0"), of_worker(pool, "gw1")
    assert [one.take(), two.take(), one.take(), two.take(), one.take()] == [True] * 3 + [False] * 2
    assert (one.held, two.held, one.are_left, two.are_left) == (2, 1, False, False)
    one.give()
    assert two.are_left
    assert two.take()
    one.close()
    two.close()


def test_what_one_process_leaves_another_may_have_all_of(pool):
    one, two = of_worker(pool, "gw0"), of_worker(pool, "gw1")
    assert one.share == two.share == 2
    assert [two.take() for _ in range(4)] == [True, True, True, False]
    one.close()
    two.close()


def test_what_a_dead_process_held_is_given_back_once(pool):
    dead, other = of_worker(pool, "gw0"), of_worker(pool, "gw1")
    assert dead.take()
    assert dead.take()
    pool.restore("gw0")
    pool.restore("gw0")
    pool.restore("a worker that never began")
    assert [other.take() for _ in range(4)] == [True, True, True, False]
    other.close()


def test_what_a_process_held_at_its_end_is_given_back_by_the_pool_alone(pool):
    ending, other = of_worker(pool, "gw0"), of_worker(pool, "gw1")
    for _ in range(3):
        assert ending.take()
    ending.close()
    assert not other.take()
    pool.restore("gw0")
    assert [other.take() for _ in range(4)] == [True, True, True, False]
    other.close()


def test_whoever_watches_is_told_when_another_process_gives_one_back(pool):
    one, two = of_worker(pool, "gw0"), of_worker(pool, "gw1")
    while one.take():
        pass

    async def told():
        came = asyncio.Event()
        two.watch(came.set)
        await asyncio.sleep(0)
        assert not came.is_set()
        one.give()
        await asyncio.wait_for(came.wait(), 10)
        two.unwatch()

    asyncio.run(told())
    one.close()
    two.close()


@given(st.integers(1, 2000))
def test_a_pipe_holds_any_allowed_number(tmp_path_factory, count):
    pool = SlotPool(tmp_path_factory.mktemp("slots"), count)
    slots = SharedSlots(pool.pipe, "gw0", count, 1)
    taken = 0
    while slots.take():
        taken += 1
    slots.close()
    pool.close()
    assert taken == count == slots.share


def test_the_files_of_slots_are_for_their_owner_alone(pool):
    of_worker(pool, "gw0").close()
    assert all(path.stat().st_mode & 0o077 == 0 for path in pool.pipe.parent.iterdir())


def test_own_slots_are_all_of_one_process():
    slots = OwnSlots(2)
    assert [slots.take(), slots.take(), slots.take(), slots.held] == [True, True, False, 2]
    slots.give()
    assert slots.are_left
    assert slots.share == 2
