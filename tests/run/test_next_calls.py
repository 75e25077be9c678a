"""The next call: what is asked after a point, how replies are scored, and what a failure leaves."""

import asyncio
import json

import pytest
from support.answers import Answers
from support.builders import COUNTER, assistant, case_of, tool, user
from support.next_calls import PLAN, next_case

from pytest_compaction.compactors import View
from pytest_compaction.conversation import text_message
from pytest_compaction.models import (
    ModelError,
    NotRecordedError,
    Usage,
)
from pytest_compaction.run import RequestLimit, Responder, asked_next, next_call

WANTED = next_call(next_case(), 0)
VIEW = View((text_message("s", "user", "a summary", "synthetic"),))


def call(arguments, tool="read_file"):
    return json.dumps({"tool": tool, "arguments": arguments})


def log(*calls, point=0):
    """A case of one request and these calls (name, arguments), each with its result."""
    messages = [user("go")]
    for number, (name, arguments) in enumerate(calls):
        messages += [assistant(None, (f"c{number}", name, arguments)), tool(f"c{number}")]
    return case_of(messages, [point])


def test_the_key_is_the_next_message_that_calls_and_what_was_asked_before_it_is_given():
    assert WANTED.message == "plan-call"
    assert [message.id for message in WANTED.since] == ["go"], "its announcement is not given"
    assert WANTED.folder == "/work/shop"
    assert WANTED.tools == "read_file(limit, path)"


@pytest.mark.parametrize(
    ("later", "others"),
    [
        (["soon", "./x/../soon", "late", "end"], {"soon", "late"}),
        (["late"], {"late", "near"}),
        ([], {"near", "far"}),
    ],
)
def test_the_other_calls_of_a_choice_come_later_and_only_where_they_are_few_earlier(later, others):
    calls = [("read", {"path": path}) for path in ("far", "near", "./x/../near", "key", *later)]
    wanted = next_call(log(("list", {}), *calls, ("list", {}), point=8), 0)
    shown = {json.loads(option.partition(" ")[2])["path"] for option in wanted.options}
    assert {each.rpartition("/")[2] for each in shown} == {"key", *others}
    assert "key" in wanted.options["ABC".index(wanted.right)]


def test_calls_that_differ_in_form_alone_are_no_choice():
    same = ('{"path": "a", "n": 1}', '{"n":1.0,"path":"a"}', '{ "n" : 1, "path" : "a" }')
    assert next_call(log(*(("read", each) for each in same)), 0).options == ()


def test_calls_that_look_alike_where_they_are_cut_are_no_choice():
    calls = [("write", {"text": "x" * 900 + str(number)}) for number in range(3)]
    assert next_call(log(*calls), 0).options == ()


def test_the_order_of_options_is_that_of_case_and_point_and_not_of_the_log():
    letters = {next_call(next_case(id=f"case-{n}"), 0).right for n in range(12)}
    assert letters == {"A", "B", "C"}
    assert next_call(next_case(), 0) == WANTED


def test_a_point_that_no_call_follows_before_the_next_has_none():
    assert next_call(next_case(), 1) is None
    points = [{"id": "p1", "after": "on"}, {"id": "p2", "after": "go"}]
    assert next_call(next_case(compaction_points=points), 0) is None
    assert next_call(next_case(compaction_points=points), 1).message == "plan-call"


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        (call({"path": PLAN, "limit": 20}), 1.0),
        (call({"limit": 20.0, "path": f"/work/shop/./{PLAN}"}), 1.0),
        (f"```json\n{call({'limit': 20, 'path': PLAN})}\n```", 1.0),
        (call({"path": PLAN}), 0.5),
        (call({"path": "src/c.py", "limit": 20}), 0.5),
        (call({"path": PLAN, "limit": 20}, "write_file"), 0.0),
        (json.dumps({"tool": "read_file"}), 0.0),
    ],
)
def test_a_call_is_right_by_the_share_of_its_arguments(reply, score):
    assert WANTED.score("call", reply) == score


@pytest.mark.parametrize(
    "reply",
    ["", "I would read it.", "[1]", '{"tool": 3}', '{"tool": "x", "arguments": []}', "{", "{} {}"],
)
def test_a_reply_that_is_no_call_has_no_score(reply):
    assert "the reply is no call" in WANTED.score("call", reply)


def test_the_letter_decides_and_another_reply_has_no_score():
    for letter in "ABC":
        assert WANTED.score("choice", f" {letter.lower()}\n") == (letter == WANTED.right)
    for reply in ("", "D", "AB", "A)", "It is A", "\x1b[2J"):
        said = WANTED.score("choice", reply)
        assert "is not one letter" in said
        assert "\x1b" not in said


def test_any_of_several_calls_at_once_is_right():
    both = assistant(None, ("a", "read", {"path": "a"}), ("b", "read", {"path": "b"}))
    wanted = next_call(case_of([user("go"), both, tool("a"), tool("b")], [0]), 0)
    assert wanted.options == ()
    for path, score in (("a", 1.0), ("b", 1.0), ("c", 0.0)):
        assert wanted.score("call", call({"path": path}, "read")) == score


def test_a_long_text_is_not_asked_for():
    wanted = next_call(log(("write", {"path": "a", "text": "x" * 301})), 0)
    for written in ({"path": "a", "text": "..."}, {"path": "a"}):
        assert wanted.score("call", call(written, "write")) == 1.0
    assert wanted.score("call", call({"path": "b", "text": "x" * 301}, "write")) == 0.0
    edits = next_call(log(("edit", {"path": "a", "edits": [{"old": "x" * 301}]})), 0)
    assert edits.score("call", call({"path": "a", "edits": "..."}, "edit")) == 1.0


@pytest.mark.parametrize("arguments", [{"command": "x" * 301}, "*** Begin Patch"])
def test_a_call_with_nothing_to_compare_has_no_score(arguments):
    wanted = next_call(log(("run", arguments)), 0)
    for replied in ({}, {"command": "rm -rf x"}):
        assert "nothing that can be compared" in wanted.score("call", call(replied, "run"))


def ask(model, contexts, wanted=WANTED):
    async def asked():
        return await asked_next(wanted, contexts, Responder(model, COUNTER), RequestLimit(4).at(0))

    return asyncio.run(asked())


def test_each_context_is_asked_both_ways_with_what_was_said_since():
    model = Answers(
        lambda request: WANTED.right if "Reply with one letter" in request.question else "?"
    )
    found = ask(model, {"view": VIEW, "full": View(())})
    assert found.shares == {
        "choice": {"view": 1.0, "full": 1.0},
        "call": {"view": None, "full": None},
    }
    assert found.usage.calls == len(model.requests) == 4
    assert {request.view for request in model.requests} == {
        (*VIEW.messages, *WANTED.since),
        WANTED.since,
    }
    assert found.notes == (
        "call, view: the reply is no call: it holds no JSON object",
        "call, full: the reply is no call: it holds no JSON object",
    )


def test_a_context_that_was_not_made_has_no_score():
    found = ask(Answers(lambda request: "A"), {"view": VIEW, "tail": None})
    assert found.shares["choice"].keys() == {"view", "tail"}
    assert found.shares["choice"]["tail"] is None
    assert "tail: no message fits" in found.notes


def test_a_failure_of_the_model_leaves_the_other_replies():
    failure = ModelError("the log is too long", spent={"responder": Usage(1, 7, 0, 0)})
    model = Answers(lambda request: WANTED.right if len(request.view) > 1 else failure)
    found = ask(model, {"view": VIEW, "full": View(())})
    assert found.shares["choice"] == {"view": 1.0, "full": None}
    assert "choice, full: the log is too long" in found.notes
    assert found.usage == Usage(2, 200, 0, 2) + Usage(2, 14, 0, 0)


def test_a_request_that_was_not_made_raises_with_what_the_others_used():
    model = Answers(lambda request: "A" if len(request.view) > 1 else NotRecordedError("not asked"))
    with pytest.raises(NotRecordedError) as caught:
        ask(model, {"view": VIEW, "full": View(())})
    assert caught.value.spent == {"responder": Usage(2, 200, 0, 2)}
    assert len(model.requests) == 4, "an export learns of all at once"
