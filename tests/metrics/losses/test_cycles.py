"""Cycles of compaction: what each freed, and at which one a session was stuck."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.loss_records import event, lossy

from pytest_compaction.gate import decide, parse_threshold
from pytest_compaction.metrics import cycles_of, means, stuck_at

BUDGET = 6_000
"""The budget of the records of these tests."""


def session(*sizes, case="a", **changes):
    """A record with a compaction for each (before, after)."""
    events = [event(*pair, point=f"p{n}", **changes) for n, pair in enumerate(sizes, start=1)]
    return lossy(case, events=events)


def test_each_cycle_frees_a_share_of_its_view_and_the_least_is_told():
    found = cycles_of([session((10_000, 5_000), (8_000, 6_000))])
    assert (found.sessions, found.cycles) == (1, 2)
    assert found.freed.value == pytest.approx((0.5 + 0.25) / 2)
    assert found.least_freed == 0.25
    assert (found.stuck.value, found.until_stuck) == (0.0, None)


@pytest.mark.parametrize("last", [(7_000, 6_400), (20_000, 6_001), (9_000, 9_000), (9_000, 9_500)])
def test_a_session_is_stuck_where_a_cycle_frees_too_little_or_leaves_too_much(last):
    found = cycles_of([session((10_000, 5_000), last, (20_000, 1_000))])
    assert (found.stuck.value, found.until_stuck) == (1.0, 2)


def test_views_that_fit_or_hardly_grew_end_no_cycle():
    assert cycles_of([session((5_000, 5_000))]) is None
    assert cycles_of([session((10_000, 6_000), (6_300, 6_000))]).cycles == 1


def test_a_session_that_goes_on_to_its_end_counts_as_stuck_later():
    going = [session((10_000, 5_000), (10_000, 5_000), case=case) for case in "abc"]
    stuck = [session((10_000, 5_000), (10_000, 9_500), case=case) for case in "de"]
    found = cycles_of([*going, *stuck])
    assert found.stuck.value == 0.4
    assert found.until_stuck is None
    assert cycles_of([*going[:1], *stuck]).until_stuck == 2


def test_what_an_endpoint_keeps_to_itself_is_no_cycle():
    assert cycles_of([session((None, None), (10_000, 5_000))]) is None


def holds(records, rule):
    (check,) = decide(records, [parse_threshold(rule)], 0).checks
    return check.holds


def test_a_gate_can_ask_for_the_figures_and_a_run_without_cycles_has_none():
    going, stuck = session((10_000, 5_000)), session((10_000, 5_000), (10_000, 9_500))
    found = means([going])
    assert (found["freed"].value, found["stuck"].value) == (0.5, 0.0)
    assert holds([going], "stuck<=0%")
    assert means([stuck])["until_stuck"].value == 2
    assert not holds([stuck], "until_stuck>=3")
    assert not holds([going], "until_stuck>=3")
    assert "until_stuck" not in found
    assert not {"freed", "stuck"} & means([session((5_000, 4_000))]).keys()


def test_dollars_of_a_compaction_are_those_of_a_case_shared_by_its_compactions():
    paid = {"usd": {"compaction": 0.3}}
    probes = [session((10_000, 5_000), (10_000, 5_000)) | paid for _ in range(2)]
    assert means(probes)["usd"].value == pytest.approx(0.15)
    assert holds(probes, "usd<=0.2")
    assert "usd" not in means([session((10_000, 5_000))])
    assert "usd" not in means([session((10_000, 5_000)) | {"usd": {"compaction": None}}])


sizes = st.tuples(st.integers(1, 30_000), st.integers(0, 30_000), st.just(BUDGET))


@given(st.lists(sizes, max_size=8), sizes)
def test_a_further_cycle_never_changes_at_which_one_a_session_was_stuck(cycles, further):
    before, after = stuck_at(cycles), stuck_at([*cycles, further])
    assert after == before if before is not None else after in {None, len(cycles) + 1}


@given(st.lists(sizes, min_size=1, max_size=8))
def test_all_cycles_before_that_one_freed_a_tenth_within_the_budget(cycles):
    at = stuck_at(cycles)
    won = cycles if at is None else cycles[: at - 1]
    assert all(after <= BUDGET and before - after >= before / 10 for before, after, _ in won)
