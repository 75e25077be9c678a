"""Contradictions: the user denies something, and elsewhere tells of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.long_conversations import names
from pytest_compaction.long_conversations.dice import Dice
from pytest_compaction.long_conversations.events.event import Said


@dataclass(frozen=True, slots=True)
class _Row:
    """``contrary`` are kinds of undertakings that would speak against the denial, too."""

    denied: str
    told: str
    asked: str
    contrary: tuple[str, ...] = ()


_ROWS: Final = (
    _Row(
        "I have never soldered anything",
        "I soldered the lamps for the winter fair in {town}",
        "Have I ever soldered anything?",
        ("the repair cafe", "the wind turbine", "the weather station"),
    ),
    _Row(
        "I have never taught children",
        "I taught children to swim in {town} for two summers",
        "Have I ever taught children?",
        ("the school garden", "the language course"),
    ),
    _Row(
        "I have never ridden a motorbike",
        "I rode my cousin's motorbike from {town} to the coast",
        "Have I ever ridden a motorbike?",
    ),
    _Row(
        "I have never sung in public",
        "I sang two solos in public at the church in {town}",
        "Have I ever sung in public?",
        ("the choir trip",),
    ),
    _Row(
        "I have never kept any animals",
        "I kept six animals on a farm near {town}, goats mostly",
        "Have I ever kept animals?",
        ("the bee house",),
    ),
    _Row(
        "I have never learned to sew",
        "I learned to sew from a tailor in {town}",
        "Did I ever learn to sew?",
        ("the quilt", "the repair cafe", "the puppet show"),
    ),
    _Row(
        "I have never been to {town}",
        "I stayed in {town} with my brother when the bridge opened",
        "Have I ever been to {town}?",
    ),
    _Row(
        "I have never written for a newspaper",
        "I wrote for a newspaper in {town} as a student",
        "Have I ever written for a newspaper?",
    ),
    _Row(
        "I have never climbed a mountain",
        "I climbed a mountain above {town} with ropes",
        "Have I ever climbed a mountain?",
    ),
)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A denial and what speaks against it, in the order in which they are said."""

    question: str
    claims: tuple[str, str]
    said: tuple[Said, Said]


def plan_contradictions(
    dice: Dice, count: int, kinds: Sequence[names.Kind]
) -> tuple[Contradiction, ...]:
    """As many contradictions, each of another kind, that undertakings of ``kinds`` leave open.

    Nothing else happens in their towns, if they are drawn before everything else.
    """
    found: list[Contradiction] = []
    known = {kind.names[0] for kind in kinds}
    rows = [(number, row) for number, row in enumerate(_ROWS) if not known & set(row.contrary)]
    for number, row in dice.rng.sample(rows, count):
        town = dice.fresh(names.TOWNS)
        claims = [row.denied.format(town=town), row.told.format(town=town)]
        if dice.rng.random() < 0.5:
            claims.reverse()
        early, late = dice.spread(2, 0.03, 0.94)
        key = f"contradiction/{number}"
        said = (Said(f"{key}/1", early, claims[0]), Said(f"{key}/2", late, claims[1]))
        asked = row.asked.format(town=town)
        found.append(Contradiction(asked, (claims[0], claims[1]), said))
    return tuple(found)
