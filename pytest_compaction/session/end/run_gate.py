"""The gate of a session: its rules are decided and reported as tests once the items have run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_compaction.gate.baseline import BaselineDecision
from pytest_compaction.gate.decision import Decision, decide
from pytest_compaction.records.baselines.baseline_file import BaselineError
from pytest_compaction.records.record import Record, type_of
from pytest_compaction.records.runs.run_file import Run
from pytest_compaction.reports.gate_line import Failures, gate_line, no_gate_line
from pytest_compaction.reports.lines import Line
from pytest_compaction.reports.outlets.finished_run import Outcome
from pytest_compaction.session.end.gate_reports import (
    UPDATE,
    baseline_reports,
    rule_reports,
    send,
    skipped_reports,
    undecided_reports,
)
from pytest_compaction.session.session import BenchmarkSession

if TYPE_CHECKING:
    from pytest_compaction.session.end.baseline import SessionBaseline

STOPPED = "the run was stopped before all items ran"


class RunGate:
    """Thresholds and baseline of a session, and what they decided.

    ``decision`` is ``None`` until all items have run. ``accepted`` says that the run is the
    new baseline, or why it is not.
    """

    def __init__(self, session: BenchmarkSession, baseline: SessionBaseline | None) -> None:
        self._thresholds = session.thresholds
        self._settings = session.settings
        self.baseline = baseline
        self.decision: Decision | None = None
        self.against = BaselineDecision()
        self.accepted: Line | None = None

    def decide(self, session: pytest.Session, run: Run | None) -> None:
        """Decide, and report each rule as a test; without a record there is nothing to report."""
        records = run.records if run is not None else []
        self.decision = decide(records, self._thresholds, self._settings.max_unscored)
        if run is not None and records:
            send(session, rule_reports(self.decision))
            if self.baseline is not None:
                self._compare(session, self.baseline, run)

    def _compare(self, session: pytest.Session, baseline: SessionBaseline, run: Run) -> None:
        """Report each rule against the baseline, or accept the run as the new one."""
        if all(type_of(record) != "probe" for record in run.records):
            send(session, skipped_reports(baseline.rules()))
        else:
            self.against = baseline.decide(run.records)
        send(session, baseline_reports(self.against))
        if not baseline.settings.update:
            return
        try:
            self.accepted = Line(baseline.accept(run.header, run.records))
        except BaselineError as error:
            self.accepted = Line(f"baseline not updated: {error}", "bad")
            send(session, undecided_reports([UPDATE], str(error)))

    def leave_undecided(self, session: pytest.Session, records: Sequence[Record]) -> None:
        """Report an error for each rule that would have been decided."""
        why = f"undecided, {STOPPED}"
        if self.baseline is not None and records:
            rules = [UPDATE] if self.baseline.settings.update else self.baseline.rules()
            send(session, undecided_reports(rules, why))
        decision = decide(records, self._thresholds, 0)
        applied = {*decision.not_applied, *decision.not_measured}
        rules = [str(rule) for rule in self._thresholds if str(rule) not in applied]
        if decision.decides:
            send(session, undecided_reports(rules, why))

    def line(
        self, session: pytest.Session, records: Sequence[Record], failures: Failures
    ) -> Line | None:
        """What was decided, for the last line; ``None`` where nothing was to be decided."""
        settings = self._settings
        if self.decision is None:
            rules = decide(records, self._thresholds, settings.max_unscored)
            compares = self.baseline is not None and records
            if not rules.decides and not compares:
                return None
            ended = session.exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}
            return Line(f"GATE UNDECIDED {STOPPED if ended else 'the run did not finish'}", "bad")
        if not self.decision.decides and not self.against.decides:
            return no_gate_line(self.decision, records)
        limits = settings.pass_score, settings.dialogues.consistency
        return gate_line(self.decision, failures, records, *limits, self.against)

    def outcome(self, line: Line | None) -> Outcome:
        """What the gate said in its ``line``, in one word."""
        if line is None or line.style not in {"good", "bad"}:
            return "none"
        if self.decision is None:
            return "undecided"
        return "passed" if line.style == "good" else "failed"
