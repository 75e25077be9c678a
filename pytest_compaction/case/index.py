"""An index of case files: what collection needs of each content, found once and then kept."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from pytest_compaction.cache import Form, KeptResults
from pytest_compaction.case.case import Case, Origin, went_on
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
        """Whether the agent on record ended there; see :meth:`Case.went_on`."""
        return went_on([each.recorded for each in self.points], point)

    def as_json(self) -> dict[str, Any]:
        """The entry without its source, which is another one in another folder."""
        return {
            "id": self.id,
            "digest": self.digest,
            "task": self.task,
            "origin": self.origin,
            "points": [[point.id, point.recorded] for point in self.points],
            "probes": [[probe.id, probe.kind, probe.point] for probe in self.probes],
            **({"size": self.size} if self.size else {}),
            **({"project": self.project} if self.project else {}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], source: str) -> Self:
        """The entry that :meth:`as_json` made. Raises ``KeyError``, ``TypeError``, ``ValueError``
        for anything else."""
        return cls(
            id=str(data["id"]),
            digest=str(data["digest"]),
            task=str(data["task"]),
            origin=data["origin"],
            points=tuple(PointEntry(str(id), bool(recorded)) for id, recorded in data["points"]),
            probes=tuple(ProbeEntry(str(id), kind, int(at)) for id, kind, at in data["probes"]),
            source=source,
            size=str(data.get("size", "")),
            project=str(data.get("project", "")),
        )


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


INDEX_FOLDER: Final = Path(".pytest_compaction", "index")
INDEX_FILE: Final = "cases.sqlite"


@dataclass(frozen=True, slots=True)
class IndexedCase:
    """A case of a file: where it stands, and its entry, or the faults of a broken one."""

    place: Place
    found: CaseEntry | tuple[CaseFault, ...]

    def as_json(self) -> dict[str, Any]:
        """The entry as it is kept, which does not depend on the name of the file."""
        place = [self.place.start, self.place.size, self.place.line]
        if isinstance(self.found, CaseEntry):
            return {"place": place, "case": self.found.as_json()}
        faults = [[fault.pointer, fault.found, fault.expected] for fault in self.found]
        return {"place": place, "faults": faults}


class CaseIndex:
    """The entries of case files, kept in a folder; without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self._kept = KeptResults(folder and folder / INDEX_FILE)

    def find(self, key: str, source: str) -> tuple[IndexedCase, ...] | None:
        """The entry kept for a content; ``None`` if there is none that can be trusted."""
        return self._kept.find(key, _form_for(source))

    def add(self, key: str, cases: Sequence[IndexedCase]) -> None:
        """Keep what was found in a content."""
        self._kept.keep(key, _form_for(""), tuple(cases))

    def save(self) -> None:
        """Write what was added, and leave the file."""
        self._kept.close()


def _form_for(source: str) -> Form[tuple[IndexedCase, ...]]:
    """The form of entries of a file that is called so in this run."""
    return Form(
        lambda cases: [case.as_json() for case in cases],
        lambda kept: tuple(_indexed_case(item, source) for item in kept),
    )


def key_of(content: bytes, lines: bool) -> str:
    """What identifies a content in the index; ``lines`` says that each line is a case."""
    return f"case file, {lines}, {hashlib.sha256(content).hexdigest()}"


def _indexed_case(item: dict[str, Any], source: str) -> IndexedCase:
    start, size, line = (int(number) for number in item["place"])
    place = Place(start, size, line)
    if "case" in item:
        return IndexedCase(place, CaseEntry.from_json(item["case"], place.source(source)))
    return IndexedCase(place, tuple(CaseFault(*map(str, fault)) for fault in item["faults"]))
