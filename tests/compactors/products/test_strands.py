"""``strands``: which messages a round takes, how many rounds there are, and what stays."""

import pytest
from support.builders import COUNTER, assistant, context_of, system, tool, user
from support.compacting import (
    SayingModel,
    SpyModel,
    compacted,
    ids,
    messages_of,
    talk,
    tokens,
)

from pytest_compaction.compactors.products.strands import PREAMBLE, TOO_FEW, Strands

PAIR = [assistant(None, ("x", "bash", {"command": "make"})), tool("x", "made it")]


def test_one_round_summarises_the_oldest_three_tenths_if_that_is_enough():
    chat = talk(20, words=60)
    spy = SpyModel()
    outcome, view = compacted(Strands(), chat, context_of(tokens(chat) - 200, model=spy))
    assert outcome.status == "compacted"
    assert ids(view) == ["m0", "strands-summary-1", *(f"m{n}" for n in range(7, 21))]
    assert ids(spy.requests[0].messages) == [f"m{n}" for n in range(1, 7)]
    assert view[1].role == "user"
    assert view[1].text.startswith(PREAMBLE)


def test_rounds_go_on_until_the_view_fits_and_each_reads_the_summary_before():
    chat = talk(30, words=60)
    spy = SpyModel()
    newest = COUNTER.messages(messages_of(chat)[-10:])
    outcome, view = compacted(Strands(), chat, context_of(newest + 1000, model=spy))
    assert outcome.status == "compacted"
    assert len(spy.requests) > 1
    for number, request in enumerate(spy.requests[1:], 1):
        assert request.messages[0].id == f"strands-summary-{number}"
        assert PREAMBLE not in request.messages[0].text
    assert COUNTER.messages(view) <= newest + 1000
    assert [m.id for m in view if m.origin == "synthetic"] == [
        f"strands-summary-{len(spy.requests)}"
    ]
    replaced = [span for span in outcome.spans if span.fate == "replaced"]
    assert {span.by for span in replaced} == {view[1].id}


def test_the_newest_ten_always_stay_and_the_rounds_end():
    chat = talk(16, words=100)
    spy = SpyModel()
    _, view = compacted(Strands(), chat, context_of(300, model=spy))
    assert ids(view)[-10:] == [f"m{n}" for n in range(7, 17)]
    assert COUNTER.messages(view) > 300
    assert len(spy.requests) < 6


def test_an_empty_reply_is_an_error_and_leaves_the_view():
    chat = talk(20, words=60)
    outcome, view = compacted(Strands(), chat, context_of(600, model=SayingModel()))
    assert (outcome.status, view) == ("failed", messages_of(chat))
    assert "came back empty" in outcome.error


def test_with_ten_messages_or_fewer_it_says_that_there_are_too_few():
    chat = talk(10, words=60)
    outcome, view = compacted(Strands(), chat, context_of(300))
    assert (outcome.status, outcome.error) == ("failed", TOO_FEW)
    assert view == messages_of(chat)


@pytest.mark.parametrize(
    ("before", "wanted", "count"),
    [
        ([user("a"), *PAIR, user("b")], 1, 1),
        ([user("a"), *PAIR, user("b")], 2, 3),
        ([user("a"), *PAIR[:1], tool("y"), *PAIR[1:], user("b")], 2, 4),
        ([user("a"), assistant(None, ("y", "bash", {})), user("c")], 1, 2),
    ],
)
def test_the_cut_moves_past_results_and_past_a_call_without_one(before, wanted, count):
    messages = messages_of([*before, *talk(10 - len(before))[1:]])
    assert len(messages) == 10
    assert Strands(ratio=wanted / 10, keep=0).oldest(messages) == count


def test_lets_the_last_request_go_with_the_oldest():
    work = [
        message
        for n in range(8)
        for message in (
            assistant(f"Step {n} needs port {n}080.", (f"w{n}", "bash", {"command": f"step {n}"})),
            tool(f"w{n}", "line " * 120),
        )
    ]
    chat = [system(), user("Run the steps."), *work]
    assert "m1" not in ids(compacted(Strands(), chat, context_of(900))[1])
