"""Calls that a process of its own sends: they and their failures are those of calls sent here."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from support.builders import COUNTER
from support.callers import call
from support.counting_endpoint import counting
from support.endpoint_builders import KEY, servers_in_environment
from support.endpoint_faults import FAULTS
from support.endpoint_replies import Answer, completion, sensible
from support.endpoint_server import unused_url
from support.store_files import files, path_of

from pytest_compaction.models.calls.accounts import Accounts
from pytest_compaction.models.calls.attempt import AttemptError
from pytest_compaction.models.calls.endpoint import Endpoint
from pytest_compaction.models.calls.endpoint_process import caller
from pytest_compaction.models.calls.endpoint_process.caller import EndpointProcess
from pytest_compaction.models.calls.prices import prices_at
from pytest_compaction.models.calls.retries import RetryingCaller
from pytest_compaction.models.calls.spending_limit import SpendingLimit
from pytest_compaction.models.calls.store import Store
from pytest_compaction.models.calls.turns import in_turn
from pytest_compaction.models.protocol import ModelError
from pytest_compaction.run.loops.request_limit import NEXT, RequestLimit
from pytest_compaction.run.loops.slots import OwnSlots
from pytest_compaction.secrets import keys, own_environment

QUICK = {"connect": 5.0, "read": 3.0, "total": 12.0}


@pytest.fixture
def servers(monkeypatch):
    """Starts servers with the given answers; the environment points to the latest one."""
    with servers_in_environment(monkeypatch) as serve:
        yield serve


@pytest.fixture
def leaving(monkeypatch):
    """Calls leave this process, though it has loaded the packages that send them."""
    monkeypatch.setattr(caller, "may_leave", lambda: True)


@pytest.fixture
def sends_nothing_here(leaving, monkeypatch):
    """A call that this process sends fails its test."""

    async def fail(self, call):
        raise AssertionError("a call was sent by this process")

    monkeypatch.setattr(Endpoint, "call", fail)


def run(work, sender):
    """What a coroutine returns; the sender is closed on its loop."""

    async def closing():
        async with contextlib.AsyncExitStack() as stack:
            stack.push_async_callback(sender.close)
            return await work()

    return asyncio.run(closing())


def said_of(sender, asked):
    """What a caller says to a call: a reply, or all that is known of a failure."""

    async def work():
        try:
            reply = await sender.call(asked)
        except AttemptError as error:
            return str(error), error.charged, error.passing, error.wait, error.complaint
        except ModelError as error:
            return type(error), str(error)
        return reply.body, reply.usage

    return run(work, sender)


def test_another_process_sends_the_call(servers, sends_nothing_here):
    server = servers()
    sender = EndpointProcess(Endpoint(**QUICK))
    body, usage = said_of(sender, call())
    assert body == sensible(server.asked[0]).body
    assert usage.calls == 1
    assert server.bodies == [call().body]


def test_what_is_sent_is_the_adapted_body(servers, sends_nothing_here):
    server = servers()
    asked = replace(call(temperature=0), sent=call().body)
    said_of(EndpointProcess(Endpoint()), asked)
    assert server.bodies == [call().body]


@pytest.mark.parametrize(
    "name",
    [
        "429 with Retry-After",
        "500 for good",
        "reset mid-body",
        "reset before the body",
        "truncated JSON",
        "wrong content type",
        "empty body",
        "slow drip",
        "10 MB",
    ],
)
def test_a_failure_is_the_same_as_here(servers, leaving, name):
    fault = FAULTS[name]
    bounds = {**QUICK, "read": 0.5} if name == "slow drip" else QUICK
    servers(lambda asked: fault(asked, 1))
    asked = call()
    here = said_of(Endpoint(**bounds), asked)
    assert said_of(EndpointProcess(Endpoint(**bounds)), asked) == here


def test_an_endpoint_that_is_not_there_and_a_missing_key_are_told(monkeypatch, leaving):
    monkeypatch.setenv("OPENAI_BASE_URL", unused_url())
    here = said_of(Endpoint(**QUICK), call())
    assert "could not be reached" in here[0]
    assert said_of(EndpointProcess(Endpoint(**QUICK)), call()) == here
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    kind, text = said_of(EndpointProcess(Endpoint()), call())
    assert (kind, text) == said_of(Endpoint(), call())
    assert "OPENAI_API_KEY" in text


def test_a_sentence_holds_no_key_that_only_this_process_knows(servers, leaving, monkeypatch):
    secret = "Hidden-value-0123456789"
    servers(lambda asked: Answer({"error": {"message": f"no {secret} here"}}, 400))
    monkeypatch.setattr(keys, "_known_besides", (secret,))
    text = said_of(EndpointProcess(Endpoint()), call())[0]
    assert secret not in text
    assert "no [key] here" in text


def test_it_goes_where_the_user_pointed_and_not_where_clients_are_pointed(
    servers, sends_nothing_here
):
    server = servers()
    put_back = own_environment.point({"OPENAI_BASE_URL": unused_url(), "OPENAI_API_KEY": None})
    try:
        said_of(EndpointProcess(Endpoint()), call())
    finally:
        put_back()
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("mode", ["normal", "refresh"])
def test_a_reply_is_kept_where_it_arrives_as_it_is_kept_here(servers, leaving, tmp_path, mode):
    servers()
    asked = [call(), call("Where is it?", trial=2)]
    endpoint = Endpoint()
    at_home = Store(tmp_path / "here", endpoint, mode)
    here = run(lambda: asyncio.gather(*map(at_home.call, asked)), endpoint)
    sender = EndpointProcess(Endpoint())
    store = Store(tmp_path / "there", sender, mode, sender=sender)
    store._files.write = None  # nothing may be written here
    there = run(lambda: asyncio.gather(*map(store.call, asked)), sender)
    assert texts(tmp_path / "there") == texts(tmp_path / "here")
    assert [reply.body for reply in there] == [reply.body for reply in here]
    assert {reply.filed for reply in there} == {None}


def test_what_killed_writers_left_is_removed(servers, leaving, tmp_path):
    servers()
    left = tmp_path / ".partial" / "left.1.1"
    left.parent.mkdir()
    left.write_bytes(b"{")
    os.utime(left, (0, 0))
    sender, accounts = EndpointProcess(Endpoint()), Accounts(tmp_path / "accounts.sqlite")
    store = Store(tmp_path, sender, accounts=accounts, sender=sender)
    run(lambda: store.call(call()), sender)
    accounts.close()
    assert not left.exists()


def test_a_key_in_a_reply_is_not_kept(servers, leaving, tmp_path):
    secret = "sk-proj-" + "a1B2" * 10
    servers(lambda asked: Answer(completion(f"The key is {secret}.")))
    sender = EndpointProcess(Endpoint())
    store = Store(tmp_path, sender, sender=sender)
    reply = run(lambda: store.call(call(f"Is it {secret}?")), sender)
    assert secret not in str(reply.body)
    (text,) = texts(tmp_path).values()
    assert secret.encode() not in text
    assert b"[key]" in text


def test_a_reply_that_another_run_has_stored_meanwhile_counts(servers, leaving, tmp_path):
    asked = call()
    path = path_of(tmp_path, asked)

    def late(request):
        Store(tmp_path, None).adopt(asked, asked.digest, other)
        return sensible(request)

    servers()
    endpoint = Endpoint()
    other = run(lambda: endpoint.call(asked), endpoint)
    other = type(other)({**other.body, "id": "the first"}, other.usage)
    servers(late)
    sender = EndpointProcess(Endpoint())
    store = Store(tmp_path, sender, sender=sender)
    assert run(lambda: store.call(asked), sender).body["id"] == "the first"
    assert b"the first" in path.read_bytes()


def test_a_file_that_cannot_be_written_is_told(servers, leaving, tmp_path):
    servers()
    folder, accounts = tmp_path / "taken", Accounts(tmp_path / "accounts.sqlite")
    folder.write_text("a file")
    sender = EndpointProcess(Endpoint())
    store = Store(folder, sender, accounts=accounts, sender=sender)
    reply = run(lambda: store.call(call()), sender)
    assert reply.body["choices"]
    accounts.close()
    assert "could not be kept" in accounts.notes[-1]


def texts(folder):
    """The bytes of the files of a store, by their names."""
    return {path.name: path.read_bytes() for path in files(folder)}


class Limited:
    """Calls that go through a store and a sender within a limit."""

    def __init__(self, folder, slots):
        self.sender = EndpointProcess(Endpoint())
        self.limit = RequestLimit(OwnSlots(slots))
        self.store = Store(folder, self.sender, sender=self.sender)

    async def ask(self, number, rank=0):
        with in_turn(self.limit.at(rank)):
            return await self.store.call(call(f"Question {number}?"))


def test_never_more_fly_than_may_and_the_next_one_flies_at_once(tmp_path, leaving, monkeypatch):
    with counting(lambda body: time.sleep(0.01)) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        limited = Limited(tmp_path, 3)
        run(lambda: asyncio.gather(*map(limited.ask, range(60))), limited.sender)
    assert endpoint.most == 3
    assert len(endpoint.begun) == len(files(tmp_path)) == 60
    assert limited.limit.is_idle


def test_a_call_that_is_given_up_before_it_flies_is_not_sent(tmp_path, leaving, monkeypatch):
    with counting(lambda body: True) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        limited = Limited(tmp_path, 1)

        async def work():
            first, *others = [asyncio.ensure_future(limited.ask(n)) for n in range(NEXT + 2)]
            await until_next(limited.limit, NEXT, endpoint)
            for task in others[:-1]:
                task.cancel()
            await asyncio.wait(others[:-1])
            endpoint.release()
            await first
            await others[-1]
            return others

        others = run(work, limited.sender)
    assert [task.cancelled() for task in others] == [*[True] * NEXT, False]
    assert len(endpoint.begun) == 2
    assert limited.limit.is_idle


async def until_next(limit, number, endpoint):
    """Wait until one request flies and so many are next."""
    await asyncio.to_thread(endpoint.until, lambda: len(endpoint.begun) == 1)
    while len(limit._next) < number:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)  # what is next is sent in the same step


def paid_calls(folder, monkeypatch, finish, most=None):
    """The calls in the bill when ``finish`` has dealt with one that flies and one that is next."""
    accounts = Accounts(folder / "accounts.sqlite")
    with counting(lambda body: True) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        sender = EndpointProcess(Endpoint())
        paying = SpendingLimit(sender, accounts, prices_at(""), COUNTER, most)
        limit = RequestLimit(OwnSlots(1))

        async def one(number):
            async with limit.at(0).or_next():
                await paying.call(call(f"Question {number}?"))

        async def work():
            tasks = [asyncio.ensure_future(one(number)) for number in range(2)]
            await until_next(limit, 1, endpoint)
            finish(endpoint, accounts, tasks)
            return await asyncio.gather(*tasks, return_exceptions=True)

        came = run(work, sender)
    paid = sum(total.paid.calls for total in accounts.totals())
    accounts.close()
    return paid, len(endpoint.begun), came


@pytest.mark.parametrize("most", [None, 100.0])
def test_nothing_is_charged_for_what_was_not_sent(tmp_path, leaving, monkeypatch, most):
    def give_up(endpoint, accounts, tasks):
        for task in reversed(tasks):
            task.cancel()

    paid, begun, came = paid_calls(tmp_path, monkeypatch, give_up, most)
    assert [isinstance(error, asyncio.CancelledError) for error in came] == [True, True]
    assert paid == begun == 1, "the one that flew"


def test_what_is_next_is_not_in_flight_until_it_flies(tmp_path, leaving, monkeypatch):
    written_off = []

    def write_off(endpoint, accounts, tasks):
        accounts.write_off("main")
        accounts.write_off(os.environ.get("PYTEST_XDIST_WORKER", ""))
        written_off.extend(total.paid.calls for total in accounts.totals())
        endpoint.release()

    paid, begun, came = paid_calls(tmp_path, monkeypatch, write_off)
    assert written_off == [1], "what a dead process may have to pay is what flew"
    assert came == [None, None]
    assert paid == begun == 2


@pytest.fixture
def started(monkeypatch):
    """The processes that were started, in order."""
    processes = []
    popen = subprocess.Popen

    def noting(*arguments, **how):
        processes.append(popen(*arguments, **how))
        return processes[-1]

    monkeypatch.setattr(subprocess, "Popen", noting)
    return processes


def test_a_process_that_dies_loses_what_flew_and_this_one_goes_on(leaving, monkeypatch, started):
    def kill(body):
        if started[0].poll() is None:
            os.kill(started[0].pid, signal.SIGKILL)
            started[0].wait()

    with counting(kill) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        sender = EndpointProcess(Endpoint())
        retrying = RetryingCaller(sender, 12.0, 1)
        reply = run(lambda: retrying.call(call()), sender)
    assert reply.body
    assert len(endpoint.begun) == 2
    assert len(started) == 1


def test_its_process_ends_with_the_loop_and_another_one_serves_the_next(
    servers, sends_nothing_here, started
):
    servers()
    sender = EndpointProcess(Endpoint())
    for _ in range(2):
        said_of(sender, call())
    assert [process.returncode for process in started] == [0, 0]


def test_calls_on_another_loop_and_where_no_process_can_be_started_are_sent_here(
    servers, leaving, monkeypatch
):
    server = servers()
    sender = EndpointProcess(Endpoint())

    async def work():
        await sender.call(call())
        monkeypatch.setattr(sender, "_loop", None)
        assert not await sender.keeps()
        await sender.call(call("Here?"))
        monkeypatch.setattr(sender, "_loop", asyncio.get_running_loop())

    run(work, sender)
    for python in ("/no/such/python", "/bin/false", "/bin/cat"):
        monkeypatch.setattr(sys, "executable", python)
        assert said_of(sender, call("And here?"))[1].calls == 1
    assert len(server.asked) == 5


def test_calls_stay_where_senders_or_sockets_may_have_been_changed(monkeypatch):
    for name in ("openai", "httpx", "httpx2", "httpcore"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert caller.may_leave()
    monkeypatch.setitem(sys.modules, "httpx", object())
    assert not caller.may_leave()
    monkeypatch.delitem(sys.modules, "httpx")

    class Guarded(caller.socket.socket):
        pass

    monkeypatch.setattr(caller.socket, "socket", Guarded)
    assert not caller.may_leave()
