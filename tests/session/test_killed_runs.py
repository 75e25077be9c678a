"""Killing runs: no torn record, no torn store file, and nothing is paid for twice.

Every kill is SIGKILL at a counted point (a call asked or answered, a file or line
half-written), so that it is the same point each time. A few forked runs are always killed. With
``pytest tests/session/test_killed_runs.py -m exhaustive`` a worker of pytest-xdist is killed at
25 points and its controller at 25, and runs without pytest at all the other points. How many
calls that took and how many had to be paid twice is printed at the end.
"""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.counted import COUNTED
from support.killed_run import CONCURRENCY, MODEL
from support.paths import ROOT
from support.scenarios import PROBES, STRATEGIES, lean
from support.stub_endpoint import long_case, serving

from pytest_compaction.models import Call
from pytest_compaction.models.calls.store import Store
from pytest_compaction.records import load_run

CASES = ("first", "second")
ITEMS = len(CASES) * len(PROBES)
CALLS = len(CASES) + 2 * ITEMS
"""One summary for each case; an answer and a judgment for each probe."""
IN_PROCESS = 12
UNDER_PYTEST = 24
"""Half of them kill a worker, half the controller."""
RUNNER = ROOT / "tests/support/killed_run.py"


def seeded_points():
    """Points at which runs without pytest are killed: every kind of place, at random counts."""
    draw = random.Random(4)
    places = ["asked", "answered", "half a store file", "before the move", "after the move"]
    points = [
        {"where": places[number % 5], "at": draw.randint(1, CALLS)}
        for number in range(IN_PROCESS - 2)
    ]
    return [*points, *({"where": "half a record", "at": at} for at in (2, ITEMS - 1))]


def pytest_points(count, seed):
    """The process to kill under ``-n 2``, the call, and whether at its request or its reply."""
    draw = random.Random(seed)
    who = ["worker", "controller"]
    when = ["asked", "answered"]
    return [(who[n % 2], when[n // 2 % 2], draw.randint(1, CALLS - 2)) for n in range(count)]


def name_of(point):
    return f"{point['where'].replace(' ', '-')}-{point['at']}"


def some(params, chosen, name):
    """All points; without ``-m exhaustive`` only a few of them run."""
    return [
        pytest.param(
            point,
            id=f"{number}-{name(point)}",
            marks=() if number in chosen else pytest.mark.exhaustive,
        )
        for number, point in enumerate(params)
    ]


@pytest.fixture(scope="module")
def runner():
    process = subprocess.Popen(
        [sys.executable, str(RUNNER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    yield process
    process.stdin.close()
    process.wait(30)
    process.stdout.close()


@pytest.fixture
def project(tmp_path):
    (tmp_path / "cases").mkdir()
    for id in CASES:
        (tmp_path / "cases" / f"{id}.json").write_text(json.dumps(long_case(id)), "utf-8")
    return tmp_path


def say(runner, line):
    runner.stdin.write(f"{line}\n")
    runner.stdin.flush()


def run_once(runner, project, stub, point=None):
    """Run in a separate process; return the signal that ended it, 0 without one."""
    already = len(stub.calls)
    say(runner, json.dumps({"root": str(project), "url": stub.url, "point": point}))
    pid = json.loads(runner.stdout.readline())["pid"]

    def kill(number):
        if number - already == point["at"]:
            os.kill(pid, signal.SIGKILL)

    if point and point["where"] in {"asked", "answered"}:
        setattr(stub, "before" if point["where"] == "asked" else "after", kill)
    say(runner, "go")
    status = json.loads(runner.stdout.readline())["status"]
    stub.settle()  # a request that waits for the lock is counted after the kill
    stub.before = stub.after = lambda number: None
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def wait_until_still(folder):
    """Wait until no more files come: a process that writes for a killed one ends what it began."""
    before = None
    while before != (now := sorted(folder.rglob("*"))):
        before = now
        time.sleep(0.3)


def whole_store_files(folder):
    """The digests of the store, after checking that each of its files is whole."""
    digests = set()
    for path in sorted(folder.glob("??/*.json")):
        data = json.loads(path.read_text("utf-8"))
        call = Call(data["operation"], data["request"], data["trial"])
        assert path == folder / call.digest[:2] / f"{call.digest}.json"
        assert asyncio.run(Store(folder, None, "replay").find(call)) is not None
        digests.add(call.digest)
    return digests


def whole_records(folder):
    """The records of the last run that wrote any; loading accepts only a torn last line."""
    runs = sorted(folder.glob("*.jsonl"))
    return load_run(runs[-1]).records if runs else []


def timeless(records):
    return [{**record, "latency_s": None} for record in records]


@pytest.mark.parametrize("point", some(seeded_points(), {1, 2, IN_PROCESS - 1}, name_of))
def test_a_killed_run_leaves_whole_files_and_the_next_pays_only_for_what_was_in_flight(
    runner, project, record_property, point
):
    with serving() as stub:
        assert run_once(runner, project, stub, point) == signal.SIGKILL
        wait_until_still(project / "store")
        paid = len(stub.calls)
        stored = whole_store_files(project / "store")
        in_flight = paid - len(stored)
        assert 0 <= in_flight <= CONCURRENCY
        for record in whole_records(project / "runs"):
            assert record["status"] == "passed"
        assert run_once(runner, project, stub) == 0
        assert len(stub.calls) == paid + CALLS - len(stored) == CALLS + in_flight
        finished = whole_records(project / "runs")
        assert [record["status"] for record in finished] == ["passed"] * ITEMS
        assert len(whole_store_files(project / "store")) == CALLS
        assert run_once(runner, project, stub) == 0
        assert len(stub.calls) == CALLS + in_flight, "a third run pays nothing"
        assert timeless(whole_records(project / "runs")) == timeless(finished)
    record_property(f"{COUNTED}kill test: runs killed without pytest", 1)
    record_property(f"{COUNTED}kill test: calls without pytest, lost and paid again", in_flight)


# --- with pytest around it -----------------------------------------------------------

PIDS = """
import os
from pathlib import Path


def pytest_configure(config):
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker:
        Path("pids").mkdir(exist_ok=True)
        Path("pids", worker).write_text(str(os.getpid()))
"""


def start_pytest(project, stub, workers=2):
    command = [sys.executable, "-m", "pytest", *lean(), f"-n{workers}", "--compactor=anchored"]
    return subprocess.Popen(
        [*command, f"--compaction-model={MODEL}", f"--compaction-concurrency={CONCURRENCY}"],
        cwd=project,
        env={**os.environ, "OPENAI_BASE_URL": stub.url},
        stdout=subprocess.DEVNULL,
    )


def workers_of(project):
    return [int(path.read_text()) for path in sorted((project / "pids").iterdir())]


def wait_for_the_end_of(pids, seconds=60):
    """Wait for workers whose controller is dead: they end by themselves and store until then."""
    deadline = time.monotonic() + seconds
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < deadline, "a worker outlived its controller"
        time.sleep(0.02)


def points_of_workers_and_controllers():
    """The points, each with an id."""
    return [
        pytest.param(*point, id="-".join([str(number), *map(str, point)]))
        for number, point in enumerate(pytest_points(UNDER_PYTEST, seed=44))
    ]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("who", "when", "at"), points_of_workers_and_controllers())
def test_a_worker_or_the_controller_killed_under_pytest_costs_only_what_was_in_flight(
    project, record_property, who, when, at
):
    (project / "conftest.py").write_text(PIDS)
    (project / "strategies.py").write_text(STRATEGIES)
    store, runs = project / ".pytest_compaction/store", project / ".pytest_compaction/runs"
    with serving() as stub:
        process = start_pytest(project, stub)
        flying = []

        def kill(number):
            if number == at and not flying:
                victim = process.pid if who == "controller" else workers_of(project)[number % 2]
                os.kill(victim, signal.SIGKILL)
                flying.append(len(stub.calls) - len(list(store.glob("??/*.json"))))

        setattr(stub, "before" if when == "asked" else "after", kill)
        code = process.wait(120)
        wait_for_the_end_of(workers_of(project))
        wait_until_still(store)
        stub.before = stub.after = lambda number: None
        assert flying, "the run was over before it could be killed"
        if who == "controller":
            assert code == -signal.SIGKILL
        elif code != 1:  # the worker had nothing left to do
            assert code == 0
            assert [r["status"] for r in whole_records(runs)] == ["passed"] * ITEMS
        paid, stored = len(stub.calls), whole_store_files(store)
        lost = paid - len(stored)
        assert lost <= max(flying[0], CONCURRENCY)
        whole_records(runs)
        second = start_pytest(project, stub, workers=0 if at % 4 else 2)
        assert second.wait(120) == 0
        assert len(stub.calls) == paid + CALLS - len(stored) == CALLS + lost
        assert [r["status"] for r in whole_records(runs)] == ["passed"] * ITEMS
    record_property(f"{COUNTED}kill test: {who}s killed under pytest", 1)
    record_property(f"{COUNTED}kill test: calls under pytest, second runs included", CALLS + lost)
    record_property(f"{COUNTED}kill test: calls under pytest, lost and paid again", lost)


def test_half_of_the_points_under_pytest_are_workers():
    who = [point[0] for point in pytest_points(UNDER_PYTEST, seed=44)]
    assert (who.count("worker"), who.count("controller")) == (12, 12)
    assert {point[1] for point in pytest_points(UNDER_PYTEST, seed=44)} == {"asked", "answered"}
