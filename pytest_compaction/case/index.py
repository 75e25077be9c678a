"""An index of case files: what collection needs of each content, found once and then kept."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pytest_compaction.cache import DataclassJson, Form, KeptResults
from pytest_compaction.case.case import Case, Origin
from pytest_compaction.case.files import Place
from pytest_compaction.case.kinds import ProbeKind
from pytest_compaction.case.validation import CaseFault


@dataclass(frozen=True, slots=True)
class PointEntry:
    """A compaction point; ``recorded``: the case holds the agent's own view there."""

    id: str
    recorded: bool


@dataclass(frozen=True, slots=True)
class ProbeEntry:
    """A probe; ``point`` is the index of the compaction point after which it is asked."""

    id: str
    kind: ProbeKind
    point: int


@dataclass(frozen=True, eq=False)
class CaseEntry:
    """A case without its log and its facts; entries with equal id and digest are equal."""

    id: str
    digest: str
    task: str
    origin: Origin
    points: tuple[PointEntry, ...]
    probes: tuple[ProbeEntry, ...]
    source: str = ""
    size: str = ""
    project: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CaseEntry) and (self.id, self.digest) == (other.id, other.digest)

    def __hash__(self) -> int:
        return hash((self.id, self.digest))

    def __repr__(self) -> str:
        return f"<CaseEntry {self.id}: {len(self.probes)} probes>"

    def went_on(self, point: int) -> bool:
        """Whether the agent on record ended there with no compaction of its own.

        That is so at the last point without a record if the one before it has one. The
        record of that compaction is no view of the log that came after it.
        """
        ends = 0 < point == len(self.points) - 1
        return ends and self.points[point - 1].recorded and not self.points[point].recorded


def entry_of(case: Case) -> CaseEntry:
    """The entry of a parsed case."""
    return CaseEntry(
        id=case.id,
        digest=case.digest,
        task=case.task,
        origin=case.origin,
        points=tuple(PointEntry(point.id, bool(point.recorded)) for point in case.points),
        probes=tuple(ProbeEntry(probe.id, probe.kind, probe.point) for probe in case.probes),
        source=case.source,
        size=case.size,
        project=case.project,
    )


def with_all_points(entry: CaseEntry) -> CaseEntry:
    """The entry with a probe without a question for each point that has none."""
    asked, ids = {probe.point for probe in entry.probes}, {probe.id for probe in entry.probes}
    added = []
    for number, point in enumerate(entry.points):
        if number not in asked:
            id = f"next-{point.id}"
            while id in ids:
                id += "-next"
            ids.add(id)
            added.append(ProbeEntry(id, "continuation", number))
    return replace(entry, probes=(*entry.probes, *added)) if added else entry


INDEX_FOLDER: Final = Path(".pytest_compaction", "index")
INDEX_FILE: Final = "cases.sqlite"


@dataclass(frozen=True, slots=True)
class IndexedCase:
    """A case of a file: where it stands, and its entry, or the faults of a broken one."""

    place: Place
    found: CaseEntry | tuple[CaseFault, ...]

    def in_file(self, source: str) -> IndexedCase:
        """The same of a file that is called so in this run."""
        if not isinstance(self.found, CaseEntry):
            return self
        return replace(self, found=replace(self.found, source=self.place.source(source)))


ENTRIES: Final = DataclassJson(IndexedCase, CaseEntry, PointEntry, ProbeEntry, Place, CaseFault)
"""Entries as JSON."""
_FORM: Final[Form[tuple[IndexedCase, ...]]] = Form(ENTRIES.as_json, ENTRIES.from_json)


class CaseIndex:
    """The entries of case files, kept in a folder; without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self._kept = KeptResults(folder and folder / INDEX_FILE)

    def find(self, key: str, source: str) -> tuple[IndexedCase, ...] | None:
        """The entry kept for a content; ``None`` if there is none that can be trusted."""
        found = self._kept.find(key, _FORM)
        return None if found is None else tuple(each.in_file(source) for each in found)

    def add(self, key: str, cases: Sequence[IndexedCase]) -> None:
        """Keep what was found in a content."""
        self._kept.keep(key, _FORM, tuple(cases))

    def save(self) -> None:
        """Write what was added, and leave the file."""
        self._kept.close()


def key_of(content: bytes, lines: bool, bare: bool = False) -> str:
    """What identifies a content in the index; ``lines`` says that each line is a case.

    ``bare``: a case without probes is no broken one.
    """
    what = "case file without probes" if bare else "case file"
    return f"{what}, {lines}, {hashlib.sha256(content).hexdigest()}"
