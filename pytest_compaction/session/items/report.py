"""What a benchmark item reports: its record, its outcome, and its failure in sentences."""

from __future__ import annotations

import dataclasses
import errno
from typing import Any, Final, cast

import pytest

from pytest_compaction.case import CaseFileError
from pytest_compaction.judges import (
    BelowPassScoreError,
    OverBudgetError,
    UnscoredError,
    VerdictMovedError,
)
from pytest_compaction.metrics import is_over_budget
from pytest_compaction.models import ChargedError, ModelError, NotRecordedError
from pytest_compaction.record import merged
from pytest_compaction.records import (
    Record,
    Status,
    spent_before,
    type_of,
    went_wrong_later,
    with_error,
)
from pytest_compaction.reports import WIDTH, fitted
from pytest_compaction.run import CompactionError, is_users
from pytest_compaction.secrets import scrubbed
from pytest_compaction.session.items.collection import item_of
from pytest_compaction.session.items.kinds import KINDS, RECORD
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.settings import Settings
from pytest_compaction.text import printable


def scrub_report(report: pytest.TestReport) -> None:
    """Replace every key in what a report shows: the failure, and the output that was captured."""
    report.sections[:] = [(title, scrubbed(text)) for title, text in report.sections]
    report.longrepr = _scrubbed_part(report.longrepr)


def _scrubbed_part(part: Any) -> Any:
    """A part of a failure's representation; what pytest made of objects is changed in place."""
    if isinstance(part, str):
        return scrubbed(part)
    if isinstance(part, tuple):
        return tuple(map(_scrubbed_part, part))
    if isinstance(part, list):
        part[:] = map(_scrubbed_part, part)
    elif dataclasses.is_dataclass(part) and not isinstance(part, type):
        for field in dataclasses.fields(part):
            # Not every part is made through its own initialisation.
            value = getattr(part, field.name, None)
            changed = _scrubbed_part(value)
            if changed is not value:
                object.__setattr__(part, field.name, changed)
    return part


_SAID: Final = pytest.StashKey[dict[tuple[Any, ...], str]]()
_WHOLE: Final = frozenset({"long", "native"})


def traceback_of(node: pytest.Item, failure: BaseException, lines: list[str]) -> Any:
    """The traceback of what the strategy raised, from its own code on, as pytest shows it."""
    style = node.config.getoption("tbstyle", "auto")
    whole = bool(node.config.getoption("fulltrace", False))
    cause = failure.__cause__
    if cause is None or cause.__traceback__ is None or not (whole or style in _WHOLE):
        return None
    info = pytest.ExceptionInfo.from_exception(cause)
    if not whole:
        places = [n for n, entry in enumerate(info.traceback) if is_users(str(entry.path))]
        info.traceback = info.traceback[places[0] :] if places else info.traceback
    shown: Any = info.getrepr(style=style if style in _WHOLE else "long", tbfilter=False)
    if shown.reprcrash is not None:
        shown.reprcrash.message = lines[0]
    shown.addsection("compaction", "\n".join(lines))
    return shown


SELF_EXPLANATORY_ERRORS: Final = (
    BelowPassScoreError,
    CaseFileError,
    CompactionError,
    ModelError,
    OverBudgetError,
    VerdictMovedError,
)
"""Errors whose text is for the user: shown without a traceback."""
_NO_MORE_FILES: Final = (errno.EMFILE, errno.ENFILE)
_WITH_A_VERDICT: Final = (
    BelowPassScoreError,
    OverBudgetError,
    UnscoredError,
    VerdictMovedError,
    pytest.skip.Exception,
)
"""What a test raises about its verdict: its record says so already."""
GATED: Final = pytest.StashKey[bool]()
_IDENTITY: Final = ("compactor", "case", "task", "probe", "kind", "trial", "budget")
_PROPERTY: Final = "compaction"
_BELOW: Final = "compaction.below"
"""The property of an item that is below the pass score without failing for it."""


def record_before_report(
    node: pytest.Item, call: pytest.CallInfo[None], session: BenchmarkSession
) -> Record | None:
    """The record of an item at the end of a phase; its figures go to JUnit."""
    item = item_of(node)
    failure = call.excinfo.value if call.excinfo is not None else None
    if item is None or item.arm is None or (call.when != "call" and failure is None):
        return None
    record = node.stash.get(RECORD, None)
    if failure is not None and not isinstance(failure, _WITH_A_VERDICT):
        reason = _said(failure) or f"{type(failure).__name__}: {failure}"
        if record is not None and call.when != "collect":
            # The first error is why the item is red; a later one must not hide it.
            record = record if went_wrong_later(record) else with_error(record, call.when, reason)
        else:
            status: Status = "unscored" if _left_unscored(failure) else "error"
            record = item.record_without_result(node.nodeid, status, reason, session.settings)
            if record is not None and isinstance(failure, ChargedError):
                record = merged(record, spent_before(failure, session.settings, session.prices))
    if record is None:
        return None
    node.stash[RECORD] = record
    if call.when != "teardown":
        identity = {n: record[n] for n in _IDENTITY if record.get(n) not in {None, ""}}
        figures = {"status": record["status"], **identity, **item.figures(record)}
        node.user_properties.extend((f"compaction.{name}", v) for name, v in figures.items())
    return record


def _said(failure: BaseException) -> str:
    """A failure in sentences for the user; empty for one that needs its traceback."""
    if isinstance(failure, OSError) and failure.errno in _NO_MORE_FILES:
        return (
            f"no file can be opened any more ({failure.strerror}): code that the run takes in "
            "holds all that a process may have; a strategy must close what it opens"
        )
    return str(failure) if isinstance(failure, SELF_EXPLANATORY_ERRORS) else ""


def _left_unscored(failure: BaseException | None) -> bool:
    """Whether a model gave no answer. A call missing from a replayed store is a failure."""
    return isinstance(failure, ModelError) and not isinstance(failure, NotRecordedError)


def finish_report(
    node: pytest.Item,
    call: pytest.CallInfo[None],
    report: pytest.TestReport,
    record: Record | None,
    session: BenchmarkSession,
) -> None:
    """Attach the record, and replace tracebacks by the sentence where that is enough."""
    if record is not None:
        report.user_properties.append((_PROPERTY, record))
    failure = call.excinfo.value if call.excinfo is not None else None
    unanswered = record is not None and _left_unscored(failure) and not went_wrong_later(record)
    if isinstance(failure, UnscoredError) or unanswered:
        path, line, _ = node.location
        report.outcome = "skipped"
        said = str(failure) if isinstance(failure, UnscoredError) else f"unscored: {failure}"
        report.longrepr = (path, line or 0, printable(said, 300))
    elif (
        isinstance(failure, BelowPassScoreError)
        and (session.settings.shard is not None or node.config.stash.get(GATED, False))
        and call.when in {"call", "teardown"}
        and report.failed
    ):
        report.outcome, report.longrepr = "passed", None
        report.user_properties.append((_BELOW, True))
    elif call.excinfo is not None and failure is not None and _said(failure):
        report.longrepr = _shown(node, call.excinfo, failure, record)
    elif call.when == "call" and report.passed and record is not None:
        fails = session.settings.over_budget == "fail" and record["status"] == "failed"
        if fails and is_over_budget(record):  # and its test has not asked whether it passes
            report.outcome = "failed"
            report.longrepr = said_as_failure(OverBudgetError(record["reason"]))


def _shown(
    node: pytest.Item,
    excinfo: pytest.ExceptionInfo[BaseException],
    failure: BaseException,
    record: Record | None,
) -> Any:
    """The failure in sentences; said in full by the first item of a case that fails with it."""
    text = _said(failure)
    if isinstance(failure, CompactionError) and record is not None:
        arm = tuple(record.get(name) for name in ("case", "compactor", "trial", "budget"))
        said = node.config.stash.setdefault(_SAID, {})
        if (first := said.setdefault((*arm, text), node.name)) != node.name:
            return in_sentences(excinfo, f"see {first}")
        if shown := traceback_of(node, failure, _safe_lines(text)):
            return shown
    return in_sentences(excinfo, text)


def said_as_failure(error: AssertionError) -> Any:
    """The text of an error as pytest keeps what a test raised."""
    try:
        raise error
    except AssertionError:
        return in_sentences(pytest.ExceptionInfo.from_current(), str(error))


def in_sentences(excinfo: pytest.ExceptionInfo[BaseException], text: str) -> Any:
    """The failure without a traceback; its first line stands for it in short summaries."""
    shown: Any = excinfo.getrepr(style="value", chain=False)
    lines = _safe_lines(text)
    shown.reprcrash.message = lines[0]
    shown.reprtraceback.reprentries[0].lines = lines
    return shown


def _safe_lines(text: str) -> list[str]:
    lines: list[str] = []
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip(" "))]
        safe = printable(line.strip())
        lines += fitted(indent + safe, WIDTH, "  ") if safe else []
    return lines


def fit_failure(report: object, width: int) -> None:
    """Wrap a failure in sentences to a terminal that is narrower than usual; for its display."""
    traceback = getattr(getattr(report, "longrepr", None), "reprtraceback", None)
    if width >= WIDTH or traceback is None:
        return
    for entry in traceback.reprentries:
        if entry.style == "value":
            entry.lines = [part for line in entry.lines for part in fitted(line, width, "  ")]


def record_of(report: pytest.TestReport) -> Record | None:
    for name, value in report.user_properties:
        if name == _PROPERTY and isinstance(value, dict):
            return cast(Record, value)
    return None


def hide_record(report: pytest.TestReport) -> None:
    """Take the record out of a report of a teardown once it is kept."""
    if report.when == "teardown":
        report.user_properties = [pair for pair in report.user_properties if pair[0] != _PROPERTY]


def is_below(report: pytest.TestReport) -> bool:
    return any(name == _BELOW for name, _ in report.user_properties)


def progress_of(
    report: pytest.TestReport, settings: Settings
) -> tuple[str, str, str | tuple[str, dict[str, bool]]] | None:
    """Category, letter and word for the progress display; ``None`` leaves them to pytest."""
    record = record_of(report)
    if record is None or report.when != "call":
        return None
    if record["status"] == "unscored" and report.skipped:
        return "unscored", "U", "UNSCORED"
    score = KINDS[type_of(record)].load().score(record)
    if is_below(report):
        least = (
            settings.pass_score if type_of(record) == "probe" else settings.dialogues.consistency
        )
        return f"below {least:g}", "b", (f"BELOW {score}", {"yellow": True})
    if score is None or report.outcome not in {"passed", "failed"}:
        return None
    return report.outcome, "." if report.passed else "F", f"{report.outcome.upper()} {score}"
