"""Groups of items that wait for a worker, in order, and which of them a worker is given next."""

from __future__ import annotations

from collections import deque
from collections.abc import Container

Unit = list[int]
"""The numbers of items that stay together, in their order."""


class CaseQueue:
    """What waits, by case.

    A worker is given all of a case, of which every strategy needs the same, as long as there is
    a case for each worker.
    """

    def __init__(self) -> None:
        self._cases: dict[str, deque[Unit]] = {}

    def __bool__(self) -> bool:
        return bool(self._cases)

    def add(self, case: str, unit: Unit) -> None:
        """Let a group of a case wait behind all others."""
        self._cases.setdefault(case, deque()).append(unit)

    def put_back(self, case: str, unit: Unit) -> None:
        """Let a group wait before all others."""
        self._cases = {case: deque([unit, *self._cases.pop(case, ())]), **self._cases}

    def take(self, taken: Container[str]) -> tuple[str, Unit]:
        """The next group and its case, for a worker while others are at the cases ``taken``.

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
        return case, unit
