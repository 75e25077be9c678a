"""Probes as benchmark items, and the work of the fixture ``judge``."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final, Self

import pytest

from pytest_compaction.case import CaseEntry, CaseFileError, Probe, ProbeEntry
from pytest_compaction.judges import REPORTED, Verdict
from pytest_compaction.records import (
    Record,
    Status,
    TextWriter,
    record_without_verdict,
    scored_record,
)
from pytest_compaction.run import Arm, PlannedProbe, Response, Trigger
from pytest_compaction.session.items.kinds import ARM, RECORD
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.settings import Settings
from pytest_compaction.text import printable

_TEXTS: Final = pytest.StashKey[TextWriter]()


@dataclass(frozen=True, slots=True)
class ProbeItem:
    """A probe of a case, measured with one strategy in one pytest item."""

    case: CaseEntry | CaseFileError
    probe: ProbeEntry | None
    arm: Arm | None

    @property
    def error(self) -> CaseFileError | None:
        return self.case if isinstance(self.case, CaseFileError) else None

    @property
    def parameters(self) -> tuple[Any, ...]:
        """Entries, of which the fixtures ``case`` and ``probe`` make their values."""
        return self.case, self.probe

    @property
    def mark(self) -> Mapping[str, Any]:
        details: dict[str, Any] = {"case": self.case.id}
        if isinstance(self.case, CaseEntry):
            details |= {"task": self.case.task, "origin": self.case.origin}
        if self.probe:
            details["kind"] = self.probe.kind
        if self.arm:
            details |= {"compactor": self.arm.compactor, "trial": self.arm.trial}
            if self.arm.budget is not None:
                details["budget"] = self.arm.budget
        return details

    @property
    def group(self) -> str:
        """The probes of one case share a compaction in each trial of each strategy."""
        arm = f"{self.arm.compactor}-{self.arm.budget}-{self.arm.trial}-" if self.arm else ""
        return f"{arm}{self.case.id}"

    @classmethod
    def planned(cls, session: BenchmarkSession, with_arms: bool) -> Iterator[tuple[str, Self]]:
        """Broken files, then all probes by case, compactor, budget, probe and trial."""
        for error in session.case_set.errors:
            yield f"broken-{error.id}", cls(error, None, None)
        settings = session.settings
        trials = range(1, settings.trials + 1)
        specs = sorted(session.specs, key=lambda spec: spec.text)
        for case in session.case_set.entries:
            if not with_arms:
                for probe in session.probes_of(case, None):
                    yield f"{case.id}-{probe.id}", cls(case, probe, None)
                continue
            for spec in specs:
                probes = session.probes_of(case, spec)
                budgets = settings.budgets_of(spec.text)
                for budget, probe, trial in product(budgets, probes, trials):
                    start = spec.slug if budget is None else f"{spec.slug}-b{budget}"
                    end = f"-t{trial}" if settings.trials > 1 else ""
                    arm = Arm(spec.text, trial, budget)
                    yield f"{start}-{case.id}-{probe.id}{end}", cls(case, probe, arm)

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self | None:
        case, probe, arm = (parameters.get(name) for name in ("case", "probe", ARM))
        if isinstance(case, CaseFileError):
            return cls(case, None, None)
        if not (isinstance(case, CaseEntry) and isinstance(probe, ProbeEntry)):
            return None
        return cls(case, probe, arm if isinstance(arm, Arm) else None)

    @classmethod
    def work_ahead(
        cls, session: BenchmarkSession, items: Sequence[tuple[Self, pytest.Item]], is_dealt: bool
    ) -> None:
        selected = [
            PlannedProbe(
                item.case.id,
                item.arm,
                item.probe.id,
                "judge" in getattr(node, "fixturenames", ()),
                is_dealt and _is_sure_to_run(node),
            )
            for item, node in items
            if item.probe and item.arm
        ]
        if selected:
            session.engine.select(selected)

    def finish(self, session: BenchmarkSession) -> None:
        if self.probe and self.arm:
            session.engine.finish(self.case.id, self.arm)

    def trigger(self, session: BenchmarkSession) -> Trigger:
        return session.trigger

    def measure(self, session: BenchmarkSession, judged: bool) -> None:
        if isinstance(self.case, CaseEntry) and self.probe and self.arm:
            case = session.case_set.case(self.case.id)
            probe = session.case_set.probe(self.case.id, self.probe.id)
            response = session.engine.compaction(case, self.arm).ask(probe)
            if judged:
                session.engine.verdict(response)

    def record_without_result(
        self, nodeid: str, status: Status, reason: str, settings: Settings
    ) -> Record | None:
        if not (isinstance(self.case, CaseEntry) and self.probe and self.arm):
            return None
        return record_without_verdict(
            nodeid, self.case, self.probe, self.arm, status, reason, settings
        )

    @staticmethod
    def figures(record: Record) -> Mapping[str, Any]:
        """Snapshot status, overall score, dimensions, and the overall score that does not lead."""
        found = {"snapshot": record.get("snapshot"), "overall": record["overall"]}
        found |= {
            f"{name}.overall": record[name]["overall"]
            for name in ("view", "answer")
            if name in record
        }
        if record["overall"] is not None:
            found |= record["dimensions"]
        return {name: value for name, value in found.items() if value is not None}

    @staticmethod
    def score(record: Record) -> str | None:
        return None if record["overall"] is None else f"{record['overall']:.1f}/5"


def judge_for(session: BenchmarkSession, node: pytest.Item) -> Callable[[Probe, Response], Verdict]:
    """The value of the ``judge`` fixture: scores a response and keeps the record of the item."""

    def judge(probe: Probe, response: Response) -> Verdict:
        if not isinstance(response, Response):
            raise TypeError(
                f"judge() got {type(response).__name__}; expected what compaction.ask() returned"
            )
        if probe != response.probe:
            raise ValueError(
                f"judge() got probe {probe.id!r} with the response to {response.probe.id!r}"
            )
        verdict = _within_budget(session.engine.verdict(response), response, session.settings)
        record = scored_record(node.nodeid, response, verdict, session.settings, session.prices)
        if any(point.recorded for point in response.case.points):
            from pytest_compaction.case_making import told_probes  # takes long to import

            record["point"] |= told_probes(response.case).get(probe.id, {})
        folder = node.config.rootpath / session.settings.runs
        texts = node.config.stash.setdefault(_TEXTS, TextWriter(folder))
        view = texts.hash_of(response)
        record["hashes"] |= {} if view is None else {"view": view}
        node.stash[RECORD] = record
        try:
            texts.write(response)
        except OSError as error:
            said = f"the view and the log of {node.name} cannot be kept beside the run: {error}"
            with warnings.catch_warnings():
                warnings.simplefilter("always")  # an item must not fail for what it cannot help
                node.warn(pytest.PytestWarning(printable(said)))
        return verdict

    return judge


def _within_budget(verdict: Verdict, response: Response, settings: Settings) -> Verdict:
    """The verdict, which does not pass if the view is over its budget and that is to fail it."""
    if settings.over_budget == "report" or not response.over_budget or verdict.overall is None:
        return verdict
    view, budget = response.held_tokens, response.budget
    said = f"the view takes {view:,} tokens, and its budget is {budget:,}"
    overall = f"overall {verdict.overall:.2f} does not count"
    return replace(verdict, over_budget=f"{said}\n  {overall}\n  {REPORTED}")


def _is_sure_to_run(node: pytest.Item) -> bool:
    """Whether no mark lets pytest leave an item out; conditions are looked at when it runs."""
    if node.get_closest_marker("skip") or node.get_closest_marker("skipif"):
        return False
    return all(mark.kwargs.get("run", True) for mark in node.iter_markers("xfail"))
