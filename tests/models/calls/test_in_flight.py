"""Slots: what holds one of those for requests in flight, and for how long."""

import asyncio

import pytest

from pytest_compaction.models.calls.in_flight import current_slot, requests_in
from pytest_compaction.models.calls.store import Store
from pytest_compaction.models.protocol import ModelError
from pytest_compaction.models.wire.call import Call, CallReply
from pytest_compaction.run.work_loop import RequestLimit

CALL = Call("chat.completions", {"model": "m", "messages": []})


class Noted:
    """A slot that notes what happens to it, and how many files there are then."""

    def __init__(self, files=tuple):
        self.seen = []
        self._files = files

    def announce(self):
        self.seen.append("announced")

    async def __aenter__(self):
        self.seen.append(("taken", len(self._files())))

    async def __aexit__(self, *error):
        self.seen.append(("given back", len(self._files())))


class Answering:
    """Answers each call, and notes in the slot that it was sent."""

    def __init__(self, turn, error=None):
        self._turn = turn
        self._error = error

    async def call(self, call):
        self._turn.seen.append("flies")
        if self._error is not None:
            raise self._error
        return CallReply({"id": call.model})

    async def close(self):
        """Nothing is open."""


@pytest.fixture
def store(tmp_path):
    """A store before a caller that answers, or fails."""

    def made(turn, error=None):
        return Store(tmp_path, Answering(turn, error))

    return made


def ask(store, turn):
    async def work():
        with requests_in(turn):
            return await store.call(CALL)

    return asyncio.run(work())


def test_a_request_has_its_slot_from_when_it_is_sent_until_its_reply_is_kept(store, tmp_path):
    turn = Noted(lambda: list(tmp_path.rglob("*.json")))
    ask(store(turn), turn)
    assert turn.seen == ["announced", ("taken", 0), "flies", ("given back", 1)]


def test_a_request_that_fails_gives_its_slot_back(store):
    turn = Noted()
    with pytest.raises(ModelError):
        ask(store(turn, ModelError("down")), turn)
    assert turn.seen == ["announced", ("taken", 0), "flies", ("given back", 0)]


def test_what_is_stored_takes_no_slot(store):
    turn = Noted()
    ask(store(turn), turn)
    turn.seen.clear()
    assert ask(store(turn), turn).body == {"id": "m"}
    assert turn.seen == ["announced"]


def test_without_a_slot_a_request_is_sent_at_once(store):
    turn = Noted()
    asyncio.run(store(turn).call(CALL))
    assert turn.seen == ["flies"]


def test_each_task_has_the_slot_of_its_own_context():
    limit = RequestLimit(1)
    served = []

    async def ask(rank):
        with requests_in(limit.at(rank)):
            await asyncio.sleep(0)
            async with current_slot():
                await asyncio.sleep(0)
                served.append(rank)

    async def work():
        await limit.acquire(0)
        asking = asyncio.gather(*map(ask, (3, 1, 2)))
        await asyncio.sleep(0.01)
        limit.release()
        await asking

    asyncio.run(work())
    assert served == [1, 2, 3]
