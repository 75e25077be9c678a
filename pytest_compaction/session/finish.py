"""The end of a session: records written, summary printed, gate decided. Controller only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_compaction.dialogues.aggregates import is_dialogue_record
from pytest_compaction.judges.snapshots import REFUSED
from pytest_compaction.records.run_file import Record, RunWriter, make_folder
from pytest_compaction.reports.dialogue_summary import dialogue_summary
from pytest_compaction.reports.terminal import Line, summary
from pytest_compaction.reports.usage import Bill, agreement_lines, usage_lines
from pytest_compaction.session.gate import Decision, decide
from pytest_compaction.session.probe_items import record_of
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.text.words import printable

if TYPE_CHECKING:
    from pytest_compaction.session.snapshots.unused import Unused

_MARKUP: dict[str, dict[str, bool]] = {
    "plain": {},
    "bold": {"bold": True},
    "dim": {"light": True},
    "good": {"green": True},
    "bad": {"red": True},
}


class Closing:
    """Collects the records of a run and brings it to its end."""

    def __init__(self, session: BenchmarkSession, root: Path) -> None:
        self._session = session
        self._root = root
        self._writer: RunWriter | None = None
        self._other_failures: set[str] = set()
        self._unused: Unused | None = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Find out before the first item whether there is a place for the records."""
        if not session.config.getoption("collectonly"):
            try:
                make_folder(self._folder)
            except OSError as error:
                raise pytest.UsageError(
                    f"--compaction-runs={self._session.settings.runs}: cannot make this folder: "
                    f"{error.strerror or error}"
                ) from None

    @property
    def _folder(self) -> Path:
        return self._root / self._session.settings.runs

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep and write the record of an item; remember failures that are not about scores."""
        record = record_of(report)
        if record is not None:
            self._record(record)
        scored_below = (
            record is not None
            and record["status"] == "failed"
            and record.get("snapshot") not in REFUSED
        )
        if report.failed and not scored_below:
            self._other_failures.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A module that cannot be collected is a failure of its own."""
        if report.failed:
            self._other_failures.add(report.nodeid)

    def _record(self, record: dict[str, Any]) -> None:
        if self._writer is None:
            name = "-".join(spec.slug for spec in self._session.specs)
            safe = "".join(ch if ch.isalnum() or ch in "-._+=" else "_" for ch in name)[:60]
            self._writer = RunWriter(self._folder, safe, self._session.header())
        self._writer.add(record)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the summary of the run."""
        if terminalreporter.config.getoption("collectonly"):
            return
        records = self._writer.run.records if self._writer else []
        terminalreporter.section("compaction")
        order = [spec.text for spec in self._session.specs]
        dialogues = [record for record in records if is_dialogue_record(record)]
        probes = [record for record in records if not is_dialogue_record(record)]
        if probes or not dialogues:
            for line in summary(probes, order, self._session.settings.control):
                _write(terminalreporter, line)
        for line in dialogue_summary(dialogues, order) if dialogues else ():
            _write(terminalreporter, line)
        for line in (*agreement_lines(probes), *self._model_use(records)):
            _write(terminalreporter, line)
        self._unused = _unused_snapshots(terminalreporter.config)
        for text in self._unused.lines() if self._unused is not None else ():
            _write(terminalreporter, Line(text, "bad"))
        if self._writer is not None:
            path = self._writer.path
            shown = path.relative_to(self._root) if path.is_relative_to(self._root) else path
            _write(terminalreporter, Line(f"records: {shown}", "dim"))

    def _model_use(self, records: Sequence[Record]) -> list[Line]:
        """What models behind an endpoint took and cost; nothing when there were none."""
        endpoints = self._session.endpoints
        if endpoints is None:
            return []
        ledger = endpoints.accounts
        accounts = Bill(
            totals=ledger.totals(),
            notes=ledger.notes,
            prices=endpoints.prices.as_of,
            limit=self._session.settings.calls.max_cost,
            limit_reached=ledger.limit_reached,
            spent=ledger.spent(),
        )
        return usage_lines(records, accounts)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Any:
        """Decide the gate, set the exit code, and say so after everything else."""
        if self._writer is not None:
            self._writer.close()
        result = yield
        line = None if session.config.getoption("collectonly") else self._decided(session)
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        if line is not None and reporter is not None:
            _write(reporter, line)
        return result

    def _decided(self, session: pytest.Session) -> Line | None:
        records = self._writer.run.records if self._writer else []
        settings = self._session.settings
        decision = decide(records, self._session.thresholds, settings.max_unscored)
        if session.exitstatus not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
            said = "the run did not finish" if decision.decides else None
            return Line(f"GATE UNDECIDED {said}", "bad") if said else None
        if session.shouldfail or session.shouldstop:
            if decision.decides:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
                return Line("GATE UNDECIDED the run was stopped before all items ran", "bad")
            return None
        if not decision.decides:
            if decision.not_applied and not records:
                return Line("no gate: nothing was measured", "dim")
            if decision.not_measured:
                text = _not_measured(decision, records)
                return Line(printable(f"no gate: {text}"), "dim")
            if decision.not_applied:
                named = ", ".join(decision.not_applied)
                text = f"no gate: no strategy of this run is named in {named}"
                return Line(printable(text), "dim")
            return None
        if self._unused is None:  # no summary was printed
            self._unused = _unused_snapshots(session.config)
        passed = decision.passed and not self._other_failures and not self._unused_count
        session.exitstatus = pytest.ExitCode.OK if passed else pytest.ExitCode.TESTS_FAILED
        return self._verdict(decision, passed, records)

    @property
    def _unused_count(self) -> int:
        """Unused snapshots that fail a run, as they do where there is no gate."""
        return len(self._unused.names) if self._unused is not None and self._unused.fail else 0

    def _verdict(self, decision: Decision, passed: bool, records: Sequence[Record]) -> Line:
        shown = decision.checks if passed else [c for c in decision.checks if not c.holds]
        parts = [", ".join(check.text for check in shown)] if shown else []
        if self._other_failures:
            count = len(self._other_failures)
            parts.append(f"{count} failed for another reason than the score")
        if self._unused_count:
            what = "snapshot" if self._unused_count == 1 else "snapshots"
            parts.append(f"{self._unused_count} {what} unused")
        if decision.not_applied:
            parts.append(f"not applied, no such strategy: {', '.join(decision.not_applied)}")
        if decision.not_measured:
            parts.append(f"not applied, {_not_measured(decision, records)}")
        if passed:
            parts.append(self._below(records))
        word = "GATE PASSED" if passed else "GATE FAILED"
        return Line(printable(f"{word} {' · '.join(parts)}"), "good" if passed else "bad")

    def _below(self, records: Sequence[Record]) -> str:
        """How many items and dialogues fell short of what each of them should reach."""
        settings = self._session.settings
        failed = [record for record in records if record["status"] == "failed"]
        dialogues = sum(is_dialogue_record(record) for record in failed)
        parts = [f"{len(failed) - dialogues} items below {settings.pass_score:g}"]
        if any(is_dialogue_record(record) for record in records):
            parts.append(f"{dialogues} dialogues below {settings.dialogues.consistency:g}")
            if all(is_dialogue_record(record) for record in records):
                del parts[0]
        return ", ".join(parts)


def _unused_snapshots(config: pytest.Config) -> Unused | None:
    """What syrupy found to be unused; nothing where it takes no part in the run."""
    if getattr(config, "_syrupy", None) is None:
        return None
    from pytest_compaction.session.snapshots.unused import unused_snapshots

    return unused_snapshots(config)


def _not_measured(decision: Decision, records: Sequence[Record]) -> str:
    asked = any(not is_dialogue_record(record) for record in records)
    what = "dialogue was replayed" if asked else "probe was asked"
    return f"no {what}: {', '.join(decision.not_measured)}"


def _write(reporter: pytest.TerminalReporter, line: Line) -> None:
    reporter.write_line(line.text, **_MARKUP[line.style])
