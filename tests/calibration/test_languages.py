"""Dense summaries in three languages, and English ones of Chinese sessions, against two readers.

No rule was written or changed with these sets. ``README.md`` here says who made them.
"""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from support.pages import DOCS

from pytest_compaction.case import Fact
from pytest_compaction.metrics import weighted_kappa
from pytest_compaction.text import SharedTexts

SETS = Path(__file__).parent / "languages"
LEAST = {
    "English": 0.75,
    "English, facts without keys": 0.42,
    "Chinese": 0.72,
    "German": 0.66,
    "Chinese in English": 0.57,
}
"""Kappa of "stated" between rules and readers below which a change made the reading worse."""
LANGUAGES = {"English": "en", "German": "de"}


def facts_of(kind):
    """Each fact of a kind of set: whether two readers and the rules say that it is stated."""
    name, _, without_keys = kind.partition(", ")
    for given, index in sets_of(name):
        for fact in given["facts"]:
            outcome = outcome_of(fact, index, LANGUAGES.get(name, "zh"), not without_keys)
            yield [each == "stated" for each in (*fact["labels"], outcome)]


def sets_of(name):
    """The sets of this name, each with its summary as the rules read it."""
    pattern = re.compile(rf"{name.lower().replace(' ', '-')}-[a-z]+\.json")
    for path in sorted(SETS.glob("*.json")):
        if pattern.fullmatch(path.name):
            given = json.loads(path.read_text("utf-8"))
            yield given, SharedTexts().view([given["summary"]], [0])


def outcome_of(fact, index, language, keyed=True):
    return index.outcome(parsed(fact, language, keyed).statement)


def parsed(fact, language, keyed):
    """The fact as a case of this language has it."""
    if not keyed:
        return Fact(fact["text"], type=fact["type"], language=language)
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
    assert len(rows) == (300 if kind.startswith("English") else 100)
    assert kappa(rows, 0, 2) >= LEAST[kind]
    found = [f"{kappa(rows, *pair):.2f}" for pair in ((0, 1), (0, 2), (1, 2))]
    page, *_ = (DOCS / "how-it-measures.md").read_text("utf-8").split("## A model as reader")
    [row] = re.findall(rf"^\| {kind} \|.*$", page, re.M)
    cells = [cell.strip() for cell in row.strip("|").split("|")][1:]
    stated = sum(row[0] for row in rows)
    taken = [sum(row[2] for row in rows if row[0] is side) for side in (True, False)]
    shares = f"{taken[0]} of {stated}", f"{taken[1]} of {len(rows) - stated}"
    assert cells == [*found, *shares]


def test_the_page_says_what_the_rules_take_in_english():
    taken = Counter()
    for given, index in sets_of("English"):
        for fact in given["facts"]:
            label = fact["labels"][0]
            wrong = label != "stated" and outcome_of(fact, index, "en") == "stated"
            taken.update({label: 1, f"{label}, taken": wrong, f"{fact['type']}, taken": wrong})
    page = " ".join((DOCS / "how-it-measures.md").read_text("utf-8").split())
    assert (
        f"In English {taken['contradicted, taken']} of {taken['contradicted']} facts that the "
        f"summary contradicts are taken, and {taken['absent, taken']} of {taken['absent']} that it "
        f"does not mention; {taken['state, taken']} of the {taken['contradicted, taken']} are "
        "states"
    ) in page
