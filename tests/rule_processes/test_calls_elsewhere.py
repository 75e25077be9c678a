"""Calls that other processes make; what is called comes from the standard library."""

import operator
import os
import signal
import sys
import time
from concurrent.futures import CancelledError

import pytest

from pytest_compaction.rule_processes import pool
from pytest_compaction.rule_processes.pipe import Held
from pytest_compaction.rule_processes.process import Hold


@pytest.fixture
def processes(monkeypatch):
    """Makes processes that are used from the first call on."""
    monkeypatch.setattr(pool, "HERE_FIRST", 0)
    made = []

    def make(number=1):
        made.append(pool.RuleProcesses(number))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_a_function_is_called_in_another_process(processes):
    one = processes()
    found = {one.call("a", os.getpid).result() for _ in range(3)}
    assert len(found) == 1
    assert os.getpid() not in found


def test_places_are_spread_over_the_processes_and_each_keeps_its_own(processes):
    several = processes(3)
    places = [f"case {number}" for number in range(12)]
    first = [several.call(place, os.getpid).result() for place in places]
    again = [several.call(place, os.getpid).result() for place in places]
    assert len(set(first)) == 3
    assert again == first


def test_without_processes_all_is_left_to_the_caller(processes):
    assert processes(0).call("a", os.getpid) is None


def test_the_first_calls_are_left_to_the_caller(monkeypatch, processes):
    monkeypatch.setattr(pool, "HERE_FIRST", 2)
    one = processes()
    found = [one.call("a", os.getpid) for _ in range(3)]
    assert [future is None for future in found] == [True, True, False]


def test_an_error_is_that_of_the_function_and_the_next_call_works(processes):
    one = processes()
    with pytest.raises(ZeroDivisionError):
        one.call("a", operator.truediv, 1, 0).result()
    assert one.call("a", operator.truediv, 1, 2).result() == 0.5


def test_what_a_killed_process_was_to_do_is_done_here(processes):
    one = processes()
    os.kill(one.call("a", os.getpid).result(), signal.SIGKILL)
    assert [one.call("a", os.getpid).result() for _ in range(2)] == [os.getpid()] * 2


def test_where_no_process_can_be_started_all_is_done_here(monkeypatch, processes):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    assert processes().call("a", os.getpid).result() == os.getpid()


def test_a_large_value_is_sent_once_as_long_as_it_is_held(monkeypatch, processes):
    sent = []
    plain = pool.send

    def send(stream, value):
        sent.extend([value.name] if isinstance(value, Hold) else [])
        plain(stream, value)

    monkeypatch.setattr(pool, "send", send)
    one = processes()

    def length(number):
        return one.call("a", len, Held(f"text {number}", "x" * number)).result()

    assert [length(number) for number in (7, 8, 7, 8)] == [7, 8, 7, 8]
    assert sent == ["text 7", "text 8"]
    assert [length(number) for number in range(20, 40)] == list(range(20, 40))
    assert length(7) == 7
    assert sent.count("text 7") == 2, "so that a process holds a bounded number"


def test_urgent_calls_go_before_those_that_wait(processes):
    one = processes()
    one.call("a", time.sleep, 0.3)
    plain = [one.call("a", time.monotonic_ns) for _ in range(3)]
    urgent = one.call("a", time.monotonic_ns, urgent=True)
    times = [future.result() for future in plain]
    assert times == sorted(times)
    assert urgent.result() < times[0]


def test_a_caller_that_helps_gets_the_places_for_which_a_process_has_no_time(processes):
    one = processes()
    known = [one.call("known", time.sleep, 0.02, helps=True)]
    while len(known) <= pool.BUSY + 2:
        known.append(one.call("known", time.sleep, 0.02, helps=True))
    assert None not in known, "a place that was given to a process stays there"
    assert one.call("new", os.getpid, helps=True) is None
    assert one.call("new", os.getpid) is not None
    known[-1].result()
    assert one.call("new", os.getpid, helps=True) is None, "and one that was left stays, too"


def test_closing_cancels_what_waits_and_kills_what_is_under_way(processes):
    one = processes()
    child = one.call("a", os.getpid).result()
    under_way = one.call("a", time.sleep, 3600)
    waiting = one.call("a", os.getpid)
    while not under_way.running():
        time.sleep(0.01)
    one.close()
    assert waiting.cancelled()
    with pytest.raises(CancelledError):
        under_way.result()
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    assert one.call("a", os.getpid) is None


@pytest.mark.parametrize(
    ("processors", "workers", "spare"),
    [(1, None, 0), (2, None, 1), (2, "2", 0), (2, "8", 0), (8, "2", 3), (64, None, pool.MOST)],
)
def test_there_are_as_many_as_processors_without_work(monkeypatch, processors, workers, spare):
    monkeypatch.setattr(
        pool.os, "sched_getaffinity", lambda _: set(range(processors)), raising=False
    )
    environment = {"PYTEST_XDIST_WORKER_COUNT": workers} if workers else {}
    assert pool.processes_to_spare(environment) == spare


def busy_with(one, number):
    """A call that takes long in the process of a place, and calls that wait for it."""
    under_way = one.call("a", time.sleep, 3600)
    waiting = [one.call("a", os.getpid) for _ in range(number)]
    while not under_way.running():
        time.sleep(0.01)
    return under_way, waiting


def test_whoever_helps_makes_the_last_call_that_waits_until_none_does(processes):
    one = processes()
    _, waiting = busy_with(one, 3)
    assert one.help()
    assert [future.done() for future in waiting] == [False, False, True]
    assert [one.help(), one.help(), one.help()] == [True, True, False]
    assert [future.result() for future in waiting] == [os.getpid()] * 3


def test_without_a_process_there_is_nothing_to_help_with(processes):
    assert not processes(0).help()
    assert not processes(2).help()


def test_an_error_of_a_call_is_not_that_of_whoever_helps(processes):
    one = processes()
    busy_with(one, 0)
    broken = one.call("a", operator.truediv, 1, 0)
    assert one.help()
    with pytest.raises(ZeroDivisionError):
        broken.result()


def test_a_call_that_was_interrupted_where_it_helps_waits_again(processes):
    one = processes()
    busy_with(one, 0)
    interrupted = one.call("a", signal.raise_signal, signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        one.help()
    assert not interrupted.done()
    one.close()
    assert interrupted.cancelled()


def test_what_cannot_be_sent_is_done_here(processes):
    assert processes().call("a", len, (time.sleep, lambda: 0)).result() == 2
