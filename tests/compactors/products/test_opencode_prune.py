"""``opencode-prune``: protected and cleared output, to the token."""

import pytest
from support.builders import COUNTER, assistant, compact_now, context_of, system, tool, user
from support.compacting import compacted, in_a_row, messages_of, observed, view_of

from pytest_compaction.compactors.products.masking import OUTPUT_CLEARED, OpencodePrune

OUTPUT = "value " * 100
SIZE = COUNTER.text(OUTPUT)


def turn(number, outputs=2, name="bash", **more):
    yield user(f"request {number}")
    for index in range(outputs):
        id = f"c{number}-{index}"
        yield assistant(None, (id, name, {}))
        yield tool(id, OUTPUT, **more)
    yield assistant(f"answer {number}")


def log(turns=5, outputs=2):
    return [system(), *(m for number in range(turns) for m in turn(number, outputs))]


def cleared(view):
    return [m.id for m in view if any(r.text == OUTPUT_CLEARED for r in m.results)]


def results(chat):
    return [m.id for m in messages_of(chat) if m.results]


def test_the_last_two_turns_are_passed_over_and_the_newest_output_before_them_is_protected():
    chat = log(5)
    _, view = compacted(OpencodePrune(protect=2 * SIZE, minimum=0), chat, context_of(50))
    assert cleared(view) == results(chat)[:4]
    _, view = compacted(OpencodePrune(protect=2 * SIZE - 1, minimum=0), chat, context_of(50))
    assert cleared(view) == results(chat)[:5]
    _, view = compacted(OpencodePrune(protect=0, minimum=0), chat, context_of(50))
    assert cleared(view) == results(chat)[:6]


def test_nothing_is_cleared_unless_it_is_more_than_the_minimum():
    chat = log(5)
    exact = OpencodePrune(protect=2 * SIZE, minimum=4 * SIZE)
    outcome, view = compacted(exact, chat, context_of(50))
    assert outcome.status == "noop"
    assert view == messages_of(chat)
    below = OpencodePrune(protect=2 * SIZE, minimum=4 * SIZE - 1)
    outcome, view = compacted(below, chat, context_of(50))
    assert outcome.status == "compacted"
    assert len(cleared(view)) == 4


def test_the_constants_are_in_proportion_to_a_window_of_two_hundred_thousand():
    assert OpencodePrune().amounts(context_of(window=200_000)) == (40_000, 20_000)
    assert OpencodePrune().amounts(context_of(window=32_000)) == (6_400, 3_200)
    assert OpencodePrune().amounts(context_of(window=1_000_000)) == (40_000, 20_000)
    assert OpencodePrune(protect=7, minimum=0).amounts(context_of(window=32_000)) == (7, 0)


def test_output_of_the_skill_tool_is_neither_cleared_nor_counted():
    chat = [system(), *turn(0), *turn(1, name="skill"), *turn(2), *turn(3)]
    _, view = compacted(OpencodePrune(protect=SIZE, minimum=0), chat, context_of(50))
    assert cleared(view) == results(chat)[:1]


def test_a_result_that_is_an_error_stays():
    chat = [system(), *turn(0, is_error=True), *turn(1), *turn(2), *turn(3)]
    _, view = compacted(OpencodePrune(protect=0, minimum=0), chat, context_of(50))
    assert cleared(view) == results(chat)[2:4]


def test_the_walk_stops_at_a_summary():
    compactor, context = OpencodePrune(protect=0, minimum=0), context_of(50)
    state = observed(compactor, log(4), context)
    summary = {
        "id": "s",
        "origin": "synthetic",
        "role": "user",
        "content": "Summary: all went well",
    }
    items = state["messages"]
    stopped = {**state, "messages": [*items[:7], summary, *items[7:]]}
    view = view_of(compactor, compact_now(compactor, stopped, context), context)
    assert cleared(view) == results(log(4))[2:4]


def test_the_walk_stops_at_what_was_cleared_before():
    context = context_of(50)
    compactor = OpencodePrune(protect=2 * SIZE, minimum=0)
    first, second = in_a_row(compactor, [log(5), list(turn(5))], context)
    assert first.state["cleared"] == sorted(results(log(5))[:4])
    assert cleared(view_of(compactor, second, context)) == results(log(5))[:6]
    fates = {id: span.fate for span in second.spans for id in span.ids}
    assert [id for id, fate in fates.items() if fate == "masked"] == results(log(5))[4:6]


def test_it_is_due_when_there_is_more_old_output_than_the_minimum():
    context = context_of(100_000)
    due = OpencodePrune(protect=2 * SIZE, minimum=4 * SIZE - 1)
    state = observed(due, log(5), context)
    assert due.due(state, context) == "there is enough old tool output to clear"
    assert due.due(compact_now(due, state, context).state, context) is None
    assert OpencodePrune(protect=2 * SIZE, minimum=4 * SIZE).due(state, context) is None


def test_calls_that_wait_do_not_lose_the_results_beside_them():
    chat = [*log(3), assistant(None, ("x", "bash", {}), ("y", "bash", {})), tool("x", OUTPUT)]
    _, view = compacted(OpencodePrune(protect=0, minimum=0), chat, context_of(300))
    assert view[-2:] == messages_of(chat)[-2:]


def test_it_stays_over_the_budget():
    context = context_of(400, window=3_000)
    faithful = OpencodePrune()
    _, view = compacted(faithful, log(8), context)
    assert COUNTER.messages(view) > 400
    assert set(faithful.traits.violations) == {"within-budget"}


@pytest.mark.parametrize("key", ["protect", "minimum"])
@pytest.mark.parametrize("value", [-1, 2.5, "x"])
def test_impossible_limits_are_refused(key, value):
    with pytest.raises(ValueError, match=f"{key}={value} must be a whole number of tokens"):
        OpencodePrune(**{key: value})
