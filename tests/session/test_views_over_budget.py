"""Views over their budget and strategies that compact nothing: red, and said why."""

import pytest
from support.scenarios import (
    case,
    failure,
    flat,
    last_line,
    own,
    records,
    run,
    run_files,
    set_up,
    set_up_with,
)
from support.sharded import IDS, merged, run_shards
from support.talks import talk, write
from support.worker_counts import BOTH

from pytest_compaction.cli import main

OK, FAILED = pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED
REPORT = "--compaction-over-budget=report"
PASSES = "--compaction-threshold=overall>=0"
OVER = "overall 5.00 >= 0.00, but 4 of 4 items have a view over budget, up to 2.05 times it"
FITS = (
    "nothing was compacted: no view of 8 items is smaller than its log, and each log fits its "
    "budget"
)


def tight(pytester, *ids):
    """A project in which every view but that of ``forget`` is over the budget."""
    return set_up_with(pytester, *(case(id, budget=60) for id in ids or ("first",)))


@BOTH
def test_a_strategy_that_returns_the_log_eight_times_fails_every_item(pytester, workers):
    tight(pytester)
    result = run(pytester, workers, PASSES, compactor="larger")
    assert result.ret == FAILED
    assert result.parseoutcomes() == {"failed": 4 + 2}
    said = failure(result, "strategies:larger-first-files")
    assert said[0].startswith("the view takes ")
    assert said[0].endswith(" tokens, and its budget is 60")
    assert said[1] == "  overall 5.00 does not count"
    assert "--compaction-over-budget=report" in flat(said)
    result.stdout.fnmatch_lines(["*tokens  131 -> *", "*nothing removed: * times the logs*"])
    assert "% removed" not in str(result.stdout)
    assert last_line(result).startswith("GATE FAILED overall 5.00 >= 0.00, but 4 of 4 items have")
    assert last_line(result).endswith(
        "4 items is smaller than its log · 4 items over budget · on 4 of 4 items"
    )
    for record in records(pytester).records:
        assert (record["status"], record["overall"]) == ("failed", 5.0)
        assert record["reason"].startswith("the view takes ")


@BOTH
def test_a_run_in_which_nothing_was_compacted_is_red_with_and_without_a_gate(pytester, workers):
    set_up(pytester)
    for gate in ([], [PASSES]):
        result = run(pytester, workers, *gate, compactor="same")
        assert result.ret == FAILED
        assert result.parseoutcomes() == {"passed": 8 + len(gate), "failed": 1}
        result.stdout.fnmatch_lines(["FAILED compaction::compacted@strategies:same - *"])
        assert last_line(result) == f"GATE FAILED strategies:same: {FITS} · on 8 of 8 items"
    several = f"--compactor={own('same')},{own('keep')}"
    result = run(pytester, workers, several, compactor=None)
    assert result.parseoutcomes() == {"passed": 16, "failed": 1}
    assert last_line(result) == f"GATE FAILED strategies:same: {FITS} · on 16 of 16 items"


@BOTH
def test_what_is_only_reported_is_ranked_apart_and_passes_no_gate(pytester, workers):
    tight(pytester)
    both = f"--compactor={own('keep')},{own('forget')}"
    result = run(pytester, workers, both, REPORT, compactor=None)
    assert result.parseoutcomes() == {"passed": 4, "failed": 4}
    result.stdout.fnmatch_lines(
        [
            "compaction: *| views over budget: report",
            "compactor *",
            "strategies:forget *",
            "---*",
            "strategies:keep *%!",
            "! below the rule: views over the budget of their case, ranked apart",
        ]
    )
    result = run(pytester, workers, both, REPORT, PASSES, compactor=None)
    assert result.ret == FAILED
    counted = result.parseoutcomes()
    assert (counted["passed"], counted["failed"], counted["below"]) == (4 + 1, 1, 4)
    result.stdout.fnmatch_lines(["FAILED compaction::overall@strategies:keep>=0 - *"])
    result.stdout.fnmatch_lines(["  first-*: * tokens for 60"])
    assert last_line(result).startswith(
        "GATE FAILED overall@strategies:keep 5.00 >= 0.00, but 4 of"
    )
    scoped = f"--compaction-threshold=overall@{own('forget')}>=0"
    assert run(pytester, workers, both, REPORT, scoped, compactor=None).ret == OK
    assert run(pytester, workers, REPORT).ret == OK
    assert run(pytester, workers, scoped, both, compactor=None).ret == FAILED


def test_a_baseline_passes_no_strategy_with_views_over_the_budget(pytester):
    tight(pytester)
    baseline = "--compaction-baseline=main.json"
    assert run(pytester, REPORT, baseline, "--compaction-baseline-update").ret == OK
    result = run(pytester, REPORT, baseline)
    assert result.ret == FAILED
    result.stdout.fnmatch_lines(["*overall +0.00*, main 5.00, but 4 of 4 items have a view over *"])
    (path, again) = run_files(pytester)
    code = main(["gate", str(again), f"--baseline={path}"])
    assert code == 1


def test_a_view_over_the_budget_fails_a_test_that_does_not_ask_whether_it_passes(pytester):
    place = tight(pytester)
    place.joinpath("test_own.py").write_text(
        "import pytest\n"
        "def test_score(case, probe, compactor, judge):\n"
        "    assert judge(probe, compactor(case).ask(probe)).overall >= 3\n"
        "@pytest.mark.xfail(strict=True)\n"
        "def test_check(case, probe, compactor, judge):\n"
        "    judge(probe, compactor(case).ask(probe)).check()\n"
    )
    assert run(pytester).parseoutcomes() == {"failed": 4, "xfailed": 4}
    assert run(pytester, REPORT).parseoutcomes() == {"passed": 4, "failed": 4}


@pytest.mark.parametrize(
    ("project", "code", "why"),
    [
        (tight, FAILED, "is smaller than its log · 12 items over budget · on 12 of 12 items"),
        (set_up, OK, "is smaller than its log, and each log fits its budget"),
    ],
    ids=["over budget", "short"],
)
def test_shards_fail_over_the_budget_and_their_merger_says_what_was_not_compacted(
    pytester, capsys, project, code, why
):
    project(pytester, *IDS)
    for result in run_shards(pytester, 2, compactor="same").values():
        assert result.ret == code
        assert ("items over budget" in last_line(result)) == (code == FAILED)
    merger, output = merged(pytester)
    assert merger == 1
    said = capsys.readouterr().out.splitlines()[-1]
    assert f"strategies:same: nothing was compacted: no view of 12 items {why}" in said
    assert main(["gate", str(output), "--threshold=overall>=0"]) == 1


def test_the_command_decides_again_with_views_over_the_budget(pytester, capsys):
    tight(pytester)
    for arguments in ([], [REPORT]):
        run(pytester, *arguments)
        path = str(run_files(pytester)[-1])
        capsys.readouterr()
        for more in ([], ["--pass-score=1"]):
            assert main(["gate", path, "--threshold=overall>=0", *more]) == 1
            line = capsys.readouterr().out.splitlines()[-1]
            also = "" if arguments else " · 4 items over budget"
            assert line == f"GATE FAILED {OVER}{also} · on 4 of 4 items"


def test_the_control_alone_compacts_nothing_unless_a_threshold_names_it(pytester):
    tight(pytester)
    result = run(pytester, "--compactor=none", PASSES, compactor=None)
    assert result.ret == FAILED
    assert last_line(result) == (
        "GATE FAILED none: nothing was compacted: this is the control, which leaves out nothing"
        " · on 4 of 4 items"
    )
    named = "--compaction-threshold=overall@none>=4"
    assert run(pytester, "--compactor=none", named, compactor=None).ret == OK
    beside = ["--compaction-control", "--compaction-pass-score=0", "--compaction-threshold=kept>=0"]
    assert run(pytester, *beside, compactor="forget").ret == OK


@BOTH
def test_dialogues_of_which_nothing_was_compacted_are_red(pytester, workers):
    set_up(pytester)
    write(pytester.path, talk(1), talk(2, 3, "GR"))
    talks = "--compaction-cases=talks.jsonl"
    for gate in ([], ["--compaction-threshold=consistency>=0"]):
        result = run(pytester, workers, talks, *gate, compactor="same")
        assert result.ret == FAILED
        assert last_line(result) == (
            "GATE FAILED strategies:same: nothing was compacted: no turn of 2 dialogues "
            "reads less than its history · on 2 of 2 items"
        )


TALKS = "--compaction-cases=talks.jsonl"
CONSISTENT = "--compaction-threshold=consistency>=0.7"


def long_talks(pytester):
    """A project with two dialogues of which ``keep`` leaves more than half, and a short one."""
    set_up(pytester)
    write(pytester.path, talk(1, 6), talk(2, 6, "GR"), talk(3, 2, "SA"))


@BOTH
def test_a_dialogue_with_views_over_the_budget_fails_like_a_probe(pytester, workers):
    long_talks(pytester)
    result = run(pytester, workers, TALKS, CONSISTENT, compactor="keep")
    assert result.ret == FAILED
    assert result.parseoutcomes() == {"passed": 1, "failed": 3}
    said = failure(result, "strategies:keep-CM_1")
    assert said[0].startswith("2 turns have a view over budget: ")
    assert said[0].endswith(" tokens for 160 in turn 5")
    assert said[1].startswith("  consistency ")
    assert "--compaction-over-budget=report" in flat(said)
    result.stdout.fnmatch_lines(["  over budget  2 of 3 dialogues have a view over budget, up to*"])
    assert "but 2 of 3 items have a view over budget" in last_line(result)
    assert "2 items over budget" in last_line(result)
    first, *_ = records(pytester).records
    assert (first["status"], first["consistency"] >= 0.7) == ("failed", True)
    assert [turn["turn"] for turn in first["compaction"]["over_budget"]] == [5, 6]


def test_a_dialogue_with_views_over_the_budget_is_reported_where_that_is_asked_for(pytester):
    long_talks(pytester)
    both = f"--compactor={own('keep')},{own('forget')}"
    result = run(pytester, TALKS, CONSISTENT, both, REPORT, compactor=None)
    assert result.ret == FAILED
    result.stdout.fnmatch_lines(
        ["  strategy *over*", "  strategies:k* 3     2 *", "  strategies:f* 3     0 *"]
    )
    scoped = f"--compaction-threshold=consistency@{own('forget')}>=0"
    assert run(pytester, TALKS, both, REPORT, scoped, compactor=None).ret == OK
