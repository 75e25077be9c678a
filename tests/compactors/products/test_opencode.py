"""``opencode``: the checkpoint, what stays in it as text, and how it is updated."""

from dataclasses import replace

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
    RefusingModel,
    SayingModel,
    SpyModel,
    compacted,
    ids,
    in_a_row,
    messages_of,
    roles,
    tokens,
    view_of,
)

from pytest_compaction.compactors.products import opencode
from pytest_compaction.compactors.products.opencode import PREAMBLE, RECENT, REMINDER, Opencode

RESULT = "line " * 1000
WORK = [assistant("I look.", ("w", "read_file", {"path": "a.py"})), tool("w", RESULT)]


def by_hand(budget, model=None):
    return replace(context_of(budget, window=200_000, model=model), reason="manual")


def test_the_constants_are_those_of_the_product():
    kept = (opencode.KEPT, opencode.BUFFER, opencode.MOST_OUTPUT, opencode.RESULT_CHARACTERS)
    assert kept == (15_000, 20_000, 32_000, 2_000)
    titles = [section.title for section in Opencode().sections]
    assert titles[0] == "Objective"
    assert titles[-1] == "Additional context"
    assert len(titles) == 9


def test_the_newest_turns_stand_as_text_beside_the_summary():
    spy = SpyModel()
    chat = session(8)
    outcome, view = compacted(Opencode(), chat, context_of(1200, window=5000, model=spy))
    assert outcome.status == "compacted"
    assert roles(view) == ["system", "user"]
    assert view[1].text.startswith(PREAMBLE)
    summary, _, recent = view[1].text.partition(RECENT)
    assert "## Objective" in summary
    assert recent.strip().startswith(f"User: {chat[-4]['content']}")
    assert ids(spy.requests[0].messages)[-1] == f"m{len(chat) - 5}"
    assert COUNTER.messages(view) <= 1200


def test_a_result_is_cut_to_two_thousand_characters_where_it_stays():
    chat = [*session(3), user("Look."), *WORK]
    _, view = compacted(Opencode(keep=1), chat, by_hand(4000))
    assert "Call: read_file a.py" in view[1].text
    assert f"Result: {RESULT[:2000]}\n[cut]" in view[1].text


def test_where_everything_fits_only_the_last_turn_stays():
    spy = SpyModel()
    context = by_hand(9000, spy)
    compacted(Opencode(), session(3), context)
    assert ids(spy.requests[0].messages)[-1] == f"m{len(session(3)) - 5}"


def test_a_single_turn_is_summarised_whole():
    _, view = compacted(Opencode(), [system(), user("Look at it."), *WORK], context_of(500))
    assert RECENT not in view[1].text


def test_the_next_compaction_updates_the_summary_and_reads_what_stood_beside_it():
    spy = SpyModel()
    context = context_of(1200, window=5000, model=spy)
    outcomes = list(in_a_row(Opencode(), [session(6), session(6)[1:]], context))
    assert spy.requests[1].previous is not None
    assert ids(spy.requests[1].messages)[0] == "opencode-recent"
    assert spy.requests[1].messages[0].text == outcomes[0].state["recent"]
    view = view_of(Opencode(), outcomes[1], context)
    assert ids(view)[1:] == ["opencode-summary-2"]


def test_a_checkpoint_without_a_tail_is_updated_with_all_that_follows():
    spy = SpyModel()
    context = context_of(500, window=5000, model=spy)
    batches = [[system(), user("Look at it."), *WORK], [assistant("word " * 600)]]
    outcomes = list(in_a_row(Opencode(), batches, context))
    assert outcomes[0].state["recent"] == ""
    assert [outcome.status for outcome in outcomes] == ["compacted"] * 2
    assert ids(spy.requests[1].messages) == ["m4"]


def test_a_checkpoint_is_not_due_before_something_was_said_after_it():
    compactor, context = Opencode(reserve=199_000), context_of(1200, window=5000)
    outcome, _ = compacted(compactor, session(8), context)
    assert compactor.due(outcome.state, context) is None
    more = compactor.observe(outcome.state, messages_of([user("word " * 40)], 90), context)
    assert compactor.due(more, context) is not None


def test_an_empty_reply_is_asked_for_once_more_and_then_nothing_changes():
    silent = SayingModel()
    outcome, view = compacted(Opencode(), session(8), context_of(500, model=silent))
    assert (outcome.status, view) == ("failed", messages_of(session(8)))
    assert "came back empty" in outcome.error
    assert [request.instructions for request in silent.requests] == ["", REMINDER]


def test_a_checkpoint_that_is_still_too_long_is_left_as_it_is():
    spy = SpyModel()
    chat = [*session(3), user("Read this: " + "word " * 2000)]
    outcome, view = compacted(Opencode(), chat, context_of(1200, window=20_000, model=spy))
    assert COUNTER.messages(view) > 1200
    asked = len(spy.requests)
    again = compact_now(Opencode(), outcome.state, by_hand(1200, spy))
    assert (again.status, again.state["messages"]) == ("noop", outcome.state["messages"])
    assert len(spy.requests) == asked


def test_a_request_that_is_refused_as_too_long_is_not_repeated():
    refusing = RefusingModel(times=1)
    outcome, view = compacted(Opencode(), session(8), context_of(500, model=refusing))
    assert (outcome.status, view) == ("failed", messages_of(session(8)))
    assert "too long" in outcome.error
    assert len(refusing.requests) == 1


def test_cannot_compact_a_conversation_over_the_window():
    chat = session(8)
    context = context_of(300, window=tokens(chat) // 3)
    outcome, view = compacted(Opencode(), chat, context)
    assert (outcome.status, view) == ("failed", messages_of(chat))
    assert "longer than the window" in outcome.error
