"""The store of model calls: the content of its files, their use, and damage that it survives."""

import asyncio
import errno
import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import builders
from support.callers import MODEL, Answering, Noting, call
from support.store_files import ask, files, path_of

from pytest_compaction.models import Accounts, Call, CallReply, ModelError, NotRecordedError, Usage
from pytest_compaction.models.calls.store import Store


def test_a_call_is_made_once_and_answered_from_its_file_ever_after(tmp_path):
    endpoint, accounts = Answering(), Noting()
    store = Store(tmp_path, endpoint, accounts=accounts)
    (first,) = ask(store, call())
    (again,) = ask(Store(tmp_path, endpoint, accounts=accounts), call())
    assert len(endpoint.calls) == 1
    assert again == CallReply(first.body, first.usage, None), "nothing was waited for"
    assert first.latency_s == 0.25
    assert accounts.hits == [("responder", MODEL)]


def test_a_file_holds_the_call_in_sorted_json_and_nothing_of_host_key_or_clock(tmp_path):
    asked = call("Où est « src/été.py » ?")
    ask(Store(tmp_path, Answering()), asked)
    (path,) = files(tmp_path)
    assert path == path_of(tmp_path, asked)
    text = path.read_text("utf-8")
    data = json.loads(text)
    assert data == {
        "format": 1,
        "digest": asked.digest,
        "operation": "chat.completions",
        "trial": 1,
        "request": dict(asked.body),
        "reply": {"text": "answer 1"},
        "usage": {"calls": 1, "input_tokens": 1000, "cached_tokens": 0, "output_tokens": 500},
    }
    assert text == json.dumps(data, sort_keys=True, indent=1, ensure_ascii=False) + "\n"


def test_the_same_calls_give_the_same_bytes(tmp_path):
    for folder in ("one", "two"):
        ask(Store(tmp_path / folder, Answering()), call())
    one, two = (path.read_bytes() for path in files(tmp_path))
    assert one == two


@pytest.mark.parametrize(
    "other", [call(trial=2), call("Another?"), call(temperature=0), Call("responses", call().body)]
)
def test_another_trial_text_parameter_or_operation_is_another_call(tmp_path, other):
    endpoint = Answering()
    ask(Store(tmp_path, endpoint), call(), other)
    assert len(endpoint.calls) == 2
    assert len(files(tmp_path)) == 2


def test_for_whom_a_call_is_made_does_not_matter(tmp_path):
    endpoint = Answering()
    store = Store(tmp_path, endpoint)
    ask(store, call(role="judge"))
    ask(store, call(role="compaction"))
    assert len(endpoint.calls) == 1


def test_the_same_call_asked_many_times_at_once_is_made_once(tmp_path):
    endpoint = Answering()
    replies = ask(Store(tmp_path, endpoint), *[call() for _ in range(20)], call("Another?"))
    assert len(endpoint.calls) == 2
    assert len({json.dumps(reply.body) for reply in replies[:20]}) == 1


def test_a_failure_is_not_kept_and_the_next_one_asks_again(tmp_path):
    endpoint = Answering(fails={1})
    store = Store(tmp_path, endpoint)
    with pytest.raises(ModelError, match="refused the connection"):
        ask(store, call())
    assert files(tmp_path) == []
    ask(store, call())
    assert len(endpoint.calls) == 2


def test_replay_asks_nobody_and_says_what_is_missing_and_how_to_record_it(tmp_path):
    endpoint = Answering()
    ask(Store(tmp_path, endpoint), call())
    replay = Store(tmp_path, endpoint, "replay", shown="calls")
    ask(replay, call())
    missing = call("Another?", trial=3, role="judge")
    with pytest.raises(NotRecordedError) as caught:
        ask(replay, missing)
    assert len(endpoint.calls) == 1
    for word in (missing.digest, "calls", "judge", MODEL, "trial 3", "without --compaction-replay"):
        assert word in str(caught.value)


def test_refresh_asks_everything_anew_but_each_only_once(tmp_path):
    endpoint = Answering()
    ask(Store(tmp_path, endpoint), call())
    before = files(tmp_path)[0].read_bytes()
    refresh = Store(tmp_path, endpoint, "refresh")
    first, second = ask(refresh, call(), call())
    assert len(endpoint.calls) == 2
    assert first.body == second.body == {"text": "answer 2"}
    assert files(tmp_path)[0].read_bytes() != before


def torn(text):
    return text[: len(text) // 2]


def renamed(text):
    return text.replace(call().digest, "0" * 64)


def changed_request(text):
    return text.replace("What is the limit?", "What was the limit?")


DAMAGE = {
    "torn": torn,
    "renamed": renamed,
    "another request": changed_request,
    "empty": lambda text: "",
    "a list": lambda text: "[]",
    "null": lambda text: "null",
    "foreign": lambda text: '{"some": "file"}',
    "of the future": lambda text: text.replace('"format": 1', '"format": 99'),
    "usage in words": lambda text: text.replace('"input_tokens": 1000', '"input_tokens": "many"'),
    "more usage": lambda text: text.replace('"calls": 1', '"calls": 1, "cows": 2'),
    "too deep": lambda text: "[" * 100_000,
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_torn_or_foreign_file_is_passed_over_named_and_written_anew(tmp_path, kind):
    endpoint, accounts = Answering(), Noting()
    ask(Store(tmp_path, endpoint), call())
    (path,) = files(tmp_path)
    whole = path.read_text("utf-8")
    path.write_text(DAMAGE[kind](whole), "utf-8")
    assert path.read_text("utf-8") != whole
    (reply,) = ask(Store(tmp_path, endpoint, accounts=accounts, shown="calls"), call())
    assert reply.body == {"text": "answer 2"}
    assert path.read_text("utf-8") == whole.replace("answer 1", "answer 2")
    name = f"calls/{call().digest[:2]}/{call().digest}.json"
    assert accounts.notes
    assert all(name in text for text in accounts.notes)


def test_a_file_that_is_no_text_or_cannot_be_opened_is_passed_over(tmp_path):
    for make in (lambda path: path.write_bytes(b"\xff\xfe\x00"), lambda path: path.mkdir()):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        path = path_of(folder, call())
        path.parent.mkdir(parents=True)
        make(path)
        accounts = Noting()
        (reply,) = ask(Store(folder, Answering(), accounts=accounts), call())
        assert reply.body == {"text": "answer 1"}
        assert accounts.notes


def test_a_store_that_cannot_be_written_loses_nothing_but_says_so(tmp_path):
    (tmp_path / "taken").write_text("a file where the folder should be")
    accounts = Noting()
    (reply,) = ask(Store(tmp_path / "taken", Answering(), accounts=accounts), call())
    assert reply.body == {"text": "answer 1"}
    assert "could not be kept" in accounts.notes[-1]


def test_a_reply_that_is_no_json_is_used_but_not_kept(tmp_path):
    class Odd(Answering):
        async def call(self, call):
            return CallReply({"score": float("nan")})

    accounts = Noting()
    ask(Store(tmp_path, Odd(), accounts=accounts), call())
    assert files(tmp_path) == []
    assert "not valid JSON" in accounts.notes[0]


@given(body=st.dictionaries(st.text("abc", min_size=1), builders.json_values, max_size=4))
def test_whatever_json_a_call_holds_comes_back_as_it_went_in(tmp_path_factory, body):
    folder = tmp_path_factory.mktemp("store")

    class Echo(Answering):
        async def call(self, call):
            return CallReply(call.body, Usage(1, 2, 0, 3))

    asked = Call("chat.completions", body)
    ask(Store(folder, Echo()), asked)
    (again,) = ask(Store(folder, None, "replay"), asked)
    assert again.body == body


def test_half_a_surrogate_pair_is_kept(tmp_path):
    asked = call("half \ud800 a character")
    ask(Store(tmp_path, Answering()), asked)
    files(tmp_path)[0].read_bytes().decode("utf-8")
    ask(Store(tmp_path, None, "replay"), asked)


SLOW_S = 0.4


@pytest.fixture
def slow_disk(monkeypatch):
    """Each reading of a file, and each move of one to its place, takes a while."""
    for name in ("read_bytes", "replace"):
        work = getattr(Path, name)

        def slow(*how, work=work):
            time.sleep(SLOW_S)
            return work(*how)

        monkeypatch.setattr(Path, name, slow)


@pytest.mark.usefixtures("slow_disk")
def test_a_slow_disk_holds_up_no_other_request(tmp_path):
    async def longest_stop():
        worst = 0.0
        for _ in ("written", "read"):
            asked = asyncio.ensure_future(Store(tmp_path, Answering()).call(call()))
            while not asked.done():
                began = time.monotonic()
                await asyncio.sleep(0.01)
                worst = max(worst, time.monotonic() - began)
            await asked
        return worst

    assert asyncio.run(longest_stop()) < SLOW_S * 0.75
    assert len(files(tmp_path)) == 1


@pytest.mark.usefixtures("slow_disk")
def test_a_reply_is_kept_even_if_the_call_is_given_up_while_it_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    accounts, asked = Accounts(tmp_path / "accounts.sqlite"), call()
    store = Store(tmp_path / "store", Answering(), accounts=accounts)

    async def given_up():
        work = asyncio.ensure_future(store.call(asked))
        while not (tmp_path / "store").exists():
            await asyncio.sleep(0.01)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        assert len(files(tmp_path)) == 1, "its claim ends when the file is there"

    asyncio.run(given_up())
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw1")
    assert accounts.claim(asked.digest) == "kept"
    assert [path.name for path in (tmp_path / "store" / ".partial").iterdir()] == ["lock"]


def test_a_look_for_a_reply_that_is_not_there_takes_no_thread(tmp_path, monkeypatch):
    read = []
    monkeypatch.setattr(Store, "read", lambda self, call: read.append(call))
    ask(Store(tmp_path, Answering()), call())
    assert read == []
    ask(Store(tmp_path, Answering()), call())
    assert len(read) == 1


def test_what_a_killed_run_left_half_written_goes_with_the_next_reply_that_is_kept(tmp_path):
    partial = tmp_path / ".partial"
    partial.mkdir()
    (partial / "left.1.1").write_bytes(b"{")
    (partial / "of-another-run.2.2").write_bytes(b"{")
    os.utime(partial / "left.1.1", (0, 0))
    ask(Store(tmp_path, Answering()), call())
    assert sorted(path.name for path in partial.iterdir()) == ["lock", "of-another-run.2.2"]


def test_a_full_disk_leaves_no_partial_file(tmp_path, monkeypatch):
    write_bytes = Path.write_bytes

    def write(path, data):
        write_bytes(path, data[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", write)
    accounts = Noting()
    ask(Store(tmp_path, Answering(), accounts=accounts), call())
    monkeypatch.undo()
    assert [path.name for path in (tmp_path / ".partial").iterdir()] == ["lock"]
    assert "No space left on device" in accounts.notes[0]
