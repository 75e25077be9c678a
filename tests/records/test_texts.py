"""The views and logs beside the runs: whole, shared, and the same from every process."""

import json
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import case_data, user
from support.measured_case import measured_case
from support.scenarios import own, records, run, run_files, set_up
from support.sharded import IDS, merge

from pytest_compaction.case import case_from_json
from pytest_compaction.compactors.base.history import HistoryCompactor, dump, load
from pytest_compaction.compactors.protocol import Outcome, Span, Traits
from pytest_compaction.conversation import Text, readable, text_message
from pytest_compaction.records import RunTexts, TextWriter, load_run, texts

SECRET = "sk-" + "proj-Zk3vQ9xT7mB2nL5wR8yC1dF4gH6jK0pS"


def texts_of(compactor, folder, data=None, probe="timeout"):
    """Case, record and response of a probe whose texts were written to a folder."""
    measured = case_from_json(data or case_data())
    response, record = measured_case(measured, compactor)[probe]
    writer = TextWriter(folder)
    record["hashes"]["view"] = writer.hash_of(response)
    writer.write(response)
    return measured, record, response


def masking(messages, budget):
    return [m | {"content": "[masked]"} if m["role"] == "tool" else m for m in messages]


def summing_up(messages, budget):
    return [messages[0], user("In short: 45 seconds."), messages[-1]]


class Named(HistoryCompactor):
    """Writes one message that has an id of the log, and cuts another one of the log."""

    name = "named"
    traits = Traits()

    async def compact(self, state, context):
        view = load(state["messages"])
        first, cut, *_ = view
        made = (
            first,
            replace(cut, parts=(Text("Fix the timeout."),)),
            text_message("m4", "user", "In short.", "synthetic"),
        )
        spans = (Span(("m0",), "kept"), Span(tuple(m.id for m in view[1:]), "replaced"))
        return Outcome({"messages": dump(made)}, "compacted", spans)


def test_a_message_that_the_strategy_made_is_not_of_the_log_whatever_it_is_called(tmp_path):
    _, record, _ = texts_of(Named(), tmp_path, probe="files")
    view = RunTexts(tmp_path).view(record)
    assert [(m["id"], m["origin"], m["changed"]) for m in view] == [
        ("m0", "log", False),
        ("m1", "log", True),
        ("m4", "made", False),
    ]
    assert [m["text"] for m in view[1:]] == ["Fix the timeout.", "In short."]


def test_a_view_is_read_back_with_what_is_of_the_log_what_was_changed_and_what_was_made(tmp_path):
    measured, record, response = texts_of(lambda messages, budget: messages, tmp_path / "all")
    view = RunTexts(tmp_path / "all").view(record)
    assert [(m["id"], m["role"], m["text"]) for m in view] == [
        (m.id, m.role, readable(m)) for m in measured.messages
    ]
    assert {(m["origin"], m["changed"]) for m in view} == {("log", False)}
    (file,) = (tmp_path / "all" / "views").iterdir()
    assert "seconds" not in file.read_text(), "the log has the text"
    assert len(response.view) == len(view)
    _, record, _ = texts_of(masking, tmp_path)
    view = RunTexts(tmp_path).view(record)
    masked = {"id": "m3", "role": "tool", "origin": "log", "text": "[masked]", "changed": True}
    assert [m for m in view if m["changed"]] == [masked]
    _, record, _ = texts_of(summing_up, tmp_path)
    view = RunTexts(tmp_path).view(record)
    assert [(m["origin"], m["changed"]) for m in view] == [
        *(("log", False), ("made", False), ("log", False)),
    ]
    assert view[1]["text"] == "In short: 45 seconds."


def test_the_log_is_read_back_with_its_compaction_points(tmp_path):
    measured, record, _ = texts_of(summing_up, tmp_path, case_data(title="A lease queue"))
    log = RunTexts(tmp_path).log(record)
    assert (log["case"], log["title"], log["task"]) == ("small", "A lease queue", "debugging")
    assert [m["text"] for m in log["messages"]] == [readable(m) for m in measured.messages]
    assert log["points"] == [{"id": "early", "after": "m4"}, {"id": "late", "after": "m6"}]


def test_equal_views_are_one_file_and_others_are_not(tmp_path):
    measured = case_from_json(case_data())
    found = measured_case(measured, lambda messages, budget: messages)
    writer = TextWriter(tmp_path)
    names = {id: writer.hash_of(response) for id, (response, _) in found.items()}
    assert names["timeout"] != names["files"], "they are asked at other points"
    again = TextWriter(tmp_path / "elsewhere")
    assert names == {id: again.hash_of(response) for id, (response, _) in found.items()}


def test_no_key_and_no_broken_character_reaches_the_files(tmp_path):
    data = case_data()
    data["messages"][4]["content"] += f" The key is {SECRET}."
    data["messages"][5]["content"] += " half \udc80 a character"

    def leaking(messages, budget):
        return [messages[0], user(f"Use {SECRET} \udc80."), *messages[1:]]

    _, record, _ = texts_of(leaking, tmp_path, data)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 2
    for file in files:
        assert SECRET not in file.read_text("utf-8")
    texts = [m["text"] for m in RunTexts(tmp_path).view(record)]
    assert "Use [key] ?." in texts
    assert any(text.endswith("The key is [key].") for text in texts)
    assert any(text.endswith("half ? a character") for text in texts)


DAMAGE = {
    "gone": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-20]),
    "other": lambda path: path.write_text('{"format":1}'),
    "no-text": lambda path: path.write_bytes(b"\xff\xfe"),
    "a-list": lambda path: path.write_text("[3]"),
    "deep": lambda path: path.write_text("[" * 100_000),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_view_is_none_and_with_a_damaged_log_there_is_neither(tmp_path, damage):
    _, record, _ = texts_of(masking, tmp_path)
    for folder, left in (("views", True), ("logs", False)):
        (path,) = (tmp_path / folder).iterdir()
        DAMAGE[damage](path)
        assert RunTexts(tmp_path).view(record) is None
        assert (RunTexts(tmp_path).log(record) is not None) is left


@pytest.mark.parametrize("damage", ["empty", "cut", "gone"])
def test_a_damaged_file_is_written_anew_by_the_next_run(tmp_path, damage):
    _, record, _ = texts_of(masking, tmp_path)
    for path in [*(tmp_path / "views").iterdir(), *(tmp_path / "logs").iterdir()]:
        DAMAGE[damage](path)
    texts_of(masking, tmp_path)
    assert RunTexts(tmp_path).view(record) is not None


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)


@given(anything, anything)
def test_a_record_that_names_nothing_of_this_folder_has_no_texts(tmp_path_factory, view, case_hash):
    folder = tmp_path_factory.getbasetemp()
    for record in ({}, {"hashes": view}, {"hashes": {"view": view, "case": case_hash}}):
        assert RunTexts(folder).view(record) is None
        assert RunTexts(folder).log(record) is None


def test_a_record_leads_to_no_file_elsewhere(tmp_path):
    _, record, _ = texts_of(masking, tmp_path / "runs")
    shutil.copytree(tmp_path / "runs" / "logs", tmp_path / "logs")
    record["hashes"]["case"] = f"../../logs/{record['hashes']['case']}"
    assert RunTexts(tmp_path / "runs").log(record) is None


def texts_in(folder):
    """The content of all views and logs of a folder of runs, by their place."""
    places = sorted([*folder.glob("views/*"), *folder.glob("logs/*")])
    return {str(path.relative_to(folder)): path.read_bytes() for path in places}


@pytest.mark.exhaustive
def test_the_texts_of_a_run_are_the_same_from_any_number_of_workers(pytester, monkeypatch):
    two = SimpleNamespace(two=lambda: ThreadPoolExecutor(2))
    monkeypatch.setitem(sys.modules, "pools", two)
    set_up(pytester)
    arguments = [f"--compactor={own('forget_limit')},anchored", "--compaction-trials=2"]
    places = {
        "one": ["-n0"],
        "two": ["-n2"],
        "elsewhere": ["-n0", "--compaction-executor=pools:two"],
    }
    found = {}
    for name, how in places.items():
        run(pytester, *arguments, *how, f"--compaction-runs={name}", compactor=None)
        found[name] = texts_in(pytester.path / name)
    assert found["one"] == found["two"] == found["elsewhere"]
    assert sum(name.startswith("logs") for name in found["one"]) == 2
    for name in places:
        (file,) = (pytester.path / name).glob("*.jsonl")
        assert [path.name for path in (pytester.path / name).rglob(".*.tmp")] == []
        for record in map(json.loads, file.read_text().splitlines()[1:]):
            assert RunTexts(file.parent).view(record)


def test_the_view_is_named_by_every_record_with_an_answer_and_by_no_other(pytester):
    set_up(pytester, "first")
    run(pytester, f"--compactor={own('raises')},{own('forget')}", compactor=None)
    (file,) = run_files(pytester)
    for record in records(pytester).records:
        assert ("view" in record["hashes"]) is (record["compactor"] == own("forget"))
        if "view" in record["hashes"]:
            (message,) = RunTexts(file.parent).view(record)
            assert (message["origin"], message["text"]) == ("made", "Let us go on.")


def test_views_that_cannot_be_kept_are_said_and_lose_no_record(pytester):
    set_up(pytester, "first")
    runs = pytester.path / ".pytest_compaction" / "runs"
    runs.mkdir(parents=True)
    runs.joinpath("views").write_text("a file in the place of a folder")
    result = run(pytester, "-Wdefault", compactor="keep")
    result.assert_outcomes(passed=4, warnings=1)
    result.stdout.fnmatch_lines(["*cannot be kept beside the run*"])
    assert len(records(pytester).records) == 4


def test_merged_shards_have_the_texts_of_all_as_far_as_they_are_there(pytester, tmp_path, capsys):
    set_up(pytester, *IDS)
    apart = []
    for index in (1, 2):
        folder = tmp_path / f"machine{index}"
        run(pytester, f"--compaction-shard={index}/2", f"--compaction-runs={folder}")
        apart += folder.glob("*.jsonl")
    (tmp_path / "views").write_text("a file in the place of a folder")
    assert merge(apart, tmp_path / "merged.jsonl") == 4
    assert "the run is written there, but not its views and logs" in capsys.readouterr().err
    assert len(load_run(tmp_path / "merged.jsonl").records) == 12
    output = tmp_path / "whole" / "merged.jsonl"
    output.parent.mkdir()
    assert merge(apart, output) == 0
    dealt = [texts_in(file.parent) for file in apart]
    assert texts_in(output.parent) == dealt[0] | dealt[1]
    assert all(RunTexts(output.parent).view(one) for one in load_run(output).records)
    for name in ("views", "logs"):
        for file in apart:
            shutil.rmtree(file.parent / name)
        shutil.rmtree(output.parent / name)
    assert merge(apart, output) == 0
    assert texts_in(output.parent) == {}


def test_the_file_of_a_log_is_the_same_in_whatever_parts_it_is_made(tmp_path, monkeypatch):
    for together in (1, 3, 500):
        monkeypatch.setattr(texts, "_TOGETHER", together)
        texts_of(masking, tmp_path / str(together))
    (whole,) = {file.read_bytes() for file in tmp_path.glob("*/logs/*.json")}
    said = [message["text"] for message in json.loads(whole)["messages"]]
    assert said == [readable(message) for message in case_from_json(case_data()).messages]
    assert len(list(tmp_path.glob("*/logs/*.json"))) == 3
