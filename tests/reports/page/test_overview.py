"""The figures and places of the overview, apart from how they are drawn."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from support.builders import record
from support.page_runs import fact

from pytest_compaction.metrics import DEFAULT_PRICING
from pytest_compaction.records import Run
from pytest_compaction.reports.page.overview import classes_of, figures_of_arm
from pytest_compaction.reports.page.page import compared
from pytest_compaction.reports.page.plots import (
    Scale,
    apart,
    log_ticks,
    scatter,
    survival_plot,
    ticks,
)
from pytest_compaction.reports.page.runs import PageRun, arms_of

sizes = st.floats(1, 1e7)


def arms(*records):
    return arms_of([PageRun("run", Run({"format": 1}, {r["item"]: r for r in records}))])


def figures(*records):
    return [figures_of_arm(arm, DEFAULT_PRICING) for arm in arms(*records)]


def scored(compactor, overall, tokens, case="a"):
    size = {"log": 1000, "view": tokens, "summary": 0}
    return record(case, "p", compactor, overall=overall, tokens=size)


def test_classes_stand_in_the_order_of_tables():
    (found,) = figures(
        record("a", facts=[fact("next", "d"), fact("limit", "s"), fact("file", "u")])
    )
    assert classes_of([found]) == ["path", "number", "next_step"]
    counts = found.counts("path")
    assert (counts.facts, counts.used, counts.unused, counts.dropped) == (1, 0, 1, 0)
    assert found.counts("command") is None


def test_the_frontier_has_what_nothing_smaller_beats():
    found = figures(
        scored("small", 1.0, 100),
        scored("worse", 0.5, 200),
        scored("best", 4.0, 300),
        scored("as-good", 4.0, 400),
    )
    drawn = scatter(found)
    assert {line.label for line in drawn.lines if not line.parts[0][0].open} == {"small", "best"}
    heights = [y for _, y in drawn.steps]
    assert heights == sorted(heights, reverse=True)


def test_the_control_is_not_drawn_and_has_no_letter():
    records = [
        scored(name, overall, 100, case)
        for name, overall in (("none", 5.0), ("a", 1.0), ("b", 1.0))
        for case in "uvwxyz"
    ]
    assert {line.label for line in scatter(figures(*records)).lines} == {"a", "b"}
    assert compared(arms(*records))[1] == {"a": "a", "b": "a"}
    assert scatter(figures(*records[:12])) is None, "one strategy makes no plot"


def test_views_of_very_different_sizes_stand_on_a_logarithmic_scale():
    near = scatter(figures(scored("a", 1.0, 1000), scored("b", 2.0, 3000)))
    far = scatter(figures(scored("a", 1.0, 1000), scored("b", 2.0, 90_000)))
    assert "logarithmic" not in near.x_title
    assert "logarithmic" in far.x_title
    assert [text for _, text in far.x_ticks][:3] == ["1,000", "2,000", "5,000"]


def test_differences_are_those_of_the_same_items():
    first = [
        scored("a", overall, 100, case) for case, overall in zip("xyz", (1, 2, 3), strict=True)
    ]
    second = [
        scored("b", overall, 100, case) for case, overall in zip("xyw", (2, 4, 0), strict=True)
    ]
    ((key, found),) = compared(arms(*first, *second))[0].items()
    sign = 1 if key == "0,1" else -1
    assert (found["mean"] * sign, found["items"], found["cases"]) == (1.5, 2, 2)


def test_an_interval_of_a_score_stays_within_its_scale():
    found = [
        scored("a", overall, 100, case)
        for case, overall in zip("uvwxyz", (5, 5, 5, 5, 5, 0), strict=True)
    ]
    (drawn,) = figures(*found)
    low, high = drawn.means["overall"].interval
    assert 0 <= low < high <= 5


@given(st.lists(st.floats(0, 300), max_size=12))
def test_labels_do_not_cover_each_other_and_keep_their_order(places):
    moved = apart(places, 15)
    order = sorted(range(len(places)), key=lambda n: places[n])
    for before, after in pairwise(order):
        assert moved[after] - moved[before] >= 15 - 0.11


@given(sizes)
def test_ticks_begin_at_zero_and_reach_the_largest(high):
    marks = ticks(high)
    assert marks[0] == 0
    assert marks[-1] >= high * (1 - 1e-9)
    assert 2 <= len(marks) <= 6


@given(sizes, sizes)
def test_logarithmic_ticks_enclose_what_they_measure(one, other):
    low, high = sorted((one, other))
    marks = log_ticks(low, high)
    assert marks[0] <= low <= high <= marks[-1]
    assert len(marks) >= 2


@given(st.floats(-10, 20), st.floats(-10, 20))
def test_a_scale_keeps_order_and_stays_in_the_drawing(one, other):
    scale = Scale(0, 5, 10, 110)
    low, high = sorted((one, other))
    assert 10 <= scale(low) <= scale(high) <= 110
    logarithmic = Scale(1, 10, 0, 100, logarithmic=True)
    assert 0 <= logarithmic(low) <= logarithmic(high) <= 100


def test_survival_falls_where_a_fact_is_dropped():
    held = {"a": [["p", True], ["q", False]], "b": [["p", True], ["q", True]]}
    facts = {case: [fact("limit", "s", stated_after=states)] for case, states in held.items()}
    found = figures(*(record(case, facts=each) for case, each in facts.items()))
    ((dots,),) = [line.parts for line in survival_plot(found).lines]
    assert [dot.y for dot in dots] == [10, 140]
    once = record("a", facts=[fact("limit", "s", stated_after=[["p1", True]])])
    assert survival_plot(figures(once)) is None, "one compaction makes no curve"
