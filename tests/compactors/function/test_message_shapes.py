"""Functions over LangChain and pydantic-ai messages, with the libraries or without them."""

import functools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.builders import agent_logs, assistant, context_of, session, system, tool, user
from support.compacting import compacted, ids, messages_of

from pytest_compaction.compactors import CompactorError, FunctionCompactor, Registry, parse_spec
from pytest_compaction.compactors.function.arguments import arguments_for, messages_parameter
from pytest_compaction.compactors.function.shapes import (
    shape_named,
    shape_of,
)

SHAPES = ["chat", "langchain", "pydantic-ai", "llama-index", "anthropic", "responses"]

PICTURE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
SECRET = {"type": "vendor_blob", "data": "q+/="}
CHAT = [
    system("Be careful."),
    user([{"type": "text", "text": "What is this?"}, PICTURE]),
    assistant(
        [
            {"type": "thinking", "thinking": "hm", "signature": "abc"},
            {"type": "text", "text": "I look."},
        ],
        ("c1", "read_file", '{"path":  "a.py"}'),
        ("c2", "bash", "not json"),
    ),
    tool("c1", "A = 1"),
    tool("c2", "bash: bad", is_error=True),
    assistant([SECRET]),
    user("Go on."),
]


def wrap(function, shape=None, **parameters):
    return FunctionCompactor("own:f", function, parameters, shape)


def messages_given(shape, chat=CHAT):
    """The messages that a function of that shape gets."""
    seen = []

    def look(messages, *_):
        seen.extend(messages)
        return messages

    outcome, view = compacted(wrap(look, shape), chat, context_of())
    assert outcome.status == "noop"
    assert view == messages_of(chat)
    return seen


@pytest.mark.parametrize("shape", SHAPES)
def test_messages_that_come_back_unchanged_are_the_same_to_the_byte(shape):
    assert messages_given(shape)


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=30)
@given(agent_logs(pending=True))
def test_on_any_log_every_message_is_read_back_as_one(shape, chat):
    made = shape_named(shape)
    messages = messages_of(chat)
    assert len(made.read(made.given(messages))) == len(messages)
    assert made.read(made.given(messages)) == made.read(made.given(messages))


def test_langchain_messages_have_the_attributes_that_functions_read():
    seen = messages_given("langchain")
    assert [message.type for message in seen] == [
        "system", "human", "ai", "tool", "tool", "ai", "human",
    ]  # fmt: skip
    assert seen[0].content == "Be careful."
    assert seen[2].tool_calls == [
        {"name": "read_file", "args": {"path": "a.py"}, "id": "c1", "type": "tool_call"}
    ]
    assert [call["args"] for call in seen[2].invalid_tool_calls] == ["not json"]
    assert (seen[3].tool_call_id, seen[3].status) == ("c1", "success")
    assert seen[4].status == "error"
    assert [message.id for message in seen] == [f"m{i}" for i in range(7)]


def test_pydantic_ai_messages_are_requests_and_responses_made_of_parts():
    seen = messages_given("pydantic-ai")
    assert [message.kind for message in seen] == [
        "request", "response", "request", "response", "request",
    ]  # fmt: skip
    kinds = [[part.part_kind for part in message.parts] for message in seen]
    assert kinds == [
        ["user-prompt"],
        ["thinking", "text", "tool-call", "tool-call"],
        ["tool-return", "tool-return"],
        [],
        ["user-prompt"],
    ]
    text, image = seen[0].parts[0].content
    assert (text, image.url) == ("What is this?", "https://example.org/a.png")
    call = seen[1].parts[2]
    assert (call.tool_name, call.args, call.tool_call_id) == (
        "read_file", '{"path":  "a.py"}', "c1",
    )  # fmt: skip
    assert [part.outcome for part in seen[2].parts] == ["success", "failed"]
    assert (seen[2].parts[0].tool_name, seen[2].parts[0].content) == ("read_file", "A = 1")


@pytest.mark.parametrize(
    ("annotation", "shape"),
    [
        ("list[BaseMessage]", "langchain"),
        ("Sequence[AnyMessage]", "langchain"),
        ("list[langchain_core.messages.HumanMessage]", "langchain"),
        ("list[ModelMessage]", "pydantic-ai"),
        ("list[ChatMessage]", "llama-index"),
        ("list[MessageParam]", "anthropic"),
        ("list[anthropic.types.BetaMessageParam]", "anthropic"),
        ("list[TResponseInputItem]", "responses"),
        ("Iterable[ResponseInputItemParam]", "responses"),
        ("list[ChatCompletionMessageParam]", "chat"),
        ("list[dict]", "chat"),
    ],
)
def test_the_annotation_tells_which_messages_a_function_takes(annotation, shape):
    def function(messages, budget=0):
        return messages

    function.__annotations__ = {"messages": annotation}
    assert shape_of(messages_parameter(function)) == shape
    assert shape_of(messages_parameter(functools.partial(function, budget=1))) == shape


def test_the_annotation_is_that_of_the_messages_and_not_of_the_run():
    def processor(ctx: "RunContext[None]", messages: "list[ModelMessage]"):  # noqa: F821
        return messages

    assert arguments_for(processor, (), "pydantic-ai").form == "f(ctx=context, messages)"
    assert shape_of(messages_parameter(processor)) == "pydantic-ai"


def test_llama_index_messages_have_their_text_and_the_rest_beside_it():
    seen = messages_given("llama-index")
    assert [str(getattr(message.role, "value", message.role)) for message in seen] == [
        "system", "user", "assistant", "tool", "tool", "assistant", "user",
    ]  # fmt: skip
    assert seen[2].content == "I look."
    assert [call["id"] for call in seen[2].additional_kwargs["tool_calls"]] == ["c1", "c2"]

    def shortened(messages):
        messages[1].content = "What is it?"
        return messages[:2]

    _, view = compacted(wrap(shortened, "llama-index"), CHAT, context_of())
    assert (view[1].text, len(view[1].parts)) == ("What is it?", 1)


def test_parts_that_do_not_belong_are_named():
    class Part:
        part_kind = "builtin-tool-call"
        content = "x"

    class Response:
        kind = "response"
        parts = (Part(),)

    class Request:
        kind = "request"
        parts = (Part(),)

    for item, said in (
        (Response(), "a response holds text"),
        (Request(), "a request holds system"),
    ):
        with pytest.raises(CompactorError, match=said):
            compacted(wrap(lambda messages, i=item: [i], "pydantic-ai"), [user("a")], context_of())


def test_anthropic_messages_are_blocks_with_the_results_in_a_message_of_the_user():
    seen = messages_given("anthropic")
    assert [message["role"] for message in seen] == [
        "user", "assistant", "user", "assistant", "user",
    ]  # fmt: skip
    text, image = seen[0]["content"]
    assert text == {"type": "text", "text": "What is this?"}
    assert image["source"] == {"type": "url", "url": "https://example.org/a.png"}
    assert [block["type"] for block in seen[1]["content"]] == [
        "thinking", "text", "tool_use", "tool_use",
    ]  # fmt: skip
    call = {"type": "tool_use", "id": "c1", "name": "read_file", "input": {"path": "a.py"}}
    assert seen[1]["content"][2] == call
    first, second = seen[2]["content"]
    assert first == {"type": "tool_result", "tool_use_id": "c1", "content": "A = 1"}
    assert second["is_error"] is True
    assert seen[3]["content"] == [SECRET]


@pytest.mark.parametrize(
    ("shape", "place"),
    [("anthropic", None), ("pydantic-ai", None), ("chat", "outside"), ("langchain", "outside")],
)
def test_a_system_prompt_outside_is_kept_and_may_be_read(shape, place):
    given = []

    def last(messages, system=""):
        given.append(system)
        return messages[-1:]

    made = FunctionCompactor("own:f", last, {}, shape, place)
    _, view = compacted(made, CHAT, context_of())
    assert given == ["Be careful."]
    assert ids(view) == ["m0", "m6"]
    assert made.understood.endswith("the system prompt is outside (system=outside)")


def test_a_system_prompt_inside_is_the_functions_to_keep():
    made = FunctionCompactor("own:f", lambda messages: messages[-1:], {}, "pydantic-ai", "inside")
    assert ids(compacted(made, CHAT, context_of())[1]) == ["m6"]
    with pytest.raises(ValueError, match="system=inside has no place among Anthropic's messages"):
        FunctionCompactor("own:f", lambda messages: messages, {}, "anthropic", "inside")


def test_blocks_that_come_back_are_calls_and_results_and_a_cleared_one_is_masked():
    def cleared(messages):
        messages[2]["content"][0]["content"] = "(cleared)"
        use = {"type": "tool_use", "id": "n", "name": "bash", "input": {"command": "ls"}}
        result = {"type": "tool_result", "tool_use_id": "n", "content": "a.py"}
        made = [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
        return [*messages, *made]

    _, view = compacted(wrap(cleared, "anthropic"), CHAT, context_of())
    assert ids(view)[:7] == [f"m{number}" for number in range(7)]
    assert view[3].results[0].text == "(cleared)"
    assert view[7].calls[0].parsed() == {"command": "ls"}
    assert view[8].results[0].text == "a.py"


def test_responses_items_are_a_text_a_call_or_an_output_each():
    seen = messages_given("responses")
    assert [item["type"] for item in seen] == [
        *("message", "message", "thinking", "message", "function_call", "function_call"),
        *("function_call_output", "function_call_output", "message", "message"),
    ]
    assert seen[1]["content"][1] == {
        "type": "input_image", "image_url": "https://example.org/a.png", "detail": "auto",
    }  # fmt: skip
    call = seen[4]
    assert (call["call_id"], call["name"], call["arguments"]) == (
        "c1", "read_file", '{"path":  "a.py"}',
    )  # fmt: skip
    assert seen[6] == {"type": "function_call_output", "call_id": "c1", "output": "A = 1"}


def test_items_without_ids_are_joined_in_the_order_in_which_a_model_writes_them():
    def plain(items):
        call = {"type": "function_call", "call_id": "n", "name": "bash", "arguments": "{}"}
        return [
            items[0],
            {"role": "user", "content": "All that matters."},
            {"type": "reasoning", "summary": []},
            {"role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
            call,
            {"type": "function_call_output", "call_id": "n", "output": "a.py"},
            {"role": "assistant", "content": "One."},
            {"role": "assistant", "content": "Two."},
        ]

    _, view = compacted(wrap(plain, "responses"), CHAT, context_of())
    assert [message.role for message in view] == [
        "system", "user", "assistant", "tool", "assistant", "assistant",
    ]  # fmt: skip
    assert [type(part).__name__ for part in view[2].parts] == ["Thinking", "Text", "ToolCall"]


def test_a_cleared_output_of_a_call_that_failed_has_still_failed():
    def cleared(items):
        for item in items:
            if item["type"] == "function_call_output":
                item["output"] = "(cleared)"
        return items

    _, view = compacted(wrap(cleared, "responses"), CHAT, context_of())
    assert [m.results[0].is_error for m in view if m.results] == [False, True]


@pytest.mark.parametrize(
    ("item", "shape"),
    [
        ({"role": "user", "content": [{"type": "tool_result", "content": "x"}]}, "anthropic"),
        ({"role": "assistant", "content": [{"type": "tool_use", "id": "a"}]}, "anthropic"),
        ({"type": "function_call_output", "call_id": "c", "output": "x"}, "responses"),
    ],
)
def test_foreign_messages_are_refused_with_the_parameter_that_helps(item, shape):
    with pytest.raises(CompactorError, match=f"own:f:messages={shape}"):
        compacted(wrap(lambda messages, budget: [item]), [user("a")], context_of())


# --- the real libraries, where they are installed ------------------------------------


def test_the_trimmer_of_langchain_works_from_the_command_line():
    pytest.importorskip("langchain_core")
    text = "langchain_core.messages:trim_messages:token_counter=approximate:include_system=True"
    made = Registry().create(parse_spec(text))
    outcome, view = compacted(made, session(12), context_of(500))
    assert outcome.status == "compacted"
    assert view[0].id == "m0"
    assert 0 < len(view) < len(session(12))
    assert {message.origin for message in view} == {"log"}


def test_langchain_gets_its_own_classes():
    library = pytest.importorskip("langchain_core.messages")
    assert [type(message) for message in messages_given("langchain")][:3] == [
        library.SystemMessage,
        library.HumanMessage,
        library.AIMessage,
    ]


def test_a_capability_of_pydantic_ai_works():
    library = pytest.importorskip("pydantic_ai.messages")
    capabilities = pytest.importorskip("pydantic_ai.capabilities")

    def processor(messages: list[library.ModelMessage]) -> list[library.ModelMessage]:
        assert all(isinstance(m, library.ModelRequest | library.ModelResponse) for m in messages)
        return messages[-2:]

    made = wrap(capabilities.ProcessHistory(processor))
    outcome, view = compacted(made, session(4), context_of())
    assert outcome.status == "compacted"
    assert ids(view)[-1] == "m16"


def test_the_types_of_anthropic_tell_the_shape():
    library = pytest.importorskip("anthropic.types")

    def function(messages: list[library.MessageParam]) -> list[library.MessageParam]:
        return messages

    assert shape_of(messages_parameter(function)) == "anthropic"


def test_the_types_of_the_agents_sdk_tell_the_shape():
    library = pytest.importorskip("agents")

    def function(items: list[library.TResponseInputItem]) -> list[library.TResponseInputItem]:
        return items

    assert shape_of(messages_parameter(function)) == "responses"


@given(st.text(max_size=5))
def test_the_name_of_a_shape_is_one_of_six(name):
    if name not in SHAPES:
        with pytest.raises(
            ValueError,
            match="must be one of chat, langchain, pydantic-ai, llama-index, anthropic, responses",
        ):
            shape_named(name)
