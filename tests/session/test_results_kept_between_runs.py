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


@pytest.mark.parametrize("workers", [0, pytest.param(2, marks=pytest.mark.exhaustive)])
def test_a_second_run_reads_nothing_anew_and_writes_the_same_bytes(project, workers):
    made, first = measured(project, workers)
    assert made["figures"] == 8
    assert set(made) == {"figures", "judge", "_answer", "_summary"}
    again, second = measured(project, workers)
    assert again == {}
    assert second == first


@pytest.mark.exhaustive
def test_a_run_with_workers_uses_what_a_run_without_them_found(project):
    _, first = measured(project, 0)
    again, second = measured(project, 2)
    assert again == {}
    assert second == first


@pytest.mark.exhaustive
def test_another_strategy_is_measured_and_not_taken_from_the_first(project):
    _, first = measured(project, 0)
    made, other = measured(project, 0, "--compactor=none")
    assert made["figures"] > 0
    assert other != first


@pytest.mark.exhaustive
def test_a_changed_fact_is_read_anew(project):
    measured(project, 0)
    case = project.path / "cases" / "first.json"
    text = case.read_text("utf-8")
    case.write_text(text.replace("restarts slowly", "restarts often"), "utf-8")
    assert text != case.read_text("utf-8")
    made, _ = measured(project, 0)
    assert made["figures"] == 4


def test_a_damaged_file_changes_no_figure(project):
    _, first = measured(project, 0)
    file = project.path / ".pytest_compaction" / "results" / "results.sqlite"
    file.write_bytes(b"no database")
    made, second = measured(project, 0)
    assert made["figures"] > 0
    assert second == first
