"""An endpoint that goes wrong in every way: each item is scored, or unscored and says why."""

import asyncio
import json
import time
from collections import Counter
from dataclasses import replace

import pytest
from builders import build_case
from endpoint_builders import KEY, answer_request, chat, error_through, hasty, judge_request, quick
from fault_server import FAULTS, SLOW, Answer, Faults, completion, sensible, serving, unused_url

from pytest_compaction.judges.rubric import RubricJudge
from pytest_compaction.judges.verdict import verdict_from_reply
from pytest_compaction.models.protocol import ModelError
from pytest_compaction.rubric import applicable

ITEMS = 1480
CALLS = 2000
"""What the items need at least: one call each, and one more for each reply to be repaired."""
AT_ONCE = 32
SCORED = {"", "429 with Retry-After", "429 without Retry-After", "500 once", "503 once"}
SCORED |= {"reset mid-body"}
"""Faults after which an item is scored all the same: none, and those that pass."""


@pytest.fixture(autouse=True)
def short_waits(monkeypatch):
    """The openai package waits between its attempts; not in these tests."""
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    monkeypatch.setattr("openai._base_client.MAX_RETRY_DELAY", 0.02)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


class Counted:
    """An endpoint that counts its calls."""

    def __init__(self, endpoint):
        self.close = endpoint.close
        self._endpoint = endpoint
        self.calls = 0

    async def call(self, call):
        self.calls += 1
        return await self._endpoint.call(call)


def judge_many(endpoint, responses):
    """The verdicts on many responses, judged at once within a limit."""
    case = build_case()
    probe = case.probes[0]

    async def work():
        judge = RubricJudge(chat(endpoint))
        limit = asyncio.Semaphore(AT_ONCE)

        async def one(text):
            async with limit:
                reply = await judge.reply(case, probe, text)
            return verdict_from_reply(reply, probe.facts, [True], probe.traps, text, 3.5)

        try:
            return await asyncio.gather(*map(one, responses))
        finally:
            await endpoint.close()

    return asyncio.run(work())


def test_in_two_thousand_calls_every_item_is_scored_or_says_why_not(
    monkeypatch, record_testsuite_property
):
    faults = Faults(share=0.75, seed=7)
    responses = [f"The timeout is 45 seconds, as said in message {n}." for n in range(ITEMS)]
    endpoint = Counted(quick(total=8.0, max_reply_bytes=1_000_000))
    with serving(faults) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        verdicts = judge_many(endpoint, responses)
    assert len(verdicts) == ITEMS
    assert CALLS <= endpoint.calls <= 2 * ITEMS
    assert endpoint.calls <= len(server.asked) <= 2 * endpoint.calls
    record_testsuite_property("calls of the fault test", endpoint.calls)
    record_testsuite_property("requests of the fault test", len(server.asked))

    fault_of = {}
    for name, body in zip(faults.order, faults.bodies, strict=True):
        if len(body["messages"]) == 2:
            fault_of[_response_in(body)] = name
    outcomes = {name: Counter() for name in {*FAULTS, ""}}
    for text, verdict in zip(responses, verdicts, strict=True):
        outcomes[fault_of[text]]["unscored" if verdict.unscored else "scored"] += 1
        if verdict.unscored:
            assert verdict.overall is None
            assert verdict.passed is None
            assert len(verdict.unscored) > 30
            assert KEY not in verdict.unscored
        else:
            assert verdict.overall == 4.0
            assert len(verdict.criteria) == len(applicable("recall"))
    met = {name for name, outcome in outcomes.items() if outcome}
    assert met >= {*FAULTS, ""} - SLOW
    for name in met:
        expected = {"scored"} if name in SCORED else {"unscored"}
        assert set(outcomes[name]) == expected, name


def _response_in(body):
    text = body["messages"][-1]["content"].partition("The answer to grade:\n")[2]
    return text.split("\n")[1]


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_each_fault_is_passed_over_or_said(name, monkeypatch):
    seen = Counter()
    endpoint = (hasty if name in {"time-out", "slow drip"} else quick)(max_reply_bytes=1_000_000)

    def decide(asked):
        seen[json.dumps(asked.body)] += 1
        return FAULTS[name](asked, seen[json.dumps(asked.body)])

    with serving(decide) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        began = time.monotonic()
        [verdict] = judge_many(endpoint, ["The timeout is 45 seconds."])
        took = time.monotonic() - began
    assert (verdict.unscored is None) == (name in SCORED)
    assert took < 30
    assert len(server.asked) <= 4
    if verdict.unscored:
        assert SAID[name] in verdict.unscored


SAID = {
    "429 for good": "answered 429: busy" and "lower --compaction-concurrency",
    "500 for good": "answered 500: down 500; it failed, run again later",
    "reset before the body": "could not be reached, or broke off its reply, 2 times",
    "time-out": "did not answer in time (connecting 5 s, reading 0.3 s), 2 times",
    "slow drip": "did not finish its reply within 1 s",
    "empty body": "sent an empty reply",
    "truncated JSON": "that is not valid JSON",
    "JSON null": "sent JSON that is no object but a NoneType",
    "valid JSON off schema": "no chat completion",
    "no choices": "no chat completion",
    "judgement off schema": "expected an integer" and "criteria",
    "score 7": "is 7, outside 0 to 5",
    "score five": 'is "five", expected a number',
    "score below 0": "is -1, outside 0 to 5",
    "score NaN": "it holds NaN, which is no number",
    "score true": "is true, expected a number",
    "missing criteria": "criteria lacks completeness_depth",
    "duplicate criteria": "it gives accuracy_factual twice",
    "refusal": "it refused: I cannot help with that.",
    "content filter": "it refused: the endpoint's content filter held the reply back",
    "empty text": "its reply is empty",
    "tool call": "it called a tool instead of replying in text",
    "wrong content type": "sent text/html that is not valid JSON",
    "10 MB": "sent a reply of more than 0.953674 MB, which was not read",
}


def test_a_refused_connection_is_said_with_the_host(monkeypatch):
    url = unused_url()
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    [verdict] = judge_many(quick(), ["The timeout is 45 seconds."])
    assert f"at {url.removeprefix('http://').removesuffix('/v1')} could not be reached" in (
        verdict.unscored
    )
    assert "2 times" in verdict.unscored
    assert "is OPENAI_BASE_URL right and the server running?" in verdict.unscored


@pytest.mark.parametrize("url", ["localhost:1/v1", "http://", "http://[::1", "ftp://x/", "\x00"])
def test_an_address_that_is_none_is_said(url, monkeypatch):
    if "\x00" not in url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
    else:
        monkeypatch.setenv("OPENAI_BASE_URL", "http://h\u0001ost/")
    text = error_through(quick())
    assert text.startswith("model test-model at ")


@pytest.mark.parametrize("key", ["sk-Test01234\n5678901", "sk-Täst0123456789012345"])
def test_a_key_that_cannot_be_sent_is_not_shown(key, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with serving() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert key.strip() not in error_through(quick())
        assert not server.asked


def test_a_long_wait_that_the_endpoint_asks_for_is_bounded(monkeypatch):
    busy = Answer({"error": {"message": "busy"}}, 429, {"Retry-After": "60"})
    with serving(lambda asked: busy) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        began = time.monotonic()
        text = error_through(hasty())
        assert time.monotonic() - began < 20
    assert "did not finish its reply within 1 s" in text
    assert len(server.asked) == 1


def test_one_slow_call_does_not_hold_up_those_that_follow(monkeypatch):
    """The first call of a kind goes alone; that it fails must not make the others wait in turn."""

    def decide(asked):
        return Answer(completion("45"), wait=9.0 if server.asked.index(asked) < 2 else 0.0)

    async def work(endpoint):
        model = chat(endpoint)
        requests = [replace(answer_request(), question=f"What now, {n}?") for n in range(6)]
        results = await asyncio.gather(*map(model.answer, requests), return_exceptions=True)
        await endpoint.close()
        return results

    with serving(decide) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        results = asyncio.run(work(quick(read=1.0)))
    assert isinstance(results[0], ModelError)
    assert [reply.text for reply in results[1:]] == ["45"] * 5


def test_what_passes_is_asked_again_within_its_number(monkeypatch):
    with serving(lambda asked: Answer({"error": {"message": "down"}}, 503)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        error_through(quick(max_retries=3, total=10.0))
        assert len(server.asked) == 4


def test_a_judgement_is_the_same_however_often_it_is_asked_for(monkeypatch):
    with serving(sensible) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        one, two = judge_many(quick(), ["45 seconds", "45 seconds"])
    assert (one.criteria, one.facts) == (two.criteria, two.facts)
    assert judge_request().digest.text
