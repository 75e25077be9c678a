"""What a call costs beside the openai package: ``python -m tests.benchmarks tax``.

The shipped cases run with a mock endpoint, which leaves the results of rules, then again with all
calls, then with every call answered from the store, and the same requests are sent by the openai
package alone. The CPU time of the second run without that of the last two is what the project adds
to each call. ``--profile`` prints the functions
in which the engine spends most of its time.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.benchmarks import arguments as options
from tests.benchmarks.checkouts import Checkout, checkouts
from tests.benchmarks.endpoint_run import (
    address_of,
    endpoint_arguments,
    forget_run,
    run_with_endpoint,
    sent_alone,
    write_bodies,
)
from tests.benchmarks.figures import Column, Sample
from tests.benchmarks.measured_run import fresh_folder, run_pytest
from tests.benchmarks.mock_process import MockProcess, mock_process

LATENCY = 0.05
IN_FLIGHT = 32
PROFILER = Path(__file__).with_name("profiled_run.py")
COLUMNS = (
    Column("calls", "calls", 0),
    Column("CPU, with calls (s)", "first", 1),
    Column("CPU, replay (s)", "replay", 1),
    Column("CPU to load openai (s)", "loaded", 1),
    Column("openai, a call (ms)", "alone", 2),
    Column("beside it, a call (ms)", "tax", 2, compared=True),
)


def main(arguments: Sequence[str]) -> None:
    """Print the table as Markdown, or a profile."""
    parser = options.parser("tax", __doc__)
    options.add_cases(parser)
    parser.add_argument("--profile", action="store_true", help="profile one run of this checkout")
    chosen = parser.parse_args(arguments)
    asked = [*endpoint_arguments(0, IN_FLIGHT), *options.cases_of(chosen)]
    with mock_process(LATENCY) as server:
        if chosen.profile:
            sys.stdout.write(_profile(server, asked))
            return
        found = options.measured_table(chosen, [_measurement(server, asked)], COLUMNS)
    sys.stdout.write(f"{found}\n")


def _measurement(server: MockProcess, asked: Sequence[str]) -> options.Measurement:
    def measure(checkout: Checkout) -> list[Sample]:
        with fresh_folder() as folder:
            run_with_endpoint(checkout, folder, server, asked)
            forget_run(folder)
            first, figures = run_with_endpoint(checkout, folder, server, asked)
            replay = run_pytest(checkout, folder, [*asked, "--compaction-replay"])
            bodies = folder / "bodies.jsonl"
            write_bodies(folder, bodies)
            alone = sent_alone("openai", bodies, server, IN_FLIGHT)
        return [tax_of(figures["calls"], first.cpu, replay.cpu, alone)]

    return options.Measurement([f"{LATENCY * 1000:.0f} ms, {IN_FLIGHT} in flight, -n 0"], measure)


def tax_of(
    calls: float, first: float, replay: float, alone: Mapping[str, float]
) -> dict[str, float]:
    """The figures of a row: CPU times in seconds, of a call in milliseconds.

    ``alone`` is what the openai package used to be loaded and to send the calls.
    """
    loaded, sent = alone["load_cpu"], alone["sent_cpu"]
    return {
        "calls": calls,
        "first": first,
        "replay": replay,
        "loaded": loaded,
        "alone": sent / calls * 1000,
        "tax": (first - replay - loaded - sent) / calls * 1000,
    }


def _profile(server: MockProcess, asked: Sequence[str]) -> str:
    """The profile of a run with the endpoint."""
    (checkout,) = checkouts(None)
    with fresh_folder() as folder:
        where = folder / "profile.txt"
        command = ["-P", str(PROFILER), str(where)]
        run_pytest(checkout, folder, asked, address_of(server), command)
        return where.read_text("utf-8")
