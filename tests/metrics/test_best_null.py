"""Whether a strategy beats the best null, from the records of a run."""

import pytest
from support.builders import record, unscored

from pytest_compaction.metrics import best_null


def beside(case, overall, nulls, probe="p", **changes):
    """A record of a view with this survival, beside nulls with these."""
    entries = {name: {"overall": v, "stated": v / 5, "tokens": 90} for name, v in nulls.items()}
    return record(case, probe, overall=overall, nulls=entries, **changes)


def rows(overall, window=1.0, random=2.0):
    return [
        beside(f"c{i}", value, {"window": window, "random": random})
        for i, value in enumerate(overall)
    ]


@pytest.mark.parametrize(
    ("overall", "result"),
    [
        ([4.0, 4.5, 4.0] * 2, "beats"),
        ([1.5, 2.5, 2.0] * 2, "does not beat"),
        ([0.0, 0.5, 0.0] * 2, "is beaten by"),
        ([4.5] * 5, "cannot be told from"),
    ],
)
def test_the_interval_over_cases_decides(overall, result):
    assert best_null(rows(overall)).result == result


def test_the_best_null_is_the_one_with_the_highest_mean():
    found = best_null(rows([4.0, 4.0]))
    assert found.null == "random"
    assert found.difference.value == pytest.approx(2.0)
    assert best_null(rows([4.0, 4.0], window=2.5)).null == "window"


def test_differences_are_paired_so_that_hard_cases_do_not_widen_the_interval():
    paired = [
        beside(f"c{i}", own, {"window": share})
        for i, (own, share) in enumerate([(4.5, 4.0), (1.5, 1.0), (3.0, 2.5)] * 2)
    ]
    found = best_null(paired)
    assert found.difference.value == pytest.approx(0.5)
    assert found.difference.interval == (pytest.approx(0.5), pytest.approx(0.5))
    assert found.result == "beats"


def test_items_without_a_score_or_without_nulls_are_left_out():
    found = best_null([*rows([4.0, 4.0]), unscored(case="x", nulls={"window": {"overall": 5.0}})])
    assert found.difference.count == 2
    assert best_null([record()]) is None
    assert best_null([unscored()]) is None


def test_where_the_answer_leads_the_survival_of_the_view_is_compared():
    records = [beside(f"c{i}", 1.0, {"window": 2.0}, reading="answer") for i in range(3)]
    for made in records:
        made["view"] = {"overall": 3.0}
    assert best_null(records).difference.value == pytest.approx(1.0)
