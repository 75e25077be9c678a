"""A plain function as a strategy: its arguments, and the replies that it may give.

What a function gets as its model: text for a text or messages, and errors as sentences.
"""

import asyncio
import copy
from dataclasses import replace

import pytest
from support.builders import COUNTER, assistant, context_of, session, system, user
from support.compacting import AwayModel, SayingModel, SpyModel, compacted, ids, messages_of

from pytest_compaction.compactors import (
    CompactorError,
    FunctionCompactor,
)
from pytest_compaction.compactors.function.compactor import FunctionModel
from pytest_compaction.compactors.function.shapes import shape_named
from pytest_compaction.conversation import structure_faults
from pytest_compaction.models import ModelError, Section, SummaryReply, SummaryRequest


def wrap(function, shape=None, **parameters):
    return FunctionCompactor("own:f", function, parameters, shape)


def test_a_function_gets_chat_messages_the_budget_and_the_model_if_it_asks_for_it():
    seen = []

    def plain(messages, budget, *, model=None, keep=1):
        seen.append((budget, type(model)))
        return messages[:keep]

    chat, context = [system("Be careful."), user("a"), assistant("b")], context_of(70)
    outcome, view = compacted(wrap(plain, keep=2), chat, replace(context, model=SpyModel()))
    assert seen == [(70, FunctionModel)]
    assert ids(view) == ["m0", "m1"]
    assert [(span.ids, span.fate) for span in outcome.spans] == [
        (("m0", "m1"), "kept"),
        (("m2",), "dropped"),
    ]


def keep_ends(messages):
    """Keeps the first message and the last two."""
    return [messages[0], *messages[-2:]]


@pytest.mark.parametrize(
    ("shape", "left"),
    [("langchain", ["m0", "m12", "m13"]), ("pydantic-ai", ["m0", "m1", "m12", "m13"])],
)
def test_a_function_that_takes_only_messages_compacts(shape, left):
    outcome, view = compacted(wrap(keep_ends, shape), session(4)[:-3], context_of())
    assert outcome.status == "compacted"
    assert ids(view) == left
    assert {message.origin for message in view} == {"log"}
    assert structure_faults(view) == []


def test_another_result_of_a_call_is_the_message_masked():
    def shortened(messages):
        for message in messages:
            if message.type == "tool":
                message.content = "(cleared)"
        return messages

    outcome, view = compacted(wrap(shortened, "langchain"), session(2), context_of())
    assert outcome.status == "compacted"
    assert {message.origin for message in view} == {"log"}
    masked = [id for span in outcome.spans if span.fate == "masked" for id in span.ids]
    changed = [message for message in view if message.id in masked]
    assert [message.results[0].text for message in changed] == ["(cleared)"] * 2
    assert [message.results[0].call_id for message in changed] == ["c0", "c1"]


@pytest.mark.parametrize("shape", ["langchain", "pydantic-ai"])
def test_chat_dictionaries_may_come_back_too(shape):
    def summarised(messages):
        return [*messages[:1], {"role": "user", "content": "All that matters."}]

    chat = [system(), assistant("One."), user("Two.")]
    _, view = compacted(wrap(summarised, shape), chat, context_of())
    assert view[-1].text == "All that matters."
    assert view[-1].origin == "synthetic"
    assert view[0].id == "m0"


class Trimmer:
    """Has ``invoke`` and cannot be called, as LangChain's runnables."""

    def invoke(self, input, config=None):
        return {"messages": input[-1:]}


class Processing:
    """Holds its function, as a capability of pydantic-ai does."""

    def __init__(self, processor):
        self.processor = processor


def test_an_object_with_invoke_is_called_through_it_with_langchain_messages():
    outcome, view = compacted(wrap(Trimmer()), [user("a"), assistant("b"), user("c")], context_of())
    assert ids(view) == ["m2"]
    assert outcome.status == "compacted"


def test_an_object_that_holds_its_function_is_unwrapped():
    def last(messages: "list[ModelMessage]"):  # noqa: F821
        return messages[-1:]

    _, view = compacted(wrap(Processing(last)), [user("a"), assistant("b")], context_of())
    assert ids(view) == ["m1"]


def test_a_processor_that_wants_the_run_gets_the_tokens_of_the_view():
    seen = []

    def processor(ctx, messages):
        seen.append((ctx.usage.total_tokens, ctx.budget))
        return messages[-1:]

    chat = [user("a"), assistant("b"), user("c")]
    compacted(wrap(processor, "pydantic-ai"), chat, context_of(90))
    assert seen == [(COUNTER.messages(messages_of(chat)), 90)]


class Odd:
    type = "odd"
    content = ""
    kind = "request"
    parts = ()


@pytest.mark.parametrize(
    ("shape", "returned", "said"),
    [
        ("langchain", None, "own:f returned None; expected the list of langchain messages"),
        ("langchain", "text", "returned str; expected a list of langchain messages"),
        ("langchain", [], "returned no messages at all"),
        ("langchain", [3], "message 0 is int and has no 'type'"),
        ("langchain", [Odd()], "message 0 has type 'odd'; expected one of human, ai"),
        ("pydantic-ai", None, "expected the list of pydantic-ai messages"),
        ("pydantic-ai", [3], "message 0 is int and has no 'kind'"),
        ("chat", [3], "message 0 is int; expected a chat message"),
    ],
)
def test_what_cannot_be_read_back_is_said_in_a_sentence(shape, returned, said):
    with pytest.raises(CompactorError) as caught:
        compacted(wrap(lambda messages, *_: returned, shape), [user("a")], context_of())
    assert said in str(caught.value)


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
        ("  ", {}, ValueError, "got nothing to summarise"),
        ([], {}, ValueError, "got nothing to summarise"),
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
