"""Facts in the summaries that an agent's own compactions made: the matcher and two readers.

What was measured on the report half, for "stated": kappa .74 and .71 with the two readers
(design half: .83 and .86). The goal, .80, is not reached on unseen material.
"""

import json
from pathlib import Path

import pytest
from calibration.agreement import kappa

from pytest_compaction.text.matching import Statement, TextIndex

FOLDER = Path(__file__).parent / "compaction_summaries"
BOUNDS = {"design": 0.80, "report": 0.69}
"""Least kappa with each reader: guards, not goals."""


@pytest.fixture(scope="module")
def facts():
    """Each fact with its half, its two labels, and the matcher's outcome."""
    summaries = json.loads((FOLDER / "summaries.json").read_text("utf-8"))
    indexes = {name: TextIndex(text) for name, text in summaries.items()}
    with (FOLDER / "facts.jsonl").open(encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    for fact in found:
        keys = tuple(tuple(group) for group in fact["keys"])
        asked = Statement(fact["fact"], keys=keys)
        fact["outcome"] = indexes[fact["summary"]].read(asked).outcome
    return found


def test_two_readers_agree(facts):
    assert len(facts) == 150
    stated = [tuple(label == "stated" for label in fact["labels"]) for fact in facts]
    assert kappa(stated) >= 0.95


@pytest.mark.parametrize("half", sorted(BOUNDS))
@pytest.mark.parametrize("reader", [0, 1])
def test_the_matcher_agrees_with_a_reader(facts, half, reader):
    pairs = [
        (fact["outcome"] == "stated", fact["labels"][reader] == "stated")
        for fact in facts
        if fact["half"] == half
    ]
    assert kappa(pairs) >= BOUNDS[half]
