"""Run files: whole lines, torn lines, one record for each item, numbering."""

import itertools
import json
import os
import random
import sys
import threading
from pathlib import Path

import pytest
from support.builders import record
from support.file_limit import FAULT, files_of

from pytest_compaction.records import RunFileError, RunWriter, load_run, run_file

HEADER = {"settings": {"trials": 1}}


def lines_of(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / ".pytest_compaction" / "runs"


def written(folder, *records, name="anchored"):
    writer = RunWriter(folder, name, HEADER)
    for each in records:
        writer.add(each)
    writer.close()
    return writer.path


def test_every_record_is_a_whole_line_as_soon_as_it_is_added(folder):
    writer = RunWriter(folder, "anchored", HEADER)
    assert lines_of(writer.path) == [{"format": 1, **HEADER}]
    writer.add(record(probe="q", reason="naïve\nline"))
    writer.add(record(probe="p"))
    assert [line.get("probe") for line in lines_of(writer.path)] == [None, "q", "p"]
    assert writer.path.read_bytes().endswith(b"}\n")
    assert load_run(writer.path).by_item == writer.run.by_item


def test_items_whose_names_look_like_keys_by_chance_stay_apart(folder):
    # A prompt file and a probe made such a name once, and two items counted as one.
    name = "test_probe[anchored:prompt=short.sk-proj-{}BcDeFgHiJkLmNoPqRsTuVwXyZ0123]"
    both = [record(probe=each, item=name.format(each)) for each in ("p", "q")]
    run = load_run(written(folder, *both))
    assert sorted(run.by_item) == [each["item"] for each in both]


def test_ctrl_c_at_any_line_while_a_record_is_added_costs_no_other_record(folder):
    for interrupted in itertools.count(1):
        writer = RunWriter(folder, "anchored", HEADER)
        writer.add(record(probe="p"))
        lines_left = interrupted

        def interrupt(frame, event, _, own=run_file.__file__):
            nonlocal lines_left
            lines_left -= event == "line" and frame.f_code.co_filename == own
            if lines_left == 0:
                lines_left = -1
                raise KeyboardInterrupt
            return interrupt

        before = sys.gettrace()
        sys.settrace(interrupt)
        try:
            writer.add(record(probe="q"))
        except KeyboardInterrupt:
            ended = False
        else:
            ended = True
        finally:
            sys.settrace(before)
        writer.close()
        probes = [line.get("probe") for line in lines_of(writer.path)]
        assert probes[:2] == [None, "p"]
        assert probes[2:] in ([], ["q"])
        if ended:
            break
    assert interrupted > 8
    assert probes == [None, "p", "q"]


def test_a_closed_file_is_in_its_fixed_order_whatever_the_arrival(folder):
    records = [
        record(compactor=compactor, case=case, probe=probe, trial=trial)
        for compactor, case, probe, trial in itertools.product("ab", "cd", "pq", (1, 2))
    ]
    shuffled = random.Random(3).sample(records, len(records))
    first = written(folder, *records)
    second = written(folder, *shuffled)
    assert first.read_bytes() == second.read_bytes()
    assert lines_of(first)[1:] == records


def test_a_record_that_finds_no_room_leaves_no_half_line_and_is_written_when_there_is_room(folder):
    writer = RunWriter(folder, "anchored", HEADER)
    writer.add(record(probe="p"))
    size = writer.path.stat().st_size
    with files_of(size + 10):
        writer.add(record(probe="q"))
    assert (writer.problem.strerror, len(writer.missing)) == (FAULT, 1)
    assert writer.path.stat().st_size == size
    writer.add(record(probe="r"))
    with files_of(size + 10):
        writer.close()
    assert (len(writer.missing), len(writer.run.records)) == (2, 3)
    assert [each["probe"] for each in load_run(writer.path).records] == ["p"]
    writer.close()
    assert (writer.problem, writer.missing) == (None, set())
    assert load_run(writer.path).records == writer.run.records
    assert list(folder.iterdir()) == [writer.path]


def test_a_run_without_a_file_keeps_its_records_and_gets_one_when_that_is_possible(folder):
    folder.parent.mkdir(parents=True)
    folder.write_text("in the way")
    writer = RunWriter(folder, "anchored", HEADER)
    writer.add(record())
    writer.close()
    assert (writer.path, len(writer.missing), len(writer.run.records)) == (None, 1, 1)
    folder.unlink()
    writer.close(figures={"overall": 5})
    assert (writer.problem, writer.missing) == (None, set())
    assert load_run(writer.path).header["figures"] == {"overall": 5}


def test_an_item_that_ran_twice_counts_once_the_last_time(folder):
    path = written(folder, record(overall=1.0), record(probe="q"), record(overall=5.0))
    run = load_run(path)
    assert len(run.records) == 2
    assert run.records[0]["overall"] == 5.0
    assert len(lines_of(path)) == 3


@pytest.mark.parametrize("cut", [1, 2, 10, "within a character"])
def test_a_torn_last_line_is_passed_over(folder, cut):
    path = written(folder, record(probe="p"), record(probe="q", reason="ï" * 9))
    data = path.read_bytes()
    path.write_bytes(data[: cut and -cut] if isinstance(cut, int) else data[: data.rindex(b"\xaf")])
    run = load_run(path)
    assert [each["probe"] for each in run.records] == ["p"]
    assert run.problems == (f"{path}:3 is cut short; the whole lines before it are used",)


def test_runs_are_numbered_one_after_the_other(folder):
    folder.mkdir(parents=True)
    (folder / "notes-x.jsonl").write_text("")
    (folder / "²-x.jsonl").write_text("")
    names = [written(folder, record(), name=name).name for name in ("anchored", "truncate", "x")]
    assert names == ["0001-anchored.jsonl", "0002-truncate.jsonl", "0003-x.jsonl"]
    (folder / "0002-truncate.jsonl").unlink()
    assert written(folder, name="y").name == "0004-y.jsonl"


def test_writers_at_the_same_time_never_share_a_file(folder):
    paths = []
    threads = [
        threading.Thread(target=lambda: paths.append(RunWriter(folder, "same", HEADER).path))
        for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(paths)) == 12


def test_the_folder_is_ignored_by_git_and_an_own_file_is_kept(folder):
    written(folder)
    marker = folder.parent / ".gitignore"
    assert marker.read_text() == "*\n"
    marker.write_text("runs\n")
    written(folder)
    assert marker.read_text() == "runs\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no header line of format 1"),
        ('{"format": 1', "has no header line of format 1"),
        ("hello\n", ":1 is not JSON"),
        ('{"format": 2}\n', ":1 is not a record of this format (1)"),
        ("[1]\n", ":1 is not a record of this format (1)"),
        ("\x00\x01\n", ":1 is not JSON"),
        ('{"format": NaN}\n', ":1 holds NaN"),
    ],
)
def test_a_file_that_is_no_run_or_not_there_says_so(tmp_path, text, said):
    path = tmp_path / "run.jsonl"
    path.write_text(text)
    with pytest.raises(RunFileError) as caught:
        load_run(path)
    assert str(path) in str(caught.value)
    assert said in str(caught.value)
    for none, why in ((tmp_path / "gone.jsonl", "No such file"), (tmp_path, "directory")):
        with pytest.raises(RunFileError, match=f"cannot read the run .*{why}"):
            load_run(none)


UNREADABLE = [
    *(("cannot be read", *each) for each in (("facts", ["a"]), ("traps", [3]), ("usd", [0.1]))),
    ("cannot be read", "point", "p1"),
    ("whose size", "size", 5),
    ("whose score", "score", "high"),
    ("whose tenths", "tenths", None),
    ("whose nuggets", "nuggets", {}),
    ("whose ordering", "ordering", []),
]
"""What is said of a member of a record, and a value of it that no run writes."""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("hello", "is not JSON"),
        ('{"item": "x"}', "is not a record of this format (1)"),
        ('{"format": 1}', "is not a record of this format (1)"),
        ('{"item": "x", "case": "a", "compactor": "b"}', "is not a record of this format (1)"),
        ("[" * 200_000, "is not JSON"),
        (json.dumps(record(item=["x"])), "is not a record of this format (1)"),
        (json.dumps(record(overall=float("nan"))), "holds NaN, which is no figure"),
        (json.dumps(record(overall=float("inf"))), "holds Infinity, which is no figure"),
        (json.dumps(record(overall="4")), "is a record whose overall cannot be read"),
        (json.dumps({**record(facts=3), "status": None}), "whose status, facts cannot be read"),
        (json.dumps(record(overall=99)), "overall 99 is not a number from 0 to 5"),
        (json.dumps(record(overall=-1)), "overall -1 is not a number from 0 to 5"),
        (json.dumps(record(dimensions={"accuracy": 7.0})), "accuracy 7.0 is not a number from"),
        (json.dumps(record(dimensions={"accuracy": "4"})), "accuracy 4 is not a number"),
        *((json.dumps(record(**{key: value})), said) for said, key, value in UNREADABLE),
    ],
)
def test_an_unsound_line_is_left_out_and_the_rest_is_used(tmp_path, line, said):
    path = tmp_path / "run.jsonl"
    others = [json.dumps(record(probe=probe)) for probe in "pq"]
    path.write_text("\n".join(['{"format": 1}', others[0], line, others[1], ""]))
    run = load_run(path)
    assert [each["probe"] for each in run.records] == ["p", "q"]
    (problem,) = run.problems
    assert problem.startswith(f"{path}:3 ")
    assert said in problem


@pytest.mark.parametrize("links", [True, False])
def test_a_run_file_appears_with_its_header_and_nothing_else_is_left(tmp_path, monkeypatch, links):
    monkeypatch.setattr(run_file, "_append", lambda path, line: pytest.fail("killed by now"))
    if not links:
        monkeypatch.setattr(Path, "hardlink_to", lambda self, target: os.link(target, "/no/folder"))
    first, second = RunWriter(tmp_path, "keep", {}), RunWriter(tmp_path, "keep", {})
    assert [first.path.name, second.path.name] == ["0001-keep.jsonl", "0002-keep.jsonl"]
    assert load_run(first.path).header == load_run(second.path).header == first.run.header
    assert sorted(path.name for path in tmp_path.iterdir()) == [first.path.name, second.path.name]
