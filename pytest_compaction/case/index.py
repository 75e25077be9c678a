"""An index of case files: what collection needs of each content, found once and then kept.

One file for each content, named by a hash of it and of what decides whether it is sound. It
starts with a checksum of itself. A file of the index that is damaged is made again.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import Any, Final, Self

from pytest_compaction.case.case import Case, Origin, went_on
from pytest_compaction.case.files import Place
from pytest_compaction.case.kinds import ProbeKind
from pytest_compaction.case.validation import CaseFault
from pytest_compaction.conversation import canonical_json
from pytest_compaction.folders import make_folder


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
MAX_FILES: Final = 1000
"""Beyond as many files, the oldest that a run does not use are removed."""
_FORMAT: Final = 1
_ROOMS: Final = ("case", "conversation", "text")
_PACKAGES: Final = ("jsonschema", "pytest-compaction", "snowballstemmer")


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
    """The index files of a folder; without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._used: set[str] = set()
        self._fresh: dict[str, tuple[IndexedCase, ...]] = {}

    def find(self, key: str, source: str) -> tuple[IndexedCase, ...] | None:
        """The entry kept for a content; ``None`` if there is none that can be trusted."""
        if self._folder is None:
            return None
        self._used.add(key)
        try:
            checksum, _, body = (self._folder / key).read_bytes().partition(b"\n")
            if checksum.decode("ascii") != hashlib.sha256(body).hexdigest():
                return None
            kept = json.loads(body)
            if kept["key"] != key:
                return None
            return tuple(_indexed_case(item, source) for item in kept["cases"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def add(self, key: str, cases: Sequence[IndexedCase]) -> None:
        """Add what was found in a content; :meth:`save` writes it."""
        self._fresh[key] = tuple(cases)

    def save(self) -> None:
        """Write what was added, and remove the oldest files beyond :data:`MAX_FILES`."""
        if self._folder is None or not self._fresh:
            return
        with suppress(OSError):
            make_folder(self._folder)
            for key, cases in self._fresh.items():
                self._write(self._folder, key, cases)
            self._fresh.clear()
            self._prune(self._folder)

    @staticmethod
    def _write(folder: Path, key: str, cases: Sequence[IndexedCase]) -> None:
        kept = {"key": key, "cases": [case.as_json() for case in cases]}
        body = canonical_json(kept).encode("utf-8", "replace")
        checksum = hashlib.sha256(body).hexdigest().encode()
        partial = folder / f"{key}.{os.getpid()}.{threading.get_ident()}.tmp"
        try:
            partial.write_bytes(checksum + b"\n" + body)
            partial.replace(folder / key)
        except OSError:
            partial.unlink(missing_ok=True)
            raise

    def _prune(self, folder: Path) -> None:
        there = [path for path in folder.iterdir() if path.name != ".gitignore"]
        unused = [path for path in there if path.name not in self._used]
        for path in sorted(unused, key=_age)[: max(0, len(there) - MAX_FILES)]:
            path.unlink(missing_ok=True)


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # another process has removed it
        return 0.0


def key_of(content: bytes, lines: bool) -> str:
    """The name of the index file of a content; ``lines`` says that each line is a case."""
    about = canonical_json([_FORMAT, lines, _rules()])
    return hashlib.sha256(about.encode() + b"\n" + content).hexdigest()[:40]


@cache
def _rules() -> str:
    """A hash of what decides whether a case is sound: versions, the schema, and the code."""
    found = hashlib.sha256()
    for name in _PACKAGES:
        found.update(f"{name} {metadata.version(name)}\n".encode())
    package = resources.files(__package__.partition(".")[0])
    for room in _ROOMS:
        with resources.as_file(package / room) as folder:
            for path in sorted(folder.rglob("*")):
                if path.is_file() and path.parent.name != "__pycache__":
                    found.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return found.hexdigest()


def _indexed_case(item: dict[str, Any], source: str) -> IndexedCase:
    start, size, line = (int(number) for number in item["place"])
    place = Place(start, size, line)
    if "case" in item:
        return IndexedCase(place, CaseEntry.from_json(item["case"], place.source(source)))
    return IndexedCase(place, tuple(CaseFault(*map(str, fault)) for fault in item["faults"]))
