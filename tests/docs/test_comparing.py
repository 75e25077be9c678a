"""The page docs/comparing.md, followed step by step as a user would."""

import pytest
from support.pages import DOCS, arguments, code, commands
from support.readme_blocks import shown, worse_block
from support.scenarios import case, last_line, lean, write_cases

from pytest_compaction.cli import main

PAGE = DOCS / "comparing.md"
OWN = DOCS / "own-compactor.md"
WRITE_ANEW = "run PYTHONPATH=tests python -m support.readme_blocks"


def given(mark):
    """The arguments of the shortest command of the page that holds ``mark``."""
    found = sorted((one for one in commands(PAGE) if mark in one), key=len)
    return arguments(found[0])


@pytest.fixture
def at_work(pytester):
    """Runs pytest over one small case, with the page's strategy."""
    data = case("small", budget=300)
    data["messages"][0]["content"] += " It would be good to have it before the weekend." * 40
    write_cases(pytester, data)
    source = code(OWN, "python", "# my_compactor.py")

    def measure(mark, change=("", "")):
        (pytester.path / "my_compactor.py").write_text(source.replace(*change), "utf-8")
        return pytester.runpytest_inprocess(*lean(), *given(mark))

    return measure


def commanded(capsys, mark):
    """The exit code and the output of a command of the page."""
    capsys.readouterr()
    code = main(given(mark))
    return code, capsys.readouterr().out


def test_a_run_is_accepted_and_a_change_is_compared_with_it(pytester, at_work, capsys):
    result = at_work("--compaction-baseline-update")
    result.stdout.fnmatch_lines(["baseline updated: baseline.json, 4 items of *"])
    result = at_work("--compaction-baseline=baseline.json")
    assert "no worse than baseline: overall +0.00" in last_line(result)
    result = at_work("--compaction-baseline=baseline.json", ("3 * budget", "0.1 * budget"))
    assert last_line(result).startswith("UNDECIDED overall")  # one case

    code, out = commanded(capsys, "compare baseline.json last")
    assert code == 0
    assert out.startswith("baseline my_compactor:keep_the_newest -> 0003 my_compactor")
    code, out = commanded(capsys, "-o changes.md")
    assert (code, out) == (0, "written: changes.md\n")
    code, out = commanded(capsys, "pytest-compaction runs")
    assert (code, out.count("my_compactor:keep_the_newest")) == (0, 3)
    code, out = commanded(capsys, "show last small-limit")
    assert code == 0
    assert "question  What is the retry limit now?" in out
    code, out = commanded(capsys, "show last")
    assert (code, out.count("my_compactor:keep_the_newest-small-")) == (0, 4)
    code, out = commanded(capsys, "gate last")
    assert (code, "\nUNDECIDED overall" in out) == (0, True)  # the rule on facts decides


def test_strategies_of_the_last_run_are_compared(pytester, at_work, capsys):
    write_cases(pytester, case("small"))
    pytester.runpytest_inprocess(*lean(), "--compactor=anchored,truncate")
    code, out = commanded(capsys, "last@anchored")
    assert code == 0
    assert out.startswith("0001 anchored -> 0001 truncate: 4 items of 1 case\n")


@pytest.mark.exhaustive
def test_the_page_shows_what_a_run_that_got_worse_shows():
    assert shown("worse") == worse_block(), WRITE_ANEW
