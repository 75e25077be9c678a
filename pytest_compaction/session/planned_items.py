"""What a run measures if nothing is left out: its probes, and how many items and cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_compaction.case.case_set import CaseSet
from pytest_compaction.case.entries import CaseEntry, ProbeEntry
from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import Spec
from pytest_compaction.dialogues.files import DialogueSet
from pytest_compaction.gate.coverage import Planned
from pytest_compaction.settings import Settings


def probes_of(
    spec: Spec, registry: Registry, cases: Sequence[CaseEntry]
) -> Iterator[tuple[CaseEntry, ProbeEntry]]:
    """The probes that a strategy is asked, by case and id.

    One that replays the compactions on record is not asked what came after them.
    """
    needs_record = getattr(registry.traits(spec), "needs_record", False)
    for case in cases:
        for probe in sorted(case.probes, key=lambda probe: probe.id):
            if not (needs_record and case.went_on(probe.point)):
                yield case, probe


def planned(
    settings: Settings,
    specs: Sequence[Spec],
    registry: Registry,
    found: CaseSet,
    dialogues: DialogueSet,
    left_out: int,
    shipped: bool,
) -> Planned:
    """How many items and cases the whole run has, in whichever shard or process they run.

    ``left_out`` is the number of cases that were found and are not measured.
    """
    probes = sum(
        sum(1 for _ in probes_of(spec, registry, found.entries))
        * len(settings.budgets_of(spec.text))
        for spec in specs
    )
    cases = len(found.entries) + len(found.errors) + found.uncovered + left_out
    return Planned(
        probes * settings.trials + len(specs) * len(dialogues.dialogues),
        cases + len(dialogues.dialogues) + len(dialogues.errors),
        shipped,
    )
