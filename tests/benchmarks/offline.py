"""Runs that ask no endpoint: ``python -m tests.benchmarks offline``.

The headline command, ``none``, and all strategies that the offline model can serve, with the
control: each in an empty folder, and the same again there.
"""

from collections.abc import Sequence

from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import parse_spec
from tests.benchmarks import arguments as options


def main(arguments: Sequence[str]) -> None:
    """Print the table as Markdown."""
    chosen = options.parser("offline", __doc__).parse_args(arguments)
    cases = options.cases_of(chosen)
    names = offline_strategies()
    every = f"all {len(names)} strategies and the control, -n 2"
    offered = [
        options.twice(f"{name}, -n {workers}", [f"--compactor={strategy}", f"-n{workers}", *cases])
        for name, strategy in (("headline", "anchored"), ("none", "none"))
        for workers in (0, 8)
    ]
    named = [f"--compactor={','.join(names)}", "--compaction-control", "-n2"]
    options.print_table(chosen, [*offered, options.twice(every, [*named, *cases])])


def offline_strategies() -> list[str]:
    """The shipped strategies that need no endpoint, program or record, and are no control."""
    registry, others = Registry(), {"none", "external"}
    found = {name: registry.create(parse_spec(name)).traits for name in registry.names()}
    return [
        name
        for name, traits in found.items()
        if not (traits.by_server or traits.opaque or traits.needs_record or name in others)
    ]
