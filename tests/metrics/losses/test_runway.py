"""Runway: what a compaction leaves free, and for how many messages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.loss_records import WINDOW, event, lossy

from pytest_compaction.metrics import events_by_case, median_length, runway


def found(*events, case="a"):
    listed = events_by_case([lossy(case, events=list(events))])
    return runway([each for group in listed.values() for each in group])


def test_free_tokens_are_measured_against_the_window():
    seen = found(event(50_000, 10_000), event(60_000, 30_000, point="p2"))
    assert (seen.free.value, seen.least_free) == (80_000, 70_000)
    assert seen.share.value == 0.8
    assert (seen.peak_before, seen.peak_after) == (60_000, 30_000)
    assert found(event(200_000, WINDOW + 5_000)).least_free == -5_000


def test_a_runway_that_its_log_cuts_off_counts_as_longer_than_the_rest_of_it():
    cut = event(until_next=None, messages_left=40, point="p3")
    seen = found(event(until_next=20), event(until_next=30, point="p2"), cut)
    assert (seen.messages, seen.least_messages, seen.ended, seen.cut_off) == (30, 20, 2, 1)
    assert found(event(until_next=20), cut, cut).messages is None


def test_compactions_that_changed_nothing_have_no_runway():
    assert found(event(status="noop"), event(status="failed", after=None)) is None
    assert found(event(), event(90_000, status="noop", point="p2")).peak_before == 50_000


def test_what_an_endpoint_keeps_to_itself_is_left_out():
    unknown = event(None, None, None, until_next=None, messages_left=None)
    seen = found(unknown)
    assert (seen.free, seen.least_free, seen.messages, seen.cut_off) == (None, None, None, 0)


def test_each_compaction_counts_once_however_many_probes_list_it():
    early = lossy("a", events=[event()], probe="early")
    late = lossy("a", events=[event(), event(point="p2")], probe="late")
    listed = events_by_case([early, late, lossy("a", events=[event()], trial=2)])
    assert {key: [e.point for e in events] for key, events in listed.items()} == {
        ("a", 1): ["p1", "p2"],
        ("a", 2): ["p1"],
    }


@given(st.lists(st.integers(1, 50)), st.lists(st.integers(1, 50)))
def test_the_median_is_the_lower_one_and_cut_off_runways_never_shorten_it(ended, cut_off):
    with_all, alone = median_length(ended, cut_off), median_length(ended, [])
    assert alone == (sorted(ended)[(len(ended) - 1) // 2] if ended else None)
    if with_all is not None:
        assert with_all >= alone
    elif alone is not None:
        assert cut_off
    assert median_length([], [5]) is median_length([3, 5], [9, 9, 9]) is None
    assert median_length([3, 5, 7], [6]) == pytest.approx(5)
