"""Judge snapshots: accepted verdicts stay; verdicts that moved fail and say what moved."""

import json
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import (
    builders,  # noqa: F401 (the Hypothesis profile)
    scenarios,
)
from support.scenarios import PROBES, case, failure, flat, own, records, set_up, write_cases

from pytest_compaction.judges.snapshots import (
    Tolerance,
    has_moved,
    movements,
    read_snapshot,
    snapshot_of,
    snapshot_text,
)
from pytest_compaction.judges.verdict import FactOutcome, Verdict
from pytest_compaction.models.protocol import CriterionScore

JUDGE = '''
"""A judge that scores as the file ``shift.json`` says."""

import json
from dataclasses import replace
from pathlib import Path

from pytest_compaction.models.offline.model import OfflineModel
from pytest_compaction.models.protocol import JudgeReply, ModelError

SHIFT = Path(__file__).with_name("shift.json")


class Shifted(OfflineModel):
    name = "shifted"

    async def judge(self, request):
        reply = await super().judge(request)
        shift = json.loads(SHIFT.read_text()) if SHIFT.exists() else {}
        if request.kind in shift.get("refuses", ()):
            return JudgeReply(unscored="the judge refused")
        if shift.get("dead"):
            raise ModelError("the endpoint refused the connection")
        criteria = tuple(
            replace(
                score,
                score=max(0.0, min(5.0, 4.0 + shift.get(score.id, shift.get("all", 0)))),
                reasoning=shift.get("says", score.reasoning),
            )
            for score in reply.criteria
        )
        hit = tuple(True for _ in reply.hit) if shift.get("hit") else reply.hit
        stated = tuple(False for _ in reply.stated) if shift.get("misses") else reply.stated
        return JudgeReply(criteria, stated, hit)


def pytest_compaction_models(config):
    return {"shifted": Shifted()}
'''


@pytest.fixture(autouse=True)
def no_worker(monkeypatch):
    """Let inner runs report their snapshots even if this test runs on a worker."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.delenv("PYTEST_XDIST_WORKER_COUNT", raising=False)


@pytest.fixture
def project(pytester):
    """Two cases, a judge that can be shifted, and no test module."""
    set_up(pytester)
    pytester.makeconftest(JUDGE)
    return pytester


def run(pytester, *arguments, workers=0, compactor="keep", flag=True, judge="shifted"):
    given = ["-pno:hypothesispytest", "-pno:anyio", "-pno:cacheprovider", f"-n{workers}"]
    given += [f"--compactor={own(compactor)}"] if compactor else []
    given += ["--compaction-judge-snapshots"] if flag else []
    return pytester.runpytest_inprocess(*given, f"--compaction-judge={judge}", *arguments)


def shift(pytester, **how):
    (pytester.path / "shift.json").write_text(json.dumps(how), "utf-8")


def snapshots(pytester, folder="cases"):
    """The bytes of all snapshot files by name."""
    found = (pytester.path / folder).rglob("*.judge.json")
    return {path.relative_to(pytester.path).as_posix(): path.read_bytes() for path in found}


def file_of(probe, case="first", compactor="keep", module="test_probes", test="test_probe"):
    slug = f"strategies%3A{compactor}"
    return f"cases/__snapshots__/{module}/{test}[{slug}-{case}-{probe}].judge.json"


def outcomes(result):
    """The outcomes of the items that were not deselected."""
    return {name: n for name, n in result.parseoutcomes().items() if name != "deselected"}


def statuses(pytester):
    return {record["snapshot"] for record in records(pytester).records}


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
    assert result.parseoutcomes() == {"failed": 5, "unscored": 2}
    result.stdout.fnmatch_lines(["*1 snapshot unused."])
    assert scenarios.last_line(result).startswith(
        "GATE FAILED unscored 2 > 0 · 5 failed for another reason than the score · "
        "1 snapshot unused"
    )
    assert f"  {file_of('limit', 'second')}" in result.outlines
    by_item = {(r["case"], r["probe"]): r.get("snapshot") for r in records(project).records}
    assert by_item["first", "next"] == "missing"
    assert by_item["first", "limit"] == by_item["second", "decided"] == "moved"
    assert by_item["first", "files"] is by_item["second", "files"] is None
    assert len(snapshots(project)) == 7


def test_a_verdict_beyond_the_tolerance_fails_with_what_moved(project):
    run(project, "--snapshot-update")
    accepted = snapshots(project)
    shift(project, accuracy_factual=-3, says="It \x1b[2J says 30.", hit=True, misses=True)
    result = run(project, "-k", "first-limit")
    result.assert_outcomes(failed=1)
    text = flat(failure(result, f"{own('keep')}-first-limit"))
    begin = "the verdict moved from its snapshot: 4.00 -> 3."
    assert text.startswith(begin)
    assert "(tolerated: 0.5 overall, 1 per criterion)" in text
    assert "accuracy_factual 4 -> 1 was: " in text
    assert r"now: It \x1b[2J says 30. " in text
    assert "fact no longer stated: 45" in text
    assert "stale value now hit: the retry limit is 30" in text
    assert "the answer changed" not in text
    assert text.endswith(f"accept it with --snapshot-update: {file_of('limit')}")
    assert "\x1b" not in str(result.stdout)
    assert statuses(project) == {"moved"}
    assert snapshots(project) == accepted
    run(project, "--snapshot-update").assert_outcomes(passed=8)
    assert snapshots(project) != accepted
    run(project).assert_outcomes(passed=8)


def test_a_verdict_within_the_tolerance_passes_and_keeps_its_file(project):
    run(project, "--snapshot-update")
    accepted = snapshots(project)
    shift(project, accuracy_factual=-1, says="Another wording.", hit=True)
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
    assert "overall 4.00 -> 1.00" in text
    assert "overall 1.00 is below the pass score 3.50" in text
    run(project, "--snapshot-update").assert_outcomes(failed=8)
    result = run(project)
    result.assert_outcomes(failed=8)
    result.stdout.fnmatch_lines(["8 snapshots passed."])
    assert "moved from its snapshot" not in str(result.stdout)


def test_no_good_average_outvotes_a_verdict_that_moved(project):
    gate = "--compaction-threshold=overall>=0"
    run(project, "--snapshot-update")
    shift(project, all=-3)
    result = run(project, gate)
    assert result.ret == 1
    assert "GATE FAILED 8 failed for another reason than the score" in str(result.stdout)
    result = run(project, gate, "--snapshot-update")
    assert result.ret == 0
    assert "GATE PASSED" in str(result.stdout)


@pytest.mark.parametrize("workers", [0, 2])
def test_no_good_average_outvotes_a_snapshot_that_nothing_uses(project, workers):
    gate = "--compaction-threshold=overall>=0"
    run(project, "--snapshot-update")
    (project.path / "cases/second.json").unlink()
    result = run(project, gate, workers=workers)
    result.assert_outcomes(passed=4)
    assert result.ret == 1
    assert scenarios.last_line(result) == "GATE FAILED 4 snapshots unused"
    said = "4 snapshots are used by nothing in this run; --snapshot-update removes:"
    place = result.outlines.index(said)
    names = sorted(file_of(probe, "second") for probe in PROBES)
    assert result.outlines[place + 1 : place + 5] == [f"  {name}" for name in names]
    if workers:
        return
    assert scenarios.last_line(run(project, gate, "-q", "-q")) == "GATE FAILED 4 snapshots unused"
    assert run(project).ret == 1, "as without a gate"
    warned = run(project, gate, "--snapshot-warn-unused")
    assert warned.ret == 0
    assert said in warned.outlines
    updated = run(project, gate, "--snapshot-update")
    assert updated.ret == 0
    assert said not in updated.outlines
    assert run(project, gate).ret == 0


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
        assert result.parseoutcomes() == {"unscored": 8}
        assert result.ret == 1
        assert snapshots(project) == accepted


def test_a_snapshot_that_nothing_uses_any_more_is_reported_and_removed_on_update(project):
    run(project, "--snapshot-update")
    gone = case("first")
    gone["probes"] = [probe for probe in gone["probes"] if probe["id"] != "limit"]
    write_cases(project, gone)
    (project.path / "cases/second.json").unlink()
    for more in ((), ("--compaction-cases=cases",)):
        result = run(project, "--snapshot-details", *more)
        assert result.ret == 1
        result.stdout.fnmatch_lines(["*5 snapshots unused.", "Unused*first-limit*"])
    assert len(snapshots(project)) == 8
    run(project, "--snapshot-update")
    assert sorted(snapshots(project)) == sorted(file_of(p) for p in PROBES if p != "limit")
    assert run(project).ret == 0


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


def test_nothing_counts_as_gone_while_a_case_file_is_broken(project):
    run(project, "--snapshot-update")
    (project.path / "cases/second.json").write_text("{", "utf-8")
    result = run(project, "--snapshot-update")
    result.assert_outcomes(passed=4, failed=1)
    assert len(snapshots(project)) == 8


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
    result = run(project, *where, "--snapshot-update", workers=2)
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
    assert len(found) == sum(outcomes(result).values()) == 15
    packaged = ["--pyargs", "pytest_compaction.benchmark", *shipped]
    again = run(project, *packaged, compactor="forget")
    assert outcomes(again) == outcomes(result)
    assert snapshots(project, "__snapshots__/test_probes") == found
    name, data = next(iter(found.items()))
    gone = data.replace(b'"case": "', b'"case": "no_')
    (project.path / name.replace("-lease_queue-", "-no_lease_queue-")).write_bytes(gone)
    result = run(project, *shipped, compactor="forget")
    result.stdout.fnmatch_lines(["*1 snapshot unused."])


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
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert "--compaction-judge-snapshots needs the pytest plugin syrupy 7.0.1" in flat(
            result.errlines
        )
        assert "pip install 'syrupy>=7.0.1'" in flat(result.errlines)


# --- what moved between two ------------------------------------------------------------

SCORES = st.floats(0, 5).map(lambda score: round(score, 2))
WORDS = st.text(max_size=12)
VERDICTS = st.builds(
    lambda criteria, overall, facts, traps, response: Verdict(
        tuple(CriterionScore(id, score, said) for id, (score, said) in criteria.items()),
        {"accuracy": overall},
        overall,
        tuple(FactOutcome(text, True, used) for text, used in facts.items()),
        tuple(traps.items()),
        3.5,
        response,
    ),
    st.dictionaries(st.sampled_from("abcdefgh"), st.tuples(SCORES, WORDS), max_size=8),
    SCORES,
    st.dictionaries(WORDS, st.booleans(), max_size=3),
    st.dictionaries(WORDS, st.booleans(), max_size=3),
    st.text(max_size=300),
)


@given(VERDICTS)
def test_a_snapshot_survives_its_file_and_is_not_moved_from_itself(verdict):
    snapshot = snapshot_of(verdict)
    text = snapshot_text(snapshot)
    assert read_snapshot(text) == snapshot
    assert all(line.isprintable() for line in text.split("\n"))
    assert not has_moved(snapshot, snapshot, Tolerance(0, 0))
    assert movements(snapshot, snapshot) == []


@given(VERDICTS, VERDICTS, SCORES, SCORES)
def test_what_moved_is_said_whichever_way_it_moved(one, other, overall, criterion):
    old, new = snapshot_of(one), snapshot_of(other)
    tolerance = Tolerance(overall, criterion)
    assert has_moved(old, new, tolerance) == has_moved(new, old, tolerance)
    if has_moved(old, new, tolerance):
        assert movements(old, new)
        assert has_moved(old, new, Tolerance(0, 0))
    assert all(line.isprintable() for line in movements(old, new))


def test_long_texts_are_shown_from_where_they_part():
    def says(end):
        return snapshot_of(Verdict((), {"accuracy": 4.0}, 4.0, (), (), 3.5, "word " * 60 + end))

    assert movements(says("45 it is."), says("30 it is.")) == [
        "the answer changed as well",
        "  was: …" + "word " * 6 + "45 it is.",
        "  now: …" + "word " * 6 + "30 it is.",
    ]
