"""``cline``: what the summariser of ``agentic`` is given where the messages exceed its input."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import COUNTER, assistant, context_of, session, system, tool, user
from support.cline import file_read
from support.compacting import SpyModel, compacted, ids, in_a_row, messages_of

from pytest_compaction.compactors.products.cline import Cline, projected
from pytest_compaction.conversation.messages import Image, Thinking, structure_faults

CONTEXT = context_of()
LONG = "The queue keeps its lease. " * 60
PICTURE = Image('{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}')
MUSING = Thinking('{"type": "thinking", "thinking": "hm", "signature": "s"}')


def work(*lengths):
    """A request, calls with results of these numbers of words, and a request."""
    chat = [user(f"First. {LONG}")]
    for number, length in enumerate(lengths):
        chat += [assistant(None, (f"c{number}", "bash", {})), tool(f"c{number}", "word " * length)]
    return messages_of([*chat, user(f"Last. {LONG}")])


def test_what_fits_is_read_whole_but_for_reasoning_and_images():
    messages = work(20, 20)
    assert projected(messages, COUNTER.messages(messages), CONTEXT) == messages
    seen = replace(messages[0], parts=(*messages[0].parts, PICTURE))
    mused = replace(messages[1], parts=(MUSING, *messages[1].parts))
    latest = replace(messages[-1], parts=(*messages[-1].parts, PICTURE))
    only = replace(messages[0], id="t", role="assistant", parts=(MUSING,))
    given = (seen, mused, *messages[2:-1], only, latest)
    assert projected(given, 10**6, CONTEXT) == (*messages[:-1], latest)


def test_the_newest_texts_are_cut_first_and_the_latest_request_never():
    messages = work(900, 900)
    total = COUNTER.messages(messages)
    shown = projected(messages, total - 10, CONTEXT)
    assert ids(shown) == ids(messages)
    assert [a == b for a, b in zip(shown, messages, strict=True)] == [True] * 4 + [False, True]
    assert shown[4].results[0].text.endswith(" characters cut]")
    shown = projected(messages, total // 2, CONTEXT)
    assert shown[-1] == messages[-1]
    assert len(shown[2].results[0].text) < len(messages[2].results[0].text)


def test_the_oldest_calls_go_with_their_results_and_requests_stay():
    messages = work(*[30] * 40)
    need = COUNTER.messages([messages[0], messages[-1]])
    shown = projected(messages, need, CONTEXT)
    assert (shown[0].role, shown[-1]) == ("user", messages[-1])
    assert 2 < len(shown) < len(messages)
    assert ids(shown)[1:] == ids(messages)[-len(shown) + 1 :]
    assert structure_faults(shown) == []


def test_a_call_that_waits_for_its_result_stays_as_it_is():
    chat = [user("go"), *file_read("a"), assistant("now " * 300, ("b", "bash", {"command": "ls"}))]
    messages = messages_of(chat)
    shown = projected(messages, COUNTER.messages([messages[0], messages[-1]]) + 40, CONTEXT)
    assert shown[-1] == messages[-1]
    assert shown[0] == messages[0]


@pytest.mark.parametrize("limit", [-1, 0, 10])
def test_where_what_must_stay_exceeds_the_input_there_is_nothing_to_read(limit):
    assert projected(work(5), limit, CONTEXT) is None


@given(st.lists(st.integers(0, 400), max_size=9), st.integers(1, 4_000))
def test_what_is_read_is_within_the_limit_and_keeps_calls_with_results(lengths, limit):
    messages = work(*lengths)
    shown = projected(messages, limit, CONTEXT)
    if shown is None:
        assert limit < COUNTER.messages(messages)
    else:
        assert COUNTER.messages(shown) <= limit
        assert structure_faults(shown) == []
        assert shown[-1] == messages[-1]


def test_a_second_summary_lists_the_files_of_its_new_messages_alone():
    context = context_of(1200, window=10_000, model=SpyModel())
    first, second = in_a_row(Cline(), [session(10), session(14)[41:]], context)
    before, after = (
        next(m["content"] for m in outcome.state["messages"] if m["id"] == "cline-summary")
        for outcome in (first, second)
    )
    assert "`src/module_0.py`" in before.rpartition("## Files")[2]
    assert "`src/module_" in after.rpartition("## Files")[2]
    assert "`src/module_0.py`" not in after.rpartition("## Files")[2]


def test_the_history_stays_where_the_window_holds_no_more_than_the_request():
    chat = [system(), user(LONG * 20), *[m for n in range(9) for m in file_read(f"c{n}")]]
    outcome, view = compacted(Cline(), chat, context_of(500, window=1_000))
    assert outcome.status == "failed"
    assert "no room to read" in outcome.error
    assert view == messages_of(chat)
