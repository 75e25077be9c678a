"""Courses: what happens with an undertaking, one thing after another."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Final

from pytest_compaction.long_conversations.dice import Dice
from pytest_compaction.long_conversations.events.event import Said, Undertaking

_STEPS: Final = (
    "{person} left the team",
    "the {part} arrived damaged from {town}",
    "the council signed the permit after {person} spoke",
    "a trial in {town} drew {number} visitors",
    "{person} replaced the {part} at no charge",
    "a burst pipe ruined the {part}",
    "{person} joined us as an apprentice",
    "the newspaper of {town} printed a page on us",
    "we gave the old {part} to a club in {town}",
    "{person} found a fault in the {part}",
    "the neighbours in {town} complained of the noise",
    "a school class from {town} came to see the {part}",
    "we won a prize of the guild in {town}",
    "{person} wrote to a magazine in {town} about the {part}",
)


@dataclass(frozen=True, slots=True)
class Course:
    """Steps of an undertaking in the order in which the user tells of them."""

    about: Undertaking
    steps: tuple[str, ...]
    said: tuple[Said, ...]


def plan_course(dice: Dice, key: str, about: Undertaking, count: int = 5) -> Course:
    """As many steps, spread over the conversation."""
    parts = dice.rng.sample(about.parts, len(about.parts))
    steps = tuple(
        _step(dice, wording, parts[number % len(parts)])
        for number, wording in enumerate(dice.rng.sample(_STEPS, count))
    )
    shares = dice.spread(count, 0.04, 0.95)
    said = tuple(
        Said(f"{key}/{number}", share, step, about)
        for number, (share, step) in enumerate(zip(shares, steps, strict=True), start=1)
    )
    return Course(about, steps, said)


def _step(dice: Dice, wording: str, part: str) -> str:
    """A step that no other course has."""
    person, town, number = dice.person(), dice.town(), dice.number(110, 890, 3)
    towns = chain((town,), iter(dice.town, ""))
    return dice.unlike(
        lambda: wording.format(person=person, part=part, town=next(towns), number=number)
    )
