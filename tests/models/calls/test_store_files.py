"""Files of the store that are begun while a request flies, and written in another process."""

import asyncio
import os
import signal
import threading

import pytest
from support.callers import Answering, Noting, call
from support.store_files import ask, files, path_of

from pytest_compaction.models.calls import store_file
from pytest_compaction.models.calls.store import Store
from pytest_compaction.models.calls.store_files import StoreFiles
from pytest_compaction.models.protocol import ModelError
from pytest_compaction.rule_processes import pool

KEY = "sk-ABCDEFGHIJKLMNOP1234"


@pytest.fixture
def processes(monkeypatch):
    """A process that is used from the first call on."""
    monkeypatch.setattr(pool, "HERE_FIRST", 0)
    one = pool.RuleProcesses(1)
    yield one
    one.close()


@pytest.fixture
def written_here(monkeypatch):
    """The digests of the files that this process writes."""
    written = []
    write = StoreFiles.write

    def noting(self, call, digest, reply):
        written.append(digest)
        return write(self, call, digest, reply)

    monkeypatch.setattr(StoreFiles, "write", noting)
    return written


class Looking(Answering):
    """Looks what was prepared while it answers."""

    def __init__(self, **options):
        super().__init__(**options)
        self.prepared = []

    async def call(self, call):
        await asyncio.sleep(0.2)
        self.prepared.append([digest for digest, _ in store_file._prepared])
        return await super().call(call)


def test_a_file_is_begun_while_its_request_flies(tmp_path):
    asked, endpoint = call(), Looking()
    ask(Store(tmp_path, endpoint), asked)
    assert endpoint.prepared == [[asked.digest]]
    assert store_file._prepared == {}
    assert files(tmp_path) == [path_of(tmp_path, asked)]


def test_what_was_begun_for_a_request_that_fails_is_dropped(tmp_path):
    endpoint = Looking(fails={1})
    with pytest.raises(ModelError):
        ask(Store(tmp_path, endpoint, accounts=Noting()), call())
    assert endpoint.prepared == [[call().digest]]
    ask(Store(tmp_path, endpoint, accounts=Noting()), call("Another?"))
    assert store_file._prepared == {}


def test_requests_that_are_begun_are_held_in_bounded_number():
    for number in range(store_file._MOST + 3):
        store_file.prepare_request(f"{number}", {"text": "x"}, ())
    held = list(store_file._prepared)
    store_file._prepared.clear()
    assert len(held) == store_file._MOST
    assert held[-1] == (f"{store_file._MOST + 2}", ())


@pytest.mark.parametrize("mode", ["normal", "refresh"])
def test_a_process_writes_the_same_bytes_without_keys(
    tmp_path, processes, written_here, monkeypatch, mode
):
    processes.call("elsewhere", os.getpid).result()
    # The process does not have this one in its environment: it is told what is secret.
    monkeypatch.setenv("SOME_API_KEY", "a-rather-long-word")
    calls = [call(f"{number}? {KEY} a-rather-long-word") for number in range(20)]
    here = ask(Store(tmp_path / "here", Answering(), mode), *calls)
    assert len(written_here) == 20
    there = ask(Store(tmp_path / "there", Answering(), mode, processes=processes), *calls)
    assert len(written_here) == 20, "the process writes them all"
    assert there == here
    for asked in calls:
        data = path_of(tmp_path / "there", asked).read_bytes()
        assert data == path_of(tmp_path / "here", asked).read_bytes()
        assert b"[key] [key]" in data


def test_a_reply_with_a_key_comes_back_without_it(tmp_path, processes, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "answer 1")
    (reply,) = ask(Store(tmp_path, Answering(), processes=processes), call())
    assert reply.body == {"text": "[key]"}
    assert reply.latency_s == 0.25


@pytest.mark.parametrize("number", [0, 1])
def test_a_reply_that_another_run_stored_meanwhile_counts(tmp_path, monkeypatch, number):
    monkeypatch.setattr(pool, "HERE_FIRST", 0)
    before = ask(Store(tmp_path / "other", Answering()), call())

    class Late(Answering):
        async def call(self, asked):
            path = path_of(tmp_path, asked)
            path.parent.mkdir()
            path.write_bytes(path_of(tmp_path / "other", asked).read_bytes())
            self.calls.append(None)
            return await super().call(asked)

    processes = pool.RuleProcesses(number)
    store = Store(tmp_path, Late(), processes=processes)
    (reply,) = ask(store, call())
    store._thread.wait_for(lambda: None)
    processes.close()
    assert reply.body == before[0].body == {"text": "answer 1"}
    assert store_file._prepared == {}, "what was begun is not held for ever"
    assert store._files._begun == {}


def test_a_process_that_dies_while_requests_fly_loses_none(tmp_path, processes, written_here):
    child = processes.call("store", os.getpid).result()

    class Killing(Answering):
        async def call(self, asked):
            while not all(made.done() for _, made in store._files._begun.values()):
                await asyncio.sleep(0.01)
            if not self.calls:
                os.kill(child, signal.SIGKILL)
            return await super().call(asked)

    calls = [call(f"{number}?") for number in range(6)]
    store = Store(tmp_path, Killing(), processes=processes)
    ask(store, *calls)
    assert sorted(files(tmp_path)) == sorted(path_of(tmp_path, asked) for asked in calls)
    assert written_here, "what it had prepared is prepared here again"


def test_a_reply_is_kept_though_the_processes_are_closed_meanwhile(tmp_path, processes):
    class Closing(Answering):
        async def call(self, asked):
            await asyncio.to_thread(processes.close)
            return await super().call(asked)

    ask(Store(tmp_path, Closing(), processes=processes), call())
    assert files(tmp_path) == [path_of(tmp_path, call())]


def test_a_reply_is_kept_even_if_the_call_is_given_up_while_a_process_writes(tmp_path, processes):
    accounts, ended = Noting(), []
    accounts.unclaim = lambda digest, kept: ended.append(files(tmp_path))
    store = Store(tmp_path, Answering(), accounts=accounts, processes=processes)
    writing = threading.Event()
    write_elsewhere = store._files.write_elsewhere

    async def noting(*arguments):
        writing.set()
        return await write_elsewhere(*arguments)

    store._files.write_elsewhere = noting

    async def given_up():
        work = asyncio.ensure_future(store.call(call()))
        while not writing.is_set():
            await asyncio.sleep(0)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        assert ended == [[path_of(tmp_path, call())]], "its claim ends when the file is there"

    asyncio.run(given_up())


def test_it_is_noted_that_a_process_could_not_write_a_reply(tmp_path, processes):
    (tmp_path / "taken").write_text("a file in the place of the folder")
    accounts = Noting()
    store = Store(tmp_path / "taken", Answering(), accounts=accounts, processes=processes)
    (reply,) = ask(store, call())
    assert reply.body == {"text": "answer 1"}
    assert ["they will be paid for again" in note for note in accounts.notes].count(True) == 1
