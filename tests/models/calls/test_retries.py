"""Requests that may succeed later are repeated, within a bound on number and time."""

import asyncio
import email.utils
import subprocess
import sys
import time

import pytest
from support.callers import call
from support.endpoint_builders import KEY, quick
from support.endpoint_replies import Answer, completion, error
from support.endpoint_server import serving

from pytest_compaction.models import CallReply, ModelError
from pytest_compaction.models.calls import endpoint
from pytest_compaction.models.calls.endpoint import (
    AttemptError,
    RetryingCaller,
    asked_wait,
    is_passing,
)
from pytest_compaction.models.wire.complaint import Complaint

BUSY = {"passing": True, "complaint": Complaint(429, "busy")}
LOST = {"passing": True, "charged": True}


@pytest.fixture
def waits(monkeypatch):
    """The waits between attempts in seconds; none of them takes any time."""
    found = []

    async def sleep(seconds):
        found.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    return found


class Failing:
    """A caller that fails as given, one attempt after the other, and then replies."""

    def __init__(self, *failures):
        self.failures = list(failures)
        self.seconds = []

    async def call(self, call):
        self.seconds.append(call.seconds)
        if self.failures:
            raise AttemptError("it failed", "; run again", **self.failures.pop(0))
        return CallReply({}, latency_s=0.5)

    async def close(self):
        pass


def retried(caller, total=300.0, count=4):
    """The reply, or the error, of a call that is repeated without jitter."""

    async def work():
        try:
            return await RetryingCaller(caller, total, count, jitter=lambda: 0.0).call(call())
        except ModelError as failed:
            return failed

    return asyncio.run(work())


def test_waits_double_up_to_the_longest(waits):
    assert str(retried(Failing(*[LOST] * 9), count=6)) == "it failed, 7 times; run again"
    assert waits == [0.5, 1, 2, 4, 8, 8]


def test_jitter_makes_a_wait_shorter_by_a_quarter_at_most(waits):
    for jitter in (0.0, 0.5, 0.999):
        caller = RetryingCaller(Failing(LOST), 300.0, jitter=lambda jitter=jitter: jitter)
        asyncio.run(caller.call(call()))
    assert waits == [pytest.approx(0.5 * (1 - 0.25 * jitter)) for jitter in (0.0, 0.5, 0.999)]


def test_the_endpoint_is_asked_again_when_it_said(waits):
    retried(Failing({**BUSY, "wait": 7.5}, LOST))
    assert waits == [7.5, 1.0]


def test_a_failure_that_does_not_pass_is_raised_as_it_is(waits):
    assert str(retried(Failing({"charged": True}))) == "it failed; run again"
    assert waits == []


def test_the_last_refusal_is_raised_as_the_endpoint_said_it(waits):
    failed = retried(Failing(*[BUSY] * 9))
    assert str(failed) == "it failed; run again"
    assert failed.complaint.status == 429
    assert len(waits) == 4


def test_attempts_share_the_time_with_the_waits_between_them(waits):
    caller = Failing({**LOST, "seconds": 4.0}, {**LOST, "seconds": 3.0})
    reply = retried(caller, total=20.0)
    assert caller.seconds == [20.0, 15.5, 11.5]
    assert reply.latency_s == 4.0 + 0.5 + 3.0 + 1.0 + 0.5


def test_a_wait_that_leaves_no_time_is_not_begun(waits):
    failed = retried(Failing({**BUSY, "wait": 60.0}), total=50.0)
    assert "did not finish its reply within 50 s" in str(failed)
    assert waits == []


@pytest.mark.parametrize(
    ("status", "headers", "again"),
    [
        (408, {}, True),
        (409, {}, True),
        (429, {}, True),
        (500, {}, True),
        (503, {}, True),
        (400, {}, False),
        (404, {}, False),
        (429, {"x-should-retry": "false"}, False),
        (400, {"x-should-retry": "true"}, True),
        (429, {"retry-after": "120"}, True),
        (429, {"retry-after": "121"}, False),
        (429, {"retry-after-ms": "121000", "x-should-retry": "true"}, False),
        (429, {"retry-after": "9" * 400}, False),
        (429, {"retry-after": "inf"}, True),
    ],
)
def test_which_refusals_pass(status, headers, again):
    assert is_passing(status, headers) == again


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after-ms": "1500", "retry-after": "3"}, 1.5),
        ({"retry-after-ms": "soon", "retry-after": "3"}, 3.0),
        ({"retry-after": "0"}, None),
        ({"retry-after": "-4"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "Infinity"}, None),
        ({"retry-after": "tomorrow"}, None),
        ({"retry-after": email.utils.formatdate(0, usegmt=True)}, None),
    ],
)
def test_how_long_an_endpoint_asks_to_wait(headers, wait):
    assert asked_wait(headers) == wait


def test_a_date_to_wait_for_is_read():
    then = email.utils.formatdate(time.time() + 30, usegmt=True)
    assert 25 < asked_wait({"retry-after": then}) <= 30


def test_an_endpoint_that_says_when_is_asked_then(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr(endpoint, "FIRST_WAIT_S", 60.0)
    monkeypatch.setattr(endpoint, "LONGEST_WAIT_S", 60.0)

    def decide(asked):
        if len(server.asked) > 1:
            return Answer(completion("45"))
        return Answer(error("busy", 429).body, 429, {"retry-after-ms": "50"})

    async def work(caller):
        try:
            return await caller.call(call())
        finally:
            await caller.close()

    with serving(decide) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        reply = asyncio.run(work(quick()))
    assert len(server.asked) == 2
    assert 0.05 <= reply.latency_s < 5


def test_openai_is_not_loaded_before_a_call_is_made(tmp_path):
    code = """
import sys
from pathlib import Path
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.models.registry import connect
connect(Path("store"), "store", "normal", Path("a.sqlite"), None, None, TokenCounter()).model("m")
print(sorted({"openai", "httpx", "httpx2"} & sys.modules.keys()))
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "[]"
