"""Runs a benchmark: ``python -m tests.benchmarks [NAME [--page PAGE] [OPTION …]]``."""

import argparse
import importlib
import io
import shlex
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import TextIO

from tests.benchmarks.checkouts import ROOT, commit_of, machine

BENCHMARKS = {
    "limit": "share of an endpoint's limit that whole runs reach, and the CPU time of a call",
    "startup": "what an unused plugin, collection, workers and the headline command cost",
    "offline": "runs without an endpoint: the headline command, none, and all strategies",
    "long_memory": "long conversations of 0.1 to 10 million tokens: seconds and memory of runs",
    "collection": "collecting and running 8,000 small items",
    "needed": "whether what is called needed stood in the view after recorded compactions",
    "reader": "whether a model reads what dense summaries state, against two readers and the rules",
    "statistics": "how often intervals cover, alarms are false and differences are found",
}
"""Each benchmark, a module of this folder, with what it measures."""


def main(arguments: Sequence[str]) -> int:
    """Run the benchmark that the arguments name, or list all."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description=f"{_listed()}\n\nMore options: python -m tests.benchmarks NAME --help",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=not arguments or arguments[0] not in BENCHMARKS,
    )
    parser.add_argument("name", nargs="?", choices=BENCHMARKS, metavar="NAME")
    parser.add_argument("--page", type=Path, help="a page whose table of that name is replaced")
    chosen, others = parser.parse_known_args(arguments)
    if chosen.name is None:
        sys.stdout.write(f"{_listed()}\n")
        return 2 if others else 0
    benchmark = importlib.import_module(f"tests.benchmarks.{chosen.name}")
    command = shlex.join(["python", "-m", "tests.benchmarks", chosen.name, *others])
    head = f"`{command}`, commit {commit_of(ROOT)} on {machine()}"
    sys.stdout.write(f"{head}\n\n")
    sys.stdout.flush()
    shown = _Copy(sys.stdout)
    with redirect_stdout(shown):
        benchmark.main(others)
    if chosen.page:
        replace_table(chosen.page, chosen.name, f"{head}\n\n{shown.getvalue()}")
    return 0


class _Copy(io.StringIO):
    """Keeps what is written and passes it on at once: a benchmark may take an hour."""

    def __init__(self, to: TextIO) -> None:
        super().__init__()
        self._to = to

    def write(self, text: str) -> int:
        self._to.write(text)
        self._to.flush()
        return super().write(text)


def replace_table(page: Path, name: str, text: str) -> None:
    """Put a table between ``<!-- table NAME -->`` and ``<!-- /table NAME -->``."""
    begin, end = f"<!-- table {name} -->", f"<!-- /table {name} -->"
    before, found, rest = page.read_text("utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"{page} has no place for the table {name}: {begin} … {end}")
    page.write_text(f"{before}{begin}\n{text.strip()}\n{end}{after}", "utf-8")


def _listed() -> str:
    width = max(map(len, BENCHMARKS))
    return "\n".join(f"{name:<{width}}  {text}" for name, text in BENCHMARKS.items())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
