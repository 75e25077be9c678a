"""Changes in the form of a summary do not move its score; changes in what it says do.

The bounds lie a little beyond what was measured over the shipped cases; the goals and the figures
stand in docs/how-it-measures.md. All cases take minutes, so this runs in the exhaustive lane; the
ordinary run measures three of them.
"""

import pytest
from calibration.changed_views import (
    SEEDS,
    case_means,
    invariances,
    sensitivities,
    to_summary,
    views,
)
from calibration.perturbations import INVARIANT, negated

BASE = "anchored"
SMALL = ("clock_skew", "office_move", "recipe_search")
FORM, WORDS = 0.02, 0.05
"""The most that a change of form, or of words and number formats, moved the mean score (of 5)."""


@pytest.fixture(scope="module")
def few():
    """The views of three cases."""
    return views(BASE, SMALL)


@pytest.mark.parametrize("change", ["white space", "headings in bold", "no backticks"])
def test_a_change_in_form_moves_no_case(few, change):
    before = case_means(few)
    after = case_means(few, to_summary(INVARIANT[change]))
    assert after == pytest.approx(before, abs=0.1)


def test_a_summary_that_says_the_contrary_is_seen_in_every_case(few):
    before, after = case_means(few), case_means(few, to_summary(negated))
    assert set(before) == set(SMALL)
    assert all(after[id] < before[id] - 0.5 for id in before)


@pytest.mark.exhaustive
def test_form_does_not_count():
    for each in invariances(BASE):
        bound = WORDS if each.name in {"90 synonyms", "number formats"} else FORM
        assert abs(each.mean) <= bound, each


@pytest.mark.exhaustive
def test_meaning_counts():
    found = {each.name: each for each in sensitivities(BASE)}
    assert found["all sentences negated"].mean <= -1.4
    assert found["half of the sentences negated"].mean <= -0.7
    assert found["stale values"].mean <= -0.7
    for name in ("half of the tail dropped", "next steps dropped"):
        assert found[name].mean <= 0, found[name]
    for seed in SEEDS:
        assert found[f"5 % of the sentences dropped, seed {seed}"].mean < 0
