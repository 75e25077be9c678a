"""A syrupy extension: where snapshots of verdicts lie, and which of them belong to a run.

``__snapshots__/<module>/<item>.judge.json`` lies beside the test module. Nothing is written
beside the packaged modules: their snapshots lie in the folder of the cases, or in the root
folder if the cases are outside of it.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any, Final, cast

import pytest
from syrupy.data import SnapshotCollections
from syrupy.extensions.base import AbstractSyrupyExtension
from syrupy.extensions.json import JSONSnapshotExtension
from syrupy.location import PyTestLocation
from syrupy.types import SnapshotIndex

from pytest_compaction.case.entries import CaseEntry
from pytest_compaction.judges.snapshots import Tolerance, has_moved, read_snapshot, snapshot_text
from pytest_compaction.session.items.collection import item_of
from pytest_compaction.session.items.probe import ProbeItem
from pytest_compaction.session.session import PACKAGED, BenchmarkSession

MAX_NAME: Final = 255
"""Bytes that a file name may have on common file systems."""
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
        """The folder of a test module's snapshots."""
        place = place_of(test_location.item)
        if place is None:
            return super().dirname(test_location=test_location)
        return str(place / cls.snapshot_dirname / test_location.basename)

    @classmethod
    def matches_test_location(
        cls, *, test_location: PyTestLocation, snapshot_location: str
    ) -> bool:
        """Whether a file belongs to an item, by its name and, if that is known, its folder."""
        path = Path(snapshot_location)
        elsewhere = not hasattr(test_location.item, "config")  # an item of another process
        if elsewhere or place_of(test_location.item) is None:
            packaged = Path(test_location.filepath).parent == PACKAGED
            if not packaged and not test_location.matches_snapshot_site(snapshot_location):
                return False
            if path.parent.name != test_location.basename:
                return False
        elif path.parent != Path(cls.dirname(test_location=test_location)):
            return False
        name = path.name.removesuffix(f".{cls.file_extension}")
        own = cls.get_snapshot_name(test_location=test_location)
        return name == own or name.startswith((f"{own}.", f"{own}["))

    def discover_snapshots(
        self, *, test_location: PyTestLocation, ignore_extensions: list[str] | None = None
    ) -> SnapshotCollections:
        """The files that this run uses or should have used, without those of other runs."""
        found = super().discover_snapshots(
            test_location=test_location, ignore_extensions=ignore_extensions
        )
        config = getattr(test_location.item, "config", None)
        if config is None or BENCHMARK not in config.stash:
            return found
        kept = SnapshotCollections()
        for collection in found:
            if is_of_this_run(config, Path(collection.location)):
                kept.add(collection)
        return kept


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


def _has_trial(trials: int, trial: object) -> bool:
    """Whether a run of ``trials`` trials has this one; only runs of several name the trial."""
    if trial is None:
        return trials == 1
    return isinstance(trial, int) and 1 < trials >= trial


def is_of_this_run(config: pytest.Config, location: Path) -> bool:
    """Whether a snapshot that this run does not use is used by no run at all.

    A snapshot of another strategy, of a trial beyond those of this run, of another shard, or
    of a case that this run leaves out may still be in use. A case that is gone differs from
    one left out by its folder: this run names that folder, or names no cases at all.
    """
    session = config.stash[BENCHMARK]
    try:
        snapshot = read_snapshot(location.read_text("utf-8", "replace"))
    except OSError:
        return False
    item = (snapshot or {}).get("item")
    if item is None:
        return True
    if session is None:
        return False
    settings = session.settings
    if item.get("compactor") not in (None, *settings.arms):
        return False
    if not _has_trial(settings.trials, item.get("trial")):
        return False
    if settings.shard is not None and not settings.shard.holds(str(item.get("case"))):
        return False
    if item.get("case") in [case.id for case in session.case_set.entries]:
        return True
    if session.case_set.errors:
        return False
    everything = config.getoption("compaction_cases") is None
    return everything or any(location.is_relative_to(folder) for folder in session.folders)
