"""Dates: two days of an undertaking, of which one is put off later."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

from pytest_compaction.long_conversations.dice import Dice, later, spoken
from pytest_compaction.long_conversations.events.event import Said, Undertaking

_DAYS: Final = (
    *("inspection", "handover", "dress rehearsal", "opening", "test day", "jury visit"),
    *("group photograph", "clearing-up", "blessing", "press morning"),
)
_MONTHS_WITHOUT_YEAR: Final = 6
"""Up to this length a day without a year can only be the next one of its name."""
_SET: Final = (
    "the {name} is set for {day}",
    "we settled on {day} for the {name}",
    "{day} is the day of the {name}",
)
_PUT_OFF: Final = (
    "the {name} was put off to {day}",
    "they had to move the {name}, it is on {day} now",
    "the {name} takes place on {day} after all, the first day is off",
)


@dataclass(frozen=True, slots=True)
class Span:
    """Two days and how many days lie between them; ``said`` ends with the day that holds."""

    about: Undertaking
    names: tuple[str, str]
    days: tuple[date, date]
    said: tuple[Said, Said, Said]

    @property
    def length(self) -> int:
        """Days from the first to the second."""
        return (self.days[1] - self.days[0]).days


def _needs_year(months: int, first: date, last: date) -> bool:
    """Whether two days leave open how far they are apart where no year is said.

    They do where one of them may be meant that is more than a year before, where the year ends
    between them, or where only the year tells whether a leap day lies there.
    """
    february_ends = (first.month, first.day) <= (2, 29) and last.month > 2
    return months > _MONTHS_WITHOUT_YEAR or february_ends or first.year != last.year


def plan_span(dice: Dice, key: str, about: Undertaking, start: date, months: int) -> Span:
    """Two dates after the conversation, told at three places of it."""
    first_name, second_name = dice.fresh(_DAYS), dice.fresh(_DAYS)
    first = later(start, months * 30 + dice.rng.randint(8, 60))
    planned = later(first, dice.rng.randint(12, 40))
    held = later(planned, dice.rng.randint(3, 25))
    shares = dice.spread(3, 0.05, 0.9)
    year = _needs_year(months, first, held)
    order = [0, 1] if dice.rng.random() < 0.5 else [1, 0]
    how = dice.rng.randint(0, 1)
    set_days = ((first_name, first), (second_name, planned))
    wordings = dice.rng.sample(_SET, 2)
    told: list[Said] = []
    for number in (0, 1):
        name, day = set_days[number]
        text = wordings[number].format(name=name, day=spoken(day, how + number, year))
        told.append(Said(f"{key}/{number + 1}", shares[order[number]], text, about))
    text = dice.pick(_PUT_OFF).format(name=second_name, day=spoken(held, how, year))
    last = Said(f"{key}/3", shares[2], text, about)
    return Span(about, (first_name, second_name), (first, held), (told[0], told[1], last))
