"""The costs of a strategy over its records: each compaction, call and message once."""

import pytest
from hypothesis import given
from support.builders import record
from support.loss_records import event, fact, lossy, runs

from pytest_compaction.metrics import Pricing, Ratios, fates, refetch, strategy_costs

PRICING = Pricing("test", Ratios(0.1, 1.25, 5))
GONE = (False,)


def source(message, tokens):
    return {"message": message, "tokens": tokens}


def test_removed_cached_and_written_tokens_are_those_of_the_compactions():
    events = [event(50_000, 5_000, 1_000), event(30_000, 10_000, 5_000, "p2")]
    found = strategy_costs([lossy("a", events=events)], PRICING)
    assert (found.compactions, found.removed, found.removed_each.value) == (2, 65_000, 32_500)
    assert (found.cached, found.written) == (6_000, 9_000)
    assert found.prefix.value == pytest.approx((0.02 + 1 / 6) / 2)


def test_the_published_example_is_the_same_from_a_record():
    made = [lossy("a", events=[event(150_000, 34_000, 10_000)], usage=(150_000, 0, 4_000))]
    found = strategy_costs(made, PRICING)
    assert found.cost == pytest.approx(186_000)
    assert found.break_even.requests == pytest.approx(16.03, abs=0.01)
    assert found.if_cached.requests == pytest.approx(4.397, abs=0.001)
    assert found.break_even.interval is None


def test_the_calls_of_a_case_count_once_for_all_its_probes_less_those_after_the_last():
    probes = [lossy("a", usage=(1_000, 0, 100), probe=name) for name in ("p", "q")]
    calls = strategy_costs([*probes, lossy("b", usage=(500, 0, 50))], PRICING).calls
    assert (calls.input, calls.output) == (1_500, 150)
    listed = lossy("a", events=[event()], usage=(4_000, 0, 400))
    listed["compaction"]["steps"] = {"compacted": 4, "noop": 7}
    calls = strategy_costs([listed], PRICING).calls
    assert (calls.input, calls.output) == (1_000, 100)


def test_compactions_of_unknown_size_are_left_out():
    events = [event(), event(None, None, None, "p2"), event(status="noop", point="p3")]
    found = strategy_costs([lossy("a", events=events, usage=(1_000, 0, 0))], PRICING)
    assert (found.compactions, found.calls.input) == (1, 500)
    assert strategy_costs([lossy("a", events=events[1:])], PRICING) is None
    assert strategy_costs([record()], PRICING) is None


def test_net_tokens_are_removed_over_the_horizon_less_calls_and_reading_again():
    facts = [fact("x", GONE, source=source("m1", 700))]
    made = [lossy("a", facts, [event(50_000, 5_000, 1_000)], (20_000, 0, 1_000))]
    found = strategy_costs(made, PRICING)
    assert found.net_tokens == 45_000 * 20 - 21_000 - 700
    assert found.net == pytest.approx(4_500 * 20 - found.cost - 700 * 1.25)
    dollars = strategy_costs(made, Pricing("test", PRICING.ratios, 2.0))
    assert dollars.net_usd == pytest.approx(found.net * 2 / 1e6)
    assert (found.net_usd, found.cost_usd) == (None, None)


def test_a_break_even_has_an_interval_over_cases():
    made = [
        lossy(case, events=[event(before, 5_000)], usage=(before, 0, 1_000))
        for case, before in zip(
            "abcdef", (40_000, 50_000, 60_000, 90_000, 50_000, 60_000), strict=True
        )
    ]
    costs = strategy_costs(made, PRICING)
    found = costs.break_even
    assert found.interval[0] < found.requests < found.interval[1]
    for each, whole in ((costs.cost_each, costs.cost), (costs.saving_each, costs.saving)):
        assert each.value == pytest.approx(whole / 6)
        assert each.interval[0] < each.value < each.interval[1]
    assert costs.cost_each.value / costs.saving_each.value == pytest.approx(found.requests)


def test_a_message_is_read_again_once_however_many_facts_it_states():
    facts = [
        fact("one", GONE, source=source("m1", 700), recoverable=True),
        fact("two", GONE, source=source("m1", 700)),
        fact("three", GONE, source=source("m2", 50)),
        fact("four", GONE, source=None),
        fact("kept", source=source("m3", 9_000)),
    ]
    found = refetch(fates([lossy("a", facts), lossy("a", facts[:1], probe="q")]))
    assert (found.tokens, found.recoverable_tokens) == (750, 700)
    assert refetch(fates([lossy("a", facts), lossy("b", facts)])).tokens == 1_500


@given(runs())
def test_each_message_counts_once_for_case_and_trial(records):
    found = refetch(fates(records))
    lost = {
        (each["case"], each["trial"], one["source"]["message"]): one["source"]["tokens"]
        for each in records
        for one in each["facts"]
        if not one["survived"] and one["source"]
    }
    assert found.tokens == sum(lost.values())
    assert 0 <= found.recoverable_tokens <= found.tokens
