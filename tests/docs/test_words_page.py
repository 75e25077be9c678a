"""The commands of docs/words.md, against a server on this machine and by files."""

import pytest
from support.pages import DOCS, arguments, code
from support.scenarios import lean, write_cases
from support.stub_endpoint import long_case, serving

from pytest_compaction.cli import main
from pytest_compaction.models import Archive

PAGE = DOCS / "words.md"
QUIETLY = [f"--pytest={one}" for one in lean()]


@pytest.fixture
def endpoint(pytester, monkeypatch):
    write_cases(pytester, long_case("first"))
    monkeypatch.chdir(pytester.path)
    with serving() as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        yield stub


def commands_with(said):
    return [arguments(line) for line in code(PAGE, "console", said).strip().splitlines()]


def test_words_are_recorded_listed_and_verified(pytester, endpoint, capsys):
    [record] = commands_with("--model=gpt-5-mini")
    assert main([*record, "--yes", *QUIETLY]) == 0
    assert endpoint.calls
    [listing] = commands_with("words --cases=cases\n")
    assert main([*listing, *QUIETLY]) == 0
    assert "anchored                                1      0        0" in capsys.readouterr().out
    [verify] = commands_with("words verify")
    assert main(verify) == 0


def test_words_are_recorded_by_files(pytester, endpoint, capsys):
    export, answers = commands_with("--export=out")
    assert main([*export, *QUIETLY]) == 0
    assert "next: 1 request (1 compaction)" in capsys.readouterr().out
    for path in (pytester.path / "out" / "requests").glob("*.txt"):
        (pytester.path / "out" / "replies" / path.name).write_text("## Session intent\n- Done.")
    assert main(answers) == 0
    assert main([*export, *QUIETLY]) == 0
    [words] = Archive(pytester.path / "cases" / "words.zip").words
    assert words.words == "## Session intent\n- Done."
    assert endpoint.calls == []


def test_recorded_words_are_measured_without_a_key(pytester, endpoint, monkeypatch):
    [record] = commands_with("--model=gpt-5-mini")
    assert main([*record, "--yes", *QUIETLY]) == 0
    monkeypatch.delenv("OPENAI_BASE_URL")
    [measure] = commands_with("--compactor=anchored,regenerate")
    shown = pytester.runpytest_inprocess(*lean(), *measure)
    shown.stdout.fnmatch_lines(
        [
            "compaction: anchored: words: recorded, 1 of 1 cases, prompt *",
            "compaction: regenerate: words: rules, because none are recorded *",
        ]
    )
