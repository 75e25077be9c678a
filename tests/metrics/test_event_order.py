"""The order of events: tau-b against counting pairs, and what is defined where it has no value."""

from fractions import Fraction
from itertools import combinations
from math import isclose, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_compaction.metrics import event_order, ranks


@st.composite
def answers(draw):
    """How many events there are, and which of them an answer names in which order."""
    events = draw(st.integers(1, 7))
    named = st.one_of(st.none(), st.integers(0, events - 1))
    return events, draw(st.lists(named, max_size=9))


def tau_b(first, second):
    """Kendall's tau-b by its definition: every pair of the union is looked at."""
    agree = differ = first_ties = second_ties = 0
    for one, other in combinations(range(len(first)), 2):
        a, b = first[one] - first[other], second[one] - second[other]
        agree += a * b > 0
        differ += a * b < 0
        first_ties += a == 0
        second_ties += b == 0
    pairs = len(first) * (len(first) - 1) // 2
    size = (pairs - first_ties) * (pairs - second_ties)
    return None if size == 0 else (agree - differ) / sqrt(size)


def brute_ranks(events, answered):
    """The ranks in both lists, by looking each event up in lists of names."""
    names = []
    for place, number in enumerate(answered):
        fresh = number is not None and f"event {number}" not in names
        names.append(f"event {number}" if fresh else f"extra {place}")
    reference = [f"event {number}" for number in range(events)]
    union = [*reference, *(name for name in names if name not in reference)]
    return tuple(
        [one.index(name) + 1 if name in one else len(union) + 1 for name in union]
        for one in (reference, names)
    )


@settings(deadline=None)  # scipy is imported in the first example
@given(answers())
def test_the_order_is_tau_b_of_the_union_by_counting_pairs(given_answer):
    events, answered = given_answer
    first, second = brute_ranks(events, answered)
    expected = tau_b(first, second)
    found = event_order(events, answered)
    if not set(answered) - {None}:
        assert found.order == 0
    elif expected is None:
        assert found.order == 1
    else:
        assert isclose(found.order, (expected + 1) / 2, abs_tol=1e-9)


@settings(deadline=None)  # scipy is imported in the first example
@given(answers())
def test_precision_recall_and_their_figures_are_those_of_the_events_named(given_answer):
    events, answered = given_answer
    found = event_order(events, answered)
    hits = sum(any(number == event for number in answered) for event in range(events))
    assert found.recall == float(Fraction(hits, events))
    assert found.precision == (float(Fraction(hits, len(answered))) if answered else 0)
    total = len(answered) + events
    assert isclose(found.f1, 2 * hits / total)
    assert isclose(found.product, found.order * found.f1)
    assert 0 <= found.order <= 1


@settings(deadline=None)
@given(st.integers(1, 9))
def test_the_order_of_the_reference_is_1_and_the_reverse_is_0(events):
    right = list(range(events))
    assert event_order(events, right).product == pytest.approx(1)
    if events > 1:
        assert event_order(events, right[::-1]).order == pytest.approx(0)


def test_an_event_named_again_is_one_too_many_and_those_that_a_list_lacks_share_a_rank():
    for answered in ((), (None, None)):
        found = event_order(4, answered)
        assert (found.precision, found.recall, found.f1, found.order) == (0, 0, 0, 0)
    assert event_order(2, [0, 1, 0]).precision == pytest.approx(2 / 3)
    assert ranks(2, [0, 1, 0]) == ([1, 2, 4], [1, 2, 3])
    assert ranks(3, [None, 2]) == ([1, 2, 3, 5], [5, 5, 2, 1])


@pytest.mark.parametrize(("events", "answered"), [(0, ()), (2, (2,)), (2, (-1,))])
def test_numbers_of_no_event_are_refused(events, answered):
    with pytest.raises(ValueError, match="event"):
        event_order(events, answered)
