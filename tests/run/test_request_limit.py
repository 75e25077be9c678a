"""The limit of requests in flight: how many fly, who is served first, and when there is room."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.run import RequestLimit


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
    flights, limit = Flights(), RequestLimit(slots)

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
    limit, flights = RequestLimit(1), Flights()

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
    limit, flights = RequestLimit(1), Flights()

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


def test_there_is_room_until_as_many_wait_as_may_fly():
    limit = RequestLimit(2)

    async def look():
        for _ in range(2):
            assert limit.has_room
            await limit.acquire(0)
        waiting = [asyncio.ensure_future(limit.acquire(0)) for _ in range(2)]
        assert limit.has_room
        await asyncio.sleep(0)
        assert not limit.has_room
        room = asyncio.ensure_future(limit.room())
        await asyncio.sleep(0)
        assert not room.done()
        limit.release()
        await asyncio.wait_for(room, 10)
        limit.release()
        await asyncio.gather(*waiting)

    asyncio.run(look())


def test_no_request_flies_once_the_run_is_stopped():
    told, flights = [], Flights()
    limit = RequestLimit(1, lambda: bool(told))

    async def stop():
        await limit.acquire(0)
        waiting = [asyncio.ensure_future(flights.fly(limit.at(0), number)) for number in range(3)]
        await asyncio.sleep(0)
        told.append(True)
        limit.release()
        await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 10)
        with pytest.raises(asyncio.CancelledError):
            await limit.acquire(0)

    asyncio.run(stop())
    assert flights.begun == []
