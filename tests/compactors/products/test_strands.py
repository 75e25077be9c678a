"""``strands``: which messages a round takes, how many rounds there are, and what stays."""

import pytest
from support.builders import COUNTER, assistant, context_of, session, system, tool, user
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


def test_the_newest_ten_always_stay_in_the_faithful_profile_and_the_rounds_end():
    chat = talk(16, words=100)
    spy = SpyModel()
    _, view = compacted(Strands(), chat, context_of(300, model=spy))
    assert ids(view)[-10:] == [f"m{n}" for n in range(7, 17)]
    assert COUNTER.messages(view) > 300
    assert len(spy.requests) < 6
    _, view = compacted(Strands(profile="hardened"), chat, context_of(600))
    assert COUNTER.messages(view) <= 600


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


def test_faithful_lets_the_last_request_go_with_the_oldest_and_hardened_keeps_it():
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
    _, view = compacted(Strands(profile="hardened"), chat, context_of(900))
    assert view[2] == messages_of(chat)[1]
    assert COUNTER.messages(view) <= 900


def test_faithful_takes_an_empty_reply_for_the_summary_and_hardened_fails():
    chat = talk(20, words=60)
    context = context_of(tokens(chat) - 200, model=SayingModel())
    assert compacted(Strands(), chat, context)[1][1].text.strip() == PREAMBLE
    outcome, view = compacted(Strands(profile="hardened"), chat, context)
    assert (outcome.status, view) == ("failed", messages_of(chat))


@pytest.mark.parametrize("profile", ["faithful", "hardened"])
def test_a_model_that_is_away_leaves_the_view_as_it_was(profile):
    away = context_of(900, model=AwayModel())
    outcome, view = compacted(Strands(profile=profile), session(6), away)
    assert outcome.status == "failed"
    assert "the endpoint is away" in outcome.error
    assert view == messages_of(session(6))


def test_an_earlier_summary_is_among_the_oldest_at_the_next_compaction():
    context = context_of(1500)
    batches = [session(8), session(6)[1:]]
    *_, last = in_a_row(Strands(), batches, context)
    view = view_of(Strands(), last, context)
    assert len([m for m in view if m.origin == "synthetic"]) == 1


def test_it_is_due_by_itself_only_with_a_threshold():
    chat = session(6)
    used = tokens(chat)

    def due(compactor, window):
        context = context_of(window=window)
        return compactor.due(observed(compactor, chat, context), context) is not None

    assert not due(Strands(), used)
    assert due(Strands(threshold=0.7), int(used / 0.7))
    assert not due(Strands(threshold=0.7), int(used / 0.7) + 5)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"ratio": 0.05}, "ratio=0.05 must be a number from 0.1 to 0.8"),
        ({"ratio": True}, "ratio=True must be a number from 0.1 to 0.8"),
        ({"keep": -1}, "keep=-1 must be a whole number, at least 0"),
        ({"threshold": 1.5}, "threshold=1.5 must be a number from 0 to 1"),
        ({"profile": "x"}, "profile=x must be one of"),
    ],
)
def test_impossible_parameters_are_refused(parameters, said):
    with pytest.raises(ValueError, match=said):
        Strands(**parameters)
