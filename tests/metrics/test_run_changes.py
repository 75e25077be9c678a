"""What changed between two sets of records."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import unscored
from support.changed_runs import before, fact, lowered, scored

from pytest_compaction.metrics import adjusted_p, named_facts, run_changes


def test_nothing_changed_between_a_run_and_itself():
    changes = run_changes(before(), before())
    assert {name: found.value for name, found in changes.figures.items()} == dict.fromkeys(
        changes.figures, 0
    )
    assert len(changes.figures) == 7
    assert not (changes.facts.gone or changes.facts.regained or changes.losses)
    assert not (changes.new or changes.vanished or changes.unscored)
    none = run_changes([scored("a")], [scored("b")])
    assert (none.figures, none.items, none.kept, none.removed) == ({}, (), {}, (None, None))
    assert changes.kept == {"facts kept": (1, 1)}


def test_a_fact_that_only_the_first_view_states_is_gone_with_the_item_that_asked_for_it():
    kept, lost, won = fact("kept"), fact("lost", type="path"), fact("won", False)
    more = {"point": {"id": "late"}}
    one = scored("a", overall=4.0, facts=[kept, lost, won])
    other = scored(
        "a",
        overall=2.0,
        facts=[kept, fact("lost", False, type="path"), fact("won", **{"class": "number"})],
        **more,
    )
    changes = run_changes([one], [other])
    (gone,), (regained,) = changes.facts.gone, changes.facts.regained
    assert (gone.text, gone.case, gone.probe, gone.point, gone.kind) == (
        *("lost", "a", "p", "late", "path"),
    )
    assert (regained.text, regained.kind) == ("won", "number")
    assert changes.kept == {"facts kept": (2 / 3, 2 / 3)}
    assert [item.difference for item in changes.losses] == [-2.0]
    assert changes.cases == 1
    assert changes.figures["overall"].interval is None


def test_facts_of_the_same_text_are_told_apart_and_one_that_a_record_lacks_did_not_change():
    twice = [fact("45"), fact("45", False)]
    assert [name for name, _ in named_facts(twice)] == ["45", "45 (2)"]
    changes = run_changes([scored("a", facts=twice)], [scored("a", facts=[fact("45"), fact("45")])])
    assert [each.text for each in changes.facts.regained] == ["45 (2)"]
    changes = run_changes([scored("a", facts=[fact("old")])], [scored("a", facts=[fact("new")])])
    assert (changes.facts.gone, changes.facts.regained) == ((), ())


def test_items_that_cross_the_pass_score_are_named():
    first = [scored("a", "down", 4.0), scored("a", "up", 1.0), scored("a", "same", 4.0)]
    second = [scored("a", "down", 3.0), scored("a", "up", 4.0), scored("a", "same", 3.9)]
    changes = run_changes(first, second)
    assert [item.second["probe"] for item in changes.below] == ["down"]
    assert [item.second["probe"] for item in changes.recovered] == ["up"]
    assert [item.second["probe"] for item in changes.losses] == ["down", "same"]


def test_new_and_vanished_probes_and_items_without_a_score_are_said():
    first = [scored("a"), scored("a", "old"), scored("b"), unscored(case="c")]
    second = [scored("a"), scored("a", "new"), unscored(case="b"), scored("c")]
    changes = run_changes(first, second)
    assert changes.new == (("a", "new"),)
    assert changes.vanished == (("a", "old"),)
    assert changes.unscored == 2
    assert len(changes.items) == 1


def test_other_trials_and_budgets_are_other_items():
    first = [scored("a", trial=1), scored("a", trial=2, budget=1000)]
    second = [scored("a", trial=2), scored("a", trial=2, budget=1000, overall=3.0)]
    (item,) = run_changes(first, second).items
    assert (item.second["budget"], item.difference) == (1000, -1.0)


def test_p_values_are_corrected_for_the_dimensions_and_for_several_runs():
    one, two = run_changes(before(), lowered(0.4, 0.5)), run_changes(before(), lowered(0.2, 0.5))
    (alone,) = adjusted_p([one])
    both = adjusted_p([one, two])
    p = one.figures["overall"].paired.p
    assert alone["overall"] == p
    assert alone["accuracy"] == pytest.approx(min(6 * p, 1))
    assert both[0]["overall"] == pytest.approx(min(2 * p, 1))
    assert both[1]["overall"] >= two.figures["overall"].paired.p


@given(st.floats(0, 2), st.floats(0, 2))
def test_the_figures_are_the_means_of_both_and_turn_round_with_the_order(by, spread):
    one, other = before(), lowered(by, spread)
    changes, back = run_changes(one, other), run_changes(other, one)
    overall, reverse = changes.figures["overall"], back.figures["overall"]
    assert overall.second - overall.first == pytest.approx(overall.value)
    assert reverse.value == pytest.approx(-overall.value)
    assert (overall.paired.wins, overall.paired.losses) == (
        reverse.paired.losses,
        reverse.paired.wins,
    )
    assert {each.text for each in changes.facts.gone} == {each.text for each in back.facts.regained}
    by_case = changes.differences("overall")
    values = [value for group in by_case.values() for value in group]
    assert sum(values) / len(values) == pytest.approx(overall.value)
