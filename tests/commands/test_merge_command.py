"""``pytest-compaction merge``: the shards of a run become the run, with its summary and gate."""

import json

import pytest
from support.dialogue_project import TALKS, project
from support.scenarios import case, flat, last_line, run, run_files, set_up, write_cases
from support.sharded import IDS, merge, merged, run_shards, shard_files
from support.talks import talk
from support.worker_counts import BOTH

from pytest_compaction.cli import main
from pytest_compaction.records import load_run

GATE = "--compaction-threshold=overall>=2.4"
TWO = {}
"""The files of two shards without thresholds, run once for all tests that change them."""


@pytest.fixture
def shards(pytester, tmp_path):
    """The files of two shards of a run with a strategy that scores 2.50."""
    if not TWO:
        set_up(pytester, *IDS)
        for result in run_shards(pytester, 2).values():
            assert result.ret == 0
        TWO.update({path.name: path.read_bytes() for path in shard_files(pytester)})
    for name, data in TWO.items():
        (tmp_path / name).write_bytes(data)
    return [tmp_path / name for name in TWO]


@pytest.fixture
def output(tmp_path):
    return tmp_path / "merged.jsonl"


def last(text):
    return [line for line in text.splitlines() if line.strip()][-1]


def summary_of(lines):
    """The lines from the heading of the scores to the place of the records.

    How to list what is below the pass score is said where items were run.
    """
    start = next(i for i, line in enumerate(lines) if line.startswith("survival by "))
    end = next(i for i, line in enumerate(lines) if line.startswith("records:"))
    return [line for line in lines[start:end] if not line.endswith("-rb has a line for each")]


def rewritten(file, change):
    """The same file after a change of its lines as JSON."""
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    change(lines)
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return file


@pytest.mark.parametrize(
    ("count", "workers"),
    [pytest.param(2, "-n2", marks=pytest.mark.exhaustive), (3, "-n0")],
)
def test_merged_shards_are_byte_for_byte_what_one_run_writes(pytester, capsys, count, workers):
    set_up(pytester, *IDS)
    arguments = ("--compaction-control", "--compaction-trials=2", GATE)
    whole = run(pytester, *arguments, compactor="forget_limit")
    (one,) = run_files(pytester)
    results = run_shards(pytester, count, *arguments, workers)
    assert [result.ret for result in results.values()] == [0] * count
    assert all(load_run(file).records for file in shard_files(pytester))
    capsys.readouterr()
    code, output = merged(pytester)
    assert code == whole.ret == 0
    assert output.read_bytes() == one.read_bytes()
    shown = capsys.readouterr().out
    assert shown.startswith(f"merged: 48 items of 3 cases, from {count} shards\n")
    said, of_run = summary_of(shown.splitlines()), summary_of(whole.outlines)
    assert said[: len(of_run)] == of_run
    assert said[len(of_run) + 1] == "lowest 3 of 12 that did not pass"
    assert last(shown) == last_line(whole)
    assert main(["report", str(output)]) == 0
    report = capsys.readouterr().out
    assert main(["report", str(one)]) == 0
    assert capsys.readouterr().out == report


def test_cases_and_dialogues_of_one_run_are_merged(pytester):
    project(pytester, talk(1), talk(2), talk(3))
    write_cases(pytester, *map(case, IDS))
    both = (TALKS, "--compaction-cases=cases")
    run(pytester, *both)
    (one,) = run_files(pytester)
    run_shards(pytester, 2, *both, compactor="keep")
    dealt = [load_run(file).header["shard"] for file in shard_files(pytester)]
    assert all(part["cases"] and part["dialogues"] for part in dealt)
    code, output = merged(pytester)
    assert code == 0
    assert output.read_bytes() == one.read_bytes()


@pytest.mark.parametrize(
    ("threshold", "code", "line"),
    [
        (None, 1, "FAILED 6 items below 3.5"),
        (
            "overall>=2.4",
            0,
            "GATE PASSED overall 2.50 >= 2.40 · on 12 of 12 items · 6 items below 3.5",
        ),
        ("overall>=2.6", 1, "GATE FAILED overall 2.50 < 2.60 · on 12 of 12 items"),
    ],
)
def test_a_threshold_is_given_to_the_command_where_the_shards_had_none(
    shards, output, capsys, threshold, code, line
):
    given = [f"--threshold={threshold}"] if threshold else []
    assert merge(shards, output, *given) == code
    assert last(capsys.readouterr().out) == line


def test_a_threshold_that_cannot_be_read_and_a_second_gate_are_refused(shards, output, capsys):
    assert merge(shards, output, "--threshold=overall>=much") == 4
    assert "cannot read the threshold 'overall>=much'" in capsys.readouterr().err
    assert merge(shards, output, "--threshold=overall@truncate>=1") == 4
    assert "the run has strategies:forget_limit" in capsys.readouterr().err
    for file in shards:
        rewritten(file, lambda lines: lines[0]["settings"].update(thresholds=["overall>=2.4"]))
    assert merge(shards, output, "--threshold=overall>=1") == 4
    assert "with the thresholds overall>=2.4, which decide" in capsys.readouterr().err
    assert not output.exists()
    assert merge(shards, output) == 0


def test_a_run_passes_without_a_threshold_if_every_item_does(shards, output, capsys):
    def passed(lines):
        for line in lines[1:]:
            scores = {name: 4.0 for name, score in line["dimensions"].items() if score is not None}
            line |= {"status": "passed", "overall": 4.0, "dimensions": scores, "criteria": []}

    assert merge([rewritten(file, passed) for file in shards], output) == 0
    assert last(capsys.readouterr().out) == "PASSED 12 items"


OWN = {
    "some let pass below the score": (
        "import pytest\n"
        "def test_measured(case, probe, compactor, judge):\n"
        "    judge(probe, compactor(case).ask(probe))\n"
        "@pytest.mark.xfail\n"
        "def test_known(case, probe, compactor, judge):\n"
        "    judge(probe, compactor(case).ask(probe)).check()\n",
        *([], [0, 0], 0, "PASSED"),
    ),
    "a fixture that checks after the test": (
        "import pytest\n"
        "@pytest.fixture\n"
        "def verdict(case, probe, compactor, judge):\n"
        "    verdict = judge(probe, compactor(case).ask(probe))\n"
        "    yield verdict\n"
        "    verdict.check()\n"
        "def test_later(case, probe, verdict, compactor):\n"
        "    assert verdict\n",
        *([], [0, 0], 1, "FAILED 6 items below 3.5"),
    ),
    "one that fails for another reason": (
        "def test_probe(case, probe, compactor, judge):\n"
        "    judge(probe, compactor(case).ask(probe)).check()\n"
        "def test_other():\n"
        "    assert 1 == 2\n",
        *([GATE], [1, 1], 1, "GATE FAILED 1 failed for another reason than the score"),
    ),
}
"""Tests of a project, what is given, how each shard ends, and how one run and the merged one do."""


@pytest.mark.parametrize("name", OWN)
def test_the_merged_run_ends_as_one_run_of_own_tests_does(pytester, capsys, name):
    text, given, codes, code, line = OWN[name]
    set_up(pytester, *IDS).joinpath("test_own.py").write_text(text)
    assert run(pytester, *given, compactor="forget_limit").ret == code
    results = run_shards(pytester, 2, *given)
    assert [result.ret for result in results.values()] == codes
    if code in codes and code:
        said = "SHARD 1/2 FAILED 1 failed for another reason than the score"
        assert last_line(results[1]) == said
    capsys.readouterr()
    assert merged(pytester)[0] == code
    assert last(capsys.readouterr().out).startswith(line)


def test_unscored_items_of_all_shards_are_added_up(shards, output, capsys):
    def unscored(lines):
        lines[0]["settings"]["max_unscored"] = 1
        lines[1] |= {"status": "unscored", "overall": None, "dimensions": {}}

    assert merge([rewritten(file, unscored) for file in shards], output) == 1
    assert last(capsys.readouterr().out) == "GATE FAILED unscored 2 > 1 · on 10 of 12 items"


@BOTH
def test_a_shard_that_was_stopped_is_refused(pytester, output, capsys, workers):
    set_up(pytester, *IDS)
    stopped = run(pytester, "--compaction-shard=2/2", "-x", workers, compactor="raises")
    assert stopped.ret in {1, 2}
    assert last_line(stopped).startswith("SHARD 2/2 UNFINISHED it was stopped before all items ran")
    run(pytester, "--compaction-shard=1/2", compactor="raises")
    capsys.readouterr()
    assert merge(shard_files(pytester), output) == 4
    said = flat(capsys.readouterr().err.splitlines())
    assert "(shard 2/2) was stopped before all of its items had run" in said
    assert "run it again with --compaction-shard=2/2" in said
    assert not output.exists()


def test_shards_that_all_were_empty_by_selection_are_no_green_run(pytester, output, capsys):
    set_up(pytester, *IDS)
    for result in run_shards(pytester, 2, "-kmisspelt").values():
        assert result.ret == 0
        assert "-k 'misspelt' selects nothing of it" in last_line(result)
    capsys.readouterr()
    assert merged(pytester)[0] == 5
    assert last(capsys.readouterr().out).startswith("GATE FAILED nothing was measured")


def test_what_cannot_be_merged_is_said_in_one_sentence_each_and_nothing_is_written(
    shards, output, tmp_path, capsys
):
    notes = tmp_path / "notes.jsonl"
    notes.write_text("{}\n")
    assert merge([*shards, notes, tmp_path / "none.jsonl"], output) == 4
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("pytest-compaction: ")
    assert "notes.jsonl:1 is not a record of this format" in first
    assert "cannot read the run" in second
    assert merge(shards[:1], output) == 4
    assert "the shard 2/2 is missing, with the cases first, second;" in capsys.readouterr().err
    rewritten(shards[0], lambda lines: lines[1].update(overall=9.0))
    assert merge(shards, output, "--threshold=overall>=1") == 4
    said = flat(capsys.readouterr().err.splitlines())
    assert f"{shards[0]}:2 is the record of " in said
    assert "whose overall 9.0 is not a number from 0 to 5" in said
    assert not output.exists()


def test_neither_a_shard_nor_a_folder_is_overwritten(shards, tmp_path, capsys):
    before = shards[0].read_bytes()
    assert merge(shards, shards[0]) == 4
    assert "is the file of a shard; name another one" in capsys.readouterr().err
    assert shards[0].read_bytes() == before
    assert merge(shards, tmp_path / "none" / "merged.jsonl") == 4
    assert "cannot be written" in capsys.readouterr().err
    assert merge(shards, tmp_path) == merge(shards, "") == 4
    assert capsys.readouterr().err.count("is a folder; name a file") == 2


def test_what_all_shards_used_of_a_model_is_added_up(shards, output, capsys):
    used = {"calls": 2, "input_tokens": 100, "cached_tokens": 10, "output_tokens": 7}

    def charge(lines):
        lines[0]["prices"] = {"as_of": "2025-01-01", "source": "a list"}
        for line in lines[1:]:
            line |= {"usage": {"responder": used}, "usd": {"responder": 0.25}}

    assert merge([rewritten(file, charge) for file in shards], output) == 1
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["total", "24", "1,200", "120", "84", "3.0000"] in rows


def test_the_merged_run_is_reported_as_one_run_is(shards, output, tmp_path, capsys, monkeypatch):
    summary, report = tmp_path / "summary.md", tmp_path / "reports/whole.json"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert merge(shards, output, "--threshold=overall>=3", f"--report={report}") == 1
    said = capsys.readouterr().out
    assert f"report: {report}\n" in said
    assert last(said).startswith("::error title=compaction")
    data = json.loads(report.read_text("utf-8"))
    assert (data["gate"]["outcome"], data["run"]["shard"]) == ("failed", None)
    assert len(data["items"]) == len(load_run(output).records)
    assert "❌ **GATE FAILED overall 2.50" in summary.read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "said"),
    [("whole.pdf", "names no form; end it with one of .html"), ("", "names no form")],
)
def test_a_report_that_cannot_be_made_is_refused_before_anything_is_written(
    shards, output, capsys, name, said
):
    assert merge(shards, output, f"--report={name}") == 4
    assert said in flat([capsys.readouterr().err])
    assert not output.exists()


def test_rules_of_shards_that_no_option_takes_are_refused(pytester, capsys, monkeypatch):
    monkeypatch.chdir(pytester.path)
    set_up(pytester, *IDS)
    run(pytester, "--compaction-baseline=main.json", "--compaction-baseline-update")
    for index in (1, 2):
        shard = [f"--compaction-shard={index}/2", "--compaction-runs=shards"]
        run(pytester, "--compaction-baseline=main.json", *shard)
    files = {path: path.read_bytes() for path in sorted(pytester.path.glob("shards/*.jsonl"))}
    for key, value in (("max_drop", 1e9), ("pass_score", -1), ("max_newly_gone", "most")):
        for file, data in files.items():
            file.write_bytes(data)
            rewritten(file, lambda lines: lines[0]["settings"].update({key: value}))  # noqa: B023
        capsys.readouterr()
        assert main(["merge", *map(str, files), "-o", "whole.jsonl"]) == 4
        said = capsys.readouterr().err
        assert f"the shards' {key}={value if isinstance(value, str) else ''}" in said


def test_a_baseline_of_the_shards_decides_on_the_merged_run(pytester, capsys, monkeypatch):
    monkeypatch.chdir(pytester.path)
    set_up(pytester, *IDS)
    update = ["--compaction-baseline=main.json", "--compaction-baseline-update"]
    run(pytester, *update, compactor="keep")
    against = "main.json@strategies:keep"
    for index in (1, 2):
        shard = [f"--compaction-shard={index}/2", "--compaction-runs=shards"]
        given = [f"--compaction-baseline={against}", *shard]
        assert run(pytester, *given, compactor="forget_limit").ret == 0
    files = sorted(map(str, pytester.path.glob("shards/*.jsonl")))
    for given in ([], ["--threshold=overall>=1"]):
        capsys.readouterr()
        assert main(["merge", *files, "-o", "whole.jsonl", *given]) == 1
        line = last(capsys.readouterr().out)
        assert line.startswith("UNDECIDED overall -2.50 in 3 cases, not shown, main 5.00")
        assert line.endswith(" · on 12 of 12 items")
    (pytester.path / "main.json").unlink()
    assert main(["merge", *files, "-o", "whole.jsonl", "--threshold=overall>=1"]) == 4
    said = f"the shards were run with --compaction-baseline={against}, which decides: cannot read"
    assert said in capsys.readouterr().err
