"""What is forgotten, by what was asked about: the kinds of probes of one strategy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_compaction.case.kinds import ABILITIES
from pytest_compaction.metrics.aggregate import Losses, loss_counts, overall_mean, scored
from pytest_compaction.records.record import Record
from pytest_compaction.reports.lines import Line
from pytest_compaction.text import printable

_KIND: Final = 13


def kind_lines(records: Sequence[Record]) -> Iterator[Line]:
    """A row for each kind, the best first; nothing if nothing was scored or there is one kind.

    The abilities of memory have a table of their own.

    The share is of the facts that the leading reading states: the view, or the answer.
    """
    found = [record for record in scored(records) if record["kind"] not in ABILITIES]
    kinds = sorted({record["kind"] for record in found})
    if len(kinds) < 2:
        return
    reading = "in view" if found[0].get("reading") == "view" else "answered"
    head = f"{'asked about':<{_KIND}}{'questions':>10}{'facts':>7}{reading:>10}"
    answered = loss_counts(found).unused is not None
    unused = f"{'unused':>8}" if answered else ""
    yield Line(f"{head}{'dropped':>9}{unused}{'score':>7}", "dim")
    rows = [(_score(group), kind, group) for kind in kinds if (group := _of(kind, found))]
    rows.sort(key=lambda row: (-row[0], row[1]))
    for number, (score, kind, group) in enumerate(rows, start=1):
        mark = "  weakest" if number == len(rows) and score < rows[0][0] else ""
        yield Line(_row(kind, group, score, answered) + mark)


def _of(kind: str, records: Sequence[Record]) -> list[Record]:
    return [record for record in records if record["kind"] == kind]


def _score(records: Sequence[Record]) -> float:
    mean = overall_mean(records)
    return mean.value if mean is not None else 0.0


def _row(kind: str, records: Sequence[Record], score: float, answered: bool) -> str:
    losses = loss_counts(records)
    share = f"{_stated(losses):.0%}" if losses.facts else "-"
    counts = f"{len(records):>10}{losses.facts:>7}{share:>10}"
    lost = f"{losses.dropped:>9}" + (f"{losses.unused:>8}" if answered else "")
    return f"{printable(kind, _KIND):<{_KIND}}{counts}{lost}{score:>7.2f}"


def _stated(losses: Losses) -> float:
    return losses.outcomes.get("stated", 0) / losses.facts
