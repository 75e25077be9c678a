"""A benchmark session: what the settings name, found and checked before the first item runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case.case import Case, Probe
from pytest_compaction.case.files import CaseFileError, CaseSet
from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import Spec
from pytest_compaction.dialogues.files import (
    DialogueSet,
)
from pytest_compaction.dialogues.replay import (
    Replayer,
    Rules,
    history_mode,
    trigger_for_dialogues,
)
from pytest_compaction.models.calls.prices import PriceTable
from pytest_compaction.models.registry import (
    Endpoints,
)
from pytest_compaction.run.engine import Engine
from pytest_compaction.run.response import Arm, Roles
from pytest_compaction.run.triggers import Trigger
from pytest_compaction.run.work_loop import WorkLoop
from pytest_compaction.session.gate import Threshold
from pytest_compaction.settings import Settings
from pytest_compaction.text.words import printable

PACKAGED: Final = Path(__file__).parents[1] / "benchmark"
PACKAGED_MODULE: Final = PACKAGED / "test_probes.py"


def shipped_cases() -> Path:
    """The case files that come with the package: in the wheel, or beside a source checkout."""
    inside = PACKAGED / "cases"
    return inside if inside.is_dir() else PACKAGED.parents[1] / "cases"


@dataclass(frozen=True)
class BrokenCase:
    """Stands in for a case file that cannot be used; its item fails with the error."""

    error: CaseFileError

    @property
    def id(self) -> str:
        """A slug of the file name."""
        name = Path(self.error.source.replace(":", "_")).name
        return "".join(ch if ch.isalnum() or ch in "._" else "_" for ch in name)


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of one item with its id."""

    id: str
    case: Case | BrokenCase
    probe: Probe | None
    arm: Arm | None

    @property
    def group(self) -> str:
        """Items with the same group share a compaction and stay on one worker."""
        arm = f"{self.arm.compactor}-{self.arm.trial}-" if self.arm else ""
        return f"{arm}{self.case.id}"


@dataclass(frozen=True)
class BenchmarkSession:
    """Everything a run needs, resolved: cases, strategies, models, gate."""

    settings: Settings
    case_set: CaseSet
    specs: tuple[Spec, ...]
    registry: Registry
    roles: Roles
    trigger: Trigger
    thresholds: tuple[Threshold, ...]
    folders: tuple[Path, ...]
    dialogue_set: DialogueSet = field(default_factory=DialogueSet)
    endpoints: Endpoints | None = None
    """What models behind an endpoint share; ``None`` when no role has one."""

    @cached_property
    def work_loop(self) -> WorkLoop:
        """The loop of this process on which models are asked, made when first needed."""
        workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        return WorkLoop(
            max(1, self.settings.concurrency // workers),
            self.endpoints.caller if self.endpoints else None,
        )

    @cached_property
    def engine(self) -> Engine:
        """The engine of this process, made when the first item needs it."""
        specs = {spec.text: spec for spec in self.specs}
        return Engine(
            self.roles,
            lambda name: self.registry.create(specs[name]),
            self.trigger,
            self.settings.pass_score,
            self.settings.timeout,
            self.work_loop,
        )

    @cached_property
    def replayer(self) -> Replayer:
        """Replays dialogues on the loop of this session."""
        specs = {spec.text: spec for spec in self.specs}
        named = self.settings.dialogues
        rules = Rules(
            trigger=trigger_for_dialogues(self.trigger),
            history=history_mode(named.history, self.roles.responder.name),
            trials=self.settings.trials,
            window=named.window,
            budget=named.budget,
            timeout=self.settings.timeout,
            pass_at=named.consistency,
        )
        return Replayer(
            self.roles, lambda name: self.registry.create(specs[name]), rules, self.work_loop
        )

    @property
    def prices(self) -> PriceTable | None:
        """The prices of the endpoint; none without one."""
        return self.endpoints.prices if self.endpoints else None

    @property
    def has_dialogues(self) -> bool:
        """Whether any dialogue file was named."""
        return bool(self.dialogue_set.dialogues or self.dialogue_set.errors)

    def close(self) -> None:
        """Stop the loop if it was ever started."""
        if "work_loop" in self.__dict__:
            self.work_loop.close()
        if self.endpoints is not None:
            self.endpoints.close()

    @cached_property
    def arms(self) -> tuple[tuple[str, Arm], ...]:
        """Each strategy in each trial, with its part of the item id."""
        return tuple(
            (spec.slug, Arm(spec.text, trial))
            for spec in self.specs
            for trial in range(1, self.settings.trials + 1)
        )

    def parameters(self, with_arms: bool = True) -> list[Parameters]:
        """The parameters of all items in order: compactor, case, probe, trial."""
        found: list[Parameters] = []
        for error in self.case_set.errors:
            broken = BrokenCase(error)
            found.append(Parameters(f"broken-{broken.id}", broken, None, None))
        if with_arms:
            for spec in sorted(self.specs, key=lambda spec: spec.text):
                for case in self.case_set.cases:
                    for probe in sorted(case.probes, key=lambda probe: probe.id):
                        found.extend(self._trials(spec, case, probe))
        else:
            found.extend(
                Parameters(f"{case.id}-{probe.id}", case, probe, None)
                for case in self.case_set.cases
                for probe in sorted(case.probes, key=lambda probe: probe.id)
            )
        return _with_unique_ids(found)

    def _trials(self, spec: Spec, case: Case, probe: Probe) -> Iterable[Parameters]:
        several = self.settings.trials > 1
        for trial in range(1, self.settings.trials + 1):
            name = f"{spec.slug}-{case.id}-{probe.id}" + (f"-t{trial}" if several else "")
            yield Parameters(name, case, probe, Arm(spec.text, trial))

    def header(self) -> dict[str, Any]:
        """The header line of the records: versions, settings, cases. No clock."""
        import importlib.metadata as metadata

        return {
            "versions": {
                name: metadata.version(name)
                for name in ("pytest", "pytest-compaction", "snowballstemmer", "tiktoken")
            },
            "settings": self.settings.as_json(),
            "cases": {case.id: case.digest for case in self.case_set.cases},
            **({"dialogues": self.dialogue_set.as_json()} if self.has_dialogues else {}),
            **({"prices": self.endpoints.prices.as_json()} if self.endpoints else {}),
        }

    def summary_line(self) -> str:
        """One line for pytest's header."""
        models = self.settings.models
        parts = [", ".join(self.settings.arms)]
        if self.case_set.cases or self.case_set.errors or not self.has_dialogues:
            probes = sum(len(case.probes) for case in self.case_set.cases)
            broken = f", {len(self.case_set.errors)} broken" if self.case_set.errors else ""
            parts.append(f"{len(self.case_set.cases)} cases{broken}, {probes} probes")
        if self.has_dialogues:
            parts.append(self._dialogues_line())
        parts += [
            f"model {', '.join(models)}",
            f"trigger {self.settings.trigger}",
            f"trials {self.settings.trials}",
        ]
        return printable(f"compaction: {' | '.join(parts)}")

    def _dialogues_line(self) -> str:
        named = self.settings.dialogues
        broken = len(self.dialogue_set.errors)
        trigger = trigger_for_dialogues(self.trigger)
        instead = f", trigger {trigger}" if trigger != self.trigger else ""
        return (
            f"{len(self.dialogue_set.dialogues)} dialogues"
            f"{f', {broken} broken' if broken else ''}"
            f" ({history_mode(named.history, self.roles.responder.name)} history, "
            f"budget {named.budget:.0%}{instead})"
        )


def _with_unique_ids(found: Sequence[Parameters]) -> list[Parameters]:
    """Ids that differ even where joining parts of two items gives the same text."""
    seen: dict[str, int] = {}
    unique: list[Parameters] = []
    for item in found:
        count = seen[item.id] = seen.get(item.id, 0) + 1
        id = item.id if count == 1 else f"{item.id}.{count}"
        unique.append(Parameters(id, item.case, item.probe, item.arm))
    return unique
