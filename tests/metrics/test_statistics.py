"""pass^k, savings, survival: each against its definition."""

import itertools
import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.builders import as_messages, assistant, record, tool, unscored, user

from pytest_compaction.case import Fact
from pytest_compaction.metrics import (
    aggregate,
    cluster_interval,
    kept_by_dimension,
    loss,
    loss_counts,
    mean_pass_hat_k,
    overall_mean,
    pass_estimates,
    pass_hat_k,
    proportion_interval,
    read,
    removed_share,
    survival,
    token_totals,
    view_index,
)


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.integers(1, 7))
def test_pass_hat_k_is_the_share_of_k_subsets_that_all_pass(outcomes, k):
    assume(k <= len(outcomes))
    subsets = list(itertools.combinations(outcomes, k))
    share = sum(all(subset) for subset in subsets) / len(subsets)
    assert pass_hat_k(len(outcomes), sum(outcomes), k) == pytest.approx(share)


def test_the_mean_of_pass_hat_k_leaves_out_items_with_fewer_trials():
    assert mean_pass_hat_k([(2, 2), (2, 0), (1, 1)], 2) == 0.5
    assert mean_pass_hat_k([(1, 1)], 2) is None
    assert mean_pass_hat_k([], 1) is None
    assert pass_hat_k(3, 3, 4) is pass_hat_k(0, 0, 1) is None


@pytest.mark.parametrize(
    ("before", "after", "share"), [(100, 25, 0.75), (100, 100, 0), (100, 150, -0.5), (0, 10, 0)]
)
def test_the_share_removed_is_counted_from_before(before, after, share):
    assert removed_share(before, after) == share


def test_a_fact_survives_where_the_view_can_be_read():
    view = as_messages(
        [
            user("The limit is 45."),
            assistant(None, ("c1", "write_file", {"path": "src/lease/queue.py"})),
            tool("c1", "ValueError: lease expired"),
            {
                "role": "assistant",
                "content": [{"type": "thinking", "thinking": "the port is 8080"}],
            },
        ]
    )
    facts = [Fact(t) for t in ("limit 45", "lease/queue.py", "ValueError", "port 8080")]
    assert read(facts, (), view_index(view)).stated == (True, True, True, False)
    assert read(facts, (), view_index(())).stated == (False, False, False, False)


@pytest.mark.parametrize(
    "opened", ["Rejected, none of it is done:", "## Rejected", "## Rejected\n\n```sh\nmake"]
)
def test_what_one_message_leaves_open_says_nothing_of_the_next(opened):
    limit = Fact("the limit is 45", keys=(("limit",), ("45",)))
    view = as_messages([assistant(opened), user("- the limit is 45")])
    assert read([limit], (), view_index(view)).stated == (True,)
    alone = as_messages([assistant(f"{opened}\n```\n- the limit is 45")])
    assert read([limit], (), view_index(alone)).stated == (False,)


@pytest.mark.parametrize(
    ("survives", "used", "kind", "by_view"),
    [
        (True, True, None, None),
        (False, True, None, "dropped"),
        (True, False, "unused", "unused"),
        (False, False, "dropped", "dropped"),
    ],
)
def test_a_missing_fact_is_dropped_or_unused(survives, used, kind, by_view):
    assert loss(survives, used) == kind
    assert loss(survives, used, "view") == by_view


def test_losses_and_traps_are_counted_over_scored_records():
    facts = [
        {"text": "a", "survived": True, "used": True},
        {"text": "b", "survived": True, "used": False},
        {"text": "c", "survived": False, "used": False},
    ]
    traps = [{"text": "x", "hit": True}, {"text": "y", "hit": False}]
    counted = loss_counts(
        [record(facts=facts, traps=traps), record(facts=facts), unscored(facts=facts)]
    )
    assert (counted.facts, counted.dropped, counted.unused) == (6, 2, 2)
    assert (counted.traps, counted.hit) == (2, 1)


def test_facts_are_counted_by_what_the_leading_reading_made_of_them():
    facts = [
        {"text": name, "survived": view == "stated", "used": answer == "stated"}
        | {"view": view, "answer": answer}
        for name, view, answer in [
            ("a", "stated", "stated"),
            ("b", "stated", "absent"),
            ("c", "uncertain", "absent"),
            ("d", "contradicted", "stated"),
        ]
    ]
    by_view = loss_counts([record(facts=facts, reading="view")])
    assert by_view.outcomes == {"stated": 2, "uncertain": 1, "contradicted": 1}
    assert (by_view.dropped, by_view.unused) == (2, 1)
    by_answer = loss_counts([record(facts=facts, reading="answer")])
    assert by_answer.outcomes == {"stated": 2, "absent": 2}
    assert (by_answer.dropped, by_answer.unused) == (1, 1)


def test_the_second_figure_is_that_of_the_reading_that_does_not_lead():
    of_view = record(reading="view", overall=4.0, answer={"overall": 3.0})
    of_answer = record(reading="answer", overall=3.0, view={"overall": 4.0})
    assert [survival(r) for r in (of_view, of_answer, unscored())] == [4.0, 4.0, None]
    assert aggregate("anchored", [of_view]).second.value == 3.0
    assert aggregate("anchored", [of_answer]).second.value == 4.0
    assert aggregate("anchored", [record()]).second is None


def test_trials_of_one_item_make_pass_k():
    records = [
        record(probe=probe, trial=trial, status="passed" if passed else "failed")
        for probe, outcomes in {"p": (True, True, False), "q": (True, True, True)}.items()
        for trial, passed in enumerate(outcomes, start=1)
    ]
    estimates = pass_estimates([*records, unscored(probe="r")])
    assert estimates == {
        1: pytest.approx((2 / 3 + 1) / 2),
        2: pytest.approx((1 / 3 + 1) / 2),
        3: pytest.approx(0.5),
    }


def test_tokens_are_counted_once_a_case_and_trial():
    early, late = {"log": 500, "view": 80}, {"log": 1000, "view": 100}
    records = [
        record(probe="p", tokens=early),
        record(probe="q", tokens=late),
        record(probe="p", trial=2, tokens=late),
        record(case="b", status="error", tokens={}),
    ]
    tokens = token_totals(records)
    assert (tokens.before, tokens.after, tokens.removed) == (2000, 200, 0.9)


def test_items_without_a_score_that_is_a_number_do_not_enter_a_mean():
    known = [record(overall=4.0), record(case="b", overall=2.0)]
    odd = [record(case="c", overall=math.nan), record(case="d", overall=math.inf)]
    mean = overall_mean([*known, *odd, unscored(case="e")])
    assert (mean.value, mean.count, mean.cases) == (3.0, 2, 2)
    assert mean.interval == cluster_interval({"a": [4.0], "b": [2.0]})
    assert overall_mean([unscored(), *odd]) is None


def test_what_is_kept_is_compared_on_the_same_items():
    mine = [record(probe="p", overall=2.0), record(probe="q", overall=5.0), unscored(probe="r")]
    control = [
        record(compactor="none", probe="p", overall=4.0),
        record(compactor="none", probe="r", overall=5.0),
    ]
    kept = kept_by_dimension(mine, control)
    assert kept["overall"] == (4.0, 0.5)
    assert kept["accuracy"] == (4.0, 1.0)
    assert "artifact" not in kept
    assert kept_by_dimension(mine, []) == {}


def test_an_aggregate_counts_statuses_steps_and_views_over_budget():
    records = [
        record(probe="p", tokens={"log": 5000, "view": 1500}),
        record(probe="q", status="failed"),
        record(case="b", status="error", overall=None, dimensions={}, tokens={}, compaction={}),
        unscored(case="c"),
    ]
    figures = aggregate("anchored", records)
    assert figures.statuses == {"passed": 1, "failed": 1, "error": 1, "unscored": 1}
    assert (figures.items, figures.scored) == (4, 2)
    assert (figures.compactions, figures.steps) == (2, {"compacted": 2})
    assert figures.over_budget == 1
    assert "artifact" not in figures.dimensions


CASES = [f"c{number:02}" for number in range(8)]
HALF = [
    {"text": "a", "survived": True, "used": True},
    {"text": "b", "survived": False, "used": False},
]


def of_eight(name, score):
    return [
        record(
            case=case,
            probe=probe,
            compactor=name,
            overall=score + number % 3 / 10,
            status="passed" if number % 2 else "failed",
            facts=HALF,
            tokens={"log": 1000 + 100 * number, "view": 100, "summary": 50},
        )
        for number, case in enumerate(CASES)
        for probe in "pq"
    ]


def test_pass_1_has_wilsons_interval_and_the_value_that_is_shown():
    mean = aggregate("anchored", of_eight("anchored", 4.0)).passed
    flags = {case: [number % 2 == 1] * 2 for number, case in enumerate(CASES)}
    assert (mean.value, mean.count, mean.cases) == (0.5, 16, 8)
    assert mean.interval == proportion_interval(flags)
    assert aggregate("anchored", of_eight("anchored", 4.0)).passes == {1: mean.value}


def test_trials_of_an_item_count_as_one_item_of_pass_1():
    trials = [
        record(case=case, trial=trial, status="passed" if trial == 1 else "failed")
        for case in "ab"
        for trial in (1, 2, 3)
    ]
    found = aggregate("anchored", trials)
    assert found.passed.value == pytest.approx(found.passes[1])
    assert found.passed.count == 2


def test_the_share_removed_has_the_interval_of_a_ratio_of_tokens():
    removed = aggregate("anchored", of_eight("anchored", 4.0)).tokens.removed_mean
    logs = [1000 + 100 * number for number in range(8)]
    assert removed.value == pytest.approx(1 - 800 / sum(logs))
    low, high = removed.interval
    assert low < removed.value < high <= 1
    assert aggregate("anchored", [record(tokens={})]).tokens.removed_mean is None
