"""The plan of a run: the probes of the items that were selected, by case and arm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from pytest_compaction.run.response import Arm

Key = tuple[str, Arm]
"""The id of a case, and the strategy, trial and budget."""


@dataclass(frozen=True, slots=True)
class PlannedProbe:
    """A probe that an item will ask of a case; ``judged`` if it will have the response judged.

    ``ahead`` tells that it may be asked before the item runs: that the item is sure to run.
    """

    case: str
    arm: Arm
    probe: str
    judged: bool = True
    ahead: bool = True

    @property
    def key(self) -> Key:
        """The work that it belongs to."""
        return self.case, self.arm


@dataclass(slots=True)
class PlannedCase:
    """All that is asked of one case in one arm; ``rank`` is the place of its first item.

    ``probes`` holds the rank of each, and whether its answer will be judged. ``open`` counts
    the items that are not done; several may ask the same probe.
    """

    rank: int
    probes: dict[str, tuple[int, bool]] = field(default_factory=dict)
    open: int = 0


class Plan:
    """The work to do, in the order of the items, and what of it is not yet done."""

    def __init__(self) -> None:
        self._groups: dict[Key, PlannedCase] = {}
        self._unopened: dict[Key, None] = {}
        self._open_arms: Counter[str] = Counter()
        self._rank = 0

    def add(self, planned: Iterable[PlannedProbe]) -> None:
        """Add items, in their order."""
        for one in planned:
            self._rank += 1
            if one.key not in self._groups:
                self._groups[one.key] = PlannedCase(self._rank)
                self._open_arms[one.case] += 1
            group = self._groups[one.key]
            group.open += 1
            if one.ahead:
                if not group.probes:
                    self._unopened[one.key] = None
                rank, judged = group.probes.get(one.probe, (self._rank, False))
                group.probes[one.probe] = (rank, judged or one.judged)

    def of(self, key: Key) -> PlannedCase | None:
        """What is asked of a case in an arm; ``None`` if nothing is, or all is done."""
        return self._groups.get(key)

    def opened(self, key: Key) -> None:
        """The work was begun."""
        self._unopened.pop(key, None)

    @property
    def next(self) -> Key | None:
        """The first work that was not begun."""
        return next(iter(self._unopened), None)

    def finish(self, key: Key) -> bool:
        """An item is done. Returns whether it was the last one of its case and arm."""
        group = self._groups.get(key)
        if group is None:
            return False
        group.open -= 1
        if group.open:
            return False
        del self._groups[key]
        self.opened(key)
        self._open_arms[key[0]] -= 1
        return True

    def needs(self, case: str) -> bool:
        """Whether an item of a case is not done."""
        return self._open_arms[case] > 0
