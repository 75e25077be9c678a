"""Many small items: ``python -m tests.benchmarks collection [--items N]``.

Cases of eight messages and four probes, each with two strategies. Collecting them is compared
with collecting one function with as many plain parameters of the same ids.
"""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from support.scenarios import case as small_case

from tests.benchmarks import arguments as options

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
    write = partial(_write, count=count)
    offered = [
        options.runs(
            [f"collect {items}, plain parameters"],
            ["-pno:compaction", "--co", "test_plain.py"],
            write,
        ),
        options.runs(
            [f"collect {items}, {when}" for when in ("first", "again")], [*asked, "--co"], write
        ),
        options.runs([f"run {items}, -n 0"], [*asked, "-n0"], write),
        options.runs([f"run {items}, -n 8"], [*asked, "-n8"], write),
    ]
    options.print_table(chosen, offered)


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
