"""Conversations of our own: what their questions ask for is true, and not given away."""

import json
import re
from collections import Counter
from datetime import datetime
from functools import cache

import pytest

from pytest_compaction.case.case_set import find_cases
from pytest_compaction.case.kinds import ABILITIES
from pytest_compaction.case.nuggets import Nugget
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.long_conversations.assemble import make_conversation
from pytest_compaction.text.matching import TextIndex
from pytest_compaction.text.statement import Statement

SEEDS = (1, 2, 5, 8)
SHORT, LONG = 30_000, 100_000
MISSED = 0.02
"""The share of the length by which a conversation may miss what was asked for."""


@cache
def made(seed, tokens=SHORT):
    return make_conversation(tokens, seed)


def messages(conversation):
    turns = (turn for batch in conversation.batches for turn in batch.turns)
    pairs = (pair for turn in turns for pair in turn)
    return [text for pair in pairs for text in (pair.user, pair.assistant)]


def of_ability(conversation, ability):
    return [probing for probing in conversation.probings if probing.ability == ability]


def holds(words, text):
    """Whether the words stand in a text, and not as a part of a longer number or word."""
    pattern = rf"(?<![\w,]){re.escape(words)}(?!\w)"
    return re.search(pattern, text, re.IGNORECASE) is not None


@pytest.mark.parametrize("seed", SEEDS)
def test_the_words_of_a_nugget_stand_in_the_message_that_it_names(seed):
    conversation = made(seed)
    texts = messages(conversation)
    read = 0
    for probing in conversation.probings:
        for truth in probing.truths:
            for key in truth.keys if truth.words else ():
                text = texts[conversation.ids[key]]
                content = Nugget(truth.nugget).content
                assert TextIndex(text).read(Statement(content)).outcome == "stated", (content, text)
                read += 1
    assert read > 40


@pytest.mark.parametrize("seed", SEEDS)
def test_a_value_that_is_asked_for_stands_nowhere_else(seed):
    conversation = made(seed)
    texts = messages(conversation)
    for ability in ("information_extraction", "knowledge_update", "multi_session_reasoning"):
        for probing in of_ability(conversation, ability):
            for truth in probing.truths:
                found = [number for number, text in enumerate(texts) if holds(truth.words, text)]
                assert not truth.words or found == [conversation.ids[truth.keys[0]]], truth


@pytest.mark.parametrize("seed", SEEDS)
def test_the_newest_value_is_told_last_and_the_events_in_their_order(seed):
    conversation = made(seed)
    ids = conversation.ids
    for probing in of_ability(conversation, "knowledge_update"):
        (newest,) = probing.source["updated_info"]
        former = [ids[key] for key in probing.source["original_info"]]
        assert len(former) == 2
        assert max(former) < ids[newest]
    for probing in of_ability(conversation, "event_ordering"):
        told = [ids[key] for key in probing.source]
        assert told == sorted(told)
        assert [ids[key] for truth in probing.truths for key in truth.keys] == told


@pytest.mark.parametrize("seed", SEEDS)
def test_sums_are_those_of_the_messages(seed):
    conversation = made(seed)
    texts = messages(conversation)
    for probing in of_ability(conversation, "multi_session_reasoning"):
        told = [texts[conversation.ids[key]] for key in probing.source]
        sums = [int(each) for text in told for each in re.findall(r"(\d+) euros", text)]
        assert len(sums) == len(told)
        total, *_ = probing.truths
        assert holds(f"{sum(sums):,} euros", total.nugget)


def day_in(text):
    match = re.search(r"(\d+) ([A-Z][a-z]+)\b|([A-Z][a-z]+) (\d+)", text)
    day, month = (match[1], match[2]) if match[1] else (match[4], match[3])
    return datetime.strptime(f"{day} {month} 2023", "%d %B %Y")


@pytest.mark.parametrize("seed", SEEDS)
def test_days_between_are_those_of_the_dates_that_hold(seed):
    conversation = made(seed)
    texts = messages(conversation)
    for probing in of_ability(conversation, "temporal_reasoning"):
        (first,) = probing.source["first_event"]
        *_, second = probing.source["second_event"]
        days = [day_in(texts[conversation.ids[key]]) for key in (first, second)]
        between = (days[1] - days[0]).days % 365
        leap = {between, between + 1} if days[0].month <= 2 or days[1] < days[0] else {between}
        length, *_ = probing.truths
        assert any(holds(f"{each} days", length.nugget) for each in leap)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_asked_and_was_never_said_is_not_there(seed):
    conversation = made(seed)
    plan = conversation.plan
    for absence in plan.absences:
        known = [*plan.facts, *plan.others, *plan.updates]
        assert absence.elsewhere in known
        about = [each.attribute for each in known if each.about == absence.about]
        assert absence.attribute not in about
        speaking = [text for text in messages(conversation) if holds(absence.attribute.noun, text)]
        for text in speaking:
            assert not any(name.casefold() in text.casefold() for name in absence.about.names), text
    for probing in of_ability(conversation, "abstention"):
        assert probing.source is None


def test_talk_of_other_things_has_no_number_and_no_word_of_an_attribute():
    conversation = made(3, LONG)
    said = {conversation.ids[each.key] for each in conversation.plan.said()}
    remarks = {text for probing in conversation.probings for text in probing.remarks}
    talk = [
        text
        for number, text in enumerate(messages(conversation))
        if number not in said and text not in remarks
    ]
    nouns = {each.attribute.noun for each in conversation.plan.others}
    assert len(nouns) > 5
    assert [text for text in talk if re.search(r"\d", text)] == []
    assert [text for text in talk if any(holds(noun, text) for noun in nouns)] == []


def test_hardly_two_messages_are_alike():
    counted = Counter(messages(made(3, LONG)))
    assert counted.most_common(1)[0][1] <= 3
    assert len(counted) > 0.98 * counted.total()


@pytest.mark.parametrize("tokens", [4_000, 5_000, 19_999, 20_000, SHORT, LONG])
def test_a_conversation_is_as_long_as_asked_for(tmp_path, tokens):
    conversation = made(4, tokens)
    conversation.write(tmp_path / "7")
    found = find_cases([tmp_path])
    case = found.case(found.entries[0].id)
    counter = TokenCounter()
    counted = sum(counter.message(message) for message in case.messages)
    assert counted == pytest.approx(tokens, rel=MISSED)
    assert conversation.tokens == counted


@pytest.mark.parametrize(("tokens", "each"), [(4_000, 1), (19_999, 1), (20_000, 2), (SHORT, 2)])
def test_a_conversation_is_a_case_with_one_or_two_questions_of_each_ability(tmp_path, tokens, each):
    conversation = made(1, tokens)
    conversation.write(tmp_path / "30K" / "1")
    found = find_cases([tmp_path])
    assert found.errors == ()
    case = found.case("30K-1")
    kinds = Counter(probe.kind for probe in case.probes)
    assert kinds == dict.fromkeys(ABILITIES, each)
    texts = {message.id: message.text for message in case.messages}
    for probe, probing in zip(case.probes, conversation.probings, strict=True):
        evidence = {id for nugget in probe.nuggets for id in nugget.evidence}
        keys = {key for truth in probing.truths for key in truth.keys if truth.words}
        assert {str(conversation.ids[key]) for key in keys} <= evidence
        assert evidence <= set(texts)


def test_ids_go_on_counting_over_several_files(tmp_path):
    conversation = made(1)
    conversation.write(tmp_path / "whole" / "1")
    conversation.write(tmp_path / "parts" / "1", plans=2)
    whole, parts = (find_cases([tmp_path / name]) for name in ("whole", "parts"))
    assert (tmp_path / "parts" / "1" / "plan-1" / "chat.json").is_file()
    one, other = (each.case(each.entries[0].id) for each in (whole, parts))
    assert (one.messages, one.probes) == (other.messages, other.probes)


def test_days_of_the_parts_rise(tmp_path):
    conversation = made(1, LONG)
    days = [datetime.strptime(each.anchor, "%B-%d-%Y") for each in conversation.batches]
    assert len(days) == 10
    assert days == sorted(set(days))


def test_other_seeds_and_lengths_make_other_conversations():
    first = json.dumps([each.question for each in made(1).probings])
    assert first != json.dumps([each.question for each in made(2).probings])
    assert messages(made(1)) != messages(made(1, 31_000))


def test_too_short_a_conversation_is_refused():
    with pytest.raises(ValueError, match="at least 4,000 tokens"):
        make_conversation(3_999, 1)
