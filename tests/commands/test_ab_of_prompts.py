"""``pytest-compaction ab old.md new.md``: at an endpoint, from its store, in batches."""

import json
from collections import Counter
from itertools import product

import pytest
from support.runs_here import run_here
from support.scenarios import lean, write_cases
from support.stub_endpoint import long_case, serving

from pytest_compaction.cli import main
from pytest_compaction.records import run_files

OLD = "Say what was done, and to which files. At most $words words."
NEW = "Say what was decided, and why. At most $words words."
CASES = ("first", "second")
QUIETLY = [f"--pytest={one}" for one in (*lean(), "--compaction-concurrency=1")]
GIVEN = ["ab", "old.md", "new.md", "--compactor=anchored", "--cases=cases", *QUIETLY]
MODEL = "--model=gpt-4o-mini"


@pytest.fixture
def endpoint(monkeypatch):
    with serving() as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        yield stub


@pytest.fixture
def folder(pytester, monkeypatch, endpoint):
    run_here(pytester, monkeypatch)
    write_cases(pytester, *map(long_case, CASES))
    (pytester.path / "old.md").write_text(OLD)
    (pytester.path / "new.md").write_text(NEW)
    return pytester.path


def summaries(endpoint):
    """The case and the prompt of each request for a summary."""
    bodies = [json.dumps(endpoint.bodies[digest]["messages"]) for digest in endpoint.calls]
    return [
        (next(case for case in CASES if f"{case}0x0" in body), prompt)
        for body in bodies
        for prompt, words in (("old", "Say what was done"), ("new", "Say what was decided"))
        if words in body
    ]


def test_two_prompts_are_measured_case_by_case_and_again_from_the_store(folder, endpoint, capsys):
    [fact] = long_case("first")["probes"][-1]["facts"]
    (folder / "new.md").write_text(f"{NEW} {fact['text']}.")
    assert main([*GIVEN, MODEL, "--trials=2", "--yes", "--report=ab.html"]) == 0
    text = capsys.readouterr().out.replace("\\", "")
    assert "## A/B: anchored:prompt=old.md → anchored:prompt=new.md" in text
    assert "-Say what was done, and to which files. At most $words words.\n+Say what was" in text
    assert "A/A noise: the standard deviation" in text
    assert "anchored:prompt=new.md: its prompt names 2 facts of the cases" in text
    assert "A/B of 2 versions" in (folder / "ab.html").read_text("utf-8")
    asked = summaries(endpoint)
    assert Counter(asked) == dict.fromkeys(product(CASES, ("old", "new")), 2)
    made = len(endpoint.calls)

    assert main([*GIVEN, MODEL, "--trials=2", "--replay"]) == 0
    again = capsys.readouterr().out.replace("\\", "")
    took = "### Each version"  # a replay takes no seconds
    assert again.partition(took)[0] == text.partition(took)[0]
    assert len(endpoint.calls) == made


@pytest.mark.parametrize("model", [MODEL, "--pytest=--compaction-model=gpt-4o-mini"])
def test_without_a_yes_the_estimate_is_shown_and_nothing_is_asked(folder, endpoint, capsys, model):
    assert main([*GIVEN, model]) == 1
    shown = capsys.readouterr()
    assert "US dollars" in shown.err
    assert "Nothing was asked." in shown.err
    assert "nothing was measured; --yes measures without asking" in shown.err
    assert (shown.out, endpoint.calls) == ("", [])


def test_the_requests_of_both_prompts_are_exported(folder, endpoint, capsys):
    assert main([*GIVEN, MODEL, "--export=batch", "--trials=1"]) == 0
    assert "next: 4 requests (4 compaction)" in capsys.readouterr().out
    assert endpoint.calls == []


@pytest.mark.parametrize(
    "model", [[], ["--model=offline"], ["--pytest=--compaction-model=offline"]]
)
def test_two_prompts_without_a_model_are_refused(folder, endpoint, no_model_named, capsys, model):
    assert main([*GIVEN, *model]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "two prompts need a model, because rules read no prompt: name the one" in shown.err
    assert len(shown.err.splitlines()) == 1
    assert not run_files(folder / ".pytest_compaction/runs")


def test_recorded_words_of_both_prompts_are_compared_without_a_question(folder, endpoint, capsys):
    specs = [f"--compactor=anchored:prompt={name}.md" for name in ("old", "new")]
    record = ["words", "record", *specs, MODEL, "--cases=cases", "--yes", *QUIETLY]
    assert main(record) == 0
    made = len(endpoint.calls)
    assert main([*GIVEN, "--model=recorded"]) == 0, capsys.readouterr().err
    assert "## A/B: anchored:prompt=old.md → anchored:prompt=new.md" in (
        capsys.readouterr().out.replace("\\", "")
    )
    (folder / "new.md").write_text(NEW.replace("why", "when"))
    assert main([*GIVEN, "--model=recorded"]) == 0
    said = capsys.readouterr().out.replace("\\", "")
    assert "most often because: the recorded words of anchored:prompt=new.md at " in said
    assert "words record --compactor=anchored:prompt=new.md --model=NAME" in said
    assert len(endpoint.calls) == made
