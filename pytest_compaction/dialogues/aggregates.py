"""Aggregates of dialogue records that a gate can name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from pytest_compaction.dialogues.dialogue import RECORD_TYPE
from pytest_compaction.dialogues.measures import PASS_CONSISTENCY

if TYPE_CHECKING:
    from pytest_compaction.dialogues.figures import TaskFigures
    from pytest_compaction.records import Record

_PREFIX: Final = f"{RECORD_TYPE}."
_FIGURES: Final[Mapping[str, Callable[[TaskFigures], float | None]]] = {
    "consistency": lambda figures: figures.consistency,
    "retention": lambda figures: figures.retention,
    "savings": lambda figures: figures.spending.savings,
    "prompt": lambda figures: figures.spending.prompt_savings,
    "net": lambda figures: figures.spending.net_savings,
    "effectiveness": lambda figures: figures.effectiveness,
    "net_effectiveness": lambda figures: figures.net_effectiveness,
}
NAMES: Final = tuple(_FIGURES)
"""Names of the aggregates: means over dialogues, and savings as ratios of sums."""


def is_dialogue_metric(metric: str) -> bool:
    """Whether a gate's metric is one of dialogues: ``consistency``, ``dialogue.pass^2``."""
    name = metric.removeprefix(_PREFIX)
    return name in _FIGURES or (
        name != metric and re.fullmatch(r"pass\^[1-9]\d{0,5}", name) is not None
    )


def measure_dialogues(metric: str, records: Sequence[Record]) -> float | None:
    from pytest_compaction.dialogues.dialogue import BothArms
    from pytest_compaction.dialogues.figures import figures_of

    compared = [record for record in records if record["comparison"]]
    if not compared:
        return None
    comparisons = [BothArms.from_json(record["comparison"] or {}) for record in compared]
    figures = figures_of("all", comparisons, pass_at(compared))
    name = metric.removeprefix(_PREFIX)
    if name.startswith("pass^"):
        return figures.passes.get(int(name[5:]))
    return _FIGURES[name](figures)


def pass_at(records: Sequence[Record]) -> float:
    """The consistency at which the dialogues of a run pass."""
    return next((float(record["pass_at"]) for record in records), PASS_CONSISTENCY)
