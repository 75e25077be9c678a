"""Curves over budgets, the area under them, and records of several budgets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import record, unscored

from pytest_compaction.metrics import area_under, by_arm, curves

budgets = st.lists(st.integers(1, 10**6), min_size=2, max_size=6, unique=True).map(sorted)


def at(budget, stated, facts=4, case="a", probe="p", compactor="anchored", **changes):
    """A record of a view at this budget that states so many of its facts."""
    read = [{"text": f"f{i}", "survived": i < stated, "used": False} for i in range(facts)]
    changes = {"tokens": {"log": 9000, "view": budget - 10, "summary": 0}, **changes}
    item = f"{compactor}-b{budget}-{case}-{probe}"
    steps = {"steps": {"compacted": 1}, "errors": [], "budget": budget}
    return record(
        case, probe, compactor, item=item, budget=budget, facts=read, compaction=steps, **changes
    )


def test_the_area_is_the_mean_height_over_the_logarithm_of_the_budget():
    assert area_under([1000, 2000, 4000], [0.2, 0.4, 0.8]) == pytest.approx(0.45)
    assert area_under([1000, 4000], [0.0, 1.0]) == pytest.approx(0.5)
    # Without its middle point the same line gives the same area.
    assert area_under([1000, 2000, 4000], [0.0, 0.5, 1.0]) == pytest.approx(0.5)


@given(budgets, st.data())
def test_an_area_lies_between_the_lowest_and_the_highest_share(found, data):
    shares = data.draw(st.lists(st.floats(0, 1), min_size=len(found), max_size=len(found)))
    area = area_under(found, shares)
    assert min(shares) - 1e-9 <= area <= max(shares) + 1e-9


@pytest.mark.parametrize("found", [[1000], [1000, 1000], [2000, 1000], [0, 1000]])
def test_budgets_that_do_not_rise_have_no_area(found):
    with pytest.raises(ValueError, match="an area needs"):
        area_under(found, [0.5] * len(found))


def test_a_curve_has_a_point_for_each_budget():
    records = [
        at(budget, stated, case=case)
        for case in "abcdef"
        for budget, stated in ((4000, 4), (1000, 1), (2000, 2))
    ]
    (curve,) = curves(records)
    assert [point.budget for point in curve.points] == [1000, 2000, 4000]
    assert [point.stated.value for point in curve.points] == [0.25, 0.5, 1.0]
    assert [point.tokens for point in curve.points] == [990, 1990, 3990]
    assert curve.area.value == pytest.approx(0.5625)
    assert curve.area.interval == (pytest.approx(0.5625), pytest.approx(0.5625))


def test_an_item_without_a_figure_at_some_budget_is_left_out_of_the_area_alone():
    records = [at(1000, 1), at(2000, 3), at(1000, 4, probe="q")]
    records.append(unscored(probe="q", budget=2000, facts=[], item="q"))
    (curve,) = curves(records)
    assert curve.area.value == pytest.approx(0.5)
    assert curve.points[0].stated.value == pytest.approx(0.625)


def test_views_over_the_budget_are_counted_at_their_point():
    large = {"tokens": {"log": 9000, "view": 5000, "summary": 0}}
    (curve,) = curves([at(1000, 4, **large), at(2000, 4)])
    assert [point.over_budget for point in curve.points] == [1, 0]


def test_budgets_of_a_strategy_are_arms_of_their_own_but_one_alone_and_the_control_are_not():
    records = [at(1000, 1), record(compactor="none", budget=None)]
    assert curves(records) == []
    assert list(by_arm(records)) == ["anchored", "none"]
    assert list(by_arm([*records, at(2000, 1)])) == ["anchored-b1000", "none", "anchored-b2000"]
