"""``roo``: the last three and a summary, everything at once, and the sliding window."""

import pytest
from support.builders import COUNTER, assistant, compact_now, context_of, system, tool, user
from support.compacting import (
    AwayModel,
    SayingModel,
    SpyModel,
    compacted,
    ids,
    in_a_row,
    messages_of,
    observed,
    roles,
    view_of,
)

from pytest_compaction.compactors.base.product import NINE_SECTIONS
from pytest_compaction.compactors.products.roo import (
    CANCELLED,
    OPENING,
    PREAMBLE,
    SECTIONS,
    Roo,
)
from pytest_compaction.conversation import pending_calls


def talk(count, words=30, start=0):
    """Plain turns after a system prompt: user and assistant in turn."""
    chat = [system()] if start == 0 else []
    for number in range(start, start + count):
        turn = f"turn{number} must keep port 84{number:02} "
        chat.append((assistant if number % 2 else user)(turn * (words // 6)))
    return chat


# --- version 1 -----------------------------------------------------------------------


def test_the_view_is_an_opening_line_the_assistants_summary_and_the_last_three():
    spy = SpyModel()
    outcome, view = compacted(Roo(version=1), talk(12), context_of(400, model=spy))
    assert outcome.status == "compacted"
    assert ids(view) == ["m0", "roo-opening", "roo-summary-1", "m10", "m11", "m12"]
    assert roles(view)[:3] == ["system", "user", "assistant"]
    assert (view[1].text, view[1].origin) == (OPENING, "synthetic")
    assert view[2].text.startswith(PREAMBLE)
    for section in SECTIONS:
        assert f"## {section.title}" in view[2].text
    assert ids(spy.requests[0].messages) == [f"m{i}" for i in range(1, 10)]
    assert COUNTER.messages(view) <= 400


@pytest.mark.parametrize("keep", [1, 2, 5])
def test_as_many_messages_are_kept_as_asked(keep):
    _, view = compacted(Roo(version=1, keep=keep), talk(14), context_of(500))
    assert ids(view)[3:] == [f"m{i}" for i in range(15 - keep, 15)]


def test_a_cut_inside_a_tool_run_moves_before_its_call():
    run = [
        assistant("both", ("a", "bash", {}), ("b", "bash", {})),
        tool("a", "one"),
        tool("b", "two"),
        assistant("done"),
    ]
    _, view = compacted(Roo(version=1), [*talk(10), *run], context_of(400))
    assert ids(view)[3:] == ["m11", "m12", "m13", "m14"]


def test_the_earlier_summary_is_part_of_what_the_next_one_is_made_from():
    spy = SpyModel()
    context = context_of(400, model=spy)
    batches = [talk(12), talk(12, start=12), talk(12, start=24)]
    outcomes = list(in_a_row(Roo(version=1), batches, context))
    assert [outcome.status for outcome in outcomes] == ["compacted"] * 3
    assert ids(spy.requests[1].messages)[:5] == [
        "roo-opening",
        "roo-summary-1",
        "m10",
        "m11",
        "m12",
    ]
    assert ids(view_of(Roo(version=1), outcomes[2], context))[1:3] == [
        "roo-opening",
        "roo-summary-3",
    ]


def sliding(count):
    """The ids that stay when half of ``count`` messages after the first, an even number, go."""
    gone = (count - 1) // 2
    gone -= gone % 2
    return ["m1", *[f"m{i}" for i in range(gone + 2, count + 1)]]


@pytest.mark.parametrize("count", [5, 8, 9, 12, 13])
def test_where_the_model_writes_nothing_half_is_dropped_once_and_not_counted(count):
    context = context_of(60, model=SayingModel())
    outcome, view = compacted(Roo(version=1), talk(count), context)
    assert outcome.status == "truncated"
    assert ids(view)[1:] == sliding(count)
    assert COUNTER.messages(view) > 60
    assert "within-budget" in Roo(version=1).traits.violations


def test_half_of_too_few_messages_is_none():
    outcome, view = compacted(Roo(version=1), talk(4), context_of(60, model=SayingModel()))
    assert outcome.status == "failed"
    assert view == messages_of(talk(4))


def test_a_summary_that_makes_the_context_grow_is_refused():
    model = SayingModel("port 8443 " * 20)
    chat = [*talk(12, words=6), user("word " * 300)]
    outcome, view = compacted(Roo(version=1), chat, context_of(340, model=model))
    assert outcome.status == "truncated"
    assert not any(message.origin == "synthetic" for message in view)


def test_one_message_to_summarise_is_not_enough():
    spy = SpyModel()
    outcome, _ = compacted(Roo(version=1, keep=7), talk(8), context_of(100, model=spy))
    assert (outcome.status, spy.requests) == ("truncated", [])


def test_a_summary_among_the_kept_is_not_summarised_again():
    spy = SpyModel()
    context = context_of(300, model=spy)
    outcome, view = compacted(Roo(version=1), talk(12), context)
    assert ids(view)[2] == "roo-summary-1"
    tight = context_of(50, model=spy)
    refused = compact_now(Roo(version=1, keep=4), outcome.state, tight)
    assert len(spy.requests) == 1
    assert refused.status == "truncated"
    assert "roo-summary-1" not in ids(view_of(Roo(version=1), refused, tight))
    short = {**outcome.state, "messages": outcome.state["messages"][:4]}
    refused = compact_now(Roo(version=1, keep=3), short, tight)
    assert (refused.status, refused.error) == (
        "failed",
        "the conversation was condensed a moment ago",
    )


def test_keeps_three_whatever_they_take():
    chat = [*talk(12), user("Keep deploy.sh."), assistant("big " * 150), assistant("big " * 150)]
    context = context_of(400)
    outcome, view = compacted(Roo(version=1), chat, context)
    assert outcome.status == "compacted"
    assert ids(view)[-3:] == ["m13", "m14", "m15"]
    assert COUNTER.messages(view) > 400


def test_a_pending_call_is_among_the_kept():
    chat = [*talk(12), assistant("look", ("open", "bash", {}))]
    _, view = compacted(Roo(version=1), chat, context_of(400))
    assert pending_calls(view) == ("open",)


# --- version 2 -----------------------------------------------------------------------

SOURCE = "import os\n\nclass Queue:\n    size = 3\n    def push(self, item):\n        pass\n"


def fresh_log():
    chat = talk(10)
    chat[1] = user('Start. <command name="init">read AGENTS.md</command> ' + "more words " * 20)
    chat += [assistant(None, ("r", "read_file", {"path": "src/queue.py"})), tool("r", SOURCE)]
    return chat


def test_version_two_is_one_user_message_with_summary_commands_and_folded_files():
    spy = SpyModel()
    outcome, view = compacted(Roo(), fresh_log(), context_of(480, model=spy))
    assert outcome.status == "compacted"
    assert roles(view) == ["system", "user"]
    summary, commands, files = (part.text for part in view[1].parts)
    assert summary.startswith(PREAMBLE)
    for section in NINE_SECTIONS:
        assert f"## {section.title}" in summary
    assert commands == '<command name="init">read AGENTS.md</command>'
    assert files == "## File: src/queue.py\n3 | class Queue:\n5 |     def push(self, item):"
    assert ids(spy.requests[0].messages)[-1] == "m12"
    assert COUNTER.messages(view) <= 480


def test_the_commands_of_the_first_message_outlive_several_compactions():
    context = context_of(480)
    batches = [fresh_log(), talk(12, start=20), talk(12, start=40)]
    for outcome in in_a_row(Roo(), batches, context):
        view = view_of(Roo(), outcome, context)
        assert [m.id for m in view if m.origin == "synthetic"] == [view[1].id]
        assert '<command name="init">' in view[1].text


def test_version_two_cancels_an_open_call_for_the_summariser():
    spy = SpyModel()
    chat = [*fresh_log(), assistant("look", ("open", "bash", {}))]
    compacted(Roo(), chat, context_of(480, model=spy))
    assert spy.requests[0].messages[-1].results[0].text == CANCELLED


def test_version_two_does_not_strip_an_analysis():
    model = SayingModel("<analysis>hm</analysis> Port 8443.")
    _, view = compacted(Roo(), fresh_log(), context_of(480, model=model))
    assert "<analysis>hm</analysis>" in view[1].text


@pytest.mark.parametrize("model", [AwayModel(), SayingModel()])
def test_version_two_truncates_after_any_failure_and_says_how_much_is_hidden(model):
    context = context_of(60, model=model)
    outcome, view = compacted(Roo(), talk(12), context)
    assert outcome.status == "truncated"
    assert ids(view)[1:] == ["m1", "roo-hidden", *sliding(12)[1:]]
    assert view[2].role == "user"
    assert "[5 earlier" not in view[2].text
    assert "[4 earlier messages are hidden" in view[2].text


def test_the_note_of_hidden_messages_is_one_and_counts_all():
    context = context_of(60, model=SayingModel())
    compactor = Roo()
    first = compact_now(compactor, observed(compactor, talk(12), context), context)
    second = compact_now(compactor, first.state, context)
    view = view_of(compactor, second, context)
    assert [m.id for m in view if m.origin == "synthetic"] == ["roo-hidden"]
    hidden = 12 - (len(view) - 2)
    assert f"[{hidden} earlier messages are hidden" in view[2].text
