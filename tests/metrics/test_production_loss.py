"""What production compaction lost: which items count, and the shares of facts that survive."""

import pytest
from support.builders import record, unscored

from pytest_compaction.metrics import production_loss

P1 = {"id": "p1", "recorded": True}
END = {"id": "end", "recorded": False}


def facts(*states, type="value"):
    return [{"text": f"f{n}", "type": type, "survived": s} for n, s in enumerate(states)]


def item(compactor, case, states, probe="p", point=P1, tokens=100, **changes):
    return record(
        case,
        probe,
        compactor,
        point=point,
        facts=facts(*states, type=changes.pop("type", "value")),
        budget=changes.pop("budget", "recorded"),
        tokens={"log": 1000, "view": tokens, "summary": 0},
        **changes,
    )


def shares(lost):
    return {c.compactor: {t: m.value for t, m in c.shares.items()} for c in lost.columns}


def test_shares_are_of_facts_and_intervals_over_cases():
    lost = production_loss(
        [
            item("recorded", "a", [True, False, False, False]),
            item("recorded", "b", [True, True]),
            *(item("recorded", case, [True, False]) for case in "cdef"),
        ]
    )
    mean = lost.columns[0].shares["overall"]
    assert mean.value == 7 / 14
    assert (mean.count, mean.cases) == (14, 6)
    assert mean.interval is not None
    assert (lost.facts, lost.cases, lost.items) == ({"value": 14, "overall": 14}, 6, 6)


def test_types_are_apart_and_in_a_fixed_order():
    lost = production_loss(
        [
            item("recorded", "a", [True], type="next_step"),
            item("recorded", "a", [False, True], probe="q", type="error"),
            item("recorded", "a", [True], probe="r", type="value"),
        ]
    )
    assert list(lost.facts) == ["value", "error", "next_step", "overall"]
    assert shares(lost)["recorded"] == {"next_step": 1, "error": 0.5, "value": 1, "overall": 0.75}


def test_production_stands_first_then_the_best_and_the_control_last():
    records = [
        item("none", "a", [True, True, True], budget=None),
        item("anchored", "a", [True, True, False]),
        item("window", "a", [False, False, False]),
        item("recorded", "a", [True, False, False]),
        item("random", "a", [False, True, True]),
    ]
    lost = production_loss(records)
    assert [c.compactor for c in lost.columns] == [
        *("recorded", "anchored", "random", "window", "none"),
    ]
    assert lost.equal_tokens
    assert production_loss(records[::-1]) == lost
    others = [item("anchored", "b", [True], budget=None), item("recorded", "b", [True])]
    assert not production_loss(others).equal_tokens


def test_only_probes_asked_right_after_a_recorded_compaction_count():
    lost = production_loss(
        [
            item("recorded", "a", [True]),
            item("anchored", "a", [True]),
            item("anchored", "a", [False], probe="late", point=END),
            item("recorded", "b", [False], point=None),
        ]
    )
    assert (lost.cases, lost.items, lost.asked) == (1, 1, 1)
    assert shares(lost)["anchored"]["overall"] == 1


def test_strategies_are_compared_on_the_items_that_all_of_them_have():
    lost = production_loss(
        [
            item("recorded", "a", [True]),
            item("recorded", "b", [False]),
            item("anchored", "a", [True]),
            unscored(case="b", probe="p", compactor="anchored", point=P1, budget="recorded"),
            unscored(case="a", probe="p", compactor="window", point=P1, budget="recorded"),
        ]
    )
    assert shares(lost) == {
        "recorded": {"value": 1, "overall": 1},
        "anchored": {"value": 1, "overall": 1},
    }
    assert (lost.items, lost.asked, lost.absent) == (1, 2, ("window",))
    assert {c.compactor: c.unscored for c in lost.columns} == {"recorded": 0, "anchored": 1}


@pytest.mark.parametrize(
    "records",
    [
        pytest.param([], id="empty"),
        pytest.param([item("anchored", "a", [True])], id="no recorded"),
        pytest.param([item("recorded", "a", [True], point=END)], id="no record"),
        pytest.param(
            [unscored(case="a", compactor="recorded", point=P1), item("anchored", "a", [True])],
            id="unscored",
        ),
        pytest.param([item("recorded", "a", [])], id="no facts"),
        pytest.param([item("recorded", "a", [True]), item("anchored", "b", [True])], id="apart"),
        pytest.param([record("a", "p", "recorded", facts=facts(True))], id="older run"),
    ],
)
def test_without_production_there_is_nothing_to_compare(records):
    assert production_loss(records) is None


def test_the_tokens_are_those_of_each_view_once():
    late = {"id": "p2", "recorded": True}
    lost = production_loss(
        [
            item("recorded", "a", [True], tokens=100),
            item("recorded", "a", [True], probe="q", tokens=100),
            item("recorded", "a", [True], probe="r", tokens=400, point=late),
        ]
    )
    assert lost.columns[0].tokens == 250


def test_a_fact_of_several_trials_is_one_fact():
    trials = [item("recorded", "a", [True, False], trial=trial) for trial in (1, 2, 3)]
    lost = production_loss(trials)
    assert lost.facts == {"value": 2, "overall": 2}
    assert lost.items == 3
    assert lost.columns[0].shares["overall"].value == 0.5
