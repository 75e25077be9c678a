"""A run that is stopped early: it ends, keeps what was paid for, and nobody pays for it again."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from support.counting_endpoint import case_of, counting
from support.endpoint_project import (
    CALLS,
    IN_FLIGHT,
    ITEMS,
    MODULE,
    EndpointProject,
    arguments,
    billed,
)
from support.scenarios import PROBES
from support.stub_endpoint import role_of
from support.worker_counts import BOTH


@pytest.fixture
def project(pytester, monkeypatch):
    return EndpointProject(pytester, monkeypatch)


@contextlib.contextmanager
def holding_all_after_the_first_case(project):
    """An endpoint that judges the last probe of the first case when it has judged all others of it.

    From then on it holds all other replies. At least one of them comes before that judgement,
    and no reply is under way when it is given.
    """
    judged, closed = [], threading.Event()

    def hold(body):
        if role_of(body) != "judge" or case_of(body) != "c00":
            return closed.is_set()
        if "What is the next step?" in json.dumps(body):
            endpoint.until(lambda: len(judged) == len(PROBES) - 1)
            closed.set()
            project.wait_until_quiet(endpoint, but=1)
        else:
            judged.append(body)
        return False

    with counting(hold) as endpoint:
        yield endpoint


TOO_MANY = pytest.mark.parametrize(
    ("option", "failing"),
    [
        pytest.param("-x", ["c00-next"], marks=pytest.mark.exhaustive),
        ("--maxfail=2", ["c00-limit", "c00-next"]),
    ],
)


@BOTH
@TOO_MANY
def test_after_too_many_failures_the_run_ends_and_the_next_pays_only_for_the_rest(
    project, workers, option, failing
):
    with holding_all_after_the_first_case(project) as endpoint:
        result = project.run(endpoint, workers, option, failing=failing)
        outcomes = result.parseoutcomes()
        assert outcomes["failed"] == len(failing)
        assert "error" not in outcomes
        assert outcomes.get("skipped", 0) <= int(workers[2:]), "items that waited in a worker"
        ended_well(endpoint, project, str(result.stdout))
        rest_is_paid_for(project, endpoint)


def ended_well(endpoint, project, output):
    """What was answered is stored, nothing was asked after the stop, and the bill is whole.

    A request that was cancelled on its way may be charged for, and may not have arrived.
    """
    assert project.stored == sorted(endpoint.answered)
    assert len(endpoint.begun) <= billed(output) <= len(endpoint.answered) + IN_FLIGHT


def rest_is_paid_for(project, endpoint):
    """A second run passes, and asks only for what was not answered in the first."""
    begun, answered = len(endpoint.begun), set(endpoint.answered)
    endpoint.release()
    project.run(endpoint, "-n0").assert_outcomes(passed=ITEMS)
    again = endpoint.begun[begun:]
    assert len(again) == len(set(again)) == CALLS - len(answered)
    assert not answered.intersection(again)


@pytest.fixture
def heard():
    """Ctrl-C reaches what is started here, also where the shell began the tests with ``&``."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@BOTH
@pytest.mark.usefixtures("heard")
def test_after_ctrl_c_the_run_ends_and_the_next_pays_only_for_the_rest(project, workers):
    with counting(lambda body: len(endpoint.answered) >= 12) as endpoint:
        command = [sys.executable, "-m", "pytest", *arguments(workers)]
        process = subprocess.Popen(
            command,
            cwd=project.path,
            env={**os.environ, "OPENAI_BASE_URL": endpoint.url, "FAILING": "none"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        project.wait_until_quiet(endpoint)
        os.killpg(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=150)
        assert process.returncode == pytest.ExitCode.INTERRUPTED
        for noise in ("Traceback", "was destroyed", "never awaited", "Exception ignored", "Error"):
            assert noise not in output
        assert not members_of(process.pid), "no worker outlives the run"
        ended_well(endpoint, project, output)
        rest_is_paid_for(project, endpoint)


def members_of(group):
    """The processes of a process group that still run."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, of = stat.read_text().rpartition(")")[2].split()[:3]
            if int(of) == group and state != "Z":
                found.append(stat.parent.name)
    return found


@BOTH
def test_nothing_is_asked_for_items_that_were_deselected_or_are_skipped(project, workers):
    with counting() as endpoint:
        selected = ["-k", "c02 or c03 or c04", "--deselect", "cases/test_probes.py::test_probe"]
        selected[-1] += "[anchored-c03-files]"
        project.run(endpoint, workers, *selected).assert_outcomes(passed=11)
        assert endpoint.roles == {"compaction": 3, "responder": 11, "judge": 11}
        skipped = "skipif(True, reason='later')", "skip", "xfail(run=False)"
        for mark, outcome in zip(skipped, ("skipped", "skipped", "xfailed"), strict=True):
            marked = MODULE.replace("def test", f"@pytest.mark.{mark}\ndef test")
            project.module.write_text(f"import pytest\n{marked}")
            project.run(endpoint, workers, "-k", "c05").assert_outcomes(**{outcome: len(PROBES)})
        assert endpoint.roles == {"compaction": 3, "responder": 11, "judge": 11}
