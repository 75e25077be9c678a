"""Student's t: against printed tables, and against the power that it states."""

import pytest

from pytest_compaction.metrics import noncentrality, t_quantile


@pytest.mark.parametrize(
    ("probability", "freedom", "value"),
    [
        (0.975, 1, 12.7062),
        (0.975, 2, 4.3027),
        (0.975, 3, 3.1824),
        (0.975, 11, 2.2010),
        (0.975, 28, 2.0484),
        (0.95, 6, 1.9432),
        (0.995, 13, 3.0123),
        (0.5, 5, 0.0),
        (0.025, 11, -2.2010),
    ],
)
def test_quantiles_are_those_of_the_printed_tables(probability, freedom, value):
    assert t_quantile(probability, freedom) == pytest.approx(value, abs=5e-5)


@pytest.mark.parametrize(
    ("freedom", "value"), [(5, 3.5139), (11, 3.0784), (23, 2.9256), (100_000, 1.95996 + 0.84162)]
)
def test_what_80_percent_power_takes_falls_to_the_normal_value(freedom, value):
    assert noncentrality(freedom, 0.8, 0.05) == pytest.approx(value, abs=1e-4)
