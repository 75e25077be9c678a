"""What an older version left in a project is read as before, or refused with what renews it."""

import re

import pytest
from older.material import copy_of_project, unpacked
from support.scenarios import flat, lean, records

from pytest_compaction.cli import main
from pytest_compaction.options.names import REMOVED


@pytest.fixture
def project(pytester):
    """The project with all that runs of then left in it, but for their ini file."""
    copy_of_project(pytester.path)
    unpacked("left.tar.xz", pytester.path)
    (pytester.path / "pyproject.toml").rename(pytester.path / "of_then.toml")
    return pytester


def run(project, *arguments, needed=()):
    return project.runpytest_inprocess(*lean(*needed), "-n0", "--tb=no", *arguments)


def runs(project):
    return [str(path) for path in sorted((project.path / ".pytest_compaction/runs").glob("*"))]


@pytest.mark.parametrize(
    ("number", "rows"),
    [
        (1, ["anchored 12 1 12 5.00 100% 84% 6.31 100% 1,012", "window 12 1 12 1.67 33% 85% 6.46"]),
        (2, ["anchored 6 1 6 5.00 100% 84% 6.31 100% 1,012", "none 6 1 6 5.00 100% 0% 1.00"]),
        (3, ["anchored-b700 6 1 6 5.00 100% 91% 11.21 100% 570", "window-b700 6 1 6 1.67 33%"]),
    ],
)
def test_the_figures_of_a_run_file_are_those_of_then(project, capsys, number, rows):
    assert main(["report", runs(project)[number - 1]]) == 0
    shown = flat(capsys.readouterr().out.splitlines())
    for row in rows:
        assert row in shown


def test_every_command_reads_a_run_file(project, capsys):
    first, control, _, dialogues = runs(project)[:4]
    assert main(["show", first]) == 0
    assert main(["compare", first, control]) == 0
    assert main(["gate", control, "--threshold=overall@anchored>=5"]) == 0
    assert main(["dialogues", dialogues]) == 0
    assert "Net: 50/30/20 with the savings that are left" in capsys.readouterr().out


def test_a_run_is_compared_with_the_baseline_of_then_or_told_how_to_renew_it(project):
    shown = run(project, "--compactor=anchored", "--compaction-baseline=baseline.json")
    if shown.ret == pytest.ExitCode.USAGE_ERROR:
        assert "--compaction-baseline-update" in flat(shown.errlines)
    else:
        assert shown.ret == pytest.ExitCode.OK
        assert shown.outlines[-1].startswith("GATE PASSED")


@pytest.mark.parametrize("answers", [[], ["--compaction-answers"]])
def test_a_verdict_is_that_of_its_snapshot_or_told_how_to_renew_it(project, answers):
    compared = ["--compaction-judge-snapshots", "--tb=short", *answers]
    shown = run(project, "--compactor=anchored", *compared, needed=["syrupy"])
    moved = [r["probe"] for r in records(project).records if r["snapshot"] != "matched"]
    if moved:
        said = shown.stdout.str()
        assert "--snapshot-update" in said
        assert answers or "add --compaction-answers" in said
    else:
        shown.assert_outcomes(passed=6)


def test_the_ini_file_of_then_is_read_but_for_what_is_refused_by_name(project):
    text = (project.path / "of_then.toml").read_text("utf-8")
    while True:
        (project.path / "pyproject.toml").write_text(text, "utf-8")
        shown = run(project, "--collect-only", "-q")
        if shown.ret == pytest.ExitCode.OK:
            return
        old = re.search(r"this version has no (\S+?): (.*)", flat(shown.errlines))
        assert old is not None, shown.errlines
        assert REMOVED[old[1]] == old[2]
        key = old[1].removeprefix("--").replace("-", "_")
        before, text = text, re.sub(rf":{key}\w+|^{key} = .*\n", "", text, flags=re.MULTILINE)
        assert text != before
