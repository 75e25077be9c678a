"""Whether a strategy beats the best null, from the records of a run."""

import pytest
from support.builders import record, unscored

from pytest_compaction.metrics.nulls import best_null


def beside(case, stated, nulls, facts=10, probe="p", **changes):
    """A record of a view that states so many facts, beside nulls with these shares."""
    read = [{"text": f"f{i}", "survived": i < stated, "used": False} for i in range(facts)]
    entries = {name: {"stated": share, "tokens": 90} for name, share in nulls.items()}
    return record(case, probe, facts=read, nulls=entries, **changes)


def rows(stated, window=0.2, random=0.4):
    return [
        beside(f"c{i}", count, {"window": window, "random": random})
        for i, count in enumerate(stated)
    ]


@pytest.mark.parametrize(
    ("stated", "result"),
    [
        ([8, 9, 8, 9], "beats"),
        ([3, 5, 4, 5], "does not beat"),
        ([0, 1, 0, 1], "is beaten by"),
        ([9], "cannot be told from"),
    ],
)
def test_the_interval_over_cases_decides(stated, result):
    assert best_null(rows(stated)).result == result


def test_the_best_null_is_the_one_with_the_highest_mean():
    found = best_null(rows([8, 8], window=0.2, random=0.4))
    assert found.null == "random"
    assert found.difference.value == pytest.approx(0.4)
    assert best_null(rows([8, 8], window=0.5, random=0.4)).null == "window"


def test_differences_are_paired_so_that_hard_cases_do_not_widen_the_interval():
    paired = [
        beside(f"c{i}", own, {"window": share})
        for i, (own, share) in enumerate([(9, 0.8), (3, 0.2), (6, 0.5), (2, 0.1)])
    ]
    found = best_null(paired)
    assert found.difference.value == pytest.approx(0.1)
    assert found.difference.interval == (pytest.approx(0.1), pytest.approx(0.1))
    assert found.result == "beats"


def test_items_without_a_score_or_without_nulls_are_left_out():
    found = best_null([*rows([8, 8]), unscored(case="x", nulls={"window": {"stated": 1.0}})])
    assert found.difference.count == 2
    assert best_null([record()]) is None
    assert best_null([unscored()]) is None
