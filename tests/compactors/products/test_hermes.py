"""``hermes``: what stays at both ends, what is pruned, and who says the summary."""

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
from support.compacting import SayingModel, SpyModel, compacted, ids, in_a_row, messages_of, roles

from pytest_compaction.compactors.base.history import dump
from pytest_compaction.compactors.products import hermes, hermes_cuts
from pytest_compaction.compactors.products.hermes import END, PREAMBLE, Hermes
from pytest_compaction.compactors.products.hermes_cuts import (
    NO_IMAGE,
    PRIOR,
    SAME_AGAIN,
    joins,
    pruned_results,
    tail_start,
    without_old_images,
)
from pytest_compaction.conversation import ToolCall

PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,a"}}


def test_the_constants_are_those_of_the_product():
    assert (hermes.TAIL_SHARE, hermes_cuts.OVER_TAIL, hermes_cuts.TAIL_MESSAGES) == (0.2, 1.5, 8)
    assert (hermes.SUMMARY_SHARE, hermes.LEAST_SUMMARY, hermes.MOST_SUMMARY) == (0.2, 2_000, 10_000)
    assert (hermes_cuts.SHORT_RESULT, hermes_cuts.LONG_ARGUMENTS) == (200, 500)
    assert (hermes.READ, hermes.READ_ARGUMENTS) == (6_000, 1_500)
    assert (Hermes().threshold, Hermes().head, len(Hermes().sections)) == (0.75, 3, 13)


def test_the_first_messages_and_the_newest_stay_around_one_summary():
    outcome, view = compacted(Hermes(), session(10), context_of(2500, window=5000))
    assert outcome.status == "compacted"
    # three messages, and the result of the call that the third one makes
    assert ids(view)[:4] == ["m0", "m1", "m2", "m3"]
    summary = next(message for message in view if PREAMBLE in message.text)
    assert summary.text.endswith(END)
    assert ids(view)[-8:] == [f"m{n}" for n in range(33, 41)]


def test_the_first_messages_go_unread_at_the_second_compaction():
    spy = SpyModel()
    context = context_of(2500, window=5000, model=spy)
    outcomes = list(in_a_row(Hermes(), [session(10), session(10)[1:]], context))
    assert spy.requests[1].previous is not None
    read = ids(spy.requests[1].messages)
    assert not {"m1", "m2", "m3"} & {*ids(spy.requests[0].messages), *read}
    dropped = {id for span in outcomes[1].spans if span.fate == "dropped" for id in span.ids}
    assert {"m1", "m2", "m3"} <= dropped


def test_where_only_the_summary_could_go_nothing_is_done():
    context = replace(context_of(2500, window=5000, model=SpyModel()), reason="manual")
    compactor = Hermes(head=0)
    outcome, view = compacted(compactor, session(10), context)
    newest = {**outcome.state, "messages": dump(view[:10])}
    assert compact_now(compactor, newest, context).status == "noop"


def test_a_long_text_is_read_without_its_middle():
    (short,) = map(hermes.shown, messages_of([assistant("a" * 4000 + "b" * 3000 + "c" * 1500)]))
    assert short.text == f"{'a' * 4000}\n[cut]\n{'c' * 1500}"


def test_old_results_become_a_line_and_the_same_result_a_note():
    big = "word " * 100
    chat = messages_of(
        [
            user("Look."),
            assistant("On.", ("a", "read_file", {"path": "src/a.py"})),
            tool("a", "other " * 100),
            assistant("On.", ("b", "read_file", {"path": "src/b.py"})),
            tool("b", big),
            assistant("On.", ("c", "write_file", {"path": "c.py", "content": "x" * 900})),
            tool("c", "ok"),
            assistant("On.", ("d", "read_file", {"path": "src/b.py"})),
            tool("d", big),
        ]
    )
    after = pruned_results(chat, 7, context_of())
    assert after[2].results[0].text == "[read_file] src/a.py (1 lines, 600 characters)"
    assert after[4].results[0].text == SAME_AGAIN
    assert after[6] == chat[6]
    assert after[8] == chat[8]
    (call,) = (part for part in after[5].parts if isinstance(part, ToolCall))
    assert len(call.arguments) < 400
    assert call.parsed()["path"] == "c.py"


def test_the_last_request_and_the_last_answer_are_in_the_tail():
    work = [
        message
        for n in range(12)
        for message in (assistant(None, (f"w{n}", "bash", {})), tool(f"w{n}", "out " * 50))
    ]
    chat = messages_of([*session(2)[1:], user("Now this."), assistant("I begin."), *work])
    start = tail_start(chat, 3, 200, context_of())
    assert chat[start].text in {"Now this.", "I begin."}


@pytest.mark.parametrize(
    ("head", "tail", "said"),
    [
        ([system()], [assistant("a")], ["system", "user", "assistant"]),
        ([system(), user("u"), assistant("a")], [assistant("b")], None),
        ([user("u")], [user("v")], ["user", "assistant", "user"]),
    ],
)
def test_the_summary_is_said_by_whoever_would_not_speak_twice(head, tail, said):
    made = joins(messages_of(head), messages_of(tail, 50), "the summary", "s")
    found = [*(m["role"] for m in head), *roles(made)]
    assert found == (said or ["system", "user", "assistant", "user", "assistant"])


def test_the_summary_joins_the_first_message_where_nobody_else_can_say_it():
    (only,) = joins(messages_of([system()]), messages_of([user("Do it.")], 5), "the summary", "s")
    assert only.id == "m5"
    assert only.text.startswith(PRIOR)
    assert "Do it." in only.text
    assert only.text.endswith("the summary")


def test_images_before_the_last_message_with_one_are_removed():
    chat = messages_of(
        [user([{"type": "text", "text": "old"}, PICTURE]), assistant("a"), user([PICTURE])]
    )
    after = without_old_images(chat)
    assert NO_IMAGE in after[0].text
    assert after[2] == chat[2]


def test_an_empty_reply_is_replaced_by_a_note_by_rule():
    _, view = compacted(Hermes(), session(10), context_of(2500, window=5000, model=SayingModel()))
    note = next(message for message in view if PREAMBLE in message.text)
    assert "- asked:" in note.text
    assert "- called:" in note.text


def test_it_is_due_at_three_quarters_of_the_window():
    compactor = Hermes()
    assert compactor.due_at(context_of(window=200_000)) == 150_000
    assert COUNTER.messages(messages_of(session(2))) < compactor.due_at(context_of(window=20_000))
