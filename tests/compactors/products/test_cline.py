"""``cline``: its modes, and the newest tokens with a summary of the rest.

``cline:mode=basic``: what stays, what the notes say, and the fallback of ``agentic``.

``cline``: what the summariser of ``agentic`` is given where the messages exceed its input.
"""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
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
    AwayModel,
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

from pytest_compaction.compactors.products.cline import (
    AGENTIC,
    KEPT_TEXTS,
    NOTE,
    RESULT_CHARACTERS,
    SUMMARY_ID,
    Cline,
    files_section,
    folded,
    projected,
    tail_cut,
    target,
)
from pytest_compaction.conversation import Image, Thinking, structure_faults


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
    for limits, length in (({}, RESULT_CHARACTERS), ({"read_results": 99}, 99)):
        spy = SpyModel()
        compacted(Cline(**limits), chat, context_of(4000, window=30_000, model=spy))
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


PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,a"}}


def step(id, name, arguments, result="ok " * 40):
    return [assistant(None, (id, name, arguments)), tool(id, result)]


CHAT = [
    system(),
    user("Mend the lease."),
    *step("a", "read_file", {"path": "src/lease.py"}),
    *step("b", "edit_file", {"path": "src/lease.py", "old_string": "30", "new_string": "45"}),
    *step("c", "bash", {"command": "pytest -q " + "tests/test_lease.py " * 9}),
    assistant("The lease is 45 s now."),
    user("And the docs?"),
    *step("d", "write_file", {"path": "docs/lease.md", "content": "45 s"}),
    *step("e", "bash", {"command": "git commit -am docs"}),
]


def notes(view):
    return [message.text for message in view if message.origin == "synthetic"]


def test_all_that_the_user_typed_stays_and_a_note_lists_the_work_that_went():
    view = folded(messages_of(CHAT), 1, (), context_of())
    assert ids(view) == ["m0", "m1", "cline-note-m2", "m9", "cline-note-m10"]
    first, second = notes(view)
    assert first.startswith(NOTE)
    assert "Files read:\nsrc/lease.py" in first
    assert "Files edited:\nsrc/lease.py" in first
    command = CHAT[6]["tool_calls"][0]["function"]["arguments"]
    assert "Commands ran:\npytest -q tests/test_lease.py" in first
    assert len(first.split("Commands ran:\n")[1].splitlines()[0]) == 103 < len(command)
    assert "Your recent answers:\nThe lease is 45 s now." in first
    assert "Files edited:\ndocs/lease.md" in second
    assert "Your recent answers" not in second


def test_the_newest_work_and_the_answers_of_older_turns_stay_while_they_fit():
    messages = messages_of(CHAT)
    context = context_of()
    typed = COUNTER.message(messages[1]) + COUNTER.message(messages[9])
    newest = COUNTER.messages(messages[12:])
    answer = COUNTER.message(messages[8])
    view = folded(messages, typed + newest, (), context)
    assert [id for id in ids(view) if id[0] == "m"] == ["m0", "m1", "m9", "m12", "m13"]
    view = folded(messages, typed + newest + answer, (), context)
    assert [id for id in ids(view) if id[0] == "m"] == ["m0", "m1", "m8", "m9", "m12", "m13"]
    assert folded(messages, 10**6, (), context)[-4:] == messages[-4:]
    assert structure_faults(view) == []


def test_only_the_newest_texts_of_the_model_go_into_the_notes():
    chat = [m for i in range(6) for m in (user(f"Ask {i}"), assistant(f"Answer {i}."))]
    said = "\n".join(notes(folded(messages_of(chat), 1, (), context_of())))
    assert [i for i in range(6) if f"Answer {i}." in said] == [3, 4, 5]
    assert KEPT_TEXTS == 3


def test_images_stay_in_the_last_request_only():
    shown = [{"type": "text", "text": "As shown:"}, PICTURE]
    chat = [user(shown), assistant("yes"), user([PICTURE]), assistant("ok"), user(shown)]
    view = folded(messages_of(chat), 1, (), context_of())
    assert [m.id for m in view if any(isinstance(p, Image) for p in m.parts)] == ["m4"]
    assert [id for id in ids(view) if id[0] == "m"] == ["m0", "m4"]


def test_without_a_word_of_the_user_nothing_is_done():
    assert folded(messages_of(CHAT[2:8]), 1, (), context_of()) is None


def test_calls_that_wait_stay_however_little_room_there_is():
    chat = [*CHAT, assistant("x " * 400, ("open", "bash", {"command": "ls"}))]
    assert folded(messages_of(chat), 1, (), context_of())[-1] == messages_of(chat)[-1]


def test_the_results_of_a_call_that_was_kept_while_it_waited_stay_with_it():
    messages = messages_of(CHAT)
    view = folded(messages, 1, ("m4",), context_of())
    assert {"m4", "m5"} <= set(ids(view))
    assert structure_faults(view) == []


def test_what_one_compaction_kept_the_next_one_keeps_and_folds_only_what_is_new():
    context = context_of(500, window=2_000)
    basic = Cline("basic")
    first, second = in_a_row(basic, [session(5), session(5)[1:]], context)
    assert first.status == second.status == "truncated"
    before, after = view_of(basic, first, context), view_of(basic, second, context)
    assert set(ids(before)) < set(ids(after))
    assert len(notes(after)) > len(notes(before)) > 0
    assert structure_faults(after) == []
    assert not basic.traits.needs_model


def test_where_the_model_cannot_be_asked_agentic_falls_back_to_it():
    chat = session(12)
    context = context_of(tokens(chat) // 2, model=AwayModel())
    outcome, view = compacted(Cline(), chat, context)
    _, by_rule = compacted(Cline("basic"), chat, context)
    assert outcome.status == "truncated"
    assert view == by_rule
    assert all(message in view for message in messages_of(chat) if message.role == "user")
    outcome, _ = compacted(Cline(), chat, context_of(tokens(chat) // 2, model=SayingModel()))
    assert outcome.status == "failed"


def test_the_fallback_loses_the_earlier_summary_and_the_next_summary_starts_anew():
    compactor, there = Cline(), context_of(900, window=4_000)
    away = context_of(900, window=4_000, model=AwayModel())
    one, _ = compacted(compactor, session(8), there)
    assert one.state["summary"]
    state = compactor.observe(one.state, messages_of(session(8)[1:], 50), there)
    two = compact_now(compactor, state, away)
    assert SUMMARY_ID not in ids(view_of(compactor, two, there))
    assert "summary" not in two.state


CONTEXT = context_of()
LONG = "The queue keeps its lease. " * 60
PICTURE_PART = Image('{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}')
MUSING = Thinking('{"type": "thinking", "thinking": "hm", "signature": "s"}')


def work(*lengths):
    """A request, calls with results of these numbers of words, and a request."""
    chat = [user(f"First. {LONG}")]
    for number, length in enumerate(lengths):
        chat += [assistant(None, (f"c{number}", "bash", {})), tool(f"c{number}", "word " * length)]
    return messages_of([*chat, user(f"Last. {LONG}")])


def test_what_fits_is_read_whole_but_for_reasoning_and_images():
    messages = work(20, 20)
    assert projected(messages, COUNTER.messages(messages), CONTEXT) == messages
    seen = replace(messages[0], parts=(*messages[0].parts, PICTURE_PART))
    mused = replace(messages[1], parts=(MUSING, *messages[1].parts))
    latest = replace(messages[-1], parts=(*messages[-1].parts, PICTURE_PART))
    only = replace(messages[0], id="t", role="assistant", parts=(MUSING,))
    given = (seen, mused, *messages[2:-1], only, latest)
    assert projected(given, 10**6, CONTEXT) == (*messages[:-1], latest)


def test_the_newest_texts_are_cut_first_and_the_latest_request_never():
    messages = work(900, 900)
    total = COUNTER.messages(messages)
    shown = projected(messages, total - 10, CONTEXT)
    assert ids(shown) == ids(messages)
    assert [a == b for a, b in zip(shown, messages, strict=True)] == [True] * 4 + [False, True]
    assert shown[4].results[0].text.endswith(" characters cut]")
    shown = projected(messages, total // 2, CONTEXT)
    assert shown[-1] == messages[-1]
    assert len(shown[2].results[0].text) < len(messages[2].results[0].text)


def test_the_oldest_calls_go_with_their_results_and_requests_stay():
    messages = work(*[30] * 40)
    need = COUNTER.messages([messages[0], messages[-1]])
    shown = projected(messages, need, CONTEXT)
    assert (shown[0].role, shown[-1]) == ("user", messages[-1])
    assert 2 < len(shown) < len(messages)
    assert ids(shown)[1:] == ids(messages)[-len(shown) + 1 :]
    assert structure_faults(shown) == []


def test_a_call_that_waits_for_its_result_stays_as_it_is():
    chat = [user("go"), *file_read("a"), assistant("now " * 300, ("b", "bash", {"command": "ls"}))]
    messages = messages_of(chat)
    shown = projected(messages, COUNTER.messages([messages[0], messages[-1]]) + 40, CONTEXT)
    assert shown[-1] == messages[-1]
    assert shown[0] == messages[0]


@pytest.mark.parametrize("limit", [-1, 0, 10])
def test_where_what_must_stay_exceeds_the_input_there_is_nothing_to_read(limit):
    assert projected(work(5), limit, CONTEXT) is None


@given(st.lists(st.integers(0, 400), max_size=9), st.integers(1, 4_000))
def test_what_is_read_is_within_the_limit_and_keeps_calls_with_results(lengths, limit):
    messages = work(*lengths)
    shown = projected(messages, limit, CONTEXT)
    if shown is None:
        assert limit < COUNTER.messages(messages)
    else:
        assert COUNTER.messages(shown) <= limit
        assert structure_faults(shown) == []
        assert shown[-1] == messages[-1]


def test_a_second_summary_lists_the_files_of_its_new_messages_alone():
    context = context_of(1200, window=10_000, model=SpyModel())
    first, second = in_a_row(Cline(), [session(10), session(14)[41:]], context)
    before, after = (
        next(m["content"] for m in outcome.state["messages"] if m["id"] == "cline-summary")
        for outcome in (first, second)
    )
    assert "`src/module_0.py`" in before.rpartition("## Files")[2]
    assert "`src/module_" in after.rpartition("## Files")[2]
    assert "`src/module_0.py`" not in after.rpartition("## Files")[2]


def test_the_history_stays_where_the_window_holds_no_more_than_the_request():
    chat = [system(), user(LONG * 20), *[m for n in range(9) for m in file_read(f"c{n}")]]
    outcome, view = compacted(Cline(), chat, context_of(500, window=1_000))
    assert outcome.status == "failed"
    assert "no room to read" in outcome.error
    assert view == messages_of(chat)
