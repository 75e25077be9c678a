"""Drawing without repetition, so that no two events share a name or a value."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import date, timedelta

from pytest_compaction.long_conversations import names

_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)


class Dice:
    """Seeded draws; what was drawn as a name or a number once is not drawn again."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)  # noqa: S311 - no secret is made of it
        self._drawn: set[str] = set()

    def pick(self, of: Sequence[str]) -> str:
        """One of the texts; it may come again."""
        return self.rng.choice(of)

    def fresh(self, of: Sequence[str]) -> str:
        """One of the texts that was not drawn before, or any if all were."""
        left = [text for text in of if text not in self._drawn] or list(of)
        text = self.rng.choice(left)
        self._drawn.add(text)
        return text

    def unlike(self, make: Callable[[], str]) -> str:
        """A text of ``make`` that was not drawn before; any after a hundred trials."""
        text = make()
        for _ in range(100):
            if text not in self._drawn:
                break
            text = make()
        self._drawn.add(text)
        return text

    def keep(self, text: str) -> None:
        """Draw this text, so that it does not come again."""
        self._drawn.add(text)

    def town(self) -> str:
        """A town of which nothing else is said; it may come again."""
        return self.pick([town for town in names.TOWNS if town not in self._drawn])

    def number(self, low: int, high: int, step: int = 1) -> int:
        """A number of a range that was not drawn before; of the whole range if all were."""
        return int(self.fresh([str(each) for each in range(low, high + 1, step)]))

    def person(self) -> str:
        """A person of whom neither name was drawn before."""
        return f"{self.fresh(names.FIRST)} {self.fresh(names.LAST)}"

    def spread(self, count: int, low: float = 0.03, high: float = 0.94) -> list[float]:
        """As many shares of a conversation, rising, one in each of ``count`` equal parts."""
        size = (high - low) / count
        return [low + size * (each + self.rng.random() * 0.9) for each in range(count)]


def spoken(day: date, how: int, year: bool = False) -> str:
    """A day as one says it; ``how`` chooses the form, and ``year`` whether the year is said."""
    month = _MONTHS[day.month - 1]
    if how % 2:
        return f"{day.day} {month} {day.year}" if year else f"{day.day} {month}"
    return f"{month} {day.day}, {day.year}" if year else f"{month} {day.day}"


def anchor(day: date) -> str:
    """A day as the parts of a conversation have it, ``March-15-2024``."""
    return f"{_MONTHS[day.month - 1]}-{day.day:02}-{day.year}"


def later(start: date, days: float) -> date:
    """The day that is so many days after another."""
    return start + timedelta(days=int(days))
