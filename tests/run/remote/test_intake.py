"""What tasks paid for comes into the store and the accounts of the run, and counts once."""

import asyncio

import pytest
from support.builders import COUNTER, build_case
from support.remote import task_of

from pytest_compaction.compactors.registry import named_strategies
from pytest_compaction.models.calls.accounts import Total
from pytest_compaction.models.registry import connect
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Call, CallReply
from pytest_compaction.run.remote.intake import Intake
from pytest_compaction.run.remote.result import CallMade, Findings, TaskResult
from pytest_compaction.run.remote.worker import Collector

MODEL = "gpt-4o-mini"
CALL = Call("chat.completions", {"model": MODEL, "messages": []}, 1, "judge")
ONE, OTHER = (CallReply({"said": said}, Usage(1, 5, 0, 2)) for said in ("one", "other"))
PAID = Total("judge", MODEL, Usage(1, 5, 0, 2), 0.25, 0)


def result_with(reply, paid=(PAID,)):
    made = (CallMade(CALL.digest, CALL, reply),)
    return TaskResult(Findings(), made, paid, (("judge", MODEL),), ("a note",))


@pytest.fixture(params=["normal", "refresh"])
def endpoints(request, tmp_path):
    found = connect(tmp_path / "store", "store", request.param, None, None, None, COUNTER)
    yield found
    found.close()


@pytest.fixture
def intake(endpoints):
    registry, specs = named_strategies(["truncate"], {})
    return Intake(endpoints, registry, {"truncate": specs[0]}, COUNTER)


def held(endpoints):
    return asyncio.run(endpoints.caller.held(CALL, CALL.digest))


def test_a_reply_is_kept_and_booked_as_if_it_had_been_paid_here(intake, endpoints):
    assert endpoints.caller.is_empty
    assert intake.accepts(result_with(ONE))
    assert not endpoints.caller.is_empty
    assert held(endpoints).body == ONE.body
    assert endpoints.accounts.totals() == [Total("judge", MODEL, PAID.paid, 0.25, 1)]
    assert endpoints.accounts.notes == ["a note"]


def test_a_call_without_a_price_has_none_in_the_sum(intake, endpoints):
    intake.accepts(result_with(ONE, (Total("judge", MODEL, Usage(1), None, 0),)))
    assert [total.usd for total in endpoints.accounts.totals()] == [None]


def test_the_first_of_two_replies_to_a_call_counts_and_both_are_paid(intake, endpoints):
    assert intake.accepts(result_with(ONE))
    assert intake.accepts(result_with(ONE)), "the same reply once more"
    assert not intake.accepts(result_with(OTHER))
    assert held(endpoints).body == ONE.body
    [total] = endpoints.accounts.totals()
    assert (total.paid.calls, total.stored) == (3, 2)


def test_a_task_goes_out_as_it_is_if_nothing_is_asked_or_nothing_is_stored(intake, endpoints):
    task = task_of(build_case())
    assert intake.prepared(task) is task
    registry, specs = named_strategies(["truncate"], {})
    offline = Intake(None, registry, {"truncate": specs[0]}, COUNTER)
    assert offline.prepared(task) is task
    assert offline.accepts(TaskResult(Findings()))


def test_a_task_that_lacks_nothing_is_done_here(intake, endpoints):
    intake.accepts(result_with(ONE))
    found = intake.prepared(task_of(build_case()))
    assert isinstance(found, Findings)
    assert found.failure is None


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
    assert [made.digest for made in collector.made] == [CALL.digest]
    assert KEY not in str(collector.made[0].reply.body)
    assert collector.stored == [("judge", MODEL)]
    assert not collector.lacks_replies
