"""The limit of requests in flight: how many fly, who is served first, and when there is room."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.run.loops.request_limit import RequestLimit
from pytest_compaction.run.loops.slots import OwnSlots, SharedSlots, SlotPool


class Flights:
    """What flew: how many at a time at most, and in which order it began."""

    def __init__(self):
        self.flying = self.most = 0
        self.begun = []

    async def fly(self, turn, name, ticks=2):
        async with turn:
            self.flying += 1
            self.most = max(self.most, self.flying)
            self.begun.append(name)
            for _ in range(ticks):
                await asyncio.sleep(0)
            self.flying -= 1


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.integers(1, 6))
def test_as_many_fly_as_may_and_the_first_items_are_served_first(ranks, slots):
    flights, limit = Flights(), RequestLimit(OwnSlots(slots))

    async def all_of_them():
        async with asyncio.TaskGroup() as group:
            for number, rank in enumerate(ranks):
                group.create_task(flights.fly(limit.at(rank), (rank, number)))

    asyncio.run(all_of_them())
    assert flights.most == min(slots, len(ranks))
    at_once, waited = flights.begun[:slots], flights.begun[slots:]
    assert at_once == [(rank, number) for number, rank in enumerate(ranks)][:slots]
    assert waited == sorted(waited)


def test_who_gives_up_waiting_takes_no_slot_with_it():
    limit, flights = RequestLimit(OwnSlots(1)), Flights()

    async def give_up():
        first = asyncio.ensure_future(flights.fly(limit.at(0), "first", ticks=5))
        await asyncio.sleep(0)
        gone = asyncio.ensure_future(flights.fly(limit.at(1), "gone"))
        late = asyncio.ensure_future(flights.fly(limit.at(2), "late"))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.gather(first, late)

    asyncio.run(give_up())
    assert flights.begun == ["first", "late"]


def test_who_gives_up_just_when_served_hands_the_slot_on():
    limit, flights = RequestLimit(OwnSlots(1)), Flights()

    async def give_up():
        await limit.acquire(0)
        gone = asyncio.ensure_future(limit.acquire(1))
        late = asyncio.ensure_future(flights.fly(limit.at(2), "late"))
        await asyncio.sleep(0)
        limit.release()
        gone.cancel()
        await asyncio.wait_for(late, 10)

    asyncio.run(give_up())
    assert flights.begun == ["late"]


def test_there_is_room_while_fewer_fly_than_may():
    limit = RequestLimit(OwnSlots(2))

    async def look():
        assert limit.has_room
        await limit.acquire(0)
        assert limit.has_room
        await limit.acquire(0)
        assert not limit.has_room
        room = asyncio.ensure_future(limit.room())
        await asyncio.sleep(0)
        assert not room.done()
        limit.release()
        await asyncio.wait_for(room, 10)

    asyncio.run(look())


@pytest.mark.parametrize("demands", [(20, 20), (40, 1)])
def test_two_processes_fill_all_slots_and_none_is_left_out(tmp_path, demands):
    pool = SlotPool(tmp_path, 6)
    flights = Flights()

    async def both():
        limits = [RequestLimit(SharedSlots(pool.pipe, name, 6, 2)) for name in ("gw0", "gw1")]
        async with asyncio.TaskGroup() as group:
            for limit, name, demand in zip(limits, "ab", demands, strict=True):
                for number in range(demand):
                    group.create_task(flights.fly(limit.at(0), (name, number), ticks=20))
        for limit in limits:
            limit.close()

    asyncio.run(asyncio.wait_for(both(), 60))
    pool.close()
    assert flights.most == 6
    assert len(flights.begun) == sum(demands)
    places = [place for place, (name, _) in enumerate(flights.begun) if name == "b"]
    assert places[0] < 13, "the second process got a slot as soon as one was given back"


def test_the_slot_of_a_request_cancelled_by_a_stop_goes_to_no_other_process(tmp_path):
    pool = SlotPool(tmp_path, 1)

    async def stop():
        slots = [SharedSlots(pool.pipe, name, 1, 2) for name in ("gw0", "gw1")]
        stopped, other = map(RequestLimit, slots)
        await stopped.acquire(0)
        stopped.stop()
        stopped.release()
        assert not slots[1].take()
        stopped.close()
        assert not slots[1].take()
        pool.restore("gw0")
        assert slots[1].take()
        other.close()

    asyncio.run(asyncio.wait_for(stop(), 60))
    pool.close()


def test_it_is_idle_while_nobody_flies_or_waits():
    limit, seen = RequestLimit(OwnSlots(1)), []

    async def two_of_them():
        async def fly():
            async with limit.at(0):
                seen.append(limit.is_idle)
                await asyncio.sleep(0)

        seen.append(limit.is_idle)
        await asyncio.gather(fly(), fly())
        seen.append(limit.is_idle)

    asyncio.run(two_of_them())
    assert seen == [True, False, False, True]
