"""Runs that ask no endpoint: ``python -m tests.benchmarks offline``.

The headline command, ``none``, and all strategies that the offline model can serve, with the
control: each in an empty folder, and the same again there.
"""

import sys
from collections.abc import Sequence

from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import parse_spec
from tests.benchmarks import arguments as options
from tests.benchmarks.startup import HEADLINE, twice

CONTROL = "--compaction-control"


def main(arguments: Sequence[str]) -> None:
    """Print the table as Markdown."""
    parser = options.parser("offline", __doc__)
    options.add_cases(parser)
    chosen = parser.parse_args(arguments)
    cases = options.cases_of(chosen)
    names = offline_strategies()
    named = f"--compactor={','.join(names)}"
    every = f"all {len(names)} strategies and the control, -n 2"
    offered = [
        twice("headline, -n 0", [HEADLINE, "-n0", *cases]),
        twice("headline, -n 8", [HEADLINE, "-n8", *cases]),
        twice("none, -n 0", ["--compactor=none", "-n0", *cases]),
        twice("none, -n 8", ["--compactor=none", "-n8", *cases]),
        twice(every, [named, CONTROL, "-n2", *cases]),
    ]
    sys.stdout.write(f"{options.measured_table(chosen, offered, options.TIMES)}\n")


def offline_strategies() -> list[str]:
    """The shipped strategies that need no endpoint, program or record, and are no control."""
    registry = Registry()
    found = []
    for name in registry.names():
        traits = registry.create(parse_spec(name)).traits
        if not (traits.by_server or traits.opaque or traits.needs_record) and name not in {
            "none",
            "external",
        }:
            found.append(name)
    return found
