"""The page docs/ab.md: its commands, run as a user would."""

import subprocess

import pytest
from support.pages import DOCS, arguments, code, commands, step
from support.scenarios import case, lean, write_cases
from support.stub_endpoint import long_case, serving

from pytest_compaction.cli import main

PAGE = DOCS / "ab.md"
OWN = DOCS / "own-compactor.md"


def git(*given):
    named = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *named, *given], check=True, capture_output=True)


@pytest.fixture
def pull_request(pytester):
    """A repository whose branch gives the function of the documentation less room."""
    data = case("small", budget=300)
    data["messages"][0]["content"] += " It would be good to have it before the weekend." * 40
    write_cases(pytester, data)
    source, file = code(OWN, "python", "# my_compactor.py"), pytester.path / "my_compactor.py"
    git("init", "-q", "-b", "main")
    for number, text in enumerate((source, source.replace("3 * budget", "0.1 * budget"))):
        file.write_text(text, "utf-8")
        git("add", "my_compactor.py", "cases")
        git("commit", "-q", "-m", "state")
        if not number:
            git("update-ref", "refs/remotes/origin/main", "HEAD")
            git("checkout", "-q", "-b", "change")
    assert source != file.read_text("utf-8")
    return pytester.path


def test_the_command_of_a_pull_request_writes_a_comment(pull_request, capsys):
    shown = step(PAGE, "origin/${{ github.base_ref }}...HEAD")
    given = arguments(shown.replace("${{ github.base_ref }}", "main"))
    assert main(given) == 0, capsys.readouterr().err
    comment = (pull_request / "ab.md").read_text("utf-8").replace("\\", "")
    assert "## A/B: origin/main (" in comment
    assert "- small-limit" in comment[comment.index("Facts lost") :]


@pytest.mark.exhaustive
def test_the_command_at_a_desk_writes_one_too(pull_request):
    (shown,) = (each for each in commands(PAGE) if "main..HEAD" in each)
    assert main(arguments(shown)) == 0
    assert "## A/B: main (" in (pull_request / "ab.md").read_text("utf-8")


def test_versions_by_parameter_are_compared_in_a_run(pytester, monkeypatch):
    write_cases(pytester, long_case("first"))
    (shown,) = (each for each in commands(PAGE) if each.startswith("pytest --compactor"))
    with serving() as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        pytester.runpytest_inprocess(*lean(), *arguments(shown))
        assert stub.calls
    assert "A/B of 2 versions" in (pytester.path / "ab.html").read_text("utf-8")
