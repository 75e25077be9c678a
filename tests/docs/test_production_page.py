"""The page about forgetting in production: its commands print and write what it says."""

import json
import re
import shutil

import pytest
from support.pages import DOCS, arguments, blocks, code, text
from support.paths import public_data

from pytest_compaction import cli

PAGE = DOCS / "production.md"
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


def test_every_command_runs(run):
    lines = [
        line for kind, block in blocks(PAGE) if kind == "console" for line in block.split("\n")
    ]
    shown = [line for line in lines if line]
    assert len(shown) == 3
    for line in shown:
        assert "cost: " in run(line)


def test_the_output_shown_is_that_of_the_public_sessions(run):
    (first,) = code(PAGE, "console", "production sessions/\n").splitlines()
    assert run(first).strip() == code(PAGE, "text").strip()


def test_the_rules_on_the_page_and_the_keys_are_those_of_the_json(run, tmp_path):
    run("pytest-compaction production before/ after/ --json=out.json")
    data = json.loads((tmp_path / "out.json").read_text("utf-8"))
    told = set(re.findall(r"`([\w.]+)`", text(PAGE).split("## Files")[1]))

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
    meanings = text(PAGE).split("## What is counted")[1]
    for sentence in (
        f"one of the {rules['lookback']} calls before",
        "next {}, next {}".format(*rules["horizons"]),
        f"no compaction in the {rules['far']} calls before",
        f"the {rules['most_points']} nearest",
        f"at most {rules['polling']} calls before",
        f"more than {rules['bloated']:.0%} of the window".replace("%", " %"),
    ):
        assert sentence in meanings
