"""How much of what an endpoint allows is used: ``python -m tests.benchmarks limit``.

Whole runs of the shipped cases with ``anchored`` and ``regenerate``, whose three roles all ask a
mock endpoint that answers after a fixed latency. The share of the limit counts from the first
request to the last reply: calls × latency ÷ seconds ÷ requests allowed in flight. Each run is
made again without its calls, but with what rules found before. Beside them the same requests are
sent by the openai package alone, and by a bare client that shows what the mock endpoint itself can
do. ``--only "300 ms, 32 "`` takes the rows with this in their name.
"""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.benchmarks import arguments as options
from tests.benchmarks.checkouts import Checkout, checkouts
from tests.benchmarks.figures import Column, Row, Sample, least_seconds, share_of_limit, table
from tests.benchmarks.measured_run import SHOWN, fresh_folder, run_module, run_pytest
from tests.benchmarks.mock_process import MockProcess, mock_process

ENDPOINTS = ((300, 32), (1000, 32), (1000, 64))
"""Latency in milliseconds, and requests allowed in flight."""
WORKERS = (0, 8)
SLOW = 1000
"""Milliseconds of latency from which the longest chain of calls can be what a run waits for."""

COLUMNS = (
    Column("calls", "calls", 0),
    Column("calls a second", "rate", 0, compared=True),
    Column("share of the limit", "share", 2, compared=True),
    Column("in flight, most", "most", 0),
    Column("in flight, mean", "mean"),
    Column("latency served (ms)", "served", 0),
    Column("first request to last reply (s)", "asking"),
    Column("least possible (s)", "least"),
    Column("times the least", "over", 2),
    Column("whole run (s)", "seconds", compared=True),
    Column("CPU time (s)", "cpu"),
    Column("CPU a call (ms)", "each", 1, compared=True),
    Column("of the mock (ms)", "mock", 2),
)


def main(arguments: Sequence[str]) -> None:
    """Print the table as Markdown."""
    chosen = options.parser("limit", __doc__).parse_args(arguments)
    compared = checkouts(chosen.against)
    rows = [row for endpoint in ENDPOINTS for row in _rows(chosen, compared, *endpoint)]
    against = compared[0].commit if len(compared) > 1 else None
    sys.stdout.write(f"{table(rows, COLUMNS, against)}\n")


def _rows(
    chosen: argparse.Namespace, compared: Sequence[Checkout], milliseconds: int, in_flight: int
) -> Iterator[Row]:
    """The rows of one kind of endpoint."""
    what = f"{milliseconds} ms, {in_flight} in flight"
    names = {f"{what}, -n {workers}": workers for workers in WORKERS}
    wanted = [name for name in names if options.is_wanted(chosen, name)]
    if not wanted:
        return
    with mock_process(milliseconds / 1000) as server, tempfile.TemporaryDirectory() as kept:
        bodies = Path(kept) / "bodies.jsonl"
        for name in wanted:
            one = _measurement(name, names[name], in_flight, server, bodies, chosen)
            yield from options.interleaved(one, compared, chosen.repeat)
        for kind, words in (("openai", "openai alone"), ("bare", "mock endpoint alone")):
            samples: list[Sample] = []
            for _ in range(chosen.repeat):
                sent = run_module("sender", kind, str(bodies), server.url, str(in_flight))
                found = json.loads(sent)
                samples.append(_sample(found, found["sent_cpu"], server, in_flight))
            yield Row(f"{what}, {words}", "", samples)


def _measurement(
    name: str,
    workers: int,
    in_flight: int,
    server: MockProcess,
    bodies: Path,
    chosen: argparse.Namespace,
) -> options.Measurement:
    """Measures a run, and the same again with what rules found before, but an empty store.

    The first one leaves its requests in ``bodies``.
    """
    asked = ["--compactor=anchored,regenerate", "--compaction-model=some-name", f"-n{workers}"]
    asked += [f"--compaction-concurrency={in_flight}", *options.cases_of(chosen)]
    address = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"}

    def measured(checkout: Checkout, folder: Path) -> Sample:
        server.taken()
        run = run_pytest(checkout, folder, asked, address)
        figures = server.taken()
        if not figures["calls"]:
            output = (folder / "output.txt").read_text("utf-8", "replace")
            raise SystemExit(f"the run asked the endpoint for nothing:\n{output[-SHOWN:]}")
        found = _sample(figures, run.cpu, server, in_flight)
        if server.latency * 1000 >= SLOW:
            chain = longest_chain(folder)
            least = least_seconds(figures["calls"], server.latency, in_flight, chain)
            found = {**found, "least": least, "over": figures["seconds"] / least}
        return {**found, "seconds": run.seconds}

    def measure(checkout: Checkout) -> list[Sample]:
        with fresh_folder() as folder:
            first = measured(checkout, folder)
            kept = folder / ".pytest_compaction"
            if not bodies.exists():
                stored = [json.loads(p.read_bytes()) for p in sorted(kept.glob("store/??/*.json"))]
                lines = (f"{json.dumps(call['request'])}\n" for call in stored)
                bodies.write_text("".join(lines), "utf-8")
            for name in ("store", "runs"):
                shutil.rmtree(kept / name)
            return [first, measured(checkout, folder)]

    return options.Measurement([f"{name}, first", f"{name}, again"], measure)


def longest_chain(folder: Path) -> int:
    """The most calls of one case that wait for each other: summaries, an answer, its verdict."""
    (run,) = (folder / ".pytest_compaction/runs").glob("*.jsonl")
    _, *records = map(json.loads, run.read_text("utf-8").splitlines())
    return max(
        sum(used.get("calls", 0) for used in record.get("usage", {}).values()) for record in records
    )


def _sample(
    figures: dict[str, float], cpu: float, server: MockProcess, in_flight: int
) -> dict[str, float]:
    """The figures of a row from what the mock endpoint counted."""
    calls, seconds = figures["calls"], figures["seconds"]
    return {
        "calls": calls,
        "rate": calls / seconds,
        "share": share_of_limit(calls, server.latency, seconds, in_flight),
        "most": figures["most"],
        "mean": figures["busy"] / seconds,
        "served": figures["busy"] / calls * 1000,
        "asking": seconds,
        "cpu": cpu,
        "each": cpu / calls * 1000,
        "mock": figures["cpu"] / calls * 1000,
    }
