"""The page on losses: its commands show the estimate, the same in every run."""

import pytest
from support.pages import DOCS, arguments, code
from support.scenarios import case, lean, write_cases
from support.stub_endpoint import long_case

from pytest_compaction import cli

MEASURE, REPORT = code(DOCS / "losses.md", "console", "--table=task").splitlines()
NEEDED = {"how": "used", "message": "later", "act": "edit of docs/retries.md"}


def real(id, ends=False):
    """A real session that goes on after its compactions, or ends with one."""
    data = case(id, provenance={"origin": "real", "repository": "https://example.org/x"})
    for probe in data["probes"]:
        for fact in probe["facts"]:
            fact["needed"] = NEEDED
    if ends:
        data["compaction_points"] = data["compaction_points"][1:]
        data["probes"] = [probe for probe in data["probes"] if "point" not in probe]
    else:
        data["messages"].append({"id": "later", "role": "assistant", "content": "I go on."})
    return data


@pytest.fixture
def table(pytester, capsys):
    def shown():
        pytester.runpytest_inprocess(*lean(), *arguments(MEASURE), "-n0", "-q", "--tb=no")
        capsys.readouterr()
        assert cli.main(arguments(REPORT)) == 0
        return capsys.readouterr().out

    write_cases(pytester, real("one"), real("two"), real("ended", ends=True), case("scripted"))
    return shown


def test_the_commands_of_the_page_show_tokens_per_task(table):
    first = table()
    assert "Tokens per task, an estimate" in first
    rows = [line.split()[:2] for line in first.splitlines()[2:5]]
    assert sorted(rows) == [["anchored", "2"], ["none", "2"], ["truncate", "2"]]
    assert "Left out, because no request follows a compaction: ended." in first
    assert "No recommendation" in first
    assert table() == first


def test_the_commands_of_the_page_show_cycles(pytester, capsys):
    measure, report = code(DOCS / "losses.md", "console", "--table=cycles").splitlines()
    data = long_case("small", budget=250)
    write_cases(pytester, data | {"window": 600})
    pytester.runpytest_inprocess(*lean(), *arguments(measure), "-n0", "-q", "--tb=no")
    capsys.readouterr()
    assert cli.main(arguments(report)) == 0
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    rows = {row[0]: row[1:] for row in shown if row and row[0] in {"truncate", "mask-observations"}}
    assert rows["truncate"][-3:-1] == ["0%", "-"]
    assert rows["mask-observations"][-3:-1] == ["100%", "1"]
