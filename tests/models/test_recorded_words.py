"""The recorded summaries of the shipped cases answer the requests that strategies make now."""

import re

import pytest
from support.paths import ROOT
from support.readme_blocks import (
    REAL_CASES,
    run_of_recorded_words,
    shown,
    words_block,
    writings_block,
)
from support.readme_blocks import WORDS as STRATEGIES

from pytest_compaction.metrics import stale_summaries
from pytest_compaction.models import Archive

WORDS = ROOT / "cases" / "words.zip"
WRITE_ANEW = "run PYTHONPATH=tests python -m support.readme_blocks words writings"


@pytest.mark.exhaustive
def test_the_page_shows_what_the_recorded_words_state(tmp_path):
    run, printed = run_of_recorded_words(tmp_path)
    assert {(record["status"], record["words"]) for record in run.records} == {
        ("passed", "recorded"),
        ("failed", "recorded"),
    }
    assert stale_summaries(run.records) == 0
    assert shown("words") == words_block(run.records), WRITE_ANEW
    letters = re.findall(r"^(\S+) +\d\.\d\d ([a-z]+) ", printed, re.MULTILINE)
    assert [letter for _, letter in letters] == ["a", "a", "b", "b"]
    assert {name for name, letter in letters if letter == "a"} == {"anchored", "regenerate"}
    assert "-0.66 [" in printed


@pytest.mark.exhaustive
def test_the_page_shows_how_much_two_writings_differ(tmp_path):
    run, _ = run_of_recorded_words(tmp_path, REAL_CASES, 2)
    assert {record["words"] for record in run.records} == {"recorded"}
    assert stale_summaries(run.records) == 0
    assert shown("writings") == writings_block(run.records), WRITE_ANEW


def test_the_shipped_cases_have_words_of_four_strategies():
    archive = Archive(WORDS)
    assert {*STRATEGIES} <= archive.manifest.strategies.keys()
    names = {path.stem for path in (ROOT / "cases").glob("*/*.json")}
    assert len(names) == 26
    for strategy in STRATEGIES:
        held = {row.case for row in archive.words if row.strategy == strategy}
        assert names <= held
