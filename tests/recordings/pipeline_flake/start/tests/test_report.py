"""What the dashboard gets to see."""

import pytest

from ci.report import ReportError, parse_status, parse_tests, summary

STATUS = ["CI|lint|ok|0", "CI|unit|failed|23", "    some log", "CI|pipeline|failed|23"]
UNIT = [
    "tests/test_a.py::test_one PASSED                              [ 25%]",
    "tests/test_a.py::test_two[x y] PASSED                         [ 50%]",
    "tests/test_b.py::test_three FAILED                            [ 75%]",
    "FAILED tests/test_b.py::test_three - assert 1 == 2",
]


def test_log_lines_are_no_status():
    assert [stage["stage"] for stage in parse_status(STATUS)] == ["lint", "unit", "pipeline"]


def test_owner():
    assert parse_status(STATUS)[1]["owner"] == "author"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("CI|unit|ok|0|423", "expected 4 columns, found 5"),
        ("CI|unit|failed|32", "unknown code 32 of stage unit"),
        ("CI|unit|failed|x", "unknown code x"),
    ],
)
def test_lines_that_the_dashboard_refuses(line, problem):
    with pytest.raises(ReportError, match=problem):
        parse_status([line])


def test_outcomes_by_file():
    assert parse_tests(UNIT) == {"tests/test_a.py": {"passed": 2}, "tests/test_b.py": {"failed": 1}}


def test_summary():
    found = summary(STATUS, UNIT)
    assert (found["pipeline"], found["code"], found["failed"]) == ("failed", 23, 1)


def test_a_run_without_an_end():
    with pytest.raises(ReportError, match="did not finish"):
        summary(STATUS[:-1], UNIT)
