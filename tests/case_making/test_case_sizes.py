"""Window and budget of an imported case: there is something to compact, and the rest fits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import COUNTER, assistant, compact_now, context_of, system, tool, user

from pytest_compaction.case import case_from_json
from pytest_compaction.case_making import NotCompactableError, make_case
from pytest_compaction.case_making.points import (
    LogSizes,
    compaction_points,
    horizon_start,
    with_room,
)
from pytest_compaction.compactors.strategies.anchored import Anchored
from pytest_compaction.conversation import Message, text_message
from pytest_compaction.conversation.formats.chat import from_chat
from pytest_compaction.importers import Boundary, ImportTally, Transcript

STATED = (
    ("user", "the upload handler must answer within two seconds on every machine"),
    ("assistant", "I use a bounded queue instead of a thread for each upload."),
    ("user", "thread 4\nqueue limit 64\nretry delay 1.5"),
)


def transcript(words, system=0, *boundaries, parts=5):
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
def test_the_budget_is_a_twelfth_but_small_logs_are_still_to_be_compacted(words, budget):
    made = make_case(transcript(words, parts=20))
    assert made.data["budget"] == pytest.approx(budget, abs=100)


def test_the_budget_holds_the_last_messages_whole_which_no_strategy_may_shorten():
    made = make_case(transcript(60_000, parts=5))
    assert made.data["budget"] == pytest.approx(12_000, abs=500)


def test_the_budget_leaves_room_beside_the_system_prompt():
    made = make_case(transcript(3_000, system=2_000))
    system = COUNTER.message(text_message("s", "system", "careful " * 2_000))
    assert made.data["budget"] == pytest.approx(system + 1_000, abs=100)


def test_the_window_is_that_of_the_agent_where_its_compactions_tell_it():
    assert make_case(transcript(60_000)).data["window"] == 64_000
    told = make_case(transcript(60_000, 0, Boundary("m6", "short", 150_000)))
    assert told.data["window"] == 200_000
    beyond = make_case(transcript(1_000, 0, Boundary("m6", "short", 3_000_000)))
    assert beyond.data["window"] == 6_000_000


@pytest.mark.parametrize(
    ("words", "system", "points"),
    [(700, 0, 1), (3_000, 0, 1), (9_000, 0, 2), (20_000, 0, 3), (9_000, 2_500, 1)],
)
def test_a_log_has_no_point_at_which_there_is_nothing_to_compact(words, system, points):
    talk = transcript(words, system, parts=20)
    made = make_case(talk)
    assert len(made.data["compaction_points"]) == points
    last = horizon_start(talk.messages, 0, len(talk.messages)) - 1
    assert made.data["compaction_points"][-1]["after"] == talk.messages[last].id


def test_the_budget_leaves_room_for_a_first_request_that_is_long():
    talk = transcript(30_000)
    pasted = text_message("m0", "user", f"{STATED[0][1]}\n" + "pasted " * 4_000)
    long = Transcript((pasted, *talk.messages[1:]), talk.source, talk.tally)
    made = (make_case(each, without_probes=True).data["budget"] for each in (long, talk))
    room = next(made) - next(made)
    assert room == pytest.approx(COUNTER.message(pasted), abs=100)


def log(*sizes):
    """A first request, then answers of these sizes."""
    roles = ["user", *["assistant"] * (len(sizes) - 1)]
    return [text_message(f"m{n}", role, "x") for n, role in enumerate(roles)], list(sizes)


def points_of(messages, sizes, budget):
    """The points of a log after which half as many messages follow."""
    rest = [text_message(f"r{n}", "assistant", "x") for n in range(-(-len(messages) // 2))]
    return compaction_points([*messages, *rest], [*sizes, *[1] * len(rest)], budget)


def test_a_point_is_not_right_after_a_message_that_takes_more_than_the_budget():
    messages, sizes = log(10, 3_000, 2_500, 500, 3_000, 300, 3_000, 300, 400)
    assert points_of(messages, sizes, 2_000) == [3, 5, 8]
    assert with_room([3, 5, 8], 2_000, messages, sizes) == ([3, 5, 8], 2_000)


def test_where_every_message_is_large_the_budget_has_room_for_the_smallest():
    messages, sizes = log(10, 9_000, 7_000, 9_000, 8_000, 9_000, 9_500)
    points = points_of(messages, sizes, 2_000)
    assert points == [4, 5, 6]
    assert with_room(points, 2_000, messages, sizes) == (points, 10_000)


def test_a_point_at_which_all_fits_the_greater_budget_goes_unless_the_agent_made_it():
    messages, sizes = log(10, 3_000, 100, 3_000, 100, 3_000, 20_000)
    assert with_room([2, 4, 6], 2_000, messages, sizes) == ([6], 20_500)
    assert with_room([2, 4, 6], 2_000, messages, sizes, given=True) == ([2, 4, 6], 20_500)


@given(st.lists(st.integers(1, 9_000), min_size=1, max_size=40), st.integers(500, 5_000))
def test_at_every_point_what_must_stay_fits_the_budget(given_sizes, budget):
    messages, sizes = log(*given_sizes)
    points, room = with_room(compaction_points(messages, sizes, budget), budget, messages, sizes)
    assert points == sorted(set(points))
    assert points[-1] == horizon_start(messages, 0, len(messages)) - 1
    assert room >= budget
    assert all(sizes[0] * (point > 0) + sizes[point] <= room for point in points)


# --- system messages in the middle ---------------------------------------------------


def noticed(*shapes):
    """The stated facts, then messages of these roles and about these numbers of tokens."""
    said = [*STATED, *((role, f"{n} " + "seen " * size) for n, (role, size) in enumerate(shapes))]
    messages = tuple(
        text_message(f"m{number}", role, text) for number, (role, text) in enumerate(said)
    )
    return Transcript(messages, "talk.json", ImportTally(0, len(messages)))


@pytest.mark.parametrize("role", ["system", "developer"])
def test_the_budget_has_room_for_notices_of_the_system_wherever_they_stand(role):
    talk = [("assistant", 400), ("user", 30)] * 10
    plain = make_case(noticed(*talk)).data["budget"]
    notices = noticed(*talk[:6], (role, 1_500), *talk[6:], (role, 1_500))
    assert make_case(notices).data["budget"] == pytest.approx(plain + 3_000, abs=50)


def test_no_strategy_is_left_with_nothing_but_notices_to_summarise():
    asked = text_message("m0", "user", "\n".join(text for _, text in STATED))
    shapes = [("system", 2_400), ("assistant", 90), ("user", 400), *[("assistant", 300)] * 4]
    log = Transcript((asked, *noticed(*shapes).messages[3:]), "talk.json", ImportTally(0, 8))
    case = case_from_json(make_case(log).data)
    context = context_of(case.budget)
    compactor, start = Anchored(), 0
    state = compactor.start()
    for point in case.points:
        state = compactor.observe(state, case.messages[start : point.index + 1], context)
        outcome = compact_now(compactor, state, context)
        assert (outcome.status, outcome.error) in (("compacted", None), ("noop", None))
        state, start = outcome.state, point.index + 1


def test_notices_after_a_result_do_not_hide_what_must_stay_before_them():
    chat = [user("go"), assistant("a"), assistant(None, ("c", "run", {})), tool("c"), system("n")]
    log = LogSizes.of(from_chat(chat), [10, 500, 20, 3_000, 7])
    assert [log.fixed(end) for end in (1, 2, 4, 5)] == [10, 510, 3_030, 3_037]


@given(st.lists(st.tuples(st.sampled_from(["system", "user", "assistant"]), st.integers(1, 900))))
def test_what_must_stay_is_a_part_of_the_log(log):
    messages = [text_message(f"m{n}", role, "x") for n, (role, _) in enumerate(log)]
    tokens = [size for _, size in log]
    found = LogSizes.of(messages, tokens)
    for end in range(1, len(log) + 1):
        system = sum(size for role, size in log[:end] if role == "system")
        assert system <= found.fixed(end) <= sum(tokens[:end])
        assert found.fixed(end) >= tokens[end - 1]


# --- what cannot be compacted --------------------------------------------------------

LARGE = 40_000


@pytest.mark.parametrize(
    "shapes",
    [
        [("user", LARGE), ("assistant", 300), ("user", 20), ("assistant", 2_000)],
        [("user", 20), ("assistant", 300), ("assistant", LARGE)],
        [("system", LARGE), ("user", 20), ("assistant", 900), ("user", 20)],
    ],
    ids=["request", "last", "system"],
)
def test_one_message_and_a_remark_on_it_is_no_case(shapes):
    said = [(role, "stated " * size) for role, size in shapes]
    messages = tuple(text_message(f"m{n}", *one) for n, one in enumerate(said))
    large = next(n for n, (_, size) in enumerate(shapes, 1) if size == LARGE)
    with pytest.raises(NotCompactableError, match=f"message {large} alone takes 40,0.. tokens"):
        make_case(Transcript(messages, "talk.json", ImportTally(0, len(messages))))


def test_a_log_that_is_smaller_than_its_own_budget_is_no_case():
    with pytest.raises(NotCompactableError, match=r"its log of \d+ tokens is not larger than the"):
        make_case(transcript(50))
    large = Boundary("m6", "we looked at every part " * 400)
    with pytest.raises(NotCompactableError, match=r"the budget of 2,0\d\d that a view of it"):
        make_case(transcript(1_000, 0, large))
    assert make_case(transcript(3_000, 0, large)).data["budget"] > 2_000


def test_two_messages_are_no_case():
    two = transcript(300).messages[:2]
    with pytest.raises(NotCompactableError, match=r"only 0 tokens of the .* in its 2 messages"):
        make_case(Transcript(two, "talk.json", ImportTally(0, 2)))
