"""Judge snapshots: accepted verdicts stay; verdicts that moved fail and say what moved."""

import pytest
from support import scenarios
from support.scenarios import PROBES, case, failure, flat, own, records, write_cases
from support.snapshot_runs import file_of, run, shift, snapshots, statuses


def test_verdicts_are_accepted_once_and_then_compared(project):
    result = run(project)
    result.assert_outcomes(failed=8)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert flat(failure(result, f"{own('keep')}-first-limit")) == (
        "there is no snapshot of this verdict (overall 4.00) yet look at it, and accept it with "
        f"--snapshot-update: {file_of('limit')}"
    )
    assert statuses(project) == {"missing"}
    assert not snapshots(project)
    result = run(project, "--snapshot-update")
    result.assert_outcomes(passed=8)
    result.stdout.fnmatch_lines(["8 snapshots generated."])
    accepted = snapshots(project)
    assert sorted(accepted) == sorted(file_of(p, c) for c in ("first", "second") for p in PROBES)
    result = run(project)
    result.assert_outcomes(passed=8)
    result.stdout.fnmatch_lines(["8 snapshots passed."])
    assert result.ret == 0
    assert statuses(project) == {"matched"}
    assert snapshots(project) == accepted


@pytest.mark.exhaustive
def test_it_is_the_same_with_two_workers(project):
    run(project, "--snapshot-update").assert_outcomes(passed=8)
    serial = snapshots(project)
    for path in serial:
        (project.path / path).unlink()
    run(project, "--snapshot-update", workers=2).assert_outcomes(passed=8)
    assert snapshots(project) == serial
    gone = case("second")
    gone["probes"] = [probe for probe in gone["probes"] if probe["id"] != "limit"]
    write_cases(project, gone)
    (project.path / file_of("next")).unlink()
    shift(project, all=-0.7, refuses=["file"])
    result = run(project, "--compaction-threshold=overall>=0", workers=2)
    assert result.parseoutcomes() == {"failed": 5 + 1, "unscored": 2, "passed": 1}
    assert scenarios.last_line(result).startswith(
        "GATE FAILED unscored 2 > 0 · 5 failed for another reason than the score"
    )
    by_item = {(r["case"], r["probe"]): r.get("snapshot") for r in records(project).records}
    assert by_item["first", "next"] == "missing"
    assert by_item["first", "limit"] == by_item["second", "decided"] == "moved"
    assert by_item["first", "files"] is by_item["second", "files"] is None
    assert len(snapshots(project)) == 7


def test_a_verdict_beyond_the_tolerance_fails_with_what_moved(project):
    run(project, "--snapshot-update")
    accepted = snapshots(project)
    shift(project, accuracy_factual=-3, says="It \x1b[2J says 30.", hit=True, misses=True)
    result = run(project, "-k", "first-limit", "--compaction-pass-score=2")
    result.assert_outcomes(failed=1)
    text = flat(failure(result, f"{own('keep')}-first-limit"))
    begin = "the verdict moved from its snapshot: 4.00 -> 2.50"
    assert text.startswith(begin)
    assert "(tolerated: 0.5 overall, 1 per criterion)" in text
    assert '"accuracy_factual": { - "reasoning": "nothing is missing", - "score": 4.0 + ' in text
    assert r"It \\x1b[2J says 30." in text
    assert '- "stated": true, + "stated": false, "text": "45"' in text
    assert '- "hit": false, + "hit": true, "text": "the retry limit is 30"' in text
    assert text.endswith(f"accept it with --snapshot-update: {file_of('limit')}")
    assert "\x1b" not in str(result.stdout)
    assert statuses(project) == {"moved"}
    assert snapshots(project) == accepted
    low = "--compaction-pass-score=2"
    run(project, "--snapshot-update", low).assert_outcomes(passed=8)
    assert snapshots(project) != accepted
    run(project, low).assert_outcomes(passed=8)


def test_a_verdict_within_the_tolerance_passes_and_keeps_its_file(project):
    run(project, "--snapshot-update")
    accepted = snapshots(project)
    shift(project, completeness_coverage=-1, says="Another wording.", hit=True)
    for more in ((), ("--snapshot-update",)):
        run(project, *more).assert_outcomes(passed=8)
        assert snapshots(project) == accepted
        assert statuses(project) == {"matched"}
    run(project, "--compaction-judge-tolerance=0.5,0.9").assert_outcomes(failed=8)


def test_the_overall_score_has_a_tolerance_of_its_own(project):
    run(project, "--snapshot-update")
    shift(project, all=-0.4)
    run(project).assert_outcomes(passed=8)
    shift(project, all=-0.6)
    run(project, "--compaction-pass-score=0").assert_outcomes(failed=8)
    run(project, "--compaction-judge-tolerance=0.7").assert_outcomes(failed=8)
    run(project, "--compaction-judge-tolerance=0.7", "--compaction-pass-score=0").assert_outcomes(
        passed=8
    )


def test_a_score_below_the_pass_score_is_shown_with_what_moved(project):
    run(project, "--snapshot-update")
    shift(project, all=-3)
    text = flat(failure(run(project, "-k", "first-limit"), f"{own('keep')}-first-limit"))
    assert "moved from its snapshot: 4.00 -> 1.00" in text
    assert "overall 1.00 is below the pass score 3.50" in text
    run(project, "--snapshot-update").assert_outcomes(failed=8)
    result = run(project)
    result.assert_outcomes(failed=8)
    result.stdout.fnmatch_lines(["8 snapshots passed."])
    assert "moved from its snapshot" not in str(result.stdout)


def test_what_the_judge_says_is_compared_although_the_view_makes_the_score(project):
    offline = {"by": "offline"}
    run(project, "--snapshot-update", **offline).assert_outcomes(passed=8)
    shift(project, all=-3)
    text = flat(failure(run(project, **offline), f"{own('keep')}-first-limit"))
    assert "moved from its snapshot: 4.00 -> 1.00" in text
    assert "below the pass score" not in text
    found = records(project).records[0]
    assert (found["reading"], found["overall"], found["answer"]["overall"]) == ("view", 5.0, 1.0)


def test_an_unscored_verdict_is_neither_accepted_nor_passed(project):
    shift(project, refuses=["recall"])
    result = run(project, "--snapshot-update")
    assert result.parseoutcomes()["unscored"] == 2
    assert result.ret == 1
    assert len(snapshots(project)) == 6
    shift(project)
    run(project, "--snapshot-update").assert_outcomes(passed=8)
    accepted = snapshots(project)
    shift(project, dead=True)
    for more in ((), ("--snapshot-update",)):
        result = run(project, *more)
        assert result.parseoutcomes() == {"unscored": 8, "failed": 1}
        assert result.ret == 1
        assert snapshots(project) == accepted
