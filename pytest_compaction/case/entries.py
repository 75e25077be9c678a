"""What is known of a case before it is parsed: enough to collect its items and to record them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from pytest_compaction.case.case import Case, Origin, went_on
from pytest_compaction.case.kinds import ProbeKind


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
    )
