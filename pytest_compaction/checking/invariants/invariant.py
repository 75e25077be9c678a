"""An invariant as data: its name, its rule, why it matters, and its check.

A check is a function under one of three decorators, which make an :class:`Invariant` of it and
declare it. The name is that of the function, with hyphens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal

from pytest_compaction.checking.observation import Breach, Observation, ObservedStep
from pytest_compaction.compactors import Traits

Group = Literal["structure", "content", "budget", "state"]


Check = Callable[[Observation], Iterator[Breach]]
StepCheck = Callable[[Observation, ObservedStep], Iterator[Breach]]
Waiver = Callable[[Traits], str | None]


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
    waived: Waiver
    needs: Literal["", "summary", "request"]


DECLARED: Final[list[Invariant]] = []


def each_example(
    group: Group,
    sentence: str,
    matters: str,
    waived: Waiver = lambda traits: None,
    needs: Literal["", "summary", "request"] = "",
) -> Callable[[Check], Invariant]:
    """Declare an invariant on everything that was observed."""

    def declared(check: Check) -> Invariant:
        name = check.__name__.replace("_", "-")
        DECLARED.append(Invariant(name, group, sentence, matters, check, waived, needs))
        return DECLARED[-1]

    return declared


def each_step(
    group: Group,
    sentence: str,
    matters: str,
    waived: Waiver = lambda traits: None,
    needs: Literal["", "summary", "request"] = "",
    only_rewrites: bool = False,
) -> Callable[[StepCheck], Invariant]:
    """Declare an invariant on every compaction; its breaches are numbered."""

    def declared(check: StepCheck) -> Invariant:
        def checked(observation: Observation) -> Iterator[Breach]:
            for number, step in enumerate(observation.steps, 1):
                if step.rewrote or not only_rewrites:
                    yield from (replace(breach, step=number) for breach in check(observation, step))

        checked.__name__ = check.__name__
        return each_example(group, sentence, matters, waived, needs)(checked)

    return declared


each_rewrite = partial(each_step, only_rewrites=True)
