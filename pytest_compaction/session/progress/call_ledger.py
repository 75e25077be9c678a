"""The calls that a run will have made at its end, known better with each item that is done."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class ItemCalls:
    """The calls of one item: its ``own``, and those that it shares with all items of a ``key``.

    ``shared`` is a mean where only a sum is known. ``guessed`` tells that the number of calls
    is not known before they are made.
    """

    own: float
    key: Hashable
    shared: float = 0.0
    guessed: bool = False


class CallLedger:
    """What is planned for the items that remain, and what the others took."""

    def __init__(self, planned: Mapping[str, ItemCalls]) -> None:
        self._left = dict(planned)
        self._shared = {plan.key: plan.shared for plan in planned.values()}
        self._settled: set[Hashable] = set()
        self._taken = 0.0

    def finish(self, item: str, own: int = 0, shared: int = 0) -> None:
        """Put what an item took in place of what was planned for it; an unknown one says nothing.

        What the items of a key share counts once, as the first of them that is done has it.
        """
        plan = self._left.pop(item, None)
        if plan is None:
            return
        self._taken += own
        if plan.key not in self._settled:
            self._settled.add(plan.key)
            self._shared[plan.key] = shared

    @property
    def total(self) -> int:
        """The calls of the whole run, as far as they are known."""
        own = math.fsum(plan.own for plan in self._left.values())
        return round(self._taken + own + math.fsum(self._shared.values()))

    @property
    def guessed(self) -> bool:
        """Whether what remains is an estimate."""
        return any(plan.guessed for plan in self._left.values())


def with_shared(planned: Mapping[str, ItemCalls], total: int) -> dict[str, ItemCalls]:
    """The same plans where all shared calls together are ``total``, as a dry run has found."""
    keys = {plan.key for plan in planned.values() if plan.shared}
    return {
        item: replace(plan, shared=total / len(keys)) if plan.shared else plan
        for item, plan in planned.items()
    }


def calls_in(usage: Mapping[str, Mapping[str, int]], roles: Iterable[str]) -> int:
    """The calls of some roles in the usage of a record."""
    return sum(usage[role].get("calls", 0) for role in roles if role in usage)
