"""The check of an endpoint: once, before the first paid call."""

import json
import shutil

import pytest
from support.counting_endpoint import counting
from support.endpoint_project import EndpointProject
from support.endpoint_replies import error, is_check
from support.worker_counts import BOTH


@pytest.fixture
def project(pytester, monkeypatch):
    return EndpointProject(pytester, monkeypatch)


@BOTH
def test_a_run_checks_once_and_only_before_a_call_is_paid(project, workers):
    def run(*more):
        return project.run(endpoint, workers, "-kc00 or c01", *more)

    with counting() as endpoint:
        priced = {"name": "gpt-4o-mini", "input": 1, "output": 1}
        (project.path / "prices.json").write_text(
            json.dumps({"as_of": "2026-01-31", "models": [priced]})
        )
        result = run("--compaction-max-cost=9", "--compaction-prices=prices.json")
        result.stdout.fnmatch_lines(["*besides 2", "*to check the endpoint*"])
        assert len(endpoint.checks) == 2
        assert sorted("response_format" in body for body in endpoint.checks) == [False, True]
        shutil.rmtree(project.path / ".pytest_compaction/store/checks")
        begun = len(endpoint.begun)
        run()
        run("--compaction-replay")
        assert len(endpoint.checks) == 2, "nothing is paid for, so nothing is checked"
        assert len(endpoint.begun) == begun
        run("--compaction-trials=2")
        assert len(endpoint.checks) == 4
        run("--compaction-trials=3")
        assert len(endpoint.checks) == 4, "what was found is kept"


@BOTH
def test_workers_do_without_what_the_check_found_to_be_refused(project, workers):
    refused = []
    with counting() as endpoint:
        decide = endpoint.server.decide

        def strict(asked):
            if "temperature" in asked.body:
                refused.append(asked.body)
                return error("Unsupported parameter: 'temperature'", param="temperature")
            return decide(asked)

        endpoint.server.decide = strict
        project.run(endpoint, workers, "-kc00 or c01")
        assert len(endpoint.checks) == 2
        assert refused
        assert all(map(is_check, refused))


@BOTH
def test_a_check_that_fails_lets_the_run_go_on_and_say_why(project, workers):
    with counting() as endpoint:
        endpoint.server.decide = lambda asked: error("it is gone", status=404)
        result = project.run(endpoint, workers, "-kc00")
        result.stdout.fnmatch_lines(["*answered 404: it is*"])
