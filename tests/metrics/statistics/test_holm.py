"""Holm's correction: against its definition step by step, and what it must never do."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.metrics import holm

p_values = st.lists(st.floats(0, 1), max_size=12)


def rejected_step_down(values, level):
    """Which tests Holm rejects: the smallest p against level / m, the next against / (m - 1), …"""
    order = sorted(range(len(values)), key=values.__getitem__)
    found = set()
    for step, place in enumerate(order):
        if values[place] * (len(values) - step) > level:
            break
        found.add(place)
    return found


@given(p_values, st.sampled_from([0.01, 0.05, 0.2]))
def test_it_rejects_what_the_steps_of_the_procedure_reject(values, level):
    adjusted = holm(values)
    assert {place for place, p in enumerate(adjusted) if p <= level} == rejected_step_down(
        values, level
    )


def test_a_test_without_a_value_is_no_test():
    assert holm([0.01, None, 0.04, math.nan]) == [0.02, None, 0.04, None]
    assert holm([None]) == [None]
    assert holm([]) == []


def test_the_example_of_four_tests():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
