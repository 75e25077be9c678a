"""An endpoint with every kind of fault: each item is scored, or is unscored and says why."""

import asyncio
import json
import re
import time
from collections import Counter
from dataclasses import replace
from functools import partial

import pytest
from support.builders import build_case
from support.counted import COUNTED
from support.endpoint_builders import (
    KEY,
    answer_request,
    chat,
    error_through,
    hasty,
    quick,
)
from support.endpoint_faults import FAULTS, REFUSED, SLOW, Faults
from support.endpoint_replies import Answer, completion
from support.endpoint_server import refusing_port, serving, unused_url

from pytest_compaction.compactors.strategies.anchored import SECTIONS
from pytest_compaction.judges import ModelJudge, verdict_from_reply
from pytest_compaction.metrics import read
from pytest_compaction.models import ModelError, SummaryRequest
from pytest_compaction.models.calls.client import httpx
from pytest_compaction.rubric import asked_of_models
from pytest_compaction.text import TextIndex

pytestmark = pytest.mark.usefixtures("short_waits")

JUDGED, ANSWERED, NOTED = 1160, 330, 330
"""Responses to judge, questions to answer, and summaries to write."""
ITEMS = JUDGED + ANSWERED + NOTED
CALLS = 2000
"""The least number of calls: one for each item, and one more for each repaired judgement."""
AT_ONCE = 32
PASSING = {"", "429 with Retry-After", "429 without Retry-After", "500 once", "503 once"}
PASSING |= {"reset mid-body"}
"""Faults after which a reply comes all the same: no fault, and those that pass."""
IN_JUDGEMENTS = {
    "judgement off schema", "score 7", "score five", "score below 0", "score NaN", "score true",
    "missing criteria", "duplicate criteria",
}  # fmt: skip
"""Faults that only judgements can have."""


class Counted:
    """An endpoint that counts its calls."""

    def __init__(self, endpoint):
        self.close = endpoint.close
        self._endpoint = endpoint
        self.calls = Counter()

    async def call(self, call):
        self.calls[call.role] += 1
        return await self._endpoint.call(call)


class Refusing(httpx.AsyncBaseTransport):
    """The network, except that some requests go to a port without a listener."""

    def __init__(self, faults, port):
        self._faults = faults
        self._port = port
        self._real = httpx.AsyncHTTPTransport(limits=httpx.Limits(max_connections=AT_ONCE))

    async def handle_async_request(self, request):
        if self._faults.refuses(json.loads(request.content)):
            request.url = request.url.copy_with(port=self._port)
        return await self._real.handle_async_request(request)

    async def aclose(self):
        await self._real.aclose()


def judge_many(endpoint, responses):
    """The verdicts on many responses that are judged at once, within a limit."""
    return at_once(endpoint, [partial(judged, text=text) for text in responses])


def at_once(endpoint, works):
    """The results of functions of the model, in order; ``AT_ONCE`` run at a time."""

    async def all_of_it():
        model = chat(endpoint)
        limit = asyncio.Semaphore(AT_ONCE)

        async def one(work):
            async with limit:
                return await work(model)

        try:
            return await asyncio.gather(*map(one, works))
        finally:
            await endpoint.close()

    return asyncio.run(all_of_it())


async def judged(model, text):
    """The verdict on a response."""
    case = build_case()
    probe = case.probes[0]
    reply = await ModelJudge(model).reply(case, probe, text)
    view = read(probe.facts, probe.traps, TextIndex(text))
    return verdict_from_reply(reply, probe, view, text, 3.5)


async def answered(model, number):
    """The text of an answer, or what went wrong."""
    request = replace(answer_request(), question=f"What is the timeout in message {number}?")
    try:
        return (await model.answer(request)).text
    except ModelError as error:
        return error


async def noted(model, number):
    """The entries of a summary, or what went wrong."""
    request = SummaryRequest(build_case().messages, SECTIONS, 300, None, f"Mind item {number}.")
    try:
        return (await model.summarize(request)).summary
    except ModelError as error:
        return error


@pytest.mark.exhaustive
def test_in_two_thousand_calls_every_item_is_scored_or_says_why_not(monkeypatch, record_property):
    faults = Faults(share=0.75, seed=7, slow=0.4)
    responses = [f"The timeout is 45 seconds, as said in message {n}." for n in range(JUDGED)]
    with serving(faults) as server, refusing_port() as port:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        network = Refusing(faults, port)
        endpoint = Counted(quick(total=8.0, max_reply_bytes=1_000_000, transport=network))
        works = [partial(judged, text=text) for text in responses]
        works += [partial(answered, number=n) for n in range(ANSWERED)]
        works += [partial(noted, number=n) for n in range(NOTED)]
        results = at_once(endpoint, works)
    calls, requests = endpoint.calls, faults.order
    assert len(results) == ITEMS
    assert CALLS <= calls.total() <= 2 * JUDGED + ANSWERED + NOTED
    assert (calls["responder"], calls["compaction"]) == (ANSWERED, NOTED)
    assert calls.total() <= len(requests) <= 2 * calls.total()
    for role, count in sorted(calls.items()):
        record_property(f"{COUNTED}fault test: {role} calls", count)
    record_property(f"{COUNTED}fault test: requests", len(requests))
    record_property(f"{COUNTED}fault test: of them with a fault", sum(map(bool, requests)))

    fault_of = {}
    for name, body in zip(faults.order, faults.bodies, strict=True):
        if len(body["messages"]) == 2 or "response_format" not in body:
            fault_of[_item_in(body)] = name
    met = {"judged": set(), "answered": set(), "noted": set()}
    for number, result in enumerate(results):
        if number < JUDGED:
            name = fault_of[responses[number]]
            met["judged"].add(name)
            _judged_well(name, result)
        elif number < JUDGED + ANSWERED:
            name = fault_of[f"What is the timeout in message {number - JUDGED}?"]
            met["answered"].add(name)
            _replied_well(name, result, "The limit is 45.")
        else:
            name = fault_of[f"Mind item {number - JUDGED - ANSWERED}."]
            met["noted"].add(name)
            _replied_well(name, result, None)
    every = {*FAULTS, REFUSED, ""}
    assert met["judged"] == met["answered"] | met["noted"] == every, "the slow ones too"
    assert all(names >= every - SLOW for names in met.values())
    record_property(f"{COUNTED}fault test: kinds of faults", len(every - {""}))


def _judged_well(name, verdict):
    """Scored if the fault passes, else unscored with a reason; never 0 for lack of a score."""
    assert (verdict.unscored is None) == (name in PASSING), (name, verdict.unscored)
    if verdict.unscored:
        assert (verdict.overall, verdict.passed) == (None, None)
        assert len(verdict.unscored) > 30
        assert KEY not in verdict.unscored
        assert all(text in verdict.unscored for text in SAID_AT_ONCE.get(name, SAID[name])), (
            name,
            verdict.unscored,
        )
    else:
        assert verdict.overall == 4.0
        assert len(verdict.criteria) == len(asked_of_models("recall"))


def _replied_well(name, result, expected):
    """A whole reply if the fault passes or cannot meet these requests, else an error."""
    if name in PASSING | IN_JUDGEMENTS:
        assert not isinstance(result, ModelError), (name, result)
        assert result == expected if expected else not result.empty
        return
    assert isinstance(result, ModelError), name
    assert all(text in str(result) for text in SAID_AT_ONCE.get(name, SAID[name])), (name, result)
    assert KEY not in str(result)


def _item_in(body):
    """The text that identifies the item of a request: its answer, question or focus."""
    last = body["messages"][-1]["content"]
    if "response_format" in body:
        return last.partition("The answer to grade:\n")[2].split("\n")[1]
    return re.search(r"What is the timeout in message \d+\?|Mind item \d+\.", last)[0]


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
    assert (verdict.unscored is None) == (name in PASSING)
    assert took < 30
    assert len(server.asked) <= 4
    if verdict.unscored:
        for text in SAID[name]:
            assert text in verdict.unscored


SAID = {
    "429 for good": (
        "answered 429: down 429",
        "lower --compaction-concurrency",
    ),
    "500 for good": ("answered 500: down 500; run again later",),
    "reset before the body": ("could not be reached, or broke off its reply, 2 times",),
    "time-out": ("did not answer in time (connecting 5 s, reading 0.3 s), 2 times",),
    "slow drip": ("did not finish its reply within 0.3 s, 2 times",),
    "empty body": ("sent an empty reply",),
    "truncated JSON": ("that is not valid JSON",),
    "JSON null": ("sent JSON that is not an object but a NoneType",),
    "valid JSON off schema": ("not a chat completion",),
    "no choices": ("not a chat completion",),
    "judgement off schema": ("criteria lacks accuracy_factual, ",),
    "score 7": ("is 7, outside 0 to 5",),
    "score five": ('is "five", expected a number',),
    "score below 0": ("is -1, outside 0 to 5",),
    "score NaN": ("it holds NaN, which is not a number",),
    "score true": ("is true, expected a number",),
    "missing criteria": ("criteria lacks completeness_depth",),
    "duplicate criteria": ("it gives accuracy_factual twice",),
    "refusal": ("it refused: I cannot help with that.",),
    "content filter": ("it refused: the endpoint's content filter held the reply back",),
    "empty text": ("its reply is empty",),
    "tool call": ("it called a tool instead of replying in text",),
    "wrong content type": ("sent text/html that is not valid JSON",),
    "10 MB": ("sent a reply of more than 0.953674 MB, which was not read",),
    REFUSED: ("could not be reached, or broke off its reply, 2 times (ConnectError: ",),
}


SAID_AT_ONCE = {
    "time-out": ("did not ", "--compaction-request-timeout"),
    "slow drip": ("did not finish its reply within 8 s",),
}
"""The sentences of the long test, which waits longer than :func:`hasty`.

On a busy machine a call can use up all its time before the endpoint has been silent for 3 s.
"""


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
def test_an_unusable_address_is_said(url, monkeypatch):
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
        text = error_through(hasty(total=1.0))
        assert time.monotonic() - began < 20
    assert "did not finish its reply within 1 s" in text
    assert len(server.asked) == 1


def test_one_slow_call_does_not_hold_up_those_that_follow(monkeypatch):
    """The first call of a kind goes alone. If it fails, the others must not wait in turn."""

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
