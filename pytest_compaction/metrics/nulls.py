"""Does a strategy beat the best null at equal tokens?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pytest_compaction.metrics.aggregate import Mean, Record, mean_of, stated_share

NULLS: Final = ("random", "said-only", "window")
"""The shipped strategies with no idea behind them."""

Result = Literal["beats", "does not beat", "is beaten by", "not known"]


@dataclass(frozen=True, slots=True)
class NullComparison:
    """A strategy and the null that states most in as many tokens.

    ``difference`` is the share of facts that the views state less that of the null,
    over items, with its interval over cases (-1 to 1). ``tokens`` are the mean tokens of the
    views and of those of the null.
    """

    null: str
    difference: Mean
    tokens: tuple[float, float]

    @property
    def result(self) -> Result:
        """What the interval says; one case says nothing."""
        if self.difference.interval is None:
            return "not known"
        low, high = self.difference.interval
        return "beats" if low > 0 else "is beaten by" if high < 0 else "does not beat"


def best_null(records: Sequence[Record]) -> NullComparison | None:
    """The comparison of one strategy with the null of the highest mean, paired by item.

    Each null had as many tokens as the view of the strategy, at the same point of the same
    case. ``None`` for a null and the control, which are not compared.
    """
    paired = [r for r in records if r.get("nulls") and stated_share(r) is not None]
    if not paired:
        return None
    names = sorted({name for record in paired for name in record["nulls"]})
    means = {name: _mean(r["nulls"][name]["stated"] for r in paired) for name in names}
    best = max(names, key=lambda name: (means[name], name))

    def difference(record: Record) -> float | None:
        share = stated_share(record)
        return None if share is None else share - record["nulls"][best]["stated"]

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
