"""``cline:mode=basic``: what stays, what the notes say, and the fallback of ``agentic``."""

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
    SayingModel,
    compacted,
    ids,
    in_a_row,
    messages_of,
    tokens,
    view_of,
)

from pytest_compaction.compactors.products.cline import KEPT_TEXTS, NOTE, SUMMARY_ID, Cline, folded
from pytest_compaction.conversation.messages import Image, structure_faults

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
