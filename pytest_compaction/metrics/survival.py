"""What a text does with the facts and traps of a probe, and why an answer lacks a fact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pytest_compaction.case.case import Fact, Trap
from pytest_compaction.conversation.messages import Message, readable
from pytest_compaction.text.matching import Reading, TextIndex
from pytest_compaction.text.shared_texts import SharedTexts
from pytest_compaction.text.words import printable

Loss = Literal["dropped", "unused"]
Source = Literal["view", "answer"]
"""Where something is read: in the whole view, or in the answer from it."""


@dataclass(frozen=True, slots=True)
class Readings:
    """How one text was read; ``facts`` and ``hit`` run parallel to those of the probe."""

    facts: tuple[Reading, ...]
    hit: tuple[bool, ...] = ()

    @property
    def stated(self) -> tuple[bool, ...]:
        """Whether each fact is stated; an uncertain one is not."""
        return tuple(reading.outcome == "stated" for reading in self.facts)


_SHARED = SharedTexts()


@lru_cache(maxsize=32)
def view_index(view: tuple[Message, ...]) -> TextIndex:
    """The readable text of a view, prepared for the facts of all its probes."""
    return _SHARED.view([readable(message) for message in view])


def read(facts: Sequence[Fact], traps: Sequence[Trap], index: TextIndex) -> Readings:
    """What the text does with each fact and trap.

    A trap is hit if the text states it and nothing that stands now: neither what it names as
    current nor the fact that it is the counterpart of. That fact is then contradicted.
    """
    found = {fact.text: index.read(fact.statement) for fact in facts}
    hit: list[bool] = []
    for trap in traps:
        fact = found.get(trap.of) if trap.of is not None else None
        caught = (fact is None or fact.outcome != "stated") and trap.hit_by(index)
        hit.append(caught)
        if caught and trap.of in found:
            found[trap.of] = _overruled(found[trap.of], trap, index.read(trap.statement))
    return Readings(tuple(found[fact.text] for fact in facts), tuple(hit))


def readings_of(
    stated: Sequence[bool], hit: Sequence[bool], facts: Sequence[Fact], traps: Sequence[Trap]
) -> Readings:
    """The readings of a judge that says only which facts are stated and which traps are hit."""
    instead = {trap.of for trap, caught in zip(traps, hit, strict=True) if caught}
    return Readings(
        tuple(
            Reading("stated" if held else "contradicted" if fact.text in instead else "absent")
            for fact, held in zip(facts, stated, strict=True)
        ),
        tuple(hit),
    )


def loss(survives: bool, used: bool, leads: Source = "answer") -> Loss | None:
    """Why a fact is lost: ``dropped`` from the view, or in the view and ``unused`` by the answer.

    Where the view leads, a fact that it does not state is lost whatever the answer says.
    """
    if not survives and (leads == "view" or not used):
        return "dropped"
    return None if used else "unused"


def _overruled(reading: Reading, trap: Trap, instead: Reading) -> Reading:
    if reading.outcome == "contradicted":
        return reading
    why = f"states instead: {printable(trap.text, 80)}"
    return Reading("contradicted", instead.clause, instead.words, why)
