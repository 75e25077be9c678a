"""Does the judge by rules score nuggets as careful readers do?

Sixty answers to the questions of each of two conversations in other words. Who answered saw the
question and all, the first half or the end of the conversation, and no nugget; two readers, each
alone, scored the nuggets 0, ½ or 1 from question and answer. The rules were mended on one of the
conversations and never on the other.
"""

import json
from pathlib import Path
from statistics import fmean

import pytest

from pytest_compaction.case.case import AnswerSpec
from pytest_compaction.case.nuggets import Nugget
from pytest_compaction.metrics.agreement.raters import weighted_kappa
from pytest_compaction.models.offline.nuggets.judge import judge_nuggets
from pytest_compaction.models.protocol import NO_LOG, JudgeRequest

ANSWERS = Path(__file__).parent / "nugget_answers" / "answers.jsonl"
READERS = 0.95
"""Least kappa of the two readers."""
NUGGETS = {"development": 0.85, "held-out": 0.68}
QUESTIONS = {"development": 0.9, "held-out": 0.65}
"""Least kappa of the rules with each reader, over nuggets and over the means of answers: guards,
not goals."""
OF_ANOTHER = 0.12
"""The most that an answer to another question of the conversation may score on average."""


def answers(half):
    with ANSWERS.open(encoding="utf-8") as lines:
        return [each for each in map(json.loads, lines) if each["half"] == half]


def scores(item, answer):
    nuggets = tuple(map(Nugget, item["nuggets"]))
    request = JudgeRequest(
        item["ability"], item["question"], answer, (), (), AnswerSpec(), NO_LOG, nuggets
    )
    return [nugget.score for nugget in judge_nuggets(request).nuggets]


@pytest.fixture(scope="module", params=NUGGETS)
def judged(request):
    items = answers(request.param)
    return request.param, [(scores(each, each["answer"]), each["labels"]) for each in items]


@pytest.mark.parametrize("reader", [0, 1])
def test_nuggets_are_scored_as_readers_do(judged, reader):
    half, found = judged
    pairs = [pair for ours, labels in found for pair in zip(ours, labels[reader], strict=True)]
    means = [(fmean(ours), fmean(labels[reader])) for ours, labels in found]
    assert len(pairs) == 150
    for name, least, measured in (
        ("nuggets", NUGGETS[half], weighted_kappa(pairs)),
        ("questions", QUESTIONS[half], weighted_kappa(means)),
    ):
        assert measured >= least, (name, measured)


def test_the_readers_agree(judged):
    _, found = judged
    pairs = [pair for _, labels in found for pair in zip(*labels, strict=True)]
    assert weighted_kappa(pairs) >= READERS


@pytest.mark.parametrize("half", NUGGETS)
def test_an_answer_to_another_question_earns_next_to_nothing(half):
    items = answers(half)
    found = []
    for number, item in enumerate(items):
        others = [each for each in items if each["question"] != item["question"]]
        found += scores(item, others[7 * number % len(others)]["answer"])
    assert fmean(found) <= OF_ANOTHER
