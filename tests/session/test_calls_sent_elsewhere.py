"""Runs whose calls are sent, and whose replies are kept, by a process of their own."""

import time

import pytest
from support.counting_endpoint import counting
from support.endpoint_project import (
    CALLS,
    IN_FLIGHT,
    ITEMS,
    EndpointProject,
    arguments,
)
from support.scenarios import run_files

from pytest_compaction.records.runs.run_file import load_run

LOADED = """
import sys
from pathlib import Path


def pytest_unconfigure():
    Path("loaded.txt").write_text(str("openai" in sys.modules))
"""
"""A conftest that notes whether pytest's process has loaded the package that sends calls."""


@pytest.fixture
def loads(pytester, monkeypatch):
    """Makes a run of its own; whether it loads the package that sends calls."""
    project = EndpointProject(pytester, monkeypatch)
    monkeypatch.setenv("FAILING", "")

    def run(endpoint, processes, conftest=LOADED):
        project.module.with_name("conftest.py").write_text(conftest)
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        result = pytester.runpytest_subprocess(
            *arguments("-n0", f"--compaction-processes={processes}")
        )
        result.assert_outcomes(passed=ITEMS)
        return (pytester.path / "loaded.txt").read_text() == "True"

    return run


def test_a_run_has_its_calls_sent_elsewhere_and_keeps_the_same(pytester, loads):
    store = pytester.path / ".pytest_compaction/store"
    with counting(lambda body: time.sleep(0.01)) as endpoint:
        assert not loads(endpoint, processes=1)
        assert endpoint.most == IN_FLIGHT
        elsewhere = texts(store)
        store.rename(pytester.path / "elsewhere")
        assert loads(endpoint, processes=0)
        assert len(endpoint.begun) == 2 * CALLS
    assert len(elsewhere) == CALLS
    assert texts(store) == elsewhere
    first, second = map(records, run_files(pytester))
    assert first == second


def test_calls_stay_in_a_run_whose_own_code_has_loaded_the_package(loads):
    with counting() as endpoint:
        assert loads(endpoint, processes=1, conftest=f"import openai\n{LOADED}")
        assert len(endpoint.begun) == CALLS


def texts(folder):
    """The bytes of the files of a store, by their names."""
    return {path.name: path.read_bytes() for path in folder.glob("??/*.json")}


def records(file):
    """The records of a run without what the clock gave."""
    return [{**record, "latency_s": None} for record in load_run(file).records]
