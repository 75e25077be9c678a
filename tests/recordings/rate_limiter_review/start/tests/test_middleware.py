"""Counting, callers, repeats."""

import pytest

from pontoon.clock import SteppedClock
from pontoon.messages import OK, REFUSED, STORED, Reply, Request
from pontoon.middleware import CallerCheck, Counts, ReplayGuard


def request(id="r-1", verb="put", caller="kiosk-01"):
    return Request(id, verb, "/x", caller)


class Handler:
    def __init__(self, code=STORED):
        self.calls = 0
        self.code = code

    def __call__(self, request):
        self.calls += 1
        return Reply(request.id, self.code, {"call": self.calls})


def test_counts():
    counts = Counts()
    for caller in ("kiosk-01", "kiosk-02", "kiosk-02"):
        counts(request(caller=caller), Handler())
    assert counts.codes == {21: 3}
    assert counts.busiest(1) == [("kiosk-02", 2)]


@pytest.mark.parametrize(
    ("caller", "code"),
    [("kiosk-01", 21), ("desk-1", 41), ("kiosk", 41), ("kiosk-", 41), ("kiosk-a", 41)],
)
def test_caller_check(caller, code):
    assert CallerCheck(["kiosk"])(request(caller=caller), Handler()).code == code


@pytest.mark.parametrize(
    ("verb", "code", "calls"),
    [("put", STORED, 1), ("drop", OK, 1), ("get", OK, 2), ("put", REFUSED, 2)],
)
def test_repeats(verb, code, calls):
    guard, handler = ReplayGuard(SteppedClock(), 90), Handler(code)
    guard(request(verb=verb), handler)
    guard(request(verb=verb), handler)
    assert handler.calls == calls


def test_two_callers_may_use_one_id():
    guard, handler = ReplayGuard(SteppedClock(), 90), Handler()
    guard(request(), handler)
    guard(request(caller="kiosk-02"), handler)
    assert handler.calls == 2


@pytest.mark.parametrize(("seconds", "calls"), [(89, 1), (90, 2)])
def test_replies_are_forgotten(seconds, calls):
    clock, handler = SteppedClock(), Handler()
    guard = ReplayGuard(clock, 90)
    guard(request(), handler)
    clock.advance(seconds)
    guard(request(), handler)
    assert handler.calls == calls
    assert len(guard) == 1
