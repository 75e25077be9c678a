"""The gate of a session: its rules are decided and reported as tests once the items have run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import pytest

from pytest_compaction.gate import (
    BaselineDecision,
    Check,
    Decision,
    coverage_text,
    decide,
    planned_in,
)
from pytest_compaction.records import BaselineError, Record, Run
from pytest_compaction.reports import (
    UNDECIDED,
    WIDTH,
    Failures,
    Line,
    Outcome,
    gate_line,
    interval_text,
    is_undecided,
    what_was_dropped,
)
from pytest_compaction.rubric import MAX_SCORE
from pytest_compaction.session.items.report import said_as_failure
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.text import printable

if TYPE_CHECKING:
    from pytest_compaction.session.end.baseline import SessionBaseline


RULES: Final = "compaction"
"""Stands where the file of a test does in the ids of rules, as in ``compaction::overall>=3.8``."""
UPDATE: Final = "baseline-update"
_NAME: Final = 44


class RuleError(AssertionError):
    """A rule of the gate does not hold, or could not be applied; the text says why."""


def is_rule(report: pytest.TestReport) -> bool:
    return report.nodeid.startswith(f"{RULES}::")


def baseline_reports(decision: BaselineDecision) -> list[pytest.TestReport]:
    """A report for each rule against a baseline; an error for one that could not be applied."""
    undecided = {each.undecided.check.rule for each in decision.comparisons if each.undecided}
    return [
        *(
            rule_report(
                check.rule, "skipped", (RULES, 0, f"Skipped: undecided: {printable(check.text)}")
            )
            if check.holds and check.rule in undecided
            else _of_check(check)
            for check in decision.checks
        ),
        *(report for rule, why in decision.not_applied for report in error_reports([rule], why)),
    ]


def error_reports(rules: Iterable[str], why: str) -> list[pytest.TestReport]:
    """An error for each rule, with the reason why it decided nothing."""
    return [
        rule_report(rule, "failed", said_as_failure(RuleError(f"{rule}: {why}")), when="setup")
        for rule in rules
    ]


def send(session: pytest.Session, reports: Sequence[pytest.TestReport]) -> None:
    """Let pytest and its plugins take the reports as they take those of tests."""
    session.testscollected += len(reports)
    for report in reports:
        hook = session.config.hook
        hook.pytest_runtest_logstart(nodeid=report.nodeid, location=report.location)
        hook.pytest_runtest_logreport(report=report)
        rule = report.location[2].strip()
        hook.pytest_runtest_logreport(report=rule_report(rule, "passed", when="teardown"))
        hook.pytest_runtest_logfinish(nodeid=report.nodeid, location=report.location)


def _of_check(check: Check) -> pytest.TestReport:
    if check.holds:
        return rule_report(check.rule, "passed")
    figure = check.text
    if check.interval is not None:
        figure += f", 95 % {interval_text(check.interval, limits=(0, MAX_SCORE))}"
    lines = [figure]
    details = check.details or map(_item, check.items, check.figures)
    head = "newly gone:" if check.rule.startswith("newly-gone") else "the items that weigh most:"
    lines += [head, *details] if check.details or check.items else []
    return rule_report(check.rule, "failed", said_as_failure(RuleError("\n".join(lines))))


def _item(record: Record, figure: float | None) -> str:
    name = f"{record['case']}-{record['probe']}"
    if record["trial"] > 1:
        name += f"-t{record['trial']}"
    score = "-" if figure is None else f"{figure:.2f}"
    start = f"  {score} {printable(name, _NAME)}"
    lost = what_was_dropped(record)
    return f"{start}: {printable(lost, WIDTH - len(start) - 2)}" if lost else start


def rule_report(
    rule: str,
    outcome: Literal["passed", "failed", "skipped"],
    longrepr: object = None,
    when: Literal["setup", "call", "teardown"] = "call",
) -> pytest.TestReport:
    """The report of a test that stands for a rule, or for what a run found in order."""
    name = printable(rule)
    return pytest.TestReport(
        f"{RULES}::{name}",
        (RULES, None, f"{name} "),  # pytest changes the points of a name that ends the id
        {name: 1},
        outcome,
        longrepr,  # type: ignore[arg-type]
        when,
    )


STOPPED = "the run was stopped before all items ran"


class RunGate:
    """Thresholds and baseline of a session, and what they decided."""

    def __init__(
        self, session: BenchmarkSession, baseline: SessionBaseline | None, folder: Path
    ) -> None:
        self._folder = folder
        self._thresholds = session.thresholds
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
        run = run or Run(self._session.header())
        self.decision = self._decide(run.records)
        send(session, list(map(_of_check, self.decision.checks)))
        if (baseline := self.baseline) is None:
            return
        from pytest_compaction.session.end.baseline import read_by_this_reader

        update = baseline.settings.update
        if not update:
            self.baseline = baseline = read_by_this_reader(baseline, self._session)
        self.against = baseline.decide(run.records, run.header)
        send(session, baseline_reports(self.against))
        if update:
            uncompacted = self.decision.uncompacted
            try:
                said = baseline.accept(run.header, run.records, self._folder, uncompacted)
                self.accepted = Line(said)
            except BaselineError as error:
                self.accepted = Line(f"baseline not updated: {error}", "bad")
                send(session, error_reports([UPDATE], str(error)))

    def _decide(self, records: Sequence[Record]) -> Decision:
        settings = self._session.settings
        return decide(records, self._thresholds, settings.max_unscored, settings.with_budgets)

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
        """The decision for the last line; ``None`` where nothing was to be decided."""
        settings = self._session.settings
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
