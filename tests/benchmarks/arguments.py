"""Options that several benchmarks share, and the order in which the checkouts are measured."""

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.checkouts import Checkout, checkouts
from tests.benchmarks.figures import Column, Row, Sample, table

SHIPPED = "shipped"
"""The name of the cases of the package on the command line."""


def parser(name: str, text: str | None) -> argparse.ArgumentParser:
    """A parser with the options that all benchmarks of whole runs have."""
    made = argparse.ArgumentParser(
        prog=f"python -m tests.benchmarks {name}",
        description=text,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--against", type=Path, metavar="PATH", help="another checkout to compare")
    made.add_argument("--repeat", type=int, default=1, metavar="N", help="runs of each row")
    made.add_argument(
        "--only",
        action="append",
        metavar="TEXT",
        help="rows with this in their name; repeatable",
    )
    return made


def is_wanted(chosen: argparse.Namespace, name: str) -> bool:
    """Whether the options take the rows with this name."""
    return chosen.only is None or any(text in name for text in chosen.only)


def add_cases(made: argparse.ArgumentParser) -> None:
    made.add_argument("--cases", type=Path, metavar="PATH", help="in place of the shipped ones")


def cases_of(chosen: argparse.Namespace) -> list[str]:
    """The argument of pytest for the chosen cases: a project with a gate has to name them."""
    chosen_cases = SHIPPED if chosen.cases is None else chosen.cases.resolve()
    return [f"--compaction-cases={chosen_cases}"]


@dataclass(frozen=True, slots=True)
class Measurement:
    """What gives the rows of these names: ``measure`` takes the figures of a checkout once."""

    names: Sequence[str]
    measure: Callable[[Checkout], Sequence[Sample]]


def interleaved(one: Measurement, compared: Sequence[Checkout], repeat: int) -> list[Row]:
    """The rows of all checkouts, which take turns, so that a slow hour slows all of them."""
    rows = {(name, at.commit): Row(name, at.commit, []) for name in one.names for at in compared}
    for _ in range(repeat):
        for checkout in compared:
            for name, sample in zip(one.names, one.measure(checkout), strict=True):
                rows[name, checkout.commit].samples.append(sample)
    return list(rows.values())


def measured_table(
    chosen: argparse.Namespace, offered: Iterable[Measurement], columns: Sequence[Column]
) -> str:
    """The table of the measurements and for the checkouts that the options name."""
    compared = checkouts(chosen.against)
    rows = [
        row
        for one in offered
        if any(is_wanted(chosen, name) for name in one.names)
        for row in interleaved(one, compared, chosen.repeat)
    ]
    against = compared[0].commit if len(compared) > 1 else None
    return table(rows, columns, against)


TIMES = (
    Column("wall time (s)", "seconds", 2, compared=True),
    Column("CPU time (s)", "cpu", 2, compared=True),
)
"""The columns of benchmarks that only time runs."""
