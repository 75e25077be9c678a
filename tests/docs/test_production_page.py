"""The page about forgetting in production: its commands print and write what it says."""

import json
import re
import shutil

import pytest
from support.pages import DOCS, arguments, blocks, code, text
from support.paths import public_data
from support.scenarios import lean

from pytest_compaction import cli

PAGE = DOCS / "production.md"
REFERENCE = DOCS / "production-reference.md"
SESSIONS = ("session-1.jsonl", "session-3.jsonl", "session-4.jsonl")


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Runs a command of the page in a folder with the public sessions, and gives its output."""
    monkeypatch.chdir(tmp_path)
    for folder, names in (
        ("sessions", SESSIONS),
        ("before", SESSIONS[:1]),
        ("after", SESSIONS[1:]),
    ):
        (tmp_path / folder).mkdir()
        for name in names:
            shutil.copy(public_data(f"claude-code-compacted/{name}"), tmp_path / folder / name)

    def command(line):
        assert cli.main(arguments(line)) == 0
        return capsys.readouterr().out

    return command


def test_every_command_on_transcripts_runs(run):
    shown = [line for page in (PAGE, REFERENCE) for line in commands(page)]
    production = [line for line in shown if " production " in line]
    assert len(production) == 3
    for line in production:
        assert "cost: " in run(line)


def commands(page):
    found = [block for kind, block in blocks(page) if kind == "console"]
    return [line for block in found for line in block.split("\n") if line]


def test_from_a_folder_of_transcripts_to_the_tables_that_decide(
    pytester, run, capsys, monkeypatch, tmp_path
):
    """The commands of the page in a row; the run tells of compactions what the command told."""
    made, ran, reported = (line for line in commands(PAGE) if " production " not in line)
    run(made)
    monkeypatch.chdir(tmp_path)
    here = f"--rootdir={tmp_path}"
    result = pytester.runpytest_inprocess(*lean(), *arguments(ran), here, "-q", "--tb=no")
    assert result.ret in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}
    capsys.readouterr()
    tables = run(reported)
    for title in ("What production compaction lost", "Recall at retained", "Tokens per task"):
        assert title in tables
    told = run(commands(PAGE)[0])
    again = run("pytest-compaction report last --table=recorded_compactions --table=fetched_again")
    same = [line for line in again.splitlines() if line in told]
    assert len(same) > 0.8 * len(again.splitlines())
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "Each compaction on record" in page


def test_the_output_shown_is_that_of_the_public_sessions(run):
    (first,) = code(PAGE, "console", "production sessions/\n").splitlines()
    assert run(first).strip() == code(PAGE, "text").strip()


def test_the_rules_on_the_page_and_the_keys_are_those_of_the_json(run, tmp_path):
    run("pytest-compaction production before/ after/ --json=out.json")
    data = json.loads((tmp_path / "out.json").read_text("utf-8"))
    told = set(re.findall(r"`([\w.]+)`", text(REFERENCE).split("## Files")[1]))

    def keys(value):
        if isinstance(value, dict):
            for key, held in value.items():
                yield key
                yield from keys(held)
        elif isinstance(value, list):
            for held in value:
                yield from keys(held)

    assert {key for key in keys(data) if not key.isdigit()} <= told
    rules = data["rules"]
    meanings = text(REFERENCE).split("## What is counted")[1]
    for sentence in (
        f"one of the {rules['lookback']} calls before",
        "next {}, next {}".format(*rules["horizons"]),
        f"no compaction in the {rules['far']} calls before",
        f"the {rules['most_points']} nearest",
        f"at most {rules['polling']} calls before",
        f"more than {rules['bloated']:.0%} of the window".replace("%", " %"),
    ):
        assert sentence in meanings
