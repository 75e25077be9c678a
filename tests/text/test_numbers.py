"""Numbers as text, with enough digits to show that they differ."""

import pytest

from pytest_compaction.text import told_apart


@pytest.mark.parametrize(
    ("value", "bound", "texts"),
    [
        (3.21, 3.5, ("3.21", "3.50")),
        (3.5, 3.5, ("3.50", "3.50")),
        (3.49996, 3.5, ("3.49996", "3.50000")),
        (3.499, 3.5, ("3.499", "3.500")),
        (4.0, 3.1234, ("4.0000", "3.1234")),
        (1e-9, 0.0, ("0.000000001", "0.000000000")),
        (0.0, 100.0, ("0.00", "100.00")),
        (-0.004, 0.0, ("-0.004", "0.000")),
    ],
)
def test_numbers_that_differ_read_differently(value, bound, texts):
    assert told_apart(value, bound) == texts


@pytest.mark.parametrize("bound", [1e-30, 1e30, 0.1 + 0.2])
def test_extreme_bounds_come_to_an_end(bound):
    assert all(told_apart(1.0, bound))
