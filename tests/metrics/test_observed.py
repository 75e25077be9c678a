"""Figures of compactions on record, from what the records of cases tell of each."""

import pytest

from pytest_compaction.metrics import (
    OBSERVED,
    known,
    known_observed,
    session_cycles,
    stuck_in,
    told_by_case,
)


def counts(again=0, calls=10):
    return {"calls": calls, "again": again, "tokens": 100 * calls, "tokens_again": 300 * again}


def told(number=1, *, before=1000, after=300, window=1000, **more):
    """A compaction, as a record has it at its point."""
    nothing = {"after": counts(), "elsewhere": counts(calls=0), "points": 0}
    found = {
        "number": number,
        "calls_before": 10 * number,
        "calls_after": 10,
        "alike": {"before": before, "after": after},
        "window": window,
        "seconds": None,
        "usd": None,
        "no_op": False,
        "bloated": None,
        "doubled": False,
        "instruction_followed": None,
        "fetched_again": {"10": nothing, "40": nothing},
        "calls_before_new_work": {"after": None, "elsewhere": None},
        "said_again": None,
        "corrections": 0,
        "rules": {"could_be_broken": 0, "broken": 0, "kept": 0},
    }
    return found | more


def record(case, number=1, **more):
    point = {"id": f"p{number}", "recorded": True, **told(number, **more)}
    return {"case": case, "compactor": "recorded", "overall": 5.0, "point": point}


def pairs(name, *records):
    return known_observed()[name].pairs(list(told_by_case(records).values()))


def figure(name, *records):
    found = known()[name].mean(records)
    return None if found is None else found.value


def fetched(again, elsewhere, calls=50):
    held = {"after": counts(again), "elsewhere": counts(elsewhere, calls), "points": 5}
    return {"fetched_again": {"10": held, "40": held}}


def test_a_compaction_counts_once_whatever_is_asked_after_it():
    records = [
        record("one", 1, **fetched(2, 5)),
        record("one", 1, **fetched(2, 5)),
        record("one", 2, **fetched(1, 0)),
        {"case": "two", "point": {"id": "p1", "recorded": False}},
    ]
    assert pairs("fetched_again_10", *records) == {"one": [(0.2, 0.1), (0.1, 0.0)]}
    assert figure("fetched_again_40", *records) == pytest.approx(0.1)
    assert figure("fetched_again_40_tokens", *records) == pytest.approx(0.3)


def test_compactions_at_points_without_a_probe_are_told_by_others_in_their_order():
    last = record("one", 3)
    last["point"]["others"] = [told(1), told(2)]
    beside = {"case": "two", "point": {"id": "own", "recorded": False, "others": [told(1)]}}
    found = told_by_case([last, last, beside])
    numbers = {case: [each["number"] for each in of] for case, (_, of) in found.items()}
    assert numbers == {"one": [1, 2, 3], "two": [1]}


def test_only_compactions_of_which_both_sides_are_known_count():
    assert pairs("fetched_again_10", record("one", **fetched(2, 0, calls=0))) == {}
    waited = [
        record(case, calls_before_new_work={"after": after, "elsewhere": elsewhere})
        for case, after, elsewhere in (("one", 4, 1.5), ("two", None, 1.5), ("three", 2, None))
    ]
    assert pairs("calls_before_new_work", *waited) == {"one": [(4, 1.5)]}


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("no_op", [{"no_op": True}, {"no_op": False}, {"no_op": None}], 0.5),
        ("bloated", [{"bloated": True}, {"bloated": None}], 1.0),
        ("doubled", [{"doubled": False}, {"doubled": True}], 0.5),
        ("ignored_instruction", [{"instruction_followed": False}, {}], 1.0),
        ("said_again", [{"said_again": 3}, {"said_again": 0}, {"said_again": None}], 1.5),
        ("corrections", [{"corrections": 1}, {"corrections": 0}], 0.5),
        ("rules_broken", [{"rules": {"could_be_broken": 4, "broken": 1, "kept": 2}}, {}], 0.25),
        ("recorded_seconds", [{"seconds": 60.0}, {"seconds": None}], 60.0),
        ("recorded_usd", [{"usd": 0.25}, {"usd": 0.75}], 0.5),
        ("recorded_freed", [{"before": 1000, "after": 300}, {"before": 900, "after": 450}], 0.6),
    ],
)
def test_a_figure_is_the_mean_over_the_compactions_that_tell_it(name, values, expected):
    records = [record(f"case{number}", **value) for number, value in enumerate(values)]
    assert figure(name, *records) == pytest.approx(expected)


def test_without_a_compaction_on_record_there_is_no_figure():
    for each in OBSERVED:
        assert figure(each.name, {"case": "one", "point": {"id": "p", "recorded": False}}) is None
        assert figure(each.name) is None


def test_a_session_is_stuck_at_the_first_cycle_that_frees_too_little():
    sizes = [(1000, 300), (1000, 950), (1000, 960)]
    compactions = [
        told(number, before=before, after=after)
        for number, (before, after) in enumerate(sizes, start=1)
    ]
    assert [each["number"] for each in session_cycles(compactions)] == [1, 2]
    assert stuck_in(compactions) == 2
    assert stuck_in(compactions[:1]) is None
    assert stuck_in([told(before=2000, after=1500, window=1200)]) == 1
    assert stuck_in([told(before=2000, after=1500, window=None)]) is None
    assert stuck_in([told(after=None)]) is None


def test_cycles_until_stuck_are_a_median_over_sessions_and_those_not_stuck_count_as_later():
    stuck = [record(f"s{n}", 1) for n in (1, 2)]
    stuck += [record(f"s{n}", 2, before=1000, after=990) for n in (1, 2)]
    assert figure("recorded_until_stuck", *stuck, record("free")) == 2
    assert figure("recorded_stuck", *stuck, record("free")) == pytest.approx(2 / 3)
    assert figure("recorded_until_stuck", record("free")) is None
