"""``cline``: its modes, and the newest tokens with a summary of the rest."""

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
from support.cline import file_read
from support.compacting import (
    SayingModel,
    SpyModel,
    compacted,
    ids,
    in_a_row,
    messages_of,
    observed,
    talk,
    tokens,
)

from pytest_compaction.compactors.products.cline import (
    AGENTIC,
    RESULT_CHARACTERS,
    SUMMARY_ID,
    Cline,
    files_section,
    tail_cut,
    target,
)
from pytest_compaction.conversation.messages import structure_faults


def test_it_is_due_at_the_limit():
    used = tokens(talk(20))
    for window, due in ((int(used / 0.81), True), (int(used / 0.81) + 3, False)):
        context = context_of(window=window)
        said = Cline().due(observed(Cline(), talk(20), context), context)
        assert (said is not None) is due


def test_it_summarises_unless_it_is_told_otherwise():
    assert Cline().mode == "agentic"
    assert Cline().traits.needs_model


def test_the_cut_is_at_a_message_of_either_side_and_never_after_the_last_turn():
    messages = messages_of([*talk(8)[1:], assistant("work " * 100), assistant("work " * 100)])
    context = context_of()
    last = COUNTER.messages(messages[6:])
    assert tail_cut(messages, 1, context) == 6
    assert tail_cut(messages, last, context) == 6
    assert tail_cut(messages, last + 1, context) == 5
    assert tail_cut(messages, COUNTER.messages(messages[5:]) + 1, context) == 4
    assert tail_cut(messages, 10**6, context) == 0


def test_one_request_and_a_long_run_of_calls_are_cut_within_the_run():
    work = [m for i in range(4) for m in file_read(f"c{i}")]
    messages = messages_of([user("go"), *work])
    one = COUNTER.messages(messages[-2:])
    context = context_of()
    assert tail_cut(messages, 1, context) == 7
    assert tail_cut(messages, one, context) == 7
    assert tail_cut(messages, one + 1, context) == 5
    assert tail_cut(messages_of([user("go")]), 1, context) == 0


def test_the_target_is_half_of_the_input_or_seventy_percent_of_the_trigger():
    few, many = messages_of(talk(8)), messages_of(talk(10))
    context = context_of(window=1000)
    rules = COUNTER.message(few[0])
    assert target(few, True, context) == int(0.7 * 810) - rules
    assert target(many, True, context) == 450 - rules
    assert target(many, False, context) == COUNTER.messages(many[1:]) // 2
    assert target(messages_of(talk(200)), False, context) == 810 - rules
    assert target(messages_of([system(), *talk(200)]), True, context_of(window=1)) == 1


def test_the_tail_takes_no_more_than_half_of_what_there_is_where_it_was_asked_for():
    chat = session(12)
    half = (tokens(chat) - tokens(chat[:1])) // 2
    context = context_of(tokens(chat) - 1, window=200_000)
    _, view = compacted(Cline(), chat, context)
    verbatim = [m for m in view[1:] if m.origin == "log"]
    largest = max(COUNTER.message(m) for m in messages_of(chat))
    assert half <= COUNTER.messages(verbatim) < half + 2 * largest


def test_the_summariser_reads_the_first_2000_characters_of_a_result():
    listing = "".join(f"{i:05d}\n" for i in range(2000))
    work = [assistant(None, ("a", "bash", {"command": "ls"})), tool("a", listing)]
    chat = [system(), user("List."), *work, *session(9)[1:]]
    for given, length in (({}, RESULT_CHARACTERS), ({"read_results": 99}, 99)):
        spy = SpyModel()
        compacted(Cline(**given), chat, context_of(4000, window=30_000, model=spy))
        (result,) = (m for m in spy.requests[0].messages if m.id == "m3")
        text = result.results[0].text
        assert text.startswith(listing[:length] + " [")
        assert len(text) < length + 30
        assert spy.requests[0].messages[1].calls[0].parsed() == {"command": "ls"}


def test_agentic_keeps_the_newest_turns_and_collects_the_files_itself():
    chat = [*session(3), user("Look."), *file_read("r", "docs/notes.md"), *session(9)[13:]]
    model = SayingModel("mend the queue")
    context = context_of(1500, window=20_000, model=model)
    outcome, view = compacted(Cline("agentic"), chat, context)
    assert outcome.status == "compacted"
    assert view[1].id == SUMMARY_ID
    assert view[2].role == "user"
    assert COUNTER.messages(view[2:]) <= 2000 + tokens(session(1)[1:])
    text = view[1].text
    assert text.startswith(AGENTIC)
    assert "## Goal\n- mend the queue" in text
    assert "Edited: `src/module_0.py`, `src/module_1.py`" in text
    assert "Read: `docs/notes.md`" in text


def test_agentic_summarises_only_the_new_span_into_the_previous_summary():
    spy = SpyModel()
    context = context_of(1200, window=10_000, model=spy)
    batches = [session(10), session(14)[41:], session(18)[57:]]
    outcomes = list(in_a_row(Cline("agentic"), batches, context))
    assert [outcome.status for outcome in outcomes] == ["compacted"] * 3
    asked = [id for request in spy.requests for id in ids(request.messages)]
    assert len(asked) == len(set(asked))
    assert SUMMARY_ID not in asked
    assert spy.requests[0].previous is None
    for request, outcome in zip(spy.requests[1:], outcomes, strict=False):
        assert request.previous.as_json() == outcome.state["summary"]


def test_agentic_asks_for_no_more_than_4096_tokens_of_200000():
    spy = SpyModel()
    context = context_of(9_000, window=20_000, model=spy)
    compacted(Cline("agentic"), session(60), context)
    assert spy.requests[0].budget < 409
    listed = files_section({"read": [], "edited": [f"f{i}.py" for i in range(9)]}, 30, context)
    assert COUNTER.text(listed) <= 30
    assert "`f0.py`" in listed
    assert "`f8.py`" not in listed
    both = {"read": [f"r{i}.py" for i in range(9)], "edited": ["e.py", "f.py"]}
    listed = files_section(both, 40, context)
    assert "Edited: `e.py`, `f.py`" in listed
    assert "`r8.py`" not in listed
    assert files_section({"read": ["a"], "edited": ["b"]}, 1, context) == ""


def test_the_only_request_is_summarised_with_its_work():
    work = [m for i in range(8) for m in file_read(f"c{i}", f"src/f{i}.py")]
    chat = [system(), user("The queue must keep its lease for 45 seconds."), *work]
    context = context_of(2500, window=30_000, model=SayingModel("read the files"))
    outcome, view = compacted(Cline(), chat, context)
    assert outcome.status == "compacted"
    assert "m1" not in ids(view)
    assert structure_faults(view) == []
    assert "last-user-kept" in Cline().traits.violations


def test_agentic_leaves_the_history_where_the_summary_is_empty():
    context = context_of(1200, window=10_000, model=SayingModel())
    compactor = Cline("agentic")
    state = observed(compactor, session(10), context)
    outcome = compact_now(compactor, state, context)
    assert (outcome.status, outcome.state) == ("failed", state)
    assert "empty" in outcome.error


def test_an_unknown_mode_is_refused():
    with pytest.raises(ValueError, match="mode=modern must be agentic or basic"):
        Cline("modern")
