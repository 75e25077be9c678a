"""Processes that share a store: each call is made once, and no file is torn."""

import asyncio
import os
from pathlib import Path

import pytest
from support.callers import Answering, Noting, call
from support.processes import run_each
from support.store_files import ask, files

from pytest_compaction.models import Accounts, ModelError
from pytest_compaction.models.calls.store import Store


def _write_often(folder, name):
    store = Store(Path(folder), Answering())
    for number in range(60):
        ask(store, call(f"Question {number % 20}?"))
    Path(folder, f"done-{name}").touch()


def test_processes_that_write_the_same_calls_never_leave_a_torn_file(tmp_path):
    run_each(_write_often, *((str(tmp_path), name) for name in range(2)))
    assert len(list(tmp_path.glob("done-*"))) == 2
    assert len(files(tmp_path)) == 20
    accounts = Noting()
    replay = Store(tmp_path, None, "replay", accounts)
    ask(replay, *[call(f"Question {number}?") for number in range(20)])
    assert accounts.notes == []
    assert [path.name for path in (tmp_path / ".partial").iterdir()] == ["lock"]


def _ask_all(folder, mode, name):
    os.environ["PYTEST_XDIST_WORKER"] = name

    class Slow(Answering):
        async def call(self, call):
            await asyncio.sleep(0.05)
            return await super().call(call)

    endpoint = Slow()
    store = Store(Path(folder, "store"), endpoint, mode, Accounts(Path(folder, "accounts.sqlite")))
    ask(store, *[call(f"Question {number}?") for number in range(12)])
    Path(folder, f"made-{name}").write_text(str(len(endpoint.calls)))


@pytest.mark.parametrize("mode", ["normal", "refresh"])
def test_workers_of_one_run_that_need_the_same_calls_make_each_once(tmp_path, mode):
    Accounts(tmp_path / "accounts.sqlite")
    run_each(_ask_all, *((str(tmp_path), mode, f"gw{number}") for number in range(2)))
    assert sum(int(path.read_text()) for path in tmp_path.glob("made-*")) == 12
    (total,) = Accounts(tmp_path / "accounts.sqlite").totals()
    assert total.stored == 12


def test_a_call_that_a_dead_worker_had_begun_is_made_by_another(tmp_path, monkeypatch):
    accounts, asked = Accounts(tmp_path / "accounts.sqlite"), call()
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw1")
    assert accounts.claim(asked.digest) == "ours"
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    endpoint = Answering()
    store = Store(tmp_path / "store", endpoint, accounts=accounts)

    async def wait_and_see():
        waiting = asyncio.ensure_future(store.call(asked))
        await asyncio.sleep(0.1)
        assert endpoint.calls == [], "the other one has it"
        accounts.write_off("gw1")
        return await waiting

    assert asyncio.run(wait_and_see()).body == {"text": "answer 1"}


def test_a_claimed_call_that_fails_is_free_again(tmp_path, monkeypatch):
    accounts, endpoint = Accounts(tmp_path / "accounts.sqlite"), Answering(fails=[1])
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    with pytest.raises(ModelError):
        ask(Store(tmp_path / "store", endpoint, accounts=accounts), call())
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw1")
    ask(Store(tmp_path / "store", endpoint, accounts=accounts), call())
    assert len(endpoint.calls) == 2
