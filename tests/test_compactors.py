"""The shipped strategies: what each promises, on any log of an agent."""

import asyncio
import copy
import json

import pytest
from builders import (
    COUNTER,
    agent_logs,
    assistant,
    compact_now,
    context_of,
    session,
    system,
    tool,
    user,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_compaction.chat_format import from_chat
from pytest_compaction.compactors.anchored import SUMMARY_ID, Anchored
from pytest_compaction.compactors.none import NoCompaction
from pytest_compaction.compactors.regenerate import PREAMBLE, Regenerate
from pytest_compaction.compactors.truncate import Truncate
from pytest_compaction.conversation import groups, pending_calls, readable, structure_faults
from pytest_compaction.models.offline import OfflineModel
from pytest_compaction.models.protocol import ModelError, SummaryReply
from pytest_compaction.summary import Summary

STRATEGIES = [NoCompaction, Truncate, Regenerate, Anchored]
BUDGETS = st.sampled_from([20, 120, 300, 800])


class SpyModel(OfflineModel):
    """Notes every request to summarise."""

    def __init__(self):
        super().__init__(COUNTER)
        self.requests = []

    async def summarize(self, request):
        self.requests.append(request)
        return await super().summarize(request)


def named(chat, prefix):
    return from_chat(chat, prefix=prefix)


def observed(compactor, chat, context, state=None):
    messages = from_chat(chat)
    return compactor.observe(compactor.start() if state is None else state, messages, context)


def cycles(compactor, batches, context):
    """The state before, and the outcome of, one compaction after each batch of messages."""
    state, number = compactor.start(), 0
    for batch in batches:
        messages = from_chat(
            [{**message, "id": f"m{number + i}"} for i, message in enumerate(batch)]
        )
        number += len(messages)
        state = compactor.observe(state, messages, context)
        outcome = compact_now(compactor, state, context)
        yield state, outcome
        state = outcome.state


def view_of(compactor, state, context):
    return compactor.render(state, context).messages


def batched(chat, count):
    """The log in about ``count`` parts, tool calls and results together."""
    ranges = groups(from_chat(chat))
    size = -(-len(ranges) // count)
    for start in range(0, len(ranges), size):
        part = ranges[start : start + size]
        yield chat[part[0][0] : part[-1][1]]


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=50)
@given(chat=agent_logs(), more=agent_logs(pending=True, max_turns=3), budget=BUDGETS)
def test_the_structure_stays_sound_and_every_message_has_one_fate(strategy, chat, more, budget):
    compactor, context = strategy(), context_of(budget)
    more = [message for message in more if message["role"] != "system"]
    for state, outcome in cycles(compactor, [*batched(chat, 3), more], context):
        before = view_of(compactor, state, context)
        after = view_of(compactor, outcome.state, context)
        assert structure_faults(after) == []
        claimed = [id for span in outcome.spans for id in span.ids]
        assert claimed == [message.id for message in before]
        ids = [message.id for message in after]
        assert len(set(ids)) == len(ids)
        for span in outcome.spans:
            assert all((id in ids) == (span.fate in {"kept", "masked"}) for id in span.ids)
            assert span.by is None or span.by in ids
        kept = {id for span in outcome.spans if span.fate == "kept" for id in span.ids}
        assert [m for m in before if m.id in kept] == [m for m in after if m.id in kept]
        if outcome.status in {"noop", "failed"}:
            assert outcome.state == state
        else:
            assert COUNTER.messages(after) < COUNTER.messages(before)


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=20)
@given(chat=agent_logs(), budget=BUDGETS)
def test_a_state_is_json_and_no_method_changes_what_it_is_given(strategy, chat, budget):
    compactor, context = strategy(), context_of(budget)
    start = compactor.start()
    new = from_chat(chat)
    given_new = copy.deepcopy(new)
    state = compactor.observe(start, new, context)
    assert start == strategy().start()
    assert new == given_new
    before = json.loads(json.dumps(state))
    assert before == state
    outcome = compact_now(compactor, state, context)
    compactor.due(state, context)
    view = view_of(compactor, state, context)
    assert state == before
    assert view_of(compactor, before, context) == view == given_new
    again = json.loads(json.dumps(outcome.state))
    assert view_of(compactor, again, context) == view_of(compactor, outcome.state, context)


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=20)
@given(chat=agent_logs(), budget=BUDGETS)
def test_the_same_log_gives_the_same_view(strategy, chat, budget):
    runs = [
        [outcome for _, outcome in cycles(strategy(), batched(chat, 2), context_of(budget))]
        for _ in range(2)
    ]
    assert runs[0] == runs[1]


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=20)
@given(chat=agent_logs(pending=True), budget=BUDGETS)
def test_a_call_that_waits_for_its_result_survives(strategy, chat, budget):
    compactor, context = strategy(), context_of(budget)
    state = observed(compactor, chat, context)
    waiting = pending_calls(from_chat(chat))
    outcome = compact_now(compactor, state, context)
    view = view_of(compactor, outcome.state, context)
    assert waiting
    assert pending_calls(view) == waiting
    results = named([*(tool(id, "late") for id in waiting), user("go on")], "late")
    complete = view_of(compactor, compactor.observe(outcome.state, results, context), context)
    assert structure_faults(complete) == []


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_nothing_observed_is_nothing_to_compact(strategy):
    compactor, context = strategy(), context_of(100)
    outcome = compact_now(compactor, compactor.start(), context)
    assert (outcome.status, outcome.spans) == ("noop", ())
    assert view_of(compactor, outcome.state, context) == ()


@pytest.mark.parametrize("strategy", [Truncate, Regenerate, Anchored])
def test_compaction_is_due_near_the_end_of_the_window(strategy):
    compactor = strategy()
    small = context_of()
    state = observed(compactor, session(4), small)
    used = COUNTER.messages(from_chat(session(4)))
    assert compactor.due(state, context_of(window=used * 2)) is None
    assert f"{used} of {used + 1} tokens used" == compactor.due(state, context_of(window=used + 1))


# --- none ----------------------------------------------------------------------------


@given(agent_logs(pending=True), BUDGETS)
def test_the_control_keeps_everything_and_is_never_due(chat, budget):
    compactor, context = NoCompaction(), context_of(budget, window=1)
    state = observed(compactor, chat, context)
    outcome = compact_now(compactor, state, context)
    assert outcome.status == "noop"
    assert view_of(compactor, outcome.state, context) == from_chat(chat)
    assert compactor.due(state, context) is None


# --- truncate ------------------------------------------------------------------------


def plain_log(count, head=()):
    turns = [user(f"question {i}") if i % 2 else assistant(f"answer {i}") for i in range(count)]
    return from_chat([*head, *turns])


@pytest.mark.parametrize(
    ("count", "fraction", "left"),
    [(9, 0.5, 5), (10, 0.5, 6), (12, 0.5, 8), (11, 0.25, 9), (3, 0.5, 1), (2, 0.5, 1), (1, 0.5, 1)],
)
def test_one_step_of_truncate_removes_an_even_number_of_the_oldest(count, fraction, left):
    messages = plain_log(count)
    shorter = Truncate(fraction).step(messages)
    if count in {2, 3}:
        assert shorter == messages[:1] + messages[-1:]
        return
    assert len(shorter) == left
    assert (count - len(shorter)) % 2 == 0
    assert shorter == messages[:1] + messages[1 + count - left :]


@given(agent_logs(), st.sampled_from([0.25, 0.5, 0.75, 1.0]))
def test_a_step_keeps_the_head_and_removes_whole_groups_after_it(chat, fraction):
    messages = from_chat(chat)
    shorter = Truncate(fraction).step(messages)
    head = next((m for m in messages if m.role != "system"), messages[0])
    assert head in shorter
    assert shorter[-1:] == messages[-1:]
    removed = [m for m in messages if m not in shorter]
    assert structure_faults(shorter) == []
    assert structure_faults(removed) == []
    if removed:
        first = messages.index(removed[0])
        assert list(messages[first : first + len(removed)]) == removed
        rest = len(messages) - first
        even = int(rest * fraction) // 2 * 2
        last_group = groups(messages)[-1][0]
        assert len(removed) >= even or first + len(removed) == last_group


@given(agent_logs(), BUDGETS)
def test_truncate_fits_the_budget_or_says_that_what_must_stay_does_not(chat, budget):
    compactor, context = Truncate(), context_of(budget)
    outcome = compact_now(compactor, observed(compactor, chat, context), context)
    view = view_of(compactor, outcome.state, context)
    if outcome.status != "failed":
        assert COUNTER.messages(view) <= budget
        return
    shortest = from_chat(chat)
    while compactor.step(shortest) != shortest:
        shortest = compactor.step(shortest)
    assert view == from_chat(chat)
    assert COUNTER.messages(shortest) > budget
    assert str(COUNTER.messages(shortest)) in outcome.error


def test_truncate_leaves_a_log_within_budget_alone():
    messages = session(2)
    context = context_of(COUNTER.messages(from_chat(messages)))
    compactor = Truncate()
    assert compact_now(compactor, observed(compactor, messages, context), context).status == "noop"


def test_truncate_keeps_system_first_message_and_newest_part():
    chat = session(8)
    compactor, context = Truncate(), context_of(600)
    outcome = compact_now(compactor, observed(compactor, chat, context), context)
    view = view_of(compactor, outcome.state, context)
    messages = from_chat(chat)
    assert outcome.status == "truncated"
    assert view[:2] == messages[:2]
    assert view[2:] == messages[-len(view) + 2 :]
    assert COUNTER.messages(view) <= 600
    assert [span.fate for span in outcome.spans] == ["kept", "dropped", "kept"]


def test_truncate_keeps_a_first_message_with_calls_whole():
    chat = [assistant(None, ("c1",)), tool("c1", "word " * 50), *session(4)[1:]]
    compactor, context = Truncate(), context_of(400)
    outcome = compact_now(compactor, observed(compactor, chat, context), context)
    view = view_of(compactor, outcome.state, context)
    assert view[:2] == from_chat(chat)[:2]
    assert structure_faults(view) == []


@pytest.mark.parametrize("fraction", [0, -1, 1.5])
def test_truncate_refuses_an_impossible_fraction(fraction):
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        Truncate(fraction)


# --- regenerate ----------------------------------------------------------------------


def test_regenerate_writes_one_summary_from_the_whole_view_and_never_merges():
    spy = SpyModel()
    compactor, context = Regenerate(), context_of(500, model=spy)
    views = [
        view_of(compactor, outcome.state, context)
        for _, outcome in cycles(compactor, batched(session(9), 3), context)
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
        assert view[1].text == f"{PREAMBLE}\n\n{read.text}"


def test_regenerate_waits_for_a_pending_call():
    chat = [*session(3), assistant("look", ("open", "bash", {}))]
    compactor, context = Regenerate(), context_of(200)
    state = observed(compactor, chat, context)
    outcome = compact_now(compactor, state, context)
    assert outcome.status == "failed"
    assert "still without result" in outcome.error
    assert outcome.state == state


# --- anchored ------------------------------------------------------------------------


def anchored_cycles(chat, parts, budget=700, model=None):
    compactor, context = Anchored(), context_of(budget, model=model)
    return [
        (state, outcome, view_of(compactor, outcome.state, context))
        for state, outcome in cycles(compactor, batched(chat, parts), context)
    ]


def test_anchored_view_is_system_summary_and_newest_messages_within_budget():
    done = anchored_cycles(session(12), 3)
    for _, outcome, view in done:
        assert outcome.status == "compacted"
        assert [message.role for message in view[:2]] == ["system", "user"]
        assert [m.id for m in view if m.origin == "synthetic"] == [SUMMARY_ID]
        assert view[1].id == SUMMARY_ID
        assert COUNTER.messages(view) <= 700
    last = done[-1][2]
    assert readable(last[-1]) == readable(from_chat(session(12))[-1])


def talk(number, turns=8):
    """Turns without tools, to fill a window."""
    for turn in range(turns):
        yield user(f"What about idea {number}-{turn}? " + f"detail{number}x{turn} " * 30)
        yield assistant(f"Idea {number}-{turn} is noted. " + f"remark{number}x{turn} " * 30)


def test_a_file_of_the_first_span_is_still_named_after_three_compactions():
    compactor, context = Anchored(), context_of(700)
    batches = [session(3), *([*talk(number)] for number in range(3))]
    done = [
        (state, outcome, view_of(compactor, outcome.state, context))
        for state, outcome in cycles(compactor, batches, context)
    ]
    assert [outcome.status for _, outcome, _ in done] == ["compacted"] * 4
    text = readable(done[-1][2][1])
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
    outcome = compact_now(compactor, observed(compactor, chat, context), context)
    view = view_of(compactor, outcome.state, context)
    assert outcome.status == "compacted"
    assert [message.text for message in view if message.role == "user"][-1] == wish
    assert COUNTER.messages(view) <= 800
    again = compactor.observe(
        outcome.state,
        named(work, "again"),
        context,
    )
    second = compact_now(compactor, again, context)
    users = [m.text for m in view_of(compactor, second.state, context) if m.role == "user"]
    assert second.status == "compacted"
    assert users[-1] == wish
    assert users.count(wish) == 1


def test_anchored_leaves_a_log_within_budget_alone():
    chat = session(2)
    context = context_of(COUNTER.messages(from_chat(chat)))
    outcome = compact_now(Anchored(), observed(Anchored(), chat, context), context)
    assert outcome.status == "noop"


def test_a_system_prompt_that_takes_the_budget_is_a_failure():
    chat = [system("rule " * 500), *session(2)[1:]]
    for strategy in (Anchored, Regenerate):
        context = context_of(100)
        state = observed(strategy(), chat, context)
        outcome = compact_now(strategy(), state, context)
        assert (outcome.status, outcome.state) == ("failed", state)
        assert "system prompt alone takes the budget" in outcome.error


class EmptyModel(SpyModel):
    async def summarize(self, request):
        return SummaryReply(Summary(tuple((section.id, ()) for section in request.sections)))


class AwayModel(SpyModel):
    async def summarize(self, request):
        raise ModelError("the endpoint is away")


@pytest.mark.parametrize("strategy", [Anchored, Regenerate])
def test_an_empty_summary_leaves_the_state_as_it_was(strategy):
    compactor, context = strategy(), context_of(400, model=EmptyModel())
    state = observed(compactor, session(6), context)
    outcome = compact_now(compactor, state, context)
    assert outcome.status == "failed"
    assert "empty" in outcome.error
    assert outcome.state == state
    assert [span.fate for span in outcome.spans] == ["kept"]


@pytest.mark.parametrize("strategy", [Anchored, Regenerate])
def test_a_model_that_is_away_leaves_the_state_as_it_was(strategy):
    compactor, context = strategy(), context_of(400, model=AwayModel())
    state = observed(compactor, session(6), context)
    before = copy.deepcopy(state)
    outcome = compact_now(compactor, state, context)
    assert outcome.status == "failed"
    assert "the endpoint is away" in outcome.error
    assert outcome.state == state == before


@pytest.mark.parametrize("share", [0, 1, -0.5, 2])
def test_anchored_refuses_an_impossible_share(share):
    with pytest.raises(ValueError, match="must be between 0 and 1"):
        Anchored(share)


def test_a_strategy_works_on_any_event_loop():
    compactor, context = Anchored(), context_of(400)
    state = observed(compactor, session(6), context)

    async def twice():
        return await asyncio.gather(*(compactor.compact(state, context) for _ in range(2)))

    first, second = asyncio.run(twice())
    assert first == second == compact_now(compactor, state, context)
