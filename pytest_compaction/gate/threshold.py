"""Thresholds: how a metric and its bound are written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, get_args

from pytest_compaction.case.case import PROBE_KINDS, Origin
from pytest_compaction.dialogues.aggregates import NAMES, is_dialogue_metric
from pytest_compaction.rubric import DIMENSIONS

_ORIGINS: Final = get_args(Origin)
CONSTRAINTS: Final = ("constraints", "compliance", "er")
"""Figures of the standing constraints: survival, compliance and effect retention."""
_EXPRESSION: Final = re.compile(
    r"\s*(?P<metric>[a-z^0-9.]+)\s*(?:@(?P<scope>[^<>=\s][^<>\s]*?))?\s*"
    r"(?P<sign>>=|<=|>|<)\s*(?P<bound>-?\d+(?:\.\d+)?)\s*(?P<percent>%)?\s*"
)


class ThresholdError(ValueError):
    """A threshold expression cannot be read; the text says what can be written."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """``metric sign bound``, for every strategy or only for ``scope``."""

    metric: str
    sign: str
    bound: float
    scope: str | None = None

    @property
    def label(self) -> str:
        """The metric with its scope, as it was written."""
        return f"{self.metric}@{self.scope}" if self.scope else self.metric

    def __str__(self) -> str:
        return f"{self.label}{self.sign}{self.bound:g}"


def parse_threshold(text: str) -> Threshold:
    """Read ``overall>=3.5``, ``file.artifact>=3``, ``real.pass^1>=90%``, ``kept@anchored>=0.85``.

    Raises :class:`ThresholdError` for anything else.
    """
    match = _EXPRESSION.fullmatch(text)
    if not match or not _known(match["metric"]):
        raise ThresholdError(
            f"cannot read the threshold {text!r}; write METRIC>=NUMBER (or >, <=, <), METRIC being "
            f"overall, {', '.join(DIMENSIONS)}, pass^K, removed, kept, constraints, compliance or "
            "er, for one kind as in file.artifact, for real or scripted cases as in real.overall, "
            "for one strategy as in overall@anchored; for dialogues "
            f"{', '.join(NAMES)} or dialogue.pass^K"
        )
    bound = float(match["bound"]) / (100 if match["percent"] else 1)
    return Threshold(match["metric"], match["sign"], bound, match["scope"])


def _known(metric: str) -> bool:
    if is_dialogue_metric(metric):
        return True
    kind, dot, rest = metric.partition(".")
    if kind in _ORIGINS and not is_dialogue_metric(rest):
        return rest.partition(".")[0] not in _ORIGINS and _known(rest)
    if dot:
        return kind in PROBE_KINDS and (rest == "overall" or rest in DIMENSIONS)
    return (
        metric in {"overall", "removed", "kept", *CONSTRAINTS, *DIMENSIONS}
        or re.fullmatch(r"pass\^[1-9]\d*", metric) is not None
    )
