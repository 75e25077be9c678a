"""Does the instrument pass the items that a careful reader can answer from the view alone?

A hundred items of seven strategies, half of which the instrument of that day passed. One reader
answered each question from the view, without the facts; another compared the answers with the
facts. What was measured with the matcher of today stands in docs/how-it-measures.md.
"""

import json
from functools import cache
from pathlib import Path

import pytest
from support.shipped import shipped

from pytest_compaction.metrics import Readings, read, view_scores, weighted_kappa
from pytest_compaction.rubric import dimension_scores, overall_score
from pytest_compaction.text import Reading, TextIndex

FOLDER = Path(__file__).parent / "reader_agreement"
PASS = 3.5
OUTCOMES = {"stated": "stated", "wrong": "contradicted", "partly": "absent", "absent": "absent"}
ITEMS, FACTS = 0.68, 0.78
"""Least kappa over items and over facts: guards, not goals."""


def items():
    with (FOLDER / "items.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@cache
def index(view):
    return TextIndex((FOLDER / "views" / view).read_text("utf-8"))


def passes(probe, readings):
    scores = view_scores(probe.facts, probe.traps, readings)
    return overall_score(dimension_scores({score.id: score.score for score in scores})) >= PASS


@pytest.fixture(scope="module")
def judged():
    """For each item the verdict of instrument and reader, and both for each of its facts."""
    probes = {(case.id, probe.id): probe for case in shipped() for probe in case.probes}
    found = []
    for item in items():
        probe = probes[item["case"], item["probe"]]
        assert [fact.text for fact in probe.facts] == [fact["text"] for fact in item["facts"]]
        ours = read(probe.facts, probe.traps, index(item["view"]))
        labels = [fact["label"] for fact in item["facts"]]
        read_so = tuple(Reading(OUTCOMES[label]) for label in labels)
        theirs = Readings(read_so, (False,) * len(probe.traps))
        facts = [(a, label == "stated") for a, label in zip(ours.stated, labels, strict=True)]
        found.append(((passes(probe, ours), passes(probe, theirs)), facts))
    return found


def test_a_hundred_items_of_several_strategies_were_read():
    found = items()
    assert len({item["id"] for item in found}) == len(found) == 100
    assert len({item["compactor"] for item in found}) >= 6
    assert len({item["case"] for item in found}) >= 10


def test_items_pass_that_a_reader_can_answer(judged):
    assert weighted_kappa([verdicts for verdicts, _ in judged]) >= ITEMS


def test_facts_are_found_that_a_reader_finds(judged):
    assert weighted_kappa([pair for _, facts in judged for pair in facts]) >= FACTS
