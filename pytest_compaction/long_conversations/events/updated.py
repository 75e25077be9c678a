"""Updates: a value that the user states and then changes twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_compaction.long_conversations.dice import Dice
from pytest_compaction.long_conversations.events.event import Said, Undertaking
from pytest_compaction.long_conversations.events.stated import Attribute

CHANGEABLE: Final = ("funds", "venue", "helpers", "firm")
"""The attributes that have wordings for several changes."""


@dataclass(frozen=True, slots=True)
class Update:
    """The values of an attribute in the order in which they held; the last one holds."""

    about: Undertaking
    attribute: Attribute
    values: tuple[str, ...]
    said: tuple[Said, ...]


def plan_update(dice: Dice, key: str, about: Undertaking, attribute: Attribute) -> Update:
    """A value and two changes, at places all over the conversation."""
    shares = dice.spread(3, 0.03, 0.88)
    values = tuple(attribute.value(dice) for _ in shares)
    first = dice.pick(attribute.stated)
    wordings = [first, *dice.rng.sample(attribute.changed, 2)]
    said = tuple(
        Said(f"{key}/{number}", share, wording.format(value=value), about)
        for number, (share, wording, value) in enumerate(
            zip(shares, wordings, values, strict=True), start=1
        )
    )
    return Update(about, attribute, values, said)
