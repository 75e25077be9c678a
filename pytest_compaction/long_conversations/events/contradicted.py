"""Contradictions: the user denies something, and elsewhere tells of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_compaction.long_conversations import names
from pytest_compaction.long_conversations.dice import Dice
from pytest_compaction.long_conversations.events.event import Said

_ROWS: Final = (
    ("I have never soldered anything", "I soldered the lamps for the winter fair in {town}"),
    ("I have never taught children", "I taught children to swim in {town} for two summers"),
    ("I have never ridden a motorbike", "I rode my cousin's motorbike from {town} to the coast"),
    ("I have never sung in public", "I sang two solos in public at the church in {town}"),
    ("I have never kept any animals", "I kept six animals on a farm near {town}, goats mostly"),
    ("I have never learned to sew", "I learned to sew from a tailor in {town}"),
    ("I have never been to {town}", "I was in {town} with my brother when the bridge opened"),
    ("I have never written for a newspaper", "I wrote for a newspaper in {town} as a student"),
    ("I have never climbed a mountain", "I climbed a mountain above {town} with ropes"),
)
_ASKED: Final = (
    "Have I ever soldered anything?",
    "Have I ever taught children?",
    "Have I ever ridden a motorbike?",
    "Have I ever sung in public?",
    "Have I ever kept animals?",
    "Did I ever learn to sew?",
    "Have I ever been to {town}?",
    "Have I ever written for a newspaper?",
    "Have I ever climbed a mountain?",
)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A denial and what speaks against it, in the order in which they are said."""

    question: str
    claims: tuple[str, str]
    said: tuple[Said, Said]


def plan_contradictions(dice: Dice, count: int) -> tuple[Contradiction, ...]:
    """As many contradictions, each of another kind."""
    found: list[Contradiction] = []
    for number in dice.rng.sample(range(len(_ROWS)), count):
        town = dice.fresh(names.TOWNS)
        rows = [text.format(town=town) for text in _ROWS[number]]
        if dice.rng.random() < 0.5:
            rows.reverse()
        early, late = dice.spread(2, 0.03, 0.94)
        key = f"contradiction/{number}"
        said = (Said(f"{key}/1", early, rows[0]), Said(f"{key}/2", late, rows[1]))
        asked = _ASKED[number].format(town=town)
        found.append(Contradiction(asked, (rows[0], rows[1]), said))
    return tuple(found)
