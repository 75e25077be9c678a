"""The example of docs/own-compactor.md, offline and against a server on this machine."""

import pytest
from support.endpoint_builders import KEY
from support.pages import DOCS, arguments, code
from support.scenarios import lean, records, write_cases
from support.stub_endpoint import long_case, role_of, serving

PAGE = DOCS / "own-compactor.md"
BUDGET = 400


@pytest.fixture
def example(pytester):
    """Runs the first or the second command of the page over one case."""
    write_cases(pytester, long_case("first", BUDGET))
    source = code(PAGE, "python", "# my_summary.py")
    (pytester.path / "my_summary.py").write_text(source, "utf-8")
    commands = code(PAGE, "console", "my_summary").strip().splitlines()

    def run(number):
        pytester.runpytest_inprocess(*lean(), *arguments(commands[number]), "-q", "--tb=short")
        return [r for r in records(pytester).records if r["compactor"] != "truncate"]

    return run


def test_the_example_runs_offline(example):
    found = example(0)
    assert {record["status"] for record in found} <= {"passed", "failed"}
    assert {record["usage"]["compaction"]["calls"] for record in found} == {2}
    assert all(record["tokens"]["view"] <= BUDGET for record in found)


def test_the_example_asks_the_endpoint_as_the_page_says(example, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving() as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        found = example(1)
        asked = [body for body in map(stub.bodies.get, stub.calls) if role_of(body) == "compaction"]
    assert {record["status"] for record in found} <= {"passed", "failed"}
    assert asked
    for body in asked:
        prompt = body["messages"][-1]["content"]
        assert "Above all: Name every file, every decision and what is still to be done." in prompt
        assert body["max_tokens"] >= BUDGET // 3


def test_the_example_has_about_twenty_lines():
    lines = code(PAGE, "python", "# my_summary.py").strip().splitlines()
    assert len(lines) - 1 <= 22, "twenty lines, and the name of the file before them"
