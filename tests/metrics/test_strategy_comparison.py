"""All strategies of a run against each other: who is better, and who cannot be told apart."""

import pytest
from support.builders import record, unscored

from pytest_compaction.metrics import by_arm, compare_strategies
from pytest_compaction.settings import CONTROL

CASES = [f"c{number:02}" for number in range(12)]


def arm(name, score, spread=0.0, cases=CASES, **more):
    """Records of a strategy: cases above and below its score in turn."""
    return [
        record(case=case, compactor=name, overall=score + spread * (-1) ** number, **more)
        for number, case in enumerate(cases)
    ]


def compared(*arms):
    return compare_strategies(by_arm([each for records in arms for each in records]))


def test_strategies_come_best_first_and_share_a_letter_if_they_do_not_differ():
    found = compared(arm("low", 2.0), arm("alike", 4.0, 0.5), arm("high", 4.05))
    assert list(found.letters) == ["high", "alike", "low"]
    assert found.letters == {"high": "a", "alike": "a", "low": "b"}
    assert [(pair.first, pair.second) for pair in found.pairs] == [
        ("high", "alike"),
        ("high", "low"),
        ("alike", "low"),
    ]
    assert [pair.differ for pair in found.pairs] == [False, True, True]
    assert all(pair.paired.difference.value <= 0 for pair in found.pairs)


def test_p_values_are_corrected_for_all_pairs():
    found = compared(arm("a", 4.0), arm("b", 3.0), arm("c", 2.0))
    least = 2 / 2**12
    assert [pair.paired.p for pair in found.pairs] == [least] * 3
    assert [pair.holm for pair in found.pairs] == pytest.approx([3 * least] * 3)


def test_the_control_and_strategies_without_a_score_are_not_compared():
    silent = [unscored(case=case, compactor="silent") for case in CASES]
    at_a_budget = [*arm(CONTROL, 5.0, budget=1), *arm(CONTROL, 5.0, budget=2)]
    found = compared(at_a_budget, arm("a", 4.0), silent)
    assert found.pairs == ()
    found = compared(arm(CONTROL, 5.0), arm("a", 4.0), silent)
    assert found.pairs == ()
    assert found.letters == {"a": "a"}
    none = compare_strategies({})
    assert (none.pairs, none.letters) == ((), {})


@pytest.mark.parametrize("cases", [1, 5])
def test_fewer_than_six_cases_tell_no_strategies_apart_and_give_no_letters(cases):
    names = [f"c{number}" for number in range(cases)]
    found = compared(arm("a", 5.0, cases=names), arm("b", 0.0, cases=names))
    (pair,) = found.pairs
    assert (pair.paired.p, pair.holm, pair.differ) == (None, None, False)
    assert found.letters == {"a": "", "b": ""}


def test_budgets_are_compared_apart():
    arms = [arm(name, score, budget=b) for name, score in (("a", 4.0), ("b", 1.0)) for b in (1, 2)]
    pairs = {(pair.first, pair.second) for pair in compared(*arms).pairs}
    assert pairs == {("a-b1", "b-b1"), ("a-b2", "b-b2")}


def test_rows_of_which_another_reader_read_the_views_are_compared_with_none():
    by_rules = [arm("a", 4.0), arm("b", 3.0)]
    read = [arm(name, 2.0, reader="gpt-5") for name in ("c", "d")]
    found = compared(*by_rules, *read)
    assert [(pair.first, pair.second) for pair in found.pairs] == [("a", "b")]
    assert set(found.letters) == {"a", "b"}
    found = compared(*read)
    assert [(pair.first, pair.second) for pair in found.pairs] == [("c", "d")]
