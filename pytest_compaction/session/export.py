"""Writes the calls that the store lacks to files, in place of the run."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from pytest_compaction.case import CaseFileError
from pytest_compaction.models import (
    Call,
    ChatModel,
    CompactingModel,
    Endpoints,
    Estimate,
    ExportError,
    ExportFolder,
    MissingCalls,
    Model,
    ModelError,
    NotRecordedError,
    Written,
)
from pytest_compaction.reports import WIDTH, Line, Style, estimate_lines, write_lines
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


_ROLES: Final = ("compaction", "responder", "reader", "judge")


class ExportOnly:
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
        found = estimate(self._session, self._endpoints, chosen) if lack.calls else Estimate(())
        self._lines = list(self._report(found, lack, written))
        return True

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._lines:
            terminalreporter.section("compaction export")
            write_lines(terminalreporter, self._lines)

    def _report(self, found: Estimate, lack: Lack, written: Written) -> Iterator[Line]:
        endpoints = self._endpoints
        if endpoints is not None and found.planned:
            yield from estimate_lines(found, endpoints.prices)
            yield Line("")
        yield from self._stage(lack, written)
        for call, count in _by_operation(written.left_out):
            yield from _wrapped(_cannot_be_sent(call, count, self._plain), "bad")
        for reason, count in Counter(lack.failures).most_common():
            text = f"{_counted(count, 'item')} cannot be asked: {printable(reason, 300)}"
            yield from _wrapped(text, "bad")
        for note in endpoints.accounts.notes if endpoints is not None else ():
            yield from _wrapped(f"note: {printable(note)}", "bad")

    @property
    def _plain(self) -> bool:
        return self._session.settings.calls.export_plain

    def _stage(self, lack: Lack, written: Written) -> Iterator[Line]:
        folder = self._session.settings.calls.export
        if not lack.calls:
            yield from _wrapped(
                "nothing is missing: run the same command with --compaction-replay in place of "
                "--compaction-export",
                "good",
            )
            return
        roles = Counter(call.role for call in lack.calls)
        counted = ", ".join(f"{roles[role]:,} {role}" for role in _ROLES if roles[role])
        yield Line(f"next: {_counted(len(lack.calls), 'request')} ({counted})", "bold")
        for file in written.files:
            shown = f"{folder}/{file.path.name}"
            yield Line(
                printable(
                    f"  {shown}  {file.requests:,} for {file.model} ({file.operation}), "
                    f"{file.size / 1e6:,.1f} MB"
                )
            )
        if written.files:
            given = "--plain" if self._plain else "RESULTS.jsonl"
            yield from _wrapped(
                f"put the replies into the store with: pytest-compaction answers {folder} {given}; "
                f"then export again, until nothing is missing (so far for "
                f"{_counted(lack.waiting, 'item')})"
            )


def _by_operation(calls: Sequence[Call]) -> list[tuple[Call, int]]:
    first: dict[str, Call] = {}
    for call in calls:
        first.setdefault(call.operation, call)
    counts = Counter(str(call.operation) for call in calls)
    return [(call, counts[operation]) for operation, call in first.items()]


def _cannot_be_sent(call: Call, count: int, plain: bool) -> str:
    why = (
        "what they ask (images, edits by the server, items that only the endpoint can read) "
        "cannot be said in plain text"
        if plain
        else "batches do not take them"
    )
    model = printable(call.model, 80)
    return (
        f"{_counted(count, 'request')} of {call.operation} to {model} not written: {why}; "
        "let a run ask the endpoint for them first, or leave out their strategy"
    )


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _wrapped(text: str, style: Style = "plain") -> Iterator[Line]:
    for line in textwrap.wrap(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False):
        yield Line(line, style)
