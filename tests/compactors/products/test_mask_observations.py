"""``mask-observations``: results outside the last messages give way, nothing else changes."""

import pytest
from support.builders import COUNTER, assistant, compact_now, context_of, system, tool, user
from support.compacting import compacted, ids, in_a_row, messages_of, observed, view_of

from pytest_compaction.compactors.products.masking import OUTPUT_HIDDEN, MaskObservations

LONG = "the output of the tool " * 20


def steps(count, first=0):
    """Calls with long results, one at a time."""
    for number in range(first, first + count):
        yield assistant(f"step {number}", (f"c{number}", "bash", {"command": "ls"}))
        yield tool(f"c{number}", LONG)


def log(count=6):
    return [system(), user("Find the leak."), *steps(count)]


def masked_ids(view):
    return [m.id for m in view if any(r.text == OUTPUT_HIDDEN for r in m.results)]


def test_results_outside_the_last_five_messages_are_masked_and_calls_stay():
    chat = log(6)
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
    chat = [*log(2), user("And?"), assistant("Not yet."), user("Hurry."), assistant("Yes.")]
    _, view = compacted(MaskObservations(window=5), chat, context_of(100))
    assert masked_ids(view) == ["m3"]
    _, view = compacted(MaskObservations(window=4), chat, context_of(100))
    assert masked_ids(view) == ["m3", "m5"]


@pytest.mark.parametrize(("window", "masked"), [(0, 3), (1, 2), (2, 2), (3, 1), (6, 0), (99, 0)])
def test_the_window_is_a_parameter(window, masked):
    outcome, view = compacted(MaskObservations(window), log(3), context_of(50))
    assert len(masked_ids(view)) == masked
    assert outcome.status == ("compacted" if masked else "noop")


def test_an_image_of_an_old_result_goes_with_it():
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,a"}}
    chat = log(6)
    chat[3] = {**chat[3], "content": [{"type": "text", "text": LONG}, picture]}
    _, view = compacted(MaskObservations(), chat, context_of(100))
    assert [part.text for part in view[3].parts] == [OUTPUT_HIDDEN]


def test_a_result_that_is_shorter_than_the_placeholder_stays():
    chat = [system(), assistant(None, ("c", "bash", {})), tool("c", "ok"), *log(3)[1:]]
    _, view = compacted(MaskObservations(window=0), chat, context_of(50))
    assert view[2].results[0].text == "ok"


def test_a_result_beside_a_call_that_still_waits_is_not_masked():
    chat = [*log(2), assistant("both", ("a", "bash", {}), ("b", "bash", {})), tool("a", LONG)]
    _, view = compacted(MaskObservations(window=0), chat, context_of(50))
    assert masked_ids(view) == ["m3", "m5"]
    assert view[-1].results[0].text == LONG


def test_it_is_due_as_soon_as_a_result_leaves_the_window_whatever_the_budget():
    compactor, context = MaskObservations(), context_of(100_000)
    inside = observed(compactor, log(2), context)
    assert compactor.due(inside, context) is None
    outside = observed(compactor, [assistant("a")] * 3, context, inside, start=6)
    assert compactor.due(outside, context) == "1 tool results are older than the window"
    assert compactor.due(compact_now(compactor, outside, context).state, context) is None


def test_what_is_masked_stays_masked_in_the_next_compaction():
    context = context_of(100)
    first, second = in_a_row(MaskObservations(), [log(6), list(steps(2, 6))], context)
    view = view_of(MaskObservations(), second, context)
    assert masked_ids(view) == ["m3", "m5", "m7", "m9", "m11"]
    fates = {id: span.fate for span in second.spans for id in span.ids}
    assert fates["m3"] == "kept"
    assert fates["m9"] == "masked"
    assert first.status == second.status == "compacted"


def test_it_stays_over_the_budget_and_says_so():
    compactor = MaskObservations()
    _, view = compacted(compactor, log(6), context_of(300))
    assert COUNTER.messages(view) > 300
    assert set(compactor.traits.violations) == {"within-budget"}


@pytest.mark.parametrize("window", [-1, 1.5, True, "many"])
def test_a_window_that_is_no_count_is_refused(window):
    with pytest.raises(ValueError, match=f"window={window} must be a whole number"):
        MaskObservations(window)
