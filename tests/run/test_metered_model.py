"""What a strategy asks is booked on one loop, whatever thread it asks from."""

import asyncio
import threading

import pytest
from support.builders import COUNTER

from pytest_compaction.models import (
    ModelError,
    OfflineModel,
    Place,
    Summary,
    SummaryReply,
    SummaryRequest,
    Usage,
    current_place,
)
from pytest_compaction.run import WorkLoop

REQUEST = SummaryRequest((), (), 100)


class Priced(OfflineModel):
    """Replies with a usage of one call, or fails for the same price."""

    def __init__(self, fails=False):
        super().__init__(COUNTER)
        self.fails = fails

    def at_trial(self, trial):
        return self

    async def summarize(self, request):
        await asyncio.sleep(0)
        if self.fails:
            raise ModelError("out of order", spent={"compaction": Usage(1, 10)})
        return SummaryReply(Summary(()), Usage(1, 10))


@pytest.fixture
def work():
    loop = WorkLoop(4)
    yield loop
    loop.close()


async def nothing():
    return None


@pytest.mark.parametrize("fails", [False, True])
def test_usage_is_booked_on_the_loop_that_reads_it(work, monkeypatch, fails):
    booked_in = []
    plain = Usage.__add__

    def add(self, other):
        booked_in.append(threading.current_thread().name)
        return plain(self, other)

    model = work.metered(Priced(fails), work.limit.at(0))
    work.wait(nothing())
    monkeypatch.setattr(Usage, "__add__", add)

    async def ask():
        for _ in range(5):
            try:
                await model.summarize(REQUEST)
            except ModelError:
                assert fails

    threads = [threading.Thread(target=lambda: asyncio.run(ask())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert model.usage == Usage(20, 200)
    assert set(booked_in) == {"compaction-engine"}
    assert (model.error is not None) == fails


def test_what_is_asked_of_another_trial_is_on_the_same_meter(work):
    model = work.metered(Priced(), work.limit.at(0))
    work.wait(nothing())
    asyncio.run(model.at_trial(2).summarize(REQUEST))
    assert model.usage == Usage(1, 10)


def test_a_call_that_comes_after_the_end_raises_and_leaves_nothing_unawaited(work):
    model = work.metered(Priced(), work.limit.at(0))
    work.wait(nothing())
    work.close()
    with pytest.raises(RuntimeError, match="closed"):
        asyncio.run(model.summarize(REQUEST))


def test_a_request_knows_its_place_from_any_thread(work):
    asked = []

    class Placed(Priced):
        async def summarize(self, request):
            asked.append(current_place())
            return await super().summarize(request)

    model = work.metered(Placed(), work.limit.at(0))
    for point in ("p1", "p2"):
        model.compacts_at(Place("case", "anchored", 1, "case", point))
        asyncio.run(model.summarize(REQUEST))
    work.wait(model.apart().summarize(REQUEST))
    assert [place and place.point for place in asked] == ["p1", "p2", None]
    assert current_place() is None
