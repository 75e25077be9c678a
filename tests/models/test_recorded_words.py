"""The recorded summaries of the shipped cases answer the requests that strategies make now."""

import re
from math import ceil

import pytest
from support.pages import README
from support.paths import ROOT
from support.readme_blocks import WORDS as STRATEGIES
from support.readme_blocks import (
    WRITINGS,
    project_of,
    recorded,
    run_of_recorded_words,
    shown,
    writings_block,
)

from pytest_compaction.metrics import stale_summaries
from pytest_compaction.models import Archive

WORDS = ROOT / "cases" / "words.zip"
WRITE_ANEW = "run PYTHONPATH=tests python -m support.readme_blocks writings"


@pytest.mark.exhaustive
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_words_of_every_case_answer_what_is_sent_today(strategy):
    found = recorded(strategy)
    assert {(record["status"], record["words"]) for record in found} == {
        ("passed", "recorded"),
        ("failed", "recorded"),
    }
    assert stale_summaries(found) == 0


@pytest.mark.exhaustive
def test_the_page_shows_how_much_the_writings_differ(tmp_path):
    run = run_of_recorded_words(tmp_path, WRITINGS)
    assert {record["words"] for record in run.records} == {"recorded"}
    assert stale_summaries(run.records) == 0
    every = {name: recorded(name) for name in STRATEGIES}
    block = writings_block(run.records, every)
    assert shown("writings") == block, WRITE_ANEW
    noise = float(re.search(r"by the real cases [\d.]+ to ([\d.]+)", block)[1])
    projects = {project_of(record) for record in every["anchored"]}
    readme = " ".join(README.read_text("utf-8").split())
    assert f"That is one model, in {len(projects)} projects, with prompts of our wording" in readme
    assert f"Differences below {ceil(10 * noise) / 10} are noise" in readme


def test_the_shipped_cases_have_words_of_four_strategies():
    archive = Archive(WORDS)
    assert {*STRATEGIES} <= archive.manifest.strategies.keys()
    names = {path.stem for path in (ROOT / "cases").glob("*/*.json")}
    assert len(names) == 28
    for strategy in STRATEGIES:
        held = {row.case for row in archive.words if row.strategy == strategy}
        assert names <= held


ASK_NOTHING = {
    "langchain": {"checkpoint_dedup", "float_pixels", "orphaned_sessions"},
    "gemini-cli": {"float_pixels", "iso_match"},
}
"""Real cases in which a strategy calls no model, because it does nothing or fails before."""
MORE = (
    "anthropic:mode=client",
    "roo",
    "openhands",
    "langchain",
    "gemini-cli",
    "opencode",
    "pi",
)


@pytest.mark.parametrize("strategy", MORE)
def test_the_real_cases_have_words_of_seven_more(strategy):
    held = {row.case for row in Archive(WORDS).words if row.strategy == strategy}
    real = {path.stem for path in (ROOT / "cases/real").glob("*.json")}
    silent = ASK_NOTHING.get(strategy, set())
    assert held == real - silent
    assert Archive(WORDS).manifest.silent.get(strategy, {}).keys() == silent


@pytest.mark.exhaustive
def test_a_gate_over_the_real_cases_decides_on_a_strategy_that_is_silent_in_some(tmp_path):
    small = ("blame_charts", "seat_downgrade", "sidebar_spacing", "iso_match")
    names = {*small, *ASK_NOTHING["langchain"]}
    run = run_of_recorded_words(tmp_path, 1, ["langchain"], sorted(names))
    assert {record["case"] for record in run.records} == names
    assert {record["status"] for record in run.records} == {"passed", "failed"}
    assert not any("no recorded words" in (record["reason"] or "") for record in run.records)
    words = {record["case"] for record in run.records if record.get("words") == "recorded"}
    assert not words & ASK_NOTHING["langchain"]
    assert {*run.header["words"]["silent"]["langchain"]} == ASK_NOTHING["langchain"]
