"""Cost of ``pytest-compaction import`` by the size of a transcript, for many formats.

``python -m tests.benchmarks imports [--most MB] [--from SESSION] [--only FORMAT]``. The real
session (a shipped one of pi unless ``--from`` names another) is made longer by copies in which
names, numbers and many words are others, and written in each format, with about 1, 2, 4 (and
with ``--most 8`` 8) MB of text. Each import is a process of its own: seconds of CPU for a
megabyte of the file, their slope on logarithmic axes (1 is linear), and the memory at the peak
for a megabyte.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pytest_compaction.importers.registry import conversations, importer_for, load_importers
from tests.benchmarks.length import ROOT, markdown_head, markdown_row, say, slope

SUPPORT = ROOT / "tests"
SIZES = (1, 2, 4, 8)
MEGABYTE = 1_000_000
_WORK = """
import json, resource, sys, time
from pytest_compaction.cli import main
start = time.process_time()
code = main(["import", sys.argv[1], "--output", sys.argv[2]])
seconds = time.process_time() - start
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
sys.stderr.write("\\n" + json.dumps({"seconds": seconds, "memory": memory, "code": code}))
"""


def main(arguments: Sequence[str]) -> None:
    """Print the table as Markdown, each line when it is measured."""
    sys.path.insert(0, str(SUPPORT))
    from support.long_sessions import lengthened
    from support.paths import public_data
    from support.written_transcripts import WRITERS

    parser = argparse.ArgumentParser(prog="imports", description=__doc__)
    parser.add_argument("--most", type=int, default=4)
    parser.add_argument("--from", dest="session", type=Path)
    parser.add_argument("--only", default="")
    chosen = parser.parse_args(arguments)
    session = chosen.session or public_data("pi-agent/large-session.jsonl")
    importer = importer_for(session, load_importers().importers)
    messages = next(iter(conversations(importer, session))).messages
    sizes = [size for size in SIZES if size <= chosen.most]
    logs = [lengthened(messages, size * MEGABYTE) for size in sizes]
    for line in _head(sizes):
        say(line)
    with tempfile.TemporaryDirectory() as folder:
        for name, write in WRITERS.items():
            if chosen.only in name:
                texts = [write(log) for log in logs]
                say(_row(name, [_measured(text, Path(folder)) for text in texts]))


def _measured(text: str, folder: Path) -> dict[str, float]:
    path = folder / "session.json"
    path.write_text(text, "utf-8")
    command = [sys.executable, "-c", _WORK, str(path), str(folder / "cases")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    found = dict(json.loads(done.stderr.rpartition("\n")[2]))
    return {**found, "bytes": path.stat().st_size}


def _head(sizes: Sequence[int]) -> list[str]:
    titles = [f"{size} MB (s a MB)" for size in sizes]
    columns = ["format", *titles, "slope", "memory (MB a MB)"]
    return markdown_head(columns)


def _row(name: str, found: Sequence[dict[str, float]]) -> str:
    times = [f"{one['seconds'] / one['bytes'] * MEGABYTE:.2f}" for one in found]
    sizes = [{"tokens": int(one["bytes"])} for one in found]
    last = found[-1]
    return markdown_row(
        [name, *times, f"{slope(found, sizes):.2f}", f"{last['memory'] / last['bytes']:.0f}"]
    )
