"""Window and budget of an imported case: what can be compacted has to be, and the rest fits."""

from __future__ import annotations

import pytest
from builders import COUNTER

from pytest_compaction.conversation import Message, text_message
from pytest_compaction.importers.case_maker import make_case, slug
from pytest_compaction.importers.protocol import Boundary, Ledger, Transcript

STATED = (
    ("user", "the upload handler must answer within two seconds on every machine"),
    ("assistant", "I use a bounded queue instead of a thread for each upload."),
    ("user", "thread 4\nqueue limit 64\nretry delay 1.5"),
)


def transcript(words: int, system: int = 0, *boundaries: Boundary) -> Transcript:
    """A talk of about ``words`` tokens after a system prompt of about ``system``."""
    said = [*STATED, *(("assistant", f"part {n} " + "looked " * (words // 5)) for n in range(5))]
    if system:
        said.insert(0, ("system", "careful " * system))
    messages: tuple[Message, ...] = tuple(
        text_message(f"m{number}", role, text) for number, (role, text) in enumerate(said)
    )
    return Transcript(messages, "talk.json", Ledger(0, len(messages)), "", boundaries)


@pytest.mark.parametrize(
    ("words", "budget"), [(300, 500), (3_000, 1_000), (6_000, 2_000), (60_000, 5_000)]
)
def test_the_budget_is_a_twelfth_but_small_logs_are_still_to_be_compacted(
    words: int, budget: int
) -> None:
    made = make_case(transcript(words))
    assert made.data["budget"] == pytest.approx(budget, abs=100)


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
    long = Transcript((pasted, *talk.messages[1:]), talk.source, talk.ledger)
    room = make_case(long).data["budget"] - make_case(talk).data["budget"]
    assert room == pytest.approx(COUNTER.message(pasted), abs=100)
