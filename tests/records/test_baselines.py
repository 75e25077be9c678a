"""Baselines: run files, folders of runs, and the file that is made to be committed."""

import json

import pytest
from support.builders import unscored
from support.changed_runs import before, fact, header, scored, write

from pytest_compaction.metrics import run_changes
from pytest_compaction.records import (
    BaselineError,
    Source,
    cases_note,
    changed_cases,
    differences,
    find_run,
    load_baseline,
    measured_there,
    newest_run,
    parse_source,
    read_baseline_file,
    run_files,
    strategies_of,
    version_note,
    write_baseline_file,
)
from pytest_compaction.records.comparability import SETTINGS


def said(source, strategy="anchored"):
    with pytest.raises(BaselineError) as caught:
        load_baseline(source, strategy)
    return str(caught.value)


def committed(path, records=None, strategy="anchored", head=None):
    write_baseline_file(
        path, head or header(), {strategy: before() if records is None else records}
    )
    return path


# --- where a baseline is -------------------------------------------------------------


def test_a_run_file_gives_the_records_of_its_strategy(tmp_path):
    path = write(tmp_path, [*before(), scored("x", compactor="truncate")])
    found = load_baseline(Source(path), "anchored")
    assert list(found.records) == before()
    assert (found.strategy, found.name, found.title) == ("anchored", "0001", "0001")
    assert found.header["settings"]["model"] == "offline"


def test_of_a_folder_the_run_of_the_strategy_with_the_highest_number_is_taken(tmp_path):
    folder = tmp_path / "main"
    write(folder, [scored("old")])
    newest = write(folder, before())
    other = header(compactors=["truncate"])
    write(folder, [scored("x", compactor="truncate")], "truncate", other)
    write(folder, [scored("part")], head={**header(), "shard": {"index": 1, "count": 2}})
    found = load_baseline(Source(folder), "anchored")
    assert len(found.records) == len(before())
    assert (found.name, found.title) == ("main", "main (0002)")
    assert newest_run(folder, "anchored") == newest
    assert measured_there(Source(folder), ["anchored", "truncate", "window"]) == [
        "anchored",
        "truncate",
    ]
    assert "holds no run of window" in said(Source(folder), "window")


def test_the_clock_does_not_decide_which_run_is_the_newest(tmp_path):
    paths = [write(tmp_path, [scored("a")]) for _ in range(11)]
    paths[2].touch()
    assert run_files(tmp_path) == paths
    (tmp_path / "notes.jsonl").write_text("mine\n")
    assert newest_run(tmp_path, None) == find_run("last", tmp_path) == paths[10]


def test_another_strategy_is_taken_only_if_it_is_named(tmp_path):
    path = write(tmp_path, before())
    text = said(Source(path), "truncate")
    assert "holds no run of truncate, only of anchored" in text
    assert "0001-anchored.jsonl@anchored" in text
    assert load_baseline(Source(path, "anchored"), "truncate").strategy == "anchored"


def test_a_source_is_a_path_a_path_with_a_strategy_or_the_last_run(tmp_path):
    path = write(tmp_path / "runs", before())
    odd = tmp_path / "a@b.jsonl"
    odd.write_bytes(path.read_bytes())
    assert parse_source("a@b.jsonl", tmp_path) == Source(odd)
    assert parse_source("a@b.jsonl@my.module:f", tmp_path) == Source(odd, "my.module:f")
    assert parse_source("main.json@x", tmp_path) == Source(tmp_path / "main.json", "x")
    assert parse_source("last", tmp_path, "runs") == Source(path)
    assert parse_source("last@x", tmp_path, "runs") == Source(path, "x")
    with pytest.raises(BaselineError, match="there is no run in"):
        parse_source("last", tmp_path, "other")


# --- what cannot be used -------------------------------------------------------------


def test_what_cannot_be_used_is_said_in_a_sentence(tmp_path):
    assert "cannot read the run" in said(Source(tmp_path / "gone.jsonl"))
    assert "cannot read the baseline" in said(Source(tmp_path / "gone.json"))
    other = tmp_path / "other.jsonl"
    other.write_text("hello\n")
    assert "other.jsonl:1 is not JSON" in said(Source(other))
    empty = write(tmp_path / "empty", [])
    assert "holds no item of a probe to compare with" in said(Source(empty))
    mute = write(tmp_path / "mute", [unscored(case="a"), unscored(case="b")])
    assert "none of the 2 items of anchored" in said(Source(mute))
    dialogue = {**scored("a"), "type": "dialogue"}
    assert "holds no item of a probe" in said(Source(write(tmp_path / "talk", [dialogue])))


def test_the_whole_lines_of_a_truncated_run_are_used_and_the_rest_is_said(tmp_path):
    path = write(tmp_path, before())
    lines = path.read_bytes().splitlines(keepends=True)
    nan = lines[2].replace(b'"overall":4', b'"overall":NaN', 1)
    path.write_bytes(b"".join([*lines[:2], nan, *lines[3:5], lines[5][:40]]))
    found = load_baseline(Source(path), "anchored")
    assert len(found.records) == 3
    assert [problem.partition(" ")[0] for problem in found.problems] == [f"{path}:3", f"{path}:6"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "is not whole JSON"),
        ('{"format": 1, "strategies": {', "is not whole JSON"),
        ("[]", "is no baseline of format 1"),
        ('{"format": 3, "strategies": {}}', "is no baseline of format 1 or 2"),
        ('{"format": 1, "strategies": {}}', "is no baseline of format 1"),
        ('{"format": 1, "strategies": NaN}', "holds NaN, which is no score"),
        ('{"format": 1, "strategies": {"anchored": {"cases": {}, "items": []}}}', "/anchored"),
    ],
)
def test_a_damaged_baseline_file_says_what_is_wrong(tmp_path, text, what):
    path = tmp_path / "main.json"
    path.write_text(text)
    text = said(Source(path))
    assert str(path) in text
    assert what in text
    path = committed(tmp_path / "whole.json")
    data = json.loads(path.read_text())
    data["strategies"]["anchored"]["items"][3]["overall"] = 50
    path.write_text(json.dumps(data))
    assert "/strategies/anchored/items/3/overall" in said(Source(path))


# --- the file that is committed ------------------------------------------------------


def test_a_baseline_file_gives_back_what_a_comparison_reads(tmp_path):
    texts = ["naïve 漢字", 'quote " and \\', "line\nbreak", ""]
    facts = [fact("kept"), fact("idle", used=False), fact("lost", False, False), fact("kept")]
    facts += map(fact, texts)
    then = [
        scored("case-00", facts=facts),
        scored("case-00", trial=2, budget=1000, overall=2.0),
        unscored(case="case-01", tokens={}),
    ]
    found = load_baseline(Source(committed(tmp_path / "main.json", then)), "anchored")
    changes = run_changes(then, found.records)
    assert changes.figures.keys() == run_changes(then, then).figures.keys()
    assert all(each.value == 0 for each in changes.figures.values())
    assert not (changes.facts.gone or changes.facts.regained or changes.new or changes.vanished)
    assert changes.removed[0] == changes.removed[1] == 0.9
    assert differences(found.header, header(), ("main", "now")) == []
    assert set(texts) <= {each["text"] for each in found.records[0]["facts"]}


def test_a_baseline_file_is_sorted_and_a_changed_score_is_a_changed_line(tmp_path):
    one = committed(tmp_path / "one.json").read_text()
    other = committed(tmp_path / "other.json", list(reversed(before()))).read_text()
    assert one == other
    changed = before()
    changed[0] = {**changed[0], "overall": 1.0}
    lines = committed(tmp_path / "third.json", changed).read_text().splitlines()
    differing = [line for line, was in zip(lines, one.splitlines(), strict=True) if line != was]
    assert [line.strip() for line in differing] == ['"overall": 1.0,']


def test_accepting_a_strategy_leaves_the_others_and_no_other_file(tmp_path):
    path = committed(tmp_path / "main.json")
    committed(path, [scored("case-00", compactor="truncate")], "truncate", header(model="gpt"))
    assert sorted(read_baseline_file(path)) == strategies_of(Source(path))
    assert len(load_baseline(Source(path), "anchored").records) == len(before())
    assert load_baseline(Source(path), "truncate").header["settings"]["model"] == "gpt"
    assert list(tmp_path.iterdir()) == [path]


# --- comparability -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"model": "gpt-5"}, "the model differs: offline in main, gpt-5 in this run"),
        ({"responder": "gpt-5"}, "the responder differs"),
        ({"judges": ["a", "b"]}, "the judge differs: offline in main, a, b in this run"),
        ({"judgements": 3}, "the number of judgements differs"),
        ({"judge_prompt_hash": "abc"}, "the prompt of the judge differs: none in main, abc"),
        ({"rubric": "abc"}, "the rubric differs"),
        ({"reader": "gpt-5"}, "the reader of views differs: rules in main, gpt-5 in this run"),
        ({"budgets": [1000]}, "the budget differs: those of the cases in main, 1000"),
        ({"trigger": "auto"}, "the trigger differs"),
        ({"encoding": "o200k"}, "the encoding for counting tokens (--compaction-encoding) differs"),
    ],
)
def test_what_decides_what_a_score_means_makes_runs_incomparable(change, what):
    (text,) = differences(header(), header(**change), ("main", "this run"))
    assert text.startswith(what)


@pytest.mark.parametrize(
    ("value", "told"), [(None, "not said"), (False, "False"), (0, "0"), ("", '""'), ([], "none")]
)
def test_values_that_are_empty_in_different_ways_are_told_apart(value, told):
    (text,) = differences(header(trigger=value), header(trigger="auto"), ("main", "this run"))
    assert text == f"the trigger differs: {told} in main, auto in this run"


def test_what_decides_nothing_leaves_runs_comparable():
    one = header(compactors=["truncate"], trials=5, thresholds=["overall>=5"], pass_score=3.0)
    assert differences(header(), one, ("a", "b")) == []
    assert set(SETTINGS) <= header()["settings"].keys() | {"judge_prompt_hash", "reader", "rubric"}


def test_changed_new_and_vanished_cases_are_not_refused_as_long_as_there_is_one_in_common():
    one, other = header(), header()
    other["cases"] = {**other["cases"], "new": "digest"}
    del other["cases"]["case-05"]
    assert differences(one, other, ("a", "b")) == []
    other["cases"]["case-00"] = "changed"
    assert differences(one, other, ("a", "b")) == []
    changed = changed_cases(one, other, ("a", "b"))
    assert changed == "the case case-00 is not the same in a and b"
    other["cases"] = {"else": "digest"}
    assert differences(one, other, ("a", "b")) == ["a and b have no case in common"]


def test_other_versions_are_said():
    other = {**header(), "versions": {"pytest-compaction": "0.2.0"}}
    assert version_note(header(), header(), ("a", "b")) is None
    assert version_note(header(), {}, ("a", "b")) is None
    note = version_note(header(), other, ("a", "b"))
    assert "a (pytest-compaction 0.1.0) and b (pytest-compaction 0.2.0) were read by" in note
    one, two = ({"versions": {"pytest-compaction": "0.2.0", "reader": each}} for each in "xy")
    assert version_note(one, two, ("a", "b")) is not None
    assert version_note(one, one, ("a", "b")) is None


NAMES = ("main", "this run")


def of_version(version, **cases):
    return {"versions": {"cases": version} if version else {}, "cases": cases}


OLD = of_version("1", kept="a", asked="b", left="c")


def test_what_changed_is_named():
    new = of_version("2", kept="a", asked="B", added="d", more="e")
    assert cases_note(OLD, new, NAMES) == (
        "main has version 1 of the shipped cases and this run version 2: the case asked is not the "
        "same in main and this run"
    )


def test_a_run_from_before_there_was_a_version_is_of_an_earlier_one():
    note = cases_note(of_version(None, kept="a"), of_version("2", kept="b"), NAMES)
    assert note.startswith(
        "main has an earlier version of the shipped cases and this run version 2"
    )


@pytest.mark.parametrize(
    "other",
    [
        of_version("1", kept="x"),
        of_version("2", kept="a", asked="b", left="c"),
        of_version("2", other="a"),
        of_version(None, other="a"),
        {},
    ],
    ids=["same version", "same cases", "nothing in common", "own cases", "no header"],
)
def test_where_nothing_changed_or_nothing_is_shared_there_is_no_note(other):
    assert cases_note(OLD, other, NAMES) is None
