"""``adaptive`` compacts where the expected saving is positive after its own cost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.replaying import (
    Writer,
    a_dialogue,
    in_force,
    replay,
    strategy,
    summarised,
)

from pytest_compaction.compactors import Registry, Truncate, asks_model, parse_spec
from pytest_compaction.dialogues import Dialogue
from pytest_compaction.run import Trigger
from pytest_compaction.run.triggers import expected_saving

sizes = st.integers(0, 100_000)


@given(sizes, sizes, st.integers(0, 1000))
def test_adaptive_never_compacts_where_no_saving_is_to_be_expected(view, budget, turns):
    fires = Trigger("adaptive").fires(view, 1, (), None, budget, turns)
    saving = turns * (view - budget) - (view + budget)
    assert fires is (view > budget and saving > 0)
    assert fires is (expected_saving(view, budget, turns) > 0)


@given(sizes, sizes, st.integers(0, 1000))
def test_adaptive_charges_a_strategy_that_asks_no_model_nothing(view, budget, turns):
    fires = Trigger("adaptive").fires(view, 1, (), None, budget, turns, asks=False)
    assert fires is (view > budget and turns > 0)
    assert expected_saving(view, budget, turns, asks=False) == turns * max(view - budget, 0)


@pytest.mark.parametrize(
    ("name", "asks"),
    [
        ("none", False),
        ("truncate", False),
        ("mask-observations", False),
        ("cline:mode=basic", False),
        ("anchored", True),
        ("regenerate", True),
        ("openai-compact", True),
        ("truncate+ledger", False),
        ("mask-observations+anchored", True),
        ("replaying:last_only", False),
        ("replaying:summarised", True),
        ("mask-observations+replaying:summarised", True),
        ("mask-observations+replaying:last_only", False),
    ],
)
def test_whether_a_compaction_asks_a_model_is_known_of_every_strategy(name, asks):
    assert asks_model(Registry({}).create(parse_spec(name))) is asks


def test_adaptive_compacts_at_once_where_that_costs_nothing():
    adaptive = {"trigger": Trigger("adaptive"), "budget": 0.1}
    long = a_dialogue(8)
    free = replay(lambda name: Truncate(), long, **adaptive)
    paid = replay(strategy(summarised), long, compaction=Writer(), **adaptive)
    assert in_force(free).index(True) == 3, "the first view above the least budget"
    assert in_force(paid).index(True) > 3


@given(sizes, sizes, st.integers(0, 1000))
def test_more_turns_and_a_longer_view_never_speak_against_compacting(view, budget, turns):
    here = expected_saving(view, budget, turns)
    if view > budget:
        assert expected_saving(view, budget, turns + 1) > here
    if turns and view >= budget:
        assert expected_saving(view + 1, budget, turns) >= here


def test_adaptive_waits_until_compacting_pays_and_a_fixed_rule_does_not():
    long = Dialogue("CM_9", "CM", tuple(a_dialogue(4).turns[n % 3] for n in range(8)))
    adaptive = replay(strategy(summarised), long, compaction=Writer(), trigger=Trigger("adaptive"))
    fixed = replay(strategy(summarised), long, compaction=Writer(), trigger=Trigger("turns", 1))
    first = in_force(adaptive).index(True)
    assert first == 4
    assert in_force(fixed).index(True) == 1
    short = Dialogue("CM_8", "CM", long.turns[:4])
    paid = replay(strategy(summarised), short, compaction=Writer(), trigger=Trigger("adaptive"))
    assert in_force(paid) == [False] * 4
