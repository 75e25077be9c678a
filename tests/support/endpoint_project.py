"""A project of pytester whose models are at a counting endpoint, and what its runs leave."""

import json
import re
import time

from support.counting_endpoint import WAIT_S
from support.scenarios import PROBES, lean, write_cases
from support.stub_endpoint import long_case

IN_FLIGHT = 4
CASES = tuple(f"c{number:02}" for number in range(12))
ITEMS = len(CASES) * len(PROBES)
CALLS = len(CASES) + 2 * ITEMS
"""One summary for each case; an answer and a judgement for each probe."""
MODULE = """
import os
from pathlib import Path


def test_probe(case, probe, compactor, judge):
    Path(f"{case.id}.pid").write_text(str(os.getpid()))
    judge(probe, compactor(case).ask(probe))
    assert f"{case.id}-{probe.id}" not in os.environ.get("FAILING", "").split()
"""
"""A test module in which the items that the environment names fail once they are judged."""


def arguments(*more):
    """Arguments of a run with ``anchored``; later ones take precedence."""
    return [
        *lean(),
        "-pno:randomly",  # an endpoint that holds replies waits for the first case
        "--compactor=anchored",
        "--compaction-model=gpt-4o-mini",
        f"--compaction-concurrency={IN_FLIGHT}",
        *more,
    ]


class EndpointProject:
    """Twelve cases; :meth:`run` measures them in this process."""

    def __init__(self, pytester, monkeypatch):
        self._pytester = pytester
        self._monkeypatch = monkeypatch
        self.path = pytester.path
        self.module = write_cases(pytester, *map(long_case, CASES)) / "test_probes.py"
        self.module.write_text(MODULE)

    def run(self, endpoint, *more, failing=()):
        self._monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        self._monkeypatch.setenv("FAILING", " ".join(failing))
        return self._pytester.runpytest_inprocess(*arguments(*more))

    def process_of(self, case):
        """The process that ran an item of a case last."""
        return int((self.path / f"{case}.pid").read_text())

    def wait_until_quiet(self, endpoint, but=0):
        """Wait until replies are held, none is under way, and all that were given are stored.

        ``but`` is the number of requests that wait for this.
        """
        end = time.monotonic() + WAIT_S
        while not (
            endpoint.held
            and endpoint.flying == len(endpoint.held) + but
            and self.stored == sorted(endpoint.answered)
        ):
            assert time.monotonic() < end, "replies are still under way"
            time.sleep(0.02)

    @property
    def stored(self):
        """The requests in the store, sorted."""
        files = (self.path / ".pytest_compaction/store").glob("??/*.json")
        found = [json.loads(path.read_text("utf-8"))["request"] for path in files]
        return sorted(json.dumps(request, sort_keys=True) for request in found)


def billed(output):
    """How many calls a run was charged for, as its summary says."""
    return int(re.search(r"this run: (\d+) calls? made", output)[1])
