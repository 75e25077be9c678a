"""Items: their parameters, their fixtures' work, and how each one is reported."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import pytest

from pytest_compaction.case.case import Case, Probe
from pytest_compaction.case.files import CaseFileError
from pytest_compaction.judges.snapshots import VerdictMovedError
from pytest_compaction.judges.verdict import BelowPassScoreError, UnscoredError, Verdict
from pytest_compaction.models.protocol import ChargedError, ModelError, NotRecordedError
from pytest_compaction.records.records import (
    error_record,
    scored_record,
    spent_before,
    unscored_record,
)
from pytest_compaction.records.run_file import Record
from pytest_compaction.run.compaction import Compaction
from pytest_compaction.run.feeding import CompactionError
from pytest_compaction.run.response import Arm, Response
from pytest_compaction.session.session import BenchmarkSession, BrokenCase
from pytest_compaction.text.words import printable

ARM: Final = "compaction_arm"
PROPERTY: Final = "compaction"
_NOTHING: Final = "nothing-to-measure"
RECORD: Final = pytest.StashKey[Record]()
SAYS_ENOUGH: Final = (
    BelowPassScoreError,
    CaseFileError,
    CompactionError,
    ModelError,
    VerdictMovedError,
)
"""Errors whose text is for the user: shown without a traceback."""


def parametrize(metafunc: pytest.Metafunc, session: BenchmarkSession) -> None:
    """Give a test function its case, probe and, if it compacts, its strategy and trial."""
    with_arms = ARM in metafunc.fixturenames
    names = ("case", "probe", ARM) if with_arms else ("case", "probe")
    params = []
    for item in session.parameters(with_arms):
        values = (item.case, item.probe, item.arm)[: len(names)]
        params.append(
            pytest.param(*values, id=item.id, marks=_marks(item.case, item.probe, item.arm))
        )
    if session.has_dialogues and not params:
        params = [nothing(names)]
    metafunc.parametrize(names, params, scope="session")


def nothing(names: Sequence[str]) -> Any:
    """Parameters of the item that stands for a test over what the run has none of."""
    return pytest.param(*[None] * len(names), id=_NOTHING, marks=pytest.mark.compaction)


def stands_for_nothing(item: pytest.Item) -> bool:
    """Whether an item was made of :func:`nothing`; such items are not collected."""
    callspec = getattr(item, "callspec", None)
    return callspec is not None and _NOTHING in callspec.id


def _marks(case: Case | BrokenCase, probe: Probe | None, arm: Arm | None) -> list[Any]:
    details: dict[str, Any] = {"case": case.id}
    if isinstance(case, Case):
        details["task"] = case.task
    if probe:
        details["kind"] = probe.kind
    if arm:
        details |= {"compactor": arm.compactor, "trial": arm.trial}
    return [pytest.mark.compaction(**details)]


def restore_order(items: list[pytest.Item], collected: Sequence[pytest.Item]) -> None:
    """Put benchmark items back into the order in which they were collected.

    Pytest groups items by session parameters that are equal, which mixes up cases
    whose probes are alike. Other tests keep their places.
    """
    rank = {item: number for number, item in enumerate(collected)}
    places = [i for i, item in enumerate(items) if item.get_closest_marker("compaction")]
    ordered = sorted((items[i] for i in places), key=lambda item: rank.get(item, len(rank)))
    for place, item in zip(places, ordered, strict=True):
        items[place] = item


def parameters_of(item: pytest.Item) -> tuple[Any, Any, Any]:
    """Case, probe and arm of an item; ``None`` where it has none."""
    params: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
    return params.get("case"), params.get("probe"), params.get(ARM)


def select(session: BenchmarkSession, items: Iterable[pytest.Item]) -> None:
    """Tell the engine what will be asked, so that it can work ahead."""
    selected: dict[tuple[str, Arm], list[tuple[Probe, bool]]] = defaultdict(list)
    for item in items:
        case, probe, arm = parameters_of(item)
        if isinstance(case, Case) and isinstance(probe, Probe) and isinstance(arm, Arm):
            judged = "judge" in getattr(item, "fixturenames", ())
            selected[case.id, arm].append((probe, judged))
    if selected:
        session.engine.select(selected)


def compactor_for(session: BenchmarkSession, arm: Arm) -> Callable[[Case], Compaction]:
    """What the ``compactor`` fixture gives: compacts a case, once for all its probes."""

    def compactor(case: Case) -> Compaction:
        return session.engine.compaction(case, arm)

    return compactor


def judge_for(session: BenchmarkSession, node: pytest.Item) -> Callable[[Probe, Response], Verdict]:
    """What the ``judge`` fixture gives: scores a response and keeps the record of the item."""

    def judge(probe: Probe, response: Response) -> Verdict:
        if not isinstance(response, Response):
            raise TypeError(
                f"judge() got {type(response).__name__}; expected what compaction.ask() returned"
            )
        if probe != response.probe:
            raise ValueError(
                f"judge() got probe {probe.id!r} with the response to {response.probe.id!r}"
            )
        verdict = session.engine.verdict(response)
        record = scored_record(node.nodeid, response, verdict, session.settings, session.prices)
        node.stash[RECORD] = record
        return verdict

    return judge


def refuse_broken(item: pytest.Item) -> None:
    """Fail an item that stands for a case file that cannot be used."""
    case, _, _ = parameters_of(item)
    if isinstance(case, BrokenCase):
        raise case.error


def before_report(
    item: pytest.Item, call: pytest.CallInfo[None], session: BenchmarkSession
) -> Record | None:
    """The record of an item whose call has ended; flat properties go to JUnit."""
    case, probe, arm = parameters_of(item)
    if not (isinstance(case, Case) and isinstance(probe, Probe) and isinstance(arm, Arm)):
        return None
    record = item.stash.get(RECORD, None)
    failure = call.excinfo.value if call.excinfo is not None else None
    if call.when != "call" and failure is None:
        return None
    expected = isinstance(failure, BelowPassScoreError | UnscoredError | VerdictMovedError)
    if failure is not None and not expected and not isinstance(failure, pytest.skip.Exception):
        reason = f"{type(failure).__name__}: {failure}"
        if isinstance(failure, SAYS_ENOUGH):
            reason = str(failure)
        make = unscored_record if left_unscored(failure) else error_record
        record = make(item.nodeid, case, probe, arm, reason, session.settings)
        if isinstance(failure, ChargedError):
            record |= spent_before(failure, session.settings, session.prices)
    if record is None or call.when == "teardown":
        return record
    item.user_properties.append(("compaction.status", record["status"]))
    if "snapshot" in record:
        item.user_properties.append(("compaction.snapshot", record["snapshot"]))
    if record["overall"] is not None:
        item.user_properties.append(("compaction.overall", record["overall"]))
        for name, score in record["dimensions"].items():
            if score is not None:
                item.user_properties.append((f"compaction.{name}", score))
    return record


def left_unscored(failure: BaseException | None) -> bool:
    """Whether a model left an item without an answer; what a replay lacks is a failure."""
    return isinstance(failure, ModelError) and not isinstance(failure, NotRecordedError)


def finish_report(
    item: pytest.Item,
    call: pytest.CallInfo[None],
    report: pytest.TestReport,
    record: Record | None,
) -> None:
    """Attach the record and replace tracebacks by the sentence where that says enough."""
    if record is not None:
        report.user_properties.append((PROPERTY, record))
    failure = call.excinfo.value if call.excinfo is not None else None
    if isinstance(failure, UnscoredError) or (record is not None and left_unscored(failure)):
        path, line, _ = item.location
        report.outcome = "skipped"
        said = str(failure) if isinstance(failure, UnscoredError) else f"unscored: {failure}"
        report.longrepr = (path, line or 0, printable(said, 300))
    elif call.excinfo is not None and isinstance(failure, SAYS_ENOUGH):
        report.longrepr = in_sentences(call.excinfo, str(failure))


def in_sentences(excinfo: pytest.ExceptionInfo[BaseException], text: str) -> Any:
    """The failure without a traceback; its first line stands for it in short summaries."""
    shown: Any = excinfo.getrepr(style="value", chain=False)
    lines = _safe_lines(text)
    shown.reprcrash.message = lines[0]
    shown.reprtraceback.reprentries[0].lines = lines
    return shown


def _safe_lines(text: str) -> list[str]:
    """Lines that are safe on a terminal, wrapped to its usual width, with their indentation."""
    lines: list[str] = []
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip(" "))]
        lines += textwrap.wrap(
            printable(line.strip()),
            width=80,
            initial_indent=indent,
            subsequent_indent=indent + "  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    return lines


def record_of(report: pytest.TestReport) -> Record | None:
    """The record that a report carries."""
    for name, value in report.user_properties:
        if name == PROPERTY and isinstance(value, dict):
            return value
    return None


def status_of(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Category, letter and word for the progress display of a benchmark item."""
    record = record_of(report)
    if record is None or report.when != "call":
        return None
    if record["status"] == "unscored" and report.skipped:
        return "unscored", "U", "UNSCORED"
    if record.get("consistency") is not None and report.outcome in {"passed", "failed"}:
        letter = "." if report.passed else "F"
        return report.outcome, letter, f"{report.outcome.upper()} {record['consistency']:.2f}"
    if record["overall"] is not None and report.outcome in {"passed", "failed"}:
        letter = "." if report.passed else "F"
        return report.outcome, letter, f"{report.outcome.upper()} {record['overall']:.1f}/5"
    return None
