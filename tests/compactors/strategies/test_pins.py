"""``pins``: which sentences of the user are constraints, and their place in a view."""

import pytest
from support.builders import COUNTER, assistant, context_of, session, system, tool, user
from support.compacting import SpyModel, compacted, ids, in_a_row, messages_of, view_of
from support.compositions import create, talk

from pytest_compaction.compactors.strategies.anchored import SUMMARY_ID
from pytest_compaction.compactors.strategies.ledger import LEDGER_ID
from pytest_compaction.compactors.strategies.pins import (
    PINS_ID,
    PREAMBLE,
    Pins,
    constraints_of,
    followed_by,
    listed,
    type_of,
)
from pytest_compaction.conversation import structure_faults

RULES = user(
    "The importer is slow. Rules for the whole job: (1) the signature of load() must not change. "
    "(2) No new dependency. (3) One commit for each step."
)


def pinned(*chat):
    """The texts of the constraints that stand after these messages."""
    standing = []
    for place, message in enumerate(chat):
        found = list(constraints_of(messages_of([message], place)))
        standing = followed_by(standing, found)
    return [constraint.text for constraint in standing]


@pytest.mark.parametrize(
    ("sentence", "type"),
    [
        ("Never push to main.", "prohibition"),
        ("Read it, but don't edit anything below ops/.", "prohibition"),
        ("Nothing in notes/ may be edited.", "prohibition"),
        ("No new dependency.", "prohibition"),
        ("The files in data/ are never rewritten.", "prohibition"),
        ("Leave the changelog alone.", "prohibition"),
        ("The queue must hold at most 40 jobs.", "limit"),
        ("Lines have at most 80 characters.", "limit"),
        ("You must run the tests first.", "requirement"),
        ("Keep the public names stable.", "requirement"),
        ("The version stays 3.1.4.", "requirement"),
        ("From now on answer in French.", "requirement"),
        ("Use metric units, not imperial ones.", "preference"),
        ("I'd rather have short functions.", "preference"),
        ("You may now edit the files in ops/.", "permission"),
        ("Forget what I said about the changelog.", "permission"),
        ("I don't know why it fails.", None),
        ("It must have been the cache.", None),
        ("We have to talk about the release some day.", None),
        ("The tests took 45 seconds yesterday.", None),
        ("No problem with that at all.", None),
        ("Please run the tests of the parser.", None),
    ],
)
def test_a_sentence_is_a_constraint_by_its_cues(sentence, type):
    assert type_of(sentence) == type


def test_rules_that_are_announced_count_whatever_their_words():
    assert pinned(RULES) == [
        "Rules for the whole job: (1) the signature of load() must not change.",
        "No new dependency.",
        "One commit for each step.",
    ]
    listing = "Conventions here:\n\n- snake case for names\n- docs in British English\n"
    assert pinned(user(listing)) == ["snake case for names", "docs in British English"]


def test_casual_sentences_are_told_apart():
    said = user("looks good to me. never touch the lock file. what does the log say?")
    assert pinned(said) == ["never touch the lock file."]


def test_questions_code_and_what_others_say_are_no_constraints():
    assert pinned(user("Must the port be 8080?")) == []
    assert pinned(user("It prints:\n```\nassert never_pushed, 'never push to main'\n```\n")) == []
    assert pinned(assistant("We must never push to main.")) == []
    result = [assistant(None, ("c", "read_file", {"path": "RULES"})), tool("c", "Never push here.")]
    assert pinned(*result) == []


def test_a_rule_with_another_number_takes_the_place_of_the_earlier_one():
    first, other = user("The queue must hold at most 40 jobs."), user("Never push to main.")
    later = user("The queue must hold at most 60 jobs.")
    assert pinned(first, other, later) == [
        "Never push to main.",
        "The queue must hold at most 60 jobs.",
    ]
    assert pinned(other, other) == ["Never push to main."]


def test_two_rules_of_one_message_both_stand():
    both = user("Phase 1 must end by Monday. Phase 2 must end by Monday.")
    assert pinned(both) == ["Phase 1 must end by Monday.", "Phase 2 must end by Monday."]


def test_what_is_lifted_stands_after_what_it_lifts_under_a_heading_of_its_own():
    chat = [user("Never edit ops/."), user("You may now edit ops/ again.")]
    standing = list(constraints_of(messages_of(chat)))
    text = listed(standing, 500, 40, COUNTER.text)
    assert text == (
        "## Not to be done\n- Never edit ops/.\n\n"
        "## Lifted or allowed since\n- You may now edit ops/ again."
    )


def test_prohibitions_come_in_first_and_what_is_missing_is_counted():
    chat = [user(f"I prefer the colour {name}.") for name in ("red", "green", "blue", "brown")]
    chat += [user("Never push to main, whatever the branch of the day is called.")]
    standing = list(constraints_of(messages_of(chat)))
    least = COUNTER.text(PREAMBLE) + 45
    numbers = []
    for room in range(least, least + 60, 5):
        text = listed(standing, room, 40, COUNTER.text)
        shown = [line for line in text.splitlines() if line.startswith("- ")]
        assert COUNTER.text(f"{PREAMBLE}\n\n{text}") <= room
        assert shown[0].startswith("- Never push")
        assert len(shown) == 5 or text.endswith(f"({5 - len(shown)} more left out)")
        numbers.append(len(shown))
    assert numbers == sorted(numbers)
    assert (numbers[0], numbers[-1]) == (1, 5)
    assert listed(standing, 500, 2, COUNTER.text).endswith("(3 more left out)")


def test_alone_it_keeps_system_prompt_pins_and_newest_part_within_the_budget():
    chat = [system(), RULES, *session(8)[1:]]
    outcome, view = compacted(Pins(), chat, context_of(900))
    assert outcome.status == "truncated"
    assert ids(view)[:2] == ["m0", PINS_ID]
    assert (view[1].role, view[1].origin) == ("user", "synthetic")
    assert view[1].text.startswith(PREAMBLE)
    assert "- No new dependency." in view[1].text
    assert ids(view)[-1] == f"m{len(chat) - 1}"
    assert COUNTER.messages(view) <= 900


def test_without_constraints_it_keeps_the_newest_part():
    chat = [system(), *talk(12)]
    assert (
        compacted(Pins(), chat, context_of(500))[1]
        == (compacted(create("window"), chat, context_of(500))[1])
    )


def test_beside_a_summary_the_rules_of_long_ago_stand_word_for_word_and_once():
    context, composed = context_of(900), create("anchored+pins")
    batches = [[system(), RULES, *session(8)[1:]], *([*talk(6, n)] for n in range(3))]
    for outcome in in_a_row(composed, batches, context):
        view = view_of(composed, outcome, context)
        assert [m.id for m in view if m.origin == "synthetic"] == [SUMMARY_ID, PINS_ID]
        assert view[2].text.count("No new dependency.") == 1
        assert COUNTER.messages(view) <= 900
        assert structure_faults(view) == []


def test_pins_and_ledger_stand_beside_one_another():
    context, composed = context_of(1200), create("anchored+ledger+pins")
    (outcome,) = in_a_row(composed, [[system(), RULES, *session(10)[1:]]], context)
    view = view_of(composed, outcome, context)
    assert ids(view)[1:4] == [SUMMARY_ID, LEDGER_ID, PINS_ID]
    assert COUNTER.messages(view) <= 1200


def test_the_summariser_is_asked_for_all_sections_and_never_reads_the_pins():
    spy = SpyModel()
    context = context_of(900, model=spy)
    batches = [[system(), RULES, *session(8)[1:]], [*talk(6)]]
    list(in_a_row(create("regenerate+pins"), batches, context))
    list(in_a_row(create("regenerate"), batches, context))
    with_pins, without = spy.requests[0], spy.requests[2]
    assert with_pins.sections == without.sections
    assert all(m.id != PINS_ID for request in spy.requests for m in request.messages)
