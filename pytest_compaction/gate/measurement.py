"""The value of a metric over the records of a strategy, which the gate compares with a bound."""

from __future__ import annotations

from collections.abc import Sequence, Set

from pytest_compaction.dialogues.aggregates import is_dialogue_metric
from pytest_compaction.gate.threshold import ANSWERED, CONSTRAINTS
from pytest_compaction.metrics.aggregate import (
    Mean,
    dimension_mean,
    kept_by_dimension,
    loss_counts,
    mean_of,
    overall_mean,
    pass_estimates,
    token_totals,
)
from pytest_compaction.metrics.constraints.compliance import compliance
from pytest_compaction.metrics.constraints.survival import constraint_survival
from pytest_compaction.metrics.item_figures import answer_figure
from pytest_compaction.metrics.origins import ORIGINS, of_origin
from pytest_compaction.records.record import Record, RecordType, type_of


def type_measured_by(metric: str, measured: Set[RecordType]) -> RecordType:
    """What a metric is about. ``pass^k`` is about dialogues in a run that has nothing else."""
    if metric.startswith("pass^"):
        return "dialogue" if measured == {"dialogue"} else "probe"
    return "dialogue" if is_dialogue_metric(metric) else "probe"


def of_type(wanted: RecordType, records: Sequence[Record]) -> list[Record]:
    """The records of probes, or those of dialogues."""
    return [record for record in records if type_of(record) == wanted]


def measure(metric: str, records: Sequence[Record], control: Sequence[Record]) -> float | None:
    """The value of a metric over one strategy's records; ``None`` when nothing was measured."""
    kind, dot, rest = metric.partition(".")
    if kind in ORIGINS:
        return measure(rest, of_origin(records, kind), of_origin(control, kind))
    if dot:
        return measure(rest, [r for r in records if r["kind"] == kind], control)
    if metric.startswith("pass^"):
        return pass_estimates(records).get(int(metric[5:]))
    if metric == "removed":
        tokens = token_totals(records)
        return tokens.removed if tokens.before else None
    if metric == "constraints":
        return _value(constraint_survival(records))
    if metric in CONSTRAINTS:
        found = compliance(records, control)
        if found is None:
            return None
        return _value(found.compacted) if metric == "compliance" else found.retained.value
    if metric == "answers":
        return _value(mean_of(records, answer_figure))
    if metric == "unused":
        lost = loss_counts(records)
        return None if lost.unused is None or not lost.facts else lost.unused / lost.facts
    if metric == "kept":
        return kept_by_dimension(records, control).get("overall", (0.0, None))[1]
    mean = overall_mean(records) if metric == "overall" else dimension_mean(records, metric)
    return _value(mean)


def _value(mean: Mean | None) -> float | None:
    return None if mean is None else mean.value


def why_missing(metric: str, records: Sequence[Record], control: Sequence[Record]) -> str:
    """Why a metric has no value."""
    if metric.rpartition(".")[2] in ANSWERED and records:
        return "no answers were made; add --compaction-answers"
    found = compliance(records, control) if metric == "er" else None
    return f"not defined, {found.retained.reason}" if found else "nothing was measured"


def score_of(record: Record, metric: str) -> float | None:
    """The overall score of an item, or that of a dimension; ``None`` if it has none."""
    found: float | None = (
        record["overall"] if metric == "overall" else record["dimensions"].get(metric)
    )
    return found
