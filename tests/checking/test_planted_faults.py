"""Each planted fault is found by the item that is named after it, and by no other."""

import pytest
from support.builders import COUNTER
from support.planted import PLANTED, Loops, ReturnsList, Sound
from support.planted_conduct import Noted

from pytest_compaction.checking import INVARIANTS, Runner, SummaryCache, survey
from pytest_compaction.models import OfflineModel

EXAMPLES = 60
MORE = dict.fromkeys((Loops, ReturnsList), 200)
"""Faults that only show on a conversation that is rare."""
pytestmark = pytest.mark.exhaustive
MODEL = SummaryCache(OfflineModel(COUNTER))


def surveyed(strategy):
    count = MORE.get(strategy, EXAMPLES)
    return survey(Runner(strategy, MODEL, COUNTER), count)


def test_there_is_a_planted_fault_for_every_invariant_on_what_a_strategy_does():
    groups = {invariant.name: invariant.group for invariant in INVARIANTS}
    assert set(PLANTED) >= {name for name, group in groups.items() if group == "state"}


@pytest.mark.parametrize("strategy", [Sound, Noted])
def test_a_sound_strategy_breaks_nothing(strategy):
    found = surveyed(strategy)
    assert found.compactions > 40
    assert dict(found.breaches) == {}


@pytest.mark.parametrize(
    ("invariant", "strategy"),
    [(name, strategy) for name, strategies in PLANTED.items() for strategy in strategies],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_a_planted_fault_breaks_the_invariant_named_after_it_and_no_other(invariant, strategy):
    found = surveyed(strategy)
    assert found.compactions
    assert set(found.breaches) == {invariant}
