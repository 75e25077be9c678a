"""Conversations in other words than the generator's: what is asked is known, and rules read it."""

import asyncio
import json
from pathlib import Path
from statistics import fmean

import pytest

from pytest_compaction.case.kinds import ABILITIES
from pytest_compaction.case.long_memory.beam.conversation import read_conversation
from pytest_compaction.case.nuggets import Nugget
from pytest_compaction.conversation.tokens import shared_counter
from pytest_compaction.models.offline.model import OfflineModel
from pytest_compaction.models.offline.nuggets.judge import judge_nuggets
from pytest_compaction.models.protocol import NO_LOG, AnswerRequest, JudgeRequest

WRITTEN = Path(__file__).with_name("written")
NARROWBOAT = WRITTEN / "development/narrowboat"
BOTH = pytest.mark.parametrize("folder", [NARROWBOAT, WRITTEN / "held-out/box-office"])
ANSWERS = ("ideal_response", "ideal_answer", "answer", "ideal_summary")
FORGOTTEN = 0.5
"""What a reader of the last tenth may score at most of what one of the whole scores."""


def score(probe, response):
    request = JudgeRequest(
        probe.kind, probe.question, response, (), (), probe.answer, NO_LOG, nuggets=probe.nuggets
    )
    return fmean(each.score for each in judge_nuggets(request).nuggets)


def answered(view, probes):
    """The mean score of the offline model's answers from a view."""
    model = OfflineModel(shared_counter())

    async def scores():
        found = []
        for probe in probes:
            request = AnswerRequest(view, probe.question, probe.answer, kind=probe.kind)
            found.append(score(probe, (await model.answer(request)).text))
        return found

    return fmean(asyncio.run(scores()))


@BOTH
def test_each_ability_is_asked_twice(folder):
    case = read_conversation(folder, folder.name)
    kinds = [probe.kind for probe in case.probes]
    assert sorted(kinds) == sorted([*ABILITIES, *ABILITIES])


@BOTH
def test_the_answers_that_stand_with_the_questions_hold_their_nuggets(folder):
    written = json.loads((folder / "probing_questions/probing_questions.json").read_text("utf-8"))
    scores = {}
    for kind, questions in written.items():
        for asked in questions:
            text = next((asked[key] for key in ANSWERS if key in asked), None)
            if text is None or kind == "event_ordering":
                continue
            nuggets = tuple(Nugget(nugget) for nugget in asked["rubric"])
            request = JudgeRequest(
                kind, asked["question"], text, (), (), None, NO_LOG, nuggets=nuggets
            )
            scores[asked["question"]] = fmean(one.score for one in judge_nuggets(request).nuggets)
    assert len(scores) == 14
    assert {question: value for question, value in scores.items() if value < 0.75} == {}


def test_a_reader_of_the_whole_knows_more_than_one_of_its_end():
    case = read_conversation(NARROWBOAT, "narrowboat")
    asked = [probe for probe in case.probes if probe.kind not in ("abstention", "event_ordering")]
    end = case.messages[-(len(case.messages) // 10) :]
    assert answered(end, asked) < FORGOTTEN * answered(case.messages, asked)
