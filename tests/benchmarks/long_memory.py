"""Long conversations by their length: ``python -m tests.benchmarks long_memory [--most TOKENS]``.

Conversations of 0.1, 1 and (with ``--most 10000000``) 10 million tokens are written in the
format of BEAM. They are read, and asked with strategies that rules serve, each in a process of its
own that starts no other: seconds of CPU, their slope over tokens on logarithmic axes (1 is
linear), and the memory of the process at its peak. ``memory ÷ text`` is what the longest takes
more than the shortest, for each byte that it is longer. ``--only TEXT`` takes the rows with this
text in their name.
"""

import argparse
import json
import math
import statistics
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from support.long_conversations import write

from pytest_compaction.case import size_name
from tests.benchmarks import arguments as options
from tests.benchmarks.checkouts import Checkout, checkouts
from tests.benchmarks.measured_run import Run, fresh_folder, run_pytest

LENGTHS = (100_000, 1_000_000, 10_000_000)
STRATEGIES = ("window", "rag", "light")
MEGABYTE = 1_000_000
_READ = """
import sys
from pathlib import Path
from pytest_compaction.case.long_memory.places import conversations
found = [case for _, case in conversations(Path(sys.argv[1]), "read")]
sys.exit(0 if all(hasattr(case, "messages") for case in found) and len(found) == 1 else 2)
"""

Work = Callable[[Path], Run]


def main(arguments: Sequence[str]) -> None:
    """Print the table as Markdown, each line when it is measured."""
    parser = argparse.ArgumentParser(prog="long_memory", description=__doc__)
    parser.add_argument("--most", type=int, default=1_000_000)
    parser.add_argument("--only", action="append")
    chosen = parser.parse_args(arguments)
    lengths = [length for length in LENGTHS if length <= chosen.most]
    (checkout,) = checkouts(None)

    def read(folder: Path) -> Run:
        with fresh_folder() as empty:
            return run_pytest(checkout, empty, [str(folder)], command=("-c", _READ), usual=())

    works: dict[str, Work] = {"read": read}
    works |= {f"`{name}`, a run": _asked(checkout, name) for name in STRATEGIES}
    with tempfile.TemporaryDirectory() as temporary:
        folders = [_written(length, Path(temporary)) for length in lengths]
        texts = [_characters(folder) for folder in folders]
        for line in _head(lengths, texts):
            print(line, flush=True)
        for name, work in works.items():
            if options.is_wanted(chosen, name):
                print(_row(name, [work(folder) for folder in folders], lengths, texts), flush=True)


def _written(tokens: int, folder: Path) -> Path:
    """The folder of a conversation of that length, of random words around ten facts."""
    made: Path = write(folder / size_name(tokens) / "1", tokens, plans=10 if tokens > 10**6 else 1)
    return made


def _characters(folder: Path) -> int:
    """Bytes of what is said in a conversation, without the keys around it."""
    files = [path for path in folder.rglob("chat.json") if path.parent == folder] or [
        *folder.rglob("chat.json")
    ]
    return sum(_said(json.loads(path.read_text("utf-8"))) for path in files)


def _said(value: object) -> int:
    if isinstance(value, list):
        return sum(map(_said, value))
    if not isinstance(value, dict):
        return 0
    own = value.get("content")
    return len(own.encode()) if isinstance(own, str) else sum(map(_said, value.values()))


def _asked(checkout: Checkout, strategy: str) -> Work:
    given = ["-n0", "--compaction-timeout=3600"]

    def run(folder: Path) -> Run:
        named = [f"--compactor={strategy}", f"--compaction-cases={folder}"]
        with fresh_folder() as empty:
            return run_pytest(checkout, empty, [*named, *given])

    return run


def _head(lengths: Sequence[int], texts: Sequence[int]) -> list[str]:
    titles = [f"{length / 1e6:.2g}M" for length in lengths]
    counted = ", ".join(
        f"{title}: {text / MEGABYTE:.1f} MB of text"
        for title, text in zip(titles, texts, strict=True)
    )
    columns = ["work", *(f"{title} (s)" for title in titles), "slope"]
    columns += [*(f"{title} (MB)" for title in titles), "memory ÷ text"]
    return [counted, "", _cells(columns), _cells(["---", *["--:"] * (len(columns) - 1)])]


def _row(name: str, runs: Sequence[Run], lengths: Sequence[int], texts: Sequence[int]) -> str:
    axes = list(map(math.log, lengths)), [math.log(run.cpu) for run in runs]
    rise = statistics.linear_regression(*axes).slope if len(runs) > 1 else math.nan
    cells = [name, *(f"{run.cpu:.1f}" for run in runs), f"{rise:.2f}"]
    cells += [f"{run.memory / MEGABYTE:.0f}" for run in runs]
    longer = texts[-1] - texts[0]
    share = (runs[-1].memory - runs[0].memory) / longer if longer else math.nan
    return _cells([*cells, f"{share:.1f}"])


def _cells(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
