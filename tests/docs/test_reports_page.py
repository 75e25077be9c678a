"""The page about reports: its commands write what it says, and its program runs."""

import json
import re
from xml.etree import ElementTree

import pytest
from support.pages import DOCS, arguments, code, text
from support.scenarios import case, lean, run_files, write_cases

from pytest_compaction.metrics import further
from pytest_compaction.records import columns

PAGE = DOCS / "reports.md"


@pytest.fixture
def measured(pytester):
    """Runs the command of the page that holds a mark, over one small case."""

    def measure(mark):
        write_cases(pytester, *(case(f"case-{number}") for number in range(6)))
        (command,) = [line for line in code(PAGE, "console", mark).splitlines() if mark in line]
        pytester.runpytest_inprocess(*lean(), *arguments(command), "-n0", "-q", "--tb=no")
        return pytester.path

    return measure


def test_every_file_that_the_page_names_is_written(measured):
    folder = measured("out.md")
    assert {path.name for path in folder.glob("*.*") if path.is_file()} >= {
        "out.md",
        "out.json",
        "out.csv",
    }
    for name in re.findall(r"^`(\w+)`", text(PAGE).split("## JSON")[1].split("##")[0]):
        assert name in json.loads((folder / "out.json").read_text("utf-8"))


def test_the_page_is_written(measured):
    assert "<!doctype html>" in (measured("out.html") / "out.html").read_text("utf-8").lower()


def test_the_properties_that_the_page_names_are_in_the_junit_file(measured):
    written = ElementTree.parse(measured("--junitxml") / "compaction.xml").getroot()
    found = {one.get("name") for one in written.iter("property")}
    told = text(PAGE).split("## JUnit")[1].split("## GitHub")[0]
    named = set(re.findall(r"`(compaction\.[\w.]+)`", told))
    # Without a gate there is none to tell of.
    assert named - {"compaction.gate", "compaction.gate.line"} <= found


def test_every_column_of_the_csv_is_described():
    told = text(PAGE).split("## CSV")[1].split("## Badge")[0]
    rows = [line.split("|")[1] for line in told.splitlines() if line.startswith("| `")]
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert (*named, *(figure.name for figure in further("csv"))) == columns()
    assert "a column for each further figure" in told


def test_the_program_for_notebooks_runs(pytester):
    write_cases(pytester, case("small"), case("other"))
    pytester.runpytest_inprocess(*lean(), "--compactor=anchored,truncate", "-n0", "-q", "--tb=no")
    (file,) = run_files(pytester)
    (pytester.path / "explore_run.py").write_text(code(PAGE, "python", "# explore_run.py"))
    result = pytester.runpython_c(
        f"import sys, runpy; sys.argv = ['explore_run.py', {str(file)!r}];"
        " runpy.run_path('explore_run.py')"
    )
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["<Run 0001-*: strategies 2, cases 2, items 16>", "anchored *Mean*"]
    )
