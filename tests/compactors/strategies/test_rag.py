"""``rag``: the newest part, and passages of the archive for the question."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from support.builders import (
    COUNTER,
    agent_logs,
    assistant,
    compact_now,
    context_of,
    session,
    user,
)
from support.compacting import compacted, ids, in_a_row, messages_of, observed

from pytest_compaction.compactors.base.passages import passages_of, ranked, shown
from pytest_compaction.compactors.strategies.rag import PASSAGES_ID, PREAMBLE, Rag
from pytest_compaction.conversation import structure_faults, text_message
from pytest_compaction.conversation.formats.chat import from_chat

QUESTION = "Which retry limit was set in src/module_1.py?"


def asked(compactor, outcome, context, question=QUESTION):
    return compactor.render(outcome.state, context, question).messages


def test_without_a_question_there_is_only_the_newest_part():
    outcome, view = compacted(Rag(), session(12), context_of(700))
    assert outcome.status == "truncated"
    assert all(message.origin == "log" for message in view)
    assert COUNTER.messages(view) <= 700


def test_a_question_brings_the_passage_that_answers_it_marked_with_its_message():
    context = context_of(700)
    compactor = Rag()
    outcome, newest = compacted(compactor, session(12), context)
    view = asked(compactor, outcome, context)
    assert "module_1.py" not in " ".join(message.text for message in newest)
    assert view[1].id == PASSAGES_ID
    assert (view[1].role, view[1].origin) == ("user", "synthetic")
    assert view[1].text.startswith(PREAMBLE)
    assert (
        "[m5, user]\nPlease fix the retry limit in src/module_1.py; it must be 101." in view[1].text
    )
    assert COUNTER.messages(view) <= 700
    assert structure_faults(view) == []
    assert ids(view)[-1] == ids(newest)[-1]


def test_what_the_shorter_newest_part_leaves_out_can_be_found_too():
    context, compactor = context_of(700), Rag(share=0.6)
    outcome, newest = compacted(compactor, session(12), context)
    first = newest[1]
    view = asked(compactor, outcome, context, f"What about {first.text[:60]}?")
    assert first.id not in ids(view)
    assert first.text[:40] in view[1].text


def test_two_questions_do_not_disturb_each_other():
    context, compactor = context_of(700), Rag()
    outcome, newest = compacted(compactor, session(12), context)
    before = json.dumps(outcome.state)
    one = asked(compactor, outcome, context)
    asked(compactor, outcome, context, "What was decided in src/module_3.py?")
    assert asked(compactor, outcome, context) == one
    assert json.dumps(outcome.state) == before
    assert compactor.render(outcome.state, context).messages == newest


def test_a_question_that_shares_no_word_leaves_the_view_as_it_is():
    context, compactor = context_of(700), Rag()
    outcome, newest = compacted(compactor, session(12), context)
    assert asked(compactor, outcome, context, "Quo vadis?") == newest


def test_the_archive_grows_over_compactions_and_never_holds_a_note_of_its_own():
    context, compactor = context_of(500), Rag()
    batches = [session(5), session(5)[1:], session(5)[1:]]
    *_, last = in_a_row(compactor, batches, context)
    archived = [item["id"] for item in last.state["archive"]]
    shown_ids = ids(compactor.render(last.state, context).messages)
    total = sum(map(len, batches))
    assert len(archived) == len(set(archived))
    assert sorted([*archived, *shown_ids]) == sorted(f"m{i}" for i in range(total))
    assert archived == sorted(archived, key=lambda id: int(id[1:]))


def test_new_messages_after_a_compaction_stay_when_a_question_is_asked():
    context, compactor = context_of(500), Rag()
    outcome, _ = compacted(compactor, session(8), context)
    new = [user("One more thing. " * 60), assistant("Noted. " * 60)]
    state = observed(compactor, new, context, outcome.state, start=90)
    whole = compactor.render(state, context).messages
    view = compactor.render(state, context, QUESTION).messages
    assert ids(view)[-1] == "m91"
    assert COUNTER.messages(view) <= COUNTER.messages(whole)


@settings(max_examples=40)
@given(agent_logs(), st.integers(60, 600), st.sampled_from(["the cache queue", "why 45?", ""]))
def test_no_question_makes_the_view_exceed_its_budget_or_break(chat, budget, question):
    compactor, context = Rag(), context_of(budget)
    outcome, plain = compacted(compactor, chat, context)
    view = asked(compactor, outcome, context, question)
    assert structure_faults(view) == []
    if outcome.status == "truncated":
        assert COUNTER.messages(view) <= budget
    else:
        assert view == plain


def test_passages_are_pieces_of_whole_lines_and_lose_nothing():
    text = "\n".join(f"line {i} " + "x" * 90 for i in range(20)) + "\n" + "y" * 1500
    passages = passages_of([text_message("m1", "tool", text)])
    assert all(len(passage.text) <= 700 for passage in passages)
    assert "".join(p.text for p in passages).replace("\n", "") == text.replace("\n", "")
    assert {passage.origin for passage in passages} == {"m1, tool"}


def test_neighbouring_passages_are_joined_and_a_gap_is_marked():
    passages = passages_of([text_message("m1", "user", "\n".join(["a" * 500] * 4))])
    assert shown(passages[:2]) == f"[m1, user]\n{'a' * 500}\n{'a' * 500}"
    assert shown([passages[0], passages[2]]) == f"[m1, user]\n{'a' * 500}\n…\n{'a' * 500}"


def test_ranking_leaves_out_what_shares_no_term():
    assert ranked(["the cat", "a queue and a lease", "the queue"], "queue lease?") == [1, 2]


def test_a_log_within_the_budget_needs_no_retrieval():
    context, compactor = context_of(100_000), Rag()
    state = observed(compactor, session(3), context)
    outcome = compact_now(compactor, state, context)
    assert outcome.status == "noop"
    assert asked(compactor, outcome, context) == messages_of(session(3)) == from_chat(session(3))
