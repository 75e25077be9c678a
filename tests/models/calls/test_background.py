"""Jobs beside an event loop: their order, their results, and how seldom anybody is woken."""

import asyncio
import threading

import pytest

from pytest_compaction.models.calls.background import Background


def test_jobs_are_done_in_the_order_in_which_they_are_asked_for():
    background, done = Background("test"), []
    for number in range(50):
        background.post(lambda number=number: done.append(number))
    assert background.wait_for(lambda: len(done)) == 50
    assert done == list(range(50))


def test_a_result_or_an_error_goes_to_who_awaits_it():
    background = Background("test")

    async def ask():
        assert await background.result(lambda: threading.current_thread().name) != "MainThread"
        with pytest.raises(ValueError, match="none"):
            await background.result(lambda: int("none"))
        return await asyncio.gather(*[background.result(lambda n=n: n) for n in range(30)])

    assert asyncio.run(ask()) == list(range(30))


def test_an_error_that_nobody_awaits_ends_no_other_job():
    background = Background("test")
    background.post(lambda: 1 / 0)
    assert background.wait_for(lambda: "done") == "done"
    with pytest.raises(ZeroDivisionError):
        background.wait_for(lambda: 1 / 0)


def test_a_loop_is_woken_once_for_all_results_of_one_go():
    background, gate, woken = Background("test"), threading.Event(), []

    async def ask():
        loop = asyncio.get_running_loop()
        wake = loop.call_soon_threadsafe
        loop.call_soon_threadsafe = lambda *said: woken.append(said) or wake(*said)
        background.post(gate.wait)
        asked = [asyncio.ensure_future(background.result(lambda n=n: n)) for n in range(20)]
        await asyncio.sleep(0)
        gate.set()
        return await asyncio.gather(*asked)

    assert asyncio.run(ask()) == list(range(20))
    assert len(woken) == 1


def test_who_is_cancelled_goes_on_only_after_the_job_was_done_and_taken_back():
    background, gate, seen = Background("test"), threading.Event(), []

    async def ask():
        background.post(gate.wait)
        asked = asyncio.ensure_future(background.result(lambda: "made", seen.append))
        await asyncio.sleep(0)
        asked.cancel()
        await asyncio.sleep(0)
        assert not asked.done()
        gate.set()
        with pytest.raises(asyncio.CancelledError):
            await asked
        assert seen == ["made"]

    asyncio.run(ask())


def test_many_threads_and_loops_may_ask_at_once():
    background, counted = Background("test"), []

    async def ask():
        for number in range(200):
            assert await background.result(lambda number=number: number) == number
            background.post(lambda: counted.append(1))

    threads = [threading.Thread(target=asyncio.run, args=(ask(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert background.wait_for(lambda: len(counted)) == 800
