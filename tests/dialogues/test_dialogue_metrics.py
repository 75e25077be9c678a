"""Metrics of one dialogue: consistency, retention, agreement and tokens saved."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import builders  # noqa: F401 - loads the repeatable profile
from support.comparisons import SHARE, TOKENS, trials

from pytest_compaction.dialogues.dialogue import Trial, TrialMatch, TurnReply
from pytest_compaction.dialogues.measures import (
    MAX_ITEMS,
    OPENERS,
    Spending,
    dialogue_consistency,
    keeps,
    key_items,
    lexical_similarity,
    retention_by_judge,
    retention_by_rules,
    total,
    turn_consistency,
)
from pytest_compaction.dialogues.replay import agreement
from pytest_compaction.metrics import removed_share

TEXT = st.text(alphabet="ab 12,.'\"ABcd\n", max_size=60)


@given(TEXT, TEXT)
def test_similarity_is_a_share_symmetric_and_whole_for_the_same_words(one: str, other: str) -> None:
    value = lexical_similarity(one, other)
    assert 0 <= value <= 1
    assert value == lexical_similarity(other, one)
    assert lexical_similarity(one, " " + one.upper() + "\n") == 1
    assert (value == 1) == (sorted(one.lower().split()) == sorted(other.lower().split()))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("", "", 1.0),
        ("", "word", 0.0),
        ("a b c", "b c d", 2 / 4),
        ("A b", "a B", 1.0),
        ("a", "a a a", 1 / 3),
        ("a a b", "a a c", 2 / 4),
        ("end.", "end", 0.0),
    ],
)
def test_similarity_is_common_words_over_all_words(one: str, other: str, expected: float) -> None:
    assert lexical_similarity(one, other) == pytest.approx(expected)


def test_a_turn_with_tools_weighs_them_and_one_without_does_not() -> None:
    assert turn_consistency(0.5, True) == pytest.approx(0.7)
    assert turn_consistency(0.5, False) == pytest.approx(0.3)
    assert turn_consistency(0.5, None) == 0.5


def test_a_dialogue_is_the_mean_over_common_turns_times_the_share_of_turns() -> None:
    assert dialogue_consistency([1.0, 0.5], 2, 2) == 0.75
    assert dialogue_consistency([1.0, 0.5], 4, 2) == 0.375
    assert dialogue_consistency([1.0, 0.5], 2, 4) == 0.375
    assert dialogue_consistency([], 0, 0) == 1.0
    assert dialogue_consistency([], 3, 0) == 0.0


@given(st.lists(SHARE, max_size=6), st.integers(0, 4), st.booleans())
def test_consistency_and_judged_retention_are_shares_whatever_the_order(
    values: list[float], more: int, other_side: bool
) -> None:
    sides = (len(values), len(values) + more)
    value = dialogue_consistency(values, *(sides if other_side else reversed(sides)))
    assert 0 <= value <= 1
    assert value == dialogue_consistency(values[::-1], *sides)
    rate = retention_by_judge(values, len(values) + more)
    assert 0 <= rate <= 1
    assert rate == retention_by_judge(values[::-1], len(values) + more)


def test_key_items_are_numbers_quotations_and_names_in_that_order() -> None:
    text = (
        "The ship \"Sea Star\" left Port Said on 12 May with 1,250 crates; 7 men said 'no'. When?"
    )
    assert key_items(text) == ("12", "1,250", "Sea Star", "Port Said", "May")
    assert key_items("请读《三体》和“水浒传”，见「附录」“no”。") == ("三体", "水浒传", "附录")
    assert key_items("") == ()
    assert not set(key_items(" , ".join(sorted(OPENERS)))) & OPENERS
    assert key_items("10 10 10") == ("10",)
    assert len(key_items(" ".join(str(number) for number in range(10, 40)))) == MAX_ITEMS
    assert key_items("12 Zürich") == ("12",), "the pattern knows A to Z only"


def test_items_are_kept_in_any_case_and_numbers_without_commas() -> None:
    assert keeps("the SEA star sank", "Sea Star")
    assert keeps("about 1250 crates", "1,250")
    assert not keeps("about 1,250 crates", "1250"), "commas of the other answer are not removed"
    assert not keeps("", "Sea Star")


def test_retention_counts_over_all_turns_and_a_missing_turn_is_lost() -> None:
    found = retention_by_rules(["In 1999 and 2001", "nothing to keep", "12 Oaks"], ["1999", ""])
    assert (found.kept, found.extracted) == (1, 4), "In is two letters, Oaks a name"
    assert found.turns == (0.5, 1.0, 0.0)
    assert found.rate == 0.25
    assert retention_by_rules([], []).rate == 1.0
    assert retention_by_rules([], ["12 more"]).rate == 1.0
    assert retention_by_rules([""], [""]).rate == 1.0
    assert retention_by_judge([0.5], 2) == 0.25
    assert retention_by_judge([], 0) == 1.0


@given(st.lists(TEXT, max_size=4), st.lists(TEXT, max_size=4))
def test_retention_is_a_share_and_whole_for_the_same_answers(
    baseline: list[str], other: list[str]
) -> None:
    found = retention_by_rules(baseline, other)
    assert 0 <= found.rate <= 1
    assert 0 <= found.kept <= found.extracted <= MAX_ITEMS * len(baseline)
    assert len(found.turns) == len(baseline)
    assert retention_by_rules(baseline, baseline).rate == 1


@given(trials(), trials())
def test_agreement_is_a_share_and_whole_with_itself(one: Trial, other: Trial) -> None:
    found = agreement(one, other)
    assert found.consistency is not None and 0 <= found.consistency <= 1
    assert found.retention is not None and 0 <= found.retention <= 1
    assert len(found.turns) == min(len(one.replies), len(other.replies))
    same = agreement(one, one)
    assert same.consistency == pytest.approx(1)
    assert same.retention == 1


def test_a_judge_replaces_word_overlap_and_rules() -> None:
    one = Trial((TurnReply("in 1999", 5, 5), TurnReply("b", 5, 5)))
    other = Trial((TurnReply("then", 5, 5),))
    found = agreement(one, other, [0.8], [0.5])
    assert found == TrialMatch(0.4, 0.25, (0.8,), (0.5, 0.0), None, None)


@given(st.floats(0, 1e9), st.floats(0, 1e9), st.floats(1e-3, 1e3))
def test_savings_do_not_depend_on_the_unit(baseline: float, spent: float, unit: float) -> None:
    value = removed_share(baseline, spent)
    assert value <= 1
    assert removed_share(baseline, baseline) == 0
    if baseline > 1e-6:
        assert math.isclose(
            removed_share(baseline * unit, spent * unit), value, rel_tol=1e-6, abs_tol=1e-6
        )
        assert (value < 0) == (spent > baseline)


def test_a_baseline_that_spent_nothing_saves_nothing() -> None:
    assert removed_share(0, 500) == 0.0
    nothing = total([])
    assert (nothing.savings, nothing.prompt_savings, nothing.net_savings) == (0.0, 0.0, 0.0)


@st.composite
def spendings(draw: st.DrawFn) -> Spending:
    return Spending(
        *(draw(TOKENS) for _ in range(4)),
        draw(TOKENS),
    )


@given(st.lists(spendings(), max_size=12), st.randoms(use_true_random=False))
def test_the_total_is_the_ratio_of_sums_in_any_order(
    items: list[Spending], random: random.Random
) -> None:
    whole = total(items)
    assert whole.baseline == sum(item.baseline for item in items)
    assert whole.savings == removed_share(
        sum(item.baseline for item in items), sum(item.summary for item in items)
    )
    assert whole.net_savings <= whole.savings
    mixed = list(items)
    random.shuffle(mixed)
    assert total(mixed) == whole
