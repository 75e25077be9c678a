"""What the questions ask for is determined by the text, once, for many seeds and lengths.

Most checks read the messages and the plan, and not the code that made the one from the other.
"""

import re
from datetime import datetime, timedelta
from functools import cache

import pytest

from pytest_compaction.long_conversations import names
from pytest_compaction.long_conversations.assemble import make_conversation
from pytest_compaction.long_conversations.plan import make_plan
from pytest_compaction.long_conversations.truths import is_told

SHORT = 20_000
MADE = [(seed, SHORT) for seed in range(950, 958)] + [(966, 60_000), (967, 100_000)]
BRIEF = [(seed, 4_000) for seed in range(970, 978)] + [(978, 12_000)]
"""Lengths with one question of each ability."""
MISSED = 0.02
LONG = (968, 250_000)
DAY = re.compile(r"(?:(\d+) ([A-Z][a-z]+)|([A-Z][a-z]+) (\d+),?)(?: (\d{4}))?\b")


@cache
def made(seed, tokens):
    return make_conversation(tokens, seed)


def of_ability(conversation, ability):
    return [each for each in conversation.probings if each.ability == ability]


def places(words, texts):
    """The messages in which the words stand, and not as a part of a longer number or word."""
    pattern = re.compile(rf"(?<![\w,]){re.escape(words)}(?![\w])(?!,\d)", re.IGNORECASE)
    return [number for number, text in enumerate(texts) if pattern.search(text)]


def turns(conversation):
    """The texts of each turn, both speakers in one."""
    for batch in conversation.batches:
        for turn in batch.turns:
            yield " ".join(text for pair in turn for text in (pair.user, pair.assistant))


@pytest.fixture(params=[*MADE, *BRIEF, LONG], ids=lambda pair: f"{pair[0]}-{pair[1]}")
def conversation(request):
    return made(*request.param)


def test_a_conversation_is_as_long_as_asked_for(conversation, request):
    seed, tokens = request.node.callspec.params["conversation"]
    assert conversation.tokens == pytest.approx(tokens, rel=MISSED)
    if tokens == SHORT:
        others = (make_conversation(SHORT, seed + 10 * number).tokens for number in range(1, 4))
        assert all(each == pytest.approx(SHORT, rel=MISSED) for each in others)


def test_every_value_of_an_update_stands_in_one_message_and_the_answer_is_the_last(conversation):
    texts = conversation.texts()
    asked = of_ability(conversation, "knowledge_update")
    for probing, update in zip(asked, conversation.plan.updates, strict=True):
        told = [places(value, texts) for value in update.values]
        assert told == [[conversation.ids[said.key]] for said in update.said]
        assert told == sorted(told)
        assert probing.answer == f"{update.values[-1]}."


def test_facts_that_are_asked_for_are_stated_once_and_of_no_other_undertaking(conversation):
    texts, plan = conversation.texts(), conversation.plan
    for fact in (*plan.facts, *plan.others):
        assert places(fact.value, texts) == [conversation.ids[fact.said.key]]
    known = [(each.about, each.attribute.name) for each in (*plan.facts, *plan.others)]
    known += [(each.about, each.attribute.name) for each in plan.updates]
    assert len(known) == len(set(known))


def test_what_is_never_said_is_in_no_turn_with_its_undertaking(conversation):
    for absence in conversation.plan.absences:
        noun = absence.attribute.noun
        for text in turns(conversation):
            named = any(name.casefold() in text.casefold() for name in absence.about.names)
            assert not (named and places(noun, [text])), text


def days_of(text, year):
    """The last day in a text, in a year unless one is said."""
    *_, match = DAY.finditer(text)
    day, month = (match[1], match[2]) if match[1] else (match[4], match[3])
    return datetime.strptime(f"{day} {month} {match[5] or year}", "%d %B %Y").date()


def days_between(texts, year):
    first, second = (days_of(text, year) for text in texts)
    return (second - first).days


def test_the_days_between_two_dates_follow_from_what_is_said_of_them(conversation):
    texts, plan = conversation.texts(), conversation.plan
    for span, probing in zip(
        plan.spans, of_ability(conversation, "temporal_reasoning"), strict=True
    ):
        *_, put_off = probing.source["second_event"]
        (first,) = probing.source["first_event"]
        said = [span.said[0].text, span.said[2].text]
        assert all(
            text in texts[conversation.ids[key]]
            for text, key in zip(said, (first, put_off), strict=True)
        )
        assert {days_between(said, year) for year in (2023, 2024)} == {span.length}
        assert probing.truths[0].nugget.endswith(f" {span.length} days")
        planned = conversation.ids[span.said[1].key]
        assert planned < conversation.ids[put_off]


def test_a_day_is_said_with_its_year_where_it_may_be_meant_a_year_before():
    spans = made(*LONG).plan.spans
    assert all(re.search(r"\b20\d\d\b", said.text) for span in spans for said in span.said)


def test_days_across_the_end_of_february_or_of_a_year_are_said_with_their_year():
    crossing = 0
    for plan in (make_plan(seed, SHORT) for seed in range(200)):
        for span in plan.spans:
            first, _ = span.days
            days = {first + timedelta(each) for each in range(span.length + 1)}
            turning = any((day.month, day.day) in {(3, 1), (1, 1)} for day in days - {first})
            crossing += turning
            years = [re.search(r"\b20\d\d\b", said.text) is not None for said in span.said]
            assert years == [turning] * 3 or (all(years) and first.month == 2)
    assert crossing > 20


def test_what_was_paid_altogether_is_said_nowhere(conversation):
    texts = conversation.texts()
    for payments in conversation.plan.payments:
        assert places(f"{payments.total:,} euros", texts) == []
        assert all(len(places(f"{amount} euros", texts)) == 1 for amount in payments.sums)


def test_a_first_name_is_that_of_one_person(conversation):
    text = "\n".join(conversation.texts())
    assert not set(names.FIRST) & set(names.FRIENDS)
    assert not set(names.LAST) & set(names.FIRMS)
    people = {}
    for first in names.FIRST:
        people[first] = set(re.findall(rf"\b{first}\b(?: ([A-Z]\w+))?", text))
    assert {len(found) for found in people.values()} <= {0, 1}
    assert not any("" in found for found in people.values())
    lasts = [last for found in people.values() for last in found]
    assert len(lasts) == len(set(lasts)) > 3
    friends = [name for each in conversation.plan.undertakings for name in each.people]
    assert len(friends) == len(set(friends))


def test_no_question_holds_its_answer(conversation):
    for probing in conversation.probings:
        for truth in probing.truths:
            if truth.words:
                assert not places(truth.words, [probing.question])
                assert not is_told(truth, probing.question), probing.question
        assert not re.search(r"\d{2}", probing.question)


def test_an_undertaking_has_all_its_names_before_anything_is_said_of_it(conversation):
    texts, plan = conversation.texts(), conversation.plan
    for undertaking in plan.undertakings:
        begun = min(n for n, text in enumerate(texts) if all(x in text for x in undertaking.names))
        about = [conversation.ids[said.key] for said in plan.said() if said.about == undertaking]
        assert begun < min(about, default=len(texts))


def test_what_is_said_of_an_undertaking_names_it_in_the_same_turn(conversation):
    said = {each.key: each for each in conversation.plan.said() if each.about is not None}
    key_of = {conversation.ids[key]: key for key in said}
    number = found = 0
    for batch in conversation.batches:
        for turn in batch.turns:
            before = ""
            for pair in turn:
                before += pair.user
                if number in key_of:
                    about = said[key_of[number]].about
                    assert any(name in before for name in about.names), before
                    found += 1
                number += 2
    assert found == len(said)


def test_nothing_else_speaks_for_or_against_what_the_user_denied(conversation):
    texts, plan = conversation.texts(), conversation.plan
    for event in plan.contradictions:
        told = {conversation.ids[said.key] for said in event.said}
        towns = {town for town in names.TOWNS if any(town in claim for claim in event.claims)}
        assert towns
        for town in towns:
            assert set(places(town, texts)) <= told
        contrary = {"sew": "the quilt", "animals": "the bee house", "sung": "the choir trip"}
        for word, kind in contrary.items():
            if word in event.question:
                assert not any(kind in each.names for each in plan.undertakings)


def test_the_words_are_grammatical(conversation):
    for text in conversation.texts():
        assert not re.search(r"\ba (?=[aeiouAEIOU])", text), text
        assert not re.search(r"\b(\w+) \1\b", text), text
        assert "{" not in text


@pytest.mark.exhaustive
def test_no_question_says_the_town_of_what_is_told_to_be_nowhere():
    absent = 0
    for seed in range(600):
        plan = make_plan(seed, SHORT)
        for absence in plan.absences:
            asked = [
                each.question for each in plan.preferences if absence.about.asked in each.question
            ]
            if absence.attribute.name == "venue" and asked:
                absent += 1
                assert not any(town in text for text in asked for town in names.TOWNS)
    assert absent > 20


def test_the_name_of_a_machine_stands_after_a():
    assert not [name for name in names.MACHINES if name[0] in "AEIOU"]


def test_no_two_undertakings_have_a_step_in_the_same_words():
    for seed in range(200):
        plan = make_plan(seed, SHORT)
        steps = [step for course in (*plan.courses, *plan.told) for step in course.steps]
        assert len(steps) == len(set(steps)) == 20, steps


def test_a_part_belongs_to_one_kind_of_undertaking():
    parts = [part for kind in names.KINDS for part in kind.parts]
    assert len(parts) == len(set(parts))
    for kind in names.KINDS:
        others = [name for each in names.KINDS if each != kind for name in each.names]
        assert not [(part, name) for part in kind.parts for name in others if places(part, [name])]


def test_parts_agree_with_what_is_said_of_them(conversation):
    parts = {part for each in conversation.plan.undertakings for part in each.parts}
    one = [part for part in parts if not part.endswith("s") or part == "trellis"]
    many = [part for part in parts if part not in one]
    text = "\n".join(conversation.texts())
    subject = r"(?<!for )(?<!of )(?<!on )(?<!at )(?<!with )(?<!and )(?<!or )\bthe (?:{}) "
    alone, together = (subject.format("|".join(each)) for each in (one, many))
    assert re.search(rf"{together}(?:are|were|give|look)\b", text)
    assert re.search(rf"{alone}(?:is|was|gives|looks)\b", text)
    assert not re.search(rf"{together}(?:is|was|gives|looks|keeps)\b", text)
    assert not re.search(rf"{alone}(?:are|were|give|look|keep)\b", text)


def test_talk_stays_with_what_it_is_about(conversation):
    parts = {part: each for each in conversation.plan.undertakings for part in each.parts}
    for batch in conversation.batches[-2:]:
        for turn in batch.turns:
            for pair in turn:
                about = {id(each) for part, each in parts.items() if f"the {part}" in pair.user}
                answered = {
                    id(each) for part, each in parts.items() if f"the {part} " in pair.assistant
                }
                if len(about) == 1 == len(answered):
                    assert about == answered, pair
