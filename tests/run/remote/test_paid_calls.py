"""What tasks paid for comes into the store and the accounts of the run, and counts once."""

import asyncio

import pytest
from support.builders import COUNTER, build_case
from support.remote import ByHand, briefing, task_of

from pytest_compaction.compactors import named_strategies
from pytest_compaction.models import Call, CallReply, Total, Usage, connect
from pytest_compaction.run import Elsewhere, Tasks
from pytest_compaction.run.remote import Collector, Result, encoded

MODEL = "gpt-4o-mini"
CALL = Call("chat.completions", {"model": MODEL, "messages": []}, 1, "judge")
ONE, OTHER = (CallReply({"said": said}, Usage(1, 5, 0, 2)) for said in ("one", "other"))
PAID = Total("judge", MODEL, Usage(1, 5, 0, 2), 0.25, 0)


def result_with(reply, paid=(PAID,)):
    made = ((CALL.digest, CALL, reply),)
    return Result(made=made, paid=paid, stored=(("judge", MODEL),), notes=("a note",))


@pytest.fixture(params=["normal", "refresh"])
def endpoints(request, tmp_path):
    found = connect(tmp_path / "store", "store", request.param, None, None, None, COUNTER)
    yield found
    found.close()


def done(endpoints, *results):
    """What a task came to when its executor gave one result after the other, and how often."""
    hand, task = ByHand(), task_of(build_case())
    registry, _ = named_strategies(["truncate"], {})

    async def body():
        tasks = Tasks(hand.opened, "dask://here:1")
        tasks.connect()
        elsewhere = Elsewhere(tasks, briefing(), registry, endpoints)
        begun = asyncio.Event()
        found = asyncio.ensure_future(elsewhere.result(task, begun, str))
        for number, result in enumerate(results):
            while len(hand.futures) <= number and not found.done():
                await asyncio.sleep(0.001)
            assert begun.is_set()
            if not found.done():
                hand.futures[number].set_result(encoded(result, task.case))
        return await found

    return asyncio.run(body()), len(hand.futures)


def held(endpoints):
    return asyncio.run(endpoints.caller.held(CALL, CALL.digest))


def test_a_reply_is_kept_and_booked_as_if_it_had_been_paid_here(endpoints):
    assert endpoints.caller.is_empty
    done(endpoints, result_with(ONE))
    assert not endpoints.caller.is_empty
    assert held(endpoints).body == ONE.body
    assert endpoints.accounts.totals() == [Total("judge", MODEL, PAID.paid, 0.25, 1)]
    assert endpoints.accounts.notes == ["a note"]


def test_a_call_without_a_price_has_none_in_the_sum(endpoints):
    done(endpoints, result_with(ONE, (Total("judge", MODEL, Usage(1), None, 0),)))
    assert [total.usd for total in endpoints.accounts.totals()] == [None]


def test_the_first_of_two_replies_to_a_call_counts_and_both_are_paid(endpoints, monkeypatch):
    monkeypatch.setattr(type(endpoints.caller), "is_empty", True)  # or the task is done here
    assert done(endpoints, result_with(ONE))[1] == 1
    found, times = done(endpoints, result_with(OTHER), result_with(ONE))
    assert times == 2, "the findings were of a reply that does not count"
    assert found.made == result_with(ONE).made
    assert held(endpoints).body == ONE.body
    [total] = endpoints.accounts.totals()
    assert (total.paid.calls, total.stored) == (3, 2)


def test_a_task_goes_out_without_a_look_at_the_store_if_no_model_is_asked(tmp_path):
    assert done(None, Result()) == (Result(), 1)


def test_a_task_that_lacks_nothing_is_done_here(endpoints):
    done(endpoints, result_with(ONE))
    found, times = done(endpoints)
    assert times == 0
    assert found.failure is None
    assert found.found


class Following:
    """A caller that answers every call and counts them."""

    def __init__(self):
        self.asked = 0
        self.closed = False

    async def call(self, call):
        self.asked += 1
        await asyncio.sleep(0)
        return CallReply({"key": KEY}, Usage(1), 0.5)

    async def close(self):
        self.closed = True


KEY = "sk-of-the-worker-0123456789abcdef"


def test_two_equal_calls_are_one_and_no_key_gets_out(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    following = Following()

    async def known(call, digest):
        return None

    collector = Collector(known, following)

    async def twice():
        found = await asyncio.gather(collector.call(CALL), collector.call(CALL))
        await collector.close()
        return found

    first, second = asyncio.run(twice())
    assert following.asked == 1
    assert following.closed
    assert first.body == second.body == {"key": "[key]"}
    assert (first.latency_s, second.latency_s) == (0.5, None)
    [(digest, _, reply)] = collector.made
    assert digest == CALL.digest
    assert KEY not in str(reply.body)
    assert collector.stored == [("judge", MODEL)]
    assert not collector.lacks_replies
