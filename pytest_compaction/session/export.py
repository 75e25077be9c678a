"""Writes the calls that the store lacks to files, in place of the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_compaction.case import CaseFileError
from pytest_compaction.models import (
    Call,
    ChatModel,
    CompactingModel,
    Endpoints,
    ExportError,
    ExportFolder,
    MissingCalls,
    Model,
    ModelError,
    NotRecordedError,
    Written,
)
from pytest_compaction.reports import Line, counted, estimate_lines, wrapped, write_lines
from pytest_compaction.run import CompactionError
from pytest_compaction.session.estimate import estimate
from pytest_compaction.session.items.collection import Selection, selected
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.text import printable


@dataclass(frozen=True, slots=True)
class Lack:
    """What the store lacks: the calls that can be made now, and the items that wait for more."""

    calls: tuple[Call, ...]
    waiting: int
    failures: tuple[str, ...] = ()


def lack_of(session: BenchmarkSession, endpoints: Endpoints, selected: Iterable[Selection]) -> Lack:
    """The calls that the selected items lack. Makes no call and writes nothing."""
    caller = MissingCalls(endpoints.caller)

    def model(real: Model, role: str) -> Model:
        if not isinstance(real, ChatModel):
            return real
        made = CompactingModel if role == "compaction" else ChatModel
        return made(real.name, caller, endpoints.tokens, endpoints.prompts)

    dry = session.with_models(model)
    waiting = 0
    failures: list[str] = []
    try:
        for one in selected:
            try:
                one.item.measure(dry, one.judged)
            except NotRecordedError:
                waiting += 1
            except (CaseFileError, CompactionError, ModelError) as error:
                failures.append(str(error))
    finally:
        dry.close()
    return Lack(caller.calls, waiting, tuple(failures))


class ExportOnly:
    """Writes the calls in place of the run."""

    def __init__(self, session: BenchmarkSession, endpoints: Endpoints | None, root: Path) -> None:
        self._session = session
        self._endpoints = endpoints
        self._root = root
        self._lines: list[Line] = []
        self._folder: ExportFolder | None = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Make the folder now, so that no work is lost for want of one."""
        calls = self._session.settings.calls
        if self._endpoints is None or session.config.getoption("collectonly"):
            return
        try:
            self._folder = ExportFolder.made(
                self._root / calls.export, self._root / calls.store, calls.export_plain
            )
        except ExportError as error:
            raise pytest.UsageError(f"--compaction-export: {error}") from None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.testsfailed or session.config.getoption("collectonly"):
            return None
        if self._endpoints is None or self._folder is None:
            said = "nothing is asked of an endpoint: all models of this run work offline"
            self._lines = [Line(said)]
            return True
        chosen = list(selected(session.items))
        lack = lack_of(self._session, self._endpoints, chosen)
        try:
            written = self._folder.write(lack.calls)
        except ExportError as error:
            raise pytest.UsageError(f"--compaction-export: {error}") from None
        if lack.calls:
            found = estimate(self._session, self._endpoints, chosen)
            if found.planned:
                self._lines += [*estimate_lines(found, self._endpoints.prices), Line("")]
        self._lines += self._stage(lack, written)
        for reason, count in Counter(lack.failures).most_common():
            text = f"{counted(count, 'item')} cannot be asked: {printable(reason, 300)}"
            self._lines += wrapped(text, "bad")
        for note in self._endpoints.accounts.notes:
            self._lines += wrapped(f"note: {note}", "bad")
        return True

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._lines:
            terminalreporter.section("compaction export")
            write_lines(terminalreporter, self._lines)

    def _stage(self, lack: Lack, written: Written) -> Iterator[Line]:
        """The requests of this export, and what to do with them."""
        calls = self._session.settings.calls
        if not lack.calls:
            yield from wrapped(
                "nothing is missing: run the same command with --compaction-replay in place of "
                "--compaction-export",
                "good",
            )
        else:
            roles = Counter(call.role for call in lack.calls)
            by_role = ", ".join(f"{roles[role]:,} {role}" for role in sorted(roles))
            yield Line(f"next: {counted(len(lack.calls), 'request')} ({by_role})", "bold")
        for file in written.files:
            what = f"{file.requests:,} for {file.model} ({file.operation}), {file.size / 1e6:,.1f}"
            yield Line(printable(f"  {calls.export}/{file.path.name}  {what} MB"))
        if written.files:
            given = "--plain" if calls.export_plain else "RESULTS.jsonl"
            yield from wrapped(
                f"put the replies into the store with: pytest-compaction answers {calls.export} "
                f"{given}; then export again, until nothing is missing (so far for "
                f"{counted(lack.waiting, 'item')})"
            )
        why = "batches do not take them"
        if calls.export_plain:
            why = (
                "what they ask (images, edits by the server, items that only the endpoint can "
                "read) cannot be said in plain text"
            )
        left_out = Counter((call.operation, call.model) for call in written.left_out)
        for (operation, model), count in left_out.items():
            yield from wrapped(
                f"{counted(count, 'request')} of {operation} to {printable(model, 80)} not "
                f"written: {why}; let a run ask the endpoint for them first, or leave out their "
                "strategy",
                "bad",
            )
