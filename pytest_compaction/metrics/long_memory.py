"""Mean scores of questions about long conversations, by ability, size and place of evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from pytest_compaction.case import ABILITIES, size_rank
from pytest_compaction.metrics.aggregates import mean_of
from pytest_compaction.metrics.intervals import Mean
from pytest_compaction.record import Record

ALL: Final = "all"
"""The row over all abilities of a size."""
TENTHS: Final = range(1, 11)


def questions_scored(records: Iterable[Record]) -> list[Record]:
    return [record for record in records if record.get("score") is not None]


def _of_size(records: Iterable[Record], size: str) -> list[Record]:
    return [record for record in questions_scored(records) if (record.get("size") or "") == size]


def null_nuggets(records: Iterable[Record]) -> int:
    """How many nuggets of the questions have no score, as rules do not judge answers."""
    return sum(
        nugget["score"] is None for record in records for nugget in record.get("nuggets") or ()
    )


def sizes_of(records: Iterable[Record]) -> list[str]:
    found = {record.get("size") or "" for record in questions_scored(records)}
    return sorted(found, key=lambda size: (size_rank(size), size))


def conversations_of(records: Iterable[Record], size: str) -> int:
    return len({record["case"] for record in _of_size(records, size)})


def abilities_of(records: Iterable[Record], size: str) -> list[str]:
    """The abilities that are asked for at a size, in the order of the set."""
    kinds = {record["kind"] for record in _of_size(records, size)}
    return [ability for ability in ABILITIES if ability in kinds]


def ability_mean(records: Sequence[Record], size: str, ability: str) -> Mean | None:
    """The mean score at a size, of one ability or of ``all``."""
    chosen = [r for r in _of_size(records, size) if ability in {ALL, r["kind"]}]
    return mean_of(chosen, lambda record: record["score"])


def order_mean(records: Sequence[Record], size: str, figure: str) -> Mean | None:
    chosen = [record for record in _of_size(records, size) if record.get("ordering")]
    return mean_of(chosen, lambda record: record["ordering"][figure])


def _of_tenth(records: Iterable[Record], tenth: int) -> list[Record]:
    return [record for record in questions_scored(records) if tenth in record.get("tenths", ())]


def questions_of_tenth(records: Iterable[Record], tenth: int) -> int:
    """How many questions have evidence in a tenth, whatever the strategies and trials."""
    return len({(record["case"], record["probe"]) for record in _of_tenth(records, tenth)})


def tenth_mean(records: Sequence[Record], tenth: int) -> Mean | None:
    return mean_of(_of_tenth(records, tenth), lambda record: record["score"])
