"""An invariant as data: its name, its rule, why it matters, and its check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from pytest_compaction.checking.observation import Observation
from pytest_compaction.compactors.protocol import Traits

Group = Literal["structure", "content", "budget", "state"]


@dataclass(frozen=True, slots=True)
class Breach:
    """One break of an invariant: a sentence that says how, and the messages concerned.

    ``step`` counts compactions from 1; 0 is before the first.
    """

    sentence: str
    ids: tuple[str, ...] = ()
    step: int = 0


Check = Callable[[Observation], Iterator[Breach]]
Waiver = Callable[[Traits], str | None]


def never_waived(traits: Traits) -> str | None:
    """The waiver of an invariant that holds for every strategy."""
    return None


@dataclass(frozen=True, slots=True)
class Invariant:
    """One invariant; ``waived`` gives the reason why it does not apply to a strategy.

    ``needs`` says what some example must have shown for the check to mean anything: a
    summary in the view, or a request to the summariser.
    """

    name: str
    group: Group
    sentence: str
    matters: str
    check: Check
    waived: Waiver = never_waived
    needs: Literal["", "summary", "request"] = ""
