"""The page on own sessions, followed from a transcript to a red gate."""

import io
import json
import re

import pytest
from support.pages import DOCS, README, arguments, blocks, code
from support.paths import public_data
from support.scenarios import lean

from pytest_compaction import cli

PAGE = DOCS / "own-sessions.md"
STEPS = [
    line
    for language, block in blocks(PAGE)
    if language == "console" and "recorded" not in block
    for line in block.splitlines()
]
IMPORT, REVIEW, LINT, RUN, ACCEPT, GATE = STEPS
YES = "y\n" * 100


@pytest.fixture
def folder(pytester):
    """A folder with the function that the page names; ``start`` puts a session into it."""
    function = code(DOCS / "own-compactor.md", "python", "# my_compactor.py")
    pytester.path.joinpath("my_compactor.py").write_text(function, "utf-8")

    def start(session):
        content = public_data(session).read_bytes()
        pytester.path.joinpath("my-session.jsonl").write_bytes(content)
        return pytester

    return start


@pytest.fixture
def done(pytester, capsys, monkeypatch):
    """Runs a command of the page, answers what it asks, and gives what it printed."""

    def done(command, code=0, answers=""):
        monkeypatch.setattr("sys.stdin", io.StringIO(answers))
        capsys.readouterr()
        if command.startswith("pytest-compaction "):
            assert cli.main(arguments(command)) == code, command
        else:
            assert pytester.runpytest_inprocess(*lean(), *arguments(command)).ret == code, command
        return pytest.LineMatcher(capsys.readouterr().out.splitlines())

    return done


def test_a_session_is_imported_reviewed_and_gated_as_the_readme_shows(folder, done):
    pytester = folder("claude-code/session.jsonl")
    shown = code(README, "console", "pytest-compaction import").strip().splitlines()
    assert shown[:2] == [IMPORT, REVIEW]
    done(IMPORT)
    done(REVIEW, answers=YES)
    case = json.loads(pytester.path.joinpath("cases/my-session.json").read_text("utf-8"))
    assert case["probes"] and not case.get("proposed")
    result = pytester.runpytest_inprocess(*lean(), *arguments(shown[2]), "-q", "--tb=no")
    result.stdout.fnmatch_lines_random(["compactor *", "none *", "truncate *", "anchored *"])
    result.stdout.fnmatch_lines(["GATE * overall@anchored *"])
    assert result.ret in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}


@pytest.mark.exhaustive
def test_who_follows_the_page_ends_at_a_red_gate(folder, done):
    pytester = folder("pi-agent/large-session.jsonl")
    made, asked, red = (block for language, block in blocks(PAGE) if language == "text")
    rows = re.compile(r"^  (\w[\w ]{0,12}\w)  ", re.MULTILINE)
    printed = str(done(IMPORT))
    assert set(rows.findall(made)) <= set(rows.findall(printed))
    assert made.splitlines()[0] in printed
    screens = str(done(REVIEW, answers=YES))
    assert asked.splitlines()[-1] in screens
    for label in ("  fact  ", "  why   still open in "):
        assert label in asked and label in screens
    assert "0 questions left" in screens
    done(LINT)
    done(RUN, pytest.ExitCode.TESTS_FAILED).fnmatch_lines(["none *5.00 *"])
    done(ACCEPT)
    done(GATE).fnmatch_lines(["GATE PASSED no worse than baseline: *"])
    function = pytester.path / "my_compactor.py"
    changed = function.read_text("utf-8").replace("3 * budget", "budget")
    function.write_text(changed, "utf-8")
    worse = done(GATE, pytest.ExitCode.TESTS_FAILED)
    worse.fnmatch_lines(["newly gone [1-9]* > 0, regained *", "newly gone:", "GATE FAILED *"])
    assert red.splitlines()[1] == "newly gone:" and red.splitlines()[-1].startswith("GATE FAILED")
