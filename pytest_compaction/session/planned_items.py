"""What a run measures if nothing is left out: its probes, and how many items and cases."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_compaction.case.case_set import CaseSet
from pytest_compaction.case.index import CaseEntry, ProbeEntry
from pytest_compaction.compactors import Registry, Spec, Traits
from pytest_compaction.dialogues.files import DialogueSet
from pytest_compaction.gate import PlannedRun
from pytest_compaction.settings import Settings


def probes_of(case: CaseEntry, traits: Traits | None) -> list[ProbeEntry]:
    """The probes of a case that a strategy with these traits is asked, by id.

    One that replays the compactions on record is not asked what came after them.
    """
    needs_record = getattr(traits, "needs_record", False)
    probes = sorted(case.probes, key=lambda probe: probe.id)
    return [probe for probe in probes if not (needs_record and case.went_on(probe.point))]


def planned(
    settings: Settings,
    specs: Sequence[Spec],
    registry: Registry,
    found: CaseSet,
    dialogues: DialogueSet,
    left_out: int,
    shipped: bool,
) -> PlannedRun:
    """How many items and cases the whole run has, in whichever shard or process they run.

    ``left_out`` is the number of cases that were found and are not measured.
    """
    probes = sum(
        len(probes_of(case, traits)) * len(settings.budgets_of(spec.text))
        for spec in specs
        for traits in [registry.traits(spec)]
        for case in found.entries
    )
    cases = len(found.entries) + len(found.errors) + found.uncovered + left_out
    return PlannedRun(
        probes * settings.trials + len(specs) * len(dialogues.dialogues),
        cases + len(dialogues.dialogues) + len(dialogues.errors),
        shipped,
    )
