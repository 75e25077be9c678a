"""Runs in which a model reads the views: what it is asked, and what becomes of its replies."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from support import scenarios
from support.choices import choice_data
from support.endpoint_builders import KEY
from support.endpoint_replies import Answer, checked, completion, is_check, sensible
from support.endpoint_server import serving
from support.scenarios import case, flat, own, run_files
from support.worker_counts import BOTH

READER = "--compaction-reader=test-model"
PASSAGE = "the retry limit"
STATED = {"passage": PASSAGE, "outcome": "stated"}
ABSENT = {"passage": "", "outcome": "absent"}


def members(asked):
    """The claims of a request by number, each as the text of its line."""
    text = asked.body["messages"][-1]["content"]
    block = text.split("<<< claims ")[1].split(">>> end of claims")[0]
    return dict(line.split(". ", 1) for line in block.splitlines()[1:])


def replying(decide):
    """An endpoint that says of each claim what ``decide`` gives for its line."""

    def answer(asked):
        if is_check(asked.body):
            return Answer(checked())
        said = {number: decide(line) for number, line in members(asked).items()}
        return Answer(completion(json.dumps(said)))

    return answer


@pytest.fixture
def measured(pytester, monkeypatch):
    """Runs a case, of which a model reads the views; gives the result, records and requests."""

    def run(decide, *arguments, ids=("first",), compactor="keep", cases=()):
        scenarios.set_up(pytester, *ids)
        scenarios.write_cases(pytester, *cases)
        with serving(decide) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            monkeypatch.setenv("OPENAI_API_KEY", KEY)
            result = scenarios.run(pytester, READER, *arguments, compactor=compactor)
        asked = [each for each in server.asked if not is_check(each.body)]
        found = scenarios.records(pytester).records if run_files(pytester) else ()
        return result, {record["probe"]: record for record in found}, asked

    return run


def test_a_probe_scores_by_what_the_model_finds_and_rules_would_have_found_all(measured):
    result, records, asked = measured(
        replying(lambda line: STATED if line.startswith("[value]") else ABSENT)
    )
    assert len(asked) == 2  # one for each view
    read = {f["view"]: f["text"] for r in records.values() for f in r["facts"]}
    assert set(read) == {"stated", "absent"}
    for record in records.values():
        assert record["reader"] == "test-model"
        assert record["nulls"] == {}
        for fact in record["facts"]:
            assert fact["survived"] is (fact["type"] == "value")
            assert fact["clause"] == (PASSAGE if fact["survived"] else "")
    shown = flat(result.outlines)
    assert "views read by test-model, not by rules" in shown
    assert "best null" not in shown
    charged = [record["usage"].get("reader") for record in records.values()]
    assert [each["calls"] for each in charged if each] == [1, 1]


OUTCOMES = ("stated", "contradicted", "uncertain", "absent")


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_every_outcome_of_the_model_is_that_of_the_record(measured, outcome):
    said = {"passage": PASSAGE, "outcome": outcome}
    _, records, _ = measured(replying(lambda line: ABSENT if "(now:" in line else said))
    assert {f["view"] for r in records.values() for f in r["facts"]} == {outcome}


def malformed(asked):
    return Answer(checked() if is_check(asked.body) else completion('{"1": "stated"}'))


MADE_UP = {"passage": "The limit was raised to 45 by the operator", "outcome": "stated"}


@pytest.mark.parametrize(
    ("decide", "requests", "said"),
    [
        (replying(lambda line: MADE_UP), 2, "does not stand in the view"),
        (malformed, 4, "the reader test-model gave no usable reply: "),
    ],
    ids=["made-up passage", "malformed twice"],
)
def test_a_reply_that_cannot_be_used_leaves_its_items_unscored_with_the_reason(
    measured, decide, requests, said
):
    result, records, asked = measured(decide)
    assert (result.ret, len(asked)) == (1, requests)
    for record in records.values():
        assert (record["status"], record["facts"]) == ("unscored", [])
        assert said in record["reason"]


def test_a_malformed_reply_is_repaired_once(measured):
    good = replying(lambda line: STATED)

    def decide(asked):
        again = "could not be used" in asked.body["messages"][-1]["content"]
        if is_check(asked.body) or not again:
            return Answer(checked() if is_check(asked.body) else completion("stated, all of it"))
        first = type(asked)(asked.path, {"messages": asked.body["messages"][:2]}, asked.headers)
        return good(first)

    _, records, asked = measured(decide)
    assert len(asked) == 4
    assert {f["view"] for r in records.values() for f in r["facts"]} == {"stated"}
    assert sum(r["usage"].get("reader", {}).get("calls", 0) for r in records.values()) == 4


def test_a_trap_that_the_model_finds_contradicts_its_fact(measured):
    data = case()
    data["probes"][0]["traps"] = [{"text": "the retry limit is 30", "of": "45"}]
    decide = replying(lambda line: STATED if "(now:" in line else ABSENT)
    _, records, _ = measured(decide, cases=[data])
    limit = records["limit"]
    assert [trap["hit"] for trap in limit["traps"]] == [True]
    assert [fact["view"] for fact in limit["facts"]] == ["contradicted"]


def test_a_trap_that_is_left_unread_leaves_its_probe_without_a_score(measured):
    made_up = {"passage": "nowhere to be found", "outcome": "stated"}
    _, records, _ = measured(replying(lambda line: made_up if "(now:" in line else STATED))
    assert records["limit"]["status"] == "unscored"
    assert "the retry limit is 30" in records["limit"]["reason"]
    assert records["next"]["status"] == "passed"


def test_facts_are_asked_about_ten_at_a_time_each_once_in_the_order_of_the_case(measured):
    data = case()
    names = [f"fact {number:02}" for number in range(23)]
    [plan] = [each for each in data["messages"] if each["id"] == "plan"]
    plan["content"] = " ".join(f"There is {name}." for name in names)
    for probe, start in (("limit", 0), ("next", 9)):
        [of] = [each for each in data["probes"] if each["id"] == probe]
        texts = [
            {"text": name, "type": "value", "evidence": ["plan"]}
            for name in names[start : start + 14]
        ]
        of |= {"facts": texts, "traps": []}
    data["probes"] = [each for each in data["probes"] if each["id"] in {"limit", "next"}]
    _, _, asked = measured(replying(lambda line: STATED), "-k", "limit", cases=[data])
    batches = sorted([*members(each).values()] for each in asked)
    assert list(map(len, batches)) == [10, 10, 3]
    assert [line.partition("] ")[2] for batch in batches for line in batch] == names


@BOTH
def test_a_replay_makes_no_request_and_writes_the_same_bytes(pytester, measured, workers):
    fine = replying(lambda line: STATED)
    measured(fine, ids=("first", "second"))
    before = run_files(pytester)[-1].read_bytes()
    _, _, asked = measured(fine, workers, "--compaction-replay", ids=("first", "second"))
    assert asked == []
    lines = [json.loads(line) for line in before.splitlines()]
    again = [json.loads(line) for line in run_files(pytester)[-1].read_bytes().splitlines()]
    assert [each for each in again if "case" in each] == [e for e in lines if "case" in e]


def test_runs_read_by_a_model_and_by_rules_are_not_compared(pytester, measured):
    scenarios.set_up(pytester, "first")
    scenarios.run(pytester, compactor="keep")
    result, _, _ = measured(
        replying(lambda line: STATED), f"--compaction-baseline={run_files(pytester)[-1]}"
    )
    assert result.ret != 0
    assert "the reader of views differs: rules in" in flat([*result.outlines, *result.errlines])


def test_an_estimate_counts_the_requests_of_the_reader_and_asks_nothing(measured):
    result, _, asked = measured(replying(lambda line: STATED), "--compaction-estimate")
    assert asked == []
    result.stdout.fnmatch_lines(["reader *test-model *2 *0 *"])


@pytest.mark.parametrize("name", ["recorded", "mute"])
def test_a_reader_that_cannot_read_is_a_usage_error(pytester, name):
    scenarios.set_up(pytester, "first")
    pytester.makeconftest(scenarios.JUDGES)
    result = scenarios.run(pytester, f"--compaction-reader={name}", f"--compactor={own('keep')}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_cases_that_run_elsewhere_are_read_alike(pytester, measured, monkeypatch):
    pool = ThreadPoolExecutor(2)
    monkeypatch.setitem(sys.modules, "pools", SimpleNamespace(two=lambda: pool))
    fine = replying(lambda line: STATED if "[value]" in line else ABSENT)
    _, here, _ = measured(fine)
    _, elsewhere, asked = measured(
        fine, "--compaction-executor=pools:two", "--compaction-store=another"
    )
    pool.shutdown()
    assert len(asked) == 2
    assert elsewhere == here


def test_views_for_which_no_money_is_left_are_unscored_and_read_later(pytester, measured):
    prices = {"as_of": "2026-03-01", "models": [{"name": "test-model", "input": 1, "output": 1}]}
    pytester.path.joinpath("prices.json").write_text(json.dumps(prices))
    fine = replying(lambda line: STATED)
    limit = ("--compaction-prices=prices.json", "--compaction-max-cost=0.0015")
    _, records, asked = measured(fine, *limit)
    assert asked == []
    assert {record["status"] for record in records.values()} == {"unscored"}
    assert all(record["unpaid"] for record in records.values())
    _, records, asked = measured(fine, limit[0], "--compaction-max-cost=1")
    assert len(asked) == 2
    assert {record["status"] for record in records.values()} == {"passed", "failed"}


@pytest.mark.parametrize(("outcome", "complies"), [("stated", True), ("uncertain", False)])
def test_a_forced_choice_of_rules_follows_what_the_model_reads(measured, outcome, complies):
    said = {"passage": "the", "outcome": outcome}
    _, records, _ = measured(replying(lambda line: said), cases=[choice_data("export")])
    chosen = [r["compliance"]["complied"] for r in records.values() if "compliance" in r]
    assert chosen
    assert set(chosen) == {complies}
    for record in records.values():
        standing = (record.get("constraints") or {}).get("standing", [])
        assert {each["survived"] for each in standing} <= {complies}


def test_what_is_unread_in_the_view_is_not_lost_where_an_answer_makes_the_score(measured):
    made_up = {"passage": "nowhere to be found", "outcome": "stated"}
    reads = replying(lambda line: made_up)

    def decide(asked):
        schema = (asked.body.get("response_format") or {}).get("json_schema") or {}
        return reads(asked) if schema.get("name") == "readings" else sensible(asked)

    _, records, _ = measured(decide, "--compaction-model=test-model")
    for record in records.values():
        assert record["overall"] == 4
        assert record["facts"] == []
        assert record["unread"]
        assert {"reader", "responder", "judge"} & record["usage"].keys() >= {"responder", "judge"}
