"""What the benchmarks compute from what they measured, and the tables that show it."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

Sample = Mapping[str, float]
"""The figures of one run by their names."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: the figure of that ``key``, with so many ``digits``.

    A ``compared`` column gets a second one with the ratio of medians to the other checkout.
    """

    title: str
    key: str
    digits: int = 1
    compared: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row: what was run, on which commit, and the figures of each repetition."""

    name: str
    commit: str
    samples: list[Sample]


def share_of_limit(calls: float, latency: float, seconds: float, in_flight: float) -> float:
    """The calls that were made as a share (0 to 1) of those that the endpoint could have taken.

    With ``in_flight`` requests at a time and ``latency`` seconds for each, it can take
    ``in_flight / latency`` calls a second.
    """
    return calls * latency / seconds / in_flight if seconds else 0.0


def least_seconds(calls: float, latency: float, in_flight: float, chain: float) -> float:
    """The seconds that no run can undercut.

    Either all requests are in flight all the time, or the calls of one case that wait for
    each other, a ``chain``, take longer.
    """
    return max(calls / in_flight, chain) * latency


def spread(values: Iterable[float], digits: int) -> str:
    """One figure as it is; of several the least, the median and the greatest."""
    found = sorted(value for value in values if value == value)
    if not found:
        return ""
    if len(found) == 1:
        return f"{found[0]:,.{digits}f}"
    middle = statistics.median(found)
    return " / ".join(f"{value:,.{digits}f}" for value in (found[0], middle, found[-1]))


def ratio(row: Row, other: Row, key: str) -> str:
    """How often the median of the other row goes into that of the row."""
    mine, others = (
        [sample[key] for sample in one.samples if key in sample] for one in (row, other)
    )
    if not mine or not others or not statistics.median(others):
        return ""
    return f"{statistics.median(mine) / statistics.median(others):.2f}"


def table(rows: Sequence[Row], columns: Sequence[Column], against: str | None = None) -> str:
    """A Markdown table. Rows of one name are compared with that of the commit ``against``."""
    base = {row.name: row for row in rows if row.commit == against}
    titles = ["run", "commit", *(column.title for column in columns)]
    compared = [column for column in columns if column.compared and against is not None]
    titles += [f"{column.title} ÷ {against}" for column in compared]
    lines = [titles, ["---", "---", *("---:" for _ in titles[2:])]]
    for row in rows:
        cells = [row.name, row.commit]
        for column in columns:
            values = [sample[column.key] for sample in row.samples if column.key in sample]
            cells.append(spread(values, column.digits))
        is_other = row.name in base and row.commit != against
        cells += [ratio(row, base[row.name], c.key) if is_other else "" for c in compared]
        lines.append(cells)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
