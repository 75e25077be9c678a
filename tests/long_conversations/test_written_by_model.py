"""A plan written out by a model: its words, its length, and the questions that stay true."""

import asyncio
import re

import pytest
from support.endpoint_builders import Replies

from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.long_conversations.assemble import draft
from pytest_compaction.long_conversations.by_model.writer import estimated, write_out
from pytest_compaction.long_conversations.truths import untrue
from pytest_compaction.models.calls.store import Store
from pytest_compaction.models.protocol import ModelError

TOKENS = 20_000
SEED = 11
EARLIER = "What was said just before:"


def reply(text):
    return {"choices": [{"finish_reason": "stop", "message": {"content": text}}]}


def asked_for(call):
    """Who is to speak, and the last message of the prompt."""
    first, *_, last = call.body["messages"]
    who = "user" if "sketch" in first["content"] else "assistant"
    who = "question" if first["content"].startswith("Word this question") else who
    return who, last["content"]


def model(spoil=lambda sketch, trial: sketch, answer="I would wait a little. " * 12):
    """A model that says what it was told to say, after ``spoil``."""

    def say(call):
        who, text = asked_for(call)
        if who == "user":
            sketch = text.partition("The sketch:\n\n")[2]
            return reply(f"Hello there. {spoil(sketch, call.trial)}")
        return reply(answer if who == "assistant" else f"Tell me: {text}")

    return Replies(say)


def written(caller, seed=SEED):
    return asyncio.run(write_out(draft(TOKENS, seed), "m", caller, TokenCounter()))


def test_the_words_are_those_of_the_model_and_all_questions_stay():
    found = written(model())
    texts = found.conversation.texts()
    assert all(text.startswith("Hello there. ") for text in texts[::2])
    assert all(text.startswith("I would wait") for text in texts[1::2])
    assert found.dropped == {}
    assert len(found.conversation.probings) == 20
    for probing in found.conversation.probings:
        assert probing.question.startswith("Tell me: ")
        assert untrue(probing, texts, found.conversation.ids) == ""


@pytest.mark.parametrize("answer", ["I would wait. ", "I would wait a little. " * 16])
def test_the_length_is_right_whether_the_model_is_brief_or_not(answer):
    found = written(model(answer=answer))
    assert found.conversation.tokens == pytest.approx(TOKENS, rel=0.02)
    assert found.dropped == {}


def test_a_message_without_its_fact_is_asked_for_again():
    def at_first(sketch, trial):
        return re.sub(r"\d", "", sketch) if trial == 1 else sketch

    caller = model(at_first)
    assert written(caller).dropped == {}
    assert {call.trial for call in caller.calls} == {1, 2}


def test_a_question_whose_fact_is_in_no_message_is_dropped():
    made = draft(TOKENS, SEED)
    (first, *_) = [each for each in made.probings if each.ability == "information_extraction"]
    value = first.truths[0].words
    found = written(model(lambda sketch, trial: sketch.replace(value, "something")))
    assert found.dropped == {first.question: f"no message states {first.truths[0].nugget!r}"}
    assert len(found.conversation.probings) == 19


def test_a_question_is_dropped_if_a_message_speaks_of_what_it_says_is_missing():
    made = draft(TOKENS, SEED)
    absence, _ = made.plan.absences
    spoiling = f"The {absence.attribute.noun} of {absence.about.asked} is settled."
    found = written(model(answer=spoiling))
    asked = absence.attribute.asked.format(it=absence.about.asked)
    assert found.dropped == {asked: "a message speaks of it"}


def test_a_follow_up_is_asked_for_with_what_was_said_before():
    caller = model()
    written(caller)
    follow_ups = [text for who, text in map(asked_for, caller.calls) if EARLIER in text]
    assert follow_ups
    assert all("User: Hello there. " in text for text in follow_ups)


def test_the_estimate_has_the_calls_that_are_made():
    made = draft(TOKENS, SEED)
    expected = estimated(made, TokenCounter())
    pairs = sum(len(turn.pairs) for turn in made.turns)
    assert expected.calls == 2 * pairs + 20
    assert expected.output_tokens < TOKENS < expected.input_tokens


def test_what_was_written_before_a_failure_is_not_asked_for_again(tmp_path):
    saying = model()
    failing = Replies(*[saying._bodies[0]] * 30, ModelError("the line is down"))
    with pytest.raises(ModelError):
        written(Store(tmp_path, failing, "normal"))
    kept = len(list(tmp_path.rglob("*.json")))
    assert kept > 5
    again = Store(tmp_path, saying, "normal")
    assert written(again).dropped == {}
    calls = len(saying.calls)
    assert len(list(tmp_path.rglob("*.json"))) == kept + calls
    assert written(again).dropped == {}
    assert len(saying.calls) == calls


def test_a_call_that_fails_for_good_ends_it():
    with pytest.raises(ModelError, match="the key is wrong"):
        written(Replies(ModelError("the key is wrong")))
