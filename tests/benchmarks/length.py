"""Cost of a conversation by its length: ``python -m tests.benchmarks length [--most TOKENS]``.

Conversations of 0.1, 0.3, 1, 3 (and with ``--most 10000000`` 10) million tokens. Each piece of
work is measured in a process of its own: CPU time, the slope of time over length on logarithmic
axes (1 is linear), and the memory at its peak for each byte of text, the log itself included.
``--only TEXT`` takes the pieces of work with this text in their name; ``--limit SECONDS`` leaves
out the longer conversations of a piece of work that took longer than this at one length.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.benchmarks.length_work import WARM, names

ROOT = Path(__file__).parents[2]
LENGTHS = (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)


def main(arguments: Sequence[str]) -> None:
    """Print the table as Markdown, each line when it is measured."""
    parser = argparse.ArgumentParser(prog="length", description=__doc__)
    parser.add_argument("--most", type=int, default=3_000_000)
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=float, default=120.0)
    parser.add_argument("--folder", type=Path)
    chosen = parser.parse_args(arguments)
    lengths = [length for length in LENGTHS if length <= chosen.most]
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.folder or Path(temporary)
        _written(20_000, folder / WARM)
        sizes = [_written(length, folder / str(length)) for length in lengths]
        for line in _head(sizes):
            say(line)
        for name in names():
            if chosen.only in name:
                folders = [folder / str(length) for length in lengths]
                say(_row(name, list(_measured(name, folders, chosen.limit)), sizes))


def say(line: str) -> None:
    """Print a line of a table as soon as it is known."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _written(tokens: int, folder: Path) -> dict[str, int]:
    """The sizes of a conversation, which is made if the folder does not hold it."""
    if not (folder / "sizes.json").exists():
        _run("write", str(tokens), str(folder))
    return dict(json.loads((folder / "sizes.json").read_text()))


def _measured(name: str, folders: Sequence[Path], limit: float) -> Iterator[dict[str, float]]:
    for folder in folders:
        found = dict(json.loads(_run(name, str(folder))))
        yield found
        if found["seconds"] > limit:
            return


def _run(*arguments: str) -> str:
    command = [sys.executable, "-m", "tests.benchmarks.length_work", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return done.stdout


def _head(sizes: Sequence[dict[str, int]]) -> list[str]:
    titles = [f"{size['tokens'] / 1e6:.2g}M" for size in sizes]
    counted = ", ".join(
        f"{title}: {size['messages']:,} messages, {size['characters'] / 1e6:.1f} MB"
        for title, size in zip(titles, sizes, strict=True)
    )
    columns = ["work", *(f"{title} (s)" for title in titles), "slope", "memory ÷ text"]
    return [counted, "", *markdown_head(columns)]


def _row(name: str, found: Sequence[dict[str, float]], sizes: Sequence[dict[str, int]]) -> str:
    times = [f"{one['seconds']:.2f}" for one in found]
    times += ["-"] * (len(sizes) - len(found))
    share = found[-1]["memory"] / sizes[len(found) - 1]["characters"]
    return markdown_row([name, *times, f"{slope(found, sizes):.2f}", f"{share:.1f}"])


def slope(found: Sequence[dict[str, float]], sizes: Sequence[dict[str, int]]) -> float:
    """The slope of time over tokens on logarithmic axes, by least squares; NaN for one point."""
    points = [
        (math.log(size["tokens"]), math.log(one["seconds"]))
        for one, size in zip(found, sizes, strict=False)
        if one["seconds"] > 0
    ]
    across = sum(x for x, _ in points) / len(points)
    up = sum(y for _, y in points) / len(points)
    spread = sum((x - across) ** 2 for x, _ in points)
    return sum((x - across) * (y - up) for x, y in points) / spread if spread else math.nan


def markdown_head(columns: Sequence[str]) -> list[str]:
    """The first two lines of a Markdown table whose first column is text."""
    return [markdown_row(columns), markdown_row(["---", *["--:"] * (len(columns) - 1)])]


def markdown_row(cells: Sequence[str]) -> str:
    """A row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main(sys.argv[1:])
