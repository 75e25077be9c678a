"""Payments: sums that the user pays for the parts of an undertaking, at different times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_compaction.long_conversations.dice import Dice
from pytest_compaction.long_conversations.events.event import Said, Undertaking

_PAID: Final = (
    "I paid {sum} for the {part}",
    "the {part} cost me {sum} in the end",
    "the bill for the {part} was {sum}, and I transferred it",
    "{sum} went out of my own pocket for the {part}",
    "the shop took {sum} for the {part}, no discount",
)


@dataclass(frozen=True, slots=True)
class Payments:
    """Sums in euros for parts."""

    about: Undertaking
    sums: tuple[int, ...]
    parts: tuple[str, ...]
    said: tuple[Said, ...]

    @property
    def total(self) -> int:
        """All sums together, in euros."""
        return sum(self.sums)


def euros(amount: int) -> str:
    """A sum as it is written."""
    return f"{amount:,} euros"


def plan_payments(dice: Dice, key: str, about: Undertaking, count: int = 4) -> Payments:
    """As many payments, spread over the conversation."""
    parts = tuple(dice.rng.sample(about.parts, count))
    sums = tuple(dice.number(31, 689) for _ in parts)
    dice.keep(str(sum(sums)))
    wordings = dice.rng.sample(_PAID, count)
    said = tuple(
        Said(f"{key}/{number}", share, wording.format(sum=euros(amount), part=part), about)
        for number, (share, wording, amount, part) in enumerate(
            zip(dice.spread(count), wordings, sums, parts, strict=True), start=1
        )
    )
    return Payments(about, sums, parts, said)
