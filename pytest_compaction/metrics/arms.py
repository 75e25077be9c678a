"""A/B of versions of one strategy: trials averaged within a case, differences beside the noise."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from statistics import fmean
from typing import Any, Final

from pytest_compaction.metrics.aggregates import survival, token_totals
from pytest_compaction.metrics.changed_facts import (
    FactChanges,
    ProbeKey,
    fact_changes,
    probe_key,
)
from pytest_compaction.metrics.changes import BothMeans
from pytest_compaction.metrics.comparisons import compare, holm
from pytest_compaction.metrics.figures import compared, events_of, figure_of, known
from pytest_compaction.metrics.intervals import clustered
from pytest_compaction.metrics.strategies import case_keys
from pytest_compaction.record import Record

Value = Callable[[Record], float | None]
"""A figure of one item; ``None`` if it has none."""
FLAWS: Final = ("refused", "cut", "empty", "misformed")
"""What can be wrong with the summary that a model wrote."""
EQUAL_TOKENS: Final = "equal view tokens"


@dataclass(frozen=True, slots=True)
class FigureChange:
    """A figure in two arms, each a mean over trials.

    ``noise`` is that of :func:`trial_noise` in the first arm, ``p`` corrected after Holm.
    """

    name: str
    both: BothMeans
    noise: float | None
    p: float | None


@dataclass(frozen=True, slots=True)
class ArmChanges:
    """What changed from one arm to another.

    ``null`` is the trivial baseline with which views are compared at equal tokens.
    """

    figures: tuple[FigureChange, ...]
    facts: FactChanges
    null: str | None


@dataclass(frozen=True, slots=True)
class ArmTotals:
    """What one arm took: ``view`` is the mean tokens of a view, the rest are sums.

    ``summary`` are the tokens that summaries have, ``seconds`` the time in which a model wrote
    them (``None`` if no endpoint did), ``prompt`` the tokens of the text of the prompt, a
    compaction, ``usd`` the dollars of all calls (``None`` if
    nothing was paid, or at a price that is not known). ``flaws`` counts the summaries with each of
    :data:`FLAWS`, and ``reason`` is the most frequent reason of the items without a score.
    """

    items: int
    unscored: int
    view: float | None
    compactions: int
    failed: int
    summary: int
    seconds: float | None
    usd: float | None
    flaws: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""
    prompt: float | None = None


def trial_values(records: Iterable[Record], value: Value) -> list[dict[ProbeKey, float]]:
    found: dict[int, dict[ProbeKey, float]] = defaultdict(dict)
    for record in records:
        each = value(record)
        if each is not None and math.isfinite(each):
            found[record["trial"]][probe_key(record)] = each
    return [found[trial] for trial in sorted(found)]


def mean_over_trials(records: Iterable[Record], value: Value) -> dict[ProbeKey, float]:
    trials = trial_values(records, value)
    keys = sorted({key for each in trials for key in each})
    return {key: fmean(each[key] for each in trials if key in each) for key in keys}


def difference_of(
    first: Sequence[Record], second: Sequence[Record], value: Value
) -> BothMeans | None:
    """Both means of a figure and the paired difference, with cases as the units."""
    one, other = mean_over_trials(first, value), mean_over_trials(second, value)
    both, names = [key for key in one if key in other], case_keys(first, second)
    paired = compare(clustered((names[key[0]], other[key] - one[key]) for key in both))
    if paired is None:
        return None
    return BothMeans(fmean(one[key] for key in both), fmean(other[key] for key in both), paired)


def trial_noise(records: Sequence[Record], value: Value) -> float | None:
    """How far two measurements of one arm, of as many trials, differ by chance alone.

    It is the standard deviation of the difference of two means over ``T`` trials,
    ``sqrt(mean of d^2 / T)``, where ``d`` are the mean differences between each two trials: the
    variance of ``d`` is twice that of a trial, and a mean over ``T`` trials has a ``T``-th of it.
    ``None`` with one trial.
    """
    trials = trial_values(records, value)
    gaps = [
        fmean(other[key] - one[key] for key in both)
        for one, other in combinations(trials, 2)
        if (both := one.keys() & other.keys())
    ]
    return math.sqrt(fmean(gap * gap for gap in gaps) / len(trials)) if gaps else None


def facts_between_trials(records: Sequence[Record]) -> float | None:
    """How many facts are gone or regained between two single trials, on average."""
    trials: dict[int, list[Record]] = defaultdict(list)
    for record in records:
        trials[record["trial"]].append(record)
    moved = [fact_changes(one, other) for one, other in combinations(trials.values(), 2)]
    return fmean(len(each.gone) + len(each.regained) for each in moved) if moved else None


def null_of(records: Iterable[Record]) -> str | None:
    """The trivial baseline that states most in as many tokens as the views of these records."""
    nulls = [record["nulls"] for record in records if record.get("nulls")]
    names = set.intersection(*map(set, nulls)) if nulls else set()
    return max(
        sorted(names), key=lambda name: fmean(each[name]["overall"] for each in nulls), default=None
    )


def lead_over(record: Record, null: str) -> float | None:
    """Survival in a view less that of a trivial baseline with as many tokens (-5 to 5)."""
    own, theirs = survival(record), (record.get("nulls") or {}).get(null)
    return None if own is None or theirs is None else own - theirs["overall"]


def arm_changes(old: Sequence[Record], others: Sequence[Sequence[Record]]) -> list[ArmChanges]:
    """What changed from the old arm to each other one.

    p values are corrected after Holm. The overall scores of all arms are one family of tests, those
    at equal tokens another, and all other figures a third.
    """
    names = compared()
    null = null_of(old)
    values: dict[str, Value] = {name: partial(figure_of, name=name) for name in names}
    if null is not None:
        values[EQUAL_TOKENS] = partial(lead_over, null=null)
    noise = {name: trial_noise(old, value) for name, value in values.items()}
    found = {
        (arm, name): both
        for arm, records in enumerate(others)
        for name, value in values.items()
        if (both := difference_of(old, records, value)) is not None
    }
    p: dict[tuple[int, str], float | None] = {}
    for alone in ((names[0],), (EQUAL_TOKENS,), names[1:]):
        family = [key for key in found if key[1] in alone]
        p |= zip(family, holm([found[key].paired.p for key in family]), strict=True)
    order = [names[0], EQUAL_TOKENS, *names[1:]]  # at equal tokens below the raw figure
    return [
        ArmChanges(
            tuple(
                FigureChange(name, found[arm, name], noise[name], p[arm, name])
                for name in order
                if (arm, name) in found
            ),
            fact_changes(old, records),
            null,
        )
        for arm, records in enumerate(others)
    ]


def arm_totals(records: Sequence[Record]) -> ArmTotals:
    """What an arm took. A compaction is counted once for all its probes."""
    last: dict[tuple[Any, ...], Record] = {}
    for record in records:
        key = record["case"], record["trial"], str(record.get("budget"))
        last[key] = max(record, last.get(key, record), key=_events)
    events = events_of(records)
    flaws = Counter[str]()
    for event in events:
        flaws.update(event.get("flaws") or {})
    seconds = [
        each
        for record in last.values()
        for name, each in (record.get("latency_s") or {}).items()
        if name.startswith("compaction ")
    ]
    paid = [(record, "compaction") for record in last.values()]
    paid += [(record, role) for record in records for role in _ROLES]
    usd = [found[role] for record, role in paid if role in (found := record.get("usd") or {})]
    known_usd = [each for each in usd if each is not None]
    view, prompt = token_totals(records).view, known()["prompt_tokens"].mean(records)
    reasons = Counter(record.get("reason") or "" for record in records if record["overall"] is None)
    return ArmTotals(
        items=len(records),
        unscored=reasons.total(),
        view=None if view is None else view.value,
        compactions=len(events),
        failed=sum(event.get("status") == "failed" for event in events),
        summary=sum((record.get("tokens") or {}).get("summary", 0) for record in last.values()),
        seconds=math.fsum(seconds) if seconds else None,
        usd=math.fsum(known_usd) if known_usd and len(known_usd) == len(usd) else None,
        flaws={name: flaws[name] for name in FLAWS},
        prompt=None if prompt is None else prompt.value,
        reason=min(reasons, key=lambda reason: (-reasons[reason], reason), default=""),
    )


_ROLES: Final = ("view", "responder", "reader", "judge")


def _events(record: Record) -> int:
    return len((record.get("compaction") or {}).get("events") or ())
