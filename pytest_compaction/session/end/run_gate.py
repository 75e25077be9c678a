"""The gate of a session: its rules are decided and reported as tests once the items have run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_compaction.gate.baseline import BaselineDecision
from pytest_compaction.gate.coverage import coverage_text, planned_in
from pytest_compaction.gate.decision import Decision, decide
from pytest_compaction.records.baselines.baseline_file import BaselineError
from pytest_compaction.records.record import Record
from pytest_compaction.records.runs.run_file import Run
from pytest_compaction.reports.gate_line import UNDECIDED, Failures, gate_line, is_undecided
from pytest_compaction.reports.lines import Line
from pytest_compaction.reports.outlets.finished_run import Outcome
from pytest_compaction.session.end.gate_reports import (
    UPDATE,
    baseline_reports,
    error_reports,
    rule_reports,
    send,
)
from pytest_compaction.session.session import BenchmarkSession

if TYPE_CHECKING:
    from pytest_compaction.session.end.baseline import SessionBaseline

STOPPED = "the run was stopped before all items ran"


class RunGate:
    """Thresholds and baseline of a session, and what they decided.

    ``folder`` is that of the run. ``decision`` is ``None`` until all items have run.
    ``accepted`` says that the run is the new baseline, or why it is not.
    """

    def __init__(
        self, session: BenchmarkSession, baseline: SessionBaseline | None, folder: Path
    ) -> None:
        self._folder = folder
        self._thresholds = session.thresholds
        self._settings = session.settings
        self._arms = session.settings.with_budgets
        self._session = session
        self.baseline = baseline
        self.decision: Decision | None = None
        self.against = BaselineDecision()
        self.accepted: Line | None = None

    @property
    def is_undecided(self) -> bool:
        """Whether rules were given and nothing was decided."""
        has_rules = bool(self._thresholds) or self.baseline is not None
        return self.decision is None and has_rules

    def decide(self, session: pytest.Session, run: Run | None) -> None:
        """Decide, and report each rule as a test; a rule without a record does not hold."""
        self.decision = self._decide(run.records if run is not None else [])
        send(session, rule_reports(self.decision))
        if self.baseline is not None:
            found = run or Run(self._session.header())
            self._compare(session, self.baseline, found, self.decision.uncompacted)

    def _decide(self, records: Sequence[Record]) -> Decision:
        return decide(records, self._thresholds, self._settings.max_unscored, self._arms)

    def _compare(
        self,
        session: pytest.Session,
        baseline: SessionBaseline,
        run: Run,
        uncompacted: Sequence[str],
    ) -> None:
        """Report each rule against the baseline, or accept the run as the new one."""
        from pytest_compaction.session.end.baseline import read_by_this_reader

        if not baseline.settings.update:
            self.baseline = baseline = read_by_this_reader(baseline, self._session)
        self.against = baseline.decide(run.records, run.header)
        send(session, baseline_reports(self.against))
        if not baseline.settings.update:
            return
        try:
            self.accepted = Line(
                baseline.accept(run.header, run.records, self._folder, uncompacted)
            )
        except BaselineError as error:
            self.accepted = Line(f"baseline not updated: {error}", "bad")
            send(session, error_reports([UPDATE], str(error)))

    def leave_undecided(self, session: pytest.Session) -> None:
        """Report an error for each rule that would have been decided."""
        why = f"undecided, {STOPPED}"
        if self.baseline is not None:
            rules = [UPDATE] if self.baseline.settings.update else self.baseline.rules()
            send(session, error_reports(rules, why))
        send(session, error_reports(map(str, self._thresholds), why))

    def line(
        self, session: pytest.Session, records: Sequence[Record], failures: Failures
    ) -> Line | None:
        """What was decided, for the last line; ``None`` where nothing was to be decided."""
        settings = self._settings
        coverage = coverage_text(records, planned_in(self._session.header()))
        if self.decision is None:
            if not self._decide(records).decides and self.baseline is None:
                return None
            ended = session.exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}
            why = STOPPED if ended else "the run did not finish"
            return Line(f"{UNDECIDED} {why} · {coverage}", "bad")
        if not self.decision.decides and not self.against.decides:
            return None
        limits = settings.pass_score, settings.dialogues.consistency
        return gate_line(self.decision, failures, records, *limits, self.against, coverage)

    def outcome(self, line: Line | None) -> Outcome:
        """What the gate said in its ``line``, in one word."""
        if line is None or line.style not in {"good", "warning", "bad"}:
            return "none"
        if is_undecided(line):
            return "undecided"
        return "passed" if line.style == "good" else "failed"
