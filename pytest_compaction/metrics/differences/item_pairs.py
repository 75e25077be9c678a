"""The same items on two sides, two strategies or two runs of one, and their difference."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_compaction.metrics.figures import figure_of
from pytest_compaction.metrics.item_figures import Record
from pytest_compaction.metrics.statistics.paired import Paired, compare

ItemKey = tuple[str, str, int, str]
"""Case, probe, trial and budget of an item."""


@dataclass(frozen=True, slots=True)
class ItemPairs:
    """The items that both sides have, and those of one side alone; sorted by their keys."""

    pairs: tuple[tuple[Record, Record], ...]
    only_first: tuple[Record, ...]
    only_second: tuple[Record, ...]


def pair_items(first: Sequence[Record], second: Sequence[Record]) -> ItemPairs:
    """Pair the records of one strategy with those of another, or of another run.

    Records are the same item if case, probe, trial and budget are; whether they have a score
    does not matter here. Of several records of one item on a side, the last counts.
    """
    one, other = _by_key(first), _by_key(second)
    return ItemPairs(
        pairs=tuple((one[key], other[key]) for key in one if key in other),
        only_first=tuple(record for key, record in one.items() if key not in other),
        only_second=tuple(record for key, record in other.items() if key not in one),
    )


def paired_difference(
    first: Sequence[Record], second: Sequence[Record], figure: str = "overall"
) -> Paired | None:
    """The second side less the first over the items that have the figure on both sides.

    ``figure`` is one that items have, such as ``overall``, a dimension, or ``stated``. ``None``
    without such an item.
    """
    return difference_between(figures_by_item(first, figure), figures_by_item(second, figure))


def figures_by_item(records: Iterable[Record], figure: str) -> dict[ItemKey, float]:
    """One figure of every item that has it, sorted by item; NaN is no figure."""
    found = {key: figure_of(record, figure) for key, record in _by_key(records).items()}
    return {
        key: value for key, value in found.items() if value is not None and math.isfinite(value)
    }


def differences_by_case(
    first: Sequence[Record], second: Sequence[Record], figure: str = "overall"
) -> dict[str, list[float]]:
    """The second side less the first, for each item that has the figure on both, by case."""
    return _by_case(figures_by_item(first, figure), figures_by_item(second, figure))


def difference_between(
    first: Mapping[ItemKey, float], second: Mapping[ItemKey, float]
) -> Paired | None:
    """The comparison of :func:`paired_difference` from the figures of both sides."""
    return compare(_by_case(first, second))


def _by_case(
    first: Mapping[ItemKey, float], second: Mapping[ItemKey, float]
) -> dict[str, list[float]]:
    differences: dict[str, list[float]] = defaultdict(list)
    for key, value in first.items():
        if key in second:
            differences[key[0]].append(second[key] - value)
    return differences


def _by_key(records: Iterable[Record]) -> dict[ItemKey, Record]:
    keyed = {
        (record["case"], record["probe"], record["trial"], str(record.get("budget"))): record
        for record in records
    }
    return dict(sorted(keyed.items(), key=lambda pair: pair[0]))
