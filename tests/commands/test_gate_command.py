"""``pytest-compaction gate``: the decision on a run that has been measured."""

import pytest
from support.changed_runs import before, header, lowered, scored, write
from support.scenarios import last_line, run, set_up

from pytest_compaction.cli import main
from pytest_compaction.records import write_baseline_file

RUN = "0001-anchored.jsonl"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def gate(capsys, *arguments):
    """The exit code, the last line and the error stream."""
    code = main(["gate", *arguments])
    shown = capsys.readouterr()
    return code, (shown.out.splitlines() or [""])[-1], shown.err


def test_thresholds_decide_again(folder, capsys):
    write(folder, before())
    assert gate(capsys, RUN, "--threshold=overall>=4") == (
        *(0, "GATE PASSED overall 4.25 >= 4.00 · on 24 items · 0 items below 3.5", ""),
    )
    code, line, _ = gate(capsys, RUN, "--threshold=overall>=4.5", "--threshold=pass^1>=1")
    assert (code, line) == (1, "GATE FAILED overall 4.25 < 4.50 · on 24 items")


def test_the_thresholds_of_the_run_decide_if_none_are_given(folder, capsys):
    write(folder, before(), head=header(thresholds=["overall>=4.5"]))
    assert gate(capsys, RUN)[:2] == (1, "GATE FAILED overall 4.25 < 4.50 · on 24 items")
    assert gate(capsys, RUN, "--threshold=overall>=1")[0] == 0


def test_another_pass_score_decides_which_items_pass(folder, capsys):
    write(folder, before())
    code, line, _ = gate(capsys, RUN, "--threshold=pass^1>=0.5", "--pass-score=4.3")
    assert (code, line) == (1, "GATE FAILED pass^1 0.33 < 0.50 · on 24 items")
    code, line, _ = gate(capsys, RUN, "--threshold=pass^1>=0.3", "--pass-score=4.3")
    assert (code, line) == (0, "GATE PASSED pass^1 0.33 >= 0.30 · on 24 items · 16 items below 4.3")


def test_a_baseline_decides_and_what_got_worse_is_shown(folder, capsys, snapshot):
    write(folder, lowered(0.5, spread=0.25))
    write_baseline_file(folder / "main.json", header(), {"anchored": before()})
    assert main(["gate", RUN, "--baseline=main.json"]) == 1
    shown = capsys.readouterr().out
    assert shown == snapshot
    assert all(len(line) <= 80 for line in shown.splitlines()[:-1])
    code, line, _ = gate(capsys, RUN, "--baseline=main.json", "--max-drop=1")
    assert (code, line.partition(":")[0]) == (0, "GATE PASSED no worse than main")


def test_an_undecided_drop_fails_unless_one_says_otherwise_or_a_rule_on_facts_decides(
    folder, capsys, snapshot
):
    write(folder, lowered(0.3, spread=0.8))
    write_baseline_file(folder / "main.json", header(), {"anchored": before()})
    assert main(["gate", RUN, "--baseline=main.json"]) == 1
    assert capsys.readouterr().out == snapshot
    assert gate(capsys, RUN, "--baseline=main.json", "--inconclusive=pass")[0] == 0
    assert gate(capsys, RUN, "--baseline=main.json", "--max-newly-gone=12")[0] == 0
    code, line, _ = gate(capsys, RUN, "--baseline=main.json", "--max-newly-gone=11")
    assert (code, line.partition(" ")[0]) == (1, "GATE")
    assert "newly gone 12 > 11, regained 0" in line
    code, _, said = gate(capsys, RUN, "--baseline=main.json", "--max-newly-gone=a few")
    assert code == 4
    assert "--max-newly-gone=a few: expected a whole number of facts" in said


def test_a_run_and_its_baseline_may_have_another_pass_score(folder, capsys):
    write(folder, before())
    write_baseline_file(folder / "main.json", header(pass_score=3.0), {"anchored": before()})
    assert gate(capsys, RUN, "--baseline=main.json")[0] == 0


def test_items_that_went_wrong_or_are_not_there_fail_the_run_whatever_the_mean(folder, capsys):
    broken = scored("case-01", error={"phase": "call", "reason": "of my own"})
    write(folder, [*before()[:2], broken])
    said = "GATE FAILED 1 failed for another reason than the score · on 3 items"
    assert gate(capsys, RUN, "--threshold=overall>=1")[:2] == (1, said)
    empty = write(folder, [])
    assert gate(capsys, empty.name, "--threshold=overall>=0")[0] == 5


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gone.jsonl"], "cannot read the run gone.jsonl"),
        (["last"], "there is no run in"),
        ([RUN], "nothing to decide on; give --threshold or --baseline"),
        ([RUN, "--threshold=charm>=1"], "cannot read the threshold 'charm>=1'"),
        (
            [RUN, "--threshold=overall@other>=1"],
            "did you mean overall@anchored? the run has anchored",
        ),
        ([RUN, "--baseline=gone.json"], "cannot read the baseline gone.json"),
        ([RUN, "--baseline=other.jsonl"], "other.jsonl:1 is not JSON"),
    ],
)
def test_what_cannot_be_decided_is_said(folder, capsys, arguments, said):
    write(folder, before())
    (folder / "other.jsonl").write_text("hello\n")
    code, _, error = gate(capsys, *arguments)
    assert code == 4
    assert said in error


def test_the_last_line_is_that_of_the_run(pytester, monkeypatch, capsys):
    monkeypatch.chdir(pytester.path)
    set_up(pytester)
    result = run(pytester, "--compaction-threshold=overall>=2", compactor="forget_limit")
    code, line, _ = gate(
        capsys, str(pytester.path / ".pytest_compaction/runs/0001-strategies_forget_limit.jsonl")
    )
    assert (code, line) == (0, last_line(result))


@pytest.mark.parametrize("empty", ["--threshold=", "--threshold= ", "--baseline="])
def test_an_option_that_is_there_and_empty_is_refused(folder, capsys, empty):
    write(folder, before())
    code, line, error = gate(capsys, RUN, "--threshold=overall>=1", empty)
    assert (code, line) == (4, "")
    assert f"{empty.partition('=')[0]}= is empty" in error


def test_a_strategy_that_the_run_named_and_did_not_measure_fails_its_rules(folder, capsys):
    write(folder, before(), head=header(compactors=["anchored", "truncate"]))
    assert gate(capsys, RUN, "--threshold=overall>=1")[:2] == (
        *(1, "GATE FAILED overall@truncate: nothing was measured · on 24 items"),
    )


@pytest.mark.parametrize(
    ("flag", "allowed"),
    [("--max-drop", "a number from 0 to 5"), ("--pass-score", "a number from 0 to 5")],
)
@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e9", "-0.1", "much", ""])
def test_a_number_out_of_its_range_is_refused(folder, capsys, flag, allowed, value):
    write(folder, before())
    write_baseline_file(folder / "main.json", header(), {"anchored": before()})
    code, _, said = gate(capsys, RUN, "--baseline=main.json", f"{flag}={value}")
    assert (code, said) == (4, f"pytest-compaction: {flag}={value} is not {allowed}\n")


@pytest.mark.parametrize(("key", "value"), [("pass_score", 99), ("max_unscored", -1)])
def test_a_number_of_the_run_that_is_out_of_its_range_is_refused(folder, capsys, key, value):
    write(folder, [], head=header(**{key: value}))
    code, _, said = gate(capsys, RUN, "--threshold=overall>=1")
    assert code == 4
    assert f"the run's {key}={value} is not a" in said


def test_a_run_that_is_damaged_or_has_scores_that_no_run_writes_is_not_decided_on(folder, capsys):
    path, baseline = write(folder, before()), write(folder, before(), name="main")
    sound = path.read_text()
    path.write_bytes(path.read_bytes()[:-40])
    code, line, said = gate(capsys, RUN, "--threshold=overall>=1")
    assert (code, line) == (4, "")
    assert f"{RUN} is not whole, so nothing can be decided on it" in said
    path.write_text(sound.replace('"overall":4.0', '"overall":99'))
    code, _, said = gate(capsys, RUN, "--threshold=overall>=4.2")
    assert code == 4
    item = "the record of cases/test_probes.py::test_probe[anchored-case-00-p-1]"
    assert f"{RUN}:2 is {item}, " in said
    assert "whose overall 99 is not a number from 0 to 5" in said
    path.write_text(sound)
    baseline.write_text(sound.replace('"overall":4.0', '"overall":99', 1))
    code, _, said = gate(capsys, RUN, f"--baseline={baseline.name}")
    assert code == 4
    assert f"{baseline.name}:2 is {item}" in said
    assert "measure the baseline again, or take another run" in said
