"""The cost of a compaction where prefixes are cached: the published figures, and its laws."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.metrics import (
    Pricing,
    Ratios,
    Sizes,
    SummaryCalls,
    break_even,
    compaction_cost,
    request_saving,
)

CONTEXT, SUMMARY, TAIL, PREFIX = 150_000, 4_000, 20_000, 10_000
SIZES = Sizes(CONTEXT, PREFIX + SUMMARY + TAIL, PREFIX)


def requests(sizes, calls, ratios):
    return break_even(compaction_cost([sizes], calls, ratios), request_saving([sizes], ratios))


@pytest.mark.parametrize(
    ("ratios", "uncached", "cached"),
    [
        (Ratios(0.10, 1.25, 5), "16", "4.4"),
        (Ratios(0.05, 1.25, 5), "33", "8.7"),
        (Ratios(0.10, 1.00, 8), "17", "4.9"),
        (Ratios(0.02, 1.00, 4), "81", "17"),
    ],
    ids=["anthropic", "anthropic 5.5", "gpt-5", "deepseek flash"],
)
def test_the_formula_gives_the_published_break_evens(ratios, uncached, cached):
    # Both figures subtract the request that would have read all of the old prefix, and count
    # the requests after the next one; cached: the summariser reads its whole input at ``read``.
    calls = SummaryCalls(input=CONTEXT, output=SUMMARY)
    assert f"{requests(SIZES, calls, ratios):.0f}" == uncached
    digits = len(cached.partition(".")[2])
    assert f"{requests(SIZES, replace(calls, cached=calls.input), ratios):.{digits}f}" == cached


def test_the_parts_of_the_cost_are_those_of_the_formula():
    ratios = Ratios(0.1, 1.25, 5)
    calls = SummaryCalls(CONTEXT, 0, SUMMARY)
    assert calls.cost(ratios) == 150_000 + 20_000
    assert compaction_cost([SIZES], calls, ratios) == pytest.approx(
        170_000 + 1_000 + 30_000 - 15_000
    )
    assert request_saving([SIZES], ratios) == pytest.approx(11_600)
    assert (SIZES.removed, SIZES.written) == (116_000, 24_000)
    assert SummaryCalls(1_000, 600, 0).cost(ratios) == 400 + 60
    assert SummaryCalls(1_000, 5_000, 0).cost(ratios) == 100
    assert Pricing("x", ratios, 3.0).usd(1_000_000) == 3.0
    assert Pricing("x", ratios).usd(1_000_000) is None


def test_a_compaction_without_a_call_can_pay_at_once_and_one_that_adds_never_does():
    ratios = Ratios(0.1, 1.25, 5)
    assert requests(Sizes(100_000, 5_000, 5_000), SummaryCalls(), ratios) == 0
    assert requests(Sizes(5_000, 6_000, 1_000), SummaryCalls(), ratios) is None
    assert break_even(10, 0) is None


tokens = st.integers(1, 10**6)
ratio_values = st.builds(
    Ratios, st.floats(0.01, 1), st.sampled_from([1.0, 1.25, 2.0]), st.floats(1, 10)
)


@given(st.floats(0, 10**7), st.floats(1, 10**6), st.floats(0, 10**6))
def test_more_saving_never_breaks_even_later(cost, saving, more):
    assert break_even(cost, saving + more) <= break_even(cost, saving)


@given(tokens, st.floats(0, 1), st.floats(0, 1), tokens, tokens, ratio_values)
def test_a_cached_summariser_and_a_longer_prefix_never_cost_more(
    before, kept, prefix, read, written, ratios
):
    after = int(before * kept)
    sizes = Sizes(before, after, int(after * prefix))
    calls = SummaryCalls(read, 0, written)
    cost = compaction_cost([sizes], calls, ratios)
    assert compaction_cost([sizes], replace(calls, cached=calls.input), ratios) <= cost
    assert compaction_cost([Sizes(before, after, after)], calls, ratios) <= cost
