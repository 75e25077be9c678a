"""A model judges how far the answers of two arms agree."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.replaying import (
    TOKENS,
    Writer,
    judge,
    judgement,
    last_only,
    replay,
    strategy,
)

from pytest_compaction.case import AnswerSpec
from pytest_compaction.dialogues import figures_of
from pytest_compaction.dialogues.figures import consistency_of
from pytest_compaction.dialogues.replay import MAX_ITEMS, material, read_judgement
from pytest_compaction.models import AnswerRequest, CallReply, ChatModel, ModelError, Usage


def test_a_model_judges_how_far_answers_agree_and_equal_ones_are_not_asked_about():
    judges = judge(judgement())
    replayed = replay(strategy(last_only), responder=Writer(), judges=judges)
    agreed = replayed.comparison.agreements[0]
    assert replayed.comparison.method == "model"
    assert agreed.turns == (1.0, 1.0, 0.8, 0.8)
    assert (agreed.consistency, agreed.retention) == (pytest.approx(0.9), pytest.approx(0.75))
    assert replayed.usage["judge"] == Usage(2, 20, 0, 10)
    assert len(judges[0].asked) == 2


def test_a_judge_sees_both_answers_and_not_which_arm_or_strategy_they_are_of():
    judges = judge(judgement())
    replay(strategy(last_only), responder=Writer(), judges=judges)
    _, view, question = judges[0].asked[0]
    data = json.loads(question[question.index('{"user"') :])
    assert view == ()
    assert data["first"] == "own answer from 4 messages"
    assert data["second"] == "own answer from 1 messages"
    assert not {"strategy", "summary arm", "compact", "baseline"} & set(question.split())


def test_several_judges_are_averaged():
    judges = judge(judgement(0.8, ()), judgement(0.4, (False,)))
    agreed = replay(strategy(last_only), responder=Writer(), judges=judges).comparison.agreements[0]
    assert agreed.turns[2:] == (pytest.approx(0.6), pytest.approx(0.6))
    assert agreed.retained[2:] == (0.5, 0.5)


class Wire:
    """Sends no call anywhere and gives this reply to all of them."""

    def __init__(self, text):
        self.calls, self.text = [], text

    async def call(self, call):
        self.calls.append(call)
        message = {"role": "assistant", "content": self.text}
        return CallReply({"choices": [{"message": message, "finish_reason": "stop"}]})

    async def close(self):
        pass


def test_the_calls_of_a_judge_are_booked_as_judging_and_are_no_other_calls_for_that():
    answering, judging = Wire("an answer"), Wire(judgement())
    replay(
        strategy(last_only),
        responder=ChatModel("one-model", answering, TOKENS),
        judges=(ChatModel("one-model", judging, TOKENS),),
        history="recorded",
    )
    assert {call.role for call in answering.calls} == {"responder"}
    assert judging.calls == [], "equal answers need no judge"
    wire = Wire("x")
    model = ChatModel("one-model", wire, TOKENS)
    for role in ("responder", "judge"):
        asyncio.run(model.answer(AnswerRequest((), "?", AnswerSpec(), role=role)))
    first, second = wire.calls
    assert (first.role, second.role) == ("responder", "judge")
    assert first.digest == second.digest


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I would say 0.8.",
        "[0.8]",
        "{}",
        judgement(1.2),
        judgement(-0.1),
        judgement(float("nan")),
        judgement("five"),
        judgement(True),
        '{"similarity": 0.5}',
        '{"similarity": 0.5, "items": [{"text": "a"}]}',
        '{"similarity": 0.5, "items": [3]}',
        '{"similarity": 0.5, "items": "all"}',
        "{" * 5000 + "}" * 5000,
        "\x1b[2J",
    ],
)
def test_a_reply_that_is_no_judgement_leaves_the_dialogue_unscored(reply):
    with pytest.raises(ValueError, match="judge") as caught:
        read_judgement(reply)
    assert str(caught.value).isprintable()
    replayed = replay(strategy(last_only), responder=Writer(), judges=judge(reply))
    assert replayed.passed is None
    assert replayed.unscored.startswith("turn 3: the judge")


class FailsInTrial2(Writer):
    """A judge that fails in the second trial."""

    async def answer(self, request):
        if self.trial == 2:
            raise ModelError("the judge's endpoint is away")
        return await super().answer(request)


def test_a_dialogue_with_a_trial_that_was_not_scored_is_unscored_in_items_and_in_tables():
    judges = (FailsInTrial2(answers=lambda request: judgement()),)
    replayed = replay(strategy(last_only), responder=Writer(), judges=judges, trials=3)
    scored = [agreed.consistency is not None for agreed in replayed.comparison.agreements]
    assert scored == [True, False, True]
    assert (replayed.consistency, replayed.passed) == (None, None)
    assert replayed.unscored == "1 of 3 trials: turn 3: the judge's endpoint is away"
    assert consistency_of(replayed.comparison) is None
    figures = figures_of("CM", [replayed.comparison])
    assert (figures.dialogues, figures.scored, figures.unscored_trials) == (1, 0, 1)
    assert (figures.consistency, figures.retention, figures.passes) == (None, None, {})


def test_judging_is_asked_for_in_the_role_of_the_judge():
    seen = []
    answers = Writer(answers=lambda request: seen.append(("responder", request)) or "x")
    judges = (Writer(answers=lambda request: seen.append(("judge", request)) or judgement()),)
    replay(strategy(last_only), responder=answers, judges=judges)
    replay(strategy(last_only), responder=Writer(), judges=judges)
    assert {who for who, _ in seen} == {"responder", "judge"}
    assert all(request.role == who for who, request in seen)


def test_a_judgement_may_stand_in_a_fence_and_only_so_many_items_count():
    many = [True] * MAX_ITEMS + [False] * 10
    assert read_judgement(f"```json\n{judgement(0.5, many)}\n```") == (0.5, 1.0)


@given(st.text(), st.text(), st.text())
def test_no_text_ends_the_material_of_a_judge(user, first, second):
    line = material(user, first, second)
    assert "\n" not in line
    assert json.loads(line) == {"user": user, "first": first, "second": second}
