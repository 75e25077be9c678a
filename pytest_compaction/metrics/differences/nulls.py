"""Does a strategy beat the best null at equal tokens?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pytest_compaction.metrics.aggregate import Mean, mean_of
from pytest_compaction.metrics.item_figures import Record, survival

NULLS: Final = ("random", "said-only", "window")
"""The shipped strategies with no idea behind them."""

Result = Literal["beats", "does not beat", "is beaten by", "cannot be told from"]


@dataclass(frozen=True, slots=True)
class NullComparison:
    """A strategy and the null that survives best in as many tokens.

    ``difference`` is the mean over items of the survival of the view less that of the null
    (-5 to 5), with its interval over cases. ``tokens`` are the mean tokens of the
    views and of those of the null.
    """

    null: str
    difference: Mean
    tokens: tuple[float, float]

    @property
    def result(self) -> Result:
        """What the interval says; fewer than six cases say nothing."""
        if self.difference.interval is None:
            return "cannot be told from"
        low, high = self.difference.interval
        return "beats" if low > 0 else "is beaten by" if high < 0 else "does not beat"


def best_null(records: Sequence[Record]) -> NullComparison | None:
    """The comparison of one strategy with the null of the highest mean, paired by item.

    Each null had as many tokens as the view of the strategy, at the same point of the same
    case. ``None`` for a null and the control, which are not compared.
    """
    paired = [r for r in records if r.get("nulls") and survival(r) is not None]
    if not paired:
        return None
    names = sorted({name for record in paired for name in record["nulls"]})
    means = {name: _mean(r["nulls"][name]["overall"] for r in paired) for name in names}
    best = max(names, key=lambda name: (means[name], name))

    def difference(record: Record) -> float | None:
        own = survival(record)
        return None if own is None else own - record["nulls"][best]["overall"]

    found = mean_of(paired, difference)
    if found is None:
        return None
    own = _mean(r["tokens"]["view"] for r in paired)
    other = _mean(r["nulls"][best]["tokens"] for r in paired)
    return NullComparison(best, found, (own, other))


def is_null(compactor: str) -> bool:
    """Whether a strategy is a shipped null, with any parameters."""
    return compactor.partition(":")[0] in NULLS


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found)
