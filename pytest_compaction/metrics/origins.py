"""Real and scripted cases apart: the same figures over each of the two."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, get_args

from pytest_compaction.case.case import Origin
from pytest_compaction.metrics.aggregate import Aggregate, aggregate
from pytest_compaction.metrics.item_figures import Record

ORIGINS: Final[tuple[Origin, ...]] = get_args(Origin)


def of_origin(records: Iterable[Record], origin: str) -> list[Record]:
    """The records of real or of scripted cases; runs from before there were real ones say nothing
    and count as scripted.
    """
    return [record for record in records if record.get("origin", "scripted") == origin]


def by_origin(groups: Mapping[str, Sequence[Record]]) -> dict[str, dict[Origin, Aggregate]]:
    """The figures of each strategy over real and over scripted cases.

    Empty unless the records have both: there is nothing to keep apart.
    """
    every = [record for group in groups.values() for record in group]
    if not all(of_origin(every, origin) for origin in ORIGINS):
        return {}
    return {
        name: {
            origin: aggregate(name, found)
            for origin in ORIGINS
            if (found := of_origin(group, origin))
        }
        for name, group in groups.items()
    }
