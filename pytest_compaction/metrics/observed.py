"""Figures of compactions on record: what followed each, beside the same far from any.

A compaction is a mapping with the keys that ``docs/production-reference.md`` tells: as
``pytest-compaction production`` writes it, and as the records of a case hold it at its points. A
figure is one entry of :data:`OBSERVED`, from which :data:`~.figures.FIGURES` takes it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal

from pytest_compaction.metrics.cycles import LEAST_FREED
from pytest_compaction.metrics.fetched_again import (
    HORIZONS,
    Fetched,
    HeldAgainst,
    Pairs,
    held_against,
)
from pytest_compaction.metrics.intervals import Mean, case_key, clustered, mean_over, unit_of
from pytest_compaction.metrics.losses import median_length, share
from pytest_compaction.record import Record
from pytest_compaction.text import Range

Told = Mapping[str, Any]
Sessions = Sequence[tuple[str, Sequence[Told]]]
"""The compactions of each session in order; sessions of one project have names of one cluster."""
_Value = Callable[[Told], float | None]
BLOATED: Final = 0.65
"""Share of the window that a bloated compaction leaves full."""


@dataclass(frozen=True, slots=True)
class ObservedFigure:
    """A figure of compactions on record.

    ``after`` is its value at one compaction. ``elsewhere`` is the same far from any, where it can
    be counted: the figure is then the mean difference. ``whole`` computes it from sessions instead.
    """

    name: str
    kind: Literal["share", "number"]
    bounds: Range
    label: str
    after: _Value | None = None
    elsewhere: _Value | None = None
    whole: Callable[[Sessions], Mean | None] | None = None

    def pairs(self, sessions: Sessions) -> Pairs:
        """By session the values after and elsewhere, 0 where elsewhere nothing is counted."""
        found: dict[str, list[tuple[float, float]]] = {}
        for name, compactions in sessions:
            for told in compactions if self.after else ():
                one = self.after(told) if self.after else None
                other = self.elsewhere(told) if self.elsewhere else 0.0
                if one is not None and other is not None:
                    found.setdefault(name, []).append((one, other))
        return found

    def held(self, sessions: Sessions) -> HeldAgainst | None:
        """The mean after compactions and, if it is counted, elsewhere; ``None`` without a value."""
        if self.whole is None and self.elsewhere is not None:
            return held_against(self.pairs(sessions))
        if self.whole is not None:
            after = self.whole(sessions)
        else:
            pairs = self.pairs(sessions)
            after = mean_over({name: [one for one, _ in held] for name, held in pairs.items()})
        return None if after is None else HeldAgainst(after)


def told_by_case(records: Iterable[Record]) -> dict[str, tuple[str, Sequence[Told]]]:
    """By case its cluster and the compactions of its session, each once for all its records."""
    found: dict[str, dict[int, Told]] = {}
    names: dict[str, str] = {}
    for record in records:
        point = record.get("point") or {}
        for told in (*([point] if "number" in point else ()), *point.get("others", ())):
            names.setdefault(record["case"], case_key(record))
            found.setdefault(record["case"], {}).setdefault(told["number"], told)
    return {
        case: (names[case], [compactions[number] for number in sorted(compactions)])
        for case, compactions in found.items()
    }


def fetched_in(compactions: Iterable[Told], horizon: int, side: str) -> Fetched:
    """The calls of all compactions, ``after`` them or ``elsewhere``."""
    found = (told["fetched_again"][str(horizon)][side] for told in compactions)
    return sum((Fetched(**each) for each in found), Fetched())


# --- values of one compaction ---------------------------------------------------------------


def _fetched(told: Told, horizon: int, side: str, tokens: bool) -> float | None:
    found = fetched_in([told], horizon, side)
    return found.token_share if tokens else found.share


def _before_work(told: Told, side: str) -> float | None:
    value = told["calls_before_new_work"][side]
    return None if value is None else float(value)


def _whether(told: Told, key: str, turned: bool = False) -> float | None:
    """A count, or whether something holds or, ``turned`` round, does not."""
    return None if told[key] is None else float(not told[key] if turned else told[key])


def _rules_broken(told: Told) -> float | None:
    rules = told["rules"]
    return rules["broken"] / rules["could_be_broken"] if rules["could_be_broken"] else None


# --- cycles of a session --------------------------------------------------------------------


def session_cycles(compactions: Sequence[Told]) -> list[Told]:
    """The compactions of a session before which the context had grown by a tenth or more.

    They end where a size before or after is not known.
    """
    found: list[Told] = []
    held = 0
    for told in compactions:
        before, after = told["alike"]["before"], told["alike"]["after"]
        if not before or after is None:
            break
        if before - held >= LEAST_FREED * before:
            found.append(told)
        held = after
    return found


def freed_by(told: Told) -> float | None:
    """The share of the context that a compaction removed, below 0 if it grew."""
    before, after = told["alike"]["before"], told["alike"]["after"]
    return (before - after) / before if before and after is not None else None


def stuck_in(compactions: Sequence[Told]) -> int | None:
    """The number of the first cycle that freed too little or left more than the window, from 1."""
    for number, told in enumerate(session_cycles(compactions), start=1):
        left, freed = told["alike"]["after"], freed_by(told)
        if freed is None or freed < LEAST_FREED or left > (told["window"] or left):
            return number
    return None


def _freed(sessions: Sessions) -> Mean | None:
    found = ((name, map(freed_by, session_cycles(told))) for name, told in sessions)
    return mean_over(
        clustered((name, freed) for name, each in found for freed in each if freed is not None)
    )


def _stuck(sessions: Sessions) -> Mean | None:
    return share(
        (name, stuck_in(told) is not None) for name, told in sessions if session_cycles(told)
    )


def _until_stuck(sessions: Sessions) -> Mean | None:
    """The median; ``None`` where half of the sessions went on to their end."""
    ends = [
        (name, stuck_in(told), len(cycles))
        for name, told in sessions
        if (cycles := session_cycles(told))
    ]
    median = median_length(
        [at for _, at, _ in ends if at is not None],
        [cycles for _, at, cycles in ends if at is None],
    )
    if median is None:
        return None
    units = {unit_of(name) for name, *_ in ends}
    return Mean(float(median), None, len(ends), len(ends), len(units))


OBSERVED: Final[tuple[ObservedFigure, ...]] = (
    *(
        ObservedFigure(
            f"fetched_again_{horizon}{'_tokens' * tokens}",
            "share",
            Range(-1, 1),
            f"fetched again, next {horizon}, of {'tokens' if tokens else 'calls'}",
            partial(_fetched, horizon=horizon, side="after", tokens=tokens),
            partial(_fetched, horizon=horizon, side="elsewhere", tokens=tokens),
        )
        for horizon in HORIZONS
        for tokens in (False, True)
    ),
    ObservedFigure(
        "calls_before_new_work",
        "number",
        Range(-max(HORIZONS), max(HORIZONS)),
        "calls before the first new work",
        partial(_before_work, side="after"),
        partial(_before_work, side="elsewhere"),
    ),
    *(
        ObservedFigure(key, "share", Range(0, 1), label, partial(_whether, key=key))
        for key, label in (("no_op", "no-op"), ("bloated", "bloated"), ("doubled", "doubled"))
    ),
    ObservedFigure(
        *("ignored_instruction", "share", Range(0, 1), "ignored its instruction"),
        partial(_whether, key="instruction_followed", turned=True),
    ),
    *(
        ObservedFigure(key, "number", Range(0, 1e9), label, partial(_whether, key=key))
        for key, label in (("said_again", "said again"), ("corrections", "corrected"))
    ),
    ObservedFigure("rules_broken", "share", Range(0, 1), "rules broken", _rules_broken),
    ObservedFigure(
        "recorded_freed", "share", Range(-math.inf, 1), "freed by a cycle", whole=_freed
    ),
    ObservedFigure("recorded_stuck", "share", Range(0, 1), "sessions stuck", whole=_stuck),
    ObservedFigure(
        "recorded_until_stuck", "number", Range(0, 1e9), "stuck at cycle", whole=_until_stuck
    ),
    *(
        ObservedFigure(
            f"recorded_{key}", "number", Range(0, 1e9), label, partial(_whether, key=key)
        )
        for key, label in (("seconds", "seconds"), ("usd", "US dollars"))
    ),
)
"""All figures of compactions on record; :func:`known_observed` has them by name."""


def known_observed() -> Mapping[str, ObservedFigure]:
    return {figure.name: figure for figure in OBSERVED}
