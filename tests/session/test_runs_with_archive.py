"""``STRATEGY+archive:query=model`` in whole runs at an endpoint: queries, bills and a replay."""

import json

import pytest
from support.endpoint_project import billed
from support.endpoint_replies import Answer, completion, error, is_check, sensible
from support.endpoint_server import serving
from support.exporting import FOLDER, MODEL, answered, batch_lines, exported, reply_to, result
from support.scenarios import lean, records, write_cases
from support.stub_endpoint import long_case

from pytest_compaction.compactors.archive import PREAMBLE

ASKED = "an archive that can be searched by words"


def calling(*queries, text=None):
    """A reply that calls the tool for each query."""
    calls = [
        {
            "id": f"call-{number}",
            "type": "function",
            "function": {"name": "search_history", "arguments": json.dumps({"query": query})},
        }
        for number, query in enumerate(queries)
    ]
    return completion(text, "tool_calls", tool_calls=calls)


def by_calls(body):
    (tool,) = body["tools"]
    assert tool["function"]["name"] == "search_history"
    return Answer(calling("nowhere", "small1x3", text="Let me look."))


def by_lines(body):
    return Answer(completion("nowhere\nsmall1x3"))


def refusing_tools(body):
    if "tools" in body:
        return error("tools is not supported by this model", param="tools")
    return by_lines(body)


@pytest.mark.parametrize("replies", [by_calls, by_lines, refusing_tools])
def test_the_queries_of_a_model_are_searched_for_charged_and_replayed(
    pytester, monkeypatch, replies
):
    def searching(asked):
        if ASKED in asked.body["messages"][-1]["content"]:
            return replies(asked.body)
        return sensible(asked)

    write_cases(pytester, long_case("small"))
    strategy = "--compactor=truncate+archive:k=1:query=model"
    given = (*lean(), strategy, "--compaction-model=gpt-4o-mini", "--compaction-judge=offline")
    with serving(searching) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        first = pytester.runpytest_inprocess(*given, "-n0").stdout.str()
        bodies = [body for body in endpoint.bodies if not is_check(body)]
        if replies is refusing_tools:
            bodies = [body for body in bodies if "tools" not in body]
        assert billed(first) == len(bodies)
        pytester.runpytest_inprocess(*given, "-n0", "--compaction-replay")
        again = [body for body in endpoint.bodies if not is_check(body)]
        assert [each for each in again if each in bodies] == bodies
        assert all("tools" in each for each in again if each not in bodies)
    read = [str(body["messages"]) for body in bodies if ASKED not in str(body["messages"][-1])]
    searched = [text for text in read if PREAMBLE in text]
    found = records(pytester).records
    assert 0 < len(searched) <= len(read) == len(found)
    assert all("small1x3" in text for text in searched)
    assert sum(record["search"]["tokens"] > 0 for record in found) == len(searched)
    asked = [record for record in found if record["usage"].get("view")]
    assert len(asked) == len(searched) == len(bodies) - len(read)


def test_the_tool_is_estimated_and_goes_through_batch_files(pytester, monkeypatch):
    write_cases(pytester, long_case("small"))
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    strategy, store = "--compactor=truncate+archive:k=1:query=model", "--compaction-store=kept"
    given = (*lean(), strategy, store, f"--compaction-model={MODEL}", "--compaction-judge=offline")
    estimate = pytester.runpytest_inprocess(*given, "-n0", "--compaction-estimate").stdout.str()
    assert "compaction" in estimate
    called = 0
    while True:
        exported(pytester, *given)
        lines = batch_lines(pytester.path / FOLDER)
        if not lines:
            break
        rows = []
        for line in lines:
            asked = ASKED in str(line["body"]["messages"][-1])
            assert ("tools" in line["body"]) is asked
            called += asked
            rows.append(result(line, calling("small1x3") if asked else reply_to(line["body"])))
        assert answered(pytester, rows) == 0
    pytester.runpytest_inprocess(*given, "-n0", "--compaction-replay")
    found = records(pytester).records
    assert called > 0
    assert sum(record["search"]["tokens"] > 0 for record in found) == called
