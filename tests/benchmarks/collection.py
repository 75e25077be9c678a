"""Many small items: ``python -m tests.benchmarks collection [--items N]``.

Cases of eight messages and four probes, each with two strategies. Collecting them is compared
with collecting one function with as many plain parameters of the same ids.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from support.scenarios import case as small_case

from tests.benchmarks import arguments as options
from tests.benchmarks.checkouts import Checkout
from tests.benchmarks.figures import Sample
from tests.benchmarks.measured_run import fresh_folder, run_pytest

STRATEGIES = ("truncate", "window")
PROBES = 4
PLAIN = """import json, pathlib, pytest

IDS = json.loads(pathlib.Path(__file__).with_name("ids.json").read_text())


@pytest.mark.parametrize("id", IDS)
def test_plain(id):
    pass
"""


def main(arguments: Sequence[str]) -> None:
    """Print the table as Markdown."""
    parser = options.parser("collection", __doc__)
    parser.add_argument("--items", type=int, default=8000, metavar="N")
    chosen = parser.parse_args(arguments)
    count = chosen.items // (PROBES * len(STRATEGIES))
    items = f"{count * PROBES * len(STRATEGIES):,} items"
    asked = [f"--compactor={','.join(STRATEGIES)}"]
    collected, run = f"collect {items}", f"run {items}"
    plain = ["-pno:compaction", "--co", "test_plain.py"]
    offered = [
        _measurement([f"{collected}, plain parameters"], count, plain),
        _measurement([f"{collected}, first", f"{collected}, again"], count, [*asked, "--co"]),
        _measurement([f"{run}, -n 0"], count, [*asked, "-n0"]),
        _measurement([f"{run}, -n 8"], count, [*asked, "-n8"]),
    ]
    sys.stdout.write(f"{options.measured_table(chosen, offered, options.TIMES)}\n")


def _measurement(names: Sequence[str], count: int, arguments: Sequence[str]) -> options.Measurement:
    """Runs over so many cases, one for each name, all in one folder."""

    def measure(checkout: Checkout) -> list[Sample]:
        with fresh_folder() as folder:
            _write(folder, count)
            return [run_pytest(checkout, folder, arguments).sample() for _ in names]

    return options.Measurement(names, measure)


def _write(folder: Path, count: int) -> None:
    """Write the cases, and the plain test with the ids of their items."""
    cases = folder / "cases"
    cases.mkdir()
    ids = []
    for number in range(count):
        case = small_case(f"case-{number:04d}")
        (cases / f"{case['id']}.json").write_text(json.dumps(case), "utf-8")
        probes = [probe["id"] for probe in case["probes"]]
        ids += [f"{name}-{case['id']}-{probe}" for name in STRATEGIES for probe in probes]
    (folder / "ids.json").write_text(json.dumps(ids), "utf-8")
    (folder / "test_plain.py").write_text(PLAIN, "utf-8")
