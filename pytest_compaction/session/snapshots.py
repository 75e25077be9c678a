"""Judge snapshots: compare each verdict with the one that was accepted earlier."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

import pytest
from syrupy.assertion import AssertionResult, SnapshotAssertion
from syrupy.data import SnapshotCollections
from syrupy.extensions.base import AbstractSyrupyExtension
from syrupy.extensions.json import JSONSnapshotExtension
from syrupy.location import PyTestLocation
from syrupy.types import SnapshotIndex

from pytest_compaction.case import CaseEntry, Probe
from pytest_compaction.judges import (
    REFUSED,
    BelowPassScoreError,
    Snapshot,
    Tolerance,
    UnscoredError,
    Verdict,
    VerdictMovedError,
    has_moved,
    movements,
    read_snapshot,
    snapshot_of,
    snapshot_text,
)
from pytest_compaction.run import Response
from pytest_compaction.session.items.collection import item_of
from pytest_compaction.session.items.kinds import RECORD
from pytest_compaction.session.items.probe import ProbeItem
from pytest_compaction.session.session import PACKAGED, BenchmarkSession
from pytest_compaction.settings import SnapshotSettings
from pytest_compaction.text import printable

MAX_NAME: Final = 255
_ENCODED: Final = frozenset('\\/?*:|"<>%')
_LINE: Final = re.compile(r":\d+$")
_TAIL: Final = 8
BENCHMARK: Final = pytest.StashKey[BenchmarkSession | None]()
"""The benchmark of a run, which tells the snapshots of this run from others."""


class NoSnapshotError(ValueError):
    """There is nothing to take a snapshot of."""


class JudgeSnapshotExtension(JSONSnapshotExtension):
    """Files of verdicts, one per item, compared within a tolerance."""

    file_extension = "judge.json"
    tolerance = Tolerance()

    def serialize(self, data: Any, **_: Any) -> str:
        """The text of a snapshot; refuse anything else, even with ``--snapshot-update``."""
        if not isinstance(data, dict):
            raise NoSnapshotError("there is no verdict")
        return snapshot_text(data)

    def matches(self, *, serialized_data: Any, snapshot_data: Any) -> bool:
        """Whether the new verdict is within tolerance of the accepted one, which is then kept."""
        old, new = read_snapshot(snapshot_data), read_snapshot(serialized_data)
        return old is not None and new is not None and not has_moved(old, new, self.tolerance)

    def read_snapshot_data_from_location(
        self, *, snapshot_location: str, snapshot_name: str, session_id: str
    ) -> str | None:
        """The text of a file, with bytes that are not UTF-8 replaced."""
        try:
            return Path(snapshot_location).read_text("utf-8", "replace")
        except FileNotFoundError:
            return None

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: SnapshotIndex = 0) -> str:
        """The id of the item as a file name, unique and never too long."""
        raw = AbstractSyrupyExtension.get_snapshot_name(test_location=test_location, index=index)
        name = "".join(
            f"%{ord(ch):02X}" if ch in _ENCODED or not ch.isprintable() else ch for ch in raw
        )
        room = MAX_NAME - len(f".{cls.file_extension}")
        if len(name.encode()) <= room:
            return name
        kept = name.encode()[: room - _TAIL - 1].decode("utf-8", "ignore")
        return f"{kept}~{hashlib.sha256(raw.encode()).hexdigest()[:_TAIL]}"

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        place = place_of(test_location.item)
        if place is None:
            return super().dirname(test_location=test_location)
        return str(place / cls.snapshot_dirname / test_location.basename)

    @classmethod
    def matches_test_location(
        cls, *, test_location: PyTestLocation, snapshot_location: str
    ) -> bool:
        """Whether a file lies in the folder of a test's snapshots."""
        return Path(snapshot_location).parent == Path(cls.dirname(test_location=test_location))

    def discover_snapshots(self, **_: Any) -> SnapshotCollections:
        """None: a file that this run does not use may be of another strategy, case or shard."""
        return SnapshotCollections()


def place_of(item: Any) -> Path | None:
    """The folder of an item's snapshots; ``None`` if they lie beside its module."""
    config = getattr(item, "config", None)
    if config is None:
        return None
    root = cast("Path", config.rootpath)
    if item.path.parent != PACKAGED and item.path.is_relative_to(root):
        return None
    session, measured = config.stash.get(BENCHMARK, None), item_of(item)
    case = measured.case if isinstance(measured, ProbeItem) else None
    if session is None or not isinstance(case, CaseEntry):
        return root
    file = root / _LINE.sub("", case.source)
    for named in session.folders:
        if file.is_relative_to(named) and named.is_relative_to(root):
            return cast("Path", named if named.is_dir() else named.parent)
    return root


COMPARISON: Final = pytest.StashKey["SnapshotComparison"]()
_NO_VERDICT: Final = object()


@dataclass
class SnapshotComparison:
    """Compares the verdicts of one item with its snapshots."""

    node: pytest.Item
    assertion: SnapshotAssertion
    tolerance: Tolerance
    verdicts: list[Verdict] = field(default_factory=list)

    def compare(self, verdict: Verdict, name: str | None = None) -> None:
        """Compare a verdict, or accept it with ``--snapshot-update``."""
        item, details = item_of(self.node), dict[str, Any]()
        if isinstance(item, ProbeItem) and item.probe is not None:
            details = {"case": item.case.id, "probe": item.probe.id}
            if item.arm is not None:
                session = self.node.config.stash[BENCHMARK]
                details["compactor"] = item.arm.compactor
                if session is not None and session.settings.trials > 1:
                    details["trial"] = item.arm.trial
        try:
            snapshot = snapshot_of(verdict, details)
        except ValueError as error:
            self.pass_over()
            raise UnscoredError(f"unscored: {error}") from None
        extension = cast("JudgeSnapshotExtension", self.assertion.extension)
        extension.tolerance = self.tolerance
        asserted = self.assertion(name=name) if name else self.assertion
        accepted = bool(asserted == snapshot)
        result = self.assertion.executions[self.assertion.num_executions - 1]
        if accepted:
            self._note("accepted" if result.created or result.updated else "matched")
            return
        status, text = self._refused(snapshot, result)
        self._note(status)
        raise VerdictMovedError(text)

    def pass_over(self) -> None:
        """Leave the snapshot of an item without a verdict; syrupy counts a failure."""
        bool(self.assertion == _NO_VERDICT)

    def end(self) -> None:
        """Compare the verdicts that the test was given; pass over an item without any."""
        refused: list[str] = []
        if not self.verdicts:
            self.pass_over()
        for verdict in self.verdicts:
            try:
                self.compare(verdict)
            except VerdictMovedError as error:
                refused.append(str(error))
        if refused:
            raise VerdictMovedError("\n".join(refused))

    def _refused(self, snapshot: Snapshot, result: AssertionResult) -> tuple[str, str]:
        path = Path(result.snapshot_location)
        root = self.node.config.rootpath
        shown = path.relative_to(root) if path.is_relative_to(root) else path
        old = None if result.recalled_data is None else read_snapshot(str(result.recalled_data))
        overall = snapshot["overall"]
        if result.exception is not None:
            why = f"{type(result.exception).__name__}: {result.exception}"
            return "unusable", (
                f"the snapshot of this verdict cannot be kept: {printable(why, 200)}\n"
                f"  its place: {shown}"
            )
        if result.recalled_data is None:
            return "missing", (
                f"there is no snapshot of this verdict (overall {overall:.2f}) yet\n"
                f"  look at it, and accept it with --snapshot-update: {shown}"
            )
        if old is None:
            return "unusable", (
                "the snapshot of this verdict cannot be used: it is torn, or of another format\n"
                f"  restore it, or write it anew with --snapshot-update: {shown}"
            )
        within = f"{self.tolerance.overall:g} overall, {self.tolerance.criterion:g} per criterion"
        lines = [
            f"the verdict moved from its snapshot: {old['overall']:.2f} -> {overall:.2f} "
            f"(tolerated: {within})",
            *movements(old, snapshot),
            f"accept it with --snapshot-update: {shown}",
        ]
        return "moved", "\n  ".join(lines)

    def _note(self, status: str) -> None:
        """Keep the worst of an item's comparisons in its record."""
        record = self.node.stash.get(RECORD, None)
        if record is not None and record.get("snapshot") not in REFUSED:
            record["snapshot"] = status


class JudgeSnapshots:
    """``--compaction-judge-snapshots``: compares what the benchmark's judge gave to each item."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        """Compare after the test, so that a verdict below the pass score is compared too."""
        comparison = item.stash.get(COMPARISON, None)
        if comparison is None:
            return (yield)
        try:
            yield
        except BelowPassScoreError as below:
            try:
                comparison.end()
            except VerdictMovedError as moved:
                raise VerdictMovedError(f"{moved}\n{below}") from None
            raise
        except pytest.skip.Exception:
            raise
        except BaseException:
            with suppress(VerdictMovedError, UnscoredError):  # the test's own failure is shown
                comparison.end()
            raise
        comparison.end()
        return None


def comparison_for(
    request: pytest.FixtureRequest, session: BenchmarkSession | None, settings: SnapshotSettings
) -> SnapshotComparison:
    """The comparison for the ``judge_snapshot`` fixture; needs syrupy's ``snapshot`` fixture."""
    request.config.stash[BENCHMARK] = session
    assertion = request.getfixturevalue("snapshot").use_extension(JudgeSnapshotExtension)
    tolerance = Tolerance(settings.overall, settings.criterion)
    return SnapshotComparison(request.node, assertion, tolerance)


def watched(
    judge: Callable[[Probe, Response], Verdict],
    request: pytest.FixtureRequest,
    session: BenchmarkSession,
) -> Callable[[Probe, Response], Verdict]:
    """A judge whose verdicts are compared when the test has ended."""
    comparison = comparison_for(request, session, session.settings.snapshots)
    request.node.stash[COMPARISON] = comparison

    def watched_judge(probe: Probe, response: Response) -> Verdict:
        verdict = judge(probe, response)
        comparison.verdicts.append(verdict)
        return verdict

    return watched_judge
