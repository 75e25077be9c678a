"""Workers that share an endpoint: its slots, one compaction a case, and the death of a worker."""

import os
import signal
import time
from collections import Counter

import pytest
from support.counting_endpoint import case_of, counting
from support.endpoint_project import CALLS, CASES, ITEMS, EndpointProject, billed
from support.stub_endpoint import role_of
from support.worker_counts import BOTH

from pytest_compaction.session import scheduler


@pytest.fixture
def project(pytester, monkeypatch):
    return EndpointProject(pytester, monkeypatch)


SLOW = pytest.mark.exhaustive


@pytest.mark.parametrize("workers", [0, *(pytest.param(n, marks=SLOW) for n in (2, 4, 8))])
def test_a_case_is_compacted_and_a_probe_answered_once_for_each_trial(project, workers):
    with counting() as endpoint:
        selected = "(c00 or c01 or c02 or c03 or c04 or c05) and (limit or next)"
        result = project.run(endpoint, f"-n{workers}", "--compaction-trials=2", "-k", selected)
        result.assert_outcomes(passed=24)
        assert endpoint.roles == {"compaction": 12, "responder": 24, "judge": 24}


@BOTH
def test_as_many_requests_are_in_flight_as_may_and_never_more(project, workers):
    with counting(lambda body: time.sleep(0.1)) as endpoint:
        project.run(endpoint, workers, "--compaction-concurrency=6").assert_outcomes(passed=ITEMS)
        assert endpoint.most == 6
        assert len(endpoint.begun) == CALLS


@SLOW
@pytest.mark.parametrize("processors", [1, 2])
def test_as_many_workers_as_processors_ask_and_together_use_all_slots(
    project, monkeypatch, processors
):
    monkeypatch.setattr(scheduler, "processors", lambda: processors)
    with counting(lambda body: time.sleep(0.2)) as endpoint:
        project.run(endpoint, "-n3", "--compaction-concurrency=6").assert_outcomes(passed=ITEMS)
        assert endpoint.most == 6
        assert len(endpoint.begun) == CALLS
    assert len({project.process_of(case) for case in CASES}) == processors


@pytest.mark.exhaustive
def test_a_killed_worker_gives_its_slot_back_and_only_what_flew_is_paid_for_again(project):
    killed = []

    def kill(body):
        """Kill the worker that has the first case while its request has the only slot."""
        if not killed and role_of(body) == "judge" and case_of(body) == "c00":
            killed.append(endpoint.begun[-1])
            os.kill(project.process_of("c00"), signal.SIGKILL)

    with counting(kill) as endpoint:
        result = project.run(endpoint, "-n2", "--compaction-concurrency=1")
        result.assert_outcomes(passed=ITEMS - 1, failed=1)
        result.stdout.fnmatch_lines(["*worker 'gw?' crashed while running*anchored-c00-*"])
        assert [key for key, times in Counter(endpoint.begun).items() if times > 1] in ([], killed)
        assert endpoint.most == 1
        assert 0 <= len(endpoint.begun) - billed(str(result.stdout)) <= 1
        begun, stored = len(endpoint.begun), set(project.stored)
        project.run(endpoint, "-n2").assert_outcomes(passed=ITEMS)
        again = endpoint.begun[begun:]
        assert len(again) == len(set(again)) == CALLS - len(stored)
        assert not stored.intersection(again)


@pytest.mark.exhaustive
def test_a_worker_that_dies_between_requests_costs_nobody_else_anything(project):
    died = project.path / "died"
    source = project.module.read_text()
    dies = f"""
    if (case.id, probe.id) == ("c00", "limit") and not os.path.exists({str(died)!r}):
        Path({str(died)!r}).touch()
        os.kill(os.getpid(), 9)
"""
    project.module.write_text(source + dies)
    with counting() as endpoint:
        result = project.run(endpoint, "-n2")
        result.assert_outcomes(passed=ITEMS - 1, failed=1)
        result.stdout.fnmatch_lines(["*worker 'gw?' crashed while running*anchored-c00-limit*"])
        assert set(endpoint.begun) == set(project.stored)
        assert len(set(endpoint.begun)) == CALLS
        assert len(endpoint.begun) <= CALLS + 4, "at most what flew is paid for again"
