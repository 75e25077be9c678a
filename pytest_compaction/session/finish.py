"""The end of a session: records, summary and gate. Runs only in the controlling process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_compaction.gate.decision import Decision, decide
from pytest_compaction.judges.snapshots import REFUSED
from pytest_compaction.metrics.production_loss import production_loss
from pytest_compaction.models.registry import is_offline
from pytest_compaction.records.figures import figures_of
from pytest_compaction.records.record import Record, type_of, went_wrong_later
from pytest_compaction.records.run_file import RunWriter, make_folder
from pytest_compaction.reports.dialogue_summary import dialogue_summary
from pytest_compaction.reports.lines import Line, write_lines
from pytest_compaction.reports.terminal import summary
from pytest_compaction.reports.usage import Bill, agreement_lines, usage_lines
from pytest_compaction.session.items.report import record_of
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.text.words import printable

if TYPE_CHECKING:
    from pytest_compaction.session.snapshots.unused import Unused


class RunRecorder:
    """Keeps the records of a run, prints its summary and decides its exit code."""

    def __init__(self, session: BenchmarkSession, root: Path) -> None:
        self._session = session
        self._root = root
        self._writer: RunWriter | None = None
        self._other_failures: set[str] = set()
        self._unused: Unused | None = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Make the folder for the records now, so that a run is not lost for want of one."""
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
        """Keep and write the record of an item; remember failures that no score explains."""
        record = record_of(report)
        if record is not None:
            self._record(record)
        scored_below = (
            record is not None
            and record["status"] == "failed"
            and not went_wrong_later(record)
            and record.get("snapshot") not in REFUSED
        )
        if report.failed and not scored_below:
            self._other_failures.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember a module that cannot be collected as a failure."""
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
        dialogues = [record for record in records if type_of(record) == "dialogue"]
        probes = [record for record in records if type_of(record) == "probe"]
        if probes or not dialogues:
            settings = self._session.settings
            grouped = is_offline(settings.model)
            lines = summary(probes, order, settings.control, grouped)
            write_lines(terminalreporter, lines)
        if dialogues:
            write_lines(terminalreporter, dialogue_summary(dialogues, order))
        write_lines(terminalreporter, agreement_lines(probes))
        write_lines(terminalreporter, self._model_use(records))
        self._unused = _unused_snapshots(terminalreporter.config)
        if self._unused is not None:
            write_lines(terminalreporter, (Line(text, "bad") for text in self._unused.lines()))
        if self._session.left_out:
            count = len(self._session.left_out)
            text = f"left out: {count} case{'s' if count > 1 else ''} without a recorded compaction"
            write_lines(terminalreporter, [Line(text, "dim")])
        if self._writer is not None:
            path = self._writer.path
            shown = path.relative_to(self._root) if path.is_relative_to(self._root) else path
            write_lines(terminalreporter, [Line(f"records: {shown}", "dim")])
            if production_loss(probes) is not None:
                text = f"what production lost, by type of fact: pytest-compaction report {shown}"
                write_lines(terminalreporter, [Line(text, "dim")])

    def _model_use(self, records: Sequence[Record]) -> list[Line]:
        """Tokens and costs of models behind an endpoint; empty when there were none."""
        endpoints = self._session.endpoints
        if endpoints is None:
            return []
        accounts = endpoints.accounts
        bill = Bill(
            totals=accounts.totals(),
            notes=accounts.notes,
            prices=endpoints.prices.as_of,
            limit=self._session.settings.calls.max_cost,
            limit_reached=accounts.limit_reached,
            spent=accounts.spent(),
        )
        return usage_lines(records, bill)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Any:
        """Decide the gate, set the exit code, and print the decision as the last line."""
        if self._writer is not None:
            self._writer.close(figures_of(self._writer.run.records))
        result = yield
        line = None if session.config.getoption("collectonly") else self._decided(session)
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        if line is not None and reporter is not None:
            write_lines(reporter, [line])
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
        """The number of unused snapshots that fail the run; syrupy fails it without a gate too."""
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
        """How many probes and dialogues are below the score at which they pass."""
        settings = self._session.settings
        failed = [record for record in records if record["status"] == "failed"]
        below = Counter(type_of(record) for record in failed)
        measured = {type_of(record) for record in records}
        parts = []
        if measured != {"dialogue"}:
            parts.append(f"{below['probe']} items below {settings.pass_score:g}")
        if "dialogue" in measured:
            parts.append(f"{below['dialogue']} dialogues below {settings.dialogues.consistency:g}")
        return ", ".join(parts)


def _unused_snapshots(config: pytest.Config) -> Unused | None:
    """The snapshots that syrupy found unused; ``None`` if syrupy takes no part in the run."""
    if getattr(config, "_syrupy", None) is None:
        return None
    from pytest_compaction.session.snapshots.unused import unused_snapshots

    return unused_snapshots(config)


def _not_measured(decision: Decision, records: Sequence[Record]) -> str:
    asked = any(type_of(record) == "probe" for record in records)
    what = "dialogue was replayed" if asked else "probe was asked"
    return f"no {what}: {', '.join(decision.not_measured)}"
