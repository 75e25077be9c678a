"""Dialogues as items: which there are, where they come from, and how they are chosen."""

import pytest
from support.dialogue_project import TALKS, project
from support.paths import CASES
from support.scenarios import case, failure, flat, records, run, set_up
from support.scenarios import write_cases as write_case_files
from support.talks import chat, talk
from support.worker_counts import BOTH

BENCHMARK = CASES / "test_dialogues.py"


def ids(pytester):
    return [record["item"].partition("[")[2].rstrip("]") for record in records(pytester).records]


def test_a_dialogue_file_on_the_command_line_is_all_that_is_needed(pytester):
    project(pytester)
    result = run(pytester, TALKS, compactor="keep")
    result.assert_outcomes(passed=3)
    assert ids(pytester) == [
        "strategies:keep-CM_1",
        "strategies:keep-GR_2",
        "strategies:keep-SA_3",
    ]
    assert {r["item"].partition("[")[0] for r in records(pytester).records} == {
        "pytest_compaction/benchmark/test_dialogues.py::test_dialogue"
    }


def test_without_dialogue_files_nothing_of_dialogues_appears(pytester):
    place = set_up(pytester, "first")
    (place / "test_dialogues.py").write_text(BENCHMARK.read_text())
    (place / "test_probes.py").write_text((BENCHMARK.parent / "test_probes.py").read_text())
    result = run(pytester, compactor="keep")
    result.assert_outcomes(passed=4)
    begin = result.outlines.index("collected 4 items")
    assert "ialogue" not in "\n".join(result.outlines[begin:])
    assert "dialogues" not in records(pytester).header


def test_a_test_over_dialogues_alone_has_nothing_to_run_without_a_file(pytester):
    place = set_up(pytester, "first")
    (place / "test_dialogues.py").write_text(BENCHMARK.read_text())
    result = run(pytester, "cases/test_dialogues.py", compactor="keep")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_test_over_probes_has_nothing_to_run_with_dialogues_alone(pytester):
    project(pytester)
    for name in ("test_dialogues.py", "test_probes.py"):
        (pytester.path / "cases" / name).write_text((BENCHMARK.parent / name).read_text())
    result = run(pytester, TALKS, "cases", compactor="keep")
    result.assert_outcomes(passed=3)
    assert "collected 3 items" in result.outlines


def test_the_module_of_the_benchmark_runs_where_it_lies(pytester):
    project(pytester)
    (pytester.path / "cases" / "test_dialogues.py").write_text(BENCHMARK.read_text())
    result = run(pytester, TALKS, "--compaction-cases=cases", "-v", compactor="keep")
    assert "cases/test_dialogues.py::test_dialogue[strategies:keep-CM_1] PASSED 0.9" in str(
        result.stdout
    )


def test_cases_and_dialogues_can_be_measured_in_one_run(pytester):
    project(pytester)
    write_case_files(pytester, case("first"))
    result = run(pytester, TALKS, "--compaction-cases=cases", compactor="keep")
    result.assert_outcomes(passed=7)
    assert "Pass^1  100.0% (4 of 4 items)" in str(result.stdout)
    assert "strategies:keep: 3 dialogues, 3 passed, 0 failed" in result.outlines


def test_without_a_compactor_dialogues_are_deselected_with_one_line(pytester):
    project(pytester)
    (pytester.path / "cases" / "test_dialogues.py").write_text(BENCHMARK.read_text())
    result = run(pytester, TALKS, "cases", compactor=None)
    result.assert_outcomes(deselected=1)
    assert "compaction: 1 benchmark test deselected; name a strategy" in flat(result.outlines)


@BOTH
def test_a_broken_line_is_one_failing_item_and_the_others_run(pytester, workers):
    project(pytester, talk(1), talk(2, task="XX"), '{"task": ', talk(4))
    result = run(pytester, workers, TALKS, compactor="keep")
    result.assert_outcomes(passed=2, failed=2)
    shown = failure(result, "broken-1-talks.jsonl_2")
    assert shown[0] == "dialogue talks.jsonl:2 cannot be used:"
    assert shown[1].startswith("  /task: found 'XX'; expected one of AR, CC,")
    assert len(shown) <= 4
    assert "talks.jsonl:3 cannot be used" in str(result.stdout)
    assert ids(pytester) == ["strategies:keep-CM_1", "strategies:keep-CM_4"]


def test_tasks_and_a_limit_choose_dialogues(pytester):
    project(pytester, *(talk(n, 2, task) for n, task in enumerate(("GR", "SA", "GR", "SC", "GR"))))
    run(pytester, TALKS, "--compaction-tasks=GR,SC", "--compaction-limit=2", compactor="keep")
    assert [id.rpartition("-")[2] for id in ids(pytester)] == ["GR_0", "GR_2", "SC_3"]
    run(pytester, TALKS, "--compaction-tasks=SA", "--compaction-tasks=sc", compactor="keep")
    assert [id.rpartition("-")[2] for id in ids(pytester)] == ["SA_1", "SC_3"]


def test_an_unknown_task_ends_the_run_with_those_that_there_are(pytester):
    project(pytester)
    result = run(pytester, TALKS, "--compaction-tasks=GX", compactor="keep")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--compaction-tasks=GX: no dialogue has this task; there are CM" in str(result.stderr)


def test_a_wrong_first_line_and_ids_in_any_script_are_no_obstacle(pytester):
    values = [talk(id, task="GR") for id in ("对话一", "对话二", "a b", "a-b", 5)]
    project(pytester, '{"task": "GR", "id": 1}', *values)
    result = run(pytester, TALKS, compactor="keep")
    result.assert_outcomes(passed=5, failed=1)
    shown = failure(result, "broken-1-talks.jsonl_1")
    assert shown[0] == "dialogue talks.jsonl:1 cannot be used:"
    assert len({record["case"] for record in records(pytester).records}) == 5


def test_a_test_of_ones_own_over_dialogues_needs_no_strategy_fixture(pytester):
    project(pytester, talk(1), chat(3))
    pytester.makepyfile(
        test_own="""
        def test_it_has_turns(dialogue):
            assert len(dialogue.turns) > 1
        """
    )
    result = run(pytester, "-v", TALKS, "test_own.py", compactor="keep")
    result.assert_outcomes(passed=2)
    assert "test_own.py::test_it_has_turns[CM_1]" in str(result.stdout)


def test_a_fixture_named_dialogue_of_ones_own_is_left_alone(pytester):
    project(pytester)
    pytester.makepyfile(
        test_own="""
        import pytest

        @pytest.fixture
        def dialogue():
            return "mine"

        def test_mine(dialogue):
            assert dialogue == "mine"
        """
    )
    run(pytester, TALKS, "test_own.py", compactor="keep").assert_outcomes(passed=1)


def test_items_of_dialogues_are_chosen_like_any_other(pytester):
    project(pytester)
    run(pytester, TALKS, "-m", "compaction(task='GR')", compactor="keep").assert_outcomes(
        passed=1, deselected=2
    )
    run(pytester, TALKS, "::test_dialogue[strategies:keep-CM_1]", compactor="keep").assert_outcomes(
        passed=1
    )
    assert ids(pytester) == ["strategies:keep-CM_1"]
