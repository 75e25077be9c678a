"""A run of the benchmark with the mock endpoint, what it asked, and the same calls without it."""

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.benchmarks.checkouts import Checkout
from tests.benchmarks.measured_run import SHOWN, Run, run_module, run_pytest
from tests.benchmarks.mock_process import MockProcess

STRATEGIES = "anchored,regenerate"
MODEL = "some-name"


def endpoint_arguments(workers: int, in_flight: int) -> list[str]:
    """The arguments of a run whose three roles all ask the endpoint."""
    return [
        f"--compactor={STRATEGIES}",
        f"--compaction-model={MODEL}",
        f"--compaction-concurrency={in_flight}",
        f"-n{workers}",
    ]


def run_with_endpoint(
    checkout: Checkout, folder: Path, server: MockProcess, arguments: Sequence[str]
) -> tuple[Run, dict[str, float]]:
    """Run the benchmark with the address of the server, and take what the server counted."""
    server.taken()
    run = run_pytest(checkout, folder, arguments, address_of(server))
    figures = server.taken()
    if not figures["calls"]:
        output = (folder / "output.txt").read_text("utf-8", "replace")
        raise SystemExit(f"the run asked the endpoint for nothing:\n{output[-SHOWN:]}")
    return run, figures


def address_of(server: MockProcess) -> dict[str, str]:
    """The environment in which the openai package asks the server."""
    return {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"}


def write_bodies(folder: Path, to: Path) -> None:
    """Write the requests that the store of a run holds, one a line, by their digests."""
    stored = sorted((folder / ".pytest_compaction/store").glob("??/*.json"))
    requests = (json.loads(path.read_bytes())["request"] for path in stored)
    to.write_text("".join(f"{json.dumps(request)}\n" for request in requests), "utf-8")


def forget_run(folder: Path) -> None:
    """Remove the calls and the records of a run, so that the next one asks the same again."""
    for name in ("store", "runs"):
        shutil.rmtree(folder / ".pytest_compaction" / name)


def sent_alone(kind: str, bodies: Path, server: MockProcess, in_flight: int) -> dict[str, float]:
    """The figures of :mod:`tests.benchmarks.sender`, for ``openai`` or ``bare``."""
    return dict(json.loads(run_module("sender", kind, str(bodies), server.url, str(in_flight))))


def longest_chain(folder: Path) -> int:
    """The most calls of one case that wait for each other: summaries, an answer, its verdict."""
    (run,) = (folder / ".pytest_compaction/runs").glob("*.jsonl")
    return max(map(_chained, _records(run)))


def _records(run: Path) -> Iterator[dict[str, dict[str, dict[str, int]]]]:
    with run.open(encoding="utf-8") as lines:
        next(lines)  # the header
        yield from map(json.loads, lines)


def _chained(record: dict[str, dict[str, dict[str, int]]]) -> int:
    return sum(used.get("calls", 0) for used in record.get("usage", {}).values())
