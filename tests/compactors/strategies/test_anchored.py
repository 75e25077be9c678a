"""``anchored``: one running summary, into which each message is merged once.

``regenerate``: one summary of the whole view, written anew at each compaction.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.builders import (
    COUNTER,
    agent_logs,
    assistant,
    compact_now,
    context_of,
    session,
    tool,
    user,
)
from support.compacting import SpyModel, batched, compacted, cycles, in_a_row, observed, view_of
from support.compositions import talk

from pytest_compaction.compactors.strategies.anchored import (
    REPLACED,
    SUMMARY_ID,
    Anchored,
    Regenerate,
)
from pytest_compaction.conversation import readable
from pytest_compaction.conversation.formats.chat import from_chat


def anchored_cycles(chat, parts, budget=700, model=None):
    compactor, context = Anchored(), context_of(budget, model=model)
    return [
        (state, outcome, view_of(compactor, outcome, context))
        for state, outcome in cycles(compactor, batched(chat, parts), context)
    ]


def test_anchored_view_is_system_summary_and_newest_messages_within_budget():
    done = anchored_cycles(session(12), 3, budget=900)
    for _, outcome, view in done:
        assert outcome.status == "compacted"
        assert [message.role for message in view[:2]] == ["system", "user"]
        assert [m.id for m in view if m.origin == "synthetic"] == [SUMMARY_ID]
        assert view[1].id == SUMMARY_ID
        assert COUNTER.messages(view) <= 900
    last = done[-1][2]
    assert readable(last[-1]) == readable(from_chat(session(12))[-1])


def test_a_file_of_the_first_span_is_still_named_after_three_compactions():
    compactor, context = Anchored(), context_of(700)
    batches = [session(3), *([*talk(8, number)] for number in range(3))]
    done = list(in_a_row(compactor, batches, context))
    assert [outcome.status for outcome in done] == ["compacted"] * 4
    text = readable(view_of(compactor, done[-1], context)[1])
    assert "`src/module_0.py` created" in text
    for section in ("Session intent", "File modifications", "Decisions", "Next steps"):
        assert f"## {section}" in text


def test_each_message_is_summarised_once_and_merged_into_the_previous_summary():
    spy = SpyModel()
    done = anchored_cycles(session(12), 4, model=spy)
    assert len(spy.requests) == len(done) >= 3
    asked = [message.id for request in spy.requests for message in request.messages]
    assert len(asked) == len(set(asked))
    assert SUMMARY_ID not in asked
    first, *later = spy.requests
    assert first.previous is None
    for request, (state, _, _) in zip(later, done[1:], strict=True):
        assert request.previous.as_json() == state["summary"]
    left = {message.id for message in done[-1][2]}
    assert not left & set(asked)
    total = len(session(12))
    assert sorted({*asked, *left} - {SUMMARY_ID}) == sorted(f"m{i}" for i in range(total))


@settings(max_examples=30)
@given(agent_logs(max_turns=12), st.sampled_from([300, 600]))
def test_no_message_enters_the_summary_twice_on_any_log(chat, budget):
    spy = SpyModel()
    merged = []
    compactor, context = Anchored(), context_of(budget, model=spy)
    for _, outcome in cycles(compactor, batched(chat, 3), context):
        if outcome.status == "compacted":
            merged += [message.id for message in spy.requests[-1].messages]
            assert outcome.state["anchor"] == spy.requests[-1].messages[-1].id
    assert len(merged) == len(set(merged))


@pytest.mark.parametrize("followers", [4, 30])
def test_the_last_user_message_stays_word_for_word(followers):
    wish = "Keep the port at 8443 and never touch deploy.sh."
    work = [
        step
        for i in range(followers)
        for step in (
            assistant(f"step {i}", (f"w{i}", "bash", {"command": f"echo {i}"})),
            tool(f"w{i}", f"output {i} " * 30),
        )
    ]
    chat = [*session(3), user(wish), *work]
    compactor, context = Anchored(), context_of(800)
    outcome, view = compacted(compactor, chat, context)
    assert outcome.status == "compacted"
    assert [message.text for message in view if message.role == "user"][-1] == wish
    assert COUNTER.messages(view) <= 800
    again = compactor.observe(outcome.state, from_chat(work, prefix="again"), context)
    second = compact_now(compactor, again, context)
    users = [m.text for m in view_of(compactor, second, context) if m.role == "user"]
    assert second.status == "compacted"
    assert users[-1] == wish
    assert users.count(wish) == 1


def test_regenerate_writes_one_summary_from_the_whole_view_and_never_merges():
    spy = SpyModel()
    compactor, context = Regenerate(), context_of(500, model=spy)
    views = [
        view_of(compactor, outcome, context)
        for outcome in in_a_row(compactor, batched(session(9), 3), context)
    ]
    assert len(spy.requests) == len(views) >= 3
    assert all(request.previous is None for request in spy.requests)
    for number, view in enumerate(views, start=1):
        assert [message.origin for message in view] == ["log", "synthetic"]
        assert view[0].role == "system"
        assert view[1].id == f"summary-{number}"
        assert COUNTER.messages(view) <= 500
    for view, request in zip(views, spy.requests[1:], strict=False):
        read = request.messages[0]
        assert (read.id, read.origin) == (view[1].id, "synthetic")
        assert view[1].text == f"{REPLACED}\n\n{read.text}"


def test_regenerate_waits_for_a_pending_call():
    chat = [*session(3), assistant("look", ("open", "bash", {}))]
    compactor, context = Regenerate(), context_of(200)
    state = observed(compactor, chat, context)
    outcome = compact_now(compactor, state, context)
    assert outcome.status == "failed"
    assert "still without result" in outcome.error
    assert outcome.state == state
