"""``opencode``: question, summary and request to go on; what a refused request changes."""

from support.builders import COUNTER, assistant, context_of, session, system, tool, user
from support.compacting import (
    SpyModel,
    compacted,
    ids,
    in_a_row,
    messages_of,
    roles,
    tokens,
    view_of,
)
from support.compositions import create

from pytest_compaction.compactors.products.opencode import GO_ON, PREAMBLE, QUESTION, Opencode
from pytest_compaction.conversation import Image

PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,a"}}
WORK = [assistant("I look.", ("w", "read_file", {"path": "a.py"})), tool("w", "line " * 40)]


def test_nothing_stays_but_the_system_prompt_and_the_view_asks_to_go_on():
    outcome, view = compacted(Opencode(), session(5), context_of(500))
    assert outcome.status == "compacted"
    assert roles(view) == ["system", "user", "assistant", "user"]
    assert (view[1].text, view[3].text) == (QUESTION, GO_ON)
    assert view[2].text.startswith(PREAMBLE)
    assert all(message.origin == "synthetic" for message in view[1:])
    assert COUNTER.messages(view) <= 500


def test_an_earlier_summary_is_read_without_the_messages_around_it():
    spy = SpyModel()
    context = context_of(600, model=spy)
    outcomes = list(in_a_row(Opencode(), [session(5), session(5)[1:]], context))
    read = ids(spy.requests[1].messages)
    assert read[0] == "opencode-summary-1"
    assert all(id[0] == "m" for id in read[1:])
    view = view_of(Opencode(), outcomes[1], context)
    assert ids(view)[1:] == ["opencode-question-2", "opencode-summary-2", "opencode-go-on-2"]


def test_after_a_refused_request_the_last_one_is_repeated_and_the_work_for_it_is_not_read():
    spy = SpyModel()
    asked = user([{"type": "text", "text": "As in this picture, please."}, PICTURE])
    chat = [*session(4), asked, *WORK]
    _, view = compacted(Opencode(overflow=True), chat, context_of(500, model=spy))
    assert view[-1].id == "m17"
    assert "As in this picture" in view[-1].text
    assert not any(isinstance(part, Image) for part in view[-1].parts)
    assert ids(spy.requests[0].messages)[-1] == "m16"


def test_without_an_earlier_request_a_refused_one_is_summarised_like_any_other():
    chat = [system(), user("Look at everything."), *WORK]
    chat += [assistant("much " * 600)]
    _, view = compacted(Opencode(overflow=True), chat, context_of(400))
    assert view[-1].text == GO_ON


def test_cannot_compact_a_conversation_over_the_window():
    chat = session(8)
    context = context_of(400, window=tokens(chat) - 100)
    outcome, view = compacted(Opencode(), chat, context)
    assert (outcome.status, view) == ("failed", messages_of(chat))
    assert "longer than the window" in outcome.error


def test_after_old_output_was_cleared_it_only_summarises_what_is_still_too_much():
    chat = session(8, words=200)
    composed = create("opencode-prune:protect=100:minimum=100+opencode")
    enough = tokens(chat) - 1
    outcome, view = compacted(composed, chat, context_of(enough))
    assert len(view) == len(chat)
    assert outcome.status == "compacted"
    _, view = compacted(composed, chat, context_of(500))
    assert roles(view) == ["system", "user", "assistant", "user"]
