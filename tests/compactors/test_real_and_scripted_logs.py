"""Every shipped strategy compacts every shipped case; the lane of comparisons scores real ones."""

from pathlib import Path

import pytest
from support.measuring import all_cases, offline_settings

from pytest_compaction.compactors.registry import Registry
from pytest_compaction.conversation.messages import readable
from pytest_compaction.records.foreign_names import LEAST, foreign_names
from pytest_compaction.run.response import Arm
from pytest_compaction.session.resolve import resolve_session
from pytest_compaction.text.words import normalize

NOT_ALONE = {"recorded", "openai-compact"}
"""Strategies that need a compaction on record, or an endpoint."""
REFUSED = {
    "continue-prune": {("checkpoint_hierarchy", "p1")},
    "strands": {("float_pixels", "p1")},
}
"""Where a product fails too, by its source: too large a last message, or too few messages."""
STRATEGIES = sorted({*Registry().names()} - NOT_ALONE)


@pytest.fixture(scope="module")
def shipped():
    """A session with all strategies over the shipped cases."""
    here = Path(__file__).parent
    settings = offline_settings(compactors=tuple(STRATEGIES))
    session = resolve_session(settings, here, here, True, {}, {})
    yield session
    session.close()


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", STRATEGIES)
def test_a_strategy_compacts_every_shipped_case(shipped, name):
    refused = {}
    for case in all_cases(shipped):
        made = shipped.engine.compaction(case, Arm(name))
        # An error in the strategy leaves no step, and no view at the points from there on.
        assert [step.point for step in made.steps] == [point.id for point in case.points]
        assert all(made.view(number) for number in range(len(case.points)))
        log = "\n".join(normalize(readable(message)) for message in case.messages)
        foreign, _ = foreign_names(made.view(), log)
        assert len(foreign) < LEAST, foreign
        failed = [step for step in made.steps if step.status == "failed"]
        refused |= {(case.id, step.point): step.error for step in failed}
    assert shipped.case_set.entries
    assert set(refused) == REFUSED.get(name, set()), refused
