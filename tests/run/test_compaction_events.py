"""What each compaction left: tokens before and after, the common prefix, and how long it lasts."""

from dataclasses import replace
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import COUNTER, assistant, case_of, system, user
from support.measured_case import measured_case, record_of

from pytest_compaction.compactors import Traits
from pytest_compaction.compactors.base.history import HistoryCompactor, unchanged
from pytest_compaction.conversation.formats.chat import from_chat
from pytest_compaction.models import Usage
from pytest_compaction.records import compaction_of
from pytest_compaction.run import Step
from pytest_compaction.run.feeder import common_prefix, tokens_until, with_runway

TALK = [system(), *(user(f"remark {number} " * 20) for number in range(11))]
POINTS = (5, 8)


def talk_case():
    return case_of(TALK, points=POINTS, window=2000)


def tokens(*numbers):
    return sum(COUNTER.message(talk_case().messages[number]) for number in numbers)


def tail(messages, budget):
    """Leaves the system prompt, a summary and the last message."""
    return [messages[0], user("So much for that."), messages[-1]]


def events(compactor, trigger="case"):
    return record_of(talk_case(), compactor, "p", trigger)["compaction"]["events"]


SUMMARY = COUNTER.message(from_chat([user("So much for that.")])[0])


def test_each_compaction_says_what_it_took_and_left():
    record = record_of(talk_case(), tail, "p")
    first, second = record["compaction"]["events"]
    left = tokens(0) + SUMMARY + tokens(5)
    assert first == {
        "point": "p1",
        "status": "compacted",
        "log": tokens(*range(6)),
        "before": tokens(*range(6)),
        "after": left,
        "prefix": tokens(0),
        "free": 2000 - left,
        "until_next": 4,
        "messages_left": 6,
        "requests": 0,
        "added": 0,
        "sent": 0,
    }
    assert second["log"] == tokens(*range(9))
    assert second["before"] == left + tokens(6, 7, 8)
    assert second["prefix"] == tokens(0) + SUMMARY
    assert second["messages_left"] == 3
    assert record["compaction"]["window"] == 2000
    assert record["compaction"]["messages"] == 9


def test_the_next_compaction_is_as_far_as_the_view_takes_to_fill_again():
    """Four more remarks fill what the first compaction took: 1 to 4 of them were summed up."""
    first, second = events(tail)
    grown = list(accumulate((tokens(number) for number in range(6, 12)), initial=first["after"]))
    assert grown[first["until_next"] - 1] < first["before"] <= grown[first["until_next"]]
    assert second["until_next"] == 3


def test_a_log_that_ends_before_the_view_is_full_again_says_so():
    log = [*TALK[:-2], user("Bye.")]
    case = case_of(log, points=(5, 9), window=2000)
    first, last = record_of(case, tail, "p")["compaction"]["events"]
    assert first["until_next"] == 4
    assert (last["until_next"], last["messages_left"]) == (None, 1)


def test_a_compaction_that_took_nothing_is_due_again_at_once():
    first, second = events(lambda messages, budget: messages)
    assert first["status"] == second["status"] == "noop"
    assert first["before"] == first["after"] == first["prefix"]
    assert (first["until_next"], second["until_next"]) == (0, 0)


def test_the_events_of_a_probe_end_at_its_point():
    case = talk_case()
    (probe,) = case.probes
    object.__setattr__(probe, "point", 0)
    record = record_of(case, tail, "p")
    assert [event["point"] for event in record["compaction"]["events"]] == ["p1"]
    assert record["compaction"]["messages"] == 6
    assert record["compaction"]["steps"] == {"compacted": 2}


def test_a_trigger_compacts_between_the_points_and_is_named_by_the_message():
    found = events(tail, trigger="turns:3")
    assert [event["point"] for event in found] == ["m3", "m6"]
    assert [event["messages_left"] for event in found] == [8, 5]
    assert found[0]["before"] == found[0]["log"] == tokens(*range(4))


class Fails(HistoryCompactor):
    """Cannot compact."""

    name = "fails"
    traits = Traits()

    async def compact(self, state, context):
        return unchanged(state, "the endpoint is away")


def test_a_failed_compaction_leaves_all_as_it_was():
    first, _ = events(Fails())
    assert first["status"] == "failed"
    assert first["before"] == first["after"] == first["prefix"]


def test_where_the_endpoint_compacts_what_is_left_is_not_known():
    response, _ = measured_case(talk_case(), tail)["p"]
    step = replace(response.steps[0], by_server=True)
    log = talk_case().messages
    (step,) = with_runway([step], log, tokens_until(log, COUNTER))
    (event,) = compaction_of(replace(response, steps=(step,)))["events"]
    unknown = {"before", "after", "prefix", "free", "until_next"}
    assert {key for key, value in event.items() if value is None} == unknown
    assert (event["log"], event["messages_left"]) == (tokens(*range(6)), 6)


def test_what_a_cache_held_of_the_calls_of_a_compaction_is_told():
    response, _ = measured_case(talk_case(), tail)["p"]
    used = Usage(calls=1, input_tokens=900, cached_tokens=400, output_tokens=50)
    step = replace(response.steps[0], usage=used)
    (event,) = compaction_of(replace(response, steps=(step,)))["events"]
    assert (event["input_tokens"], event["cached_tokens"], event["output_tokens"]) == (900, 400, 50)
    assert not [each for each in events(tail) if "cached_tokens" in each]


remarks = st.lists(st.sampled_from([user("a"), user("b"), assistant("a")]), max_size=6)


@given(remarks, remarks, remarks)
def test_the_common_prefix_is_the_longest_one_whatever_messages_are_called(start, one, other):
    first, second = from_chat([*start, *one]), from_chat([*start, *other], "s")
    found = len(common_prefix(first, second))
    said = [[(message.role, message.parts) for message in view] for view in (first, second)]
    assert found >= len(start)
    assert said[0][:found] == said[1][:found]
    assert found in {len(first), len(second)} or said[0][found] != said[1][found]


@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=12),
    st.integers(0, 200),
    st.integers(0, 200),
    st.data(),
)
def test_the_runway_is_that_of_adding_one_message_after_the_other(sizes, before, after, data):
    log = from_chat([user("word " * size) for size in sizes])
    at = data.draw(st.integers(0, len(log)))
    (found,) = with_runway(
        [Step("p", "compacted", before, after, messages=at)], log, tokens_until(log, COUNTER)
    )
    held, expected = after, None
    for number in range(len(log) - at + 1):
        if held >= before:
            expected = number
            break
        held += COUNTER.message(log[at + number]) if at + number < len(log) else 0
    assert found.until_next == expected
    assert (found.left, found.log) == (len(log) - at, COUNTER.messages(log[:at]))


@pytest.mark.parametrize("steps", [(), []])
def test_without_a_compaction_there_is_no_runway(steps):
    log = from_chat(TALK)
    assert with_runway(steps, log, tokens_until(log, COUNTER)) == ()


@given(
    st.lists(st.sampled_from([user("a word"), user("b " * 30), assistant("c " * 9)]), max_size=14),
    st.lists(st.integers(0, 14), max_size=4).map(sorted),
)
def test_later_requests_are_the_turns_of_the_assistant_up_to_the_next_compaction(chat, at):
    log = from_chat(chat)
    at = [number for number in at if number <= len(log)]
    steps = [Step(f"p{number}", "compacted", 9, 5, messages=number) for number in at]
    for number, step in enumerate(with_runway(steps, log, tokens_until(log, COUNTER))):
        sizes, said = [], 0
        for position in range(at[number], (*at, len(log))[number + 1]):
            turn = log[position].role == "assistant"
            if turn and (position == 0 or log[position - 1].role != "assistant"):
                sizes.append(said)
            said += COUNTER.message(log[position])
        assert (step.requests, step.sent) == (len(sizes), sum(sizes))
        assert step.added == (sizes[-1] if sizes else 0)
