"""``openhands``: exactly which events are forgotten, and what the summariser reads of them.

``openhands``: the reset of a hard requirement, with smaller texts at each attempt.
"""

import itertools
import json
from dataclasses import replace

import pytest
from support.builders import (
    COUNTER,
    assistant,
    compact_now,
    context_of,
    session,
    system,
    tool,
    user,
)
from support.compacting import (
    AwayModel,
    RefusingModel,
    SayingModel,
    SpyModel,
    compacted,
    ids,
    in_a_row,
    messages_of,
    observed,
    talk,
    tokens,
    view_of,
)

from pytest_compaction.compactors.products.openhands import (
    FORGOTTEN,
    PREAMBLE,
    PREVIEW,
    OpenHands,
    manipulation_indices,
    suffix_for_reduction,
)
from pytest_compaction.conversation import readable

ROOMY = 1_000_000
READ = ("read_texts", "read_results", "read_arguments")


def thinking(id):
    part = {"type": "thinking", "thinking": "hm", "signature": "s"}
    return {**assistant(None, (id, "bash", {})), "content": [part]}


def test_too_many_events_leave_half_of_the_size_with_the_summary():
    chat = talk(80)
    outcome, view = compacted(OpenHands(), chat, context_of(ROOMY, window=ROOMY))
    assert outcome.status == "compacted"
    assert ids(view) == [
        *(f"m{i}" for i in range(4)),
        "openhands-summary-1",
        *(f"m{i}" for i in range(46, 81)),
    ]
    assert len(view) == 80 // 2
    assert view[4].text.startswith(PREAMBLE)


def test_the_class_itself_has_other_sizes():
    compactor, context = OpenHands(240, 2), context_of(ROOMY, window=ROOMY)
    outcome, _ = compacted(compactor, talk(239), context)
    assert outcome.status == "noop"
    _, view = compacted(compactor, talk(240), context)
    assert len(view) == 120
    assert ids(view)[:3] == ["m0", "m1", "openhands-summary-1"]


def test_too_many_tokens_leave_half_of_those_allowed_verbatim():
    chat = talk(30)
    budget = tokens(chat) // 2
    _, view = compacted(OpenHands(), chat, context_of(budget))
    verbatim = [m for m in view if m.origin == "log"]
    one = COUNTER.message(messages_of(chat)[-1])
    assert budget // 2 - one <= COUNTER.messages(verbatim) <= budget // 2
    assert COUNTER.messages(view) <= budget


def test_with_two_reasons_the_shorter_tail_counts():
    chat = talk(90)
    messages = messages_of(chat)
    by_events = OpenHands().forgotten(messages, context_of(ROOMY, window=ROOMY))
    by_both = OpenHands().forgotten(messages, context_of(tokens(chat) // 4))
    assert by_events == (4, 91 - 35)
    assert by_both[0] == 4
    assert by_both[1] > by_events[1]


def test_a_request_leaves_half_of_the_events():
    context = replace(context_of(ROOMY, window=ROOMY), reason="manual")
    chat = talk(39)
    assert OpenHands().forgotten(messages_of(chat), context) == (4, 40 - (20 - 4 - 1))


def test_both_ends_move_on_to_where_the_view_may_be_cut():
    chat = [system(), user("go")]
    for number in range(45):
        chat += [assistant(None, (f"c{number}", "bash", {})), tool(f"c{number}", "out")]
    context = context_of(ROOMY, window=ROOMY)
    assert OpenHands(keep_first=3).forgotten(messages_of(chat), context) == (4, 56)
    assert OpenHands(keep_first=4).forgotten(messages_of(chat), context) == (4, 58)


def test_a_run_of_calls_that_began_with_thinking_is_not_cut():
    chat = [
        user("go"),
        thinking("a"),
        tool("a", "1"),
        assistant(None, ("b", "bash", {})),
        tool("b", "2"),
        thinking("c"),
        tool("c", "3"),
        assistant("done"),
        assistant(None, ("d", "bash", {})),
        tool("d", "4"),
    ]
    assert manipulation_indices(messages_of(chat)) == [0, 1, 5, 7, 8, 10]


def test_as_few_messages_as_possible_go_to_reduce_the_tokens():
    messages = messages_of(talk(6)[1:])
    one = COUNTER.message(messages[0])
    assert suffix_for_reduction(messages, one - 1, context_of()) == 5
    assert suffix_for_reduction(messages, one, context_of()) == 4
    assert suffix_for_reduction(messages, 10**6, context_of()) == 0


def test_the_summariser_reads_previews_and_the_names_of_tools():
    work = []
    for number in range(45):
        work += [
            assistant("hm " * 300, (f"c{number}", "edit_file", {"path": "src/lease.py"})),
            tool(f"c{number}", "line " * 300),
        ]
    for limits, whole in (({}, False), (dict.fromkeys(READ, "all"), True)):
        spy = SpyModel()
        context = context_of(ROOMY, window=ROOMY, model=spy)
        compacted(OpenHands(**limits), [system(), user("go"), *work], context)
        read = [readable(message) for message in spy.requests[0].messages]
        assert any("edit_file" in text for text in read)
        assert any("src/lease.py" in text for text in read) is whole
        assert any(len(text) > PREVIEW + 60 for text in read) is whole


def test_an_earlier_summary_is_read_as_a_preview_too():
    spy = SpyModel()
    context = context_of(5_000, window=ROOMY, model=spy)
    outcomes = list(in_a_row(OpenHands(), [session(40), session(40)[1:]], context))
    (first,) = (m for m in view_of(OpenHands(), outcomes[0], context) if m.origin == "synthetic")
    (read,) = (m for m in spy.requests[-1].messages if m.origin == "synthetic")
    assert len(first.text) > 2 * PREVIEW
    summary = first.text.removeprefix(PREAMBLE).strip()
    assert read.text.startswith(f"{summary[:PREVIEW]} [")
    assert len(read.text) < PREVIEW + 30


@pytest.mark.parametrize("over_the_limit", [False, True])
def test_where_the_model_writes_nothing_the_events_are_forgotten_all_the_same(over_the_limit):
    chat = talk(100)
    model = SayingModel()
    context = context_of(tokens(chat) // 2 if over_the_limit else ROOMY, window=ROOMY, model=model)
    outcome, view = compacted(OpenHands(), chat, context)
    assert outcome.status == "compacted"
    assert len(model.requests) == 1
    assert {message.origin for message in view} == {"log"}
    assert len(view) < 40
    assert {span.fate for span in outcome.spans} == {"kept", "dropped"}
    assert "summary-not-empty" in OpenHands().traits.violations


def test_less_than_a_tenth_to_forget_is_no_progress():
    chat = [system(), user("word " * 2000), *talk(22)[1:]]
    forgotten = OpenHands(60, 22).forgotten(messages_of(chat), context_of(1500))
    assert forgotten == (22, 24)
    _, view = compacted(OpenHands(60, 22), chat, context_of(1500, model=SayingModel("all is well")))
    assert ids(view) == ["m0", "openhands-summary-1"]
    _, view = compacted(OpenHands(60, 21), chat, context_of(1500, model=SayingModel("all is well")))
    assert len(view) == 22


def test_a_call_that_waits_is_never_forgotten():
    for words in (1, 900):
        chat = [*talk(30), assistant("look " * words, ("open", "bash", {}))]
        for model in (None, RefusingModel(1)):
            _, view = compacted(OpenHands(), chat, context_of(800, model=model))
            assert view[-1] == messages_of(chat)[-1]
            assert len(view) < len(chat)


def test_an_earlier_summary_is_forgotten_like_other_events_and_read():
    spy = SpyModel()
    context = context_of(900, model=spy)
    batches = [session(8), session(8)[1:], session(8)[1:]]
    outcomes = list(in_a_row(OpenHands(), batches, context))
    view = view_of(OpenHands(), outcomes[-1], context)
    assert [m.id for m in view if m.origin == "synthetic"] == ["openhands-summary-3"]
    assert "openhands-summary-2" in ids(spy.requests[-1].messages)
    assert spy.requests[-1].previous is None


def test_first_events_that_fill_the_budget_stay():
    chat = [system(), user("Do it."), assistant("word " * 900), *talk(30)[1:]]
    context = context_of(700)
    _, view = compacted(OpenHands(), chat, context)
    assert COUNTER.messages(view) > 700


@pytest.mark.parametrize(("keep_first", "heads"), [(0, 1), (0, 2), (1, 2)])
def test_the_system_prompt_stays_however_few_first_events_do(keep_first, heads):
    prompts = [system(), {"role": "developer", "content": "Answer in one word."}][:heads]
    chat = [*prompts, *talk(30)[1:]]
    compactor = OpenHands(keep_first=keep_first)
    for context in (context_of(tokens(chat) // 2), context_of(ROOMY, window=ROOMY)):
        outcome, view = compacted(compactor, chat, replace(context, reason="manual"))
        assert outcome.status == "compacted"
        assert ids(view)[: heads + 1] == [*(f"m{i}" for i in range(heads)), "openhands-summary-1"]


def test_without_first_events_it_does_not_declare_what_only_they_break():
    declared, without = (OpenHands(keep_first=n).traits.violations for n in (4, 0))
    assert set(declared) - set(without) == {"one-live-summary"}


def test_it_is_due_above_the_size_or_above_the_window():
    context = context_of(10, window=ROOMY)
    assert OpenHands().due(observed(OpenHands(), talk(79), context), context) is None
    said = OpenHands().due(observed(OpenHands(), talk(80), context), context)
    assert said == "81 messages, 80 allowed"
    used = tokens(talk(10))
    at, below = context_of(window=used), context_of(window=used - 1)
    assert OpenHands().due(observed(OpenHands(), talk(10), at), at) is None
    assert "tokens used" in OpenHands().due(observed(OpenHands(), talk(10), below), below)
    limited = OpenHands(max_tokens=used - 1)
    assert "tokens used" in limited.due(observed(limited, talk(10), at), at)


def test_a_hard_requirement_resets_everything_with_smaller_texts_at_each_attempt():
    model = RefusingModel(4)
    chat = talk(30, words=200)
    context = context_of(2000, model=model)
    outcome, view = compacted(OpenHands(), chat, context)
    assert outcome.status == "compacted"
    assert ids(view) == ["m0", "openhands-summary-1"]
    assert len(model.requests) == 5
    sizes = [max(len(m.text) for m in request.messages) for request in model.requests[1:]]
    assert PREVIEW < sizes[0] < PREVIEW + 30
    for before, after in itertools.pairwise(sizes):
        assert 0.75 * before <= after <= 0.85 * before
    assert len(model.requests[1].messages) == 30


def test_after_five_attempts_the_view_stays():
    model = AwayModel()
    compactor, context = OpenHands(), context_of(500, model=model)
    state = observed(compactor, talk(30), context)
    outcome = compact_now(compactor, state, context)
    assert (outcome.status, outcome.state) == ("failed", state)
    assert len(model.requests) == 1 + 5


def test_after_a_reset_the_summary_stays_as_a_first_event():
    giant = [system(), user("word " * 1500)]
    context = context_of(1000, window=8000)
    outcomes = list(in_a_row(OpenHands(), [giant, session(12)[1:]], context))
    view = view_of(OpenHands(), outcomes[-1], context)
    assert sum(m.origin == "synthetic" for m in view) == 2
    assert "one-live-summary" in OpenHands().traits.violations


def test_after_a_reset_without_a_summary_a_note_in_the_users_name_stands_first():
    giant = [system(), user("word " * 1500)]
    outcome, view = compacted(OpenHands(), giant, context_of(1000, model=SayingModel()))
    assert outcome.status == "compacted"
    assert [(m.role, m.text) for m in view[1:]] == [("user", FORGOTTEN)]
    assert not {"starts-with-user", "ends-on-user-or-tool"} & set(OpenHands().traits.violations)


def test_a_soft_requirement_that_fails_leaves_the_view():
    model = AwayModel()
    compactor, context = OpenHands(), context_of(ROOMY, window=ROOMY, model=model)
    state = observed(compactor, talk(100), context)
    outcome = compact_now(compactor, state, context)
    assert (outcome.status, outcome.state) == ("failed", state)
    assert "the endpoint is away" in outcome.error
    assert len(model.requests) == 1


def test_its_state_is_json_after_a_reset():
    outcome, _ = compacted(OpenHands(), talk(30), context_of(500, model=RefusingModel(1)))
    assert json.loads(json.dumps(outcome.state)) == outcome.state
