"""Figures of many dialogues: distributions, classes, sums, and empty input."""

from __future__ import annotations

import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import builders  # noqa: F401 - loads the repeatable profile
from support.comparisons import SHARE, comparisons

from pytest_compaction.dialogues import BothArms, figures_of, outcome, spending_of
from pytest_compaction.dialogues.dialogue import Trial, TrialMatch, TurnReply
from pytest_compaction.dialogues.figures import outcome_of, retention_of
from pytest_compaction.dialogues.measures import (
    effectiveness,
    mean_interval,
    quartiles,
    spread,
    suitability,
    total,
)
from pytest_compaction.metrics import mean_pass_hat_k

FIGURES = st.lists(st.floats(-1e6, 1e6), max_size=30)
SETS = st.lists(comparisons(), max_size=4)


@given(FIGURES, st.randoms(use_true_random=False))
def test_distributions_are_bounded_and_do_not_look_at_the_order(
    values: list[float], random: random.Random
) -> None:
    mixed = list(values)
    random.shuffle(mixed)
    assert spread(values) == spread(mixed)
    assert mean_interval(values) == mean_interval(mixed)
    found = quartiles(values)
    if not values:
        assert found is None
        return
    assert found is not None
    assert found == pytest.approx(sorted(found), abs=1e-6)
    assert spread(values).negative == sum(value < 0 for value in values)
    assert found[1] == pytest.approx(statistics.median(values))


def test_quartiles_of_few_values() -> None:
    assert quartiles([]) is None
    assert quartiles([3.5]) == (3.5, 3.5, 3.5)
    assert quartiles([0.0, 1.0]) == (0.25, 0.5, 0.75)


def test_zero_is_not_negative_and_no_dialogues_have_no_rate() -> None:
    assert spread([0.0, -0.0, -1e-12]).negative == 1
    assert spread([]).negative_rate is None


def test_an_interval_needs_two_values_and_holds_the_mean() -> None:
    assert mean_interval([]) is None and mean_interval([3.0]) is None
    assert mean_interval([3.0, 3.0]) == (3.0, 3.0)
    low, high = mean_interval([0.0, 2.0]) or (0.0, 0.0)
    assert (low, high) == pytest.approx((1 - 1.96, 1 + 1.96))
    assert outcome(None) is None
    assert [outcome(pair) for pair in ((1, 2), (-2, -1), (-1, 1), (0, 1))] == [
        "saves",
        "costs",
        "no difference",
        "no difference",
    ]


@given(SHARE, st.floats(-50, 1), SHARE)
def test_overall_effectiveness_is_a_share(
    consistency: float, savings: float, retention: float
) -> None:
    value = effectiveness(consistency, savings, retention)
    assert 0 <= value <= 1 + 1e-12
    assert value >= effectiveness(consistency, min(savings, 0), retention)


def test_overall_effectiveness_weighs_by_fifty_thirty_twenty() -> None:
    assert effectiveness(1, 0, 0) == 0.5
    assert effectiveness(0, 1, 0) == 0.3
    assert effectiveness(0, 0, 1) == 0.2
    assert effectiveness(0, -41.14, 0) == 0


@pytest.mark.parametrize(
    ("turns", "prompt", "expected"),
    [
        (4.16, 4273, "recommended"),
        (4, 2001, "recommended"),
        (4, 2000, "conditional"),
        (3.99, 4404, "conditional"),
        (3, 1000, "conditional"),
        (2.4, 1225, "conditional"),
        (2, 9000, "not recommended"),
        (9, 999, "not recommended"),
    ],
)
def test_classes_follow_turns_and_prompt_length(turns: float, prompt: float, expected: str) -> None:
    assert suitability(turns, prompt) == expected


@given(SETS, st.randoms(use_true_random=False))
def test_figures_of_dialogues_are_bounded_and_in_any_order_the_same(
    items: list[BothArms], random: random.Random
) -> None:
    figures = figures_of("all", items)
    mixed = list(items)
    random.shuffle(mixed)
    assert figures_of("all", mixed) == figures
    for value in (figures.consistency, figures.retention, *figures.passes.values()):
        assert value is None or 0 <= value <= 1
    assert figures.spending == total([spending_of(item) for item in items])
    assert figures.passes.get(1) == mean_pass_hat_k([outcome_of(item) for item in items], 1)
    assert figures.in_force + figures.paid <= figures.dialogues == len(items)
    rates = [rate for item in items if (rate := retention_of(item)) is not None]
    assert figures.retention == pytest.approx(statistics.fmean(rates) if rates else None)


@pytest.mark.parametrize(("made", "expected"), [(20, 0.2), (60, 0.0), (160, 0.0)])
def test_the_net_score_counts_savings_after_the_cost_of_summaries(made, expected) -> None:
    """A summary that costs more than it saves earns nothing for savings, and no less."""
    full, short = Trial((TurnReply("a", 100, 0),)), Trial((TurnReply("a", 60, 0),))
    short = Trial(short.replies, made)
    one = BothArms("GR_1", "GR", 1, (full,), (short,), (TrialMatch(0.8, 0.5),))
    figures = figures_of("GR", [one])
    assert figures.effectiveness == pytest.approx(0.5 * 0.8 + 0.3 * 0.4 + 0.2 * 0.5)
    assert figures.net_effectiveness == pytest.approx(0.5 + 0.3 * expected)


def test_pass_k_stops_where_the_trials_do() -> None:
    trial = Trial((TurnReply("a", 1, 1),))
    scores = (TrialMatch(0.9, 1.0), TrialMatch(0.7, 1.0), TrialMatch(0.69, 1.0))
    three = BothArms("GR_1", "GR", 1, (trial,) * 3, (trial,) * 3, scores)
    assert figures_of("GR", [three]).passes == pytest.approx({1: 2 / 3, 2: 1 / 3, 3: 0.0})
    unscored = BothArms(
        "GR_2", "GR", 1, (trial,), (trial,), (TrialMatch(None, None, unscored="x"),)
    )
    figures = figures_of("GR", [unscored])
    assert (figures.passes, figures.consistency, figures.scored) == ({}, None, 0)
    assert (figures.effectiveness, figures.net_effectiveness) == (None, None)
    assert figures_of("GR", [three], threshold=0.9).passes[1] == pytest.approx(1 / 3)


@given(comparisons())
def test_a_comparison_survives_its_record(item: BothArms) -> None:
    assert BothArms.from_json(item.as_json()) == item


def test_a_summary_is_in_force_when_any_prompt_had_one() -> None:
    def state(*trials: tuple[bool, ...]) -> bool:
        found = [Trial(tuple(TurnReply("a", 1, 1, (), state) for state in each)) for each in trials]
        return BothArms("d", "GR", 1, tuple(found), tuple(found), ()).summarised

    assert state((False,), (False, True)) and not state((False,), (False,))
