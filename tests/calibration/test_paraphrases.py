"""Facts in other words are found, and wrong versions in the same words are not.

The design facts were looked at while the matcher was built. The report facts are by other writers,
who saw neither the matcher nor the keys; another reader confirmed, text by text, that a paraphrase
states its fact and a wrong version does not. They were only measured; docs/how-it-measures.md
gives the figures, and the goals (.90 found, .10 accepted) that they do not reach.
"""

import json
from pathlib import Path

import pytest

from pytest_compaction.text import Statement, TextIndex

FOLDER = Path(__file__).parent / "paraphrases"
SIZES = {"design": 872, "report": 240}
BOUNDS = {"design": (0.87, 0.13), "report": (0.86, 0.21)}
"""Least share of paraphrases stated and most of wrong versions: guards, not goals."""


def groups(keys):
    return tuple(tuple(group) for group in keys)


def statement(item):
    against = tuple(
        Statement(each["text"], keys=groups(each["keys"])) for each in item["counterparts"]
    )
    return Statement(
        item["fact"],
        keys=groups(item["keys"]),
        counterparts=against,
        change=item.get("change"),
        type=item["type"],
    )


@pytest.fixture(params=sorted(BOUNDS))
def half(request):
    with (FOLDER / f"{request.param}.jsonl").open(encoding="utf-8") as lines:
        return request.param, [json.loads(line) for line in lines]


def share_stated(items, version):
    return sum(
        TextIndex(item[version]).read(statement(item)).outcome == "stated" for item in items
    ) / len(items)


def test_each_half_has_facts_of_every_type(half):
    name, items = half
    assert len(items) == len({item["id"] for item in items}) == SIZES[name]
    assert len({item["type"] for item in items}) == 10


def test_another_reader_confirmed_the_versions_of_the_report_half(half):
    name, items = half
    checked = [item["checked"] for item in items if "checked" in item]
    assert all(first == "stated" and second != "stated" for first, second in checked)
    assert name == "design" or len(checked) == len(items)


def test_paraphrases_are_found(half):
    name, items = half
    assert share_stated(items, "paraphrase") >= BOUNDS[name][0]


def test_wrong_versions_are_not_taken_for_the_fact(half):
    name, items = half
    assert share_stated(items, "wrong") <= BOUNDS[name][1]
