"""The commands of docs/words.md, against a server on this machine and by files."""

import pytest
from support.pages import DOCS, arguments, code
from support.readme_blocks import CLASSES, WORDS, shown
from support.runs_here import run_here
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
    run_here(pytester, monkeypatch)
    with serving() as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        yield stub


def commands_with(said):
    return [arguments(line) for line in code(PAGE, "console", said).strip().splitlines()]


def test_the_classes_that_set_strategies_apart_are_those_of_the_table():
    heads, _, *rows = (line.strip("| ").split(" | ") for line in shown("words").splitlines())
    scripted = [dict(zip(heads, row, strict=True)) for row in rows if row[0] == "scripted"]
    own = [row for row in scripted if row["strategy"].strip("`") in WORDS]
    assert len(own) == len(WORDS)
    shares = {name: [int(row[name].rstrip("%")) for row in own] for name in CLASSES}
    apart = {name: max(each) - min(each) for name, each in shares.items()}
    far, near = (
        sorted((n for n in apart if (apart[n] > 20) is is_far), key=lambda n: -apart[n])
        for is_far in (True, False)
    )
    sentence = (
        f"In the scripted cases the shares of {', '.join(far[:-1])} and {far[-1]} facts differ by "
        f"{apart[far[-1]]} to {apart[far[0]]} points between the four strategies with words, "
        f"those of {' and '.join(near)} facts by {apart[near[-1]]} to {apart[near[0]]}."
    )
    assert sentence in " ".join(PAGE.read_text("utf-8").split())


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
