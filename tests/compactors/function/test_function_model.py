"""What a function gets as its model: text for a text or messages, and errors as sentences."""

import asyncio
import copy
from dataclasses import replace

import pytest
from support.builders import COUNTER, assistant, context_of, session, system, user
from support.compacting import AwayModel, SayingModel, SpyModel, compacted, messages_of

from pytest_compaction.compactors.function.compactor import FunctionCompactor, FunctionModel
from pytest_compaction.compactors.function.shapes import shape_named
from pytest_compaction.models.protocol import ModelError, SummaryReply, SummaryRequest
from pytest_compaction.models.structured_summary import Section

BUDGET = 200


def model_of(model, shape="chat", **context):
    given = replace(context_of(BUDGET), model=model, **context)
    return FunctionModel(given, shape_named(shape))


def asked(model, *arguments, **keywords):
    return asyncio.run(model.summarize(*arguments, **keywords))


def test_a_text_is_summarised_as_what_a_user_said():
    spy = SpyModel()
    text = asked(model_of(spy), "Set the retry limit in src/queue.py to 45, not to 30.")
    assert "src/queue.py" in text
    assert all(line.startswith("- ") for line in text.splitlines())
    (request,) = spy.requests
    assert [(m.role, m.text) for m in request.messages] == [
        ("user", "Set the retry limit in src/queue.py to 45, not to 30.")
    ]
    assert request.budget == BUDGET // 2


def test_instructions_and_the_most_tokens_reach_the_model():
    spy = SpyModel()
    model = model_of(spy, instructions="Keep the names.")
    text = asked(model, session(3), instructions="Keep the files.", max_tokens=60)
    assert COUNTER.text(text) <= 60
    (request,) = spy.requests
    assert request.budget == 60
    assert request.instructions == "Keep the names.\nKeep the files."
    assert [m.role for m in request.messages] == [m["role"] for m in session(3)]


@pytest.mark.parametrize("shape", ["chat", "langchain", "pydantic-ai"])
def test_messages_are_taken_as_the_function_was_given_them(shape):
    spy = SpyModel()
    given = shape_named(shape).given(messages_of([system(), user("Raise it."), assistant("Done.")]))
    asked(model_of(spy, shape), given)
    assert [m.text for m in spy.requests[0].messages][-2:] == ["Raise it.", "Done."]


def test_a_request_of_the_package_goes_to_the_model_as_it_is():
    spy = SpyModel()
    request = SummaryRequest(
        messages_of([user("Raise it.")]), (Section("a", "A", "All.", ("intent",)),), 50
    )
    assert isinstance(asked(model_of(spy), request), SummaryReply)
    assert spy.requests == [request]


def test_the_rest_of_the_model_is_there():
    model = model_of(SpyModel())
    assert model.name == "offline"
    assert copy.copy(model).name == "offline"
    with pytest.raises(AttributeError):
        model.nothing_of_this_name  # noqa: B018


@pytest.mark.parametrize(
    ("given", "keywords", "error", "said"),
    [
        ("  ", {}, ValueError, "got an empty text"),
        ([], {}, ValueError, "got no messages"),
        (7, {}, TypeError, "got int; expected a text or a list of messages"),
        ({"role": "user", "content": "a"}, {}, TypeError, "got dict; expected"),
        ([{"role": "bot"}], {}, ValueError, "wrong message: message 0 has role 'bot'"),
        (["a"], {}, ValueError, "wrong message: message 0 is str"),
        ("a", {"max_tokens": 0}, ValueError, "max_tokens is 0; expected a whole number"),
        ("a", {"max_tokens": "9"}, ValueError, "max_tokens is '9'; expected"),
        ("a", {"max_tokens": True}, ValueError, "max_tokens is True; expected"),
        ("a", {"instructions": None}, TypeError, "instructions is NoneType; expected text"),
    ],
)
def test_a_wrong_argument_is_named_in_a_sentence(given, keywords, error, said):
    spy = SpyModel()
    with pytest.raises(error, match=said):
        asked(model_of(spy), given, **keywords)
    assert spy.requests == []


@pytest.mark.parametrize(
    ("model", "said"),
    [(AwayModel(), "the endpoint is away"), (SayingModel(), "came back empty")],
)
def test_where_there_is_no_summary_the_compaction_fails_with_the_reason(model, said):
    async def summarised(messages, budget, model):
        text = await model.summarize(messages)
        return [{"role": "user", "content": text}]

    with pytest.raises(ModelError, match=said):
        asked(model_of(model), "a")
    chat = [user("a"), assistant("b")]
    compactor = FunctionCompactor("own:f", summarised, {})
    outcome, view = compacted(compactor, chat, replace(context_of(BUDGET), model=model))
    assert outcome.status == "failed"
    assert said in outcome.error
    assert [message.text for message in view] == ["a", "b"]
