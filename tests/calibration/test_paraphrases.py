"""Facts in other words are found, and wrong versions in the same words are not.

What was measured on the report half: 76 of 100 paraphrases stated and 20 of 100 wrong versions
accepted (design half: 92 and 7). The goal, 90 and 10, is not reached on unseen material.
"""

import json
from pathlib import Path

import pytest

from pytest_compaction.text.matching import Statement, TextIndex

FOLDER = Path(__file__).parent / "paraphrases"
BOUNDS = {"design": (0.90, 0.10), "report": (0.74, 0.22)}
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
    )


@pytest.fixture(params=sorted(BOUNDS))
def half(request):
    with (FOLDER / f"{request.param}.jsonl").open(encoding="utf-8") as lines:
        return request.param, [json.loads(line) for line in lines]


def share_stated(items, version):
    return sum(
        TextIndex(item[version]).read(statement(item)).outcome == "stated" for item in items
    ) / len(items)


def test_each_half_has_a_hundred_facts_of_every_type(half):
    _, items = half
    assert len(items) == len({item["id"] for item in items}) == 100
    assert len({item["type"] for item in items}) == 10


def test_paraphrases_are_found(half):
    name, items = half
    assert share_stated(items, "paraphrase") >= BOUNDS[name][0]


def test_wrong_versions_are_not_taken_for_the_fact(half):
    name, items = half
    assert share_stated(items, "wrong") <= BOUNDS[name][1]
