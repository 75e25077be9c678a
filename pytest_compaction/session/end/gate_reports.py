"""The gate as tests: a report for each rule, made when all items have run.

So a rule is counted, stands in JUnit files and in IDEs, and the exit code is pytest's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

import pytest

from pytest_compaction.gate.baseline import BaselineDecision
from pytest_compaction.gate.decision import Check, Decision
from pytest_compaction.records.record import Record
from pytest_compaction.reports.lines import WIDTH, interval_text
from pytest_compaction.reports.summary.item_lines import what_was_dropped
from pytest_compaction.rubric import MAX_SCORE
from pytest_compaction.session.items.report import said_as_failure
from pytest_compaction.text.words import printable

RULES: Final = "compaction"
"""Stands where the file of a test does in the ids of rules, as in ``compaction::overall>=3.8``."""
UPDATE: Final = "baseline-update"
"""The rule that the run could be accepted as the new baseline."""
_NAME: Final = 44
"""Characters of an item that a failed rule names."""


class RuleError(AssertionError):
    """A rule of the gate does not hold, or could not be applied; the text says why."""


def is_rule(report: pytest.TestReport) -> bool:
    """Whether a report is of a rule and not of a test."""
    return report.nodeid.startswith(f"{RULES}::")


def baseline_reports(decision: BaselineDecision) -> list[pytest.TestReport]:
    """A report for each rule against a baseline; an error for one that could not be applied.

    A rule that is undecided and fails nothing is skipped, since it is neither passed nor failed.
    """
    undecided = {each.undecided.check.rule for each in decision.comparisons if each.undecided}
    return [
        *(
            _undecided(check) if check.holds and check.rule in undecided else _of_check(check)
            for check in decision.checks
        ),
        *(report for rule, why in decision.not_applied for report in error_reports([rule], why)),
    ]


def rule_reports(decision: Decision) -> list[pytest.TestReport]:
    """A report for each check."""
    return list(map(_of_check, decision.checks))


def passed_report(rule: str) -> pytest.TestReport:
    """A passed test that stands for what a run found in order without measuring anything."""
    return _report(rule, "passed")


def error_reports(rules: Iterable[str], why: str) -> list[pytest.TestReport]:
    """An error for each rule, with the reason why it decided nothing."""
    return [_report(rule, "failed", _said(f"{rule}: {why}"), when="setup") for rule in rules]


def send(session: pytest.Session, reports: Sequence[pytest.TestReport]) -> None:
    """Let pytest and its plugins take the reports as they take those of tests."""
    session.testscollected += len(reports)
    for report in reports:
        hook = session.config.hook
        hook.pytest_runtest_logstart(nodeid=report.nodeid, location=report.location)
        hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logreport(report=_report(_rule(report), "passed", when="teardown"))
        hook.pytest_runtest_logfinish(nodeid=report.nodeid, location=report.location)


def _undecided(check: Check) -> pytest.TestReport:
    reason = f"Skipped: undecided: {printable(check.text)}"
    return _report(check.rule, "skipped", (RULES, 0, reason))


def _of_check(check: Check) -> pytest.TestReport:
    if check.holds:
        return _report(check.rule, "passed")
    figure = check.text
    if check.interval is not None:
        figure += f", 95 % {interval_text(check.interval, limits=(0, MAX_SCORE))}"
    lines = [figure]
    details = check.details or map(_item, check.items, check.figures)
    head = "newly gone:" if check.rule.startswith("newly-gone") else "the items that weigh most:"
    lines += [head, *details] if check.details or check.items else []
    return _report(check.rule, "failed", _said("\n".join(lines)))


def _item(record: Record, figure: float | None) -> str:
    """An item with its figure and what was dropped, in one line."""
    name = f"{record['case']}-{record['probe']}"
    if record["trial"] > 1:
        name += f"-t{record['trial']}"
    score = "-" if figure is None else f"{figure:.2f}"
    start = f"  {score} {printable(name, _NAME)}"
    lost = what_was_dropped(record)
    return f"{start}: {printable(lost, WIDTH - len(start) - 2)}" if lost else start


def _said(text: str) -> object:
    return said_as_failure(RuleError(text))


def _report(
    rule: str,
    outcome: Literal["passed", "failed", "skipped"],
    longrepr: object = None,
    when: Literal["setup", "call", "teardown"] = "call",
) -> pytest.TestReport:
    name = printable(rule)
    return pytest.TestReport(
        f"{RULES}::{name}",
        (RULES, None, f"{name} "),  # pytest changes the points of a name that ends the id
        {name: 1},
        outcome,
        longrepr,  # type: ignore[arg-type]
        when,
    )


def _rule(report: pytest.TestReport) -> str:
    return report.location[2].strip()
