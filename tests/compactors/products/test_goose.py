"""``goose``: summary, note and request, and which tool results a long request leaves out."""

from dataclasses import replace

import pytest
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

from pytest_compaction.compactors.base.product import PREAMBLE
from pytest_compaction.compactors.products.goose import (
    GOES_ON,
    TOOLS_GO_ON,
    Goose,
    without_results,
)
from pytest_compaction.conversation import Image

PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,a"}}


def work(rounds, words=10):
    """Rounds of one call and its result each."""
    return [
        message
        for n in range(rounds)
        for message in (
            assistant(None, (f"w{n}", "read_file", {"path": f"src/part_{n}.py"})),
            tool(f"w{n}", f"line {n} " * words),
        )
    ]


def test_the_view_is_a_summary_a_note_and_the_last_request():
    chat = [*session(4), user("Now the docs, please.")]
    outcome, view = compacted(Goose(), chat, context_of(500))
    assert outcome.status == "compacted"
    assert ids(view) == ["m0", "goose-summary-1", "goose-note-1", "m17"]
    assert roles(view) == ["system", "user", "assistant", "user"]
    assert view[1].text.startswith(PREAMBLE)
    assert view[2].text == GOES_ON
    assert view[3] == messages_of(chat)[17]
    assert COUNTER.messages(view) <= 500


def test_in_the_middle_of_the_work_the_request_stands_behind_what_was_done_for_it():
    chat = [*session(3), user("Read all parts."), *work(6)]
    _, view = compacted(Goose(), chat, context_of(500))
    assert view[2].text == TOOLS_GO_ON
    assert ids(view)[-1] == "m13"


def test_a_compaction_that_a_user_asks_for_repeats_no_request():
    chat = session(4)
    _, view = compacted(Goose(), chat, replace(context_of(500), reason="manual"))
    assert ids(view) == ["m0", "goose-summary-1", "goose-note-1"]


def test_an_earlier_summary_is_read_and_the_note_is_not():
    spy = SpyModel()
    context = context_of(600, model=spy)
    outcomes = list(in_a_row(Goose(), [session(5), session(5)[1:]], context))
    read = ids(spy.requests[1].messages)
    assert read[0] == "goose-summary-1"
    assert "goose-note-1" not in read
    view = view_of(Goose(), outcomes[1], context)
    assert [m.id for m in view if m.origin == "synthetic"] == ["goose-summary-2", "goose-note-2"]


@pytest.mark.parametrize(
    ("count", "percent", "left"),
    [
        (10, 0, "0123456789"),
        (10, 10, "012356789"),
        (10, 20, "01236789"),
        (10, 50, "01789"),
        (10, 100, ""),
        (5, 10, "0234"),
        (5, 100, "4"),
        (1, 100, "0"),
        (0, 100, ""),
    ],
)
def test_results_go_from_the_middle_outwards(count, percent, left):
    chat = [user("Go."), *work(count), assistant("Done.")]
    kept = without_results(messages_of(chat), percent)
    assert "".join(m.results[0].call_id[1:] for m in kept if m.results) == left
    assert len([m for m in kept if not m.results]) == count + 2


def test_only_a_request_over_the_window_leaves_out_results_and_no_more_than_it_must():
    chat = [system(), user("Go."), *work(10, words=60), user("And?")]
    spy = SpyModel()
    compacted(Goose(), chat, context_of(400, window=8000, model=spy))
    compacted(Goose(), chat, context_of(400, window=tokens(chat) - 80, model=spy))
    numbers = [sum(bool(m.results) for m in request.messages) for request in spy.requests]
    assert numbers[0] == 10
    assert numbers[1] in {8, 5}


def test_gives_up_where_no_result_is_left_to_leave_out():
    chat = [system(), *[user(f"wish {n} " * 100) for n in range(10)], user("And?")]
    outcome, view = compacted(Goose(), chat, context_of(300, window=1000))
    assert outcome.status == "failed"
    assert "even without tool results" in outcome.error
    assert view == messages_of(chat)


def test_drops_the_images_of_the_request():
    chat = [*session(4), user([{"type": "text", "text": "As shown:"}, PICTURE])]
    context = context_of(2600)
    chat.append(assistant("answer " * 2000))
    _, view = compacted(Goose(), chat, context)
    assert (view[-1].id, view[-1].text) == ("m17", "As shown:")
    assert not any(isinstance(part, Image) for part in view[-1].parts)
