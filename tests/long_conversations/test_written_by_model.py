"""A plan written out by a model: its words, its length, and the questions that stay true."""

import asyncio
import re

import pytest
from support.endpoint_builders import Replies

from pytest_compaction.case.case_set import find_cases
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.long_conversations.assemble import draft
from pytest_compaction.long_conversations.by_model.writer import estimated, write_out
from pytest_compaction.long_conversations.events.event import Undertaking
from pytest_compaction.long_conversations.truths import is_overtaken, untrue
from pytest_compaction.long_conversations.truths import names as names_it
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


def written(caller, tokens=TOKENS):
    return asyncio.run(write_out(draft(tokens, SEED), "m", caller, TokenCounter()))


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


def test_a_short_conversation_keeps_its_questions_and_its_length():
    found = written(model(answer="I would wait. "), 4_000)
    assert found.dropped == {}
    assert len(found.conversation.probings) == 10
    assert found.conversation.tokens == pytest.approx(4_000, rel=0.02)


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


def refusal():
    return {"choices": [{"finish_reason": "stop", "message": {"refusal": "I cannot help."}}]}


def refusing(when):
    """A model that refuses the messages of the user for whose sketch and trial ``when`` holds."""
    saying = model()

    def say(call):
        who, text = asked_for(call)
        if who == "user" and when(text, call.trial):
            return refusal()
        return saying._bodies[0](call)

    return Replies(say)


def of_ability(ability):
    return [each for each in draft(TOKENS, SEED).probings if each.ability == ability]


def test_a_refused_message_is_asked_for_again():
    assert written(refusing(lambda text, trial: trial == 1)).dropped == {}


def test_a_message_that_is_always_refused_costs_its_question_alone():
    (first, *_) = of_ability("information_extraction")
    value = first.truths[0].words
    found = written(refusing(lambda text, trial: value in text))
    assert found.dropped == {first.question: f"no message states {first.truths[0].nugget!r}"}
    assert found.conversation.tokens == pytest.approx(TOKENS, rel=0.02)
    assert not any(value in text for text in found.conversation.texts())


def test_a_model_that_refuses_everything_ends_it_with_its_reason():
    with pytest.raises(
        ModelError, match=r"m did not write 21 of the first .* it refused: I cannot"
    ):
        written(Replies(refusal()))


def test_a_question_whose_rule_is_not_said_is_dropped():
    (first, second) = of_ability("instruction_following")
    _, word = first.rule
    found = written(model(lambda sketch, trial: re.sub(word, "other one", sketch, flags=re.I)))
    assert found.dropped == {first.question: f"no message states {word!r}"}
    assert second.question not in found.dropped


def test_a_question_whose_undertaking_is_not_named_is_dropped():
    made = draft(TOKENS, SEED)
    fact = made.plan.facts[2]
    found = written(model(lambda sketch, trial: fact.said.text if fact.value in sketch else sketch))
    sketches = [turn.pairs[0].user for turn in made.turns if turn.key == fact.said.key]
    assert any(name in sketches[0] for name in fact.about.names)
    asked = of_ability("information_extraction")[1].question
    assert found.dropped == {asked: f"a message does not say that it is about {fact.about.asked}"}


def test_questions_on_an_undertaking_whose_names_were_not_told_are_dropped():
    plan = draft(TOKENS, SEED).plan
    about = plan.facts[2].about
    first, second, third = about.names

    def forgetful(sketch, trial):
        is_first = all(name in sketch for name in about.names)
        return f"I go on with {first} for now." if is_first else sketch

    found = written(model(forgetful))
    asked = {each.question for each in draft(TOKENS, SEED).probings if third in each.question}
    assert asked
    assert set(found.dropped) == asked
    assert set(found.dropped.values()) == {f"no message states {second!r}"}


def test_what_names_things_stays_where_a_model_writes_too_much():
    found = written(model(answer="I would wait a little. " * 40))
    texts = found.conversation.texts()
    for each in found.conversation.plan.undertakings:
        assert any(all(name in text for name in each.names) for text in texts)


def test_talk_with_a_value_that_nobody_planned_is_left_out():
    turns = draft(TOKENS, SEED).turns
    keyed = {pair.user for turn in turns if turn.key for pair in turn.pairs}

    def priced(sketch, trial):
        return sketch if sketch in keyed else sketch.replace("What ", "For 777 euros, what ")

    found = written(model(priced))
    assert found.dropped == {}
    assert not any("777" in text for text in found.conversation.texts())
    assert found.conversation.tokens == pytest.approx(TOKENS, rel=0.02)


def test_a_question_is_dropped_if_its_message_has_a_value_that_nobody_planned():
    (first, *_) = of_ability("information_extraction")
    value = first.truths[0].words
    found = written(model(lambda sketch, trial: sketch.replace(value, f"{value} or 777 euros")))
    assert found.dropped == {first.question: "a message has 777, which is not planned"}


def test_other_words_for_a_question_are_taken_only_if_they_name_the_same():
    saying = model()

    def say(call):
        who, _ = asked_for(call)
        return reply("What did I say of it?") if who == "question" else saying._bodies[0](call)

    found = written(Replies(say))
    asked = [each.question for each in found.conversation.probings]
    names = [name for each in found.conversation.plan.undertakings for name in each.names]
    naming = [
        each.question
        for each in draft(TOKENS, SEED).probings
        if any(name in each.question for name in names)
    ]
    assert len(naming) > 15
    assert set(naming) <= set(asked)


def test_a_question_does_not_give_the_sum_away():
    saying = model()
    (first, _) = of_ability("multi_session_reasoning")
    total = first.truths[0].nugget.rpartition(": ")[2]

    def say(call):
        _, text = asked_for(call)
        if text == first.question:
            return reply(f"{text} Was it {total}?")
        return saying._bodies[0](call)

    asked = [each.question for each in written(Replies(say)).conversation.probings]
    assert first.question in asked
    assert not any(total in text for text in asked)


def test_an_older_value_that_is_said_again_overtakes_an_update():
    made = draft(TOKENS, SEED)
    update = made.plan.updates[0]
    texts = [said.text for said in update.said]
    ids = {said.key: number for number, said in enumerate(update.said)}
    assert not is_overtaken(update, texts, ids)
    assert is_overtaken(update, [*texts, f"So {update.values[0]} it is."], ids)
    moved = {key: number + 1 for key, number in ids.items()}
    assert is_overtaken(update, [f"It may be {update.values[-1]}.", *texts], moved)
    assert not is_overtaken(update, [*texts, f"So {update.values[-1]} it is."], ids)


def test_a_name_with_a_capital_is_found():
    about = Undertaking(("the evening classes", "the Portuguese lessons", "the course"), (), ())
    assert names_it(about, "I go on with the Portuguese lessons.")
    assert names_it(about, "THE EVENING CLASSES went well.")
    assert not names_it(about, "The lessons went well.")


def test_what_a_model_says_holds_no_marker_of_the_set_and_no_escape(tmp_path):
    def spoil(sketch, trial):
        return f"->-> 1,2 \x1b[31m\u202e{sketch}\x07 ->-> 3"

    found = written(model(spoil, "I would ->-> wait.\x1b[2J " * 9))
    assert found.dropped == {}
    texts = found.conversation.texts()
    assert not any(re.search("->->|[\x00-\x09\x0b-\x1f\x7f\u202e]", text) for text in texts)
    found.conversation.write(tmp_path / "1")
    found_cases = find_cases([tmp_path / "1"])
    case = found_cases.case(found_cases.entries[0].id)
    assert [message.text for message in case.messages] == texts


@pytest.mark.parametrize("tail", [" Please" * 2000, "?" * 5000])
def test_other_words_for_a_question_are_not_taken_if_they_never_end(tail):
    saying = model()

    def say(call):
        who, text = asked_for(call)
        return reply(text + tail) if who == "question" else saying._bodies[0](call)

    asked = [each.question for each in written(Replies(say)).conversation.probings]
    assert asked == [each.question for each in draft(TOKENS, SEED).probings]
