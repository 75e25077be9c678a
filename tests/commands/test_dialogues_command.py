"""``pytest-compaction dialogues``: from result files to tables, and messages for bad files."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from pytest_compaction import cli
from pytest_compaction.conversation import canonical_json
from pytest_compaction.dialogues import BothArms
from pytest_compaction.dialogues.dialogue import Trial, TrialMatch, TurnReply


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")


@pytest.fixture
def run(capsys):
    def command(*arguments):
        code = cli.main(["dialogues", *map(str, arguments)])
        return code, *capsys.readouterr()

    return command


def comparison(id, short=60, made=5):
    def trial(second, cost):
        replies = (TurnReply("one", 20, 10), TurnReply("two", second, 10, (), second < 100))
        return Trial(replies, cost, cost and 1)

    agreements = (TrialMatch(0.75, 0.5, (1.0, 0.5), (1.0, 0.0), 1, 2),)
    return BothArms(id, id[:2], 2, (trial(100, 0),), (trial(short, made),), agreements)


def record(id, compactor="anchored", **changes):
    return {
        "type": "dialogue",
        "item": f"test_dialogue[{compactor}-{id}]",
        "compactor": compactor,
        "case": id,
        "probe": "",
        "trial": 1,
        "status": "passed",
        "pass_at": 0.7,
        "comparison": comparison(id).as_json(),
        **changes,
    }


def run_file(folder, *records, name="0001-run.jsonl", **header):
    path = folder / name
    lines = [{"format": 1, **header}, *records]
    path.write_text("".join(f"{canonical_json(line)}\n" for line in lines), "utf-8")
    return path


def test_a_run_gives_one_evaluation_a_strategy(tmp_path, run):
    path = run_file(tmp_path, record("GR_1"), record("GR_1", "truncate"), record("SA_1"))
    code, out, err = run(path)
    assert (code, err) == (0, "")
    assert out.index("Side by side") < out.index(f"{path.name}: anchored")
    assert f"{path.name}: truncate" in out
    assert "  GR " in out and "25.00%" in out


@pytest.mark.exhaustive
def test_a_real_run_can_be_read_again(pytester, run, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    turn = {"user": "Where does the broker listen?", "bot": "The broker listens on port 6390."}
    line = {"task": "GR", "id": 1, "history": [turn] * 3}
    pytester.makefile(".jsonl", talk=json.dumps(line))
    arguments = ("--compactor=anchored", "--compaction-cases=talk.jsonl", "-p", "no:cacheprovider")
    shown = pytester.runpytest_subprocess(*arguments).stdout.str()
    capsys.readouterr()
    (path,) = (pytester.path / ".pytest_compaction/runs").glob("*.jsonl")
    code, out, err = run(path)
    assert (code, err) == (0, "")
    assert out[out.index("Overall") :] in shown


def test_the_runs_own_consistency_decides_unless_another_is_given(tmp_path, run):
    path = run_file(tmp_path, record("GR_1", pass_at=0.8))
    for arguments, share in (((), 0.0), (("--pass-consistency", "0.7"), 1.0)):
        assert passed(run(path, "--format=json", *arguments)[1]) == share


PASS_AT_90: dict[str, Any] = {"settings": {"dialogues": {"consistency": 0.9}}}


def passed(out):
    """Pass^1 of the only task in the JSON of an evaluation."""
    (row,) = json.loads(out)["evaluations"][0]["tables"]["quality"]["rows"]
    return row["pass_1"]


def test_records_without_a_consistency_pass_at_that_of_their_header(tmp_path, run):
    old = record("GR_1")
    del old["pass_at"]
    for header, share in ((PASS_AT_90, 0.0), ({}, 1.0), ({"settings": {"dialogues": 3}}, 1.0)):
        code, out, err = run(run_file(tmp_path, old, **header), "--format=json")
        assert (code, err, passed(out)) == (0, "", share)


def test_runs_of_several_consistencies_in_one_file_are_named_and_the_headers_is_taken(
    tmp_path, run
):
    records = [record("GR_1"), record("GR_2", pass_at=0.9)]
    path = run_file(tmp_path, *records, **PASS_AT_90)
    code, out, err = run(path, "--format=json")
    assert code == 1
    assert "found dialogues that pass from 0.7 and 0.9 on; expected one such consistency" in err
    assert passed(out) == 0.0
    code, out, err = run(path, "--format=json", "--pass-consistency=0.7")
    assert (code, err) == (0, "")


@pytest.mark.parametrize("value", ["high", 7, True, None])
def test_a_damaged_record_is_named_by_its_item_and_the_place_in_it(tmp_path, run, value):
    damaged = record("GR_3")
    damaged["comparison"]["summary"][0]["replies"][0]["prompt_tokens"] = -1
    path = run_file(tmp_path, record("GR_1"), record("GR_2", pass_at=value), damaged)
    code, out, err = run(path)
    assert code == 1
    assert "item test_dialogue[anchored-GR_2] /pass_at: found" in err
    assert "item test_dialogue[anchored-GR_3] /comparison/summary/0/replies/0/prompt_tokens" in err
    assert "found int -1; expected at least 0" in err
    assert "anchored" in out


@pytest.mark.parametrize(
    ("name", "arguments", "start"),
    [
        ("report.md", (), "# 0001"),
        ("report.json", (), "{"),
        ("report.txt", (), "0001"),
        ("report.md", ("--format", "json"), "{"),
    ],
)
def test_tables_are_written_as_the_name_says(tmp_path, run, name, arguments, start):
    target = tmp_path / name
    code, out, err = run(run_file(tmp_path, record("GR_1")), "-o", target, *arguments)
    assert (code, out, err) == (0, f"written: {target}\n", "")
    assert target.read_text("utf-8").startswith(start)
    target = tmp_path / "none" / name
    code, out, err = run(run_file(tmp_path, record("GR_1")), "-o", target)
    assert (code, out) == (1, "")
    assert err == f"pytest-compaction: {target}: cannot be written: No such file or directory\n"


def bad(folder, content, name="bad.json"):
    path = folder / name
    path.write_text(content, "utf-8")
    return path


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "has no header line of format 1; is it a run file?"),
        ("", "no header"),
        ('{"caseResults": []}', "has no header line of format 1; is it a run file?"),
        ('{"format": 1}\n', "found a run of 0 items without dialogues"),
        ('{"format": 1}\n{"x": 1}\n', ":2 is not a record of this format"),
        ('{"format": 99}\n', "is not a record of this format"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_and_hides_no_other(tmp_path, run, content, said):
    path, good = bad(tmp_path, content), run_file(tmp_path, record("GR_1"))
    code, out, err = run(path, good)
    assert code == 1
    assert "anchored" in out
    assert str(path) in err and said in err
    assert "Traceback" not in err
    assert run(path)[:2] == (1, "")


def test_dialogues_that_ended_in_an_error_are_counted(tmp_path, run):
    path = run_file(tmp_path, record("GR_1"), record("GR_2", comparison=None, status="error"))
    code, out, _ = run(path, "--format=json")
    assert code == 0
    table = json.loads(out)["evaluations"][0]["tables"]["overall"]["rows"]
    figures = {row["figure"]: row["value"] for row in table}
    assert (figures["dialogues"], figures["errors, in no figure"]) == (1, 1)


def test_dialogues_alone_have_no_results(tmp_path, run):
    turn = {"user": "hello", "bot": "hello"}
    line = json.dumps({"task": "GR", "id": 1, "history": [turn, turn]})
    code, out, err = run(bad(tmp_path, line, "talk.jsonl"))
    assert (code, out) == (1, "")
    assert "talk.jsonl: dialogues to be replayed; run pytest --compactor=NAME" in err


def test_hostile_names_cannot_write_on_the_terminal(tmp_path, run):
    _, out, err = run(
        run_file(tmp_path, record("\x1b[2J_1", "\x1b]0;owned\x07"), name="\x1b[1m.jsonl"),
        bad(tmp_path, '{"\\u001b[2J": 1}', "\x1b[3m.json"),
        "-o",
        tmp_path / "\x1b[4m.md",
    )
    written = (tmp_path / "\x1b[4m.md").read_text("utf-8")
    assert "\x1b" not in out + err + written and "\x07" not in written


def test_a_reader_that_goes_away_is_no_crash(tmp_path):
    records = [record(f"GR_{number}", f"strategy{number}") for number in range(60)]
    path = run_file(tmp_path, *records)
    command = [sys.executable, "-m", "pytest_compaction.cli", "dialogues", str(path)]
    buffered = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, env=buffered) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1
