"""Window and budget of an imported case: there is something to compact, and the rest fits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import COUNTER

from pytest_compaction.case_making.case_maker import make_case, slug
from pytest_compaction.case_making.points import compaction_points, with_room
from pytest_compaction.conversation.messages import Message, text_message
from pytest_compaction.importers.protocol import Boundary, ImportTally, Transcript

STATED = (
    ("user", "the upload handler must answer within two seconds on every machine"),
    ("assistant", "I use a bounded queue instead of a thread for each upload."),
    ("user", "thread 4\nqueue limit 64\nretry delay 1.5"),
)


def transcript(words: int, system: int = 0, *boundaries: Boundary, parts: int = 5) -> Transcript:
    """A conversation of about ``words`` tokens after a system prompt of about ``system``."""
    each = "looked " * (words // parts)
    said = [*STATED, *(("assistant", f"part {n} {each}") for n in range(parts))]
    if system:
        said.insert(0, ("system", "careful " * system))
    messages: tuple[Message, ...] = tuple(
        text_message(f"m{number}", role, text) for number, (role, text) in enumerate(said)
    )
    return Transcript(messages, "talk.json", ImportTally(0, len(messages)), "", boundaries)


@pytest.mark.parametrize(
    ("words", "budget"), [(300, 500), (3_000, 1_000), (6_000, 2_000), (60_000, 5_000)]
)
def test_the_budget_is_a_twelfth_but_small_logs_are_still_to_be_compacted(
    words: int, budget: int
) -> None:
    made = make_case(transcript(words, parts=20))
    assert made.data["budget"] == pytest.approx(budget, abs=100)


def test_the_budget_holds_the_last_messages_whole_which_no_strategy_may_shorten() -> None:
    made = make_case(transcript(60_000, parts=5))
    assert made.data["budget"] == pytest.approx(12_000, abs=500)


def test_the_budget_leaves_room_beside_the_system_prompt() -> None:
    made = make_case(transcript(3_000, system=2_000))
    system = COUNTER.message(text_message("s", "system", "careful " * 2_000))
    assert made.data["budget"] == pytest.approx(system + 1_000, abs=100)


def test_the_window_is_that_of_the_agent_where_its_compactions_tell_it() -> None:
    assert make_case(transcript(60_000)).data["window"] == 64_000
    told = make_case(transcript(60_000, 0, Boundary("m6", "short", 150_000)))
    assert told.data["window"] == 200_000
    beyond = make_case(transcript(1_000, 0, Boundary("m6", "short", 3_000_000)))
    assert beyond.data["window"] == 6_000_000


@pytest.mark.parametrize(
    ("stem", "name", "id"),
    [
        ("my session (2)", "", "my-session-2"),
        ("runs", "task 3/trial 1", "runs-task-3-trial-1"),
        ("é" * 100, "", "session"),
        ("a" * 100, "b", "a" * 78 + "-b"),
        ("a" * 100, "b" * 100, "a" * 30 + "-" + "b" * 40 + "-d6cbb053"),
    ],
)
def test_a_case_is_named_after_its_file_and_its_conversation(stem: str, name: str, id: str) -> None:
    made = slug(stem, name)
    assert made == id
    assert len(made) <= 80


@pytest.mark.parametrize(
    ("words", "system", "points"),
    [(50, 0, 1), (3_000, 0, 3), (9_000, 0, 3), (3_000, 2_000, 1), (9_000, 2_500, 2)],
)
def test_a_log_has_no_point_at_which_there_is_nothing_to_compact(
    words: int, system: int, points: int
) -> None:
    made = make_case(transcript(words, system))
    assert len(made.data["compaction_points"]) == points
    assert made.data["compaction_points"][-1]["after"] == made.data["messages"][-1]["id"]


def test_the_budget_leaves_room_for_a_first_request_that_is_long() -> None:
    talk = transcript(30_000)
    pasted = text_message("m0", "user", f"{STATED[0][1]}\n" + "pasted " * 4_000)
    long = Transcript((pasted, *talk.messages[1:]), talk.source, talk.tally)
    room = make_case(long).data["budget"] - make_case(talk).data["budget"]
    assert room == pytest.approx(COUNTER.message(pasted), abs=100)


def log(*sizes: int) -> tuple[list[Message], list[int]]:
    """A first request, then answers of these sizes."""
    roles = ["user", *["assistant"] * (len(sizes) - 1)]
    return [text_message(f"m{n}", role, "x") for n, role in enumerate(roles)], list(sizes)


def test_a_point_is_not_right_after_a_message_that_takes_more_than_the_budget() -> None:
    messages, sizes = log(10, 3_000, 2_500, 500, 3_000, 300, 3_000, 300, 400)
    assert compaction_points(messages, sizes, 2_000) == [3, 5, 8]
    assert with_room([3, 5, 8], 2_000, messages, sizes) == ([3, 5, 8], 2_000)


def test_where_every_message_is_large_the_budget_has_room_for_the_smallest() -> None:
    messages, sizes = log(10, 9_000, 7_000, 9_000, 8_000, 9_000, 9_500)
    points = compaction_points(messages, sizes, 2_000)
    assert points == [4, 5, 6]
    assert with_room(points, 2_000, messages, sizes) == (points, 10_000)


def test_a_point_at_which_all_fits_the_greater_budget_goes_unless_the_agent_made_it() -> None:
    messages, sizes = log(10, 3_000, 100, 3_000, 100, 3_000, 20_000)
    assert with_room([2, 4, 6], 2_000, messages, sizes) == ([6], 20_500)
    assert with_room([2, 4, 6], 2_000, messages, sizes, given=True) == ([2, 4, 6], 20_500)


@given(st.lists(st.integers(1, 9_000), min_size=1, max_size=40), st.integers(500, 5_000))
def test_at_every_point_what_must_stay_fits_the_budget(given_sizes: list[int], budget: int) -> None:
    messages, sizes = log(*given_sizes)
    points, room = with_room(compaction_points(messages, sizes, budget), budget, messages, sizes)
    assert points == sorted(set(points))
    assert points[-1] == len(messages) - 1
    assert room >= budget
    assert all(sizes[0] * (point > 0) + sizes[point] <= room for point in points)
