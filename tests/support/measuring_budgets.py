"""What the shipped strategies make of the shipped cases: views over the budget, and refusals."""

import asyncio
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from support.builders import COUNTER
from support.measuring import for_all_workers, results_file
from support.paths import ROOT
from support.shipped import shipped

from pytest_compaction.cache import KeptResults
from pytest_compaction.compactors.protocol import Context
from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import parse_spec
from pytest_compaction.conversation import readable
from pytest_compaction.metrics import foreign_names, times
from pytest_compaction.models import OfflineModel
from pytest_compaction.run.feeder import CaseFeeder
from pytest_compaction.run.triggers import Trigger
from pytest_compaction.text import normalize

REGISTRY = Registry()
NOT_ALONE = {"none", "recorded", "openai-compact", "anthropic", "codex", "external"}
"""The control, and what needs a compaction on record an endpoint, or a program."""
FURTHER = (
    "anthropic:mode=client",
    "anchored+ledger",
    "anchored+pins",
    "mask-observations+anchored",
    "cline:mode=basic",
    "codex:mode=local",
    "continue:mode=cli",
    "hermes:mode=lean",
    "roo:version=1",
)
"""Compositions of the pages, and modes that are strategies of their own."""


def specs():
    """All strategies, and the modes and compositions of the pages."""
    return sorted({*REGISTRY.names(), *FURTHER} - NOT_ALONE)


@dataclass(frozen=True)
class Outcome:
    """How often the views of a strategy are over the budget, and the farthest one.

    ``failed`` counts those after a compaction that says that it failed. ``refused`` has the case
    and point of each such compaction, ``foreign`` the most names of a last view that its log lacks.
    """

    views: int
    over: int
    failed: int
    cases: int
    furthest: float
    refused: list
    foreign: int


def outcome(spec):
    """What a strategy does over all cases; one worker measures it for all."""
    return Outcome(**for_all_workers(f"outcome {spec}", lambda: asyncio.run(_measured(spec))))


async def _measured(spec):
    file = results_file()
    kept = KeptResults(file and Path(file))  # strategies ask for the same summaries
    try:
        found = [await _compacted(case, spec, kept) for case in shipped()]
    finally:
        kept.close()
    sizes = [size for views, _, _ in found for size in views]
    over = [size for size in sizes if size[1] > size[2]]
    return {
        "views": len(sizes),
        "over": len(over),
        "failed": sum(failed for *_, failed in over),
        "cases": len({case for case, *_ in over}),
        "furthest": max((view / budget for _, view, budget, _ in over), default=0.0),
        "refused": [each for _, refused, _ in found for each in refused],
        "foreign": max(foreign for *_, foreign in found),
    }


async def _compacted(case, spec, kept):
    """Case, tokens, budget and failure of each view; what was refused; names the log lacks."""
    model = OfflineModel(COUNTER, kept)
    compactor = REGISTRY.create(parse_spec(spec))
    per_question = getattr(compactor.traits, "needs_probe", False)
    context = Context(case.window, case.budget, COUNTER, model)
    feeder = CaseFeeder(case, compactor, context, Trigger("case"), 120.0)
    try:
        fed = await feeder.feed()
        # An error in the strategy leaves no step, and no view at the points from there on.
        assert [step.point for step in fed.steps] == [point.id for point in case.points]
        found, refused = [], []
        for number, (point, step) in enumerate(zip(fed.points, fed.steps, strict=True)):
            assert point.error is None, point.error
            asked = [probe.question for probe in case.probes if probe.point == number]
            questions = (asked if per_question else []) or [None]
            views = [await feeder.view(number, each) for each in questions]
            assert all(view.messages for view in views)
            sizes = [point.view_tokens]
            if per_question and asked and not compactor.traits.searches:
                sizes = [COUNTER.messages(view.messages) for view in views]
            failed = step.status == "failed"
            found += [(case.id, size, case.budget, failed) for size in sizes]
            refused += [(case.id, step.point)] if failed else []
    finally:
        feeder.close()
    return found, refused, foreign_names(views[-1].messages, _logs()[case.id]).count


@cache
def _logs():
    """The messages of each case, as names are looked for in them."""
    return {
        case.id: tuple(normalize(readable(message)) for message in case.messages)
        for case in shipped()
    }


OVER_BUDGET = ROOT / "pytest_compaction/compactors/base/over_budget.toml"
"""How often each strategy is over the budget, as `pytest --compactors` says it."""


def over_budget_file():
    """The content of that file, measured."""
    found = {spec: outcome(spec) for spec in specs()}
    points = sum(len(case.points) for case in shipped())
    # A strategy that reads the question has a view for each, which are no points.
    assert all(each.views == points or not each.over for each in found.values())
    rows = [f'"{spec}" = {each.over}' for spec, each in found.items()]
    return "\n".join(
        [
            "# At how many points of the shipped cases the view of a strategy takes more than its",
            "# budget, with rules as the model. Written by `support.readme_blocks over-budget`.",
            "",
            f"points = {points}",
            "",
            "[over]",
            *rows,
            "",
        ]
    )


def over_budget_block():
    """The strategies with a view over the budget, the one that is most often over first."""
    found = {spec: outcome(spec) for spec in specs()}
    over = {spec: each for spec, each in found.items() if each.over}
    rows = [
        "| strategy | views over budget | of them failed | cases | farthest |",
        "|---" * 5 + "|",
    ]
    for spec, each in sorted(over.items(), key=lambda row: (-row[1].over, row[0])):
        counted = f"{each.over} of {each.views}"
        cells = [f"`{spec}`", counted, str(each.failed), str(each.cases), times(each.furthest)]
        rows.append(f"| {' | '.join(cells)} |")
    kept = len(found) - len(over)
    return "\n".join(
        [
            f"Over the {len(shipped())} shipped cases no view is over its budget with {kept} of "
            f"{len(found)} strategies. The others are:",
            "",
            *rows,
        ]
    )
