"""The end of a session: records, summary and gate. Runs only in the controlling process."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_compaction.folders import check_folder
from pytest_compaction.judges import REFUSED
from pytest_compaction.metrics import is_over_budget
from pytest_compaction.records import (
    Record,
    RunWriter,
    ShardEnd,
    figures_of,
    run_pricing,
    went_wrong_later,
)
from pytest_compaction.reports import (
    Bill,
    Failures,
    FinishedRun,
    Line,
    baseline_block,
    cause_lines,
    file_lines,
    left_out_lines,
    run_summary,
    usage_lines,
    with_finite_figures,
    worse_title,
    write_lines,
    write_unwrapped,
)
from pytest_compaction.secrets import scrubbed_json
from pytest_compaction.session.end.run_gate import (
    RunGate,
    error_reports,
    is_rule,
    rule_report,
    send,
)
from pytest_compaction.session.end.shard_end import deselected_by, ran_to_its_end, shard_line
from pytest_compaction.session.end.shown_failures import ShownFailures
from pytest_compaction.session.items.report import hide_record, is_below, record_of
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.session.unrun_items import lists_only
from pytest_compaction.text import printable

if TYPE_CHECKING:
    from pytest_compaction.session.end.baseline import SessionBaseline


RUN_FILE: Final = "run-file"


class RunRecorder:
    """Writes the records of a run, and at its end summary and gate."""

    def __init__(
        self,
        session: BenchmarkSession,
        root: Path,
        shown: ShownFailures,
        selected: tuple[str, ...],
        baseline: SessionBaseline | None,
    ) -> None:
        self._session = session
        self._gate = RunGate(session, baseline, root / session.settings.runs)
        self._shown = shown
        self._root = root
        self._part = replace(session.part, selected=selected) if session.part else None
        self._writer: RunWriter | None = None
        self._other_failures: set[str] = set()
        self._over_budget: set[str] = set()
        self._excused: set[str] = set()
        self._collected_nothing = False
        self._running: pytest.Session | None = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Try the folder for the records now, so that a run is not lost for want of one."""
        self._running = session
        if not lists_only(session.config):
            try:
                check_folder(self._folder)
            except OSError as error:
                raise pytest.UsageError(
                    f"--compaction-runs={self._session.settings.runs}: cannot write in this "
                    f"folder: {error.strerror or error}; free some room or name another folder"
                ) from None

    @property
    def _folder(self) -> Path:
        return self._root / self._session.settings.runs

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Report each rule of the gate as a test once the items have run."""
        runs = not lists_only(session.config)
        decides = self._part is None and runs
        try:
            result = yield
        except BaseException:
            if decides:
                self._gate.leave_undecided(session)
            raise
        if self._writer is not None and self._writer.problem is not None:
            self._writer.close()  # it tries once more to write what the file lacks
            if self._writer.missing:
                send(session, error_reports([RUN_FILE], self._lacks(self._writer)))
                self._other_failures.add(RUN_FILE)
        stopped = session.shouldfail or session.shouldstop
        if decides and stopped:
            self._gate.leave_undecided(session)
        elif self._part is not None and runs and not stopped:
            self._collected_nothing = not session.testscollected
            dealt = self._part.cases or self._part.dialogues
            if self._collected_nothing and (not dealt or deselected_by(session.config)):
                # A passed test, so that pytest ends green of itself.
                send(session, [rule_report(f"shard {self._part} is empty", "passed")])
        elif decides:
            self._gate.decide(session, self._writer.run if self._writer else None)
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if is_rule(report):
            return
        record = record_of(report)
        if record is not None:
            self._open().add(record)
            hide_record(report)
        # By its score alone, not by an error or a refused snapshot.
        by_score = (
            record is not None
            and record["status"] == "failed"
            and not went_wrong_later(record)
            and record.get("snapshot") not in REFUSED
        )
        if record is None or not by_score:
            if report.failed:
                self._other_failures.add(report.nodeid)
            return
        fails_over = self._session.settings.over_budget == "fail" and is_over_budget(record)
        if report.failed and fails_over:
            self._over_budget.add(report.nodeid)
        if report.failed or is_below(report):
            self._excused.discard(record["item"])
        else:
            self._excused.add(record["item"])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._other_failures.add(report.nodeid)

    def _open(self) -> RunWriter:
        if self._writer is None:
            name = "-".join(spec.slug for spec in self._session.specs)
            safe = "".join(ch if ch.isalnum() or ch in "-._+=" else "_" for ch in name)[:60]
            header = self._session.header()
            if self._part is not None:
                # The files of all shards come together in one folder.
                safe += f"-shard{self._part.index}of{self._part.count}"
                header["shard"] = self._part.as_json()
            self._writer = RunWriter(self._folder, safe, header)
        return self._writer

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if lists_only(terminalreporter.config):
            return
        records, settings = self._records, self._session.settings
        against, baseline = self._gate.against, self._gate.baseline
        if against.is_worse:
            terminalreporter.section(worse_title(against))
            write_lines(terminalreporter, baseline_block(against, settings.pass_score))
        else:
            self._shown.write(terminalreporter, settings.pass_score)
            terminalreporter.section("compaction")
            if records or settings.shard is None:
                verbose = terminalreporter.verbosity > 0
                tables = run_summary(
                    records,
                    [spec.text for spec in self._session.specs],
                    settings.control,
                    0 if self._shown.any_shown else self._shown.lowest(len(records), verbose),
                    verbose,
                    settings.tells_words,
                    run_pricing(settings.responder, records),
                )
                write_lines(terminalreporter, tables)
            write_lines(terminalreporter, self._model_use())
            write_lines(terminalreporter, left_out_lines(self._session.left_out))
        write_unwrapped(terminalreporter, self._rules_left_out())
        if baseline is not None:
            write_lines(terminalreporter, baseline.lines(against, self._file))
        if not against.is_worse:
            if self._gate.accepted is not None:
                write_lines(terminalreporter, [self._gate.accepted])
            write_lines(terminalreporter, self._shown.lines(terminalreporter, settings.pass_score))
            if self._file:
                write_unwrapped(terminalreporter, file_lines(self._file, records))
        writer = self._writer
        if writer is not None and writer.problem is not None:
            text = f"{self._lacks(writer)}; free some room or name another --compaction-runs, and "
            text += "run again"
            if not writer.missing:
                text = (
                    f"records: {self._file} holds all records but could not be completed: "
                    f"{_reason(writer)}; it lacks the tokens of the models' own tokenizers"
                )
            write_unwrapped(terminalreporter, [Line(printable(text), "bad")])

    @staticmethod
    def _lacks(writer: RunWriter) -> str:
        count = len(writer.run.by_item)
        lacks = f"{len(writer.missing)} of {count}" if writer.path is not None else f"all {count}"
        return f"{lacks} records could not be written: {_reason(writer)}"

    def _model_use(self) -> list[Line]:
        endpoints = self._session.endpoints
        if endpoints is None:
            return []
        accounts = endpoints.accounts
        bill = Bill(
            totals=accounts.totals(),
            notes=accounts.notes,
            prices=endpoints.prices.edition,
            limit=self._session.settings.calls.max_cost,
            limit_reached=accounts.limit_reached,
            spent=accounts.spent(),
            checks=accounts.checks,
        )
        return list(usage_lines(self._records, bill))

    def _rules_left_out(self) -> list[Line]:
        left_out, settings = self._session.rules_left_out, self._session.settings
        if not left_out:
            return []
        text = (
            f"threshold{'s' if len(left_out) > 1 else ''} of the configuration left out, for "
            f"strategies that are not in the run: {', '.join(left_out)}"
        )
        if not self._session.thresholds and not settings.baseline.path:
            text += f"; no rule is left, so items below {settings.pass_score:g} fail"
        return [Line(printable(text))]

    @property
    def _file(self) -> str:
        path = self._writer.path if self._writer is not None else None
        if path is None:
            return ""
        return str(path.relative_to(self._root) if path.is_relative_to(self._root) else path)

    @property
    def _records(self) -> list[Record]:
        return self._writer.run.records if self._writer else []

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Any:
        listed = lists_only(session.config)
        if self._part and not listed and ran_to_its_end(session):
            self._open()  # an empty shard has a file too
        if self._writer is not None:
            self._writer.close(self._figures)
        ended_green = session.exitstatus == pytest.ExitCode.OK
        if ended_green and self._part is None and not listed and self._gate.is_undecided:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED  # as pytest.exit(returncode=0) ends
        try:
            return (yield)
        finally:  # also after pytest.exit() in another plugin
            line = None if listed else self._decided(session)
            reporter = session.config.pluginmanager.get_plugin("terminalreporter")
            if reporter is not None and not listed:
                last = [*cause_lines(self._records), *([line] if line is not None else [])]
                write_unwrapped(reporter, last)

    @property
    def has_failed(self) -> bool:
        """Whether the gate of a whole run failed, whatever exit code others have set since."""
        session = self._running
        if session is None or self._part is not None or lists_only(session.config):
            return False
        line = self._decided(session)
        return line is not None and line.style == "bad"

    def finished(self, session: pytest.Session) -> FinishedRun:
        """The run as its reports show it. A shard decides nothing."""
        settings = self._session.settings
        line = None if self._part is not None else self._decided(session)
        header = self._session.header()
        if self._writer is not None:
            header = {**self._writer.run.header, "figures": scrubbed_json(self._figures)}
        return FinishedRun(
            name=self._file,
            header=header,
            records=with_finite_figures(self._records),
            order=tuple(spec.text for spec in self._session.specs),
            outcome=self._gate.outcome(line),
            line="" if line is None else line.text,
            decision=self._gate.decision,
            against=self._gate.against,
            complete=session.exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}
            and not (session.shouldfail or session.shouldstop),
            control=settings.control,
            pass_score=settings.pass_score,
            folder=self._folder,
        )

    @cached_property
    def _figures(self) -> dict[str, Any]:
        return figures_of(self._records)

    def _decided(self, session: pytest.Session) -> Line | None:
        over, unused = self._over_budget - self._other_failures, unused_snapshots(session.config)
        failures = Failures(len(self._other_failures), unused, len(over))
        part, writer, problem = self._part, self._writer, None
        if part is None:
            return self._gate.line(session, self._records, failures)
        if writer is not None and ran_to_its_end(session):
            end = ShardEnd(
                failures=tuple(sorted(self._other_failures | self._over_budget)),
                excused=tuple(sorted(self._excused)),
                snapshots=unused,
            )
            writer.close(part=part.ended(self._records, end).as_json())
            problem = writer.problem
        settings, nothing = self._session.settings, self._collected_nothing
        return shard_line(part, session, self._records, settings, failures, nothing, problem)


def _reason(writer: RunWriter) -> str:
    return (writer.problem and writer.problem.strerror) or str(writer.problem)


def unused_snapshots(config: pytest.Config) -> int:
    """Snapshots of other tests that nothing used, where syrupy fails the run for them."""
    session: Any = getattr(config, "_syrupy", None)
    report = getattr(session, "report", None)
    if report is None or getattr(report, "unused_detection_incomplete", False):
        return 0
    if getattr(session, "disable_unused_snapshots", False) or session.update_snapshots:
        return 0
    return 0 if session.warn_unused_snapshots else int(report.num_unused)
