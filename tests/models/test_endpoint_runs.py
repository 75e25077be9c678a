"""Whole runs with a model behind an endpoint: scored, or unscored and the gate red."""

import json

import pytest
from support import scenarios
from support.endpoint_builders import KEY
from support.endpoint_faults import FAULTS
from support.endpoint_quirks import quirky
from support.endpoint_replies import Answer, completion, is_check, sensible
from support.endpoint_server import serving
from support.injections import ALL, IDS

from pytest_compaction.models.chat.model import FLAG
from pytest_compaction.models.chat.prompts import FIELDS

WORKERS = pytest.mark.parametrize("workers", [0, pytest.param(2, marks=pytest.mark.exhaustive)])


@pytest.fixture
def served(monkeypatch):
    """Runs against a server that answers as given."""

    def run(pytester, decide, *arguments, workers=0, **how):
        with serving(decide) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            monkeypatch.setenv("OPENAI_API_KEY", KEY)
            named = ("--compaction-model=test-model", f"-n{workers}")
            result = scenarios.run(pytester, *named, *arguments, **how)
        return result, server

    return run


def statuses(pytester):
    records = scenarios.records(pytester).records
    return {record["probe"]: record["status"] for record in records}


@WORKERS
def test_every_item_is_scored_by_the_model_named(pytester, served, workers):
    scenarios.set_up(pytester, "first")
    result, server = served(pytester, sensible, workers=workers)
    assert result.ret == 0
    records = scenarios.records(pytester).records
    assert [record["overall"] for record in records] == [4.0] * 4
    assert {record["response"] for record in records} == {"The limit is 45."}
    assert [is_check(body) for body in server.bodies] == [True] * 2 + [False] * 8
    assert {body["model"] for body in server.bodies} == {"test-model"}


@WORKERS
def test_what_the_judge_did_not_judge_is_unscored_and_the_gate_red(pytester, served, workers):
    scenarios.set_up(pytester, "first")

    def decide(asked):
        files = "Which files were edited?" in json.dumps(asked.body)
        return FAULTS["score five"](asked, 1) if files else sensible(asked)

    gate = "--compaction-threshold=overall>=1"
    result, _ = served(pytester, decide, gate, workers=workers)
    assert result.ret == 1
    assert statuses(pytester) == {
        "decided": "passed",
        "files": "unscored",
        "limit": "passed",
        "next": "passed",
    }
    [reason] = [r["reason"] for r in scenarios.records(pytester).records if r["probe"] == "files"]
    assert 'completeness_coverage.score is "five", expected a number' in reason
    assert scenarios.last_line(result).startswith("GATE FAILED")


@pytest.mark.parametrize("name", ["500 for good", "refusal"])
@pytest.mark.usefixtures("short_waits")
def test_an_endpoint_that_is_out_of_order_is_never_green(pytester, served, name):
    scenarios.set_up(pytester, "first")
    result, _ = served(
        pytester, lambda asked: FAULTS[name](asked, 1), "--compaction-threshold=overall>=0"
    )
    assert result.ret == 1
    assert "passed" not in statuses(pytester).values()
    assert all(record["overall"] is None for record in scenarios.records(pytester).records)


def test_an_answer_that_talks_to_the_judge_is_flagged_in_its_record(pytester, served):
    texts = iter(text for kind, text in ALL if kind in {"orders", "fences", "languages", "hidden"})
    assert len(IDS) == len(ALL)

    def decide(asked):
        if is_check(asked.body) or "response_format" in asked.body:
            return sensible(asked)
        return Answer(completion(f"The limit is 45.\n{next(texts)}"))

    scenarios.set_up(pytester, "first")
    served(pytester, decide)
    assert [record["flags"] for record in scenarios.records(pytester).records] == [[FLAG]] * 4


@pytest.mark.parametrize("mode", ["no-system-role", "think-closing-only", "stream-only"])
def test_a_run_at_an_endpoint_with_a_quirk_is_scored_as_at_any_other(pytester, served, mode):
    scenarios.set_up(pytester, "first")
    result, _ = served(pytester, quirky(mode, sensible))
    assert result.ret == 0
    found = scenarios.records(pytester).records
    assert [record["overall"] for record in found] == [4.0] * 4
    assert {record["response"] for record in found} == {"The limit is 45."}
    result.stdout.fnmatch_lines(["endpoint check: test-model at 127.0.0.1:*"])


def test_a_judge_prompt_of_ones_own_is_used_and_a_broken_one_is_a_usage_error(pytester, served):
    scenarios.set_up(pytester, "first")
    path = pytester.path / "mine.md"
    path.write_text("Be strict.\n" + "\n".join(f"${name}" for name in FIELDS["judge"]), "utf-8")
    option = "--compaction-judge-prompt=mine.md"
    _, server = served(pytester, sensible, option)
    measured = [body for body in server.bodies if not is_check(body)]
    judged = [body for body in measured if "response_format" in body]
    assert len(judged) == 4
    assert all(body["messages"][0]["content"].startswith("Be strict.\n") for body in judged)
    path.write_text("Be strict about $response.", "utf-8")
    result, server = served(pytester, sensible, option)
    assert result.ret == 4
    assert "mine.md lacks $criteria, $facts" in scenarios.flat(result.errlines)
    assert not server.asked
