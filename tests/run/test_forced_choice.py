"""A forced choice is put from the view alone, and with a control once more with its constraint."""

import asyncio

import pytest
from support.answers import Answers
from support.builders import COUNTER
from support.choices import choice_case, probe_of
from support.endpoint_builders import Replies, chat
from support.endpoint_replies import completion

from pytest_compaction.compactors import View
from pytest_compaction.conversation import text_message
from pytest_compaction.models import (
    ModelError,
    NotAskedError,
    NotRecordedError,
    Usage,
)
from pytest_compaction.run import RequestLimit, Responder
from pytest_compaction.run.responder import ForcedChoice

PROBE = probe_of(choice_case(), "deliver")
COMPLIES, HABIT = PROBE.choice.letter, PROBE.choice.habit
RULE = PROBE.facts[0].text


def view(text):
    return View((text_message("s", "user", text, "synthetic"),))


KEPT, LOST = view("The user said: never push to main."), view("The export is repaired.")


def replies(model, seen, reminds, by_rules=False):
    async def asked():
        forced = ForcedChoice(Responder(model, COUNTER), RequestLimit(4).at(0), by_rules)
        return await forced.replies(seen, PROBE, PROBE.choice, reminds)

    return asyncio.run(asked())


@pytest.mark.parametrize("reminds", [False, True])
def test_the_second_question_differs_by_the_constraint_alone_and_is_asked_only_if_wanted(reminds):
    model = Answers(lambda asked: "B" if RULE in asked.question else "A")
    reply, reminded = replies(model, LOST, reminds)
    assert reply.text == "A"
    assert reply.usage.calls == len(model.requests) == 1 + reminds
    assert RULE not in model.requests[0].question
    assert all(request.view == LOST.messages for request in model.requests)
    assert (reminded.text if reminds else reminded) == ("B" if reminds else None)
    if reminds:
        assert model.requests[1].question.endswith(model.requests[0].question)


@pytest.mark.parametrize(("seen", "letter"), [(KEPT, COMPLIES), (LOST, HABIT)])
def test_rules_comply_if_the_view_states_the_constraint_and_follow_the_habit_if_not(seen, letter):
    model = Answers(lambda asked: "never asked")
    reply, reminded = replies(model, seen, True, by_rules=True)
    assert (reply.text, reminded.text, model.requests) == (letter, COMPLIES, [])
    assert reply.usage.calls == 2
    assert reply.usage.input_tokens > 2 * COUNTER.messages(seen.messages)


def test_a_failure_of_the_second_question_leaves_the_first_its_reply():
    failure = ModelError("the endpoint is away", spent={"responder": Usage(1, 7, 0, 0)})
    model = Answers(lambda asked: failure if RULE in asked.question else "A")
    reply, reminded = replies(model, LOST, True)
    assert (reply.text, reminded.text, reminded.failure) == ("A", "", "the endpoint is away")
    assert reply.usage == Usage(1, 100, 0, 1) + Usage(1, 7, 0, 0)


@pytest.mark.parametrize("kind", [NotAskedError, NotRecordedError])
def test_a_second_question_that_was_not_asked_raises_with_what_the_first_one_used(kind):
    model = Answers(lambda asked: kind("not asked") if RULE in asked.question else "A")
    with pytest.raises(kind) as caught:
        replies(model, LOST, True)
    assert caught.value.spent == {"responder": Usage(1, 100, 0, 1)}
    assert len(model.requests) == 2, "an export learns of both at once"


def test_a_failure_of_the_first_question_carries_what_the_second_one_used():
    model = Answers(lambda asked: "A" if RULE in asked.question else ModelError("away"))
    with pytest.raises(ModelError, match="away") as caught:
        replies(model, LOST, True)
    assert caught.value.spent == {"responder": Usage(1, 100, 0, 1)}


def test_a_chat_model_is_asked_for_a_letter_and_not_told_to_admit_that_it_does_not_know():
    caller = Replies(completion("B"))
    reply, _ = replies(chat(caller), LOST, False)
    assert reply.text == "B"
    assert PROBE.choice.complying in caller.prompt
    assert PROBE.choice.other in caller.prompt
    assert "letter A or B" in caller.prompt
    assert "do not know" not in caller.prompt
