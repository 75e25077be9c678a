"""Whatever an endpoint may charge for is booked, even if no usable reply came."""

import asyncio

import pytest
from support import builders, scenarios
from support.callers import call
from support.endpoint_builders import quick
from support.endpoint_replies import (
    Answer,
    checked,
    completion,
    error,
    is_check,
    judgement,
    sensible,
)
from support.endpoint_server import serving, unused_url
from support.stub_endpoint import PRICED, long_case

from pytest_compaction.models import Accounts, ModelError, Usage, prices_at
from pytest_compaction.models.calls.endpoint import Endpoint
from pytest_compaction.models.calls.spending_limit import SpendingLimit

pytestmark = pytest.mark.usefixtures("short_waits")

PRICES = prices_at(None)
WORKERS = pytest.mark.parametrize("workers", [0, pytest.param(2, marks=pytest.mark.exhaustive)])
GOOD = completion("45", usage=(100, 50))
WRITTEN = Usage(1, 0, 0, 500)
"""The output that a call allows, which a lost reply is assumed to have had."""
LONG = completion("45" * 2000, usage=(100, 50))


def booked(tmp_path, limit=None, **how):
    """One call's reply or error, the number of paid requests, and the accounts."""
    accounts = Accounts(tmp_path / "accounts.sqlite")

    def paying(endpoint):
        return SpendingLimit(endpoint, accounts, PRICES, builders.COUNTER, limit)

    caller = quick(paying=paying, **how)

    async def work():
        try:
            return await caller.call(call())
        except ModelError as failed:
            return failed
        finally:
            await caller.close()

    reply = asyncio.run(work())
    return reply, sum(total.paid.calls for total in accounts.totals()), accounts


def lost_then_good(lost):
    """An endpoint whose first replies break off."""
    seen = []

    def decide(asked):
        seen.append(asked)
        return Answer(LONG, reset_after=1000) if len(seen) <= lost else Answer(GOOD)

    return decide


@pytest.mark.parametrize(
    ("decide", "how", "requests", "charged"),
    [
        (lost_then_good(2), {"retries": 4}, 3, 3),
        (lambda asked: Answer(GOOD, wait=2), {"read": 0.3, "retries": 2}, 3, 3),
        (lambda asked: Answer(GOOD, wait=2), {"total": 0.3}, 1, 1),
        (lambda asked: Answer(LONG), {"max_reply_bytes": 1000}, 1, 1),
        (lambda asked: Answer(sensible(asked).data[:40]), {}, 1, 1),
        (lambda asked: Answer(b""), {}, 1, 1),
        (lambda asked: Answer([]), {}, 1, 1),
        (lambda asked: error("down", 500), {"retries": 2}, 3, 0),
        (lambda asked: error("busy", 429), {}, 2, 0),
        (lambda asked: error("what is that", 400), {}, 1, 0),
    ],
    ids=[
        "broken off", "time-out", "given up", "too long", "truncated", "empty", "no object",
        "500", "429", "400",
    ],
)  # fmt: skip
def test_every_request_is_booked_that_was_neither_refused_nor_unsent(
    tmp_path, monkeypatch, decide, how, requests, charged
):
    with serving(decide) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        reply, paid, accounts = booked(tmp_path, **how)
        assert len(server.asked) == requests
    assert paid == charged
    lost = charged - (not isinstance(reply, ModelError))
    assert (accounts.spent() > 0) == bool(charged)
    assert accounts.spent() >= lost * PRICES.cost("gpt-4o-mini", WRITTEN)


def test_an_endpoint_that_is_not_there_charges_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", unused_url())
    reply, paid, accounts = booked(tmp_path, retries=2)
    assert "could not be reached" in str(reply)
    assert (paid, accounts.spent()) == (0, 0)


def test_what_breaks_off_is_not_asked_for_again_without_the_money_for_it(tmp_path, monkeypatch):
    limit = 1.5 * PRICES.cost("gpt-4o-mini", WRITTEN)
    with serving(lost_then_good(9)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        reply, paid, accounts = booked(tmp_path, limit, retries=4)
        assert len(server.asked) == paid == 1
    assert "leaves no room for another call" in str(reply)
    assert 0 < accounts.spent() <= limit


def run(pytester, monkeypatch, decide, *arguments, workers=0, long=False, **how):
    scenarios.set_up(pytester, "first")
    if long:
        scenarios.write_cases(pytester, long_case("first"))
    pytester.makeconftest(PRICED)

    def decided(asked):
        return Answer(checked()) if is_check(asked.body) else decide(asked)

    with serving(decided) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        named = ("--compaction-model=gpt-4o", f"-n{workers}")
        result = scenarios.run(pytester, *named, *arguments, **how)
    return (
        result,
        scenarios.flat(result.outlines),
        sum(not is_check(body) for body in server.bodies),
    )


def silent(asked):
    """An endpoint that answers without saying how many tokens it took."""
    answer = sensible(asked)
    answer.body["usage"] = {"prompt_tokens": 10**30, "completion_tokens": "some"}
    return answer


@WORKERS
def test_a_limit_is_kept_where_replies_do_not_say_what_they_took(pytester, monkeypatch, workers):
    limit = "--compaction-max-cost=0.03"
    result, shown, asked = run(pytester, monkeypatch, silent, limit, workers=workers)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert 0 < asked < 8
    spent = float(shown.partition(f"this run: {asked} calls made for ")[2].split()[0])
    assert 0.005 < spent <= 0.03
    assert "stopped: --compaction-max-cost=0.03 left no room" in shown
    assert "note: gpt-4o: not all replies say how many tokens they took" in shown
    assert "Error" not in shown


def test_without_a_limit_the_table_and_what_was_paid_are_the_same_count(pytester, monkeypatch):
    result, shown, asked = run(pytester, monkeypatch, silent)
    result.assert_outcomes(passed=4)
    total = shown.partition(" total ")[2].split()
    assert int(total[0]) == asked == 8
    assert f"this run: 8 calls made for {total[4]} US dollars" in shown
    assert float(total[4]) > 0.01


@WORKERS
def test_what_answers_of_no_use_took_is_in_the_table_and_in_the_records(
    pytester, monkeypatch, workers
):
    def decide(asked):
        if "response_format" in asked.body:
            return Answer(completion(judgement(asked)))
        return Answer(completion(None, refusal="no", usage=(1000, 500)))

    result, shown, asked = run(pytester, monkeypatch, decide, workers=workers)
    assert result.parseoutcomes() == {"unscored": 4, "failed": 1}
    assert asked == 4
    total = shown.partition(" total ")[2].split()
    assert total[:2] == ["4", "4,000"]
    assert f"this run: 4 calls made for {total[4]} US dollars" in shown
    for record in scenarios.records(pytester).records:
        assert record["usage"]["responder"]["input_tokens"] == 1000
        assert record["usd"]["responder"] == pytest.approx(0.0075)


def test_what_a_compaction_and_a_judgement_of_no_use_took_is_in_the_table(pytester, monkeypatch):
    def decide(asked):
        if asked.path.endswith("/compact"):
            return Answer(completion("hello", usage=(700, 30)))
        if "response_format" in asked.body:
            return Answer(completion("no JSON", usage=(500, 20)))
        return Answer(GOOD)

    native = "--compactor=openai-compact"
    result, shown, asked = run(pytester, monkeypatch, decide, native, compactor=None, long=True)
    assert result.parseoutcomes() == {"unscored": 4, "failed": 1}
    shown = shown.partition("model use")[2]
    for role, tokens in (("compaction", 700), ("responder", 100), ("judge", 500)):
        calls, read = shown.partition(f" {role} ")[2].split()[:2]
        assert int(read.replace(",", "")) == int(calls) * tokens > 0
    total = shown.partition(" total ")[2].split()
    assert int(total[0]) == asked
    assert f"this run: {asked} calls made for {total[4]} US dollars" in shown


def test_what_a_compaction_of_no_use_took_is_known_where_nothing_could_be_asked_after_it(
    pytester, monkeypatch
):
    arguments = ("--compactor=openai-compact", "-k", "limit")

    def decide(asked):
        return Answer(completion("hello", usage=(700, 30)))

    _, shown, asked = run(pytester, monkeypatch, decide, *arguments, compactor=None, long=True)
    (record,) = scenarios.records(pytester).records
    assert record["status"] == "unscored"
    assert record["usage"]["compaction"]["calls"] == asked > 0
    assert record["usage"]["compaction"]["input_tokens"] == 700 * asked
    total = shown.partition(" total ")[2].split()
    assert f"this run: {asked} calls made for {total[4]} US dollars" in shown


def test_what_a_compaction_took_is_known_where_no_answer_came_of_it(pytester, monkeypatch):
    def decide(asked):
        said = sensible(asked).body["choices"][0]["message"]["content"]
        if said.startswith("## "):
            return Answer(completion(said, usage=(700, 30)))
        return Answer(completion(None, refusal="no", usage=(100, 10)))

    arguments = ("--compactor=anchored", "-k", "limit")
    _, shown, asked = run(pytester, monkeypatch, decide, *arguments, compactor=None, long=True)
    (record,) = scenarios.records(pytester).records
    assert record["usage"]["compaction"]["calls"] == asked - 1 > 0
    assert record["usd"]["compaction"] > 0
    total = shown.partition(" total ")[2].split()
    assert f"this run: {asked} calls made for {total[4]} US dollars" in shown


def test_a_judgement_for_whose_repair_no_money_is_left_is_in_the_table(pytester, monkeypatch):
    def decide(asked):
        if "response_format" in asked.body:
            return Answer(completion("no JSON", usage=(2000, 2000)))
        return Answer(GOOD)

    arguments = ("--compaction-max-cost=0.035", "-k", "limit")
    _, shown, asked = run(pytester, monkeypatch, decide, *arguments)
    assert asked == 2
    assert "not paid for" in shown
    assert shown.partition(" judge ")[2].split()[:2] == ["1", "2,000"]
    total = shown.partition(" total ")[2].split()
    assert f"this run: 2 calls made for {total[4]} US dollars" in shown


def test_a_call_may_take_as_long_as_its_time_out_allows(pytester, monkeypatch):
    assert Endpoint(read=1000).total == 2500
    assert Endpoint().total == Endpoint(read=10).total == 300

    def slow(asked):
        return Answer(GOOD, wait=1.5)

    option = "--compaction-request-timeout=0.1"
    _, shown, _ = run(pytester, monkeypatch, slow, option, "-k", "limit")
    assert "did not answer in time (connecting 10 s, reading 0.1 s), 5 times" in shown
    assert "give it longer with --compaction-request-timeout" in shown
