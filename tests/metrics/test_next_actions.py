"""The next call is compared as a value, and its figure is what a view keeps of the log's lead."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import json_values, record

from pytest_compaction.conversation import text_message
from pytest_compaction.metrics import (
    arguments_right,
    known,
    means,
    next_unscored,
    same_value,
    without_next_call,
    working_folder,
)

OBJECTS = st.dictionaries(st.text(max_size=3), json_values, max_size=4)
PATHS = st.text("ab./", max_size=8)


def shuffled(value):
    """The value with the members of all objects in the other order."""
    if isinstance(value, dict):
        return {name: shuffled(value[name]) for name in reversed(value)}
    return [shuffled(each) for each in value] if isinstance(value, list) else value


@given(OBJECTS, OBJECTS, st.sampled_from(["", "/work"]), PATHS, PATHS)
def test_the_comparison_is_symmetric_within_0_and_1_and_knows_no_order(one, other, folder, a, b):
    share = arguments_right(one, other, folder)
    assert 0 <= share <= 1
    assert share == arguments_right(other, one, folder)
    assert share == arguments_right(shuffled(one), other, folder)
    assert arguments_right(one, shuffled(one)) == 1
    assert same_value(a, b, folder) == same_value(b, a, folder)
    assert same_value(a, a, folder)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (20, 20.0, True),
        (1, True, False),
        (None, False, False),
        ("20", 20, False),
        ([1, 2], [2, 1], False),
        ({"a": [{"b": 1, "c": 2}]}, {"a": [{"c": 2, "b": 1.0}]}, True),
        ("src/a.py", "./src/x/../a.py", True),
        ("src/a.py", "/work/src/a.py", True),
        ("src/a.py", "/other/src/a.py", False),
        ("a.py", "src/a.py", False),
        ("cat src/a.py", "cat ./src/a.py", False),
        ("https://x/a", "https://x/./a", False),
        (" text", "text", False),
    ],
)
def test_values_are_equal_by_what_they_are(one, other, same):
    assert same_value(one, other, "/work") == same


def test_without_a_working_folder_an_absolute_path_is_compared_by_its_end():
    assert same_value("src/a.py", "/home/x/src/a.py")
    assert not same_value("a/src/a.py", "src/a.py")
    assert not same_value("/x/src/a.py", "/y/src/a.py")


def test_each_argument_of_either_call_counts_once():
    assert arguments_right({"path": "a", "limit": 1}, {"path": "a", "limit": 2}) == 0.5
    assert arguments_right({"path": "a"}, {"path": "a", "more": 1, "yet": 2}) == pytest.approx(
        1 / 3
    )
    assert arguments_right({}, {}) == 1.0


def test_values_that_are_nested_too_deep_are_not_equal():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    other = []
    for _ in range(100_000):
        other = [other]
    assert not same_value(deep, other)


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        ("Working directory: /work/shop.", "/work/shop"),
        ("<cwd>/work/shop</cwd>", "/work/shop"),
        ("Shell cwd was reset to /work/shop", "/work/shop"),
        ('"workdir": "/work/shop"', "/work/shop"),
        ("the working directory holds src/a.py", ""),
        ("workDir := x // the folder", ""),
        ("workdir //", ""),
    ],
)
def test_the_working_folder_is_what_the_conversation_names(text, folder):
    assert working_folder(
        [text_message("m", "user", "hello"), text_message("n", "user", text)]
    ) == (folder)


def asked(case, view, tail, full, **more):
    shares = {"view": view, "tail": tail, "full": full}
    return record(case, next_action={"message": "m", "choice": shares, "notes": []}, **more)


SIX = [asked(f"c{number}", 0.5, 0.25, 1.0) for number in range(6)]


def test_the_figure_is_the_part_of_the_lead_that_the_view_keeps_with_its_interval():
    found = means(SIX)
    assert found["next_choice"].value == pytest.approx(1 / 3)
    assert found["next_choice"].interval == pytest.approx((1 / 3, 1 / 3))
    assert (found["next_choice"].count, found["next_choice"].cases) == (6, 6)
    shares = [found[f"next_choice_{context}"].value for context in ("view", "tail", "full")]
    assert shares == [0.5, 0.25, 1.0]
    assert not any(name.startswith("next_call") for name in found)


def test_without_a_lead_of_the_full_log_and_for_the_control_there_are_shares_and_no_figure():
    found = means([asked("a", 1.0, 1.0, 1.0), asked("b", 0.0, 1.0, 0.0)])
    assert "next_choice" not in found
    assert found["next_choice_view"].value == 0.5
    control = record("a", next_action={"message": "m", "choice": {"view": 1.0}, "notes": []})
    assert {name for name in means([control]) if "next" in name} == {"next_choice_view"}


def test_a_lead_that_may_be_chance_is_no_denominator():
    chance = [asked(f"c{n}", 1.0, float(n % 2), float(n % 3 == 0)) for n in range(8)]
    shares = means([*chance, *(asked("d", 1.0, 0.0, 1.0) for _ in range(3))])
    assert shares["next_choice_full"].value > shares["next_choice_tail"].value
    assert "next_choice" not in shares
    few = [asked(f"c{n}", 1.0, float(n == 1), 1.0) for n in range(2)]
    assert means(few)["next_choice"].value == 1.0


def test_a_reply_without_a_score_takes_its_action_out_of_all_shares():
    found = means([*SIX, asked("x", 0.0, None, 1.0)])
    assert {name: mean.value for name, mean in found.items() if "next" in name} == {
        name: mean.value for name, mean in means(SIX).items() if "next" in name
    }
    assert next_unscored([*SIX, asked("x", 0.0, None, 1.0)]) == 1


def test_points_that_no_call_follows_are_told_by_case():
    none = {"notes": ["no call of a tool follows"]}
    found = [record("a", point={"id": p}, next_action=none) for p in ("p2", "p2", "p3")]
    assert without_next_call([*SIX, *found]) == {"a": ["p2", "p3"]}
    assert not any("next" in name for name in means(found))


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "x",
        {"choice": 3},
        {"choice": {"view": "1"}},
        {"choice": {"view": math.nan}},
        {"message": "m", "choice": {"view": True, "tail": 7, "full": []}},
    ],
)
def test_a_record_may_hold_anything(value):
    found = [record("a", next_action=value)]
    assert not any(math.isnan(mean.value) for mean in means(found).values())
    assert [figure.mean(found) for name, figure in known().items() if "next" in name] == [None] * 8
