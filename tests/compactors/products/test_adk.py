"""``adk``: the events that each of its two ways summarises, and those that stay."""

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
from support.compacting import (
    SayingModel,
    SpyModel,
    compacted,
    ids,
    in_a_row,
    messages_of,
    observed,
    roles,
    tokens,
    view_of,
)

from pytest_compaction.compactors.base.product import PREAMBLE
from pytest_compaction.compactors.products.adk import (
    MAX_TOOL_CHARACTERS,
    Adk,
    capped,
    characters,
    events,
    last_turns,
)


def turn(number, steps=1, words=30):
    yield user(f"request {number} " * words)
    for step in range(steps):
        id = f"c{number}-{step}"
        yield assistant(f"step {step}", (id, "bash", {"command": "ls"}))
        yield tool(id, f"output {number} " * words)
    yield assistant(f"answer {number} " * words)


def log(turns, steps=1):
    return [system(), *(m for number in range(turns) for m in turn(number, steps))]


def test_the_last_events_stay_after_one_summary():
    chat = log(5)
    outcome, view = compacted(Adk(), chat, context_of(600))
    assert outcome.status == "compacted"
    assert ids(view) == ["m0", "adk-summary-1", *(f"m{i}" for i in range(10, 21))]
    assert roles(view)[:2] == ["system", "user"]
    assert view[1].text.startswith(PREAMBLE)
    assert view[1].origin == "synthetic"


def test_results_of_calls_made_at_once_are_one_event():
    chat = [
        user("go"),
        assistant(None, ("a", "bash", {}), ("b", "bash", {})),
        tool("a"),
        tool("b"),
        assistant("done"),
    ]
    assert events(messages_of(chat)) == [(0, 1), (1, 2), (2, 4), (4, 5)]


def test_a_split_among_results_is_moved_back_to_the_calls():
    chat = [
        *log(3),
        assistant(None, ("a", "bash", {}), ("b", "bash", {})),
        tool("a"),
        tool("b"),
        user("and?"),
    ]
    for retention, first in ((1, "m16"), (2, "m13"), (3, "m13"), (4, "m12")):
        _, view = compacted(Adk(retention=retention), chat, context_of(400))
        assert ids(view)[2] == first
    _, view = compacted(Adk(retention=0), chat, context_of(400))
    assert ids(view) == ["m0", "adk-summary-1"]


def test_a_call_that_waits_stops_the_range_and_stays():
    chat = [*log(4), assistant(None, ("a", "bash", {}), ("b", "bash", {})), tool("a")]
    for compactor in (Adk(retention=0), Adk(interval=2, overlap=0)):
        _, view = compacted(compactor, chat, context_of(400))
        assert ids(view) == ["m0", "adk-summary-1", "m17", "m18"]


def test_no_more_events_than_stay_is_nothing_to_do():
    chat = log(2, steps=1)
    outcome, _ = compacted(
        Adk(retention=8), chat, context_of(320, model=SayingModel("all went well"))
    )
    assert outcome.status == "noop"
    outcome, _ = compacted(
        Adk(retention=7), chat, context_of(320, model=SayingModel("all went well"))
    )
    assert outcome.status == "compacted"


def test_by_turns_all_turns_go_and_summaries_add_up():
    spy = SpyModel()
    context = context_of(700, model=spy)
    compactor = Adk(interval=2, overlap=1)
    two = [*turn(7), *turn(8)]
    outcomes = list(in_a_row(compactor, [log(2), two, two], context))
    view = view_of(compactor, outcomes[-1], context)
    assert ids(view) == ["m0", "adk-summary-1", "adk-summary-2", "adk-summary-3"]
    read = [ids(request.messages) for request in spy.requests]
    assert read[0] == [f"m{i}" for i in range(1, 9)]
    assert read[1] == [f"m{i}" for i in range(5, 17)]
    assert read[2] == [f"m{i}" for i in range(13, 25)]


@pytest.mark.parametrize(("interval", "status"), [(2, "compacted"), (3, "compacted"), (4, "noop")])
def test_by_turns_nothing_happens_before_the_interval(interval, status):
    outcome, _ = compacted(Adk(interval=interval, overlap=1), log(3), context_of(300))
    assert outcome.status == status


def test_tokens_come_before_turns_where_both_are_configured():
    chat = log(5)
    used = tokens(chat)
    both = {"retention": 4, "interval": 2, "overlap": 0}
    _, view = compacted(Adk(threshold=used, **both), chat, context_of(600))
    assert ids(view)[2:] == ["m17", "m18", "m19", "m20"]
    _, view = compacted(Adk(threshold=used + 1, **both), chat, context_of(600))
    assert ids(view) == ["m0", "adk-summary-1"]


def test_a_range_no_larger_than_the_last_summary_is_left_alone():
    long = SayingModel("remark " * 200)
    compactor = Adk(interval=1, overlap=0)
    context = context_of(1200, model=long)
    small = [user("ok?"), assistant("ok")]
    first, second = in_a_row(compactor, [log(6), small], context_of(1200, window=1300, model=long))
    assert first.status == "compacted"
    assert (second.status, second.state["cycle"]) == ("noop", 1)
    large = [user("word " * 900), assistant("ok")]
    first, second = in_a_row(compactor, [log(6), large], context)
    assert (second.status, second.state["cycle"]) == ("compacted", 2)
    summary = view_of(compactor, first, context)[1]
    assert characters(messages_of(small)) <= characters([summary]) < characters(messages_of(large))


def test_the_summariser_reads_two_thousand_characters_of_a_tool():
    output, script = "o" * 5000, "s" * 5000
    chat = [assistant("t" * 5000, ("a", "bash", {"command": script})), tool("a", output)]
    said, answered = capped(messages_of(chat))
    assert said.text == "t" * 5000
    assert len(said.calls[0].parsed()["command"]) < MAX_TOOL_CHARACTERS + 60
    assert answered.results[0].text == output[:2000] + " [3000 characters left out]"
    exact = capped(messages_of([assistant(None, ("a", "bash", {})), tool("a", "o" * 2000)]))
    assert exact[1].results[0].text == "o" * 2000


def test_the_last_turns_are_counted_by_the_users_messages():
    messages = messages_of(log(3))
    assert ids(last_turns(messages, 1)) == ids(messages[9:])
    assert ids(last_turns(messages, 2)) == ids(messages[5:])
    assert last_turns(messages, 3) == last_turns(messages, 9) == messages
    assert last_turns(messages, 0) == ()


def test_it_is_due_after_so_many_turns_and_not_again_after_them():
    chat = log(4)
    used = tokens(chat)
    context = context_of(window=used * 10)
    later = Adk(interval=5, overlap=1)
    assert later.due(observed(later, chat, context), context) is None
    by_turns = Adk(interval=4, overlap=1)
    context = context_of(600, window=used * 10)
    assert by_turns.due(observed(by_turns, chat, context), context) is not None
    done = compact_now(by_turns, observed(by_turns, chat, context), context)
    assert done.status == "compacted"
    assert by_turns.due(done.state, context) is None


def test_the_last_events_stay_whatever_they_take():
    chat = [*log(2), *session(6)[1:]]
    _, view = compacted(Adk(), chat, context_of(500))
    assert COUNTER.messages(view) > 500
    kept = {"within-budget", "never-larger", "summary-is-a-summary"}
    assert set(Adk().traits.violations) == kept


def test_a_view_of_nothing_but_summaries_begins_and_ends_with_the_user():
    compactor = Adk(interval=2, overlap=1)
    _, view = compacted(compactor, [*log(3), user("Now what?")], context_of(500))
    assert roles(view) == ["system", "user"]
    assert "one-live-summary" in compactor.traits.violations
    assert not {"starts-with-user", "ends-on-user-or-tool"} & set(compactor.traits.violations)
