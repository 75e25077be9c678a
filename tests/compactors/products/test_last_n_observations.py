"""``last-n-observations``: exactly which observations stay, and the text for the others."""

import pytest
from support.builders import COUNTER, assistant, compact_now, context_of, system, tool, user
from support.compacting import compacted, in_a_row, messages_of, observed, view_of

from pytest_compaction.compactors.products.masking import (
    LastNObservations,
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
    ("count", "n", "polling", "gone"),
    [
        (5, 5, 1, 0),
        (6, 5, 1, 1),
        (10, 5, 1, 5),
        (10, 1, 1, 9),
        (9, 5, 4, 2),
        (10, 5, 4, 2),
        (11, 5, 4, 6),
        (2, 5, 1, 0),
    ],
)
def test_the_cut_is_the_count_rounded_down_to_polling_less_n(count, n, polling, gone):
    chat = log(count)
    compactor = LastNObservations(n, polling)
    _, view = compacted(compactor, chat, context_of(50))
    assert elided(view) == [f"m{3 + 2 * i}" for i in range(gone)]
    seen = count + 1
    assert gone == max(0, seen // polling * polling - n - 1)


def test_the_task_is_the_first_observation_and_is_never_elided():
    chat = log(8)
    messages = messages_of(chat)
    assert outside(messages, 1, 1) == [m.id for m in messages if m.results][:-1]
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


def test_tools_are_kept_or_removed_by_name_whatever_their_age():
    chat = [system(), user("go"), *steps(2, name="plan"), *steps(6, first=2)]
    _, view = compacted(LastNObservations(5, keep="plan|skill"), chat, context_of(50))
    assert elided(view) == ["m7"]
    chat = [system(), user("go"), *steps(6), *steps(1, first=6, name="screenshot")]
    _, view = compacted(LastNObservations(5, remove="screenshot"), chat, context_of(50))
    assert elided(view) == ["m3", "m5", "m15"]


def test_a_removed_tool_is_not_removed_while_its_neighbour_waits():
    chat = [*log(2), assistant(None, ("a", "screenshot", {}), ("b", "bash", {})), tool("a", LINES)]
    _, view = compacted(LastNObservations(5, remove="screenshot"), chat, context_of(50))
    assert elided(view) == []


def test_it_is_due_when_polling_moves_the_cut_and_not_between():
    compactor, context = LastNObservations(2, polling=3), context_of(100_000)
    dues = []
    state = observed(compactor, log(0), context)
    for number in range(9):
        state = observed(compactor, list(steps(1, number)), context, state, start=2 + 2 * number)
        dues.append(compactor.due(state, context) is not None)
        state = compact_now(compactor, state, context).state
    assert dues == [False, False, False, False, True, False, False, True, False]


def test_what_is_elided_keeps_its_count_in_later_compactions():
    context = context_of(50)
    _, last = in_a_row(LastNObservations(2), [log(6), list(steps(3, 6))], context)
    view = view_of(LastNObservations(2), last, context)
    assert {r.text for m in view if m.id in elided(view) for r in m.results} == {
        "[earlier output: 12 lines omitted]"
    }
    assert len(elided(view)) == 7
    assert last.state["elided"] == sorted(elided(view))


def test_it_stays_over_the_budget_whatever_it_takes():
    compactor = LastNObservations()
    _, view = compacted(compactor, log(12), context_of(600))
    assert COUNTER.messages(view) > 600
    assert set(compactor.traits.violations) == {"within-budget"}


@pytest.mark.parametrize("key", ["n", "polling"])
@pytest.mark.parametrize("value", [0, -3, 2.5, True, "x"])
def test_impossible_counts_are_refused(key, value):
    with pytest.raises(ValueError, match=f"{key}={value} must be a whole number, at least 1"):
        LastNObservations(**{key: value})
