"""Items paired over two sides, and their difference figure by figure."""

import math
import random

import pytest
from support.builders import record, unscored

from pytest_compaction.metrics import cluster_interval, pair_items, paired_difference

KEPT = {"text": "a", "survived": True, "used": True}
LOST = {"text": "b", "survived": False, "used": False}


def test_items_are_paired_by_case_probe_trial_and_budget():
    first = [
        record(probe="q"),
        record(probe="p"),
        record(probe="p", trial=2),
        record(case="b", budget=500),
    ]
    second = [
        record(case="b", budget=1000, compactor="truncate"),
        record(probe="p", compactor="truncate"),
        record(probe="q", compactor="truncate"),
    ]
    assert pair_items(first, second) == [(first[1], second[1]), (first[0], second[2])]


def test_the_order_of_records_does_not_matter():
    first = [record(case=c, probe=p, overall=4.0) for c in "abc" for p in "xyz"]
    second = [record(case=c, probe=p, overall=ord(c) % 3 + 0.5) for c in "abc" for p in "xyz"]
    expected = paired_difference(first, second)
    for seed in range(3):
        turned = random.Random(seed).sample(second, len(second))
        assert paired_difference(first[::-1], turned) == expected


def test_the_difference_is_the_second_side_less_the_first_over_shared_items():
    first = [record(case=case, overall=4.0) for case in "abc"]
    second = [record(case="a", overall=3.0), record(case="b", overall=4.0), record(case="d")]
    paired = paired_difference(first, second)
    assert paired.difference.value == -0.5
    assert paired.difference.interval == cluster_interval({"a": [-1.0], "b": [0.0]})
    assert (paired.wins, paired.ties, paired.losses) == (0, 1, 1)


@pytest.mark.parametrize(
    ("figure", "difference"), [("accuracy", 1.0), ("stated", -0.5), ("artifact", None)]
)
def test_a_dimension_or_the_facts_stated_are_compared_by_name(figure, difference):
    dimensions = record()["dimensions"]
    first = [record(dimensions={**dimensions, "accuracy": 2.0}, facts=[KEPT, KEPT])]
    second = [record(dimensions={**dimensions, "accuracy": 3.0}, facts=[KEPT, LOST])]
    paired = paired_difference(first, second, figure)
    assert (None if paired is None else paired.difference.value) == difference


def test_items_without_a_score_or_with_one_that_is_no_number_have_no_difference():
    first = [record(case=case, overall=3.0) for case in "ab"]
    second = [record(case="a", overall=4.0), record(case="b", overall=math.nan)]
    paired = paired_difference(first, second)
    assert (paired.difference.value, paired.difference.cases) == (1.0, 1)
    first, second = [unscored(), record(case="b")], [record(), unscored(case="b")]
    assert len(pair_items(first, second)) == 2
    assert paired_difference(first, second) is paired_difference([], [record()]) is None
