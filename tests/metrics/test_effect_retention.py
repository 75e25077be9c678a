"""Compliance and effect retention: shares of choices, and where the ratio is not defined."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import record

from pytest_compaction.metrics import (
    IS_CONTROL,
    NO_CONTROL,
    NO_EFFECT,
    NO_PAIRS,
    compliance,
    effect_retention,
)

triples = st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), max_size=20)


def chosen(complied, reminded=None, case="a", probe="p", **changes):
    found = {"complying": "A", "chosen": "A", "complied": complied}
    if reminded is not None:
        found["reminded"] = {"chosen": "A", "complied": reminded, "reason": ""}
    return record(case, probe, compliance=found, **changes)


@given(triples)
def test_it_is_a_number_if_and_only_if_the_reminder_changes_something_or_says_why_not(choices):
    found = effect_retention(choices)
    long, upper = sum(c[1] for c in choices), sum(c[2] for c in choices)
    assert (found.value is None) == (long == upper) == bool(found.reason)
    assert found.value is None or math.isfinite(found.value)


@given(triples)
def test_the_whole_log_is_worth_0_and_the_reminder_1(choices):
    as_the_log = effect_retention([(long, long, upper) for _, long, upper in choices])
    as_reminded = effect_retention([(upper, long, upper) for _, long, upper in choices])
    assert as_the_log.value in {0.0, None}
    assert as_reminded.value in {1.0, None}


@given(triples.filter(bool))
def test_one_more_choice_that_complies_never_lowers_it_if_the_reminder_helps(choices):
    before = effect_retention(choices)
    better = effect_retention([(True, *choices[0][1:]), *choices[1:]])
    if before.value is not None and sum(c[2] for c in choices) > sum(c[1] for c in choices):
        assert better.value >= before.value


def test_the_formula_of_the_source():
    choices = [(True, False, True), (False, False, True), (True, True, True), (False, False, False)]
    assert effect_retention(choices).value == pytest.approx((2 - 1) / (3 - 1))


def test_without_a_control_the_share_stands_alone_and_the_reason_says_what_is_missing():
    found = compliance([chosen(True), chosen(False, probe="q")], [])
    assert (found.compacted.value, found.compacted.count) == (0.5, 2)
    assert (found.paired, found.retained.value, found.retained.reason) == ({}, None, NO_CONTROL)


def test_only_choices_that_were_read_in_all_three_ways_make_the_ratio():
    mine = [
        chosen(True, True, "a"),
        chosen(False, True, "b"),
        chosen(True, None, "c"),
        chosen(None, True, "d"),
    ]
    none = [chosen(case in "cd", case=case, compactor="none") for case in "abcd"]
    found = compliance(mine, none)
    assert {name: mean.value for name, mean in found.paired.items()} == {
        "compacted": 0.5,
        "long": 0.0,
        "upper": 1.0,
    }
    assert found.retained.value == 0.5
    assert (found.compacted.value, found.compacted.count) == (2 / 3, 3)


def test_a_control_and_equal_shares_have_none_and_other_kinds_no_compliance_at_all():
    control = [chosen(True, compactor="none")]
    assert compliance(control, control).retained.reason == IS_CONTROL
    assert compliance([record()], control) is None
    assert compliance([chosen(True)], control).retained.reason == NO_PAIRS
    alike = compliance([chosen(True, True)], control).retained
    assert (alike.value, alike.reason) == (None, NO_EFFECT)
