"""Derived probes ask for what a log states, with older values and options as traps."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.probe_logs import Log, facts, named, plan

from pytest_compaction.case import Fact
from pytest_compaction.case_making.agent_probes import plan_entries
from pytest_compaction.case_making.keys import given_away
from pytest_compaction.case_making.log import Draft
from pytest_compaction.conversation import Message, ToolCall, readable
from pytest_compaction.text import Statement, TextIndex


def test_values_that_the_user_lists_are_asked_for_by_name() -> None:
    log = Log().say("user", "error colour #cc6666\ntool background #282832\nborder width 3")
    (given,) = named(log.chatter().probes(), "given-values")
    assert "“error colour”" in given["question"]
    assert facts(given) == ["error colour #cc6666", "tool background #282832", "border width 3"]


def test_alternatives_and_reasons_in_passing_are_not_asked_for() -> None:
    log = Log().say("user", "make the upload handler faster for everybody")
    log.say("assistant", "The handler uses a bounded queue instead of one thread each.")
    log.say("assistant", "The upload lock was removed because it blocks every worker thread.")
    log.say("user", "the bounded queue blocks every worker for the whole upload lock")
    assert [p for p in log.chatter().probes() if p["kind"] == "decision"] == []


def texts(draft: Draft) -> list[str]:
    return [found.fact.text for found in draft.found]


def stated_as(fact: dict[str, Any]) -> Statement:
    known = {name: fact[name] for name in ("text", "type")}
    keys = tuple(map(tuple, fact["keys"]))
    return Fact(**known, keys=keys, change=fact.get("change")).statement


def check_sound(
    messages: tuple[Message, ...] | list[Message], probes: list[dict[str, Any]]
) -> None:
    by_id = {message.id: message for message in messages}
    for probe in probes:
        assert 1 <= len(probe["facts"]) <= 6
        for fact in probe["facts"]:
            groups = tuple(map(tuple, fact["keys"]))
            assert not given_away(probe["question"], groups, fact["text"]), probe["id"]
            statement = stated_as(fact)
            for text in (fact["text"], *(readable(by_id[id]) for id in fact["evidence"])):
                assert TextIndex(text).read(statement).outcome == "stated"
    assert len({probe["id"] for probe in probes}) == len(probes)


def test_tasks_that_calls_create_and_update_by_number_are_a_plan() -> None:
    log = Log()
    for number, subject in enumerate(("Write the upload queue", "Move the retry loop"), 1):
        log.call("TaskCreate", subject=subject, output=f"Task #{number} created successfully")
    log.call("TaskUpdate", taskId="2", status="completed")
    log.call("TaskUpdate", taskId="7", status="completed", is_error=True).chatter()
    probes = log.probes()
    assert facts(named(probes, "done-steps")[0]) == ["Move the retry loop"]
    assert facts(named(probes, "open-steps")[0]) == ["Write the upload queue"]


def test_open_steps_of_a_plan_are_asked_for() -> None:
    log = Log().call("TodoWrite", **plan("in_progress", "pending", "pending"))
    log.call("TodoWrite", **plan("completed", "in_progress", "pending")).chatter()
    (steps,) = named(log.probes(), "open-steps")
    assert facts(steps) == ["Move the retry loop", "Document the retry limits"]
    assert {fact["type"] for fact in steps["facts"]} == {"next_step"}


@pytest.mark.parametrize(
    "arguments",
    [
        {"plan": [{"step": "Write the upload queue", "status": "pending"}]},
        {"explanation": "x", "items": [{"title": "Write the upload queue", "done": False}]},
        {"command": "plan", "task_list": [{"title": "Write the upload queue", "status": "todo"}]},
    ],
)
def test_plans_are_known_by_their_shape(arguments: dict[str, Any]) -> None:
    call = ToolCall("c", "update_plan", json.dumps(arguments))
    assert [text for text, _ in plan_entries(call)] == ["Write the upload queue"]
    assert plan_entries(ToolCall("c", "edit", '{"edits": [{"old": "a", "new": "b"}]}')) == []


def test_tests_that_still_fail_are_asked_for() -> None:
    output = "FAILED tests/test_a.py::test_one - x\nFAILED tests/test_a.py::test_two\n"
    log = Log().call("bash", command="pytest -q", output=output + "2 failed, 3 passed in 1.0s")
    (failing,) = named(log.chatter().probes(), "failing-tests")
    assert facts(failing) == ["tests/test_a.py::test_one", "tests/test_a.py::test_two"]


def test_identifiers_of_the_user_are_asked_for() -> None:
    log = Log().say("user", "I want to change the flight with reservation M05KNL.")
    log.say("user", "Also look at the related customer ticket BILL-2207 for it.")
    probes = log.chatter().probes()
    assert facts(named(probes, "identifier")[0]) == ["M05KNL", "BILL-2207"]
