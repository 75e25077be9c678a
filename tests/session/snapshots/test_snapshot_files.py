"""Files of judge snapshots: where they lie, what they say, and when they are removed."""

import json
import shutil

import pytest
from support.scenarios import failure, flat, own, refused
from support.snapshot_runs import file_of, outcomes, run, shift, snapshots, statuses

from pytest_compaction.judges import read_snapshot


@pytest.mark.parametrize(
    "other",
    [
        [f"--compactor={own('forget')}", "--compaction-pass-score=0"],
        ["--compaction-cases=cases/first.json"],
        ["-k", "first"],
        ["-m", "compaction(kind='file')"],
        [f"::test_probe[{own('keep')}-first-limit]"],
    ],
    ids=["strategy", "case file", "keyword", "marker", "node id"],
)
def test_the_snapshots_of_what_is_not_in_a_run_are_left_alone(project, other):
    run(project, "--compaction-trials=2", "--snapshot-update")
    accepted = snapshots(project)
    assert len(accepted) == 16
    more = ["--compaction-trials=2", *other] if len(other) == 1 and "::" in other[0] else other
    if "::" in other[0]:
        more[-1] = other[0].replace("limit]", "limit-t1]")
    compactor = None if "--compactor" in other[0] else "keep"
    result = run(project, *more, "--snapshot-update", compactor=compactor)
    assert result.ret == 0
    assert accepted.items() <= snapshots(project).items()
    result = run(project, *more, compactor=compactor)
    assert result.ret == 0
    assert "snapshots unused" not in str(result.stdout)


BREAKS = """
from pathlib import Path

def test_probe(case, probe, compactor, judge):
    assert not Path("broken").exists(), "out of order"
    judge(probe, compactor(case).ask(probe))
"""


def test_the_snapshot_of_an_item_that_ended_without_a_verdict_stays(project):
    (project.path / "cases/test_probes.py").write_text(BREAKS)
    run(project, "--snapshot-update").assert_outcomes(passed=8)
    accepted = snapshots(project)
    assert file_of("limit") in accepted
    (project.path / "broken").touch()
    for more in ((), ("--snapshot-update",)):
        result = run(project, *more)
        result.assert_outcomes(failed=8)
        result.stdout.fnmatch_lines(["*AssertionError: out of order*", "8 snapshots failed."])
        assert snapshots(project) == accepted


def test_a_file_that_is_torn_or_merged_badly_fails_with_a_sentence_until_it_is_written_anew(
    project,
):
    run(project, "--snapshot-update")
    accepted = snapshots(project)
    path = project.path / file_of("limit")
    whole = path.read_bytes()
    for damage in (whole[:50], b"<<<<<<< ours\n" + whole + b"\xff", b'{"format": 9}'):
        path.write_bytes(damage)
        result = run(project, "-k", "first-limit")
        result.assert_outcomes(failed=1)
        text = flat(failure(result, f"{own('keep')}-first-limit"))
        assert text.startswith("the snapshot of this verdict cannot be used")
        assert statuses(project) == {"unusable"}
    run(project, "--snapshot-update", "-k", "first-limit").assert_outcomes(passed=1)
    assert snapshots(project) == accepted


def test_a_snapshot_that_cannot_be_written_fails_with_the_reason(project):
    (project.path / "cases/__snapshots__").write_text("no folder", "utf-8")
    result = run(project, "--snapshot-update", "-k", "first-limit")
    result.assert_outcomes(failed=1)
    text = flat(failure(result, f"{own('keep')}-first-limit"))
    assert text.startswith("the snapshot of this verdict cannot be kept: NotADirectoryError")


def test_a_file_says_what_was_judged_in_sorted_lines_without_clock_usage_or_escapes(project):
    key = "sk-" + "a1B2" * 8
    shift(project, says=f"\x1b[2J\u202e {key} 数 \udc80 end")
    run(project, "--snapshot-update")
    text = (project.path / file_of("limit")).read_text("utf-8")
    data = json.loads(text)
    assert text == json.dumps(data, sort_keys=True, indent=2, ensure_ascii=False) + "\n"
    assert read_snapshot(text) == data
    assert set(data) == {
        "criteria", "dimensions", "facts", "flags", "format", "item", "overall", "response",
        "traps",
    }  # fmt: skip
    assert data["item"] == {
        "case": "first", "compactor": own("keep"), "probe": "limit",
    }  # fmt: skip
    said = {score["reasoning"] for score in data["criteria"].values()}
    assert said == {r"\x1b[2J\u202e [key] 数 \udc80 end"}
    assert data["facts"] == [{"stated": True, "text": "45"}]
    assert data["traps"] == [{"hit": False, "text": "the retry limit is 30"}]


OWN = """
from pytest_compaction.judges.verdict import Verdict

def test_mine(case, probe, compactor, judge, judge_snapshot):
    verdict = judge(probe, compactor(case).ask(probe))
    judge_snapshot(verdict)

def test_twice(case, probe, compactor, judge):
    response = compactor(case).ask(probe)
    assert judge(probe, response) == judge(probe, response)

def test_by_hand(judge_snapshot):
    verdict = Verdict((), {"accuracy": 4.0}, 4.0, (), (), 3.5, "An answer.")
    judge_snapshot(verdict, "good")
    judge_snapshot(verdict)

def test_none_at_all(judge_snapshot):
    judge_snapshot(Verdict((), {}, None, (), (), 3.5, unscored="no judge"))
"""


def test_a_test_of_ones_own_compares_with_the_fixture_beside_its_module(project):
    project.makepyfile(test_own=OWN)
    where = ["test_own.py", "-k", "first-limit or hand or none"]
    assert outcomes(run(project, *where, flag=False)) == {"failed": 2, "skipped": 1, "passed": 1}
    result = run(project, *where, "--snapshot-update", flag=False)
    assert outcomes(result) == {"passed": 3, "skipped": 1}
    named = f"[{own('keep')}-first-limit]".replace(":", "%3A")
    assert sorted(snapshots(project, "__snapshots__/test_own")) == [
        "__snapshots__/test_own/test_by_hand.1.judge.json",
        "__snapshots__/test_own/test_by_hand[good].judge.json",
        f"__snapshots__/test_own/test_mine{named}.judge.json",
    ]
    result = run(project, *where, "--snapshot-update")
    assert outcomes(result) == {"passed": 3, "skipped": 1}
    assert [
        path.rpartition("/")[2]
        for path in sorted(snapshots(project, "__snapshots__/test_own"))
        if "twice" in path
    ] == [f"test_twice{named}.1.judge.json", f"test_twice{named}.judge.json"]
    shift(project, all=-1)
    assert outcomes(run(project, *where)) == {"failed": 2, "passed": 1, "skipped": 1}


def test_the_fixture_works_without_a_strategy(project):
    project.makepyfile(test_own=OWN)
    result = run(project, "test_own.py", "--snapshot-update", flag=False, compactor=None)
    result.assert_outcomes(passed=1, failed=1, deselected=2)
    assert "UnscoredError: unscored: no judge" in str(result.stdout)


def test_snapshots_of_the_shipped_cases_lie_in_the_root_folder(project):
    shutil.rmtree(project.path / "cases")
    shipped = ["-k", "lease_queue"]
    result = run(project, *shipped, "--snapshot-update", compactor="forget")
    found = snapshots(project, "__snapshots__/test_probes")
    assert all("-lease_queue-" in path for path in found)
    assert len(found) == sum(outcomes(result).values()) >= 14
    packaged = ["--pyargs", "pytest_compaction.benchmark", *shipped]
    again = run(project, *packaged, compactor="forget")
    assert outcomes(again) == outcomes(result)
    assert snapshots(project, "__snapshots__/test_probes") == found


def test_long_ids_that_differ_at_their_end_have_files_of_their_own(project):
    long = own("noted", note="n" * 240)
    run(
        project, f"--compactor={long}", "--compaction-trials=2", "--snapshot-update", compactor=None
    ).assert_outcomes(passed=16)
    assert len(snapshots(project)) == 16
    assert run(project, f"--compactor={long}", "--compaction-trials=2", compactor=None).ret == 0


def test_without_syrupy_a_sentence_says_how_to_install_it(project):
    for workers in (0, 2):
        result = run(project, "-pno:syrupy", workers=workers)
        assert "--compaction-judge-snapshots needs the pytest plugin syrupy 7.0.1" in refused(
            result
        )
        assert "pip install 'syrupy>=7.0.1'" in flat(result.errlines)
