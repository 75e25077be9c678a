"""Slots: what holds one of those for requests in flight, and for how long."""

import asyncio

import pytest

from pytest_compaction.models import Call, CallReply, ModelError, current_slot, requests_in
from pytest_compaction.models.calls.store import Store
from pytest_compaction.run.loop import RequestLimit

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

    def __init__(self, slot, error=None):
        self._slot = slot
        self._error = error

    async def call(self, call):
        self._slot.seen.append("flies")
        if self._error is not None:
            raise self._error
        return CallReply({"id": call.model})

    async def close(self):
        """Nothing is open."""


FAILS = ModelError("down")
SENT = ["announced", ("taken", 0), "flies"]


@pytest.mark.parametrize(
    ("error", "seen"),
    [(None, [*SENT, ("given back", 1)]), (FAILS, [*SENT, ("given back", 0)])],
    ids=["kept", "failed"],
)
def test_a_request_has_its_slot_until_its_reply_is_kept(tmp_path, error, seen):
    slot = Noted(lambda: list(tmp_path.rglob("*.json")))
    store = Store(tmp_path, Answering(slot, error))

    async def work():
        with requests_in(slot):
            return await asyncio.gather(store.call(CALL), return_exceptions=True)

    (reply,) = asyncio.run(work())
    assert slot.seen == seen
    slot.seen.clear()
    if error is None:
        assert asyncio.run(work()) == [reply]
        assert slot.seen == ["announced"], "what is stored takes no slot"


def test_without_a_slot_a_request_is_sent_at_once(tmp_path):
    slot = Noted()
    asyncio.run(Store(tmp_path, Answering(slot)).call(CALL))
    assert slot.seen == ["flies"]


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
