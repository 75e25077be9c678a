"""A run that has ended, as every outlet shows it: records, what the gate decided, and figures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from pytest_compaction.gate import BaselineDecision, Decision
from pytest_compaction.metrics import (
    FEWEST_CLUSTERS,
    Aggregate,
    Figure,
    Mean,
    Pricing,
    aggregate,
    arm_name,
    by_arm,
    is_null,
    known,
    means,
    with_other_words,
)
from pytest_compaction.records import Record, finite_record, run_pricing, type_of
from pytest_compaction.settings import CONTROL
from pytest_compaction.text import printable

Outcome = Literal["passed", "failed", "undecided", "none"]
"""What the gate says of a run; ``none`` where it had nothing to decide on."""

NOTHING_SCORED: Final = "nothing was scored"
INFINITE: Final = "infinite: nothing was dropped"
TOO_FEW_CASES: Final = (
    f"an interval needs at least {FEWEST_CLUSTERS} cases; those of one project count as one"
)


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run whose items have run, or that was stopped and is not ``complete``.

    ``name`` is the path of its records as shown, and ``folder`` where they lie beside logs and
    views. ``order`` is that of the strategies on the command line.
    """

    name: str
    header: Mapping[str, Any]
    records: tuple[Record, ...]
    order: tuple[str, ...]
    outcome: Outcome
    line: str = ""
    decision: Decision | None = None
    against: BaselineDecision = field(default_factory=BaselineDecision)
    complete: bool = True
    control: bool = False
    pass_score: float = 3.5
    folder: Path | None = None

    def of_type(self, wanted: str) -> list[Record]:
        return [record for record in self.records if type_of(record) == wanted]

    def pricing(self) -> Pricing:
        settings = self.header.get("settings") or {}
        return run_pricing(str(settings.get("responder")), self.of_type("probe"))

    def strategies(self) -> dict[str, list[Record]]:
        """The probes of each strategy at each budget, in the order of the command line."""
        groups = by_arm(self.of_type("probe"))
        rank = {name: number for number, name in enumerate(self.order)}

        def place(name: str) -> int:
            return rank.get(groups[name][0]["compactor"], len(rank))

        return {name: groups[name] for name in sorted(groups, key=place)}


def with_finite_figures(records: Sequence[Record]) -> tuple[Record, ...]:
    """Records of which no NaN spoils a mean."""
    return tuple(map(finite_record, records))


@dataclass(frozen=True, slots=True)
class Measured:
    """A figure with its 95 % interval over cases, or the ``reason`` why one of them is missing."""

    value: float | None
    interval: tuple[float, float] | None
    reason: str | None
    items: int
    cases: int


def measured(figure: Figure, mean: Mean | None) -> Measured:
    """A figure as a report holds it, its interval within the values that it can have."""
    if mean is None:
        return Measured(None, None, NOTHING_SCORED, 0, 0)
    if math.isinf(mean.value):
        return Measured(None, None, INFINITE, mean.count, mean.cases)
    interval = figure.within(mean.interval)
    reason = TOO_FEW_CASES if interval is None else None
    return Measured(mean.value, interval, reason, mean.count, mean.cases)


@dataclass(frozen=True, slots=True)
class StrategyFigures:
    """The figures of one strategy by name: scores from 0 to 5, shares from 0 to 1."""

    name: str
    compactor: str
    budget: int | str | None
    cases: int
    aggregate: Aggregate
    figures: Mapping[str, Measured]
    records: Sequence[Record] = ()


def figures_of_strategies(run: FinishedRun) -> Iterator[StrategyFigures]:
    """The figures of every strategy of a run of probes; only some are there without a value."""
    groups = run.strategies()
    control = groups.get(CONTROL, ())
    for name, records in groups.items():
        item = aggregate(name, records)
        found = means(records, control)
        scores = {
            figure.name: measured(figure, found.get(figure.name))
            for figure in known().values()
            if figure.name in found or figure.always
        }
        cases = len({record["case"] for record in records})
        first = records[0]
        yield StrategyFigures(
            name, first["compactor"], first.get("budget"), cases, item, scores, records
        )


def shown_name(record: Record) -> str:
    """How an item is called: strategy, case, probe, and the trial if it is not the first."""
    name = f"{arm_name(record['compactor'], record.get('budget'))} {record['case']}"
    name += f"-{record['probe']}" if record["probe"] else ""
    return f"{name}-t{record['trial']}" if record["trial"] > 1 else name


def best_strategy(run: FinishedRun) -> str | None:
    """The name of the strategy with the highest overall score; the control and nulls come last."""
    groups = run.strategies()
    apart = with_other_words(groups)
    found = {n: means(group).get("overall") for n, group in groups.items() if n not in apart}
    competing = [
        name
        for name in found
        if not ((spec := groups[name][0]["compactor"]) == CONTROL or is_null(spec))
    ]
    scores = {n: -1.0 if (mean := found[n]) is None else mean.value for n in competing or found}
    return max(scores, key=scores.__getitem__, default=None)


def suite_properties(run: FinishedRun) -> Iterator[tuple[str, str]]:
    """Name and value of each: the scores of every strategy with their intervals, and the gate."""
    for found in figures_of_strategies(run):
        for name, figure in found.figures.items():
            if figure.value is None:
                continue
            place = printable(f"compaction.{found.name}.{name}")
            yield place, f"{figure.value:.4f}"
            if figure.interval is not None:
                low, high = figure.interval
                yield f"{place}.interval", f"{low:.4f} {high:.4f}"
    if run.outcome != "none":
        yield "compaction.gate", run.outcome
    if run.line:
        yield "compaction.gate.line", printable(run.line)
