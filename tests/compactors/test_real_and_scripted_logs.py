"""Every shipped strategy compacts every shipped case."""

import pytest
from support.measuring_budgets import NOT_ALONE, REGISTRY, outcome

from pytest_compaction.metrics.foreign import LEAST

REFUSED = {
    "continue-prune": {("checkpoint_hierarchy", "p1")},
    "gemini-cli": {
        ("checkpoint_dedup", "p3"),
        *(("checkpoint_hierarchy", point) for point in ("p2", "p3")),
        ("guidance_file", "p2"),
        *(("line_attribution", point) for point in ("p2", "p6")),
        *(("seat_downgrade", point) for point in ("p2", "p3")),
    },
    "strands": {("float_pixels", "p1"), *(("sidebar_spacing", point) for point in ("p1", "p2"))},
}
"""Where a product fails too, by its source: too large a last message, too few messages, or no turn
of the user at which it could cut."""
STRATEGIES = sorted({*REGISTRY.names(), "anthropic:mode=client"} - NOT_ALONE)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", STRATEGIES)
def test_a_strategy_compacts_every_shipped_case(name):
    found = outcome(name)
    assert found.views > 0
    assert found.foreign < LEAST
    assert {tuple(each) for each in found.refused} == REFUSED.get(name, set())
