import pytest
from support.scenarios import case, lean, run_files, set_up, write_cases

ASKED = """
import pathlib
from pytest_compaction.models.offline import judge, model
from pytest_compaction.run.figures.view_figures import ViewReader

def counted(name, work):
    def counting(*args, **kwargs):
        with pathlib.Path("made.txt").open("a") as file:
            file.write(name + "\\n")
        return work(*args, **kwargs)
    return counting

ViewReader._made = counted("figures", ViewReader._made)
judge.judge = counted("judge", judge.judge)
for role in ("_answer", "_summary"):
    setattr(model.OfflineModel, role, counted(role, getattr(model.OfflineModel, role)))
"""
"""Counts from the start of a process: work may begin before the first item is set up."""


def measured(pytester, workers, *arguments):
    """How often each rule worked in a run, and the records that it wrote."""
    made = pytester.path / "made.txt"
    made.unlink(missing_ok=True)
    given = [*lean("cacheprovider"), "--compaction-answers", f"-n{workers}"]
    given += [] if any("--compactor" in one for one in arguments) else ["--compactor=regenerate"]
    pytester.runpytest_subprocess(*given, *arguments)
    lines = made.read_text().split() if made.exists() else []
    return {name: lines.count(name) for name in set(lines)}, run_files(pytester)[-1].read_text()


@pytest.fixture
def project(pytester):
    set_up(pytester)
    write_cases(pytester, *(case(id, budget=150) for id in ("first", "second")))
    pytester.makeconftest(ASKED)
    return pytester


def test_a_second_run_reads_nothing_anew_and_a_damaged_file_changes_no_figure(project):
    made, first = measured(project, 0)
    assert made["figures"] == 8
    assert set(made) == {"figures", "judge", "_answer", "_summary"}
    assert measured(project, 0) == ({}, first)
    file = project.path / ".pytest_compaction" / "results" / "results.sqlite"
    file.write_bytes(b"no database")
    made, second = measured(project, 0)
    assert made["figures"] > 0
    assert second == first


@pytest.mark.exhaustive
def test_results_are_shared_with_workers_and_another_strategy_or_fact_is_read_anew(project):
    _, first = measured(project, 2)
    assert measured(project, 2) == ({}, first)
    assert measured(project, 0) == ({}, first)
    made, other = measured(project, 0, "--compactor=none")
    assert made["figures"] > 0
    assert other != first
    case = project.path / "cases" / "first.json"
    text = case.read_text("utf-8")
    case.write_text(text.replace("restarts slowly", "restarts often"), "utf-8")
    assert text != case.read_text("utf-8")
    made, _ = measured(project, 0)
    assert made["figures"] == 4
