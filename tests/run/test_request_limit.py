"""The limit of requests in flight: how many fly, who is served first, and when there is room."""

import asyncio
from collections import deque

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_compaction.run.loops.request_limit import NEXT, RequestLimit
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


def test_there_is_room_until_as_many_wait_as_may_fly():
    limit = RequestLimit(OwnSlots(2))

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


class Sender:
    """Both ends of the pipe to a process that sends requests; what is told arrives late."""

    def __init__(self):
        self.flying, self.next, self.flown, self.waiting = [], [], set(), {}
        self.to_process, self.to_run = deque(), deque()
        self.most = 0

    async def ask(self, number, limit, may_be_next, delay):
        place = await limit.acquire(number, may_be_next)
        told = self.waiting[number] = (place, asyncio.Event())
        is_sent = False
        try:
            for _ in range(delay):  # it may be sent after one that has a place since later
                await asyncio.sleep(0)
            self.to_process.append(("fly" if place.is_held else "next", number))
            is_sent = True
            if not place.is_held:
                place.when_held(lambda: self.to_process.append(("fly", number)))
            await told[1].wait()
        except asyncio.CancelledError:
            if is_sent:
                self.to_process.append(("give up", number))
                await told[1].wait()
        finally:
            del self.waiting[number]
            limit.release(place)

    def process_is_told(self):
        """The next message arrives in the process."""
        if not self.to_process:
            return
        what, number = self.to_process.popleft()
        if what == "next":
            self.next.append(number)
        elif what == "give up":
            for line in (self.next, self.flying):
                if number in line:
                    line.remove(number)
                    self.to_run.append((number, None))
        elif number in self.next or number not in self.flown:
            if number in self.next:
                self.next.remove(number)
            self.fly(number)

    def fly(self, number):
        self.flown.add(number)
        self.flying.append(number)
        self.most = max(self.most, len(self.flying))

    def answer(self, which, is_reply):
        """Answer a request; after a reply the first that is next flies in its place."""
        if not self.flying:
            return
        number = self.flying.pop(which % len(self.flying))
        following = self.next.pop(0) if is_reply and self.next else None
        if following is not None:
            self.fly(following)
        self.to_run.append((number, following))

    def run_is_told(self):
        """The next message arrives in the run."""
        if not self.to_run:
            return
        number, following = self.to_run.popleft()
        place, told = self.waiting.get(number, (None, None))
        if told is not None and not told.is_set():
            told.set()
            if following in self.waiting:
                place.pass_to(self.waiting[following][0])


STEPS = st.tuples(st.sampled_from("nnhrrfcpppttt"), st.integers(0, 9))


@example(1, [("n", 3), ("p", 3), ("n", 7), ("n", 3), ("p", 3), ("r", 3), ("t", 3), *[("p", 3)] * 3])
@given(st.integers(1, 4), st.lists(STEPS, max_size=60))
def test_requests_that_are_next_never_fly_beyond_the_slots_and_all_are_served(slots, steps):
    """Steps: sent, by one who may be next or not; a reply, a failure; given up; messages arrive."""
    sender, limit = Sender(), RequestLimit(OwnSlots(slots))

    async def all_of_them():
        tasks = []
        for number, (step, which) in enumerate(steps):
            if step in "nh":
                asked = sender.ask(number, limit, step == "n", delay=which // 4 * 5)
                tasks.append(asyncio.ensure_future(asked))
            elif step == "c" and tasks:
                tasks[which % len(tasks)].cancel()
            elif step in "rf":
                sender.answer(which, step == "r")
            elif step in "pt":
                sender.process_is_told() if step == "p" else sender.run_is_told()
            for _ in range(which % 4):
                await asyncio.sleep(0)
        while not all(task.done() for task in tasks):
            sender.process_is_told()
            sender.answer(0, True)
            sender.run_is_told()
            await asyncio.sleep(0)
        await asyncio.sleep(0)

    asyncio.run(asyncio.wait_for(all_of_them(), 60))
    assert sender.most <= slots
    assert limit.is_idle


def test_as_many_as_may_are_next_while_all_slots_are_held():
    limit = RequestLimit(OwnSlots(2))

    async def look():
        places = [
            asyncio.ensure_future(limit.acquire(0, may_be_next=True)) for _ in range(2 + NEXT + 1)
        ]
        await asyncio.wait(places, timeout=0.05)
        return [place.result().is_held if place.done() else None for place in places]

    assert asyncio.run(look()) == [True] * 2 + [False] * NEXT + [None]


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
