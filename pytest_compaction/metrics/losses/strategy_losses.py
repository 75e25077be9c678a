"""All that one strategy lost, from its records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.metrics.aggregate import Mean
from pytest_compaction.metrics.item_figures import Record
from pytest_compaction.metrics.losses.events import events_by_case
from pytest_compaction.metrics.losses.fates import FactFate, fates
from pytest_compaction.metrics.losses.life_table import HalfLife, LifeRow, half_life, life_table
from pytest_compaction.metrics.losses.runway import Runway, runway
from pytest_compaction.metrics.losses.shares import share

CLASSES: Final = (
    "path",
    "identifier",
    "number",
    "value",
    "error",
    "command",
    "state",
    "decision",
    "next_step",
    "instruction",
)
"""The classes of facts, in the order of tables; what else a record names comes after them."""


@dataclass(frozen=True, slots=True)
class LossCounts:
    """Facts by what became of them: ``facts = survived + dropped``.

    ``survived = used + unused``, by whether the answer states it too. ``dropped = recoverable +
    gone + unknown``. Of those dropped, the view contradicts ``contradicted`` and the answer states
    ``guessed`` all the same; where no answers were made, these three are ``None``. Of those that
    survived, ``returned`` were missing after an earlier compaction. ``survival`` is the share that
    survived, ``recovery`` the recoverable share of what was dropped and is known; both 0 to 1.
    """

    facts: int
    survived: int
    used: int | None
    dropped: int
    recoverable: int
    gone: int
    contradicted: int
    guessed: int | None
    returned: int
    survival: Mean | None
    recovery: Mean | None

    @property
    def unused(self) -> int | None:
        """Stated by the view and not by the answer."""
        return None if self.used is None else self.survived - self.used

    @property
    def unknown(self) -> int:
        """Dropped, and not known whether the agent can read it again."""
        return self.dropped - self.recoverable - self.gone


@dataclass(frozen=True, slots=True)
class FactLosses:
    """The facts of one class, or all: their counts, survival by compaction, and half-life."""

    counts: LossCounts
    table: tuple[LifeRow, ...]
    half_life: HalfLife | None


@dataclass(frozen=True, slots=True)
class StrategyLosses:
    """What a strategy lost, all together and by class of fact, and the room that it won."""

    whole: FactLosses
    classes: Mapping[str, FactLosses]
    runway: Runway | None


def strategy_losses(records: Sequence[Record]) -> StrategyLosses | None:
    """The losses of one strategy over all its trials; ``None`` if no record tells them.

    Each fact counts once for case, probe and trial.
    """
    found = fates(records)
    if not found:
        return None
    by_class: dict[str, list[FactFate]] = {}
    for fate in found:
        by_class.setdefault(fate.fact_class, []).append(fate)
    named = [*CLASSES, *sorted(by_class.keys() - set(CLASSES))]
    events = [event for listed in events_by_case(records).values() for event in listed]
    return StrategyLosses(
        whole=_losses(found),
        classes={name: _losses(by_class[name]) for name in named if name in by_class},
        runway=runway(events),
    )


def loss_counts_of(facts: Sequence[FactFate]) -> LossCounts:
    """Facts counted by what became of them."""
    dropped = [fact for fact in facts if not fact.survived]
    known = [fact for fact in dropped if fact.recoverable is not None]
    recoverable = sum(bool(fact.recoverable) for fact in known)
    survived = [fact for fact in facts if fact.survived]
    answered = any(fact.used is not None for fact in facts)
    return LossCounts(
        facts=len(facts),
        survived=len(survived),
        used=sum(bool(fact.used) for fact in survived) if answered else None,
        dropped=len(dropped),
        recoverable=recoverable,
        gone=len(known) - recoverable,
        contradicted=sum(fact.contradicted for fact in dropped),
        guessed=sum(bool(fact.used) for fact in dropped) if answered else None,
        returned=sum(fact.drop is not None for fact in survived),
        survival=share((fact.case, fact.survived) for fact in facts),
        recovery=share((fact.case, bool(fact.recoverable)) for fact in known),
    )


def _losses(facts: Sequence[FactFate]) -> FactLosses:
    return FactLosses(loss_counts_of(facts), life_table(facts), half_life(facts))
