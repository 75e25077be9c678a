"""A run in which the model is offered the tool that compacts its conversation."""

import json

from support.scenarios import flat, records, run, set_up, write_cases
from support.stub_endpoint import long_case, serving

from pytest_compaction.compactors.products.langchain import OFFER


def test_the_model_is_asked_in_a_turn_before_the_trigger_and_its_calls_are_counted(
    pytester, monkeypatch
):
    set_up(pytester, "first")
    write_cases(pytester, long_case("first"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    arguments = ("--compaction-trigger=auto", "--compaction-model=glm-4.6")
    with serving() as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        shown = run(
            pytester,
            *("--compactor=deepagents:tool=yes:trigger=600tokens:keep=2", *arguments),
            *("--compaction-over-budget=report", "-n0"),
            compactor=None,
        )
        asked = [body for body in stub.bodies.values() if OFFER in json.dumps(body)]
    assert "deepagents with tool=yes asks the model in each turn" in flat(shown.outlines)
    assert asked
    spent = [record["usage"]["compaction"]["calls"] for record in records(pytester).records]
    assert max(spent) >= len(asked)
