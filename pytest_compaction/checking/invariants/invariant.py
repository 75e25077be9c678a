"""An invariant as data: its name, its rule, why it matters, and its check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from pytest_compaction.checking.observation import Observation, ObservedStep
from pytest_compaction.compactors import Traits

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
StepCheck = Callable[[Observation, ObservedStep], Iterator[Breach]]
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


def each_step(check: StepCheck) -> Check:
    """The check of every compaction, from the check of one; it numbers the breaches."""

    def checked(observation: Observation) -> Iterator[Breach]:
        for number, step in enumerate(observation.steps, 1):
            yield from (replace(breach, step=number) for breach in check(observation, step))

    return checked


def each_rewrite(check: StepCheck) -> Check:
    """The check of every compaction that rewrote the view, from the check of one."""
    return each_step(
        lambda observation, step: check(observation, step) if step.rewrote else iter(())
    )
