"""What a source finds: a candidate for a fact, the fact where the log states it, a question."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pytest_compaction.case.case import Fact, Trap
from pytest_compaction.case.kinds import Change, FactType, ProbeKind
from pytest_compaction.probes.keys import Groups


@dataclass(frozen=True, slots=True)
class Candidate:
    """What might be a fact: its text and type, and its key groups if a source knows them.

    Without ``keys`` they are made from the text. ``places`` are the positions of the messages
    from which a source has it, if it knows them: one of them has to be evidence.
    """

    text: str
    type: FactType
    keys: Groups = ()
    change: Change | None = None
    places: tuple[int, ...] = ()


def path_candidate(path: str, change: Change, places: tuple[int, ...] = ()) -> Candidate:
    """A file and what happened to it, as a fact."""
    return Candidate(f"{path} was {change}", "path", ((path,),), change, places)


@dataclass(frozen=True, slots=True)
class Found:
    """A fact, and the positions of all messages before the question that state it."""

    fact: Fact
    positions: tuple[int, ...]

    @property
    def risk(self) -> tuple[int, int]:
        """A sort key, smallest for the fact most at risk: stated rarely, then early."""
        return (len(self.positions), self.positions[0])


@dataclass(frozen=True, slots=True)
class Draft:
    """A probe that is not yet checked and chosen.

    A smaller ``rank`` is better, from 0.05 (exact values that the user gave) to about 0.7
    (files that were only read). ``point`` is the number of the compaction point after which
    it is asked, ``least`` the number of facts that it needs. A question for all of something
    says in ``whole`` how many facts these are; with fewer it is not asked.
    """

    kind: ProbeKind
    name: str
    question: str
    found: tuple[Found, ...]
    point: int
    rank: float = 1.0
    traps: tuple[Trap, ...] = ()
    answer: dict[str, Any] = field(default_factory=dict)
    least: int = 2
    whole: int = 0
