"""Which shipped strategies leave views over the budget of the shipped cases, and how far."""

import asyncio
from dataclasses import dataclass

from support.builders import COUNTER
from support.measuring import for_all_workers
from support.shipped import shipped

from pytest_compaction.compactors.protocol import Context
from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import parse_spec
from pytest_compaction.metrics.budgets import times
from pytest_compaction.models.offline.model import OfflineModel
from pytest_compaction.run.case_feeder import CaseFeeder
from pytest_compaction.run.triggers import Trigger

REGISTRY = Registry()
NOT_ALONE = {"none", "recorded", "openai-compact"}
"""The control, and what needs a compaction on record or an endpoint."""
FURTHER = (
    "anchored+ledger",
    "anchored+pins",
    "mask-observations+anchored",
    "cline:mode=agentic",
    "cline:mode=auto-condense",
    "cline:mode=classic",
    "continue:mode=cli",
    "roo:version=2",
)
"""Compositions of the pages, and modes that are strategies of their own."""
HARDENED = "profile=hardened"


def specs():
    """All strategies in their faithful profile, and those in the hardened one that have it."""
    names = sorted({*REGISTRY.names(), *FURTHER} - NOT_ALONE)
    return [*names, *filter(_exists, (f"{name}:{HARDENED}" for name in names))]


def _exists(spec):
    try:
        REGISTRY.create(parse_spec(spec))
    except Exception as error:
        if "profile" not in str(error):
            raise
        return False
    return True


@dataclass(frozen=True)
class Overrun:
    """How often the views of a strategy are over the budget, and the farthest one.

    ``failed`` counts those after a compaction that says that it failed.
    """

    views: int
    over: int
    failed: int
    cases: int
    furthest: float


def overrun(spec):
    """What a strategy does over all cases; one worker measures it for all."""
    return Overrun(**for_all_workers(f"overrun {spec}", lambda: asyncio.run(_measured(spec))))


async def _measured(spec):
    sizes = [found for case in shipped() for found in await _sizes(case, spec)]
    over = [found for found in sizes if found[1] > found[2]]
    return {
        "views": len(sizes),
        "over": len(over),
        "failed": sum(failed for *_, failed in over),
        "cases": len({case for case, *_ in over}),
        "furthest": max((view / budget for _, view, budget, _ in over), default=0.0),
    }


async def _sizes(case, spec):
    """Case, tokens, budget and whether the compaction failed, of each view at each point."""
    model = OfflineModel(COUNTER)
    compactor = REGISTRY.create(parse_spec(spec))
    context = Context(case.window, case.budget, COUNTER, model)
    feeder = CaseFeeder(case, compactor, context, Trigger("case"), 120.0)
    try:
        fed = await feeder.feed()
        found = []
        for number, (point, step) in enumerate(zip(fed.points, fed.steps, strict=True)):
            assert point.error is None, point.error
            sizes = [point.view_tokens]
            if feeder.needs_probe:
                asked = [probe.question for probe in case.probes if probe.point == number]
                views = [await feeder.rendered(point.state, number, each) for each in asked]
                sizes = [COUNTER.messages(view.messages) for view in views] or sizes
            failed = step.status == "failed"
            found += [(case.id, size, case.budget, failed) for size in sizes]
    finally:
        feeder.close()
    return found


def over_budget_block():
    """The strategies with a view over the budget, the one that is most often over first."""
    found = {spec: overrun(spec) for spec in specs()}
    over = {spec: each for spec, each in found.items() if each.over}
    rows = [
        "| strategy | views over budget | of them failed | cases | farthest |",
        "|---" * 5 + "|",
    ]
    for spec, each in sorted(over.items(), key=lambda row: (-row[1].over, row[0])):
        counted = f"{each.over} of {each.views}"
        cells = [f"`{spec}`", counted, str(each.failed), str(each.cases), times(each.furthest)]
        rows.append(f"| {' | '.join(cells)} |")
    faithful = [spec for spec in found if HARDENED not in spec]
    hardened = [spec for spec in found if HARDENED in spec]
    kept = [sum(spec not in over for spec in specs) for specs in (faithful, hardened)]
    return "\n".join(
        [
            f"Over the {len(shipped())} shipped cases no view is over its budget with "
            f"{kept[0]} of {len(faithful)} strategies in their default profile and {kept[1]} of "
            f"{len(hardened)} in the hardened one. The others are:",
            "",
            *rows,
        ]
    )
