"""Groups of items that wait for a worker, in order, and which of them a worker is given next."""

from __future__ import annotations

from collections import deque
from collections.abc import Container
from dataclasses import dataclass


@dataclass(eq=False, slots=True)
class Unit:
    """The numbers of items that stay together, in their order, and the case they are about."""

    case: str
    items: list[int]


class CaseQueue:
    """What waits, by case.

    A worker is given all of a case, of which every strategy needs the same, as long as there is
    a case for each worker.
    """

    def __init__(self) -> None:
        self._cases: dict[str, deque[Unit]] = {}

    def __bool__(self) -> bool:
        return bool(self._cases)

    def add(self, unit: Unit) -> None:
        """Let a unit wait behind all others."""
        self._cases.setdefault(unit.case, deque()).append(unit)

    def put_back(self, unit: Unit) -> None:
        """Let a unit wait before all others."""
        waiting = self._cases.pop(unit.case, ())
        self._cases = {unit.case: deque([unit, *waiting]), **self._cases}

    def take(self, taken: Container[str]) -> Unit:
        """The next unit for a worker while others are at the cases ``taken``.

        That is of the first case that no other is at, or of the first of all. Raises ``KeyError``
        if nothing waits.
        """
        if not self._cases:
            raise KeyError("nothing waits")
        first = next(iter(self._cases))
        case = next((each for each in self._cases if each not in taken), first)
        units = self._cases[case]
        unit = units.popleft()
        if not units:
            del self._cases[case]
        return unit
