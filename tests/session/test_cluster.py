"""Cases on a real Dask cluster of two worker processes: the same records, also if one is killed."""

import os
import signal

import pytest
from support.dask_cluster import dask_cluster
from support.scenarios import PROBES, flat, own, records, run, set_up, write_cases
from support.stub_endpoint import long_case, serving

pytest.importorskip("distributed", reason="the extra dask is not installed")

MODEL = "gpt-4o-mini"
KEY = "sk-for-this-test-0123456789abcdef"
CASES = ("first", "fourth", "second", "third")
CALLS_OF_A_TASK = 1 + 2 * len(PROBES)
"""A summary, and an answer and a judgment for each probe."""
CALLS = CALLS_OF_A_TASK * len(CASES)


@pytest.fixture(scope="module")
def stub():
    with serving() as stub:
        yield stub


@pytest.fixture(scope="module")
def cluster(stub):
    with dask_cluster(OPENAI_BASE_URL=stub.url, OPENAI_API_KEY=KEY) as cluster:
        yield cluster


@pytest.fixture
def endpoint(stub, monkeypatch):
    """The endpoint for this process too; the key is only with the workers."""
    monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return stub


def timeless(run_file):
    return [{**record, "latency_s": None} for record in run_file.records]


@pytest.mark.exhaustive
def test_a_cluster_writes_the_records_of_one_process(pytester, cluster):
    set_up(pytester, "first", "second")
    options = [f"--compactor=anchored,{own('forget')},{own('raises')}"]
    here = run(pytester, *options, "-n0", compactor=None)
    local = records(pytester)
    there = run(pytester, *options, f"--compaction-executor={cluster.executor}", compactor=None)
    assert there.ret == here.ret
    there.stdout.fnmatch_lines([f"compaction: cases run at {cluster.executor}, without workers*"])
    remote = records(pytester)
    assert remote.header == local.header
    assert remote.records == local.records
    assert {record["status"] for record in remote.records} == {"passed", "failed", "error"}


@pytest.mark.exhaustive
def test_a_killed_worker_costs_at_most_the_calls_of_its_task(pytester, cluster, endpoint):
    write_cases(pytester, *(long_case(id) for id in CASES))
    options = ["--compactor=anchored", f"--compaction-model={MODEL}"]
    killed = []

    def kill(number):
        if number == CALLS // 3:
            os.kill(cluster.workers[0], signal.SIGKILL)
            killed.append(number)

    endpoint.before = kill
    there = f"--compaction-executor={cluster.executor}"
    result = run(pytester, *options, there, compactor=None)
    endpoint.before = lambda number: None
    assert killed
    result.assert_outcomes(passed=len(CASES) * len(PROBES))
    asked = len(endpoint.calls)
    assert len(set(endpoint.calls)) == CALLS
    assert CALLS <= asked <= CALLS + CALLS_OF_A_TASK
    remote = records(pytester)
    assert f"this run: {CALLS} calls made" in flat(result.outlines)

    again = run(pytester, *options, there, compactor=None)
    assert f"this run: 0 calls made; {CALLS} came from the store" in flat(again.outlines)
    run(pytester, *options, "--compaction-replay", "-n0", compactor=None)
    assert timeless(remote) == timeless(records(pytester))
    assert len(endpoint.calls) == asked
    written = [path for path in pytester.path.rglob("*") if path.is_file()]
    assert not [path for path in written if KEY.encode() in path.read_bytes()]
