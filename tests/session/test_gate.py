"""The gate: what makes a run red or green, and the line that says so."""

from xml.etree import ElementTree

import pytest
from support.scenarios import (
    PROBES,
    case,
    last_line,
    own,
    records,
    run,
    run_files,
    set_up,
    write_cases,
)
from support.worker_counts import BOTH

from pytest_compaction.cli import main

OK, FAILED = pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED
HALF = "forget_limit"
"""A strategy that scores 2.50 overall: half of its items are below the pass score."""


def gate(*expressions):
    return [f"--compaction-threshold={expression}" for expression in expressions]


@BOTH
def test_a_threshold_decides_and_not_the_single_item(pytester, workers):
    set_up(pytester)
    result = run(pytester, workers, *gate("overall>=2.4", "pass^1>=50%"), compactor=HALF)
    result.assert_outcomes(passed=4 + 2, failed=0)
    result.stdout.fnmatch_lines(["*6 passed, 4 below 3.5 in *"])
    assert result.ret == OK
    assert last_line(result) == (
        "GATE PASSED overall 2.50 >= 2.40, pass^1 0.50 >= 0.50 · on 8 of 8 items · "
        "4 items below 3.5"
    )
    result = run(pytester, workers, *gate("overall>=3.5", "artifact>=5"), compactor=HALF)
    result.assert_outcomes(passed=4 + 1, failed=1)
    assert result.ret == FAILED
    assert last_line(result) == "GATE FAILED overall 2.50 < 3.50 · on 8 of 8 items"


@BOTH
def test_each_rule_is_a_test_that_says_the_figure_its_interval_and_the_lowest_items(
    pytester, workers
):
    set_up(pytester)
    arguments = ["-v", workers, "--junitxml=junit.xml", *gate("overall>=3.5", "artifact>=5")]
    result = run(pytester, *arguments, compactor=HALF)
    result.stdout.fnmatch_lines(
        [
            "*BELOW 0.0/5*",
            "*compaction::overall>=3.5*",
            "*compaction::artifact>=5*",
            "*_ overall>=3.5  _*",
            "overall 2.50 < 3.50",
            "the items that weigh most:",
            "  0.00 first-decided: * dropped: *",
            "  0.00 second-limit: 1 of 1 dropped: 45; stale: *",
            "FAILED compaction::overall>=3.5 - overall 2.50 < 3.50*",
        ]
    )
    assert "_ artifact>=5 _" not in str(result.stdout)
    assert "5.00 first-files" not in str(result.stdout)
    cases = ElementTree.parse(pytester.path / "junit.xml").getroot().iter("testcase")
    by_name = {one.get("name"): [child.tag for child in one] for one in cases}
    assert by_name.pop("overall>=3.5") == ["failure"]
    assert by_name.pop("artifact>=5") == []
    assert len(by_name) == 8
    assert {tag for tags in by_name.values() for tag in tags} == {"properties"}


def test_a_rule_that_fails_is_not_remembered_in_place_of_items(pytester):
    set_up(pytester)
    run(pytester, *gate("overall>=3.5"), compactor=HALF, cache=True)
    again = run(pytester, "--lf", *gate("overall>=3.5"), compactor=HALF, cache=True)
    assert again.parseoutcomes()["below"] == 4


def test_without_a_threshold_the_exit_code_is_pytests_own_and_no_gate_is_named(pytester):
    set_up(pytester)
    green = run(pytester)
    red = run(pytester, compactor=HALF)
    assert (green.ret, red.ret) == (OK, FAILED)
    assert "GATE" not in str(green.stdout) + str(red.stdout)


def test_a_failing_test_of_another_kind_is_red_whatever_the_threshold_says(pytester):
    place = set_up(pytester)
    place.joinpath("test_own.py").write_text(
        "def test_probe(case, probe, compactor, judge):\n"
        "    judge(probe, compactor(case).ask(probe)).check()\n"
        "    assert (case.id, probe.id) != ('first', 'files'), 'of my own'\n"
        "def test_other():\n"
        "    assert 1 == 2\n"
    )
    result = run(pytester, *gate("overall>=1"))
    result.assert_outcomes(passed=7 + 1, failed=2)
    assert result.ret == FAILED
    assert last_line(result) == (
        "GATE FAILED 2 failed for another reason than the score · on 8 of 8 items"
    )
    (broken,) = [r for r in records(pytester).records if "error" in r]
    assert broken["error"]["phase"] == "call"
    assert broken["error"]["reason"].startswith("AssertionError: of my own")
    assert (broken["status"], broken["overall"]) == ("passed", 5.0)
    assert broken["facts"][0]["survived"]


def test_a_fixture_that_fails_before_or_after_an_item_is_red(pytester):
    place = set_up(pytester, "first")
    place.joinpath("test_own.py").write_text(
        "import pytest\n"
        "@pytest.fixture\n"
        "def around(probe):\n"
        "    assert probe.id != 'next', 'before'\n"
        "    yield\n"
        "    assert probe.id != 'limit', 'after'\n"
        "def test_probe(case, probe, compactor, judge, around):\n"
        "    judge(probe, compactor(case).ask(probe)).check()\n"
    )
    result = run(pytester, *gate("overall>=1"))
    result.assert_outcomes(passed=3 + 1, errors=2)
    assert result.ret == FAILED
    assert last_line(result) == (
        "GATE FAILED 2 failed for another reason than the score · on 3 of 4 items"
    )
    by_probe = {record["probe"]: record["status"] for record in records(pytester).records}
    assert by_probe == {"limit": "passed", "next": "error", "files": "passed", "decided": "passed"}


TEARDOWN_FAILS = """
import pytest

@pytest.fixture
def around(probe):
    yield
    assert probe.id != "limit", "after"

def test_probe(case, probe, compactor, judge, around):
    judge(probe, compactor(case).ask(probe)).check()
"""


@BOTH
@pytest.mark.parametrize(("compactor", "status"), [("keep", "passed"), (HALF, "failed")])
def test_a_failing_teardown_keeps_the_verdict_and_is_red_whatever_the_mean(
    pytester, workers, compactor, status
):
    place = set_up(pytester, "first")
    run(pytester, workers, compactor=compactor)
    (verdict,) = [r for r in records(pytester).records if r["probe"] == "limit"]
    place.joinpath("test_own.py").write_text(TEARDOWN_FAILS)
    result = run(pytester, workers, *gate("overall>=1"), compactor=compactor)
    assert result.ret == FAILED
    assert result.parseoutcomes()["errors"] == 1
    assert last_line(result) == (
        "GATE FAILED 1 failed for another reason than the score · on 4 of 4 items"
    )
    result.stdout.fnmatch_lines(["1 went wrong after the verdict, which counts*"])
    by_probe = {record["probe"]: record for record in records(pytester).records}
    kept = by_probe.pop("limit")
    error = kept.pop("error")
    assert error["phase"] == "teardown"
    assert error["reason"].startswith("AssertionError: after")
    assert kept["status"] == status
    verdict["item"] = kept["item"]
    assert kept == verdict
    assert not any("error" in record for record in by_probe.values())


def test_a_failing_teardown_does_not_hide_why_the_call_failed(pytester):
    place = set_up(pytester, "first")
    place.joinpath("test_own.py").write_text(
        TEARDOWN_FAILS.replace("    judge(", "    assert probe.id != 'limit', 'during'\n    judge(")
    )
    result = run(pytester)
    result.assert_outcomes(passed=3, failed=1, errors=1)
    (record,) = [r for r in records(pytester).records if r["probe"] == "limit"]
    assert record["status"] == "error"
    assert record["reason"].startswith("AssertionError: during")
    assert record["error"]["reason"].startswith("AssertionError: after")


@BOTH
def test_a_broken_case_is_red_whatever_the_threshold_says(pytester, workers):
    set_up(pytester)
    write_cases(pytester, case("broken", window=0))
    result = run(pytester, workers, *gate("overall>=1"), compactor=HALF)
    assert result.ret == FAILED
    assert last_line(result) == (
        "GATE FAILED 1 failed for another reason than the score · on 8 of 8 items in 2 of 3 cases"
    )


def test_a_module_that_cannot_be_imported_is_red_and_never_measured(pytester):
    place = set_up(pytester, "first")
    place.joinpath("test_own.py").write_text("import no_such_module\n")
    result = run(pytester, *gate("overall>=0"))
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "GATE PASSED" not in str(result.stdout)
    result.stdout.fnmatch_lines(["nothing was measured: no benchmark item has a verdict"])


@pytest.mark.parametrize(
    ("compactor", "scope", "said"),
    [
        (own("noted", note="a"), own("noted"), f"did you mean overall@{own('noted', note='a')}?"),
        (
            "roo:version=1",
            "roo",
            "did you mean overall@roo:version=1? the run has roo:version=1",
        ),
        ("roo:version=1,truncate", "absent", "the run has roo:version=1, truncate"),
    ],
)
def test_a_threshold_for_a_strategy_not_in_the_run_is_a_usage_error_that_lists_the_names(
    pytester, compactor, scope, said
):
    set_up(pytester, "first")
    rules = gate("overall>=0", f"overall@{scope}>=5")
    result = run(pytester, f"--compactor={compactor}", *rules, compactor=None)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"the threshold overall@{scope}>=5 names a strategy that is not in the run" in str(
        result.stderr
    )
    assert said in str(result.stderr)


def configured(pytester, *rules, **more):
    set_up(pytester, "first")
    lines = [f"compaction_threshold = {list(rules)!r}", *(f"{k} = {v!r}" for k, v in more.items())]
    pytester.path.joinpath("pyproject.toml").write_text("\n".join(["[tool.pytest]", *lines]))


@BOTH
def test_a_configured_threshold_for_another_strategy_is_left_out_with_a_line(pytester, workers):
    configured(pytester, "overall>=1", "overall@anchored>=5", f"overall@{own('noted')}-b100>=5")
    result = run(pytester, workers)
    assert result.ret == OK
    result.stdout.fnmatch_lines(
        [
            "thresholds of the configuration left out, for strategies that are not in the run: "
            f"overall@anchored>=5, overall@{own('noted')}-b100>=5"
        ]
    )
    assert last_line(result).startswith("GATE PASSED overall 5.00 >= 1.00")
    assert records(pytester).header["settings"]["thresholds"] == ["overall>=1"]
    assert main(["gate", str(run_files(pytester)[-1])]) == 0


@BOTH
def test_a_run_whose_rules_are_all_left_out_has_no_gate_and_says_so(pytester, workers):
    configured(pytester, "overall@anchored>=1")
    result = run(pytester, workers, compactor="forget")
    assert result.ret == FAILED
    result.stdout.fnmatch_lines(
        [
            "threshold of the configuration left out, for strategies that are not in the run: "
            "overall@anchored>=1; no rule is left, so items below 3.5 fail"
        ]
    )
    assert result.parseoutcomes()["failed"] == len(PROBES)
    assert "GATE" not in last_line(result)


@pytest.mark.parametrize("scope", ["anchord", "strategies"])
def test_a_configured_threshold_for_a_name_that_no_strategy_has_is_refused(pytester, scope):
    configured(pytester, f"overall@{scope}>=1")
    result = run(pytester)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*overall@{scope}>=1 names a strategy that is not in the run*"])


def test_the_control_is_run_for_kept_and_is_not_gated(pytester):
    set_up(pytester)
    arguments = ["--compaction-control", *gate("kept>=0.5", "removed>=0.2")]
    result = run(pytester, *arguments, compactor=HALF)
    assert result.ret == OK
    assert last_line(result) == (
        "GATE PASSED kept 0.50 >= 0.50, removed 0.27 >= 0.20 · on 16 of 16 items · "
        "4 items below 3.5"
    )


@BOTH
def test_a_run_that_was_stopped_early_is_undecided_and_red(pytester, workers):
    place = set_up(pytester)
    place.joinpath("test_own.py").write_text(
        "def test_probe(case, probe, compactor, judge):\n"
        "    judge(probe, compactor(case).ask(probe)).check()\n"
        "    assert probe.id != 'next'\n"
    )
    result = run(pytester, workers, "-x", *gate("overall>=0.1"))
    assert result.ret != OK
    assert last_line(result).startswith("UNDECIDED the run ")
    assert "GATE PASSED" not in str(result.stdout)
    why = "overall>=0.1: undecided, the run was stopped before all items ran"
    result.stdout.fnmatch_lines([why, "ERROR compaction::overall>=0.1 - overall>=0.1: undecided*"])


@BOTH
def test_an_item_below_the_pass_score_stops_no_run_that_has_a_gate(pytester, workers):
    set_up(pytester)
    result = run(pytester, workers, "-x", *gate("overall>=0.1"), compactor=HALF)
    assert result.ret == OK
    assert result.parseoutcomes()["below"] == 4


def test_an_interrupted_run_is_undecided_and_keeps_pytests_exit_code(pytester):
    place = set_up(pytester)
    place.joinpath("test_own.py").write_text(
        "def test_probe(case, probe, compactor, judge):\n"
        "    judge(probe, compactor(case).ask(probe)).check()\n"
        "    if probe.id == 'next':\n"
        "        raise KeyboardInterrupt\n"
    )
    result = run(pytester, *gate("overall>=1"), no_reraise_ctrlc=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert last_line(result).startswith("UNDECIDED the run did not finish · on ")


@BOTH
def test_a_rule_without_records_is_red_be_there_no_item_or_every_one_skipped(pytester, workers):
    place = set_up(pytester)
    nothing = "nothing was measured · on 0 of 8 items in 0 of 2 cases"
    result = run(pytester, workers, "-k", "nothing_like_it", *gate("overall>=0"))
    result.stdout.fnmatch_lines(["nothing was measured: no benchmark item has a verdict"])
    assert (result.ret, last_line(result)) == (FAILED, f"GATE FAILED overall: {nothing}")
    (place / "test_own.py").write_text(
        "import pytest\n"
        "def test_probe(case, probe, compactor, judge):\n"
        "    pytest.skip('not today')\n"
    )
    rules = gate("pass^1>=0", "removed>=0")
    result = run(pytester, workers, *rules)
    result.assert_outcomes(skipped=8, failed=2)
    line = "GATE FAILED pass^1: nothing was measured, removed: "
    assert (result.ret, last_line(result)) == (FAILED, f"{line}{nothing}")


def test_a_strategy_of_the_run_without_a_record_fails_the_rules_for_all(pytester):
    set_up(pytester)
    both = f"--compactor={own('keep')},{own(HALF)}"
    result = run(pytester, both, "-k", "keep", *gate("overall>=0"), compactor=None)
    assert result.ret == FAILED
    said = "overall@strategies:forget_limit: nothing was measured"
    assert last_line(result) == f"GATE FAILED {said} · on 8 of 16 items"


def test_quiet_runs_end_with_the_gate_too(pytester):
    set_up(pytester, "first")
    result = run(pytester, "-qq", *gate("overall>=4"), compactor=HALF)
    assert last_line(result) == "GATE FAILED overall 2.50 < 4.00 · on 4 of 4 items"


@pytest.mark.parametrize("listing", ["--collect-only", "--fixtures"])
def test_listing_items_or_fixtures_measures_and_gates_nothing(pytester, listing):
    set_up(pytester, "first")
    result = run(pytester, listing, *gate("overall>=5"))
    assert result.ret == OK
    assert "nothing was measured: no benchmark item has a verdict" not in str(result.stdout)
    assert not any(line.casefold().startswith(("gate", "no gate")) for line in result.outlines)
    assert not (pytester.path / ".pytest_compaction" / "runs").exists()


@BOTH
def test_naming_a_module_without_benchmark_items_fails_the_rules_and_none_lifts_them(
    pytester, workers
):
    set_up(pytester, "first")
    pytester.makepyfile(test_mine="def test_mine(): pass")
    (pytester.path / "pytest.ini").write_text("[pytest]\ncompaction_threshold = overall>=5\n")
    result = run(pytester, workers, "test_mine.py")
    assert result.ret == FAILED
    assert last_line(result) == (
        "GATE FAILED overall: nothing was measured · on 0 of 4 items in 0 of 1 case"
    )
    result = run(pytester, workers, "test_mine.py", *gate("none"))
    assert (result.ret, "GATE" in str(result.stdout)) == (OK, False)
