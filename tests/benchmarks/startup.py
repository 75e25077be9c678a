"""What passes before and beside the items: ``python -m tests.benchmarks startup``.

A test file that does nothing is run without the plugin and with it; cases are collected with and
without what an earlier run left in its folder; workers are started for no item, also beside the
test files of a project; and the headline command is run twice in one folder.
"""

from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks import arguments as options
from tests.benchmarks.checkouts import Checkout
from tests.benchmarks.figures import Sample
from tests.benchmarks.measured_run import PLAIN_INI, fresh_folder, run_pytest

HEADLINE = "--compactor=anchored"
EMPTY = "def test_nothing():\n    pass\n"
WITHOUT = "-pno:compaction"
NO_ITEM = "-knamed_by_nothing"
PROJECT_FILES = 500
PROJECT_TESTS = (
    "def test_{n}():\n    case, probe = [{n}], {{'at': {n}}}\n    assert case != probe\n\n"
)
UNUSED = (
    "an empty test, without the plugin",
    "an empty test, with the plugin unused",
    "an unused plugin",
)


def main(arguments: Sequence[str]) -> None:
    """Print the table as Markdown."""
    chosen = options.parser("startup", __doc__).parse_args(arguments)
    cases = options.cases_of(chosen)
    offered = [
        options.Measurement(UNUSED, unused),
        options.twice("collect", [HEADLINE, "--co", *cases]),
        options.runs(["no item, -n 0"], [HEADLINE, NO_ITEM, "-n0", *cases]),
        options.runs(["no item, -n 8"], [HEADLINE, NO_ITEM, "-n8", *cases]),
        *(
            options.runs(
                [f"no item beside {PROJECT_FILES} test files, -n {workers}"],
                [HEADLINE, NO_ITEM, f"-n{workers}", *cases],
                write_tests,
            )
            for workers in (0, 8)
        ),
        options.twice("headline, -n 0", [HEADLINE, "-n0", *cases]),
        options.twice("headline, -n 8", [HEADLINE, "-n8", *cases]),
    ]
    options.print_table(chosen, offered)


def unused(checkout: Checkout) -> list[Sample]:
    """An empty test without the plugin and with it, and the difference of the two."""
    with fresh_folder(PLAIN_INI) as folder:
        (folder / "test_empty.py").write_text(EMPTY, "utf-8")
        run_pytest(checkout, folder, [])  # so that no file is compiled in the next ones
        bare = run_pytest(checkout, folder, [WITHOUT])
        used = run_pytest(checkout, folder, [])
    more = {"seconds": used.seconds - bare.seconds, "cpu": used.cpu - bare.cpu}
    return [bare.sample(), used.sample(), more]


def write_tests(folder: Path) -> None:
    """Test files of a project, none of which is over cases."""
    tests = "".join(PROJECT_TESTS.format(n=number) for number in range(20))
    for number in range(PROJECT_FILES):
        (folder / f"test_{number}.py").write_text(tests, "utf-8")
