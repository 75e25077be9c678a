"""The mock endpoint in a process of its own, and what it counted."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.benchmarks.checkouts import ROOT


@dataclass(frozen=True, slots=True)
class MockProcess:
    """A running mock endpoint: its address, and the seconds that each reply takes."""

    url: str
    latency: float

    def taken(self) -> dict[str, float]:
        """The figures since they were last taken: calls, seconds, most, busy, cpu."""
        return figures_at(self.url)


def figures_at(url: str) -> dict[str, float]:
    """Take the figures of the mock endpoint with that address."""
    with urllib.request.urlopen(f"{url.removesuffix('/v1')}/figures") as reply:
        return dict(json.loads(reply.read()))


@contextmanager
def mock_process(latency: float) -> Iterator[MockProcess]:
    """Run a mock endpoint as long as the block lasts."""
    command = [sys.executable, "-m", "tests.benchmarks.mock_endpoint", str(latency)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            url = process.stdout.readline().strip() if process.stdout else ""
            if not url:
                raise SystemExit("the mock endpoint did not start")
            yield MockProcess(url, latency)
        finally:
            process.kill()
