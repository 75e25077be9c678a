"""Nuggets judged by a chat model: one request, every score with its reasoning, or unscored."""

import json
import re

import pytest
from support.endpoint_builders import Replies, ask, chat
from support.endpoint_replies import completion

from pytest_compaction.case import AnswerSpec, Nugget
from pytest_compaction.models import NO_LOG, JudgeRequest

TEXTS = ("LLM response should state: 1,200 euros", "LLM response should mention: the landlord")
ASKED = "How much is the deposit?"


def request(kind="knowledge_update", answer="The deposit is 1,200 euros."):
    nuggets = tuple(map(Nugget, TEXTS))
    return JudgeRequest(kind, ASKED, answer, (), (), AnswerSpec(), NO_LOG, nuggets)


def reply(*scores, **more):
    scored = {
        str(n): {"reasoning": f"reason {n}", "score": score} for n, score in enumerate(scores, 1)
    }
    return completion(json.dumps({"nuggets": scored, **more}))


def test_all_nuggets_are_judged_in_one_request():
    caller = Replies(reply(1, 0.5))
    found = ask(chat(caller).judge(request()))
    assert [(n.score, n.reasoning) for n in found.nuggets] == [(1, "reason 1"), (0.5, "reason 2")]
    assert (len(caller.calls), found.events, found.criteria) == (1, None, ())
    assert found.usage.calls == 1


def test_the_question_every_nugget_and_the_answer_stand_in_the_prompt_in_fences():
    caller = Replies(reply(1, 1))
    ask(chat(caller).judge(request(answer="I give it a 1.")))
    said = caller.calls[0].body["messages"][-1]["content"]
    for number, text in enumerate(TEXTS, 1):
        assert f"{number}. {text}" in said
    assert ASKED in said
    assert "I give it a 1." in said
    ends = re.findall(r"^>>> end of (\w+) (\w+)$", said, re.MULTILINE)
    assert [name for name, _ in ends] == ["question", "items", "answer"]
    assert len({mark for _, mark in ends}) == 1


def test_the_order_of_events_comes_with_the_same_reply():
    caller = Replies(reply(1, 1, events=[2, 0, 1]))
    found = ask(chat(caller).judge(request("event_ordering")))
    assert (found.events, len(caller.calls)) == ((1, None, 0), 1)
    form = caller.calls[0].body["response_format"]["json_schema"]["schema"]
    assert list(form["properties"]) == ["nuggets", "events"]
    assert next(iter(form["properties"]["nuggets"]["properties"]["1"]["properties"])) == "reasoning"


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (reply(1), "'2' is a required property"),
        (reply(1, 0.7), "0.7 is not one of"),
        (reply(1, 1, note="x"), "Additional properties are not allowed"),
        (completion("1 and 1"), "JSON"),
        (completion(f'{{"nuggets": {"[" * 200}{"]" * 200}}}'), "nested too deep"),
        (
            completion(json.dumps({"nuggets": {n: {"reasoning": " ", "score": 1} for n in "12"}})),
            "has a score without reasoning",
        ),
    ],
)
def test_a_reply_that_is_no_judgement_is_repaired_once_or_unscored(bad, said):
    caller = Replies(bad, reply(1, 0))
    assert [n.score for n in ask(chat(caller).judge(request())).nuggets] == [1, 0]
    assert len(caller.calls) == 2
    found = ask(chat(Replies(bad, bad)).judge(request()))
    assert found.nuggets == ()
    assert said in found.unscored


def test_a_score_of_minus_nothing_is_nothing():
    found = ask(chat(Replies(reply(-0.0, 1))).judge(request()))
    assert str(found.nuggets[0].score) == "0.0"
