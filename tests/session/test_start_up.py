"""What a run does before its first item: no case is parsed that the index knows, in any process."""

import subprocess
import sys
from collections import Counter

import pytest
from support.scenarios import (
    case,
    flat,
    lean,
    node_ids,
    own,
    records,
    run,
    set_up,
    write_cases,
)
from support.worker_counts import BOTH

COUNTING = """
import os
from pytest_compaction.case import case_set, files

PROCESS = os.environ.get("PYTEST_XDIST_WORKER", "main")


def counted(module, name):
    real = getattr(module, name)

    def counting(*arguments):
        with open("counts.txt", "a") as file:
            file.write(f"{name} {PROCESS}\\n")
        return real(*arguments)

    setattr(module, name, counting)


counted(files, "schema_faults")
counted(case_set, "parsed")
counted(case_set, "read_json")
"""
"""In the project's conftest: counts checks, files parsed to collect, and cases parsed to run."""
CHANGING = """
def pytest_collection_finish(session):
    from pathlib import Path

    path = Path("cases/first.json")
    text = path.read_text().replace("broker restarts slowly", "broker is slow")
    if hasattr(session.config, "workerinput") or not session.config.option.numprocesses:
        path.write_text(text)
"""


@pytest.fixture
def project(pytester, monkeypatch):
    """A project with two cases that counts what its processes do."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    set_up(pytester)
    extend(pytester, COUNTING)
    return pytester


def extend(pytester, text):
    with (pytester.path / "conftest.py").open("a", encoding="utf-8") as file:
        file.write(text)


def counts(pytester, *arguments):
    """How often each process did what is counted, in a run of its own."""
    log = pytester.path / "counts.txt"
    log.write_text("")
    result = pytester.runpytest_subprocess(*lean(), f"--compactor={own('keep')}", *arguments)
    assert result.ret in {0, 1}, result.outlines
    return Counter(tuple(line.split()) for line in log.read_text().splitlines()), result


@BOTH
def test_a_case_is_parsed_to_collect_the_first_time_only_and_then_by_the_process_that_runs_it(
    project, workers
):
    cold, first = counts(project, "--collect-only", "-q", workers)
    assert cold == {("schema_faults", "main"): 2, ("parsed", "main"): 2}
    assert len(node_ids(first)) == 8
    ran, _ = counts(project, workers)
    assert {record["item"] for record in records(project).records} == set(node_ids(first))
    assert {name for name, _ in ran} == {"read_json"}
    assert ran.total() == 2
    assert ran["read_json", "main"] == (2 if workers == "-n0" else 0)


@pytest.mark.exhaustive
def test_only_the_controller_checks_what_no_index_has(project):
    found, _ = counts(project, "-n2")
    assert found["schema_faults", "main"] == found["parsed", "main"] == 2
    workers = {name for name, process in found if process != "main"}
    assert workers == {"read_json"}


@pytest.mark.exhaustive
def test_workers_need_no_index_that_can_be_read(project):
    folder = project.path / ".pytest_compaction"
    folder.mkdir()
    (folder / "index").write_text("a file, so no folder can be made here")
    for _ in range(2):
        found, result = counts(project, "-n2")
        assert found["schema_faults", "main"] == 2
        assert {name for name, process in found if process != "main"} == {"read_json"}
        assert "8 passed" in flat(result.outlines)


@BOTH
def test_a_file_that_changes_after_collection_fails_its_items_in_a_sentence(pytester, workers):
    set_up(pytester)
    run(pytester, "--collect-only", "-q", "-n0")
    extend(pytester, CHANGING)
    said = flat(run(pytester, workers).outlines)
    assert "4 passed, 4 errors" in said
    assert (
        "case file cases/first.json cannot be used: /: found another content than when the "
        "items were collected; expected a file that stays as it is while a run lasts"
    ) in said
    assert "Traceback" not in said


def test_a_named_file_that_the_index_knows_is_not_parsed_to_find_dialogues(pytester):
    arguments = ("--collect-only", "-q", "-n0", "--compaction-cases=cases/first.json")
    set_up(pytester)
    run(pytester, *arguments)
    dialogues = "from pytest_compaction.dialogues import files as dialogue_files\n"
    extend(pytester, f'{COUNTING}{dialogues}counted(dialogue_files, "read_json")\n')
    found, result = counts(pytester, *arguments)
    assert found == {}
    assert len(node_ids(result)) == 4


@pytest.mark.exhaustive
def test_two_runs_at_once_make_one_sound_index(project):
    command = [sys.executable, "-m", "pytest", *lean(), f"--compactor={own('keep')}", "--co", "-q"]
    write_cases(project, *(case(f"case-{number}") for number in range(20)))
    both = [
        subprocess.Popen(command, cwd=project.path, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    listed = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert "88 tests collected" in listed[0]
    assert "88 tests collected" in listed[1]
    warm, _ = counts(project, "--collect-only", "-q", "-n0")
    assert warm == {}


TAKES_ONE = """
    def test_other(case):
        pass
"""


def test_without_a_strategy_an_unknown_fixture_case_is_what_it_always_was(pytester):
    pytester.makepyfile(TAKES_ONE)
    result = run(pytester, "-n0", compactor=None)
    assert "fixture 'case' not found" in flat(result.outlines)
    assert "benchmark" not in flat(result.outlines)


def test_beside_a_benchmark_a_test_that_asks_for_case_alone_is_told_what_it_lacks(pytester):
    set_up(pytester, "first")
    module = pytester.makepyfile(test_other=TAKES_ONE)
    result = run(pytester, "-n0", module.name)
    said = flat(result.outlines)
    assert "fixture 'case' not found: a benchmark gives it a value only in a test" in said
    assert "asks for 'probe' too and provides neither" in said


def test_the_users_own_fixture_or_parametrization_wins(pytester):
    set_up(pytester, "first")
    module = pytester.makepyfile(
        test_other="""
        import pytest

        @pytest.fixture
        def mine(case):
            return case

        class TestOwn:
            @pytest.fixture
            def case(self):
                return "own case"

            @pytest.fixture
            def probe(self):
                return "own probe"

            def test_fixtures(self, case, probe, mine):
                assert (case, probe, mine) == ("own case", "own probe", "own case")

        @pytest.mark.parametrize(("case", "probe"), [("a", "b")])
        def test_parameters(case, probe, mine):
            assert (case, probe, mine) == ("a", "b", "a")

        @pytest.fixture(scope="module")
        def title(case, probe):
            return f"{case.id} {probe.id} {len(case.messages)} {probe.facts[0].text}"

        def test_through_another(title):
            assert title == "first decided 8 the broker restarts slowly"
        """
    )
    result = run(pytester, "-n0", module.name, "-v", "-k", "own or parameters or decided")
    result.assert_outcomes(passed=3, deselected=3)
