"""``last-n-observations``: exactly which observations stay, and the text for the others.

``mask-observations``: results outside the last messages give way, nothing else changes.

``opencode-prune``: protected and cleared output, to the token.
"""

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
from support.compacting import SpyModel, compacted, ids, in_a_row, messages_of, observed, view_of
from support.compositions import create

from pytest_compaction.compactors.base.product import PLACEHOLDER
from pytest_compaction.compactors.products.masking import (
    OUTPUT_CLEARED,
    OUTPUT_HIDDEN,
    LastNObservations,
    MaskObservations,
    OpencodePrune,
    omitted,
    outside,
)

LINES = "\n".join(f"line {i} of the listing with some more words" for i in range(12))


def steps(count, first=0, name="bash"):
    for number in range(first, first + count):
        yield assistant(f"step {number}", (f"c{number}", name, {}))
        yield tool(f"c{number}", LINES)


def log(count=6):
    return [system(), user("Repair the parser.\n" * 30), *steps(count)]


def elided(view):
    return [m.id for m in view if any(r.text.startswith("[earlier output: ") for r in m.results)]


@pytest.mark.parametrize(
    ("count", "n", "gone"), [(5, 5, 0), (6, 5, 1), (10, 5, 5), (10, 1, 9), (2, 5, 0)]
)
def test_all_observations_but_the_last_n_are_elided(count, n, gone):
    _, view = compacted(LastNObservations(n), log(count), context_of(50))
    assert elided(view) == [f"m{3 + 2 * i}" for i in range(gone)]


def test_the_task_is_the_first_observation_and_is_never_elided():
    chat = log(8)
    messages = messages_of(chat)
    assert outside(messages, 1) == [m.id for m in messages if m.results][:-1]
    _, view = compacted(LastNObservations(1), chat, context_of(50))
    assert view[1] == messages[1]


def test_without_a_request_the_first_result_is_the_first_observation():
    chat = [system(), *steps(4)]
    _, view = compacted(LastNObservations(1), chat, context_of(50))
    assert elided(view) == ["m4", "m6"]


def test_the_text_tells_how_many_lines_and_images_there_were():
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,a"}}
    chat = log(6)
    chat[3] = {**chat[3], "content": [{"type": "text", "text": LINES}, picture, picture]}
    _, view = compacted(LastNObservations(), chat, context_of(50))
    text = "[earlier output: 12 lines omitted] [2 images omitted]"
    assert [part.text for part in view[3].parts] == [text]
    assert omitted(messages_of(chat)[5]) == "[earlier output: 12 lines omitted]"


def test_what_is_elided_keeps_its_count_in_later_compactions():
    context = context_of(50)
    _, last = in_a_row(LastNObservations(2), [log(6), list(steps(3, 6))], context)
    view = view_of(LastNObservations(2), last, context)
    assert {r.text for m in view if m.id in elided(view) for r in m.results} == {
        "[earlier output: 12 lines omitted]"
    }
    assert len(elided(view)) == 7
    assert last.state["elided"] == sorted(elided(view))


LONG = "the output of the tool " * 20


def listing_steps(count, first=0):
    """Calls with long results, one at a time."""
    for number in range(first, first + count):
        yield assistant(f"step {number}", (f"c{number}", "bash", {"command": "ls"}))
        yield tool(f"c{number}", LONG)


def listings(count=6):
    return [system(), user("Find the leak."), *listing_steps(count)]


def masked_ids(view):
    return [m.id for m in view if any(r.text == OUTPUT_HIDDEN for r in m.results)]


def test_results_outside_the_last_five_messages_are_masked_and_calls_stay():
    chat = listings(6)
    outcome, view = compacted(MaskObservations(), chat, context_of(100))
    assert outcome.status == "compacted"
    assert ids(view) == ids(messages_of(chat))
    assert masked_ids(view) == ["m3", "m5", "m7"]
    assert view[9].results[0].text == LONG
    assert [m for m in view if not m.results] == [m for m in messages_of(chat) if not m.results]
    assert [(span.fate, span.ids) for span in outcome.spans if span.fate == "masked"] == [
        ("masked", ("m3",)),
        ("masked", ("m5",)),
        ("masked", ("m7",)),
    ]


def test_the_window_counts_messages_and_not_observations():
    chat = [
        *listings(2),
        user("And?"),
        assistant("Not yet."),
        user("Hurry."),
        assistant("Yes."),
    ]
    _, view = compacted(MaskObservations(window=5), chat, context_of(100))
    assert masked_ids(view) == ["m3"]
    _, view = compacted(MaskObservations(window=4), chat, context_of(100))
    assert masked_ids(view) == ["m3", "m5"]


@pytest.mark.parametrize(("window", "masked"), [(0, 3), (1, 2), (2, 2), (3, 1), (6, 0), (99, 0)])
def test_the_window_is_a_parameter(window, masked):
    outcome, view = compacted(MaskObservations(window), listings(3), context_of(50))
    assert len(masked_ids(view)) == masked
    assert outcome.status == ("compacted" if masked else "noop")


def test_an_image_of_an_old_result_goes_with_it():
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,a"}}
    chat = listings(6)
    chat[3] = {**chat[3], "content": [{"type": "text", "text": LONG}, picture]}
    _, view = compacted(MaskObservations(), chat, context_of(100))
    assert [part.text for part in view[3].parts] == [OUTPUT_HIDDEN]


def test_a_result_that_is_shorter_than_the_placeholder_stays():
    chat = [
        system(),
        assistant(None, ("c", "bash", {})),
        tool("c", "ok"),
        *listings(3)[1:],
    ]
    _, view = compacted(MaskObservations(window=0), chat, context_of(50))
    assert view[2].results[0].text == "ok"


def test_a_result_beside_a_call_that_still_waits_is_not_masked():
    chat = [
        *listings(2),
        assistant("both", ("a", "bash", {}), ("b", "bash", {})),
        tool("a", LONG),
    ]
    _, view = compacted(MaskObservations(window=0), chat, context_of(50))
    assert masked_ids(view) == ["m3", "m5"]
    assert view[-1].results[0].text == LONG


def test_it_is_due_as_soon_as_a_result_leaves_the_window_whatever_the_budget():
    compactor, context = MaskObservations(), context_of(100_000)
    inside = observed(compactor, listings(2), context)
    assert compactor.due(inside, context) is None
    outside = observed(compactor, [assistant("a")] * 3, context, inside, start=6)
    assert compactor.due(outside, context) == "1 tool results are older than the window"
    assert compactor.due(compact_now(compactor, outside, context).state, context) is None


def test_what_is_masked_stays_masked_in_the_next_compaction():
    context = context_of(100)
    first, second = in_a_row(
        MaskObservations(),
        [listings(6), list(listing_steps(2, 6))],
        context,
    )
    view = view_of(MaskObservations(), second, context)
    assert masked_ids(view) == ["m3", "m5", "m7", "m9", "m11"]
    fates = {id: span.fate for span in second.spans for id in span.ids}
    assert fates["m3"] == "kept"
    assert fates["m9"] == "masked"
    assert first.status == second.status == "compacted"


OUTPUT = "value " * 100
SIZE = COUNTER.text(OUTPUT)


def turn(number, outputs=2, name="bash", **more):
    yield user(f"request {number}")
    for index in range(outputs):
        id = f"c{number}-{index}"
        yield assistant(None, (id, name, {}))
        yield tool(id, OUTPUT, **more)
    yield assistant(f"answer {number}")


def rounds(turns=5, outputs=2):
    return [system(), *(m for number in range(turns) for m in turn(number, outputs))]


def cleared(view):
    return [m.id for m in view if any(r.text == OUTPUT_CLEARED for r in m.results)]


def results(chat):
    return [m.id for m in messages_of(chat) if m.results]


def test_the_last_two_turns_are_passed_over_and_the_newest_output_before_them_is_protected():
    chat = rounds(5)
    _, view = compacted(OpencodePrune(protect=2 * SIZE, minimum=0), chat, context_of(50))
    assert cleared(view) == results(chat)[:4]
    _, view = compacted(OpencodePrune(protect=2 * SIZE - 1, minimum=0), chat, context_of(50))
    assert cleared(view) == results(chat)[:5]
    _, view = compacted(OpencodePrune(protect=0, minimum=0), chat, context_of(50))
    assert cleared(view) == results(chat)[:6]


def test_nothing_is_cleared_unless_it_is_more_than_the_minimum():
    chat = rounds(5)
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
    state = observed(compactor, rounds(4), context)
    summary = {
        "id": "s",
        "origin": "synthetic",
        "role": "user",
        "content": "Summary: all went well",
    }
    items = state["messages"]
    stopped = {**state, "messages": [*items[:7], summary, *items[7:]]}
    view = view_of(compactor, compact_now(compactor, stopped, context), context)
    assert cleared(view) == results(rounds(4))[2:4]


def test_the_walk_stops_at_what_was_cleared_before():
    context = context_of(50)
    compactor = OpencodePrune(protect=2 * SIZE, minimum=0)
    first, second = in_a_row(compactor, [rounds(5), list(turn(5))], context)
    assert first.state["cleared"] == sorted(results(rounds(5))[:4])
    assert cleared(view_of(compactor, second, context)) == results(rounds(5))[:6]
    fates = {id: span.fate for span in second.spans for id in span.ids}
    assert [id for id, fate in fates.items() if fate == "masked"] == results(rounds(5))[4:6]


def test_it_is_due_when_there_is_more_old_output_than_the_minimum():
    context = context_of(100_000)
    due = OpencodePrune(protect=2 * SIZE, minimum=4 * SIZE - 1)
    state = observed(due, rounds(5), context)
    assert due.due(state, context) == "there is enough old tool output to clear"
    assert due.due(compact_now(due, state, context).state, context) is None
    assert OpencodePrune(protect=2 * SIZE, minimum=4 * SIZE).due(state, context) is None


def test_calls_that_wait_do_not_lose_the_results_beside_them():
    chat = [
        *rounds(3),
        assistant(None, ("x", "bash", {}), ("y", "bash", {})),
        tool("x", OUTPUT),
    ]
    _, view = compacted(OpencodePrune(protect=0, minimum=0), chat, context_of(300))
    assert view[-2:] == messages_of(chat)[-2:]


@pytest.mark.parametrize(
    ("compactor", "chat", "context"),
    [
        (LastNObservations(), log(12), context_of(600)),
        (MaskObservations(), listings(6), context_of(300)),
        (OpencodePrune(), rounds(8), context_of(400, window=3_000)),
    ],
)
def test_all_else_stays_over_the_budget_whatever_it_takes(compactor, chat, context):
    _, view = compacted(compactor, chat, context)
    assert COUNTER.messages(view) > context.budget
    assert set(compactor.traits.violations) == {"within-budget"}


def test_a_microcompaction_clears_all_but_the_newest_five_results_and_asks_no_model():
    spy = SpyModel()
    chat = session(9)
    outcome, view = compacted(create("claude-code-micro"), chat, context_of(500, model=spy))
    cleared = [m.results[0].text == PLACEHOLDER for m in view if m.results]
    assert cleared == [True] * 4 + [False] * 5
    assert len(view) == len(chat)
    assert outcome.status == "compacted"
    assert spy.requests == []
    assert compacted(create("claude-code-micro:keep=9"), chat, context_of(500))[0].status == "noop"
