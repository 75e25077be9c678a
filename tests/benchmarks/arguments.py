"""Options that several benchmarks share, and the order in which the checkouts are measured."""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.checkouts import Checkout, checkouts
from tests.benchmarks.figures import Column, Row, Sample, table
from tests.benchmarks.measured_run import fresh_folder, run_pytest


def parser(name: str, text: str | None) -> argparse.ArgumentParser:
    """A parser with the options that all benchmarks of whole runs have."""
    made = argparse.ArgumentParser(
        prog=f"python -m tests.benchmarks {name}",
        description=text,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--against", type=Path, metavar="PATH", help="another checkout to compare")
    made.add_argument("--repeat", type=int, default=1, metavar="N", help="runs of each row")
    text = "rows with this in their name; repeatable"
    made.add_argument("--only", action="append", metavar="TEXT", help=text)
    made.add_argument("--cases", type=Path, metavar="PATH", help="in place of the shipped ones")
    return made


def is_wanted(chosen: argparse.Namespace, name: str) -> bool:
    """Whether the options take the rows with this name."""
    return chosen.only is None or any(text in name for text in chosen.only)


def cases_of(chosen: argparse.Namespace) -> list[str]:
    """The argument of pytest for the chosen cases: a project with a gate has to name them."""
    return [f"--compaction-cases={chosen.cases.resolve() if chosen.cases else 'shipped'}"]


@dataclass(frozen=True, slots=True)
class Measurement:
    """What gives the rows of these names: ``measure`` takes the figures of a checkout once."""

    names: Sequence[str]
    measure: Callable[[Checkout], Sequence[Sample]]


def runs(
    names: Sequence[str], arguments: Sequence[str], write: Callable[[Path], None] | None = None
) -> Measurement:
    """Runs of pytest in a fresh folder, which ``write`` fills: one for each name."""

    def measure(checkout: Checkout) -> list[Sample]:
        with fresh_folder() as folder:
            if write is not None:
                write(folder)
            return [run_pytest(checkout, folder, arguments).sample() for _ in names]

    return Measurement(names, measure)


def twice(name: str, arguments: Sequence[str]) -> Measurement:
    """A run in a fresh folder, and the same one again there."""
    return runs([f"{name}, first", f"{name}, again"], arguments)


def interleaved(one: Measurement, compared: Sequence[Checkout], repeat: int) -> list[Row]:
    """The rows of all checkouts, which take turns, so that a slow hour slows all of them."""
    rows = {(name, at.commit): Row(name, at.commit, []) for name in one.names for at in compared}
    for _ in range(repeat):
        for checkout in compared:
            for name, sample in zip(one.names, one.measure(checkout), strict=True):
                rows[name, checkout.commit].samples.append(sample)
    return list(rows.values())


def print_table(chosen: argparse.Namespace, offered: Iterable[Measurement]) -> None:
    """Print the times of the measurements and for the checkouts that the options name."""
    compared = checkouts(chosen.against)
    rows = [
        row
        for one in offered
        if any(is_wanted(chosen, name) for name in one.names)
        for row in interleaved(one, compared, chosen.repeat)
    ]
    against = compared[0].commit if len(compared) > 1 else None
    sys.stdout.write(f"{table(rows, TIMES, against)}\n")


TIMES = (
    Column("wall time (s)", "seconds", 2, compared=True),
    Column("CPU time (s)", "cpu", 2, compared=True),
)
"""The columns of benchmarks that only time runs."""
