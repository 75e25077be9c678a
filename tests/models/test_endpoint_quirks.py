"""Each quirk of the mock endpoint: what is made of it, and at what price in requests."""

import pytest
from support.builders import build_case
from support.endpoint_builders import (
    answer_request,
    connected,
    error_through,
    judge_request,
    servers_in_environment,
    through,
)
from support.endpoint_quirks import SERVES, THOUGHT, quirky
from support.endpoint_replies import Answer, completion, sensible

from pytest_compaction.compactors.strategies.anchored import SECTIONS
from pytest_compaction.models import ModelError, SummaryRequest

pytestmark = pytest.mark.usefixtures("short_waits")


@pytest.fixture
def served(monkeypatch):
    """Starts a server with a quirk."""
    with servers_in_environment(monkeypatch) as serve:
        yield lambda mode, sound=sensible: serve(quirky(mode, sound) if mode else sound)


def work(model):
    """An answer, a summary and a judgement."""
    case = build_case()

    async def each():
        answer = await model.answer(answer_request(case))
        summary = await model.summarize(SummaryRequest(case.messages, SECTIONS, 300))
        judgement = await model.judge(judge_request(case))
        return answer.text, summary.summary.entries, judgement.unscored, judgement.criteria

    return each()


@pytest.fixture(scope="module")
def sound():
    with pytest.MonkeyPatch.context() as patch, servers_in_environment(patch) as serve:
        server = serve()
        [found] = through(connected(), work)
        return found, len(server.asked)


@pytest.mark.parametrize("mode", SERVES)
def test_the_results_are_those_of_an_endpoint_without_the_quirk(mode, served, sound):
    expected, requests = sound
    server = served(mode)
    [found, again] = through(connected(), work, work)
    assert found == again == expected
    assert THOUGHT not in str(found)
    # What is refused is found out in the first round, and again only where each request decides.
    each = {"output-beyond-context": 3, "json-validate-failed": 1}.get(mode, 0)
    assert 2 * requests <= len(server.asked) <= 2 * (requests + each) + 3


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("too-long", "has too small a context for this request"),
        ("quota-exhausted", "the account has no credit left"),
        ("unrelated-name", "answered 400: CUDA error while sampling"),
        ("azure-classic", "check the model's name and OPENAI_BASE_URL"),
    ],
)
def test_what_no_other_request_helps_with_is_asked_once_and_said(mode, said, served):
    server = served(mode)
    assert said in error_through(connected())
    assert len(server.asked) == 1
    assert {"temperature", "seed", "max_tokens"} <= server.bodies[0].keys()


def test_a_thought_that_is_cut_before_its_end_is_no_answer(served):
    cut = completion(THOUGHT, finish="length")
    whole = completion(f"{THOUGHT}</think>45")
    replies = iter([whole, cut, whole, cut, cut])
    server = served(None, lambda asked: Answer(next(replies)))

    async def refused(model):
        with pytest.raises(ModelError, match="limit of tokens before it said anything"):
            await model.answer(answer_request())

    def answered(model):
        return model.answer(answer_request())

    [first, second, _] = through(connected(), answered, answered, refused)
    assert first.text == second.text == "45"
    assert len(server.asked) == 5


def test_neighbours_are_joined_and_the_system_is_quoted_by_the_user(served):
    server = served("no-system-role")
    through(connected(), lambda model: model.answer(answer_request()))
    first, *_, last = (body["messages"] for body in server.bodies)
    texts = [message["content"] for message in first if message["role"] in ("system", "user")]
    assert last[0]["content"].startswith(texts[0])
    assert texts[-1] in last[-1]["content"]
    assert [message["role"] for message in last[:2]] == ["user", "assistant"]
