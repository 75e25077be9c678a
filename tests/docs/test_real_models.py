"""The commands of docs/real-models.md, against a server on this machine."""

import json

import pytest
from support.endpoint_builders import KEY
from support.exporting import batch_lines, result, write_results
from support.pages import DOCS, arguments, code, commands
from support.scenarios import flat, lean, records, write_cases
from support.stub_endpoint import PRICED, long_case, reply_to, serving

from pytest_compaction.cli import main

PAGE = DOCS / "real-models.md"
FIRST = "pytest --compactor=none,regenerate,anchored --compaction-model=gpt-5-mini"
CHEAP_JUDGE = "pytest --compactor=anchored --compaction-model=gpt-5-mini --compaction-judge=offline"
LIMITED = (
    "pytest --compactor=anchored,truncate --compaction-model=gpt-5-mini --compaction-max-cost=2"
)


READ = "pytest --compactor=anchored,said-only --compaction-reader=gpt-5-mini"


@pytest.fixture
def endpoint(pytester, monkeypatch):
    """A server that answers at OpenAI's prices, and one case."""
    write_cases(pytester, long_case("first"))
    pytester.makeconftest(PRICED)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving() as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        yield stub


def run(pytester, command):
    return pytester.runpytest_inprocess(*lean(), *arguments(command), "-q", "--tb=short")


@pytest.mark.parametrize("command", [FIRST, CHEAP_JUDGE, LIMITED])
def test_a_command_asks_the_endpoint(pytester, endpoint, command):
    assert command in commands(PAGE)
    run(pytester, command)
    found = records(pytester).records
    named = command.partition("--compactor=")[2].split()[0].split(",")
    assert {record["compactor"] for record in found} == set(named)
    assert {record["status"] for record in found} <= {"passed", "failed"}
    roles = {role for role, calls in endpoint.roles().items() if calls}
    judged = "--compaction-judge=offline" not in command
    assert roles == {"compaction", "responder"} | ({"judge"} if judged else set())


def test_a_reader_alone_asks_about_views_and_nothing_else(pytester, endpoint):
    assert READ in commands(PAGE)
    run(pytester, READ)
    found = records(pytester).records
    assert {record["reader"] for record in found} == {"gpt-5-mini"}
    assert {fact["view"] for record in found for fact in record["facts"]} == {"absent"}
    assert {role for role, calls in endpoint.roles().items() if calls} == {"reader"}


def test_an_estimate_asks_nothing(pytester, endpoint):
    block = code(PAGE, "console", "--compaction-estimate")
    result = run(pytester, block.strip())
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["compaction  gpt-5-mini *"])
    assert "Nothing was asked." in flat(result.outlines)
    assert endpoint.calls == []


def test_what_was_recorded_is_replayed_without_the_endpoint(pytester, endpoint):
    record, replay = code(PAGE, "console", "--compaction-store=calls").strip().splitlines()
    run(pytester, record)
    asked = len(endpoint.calls)
    assert asked
    endpoint.status = 503
    result = run(pytester, replay)
    assert len(endpoint.calls) == asked
    assert {found["status"] for found in records(pytester).records} <= {"passed", "failed"}
    assert "Traceback" not in str(result.stdout)


def test_requests_and_replies_travel_in_files(pytester, endpoint, monkeypatch):
    export, answers = code(PAGE, "console", "answers out results.jsonl").strip().splitlines()
    monkeypatch.chdir(pytester.path)
    out = pytester.path / "out"
    for _ in range(4):
        run(pytester, export)
        lines = batch_lines(out)
        if not lines:
            break
        write_results(pytester.path / "results.jsonl", map(result, lines))
        assert main(answers.split()[1:]) == 0
    assert endpoint.calls == []
    replay = export.replace("--compaction-export=out", "--compaction-replay")
    run(pytester, replay)
    assert {found["status"] for found in records(pytester).records} <= {"passed", "failed"}


def test_a_model_without_an_api_reads_and_writes_text(pytester, endpoint, monkeypatch):
    export, answers = code(PAGE, "console", "--compaction-export-plain").strip().splitlines()
    monkeypatch.chdir(pytester.path)
    out = pytester.path / "out"
    result = run(pytester, export)
    assert result.ret == pytest.ExitCode.OK
    requests = sorted((out / "requests").iterdir())
    for request in requests:
        call = json.loads((out / "calls" / f"{request.stem}.json").read_text("utf-8"))
        text = reply_to(call["body"])["choices"][0]["message"]["content"]
        (out / "replies" / request.name).write_text(text, "utf-8")
    assert main(answers.split()[1:]) == 0
    stored = {path.stem for path in (pytester.path / ".pytest_compaction/store").rglob("*.json")}
    assert stored == {request.stem for request in requests}
    assert stored
    assert endpoint.calls == []
