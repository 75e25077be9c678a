"""Chinese and German summaries, and English ones of Chinese sessions, as two readers label them.

No rule was written or changed with these sets. ``README.md`` here says who made them.
"""

import json
import re
from pathlib import Path

import pytest
from support.pages import DOCS

from pytest_compaction.case import Fact
from pytest_compaction.metrics import weighted_kappa
from pytest_compaction.text import SharedTexts

SETS = Path(__file__).parent / "languages"
LEAST = {"chinese": 0.70, "german": 0.65, "chinese-in-english": 0.55}
"""Kappa of "stated" between rules and readers below which a change made the reading worse."""


def facts_of(kind):
    """Each fact of a kind of set: whether two readers and the rules say that it is stated."""
    for path in sorted(SETS.glob(f"{kind}-*.json")):
        if kind == "chinese" and "in-english" in path.name:
            continue
        given = json.loads(path.read_text("utf-8"))
        index = SharedTexts().view([given["summary"]], [0])
        for fact in given["facts"]:
            outcome = index.outcome(parsed(fact, "de" if kind == "german" else "zh").statement)
            yield [each == "stated" for each in (*fact["labels"], outcome)]


def parsed(fact, language):
    """The fact as a case of this language has it."""
    given = fact["keys"]
    by_language = given if isinstance(given, dict) else {language: given}
    keys = {name: tuple(map(tuple, groups)) for name, groups in by_language.items()}
    several = tuple(keys.items()) if isinstance(given, dict) else ()
    kept = keys[language]
    return Fact(fact["text"], type=fact["type"], keys=kept, language=language, keys_in=several)


def kappa(rows, one, other):
    return weighted_kappa([(float(row[one]), float(row[other])) for row in rows])


@pytest.mark.parametrize("kind", LEAST)
def test_rules_agree_with_readers_of_the_language_as_the_page_says(kind):
    rows = list(facts_of(kind))
    assert len(rows) == 100
    assert kappa(rows, 0, 2) >= LEAST[kind]
    found = [f"{kappa(rows, *pair):.2f}" for pair in ((0, 1), (0, 2), (1, 2))]
    page = (DOCS / "how-it-measures.md").read_text("utf-8")
    [row] = re.findall(rf"^\| {kind.replace('-', ' ')} \|.*$", page, re.M | re.I)
    cells = [cell.strip() for cell in row.strip("|").split("|")][1:]
    assert cells == ["100", *found]
