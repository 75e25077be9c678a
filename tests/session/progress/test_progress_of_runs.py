"""Runs that ask a model say on their way how many calls are done, and other runs say nothing."""

import itertools
import re

import pytest
from support.endpoint_builders import KEY
from support.scenarios import lean, records, write_cases
from support.stub_endpoint import PRICED, long_case, serving
from support.worker_counts import BOTH

from pytest_compaction.session import progress_line as hooks

LINE = re.compile(r"compaction: (\d+) of (about )?(\d+) calls(.*)")


@pytest.fixture
def project(pytester, monkeypatch):
    """Two cases, an endpoint, and a clock that a minute passes on whenever it is looked at."""
    write_cases(pytester, long_case("first"), long_case("second"))
    pytester.makeconftest(PRICED)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    minutes = itertools.count()
    monkeypatch.setattr(hooks, "clock", lambda: 61.0 * next(minutes))
    with serving() as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)

        def run(*arguments, compactor="anchored"):
            given = [f"--compactor={compactor}", "--compaction-model=gpt-4o-mini", *arguments]
            return pytester.runpytest_inprocess(*lean(), *given)

        run.stub = stub
        yield run


def lines(result):
    return [found.groups() for line in result.outlines if (found := LINE.fullmatch(line))]


@BOTH
def test_a_run_says_how_far_it_is(pytester, project, workers):
    result = project(workers)
    shown = lines(result)
    assert shown
    asked = len(project.stub.calls)
    assert {about for _, about, _, _ in shown[:-1]} >= {"about "}
    *_, (done, about, known, rest) = shown
    assert about == "about "
    assert asked <= int(known) + 2, "those that check the endpoint are not planned"
    assert [int(number) for number, *_ in shown] == sorted(int(number) for number, *_ in shown)
    assert int(done) <= asked
    assert "US dollars so far" in rest
    held = (pytester.path / ".pytest_compaction/runs").glob("*.jsonl")
    assert not any("so far" in path.read_text("utf-8") for path in held)
    assert {record["status"] for record in records(pytester).records} <= {"passed", "failed"}

    again = lines(project(workers, "--compaction-max-cost=5"))
    assert again
    assert "from the store" in again[-1][3]
    assert len(project.stub.calls) == asked
    assert lines(project(workers, "-q")) == []


def test_a_run_that_asks_nobody_says_nothing(project):
    assert lines(project("--compaction-model=offline")) == []
    shown = lines(project(compactor="truncate"))
    assert {(about, int(known)) for _, about, known, _ in shown} == {(None, 16)}
    assert lines(project("--compaction-replay", compactor="truncate")) == []
    assert lines(project("--compaction-estimate")) == []
