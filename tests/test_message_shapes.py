"""Functions over LangChain and pydantic-ai messages, with the libraries or without them."""

import asyncio
import functools
import sys
import types

import pytest
from builders import COUNTER, agent_logs, assistant, context_of, session, system, tool, user
from compacting import compacted, ids, messages_of
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_compaction.compactors.function import CompactorError, FunctionCompactor
from pytest_compaction.compactors.registry import Registry, UnknownCompactorError, parse_spec
from pytest_compaction.compactors.shapes.protocol import shape_named, shape_of, takes_run_context
from pytest_compaction.conversation import structure_faults

SHAPES = ["chat", "langchain", "pydantic-ai"]

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
    """What a function of that shape is given."""
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
        ["system-prompt", "user-prompt"],
        ["thinking", "text", "tool-call", "tool-call"],
        ["tool-return", "tool-return"],
        [],
        ["user-prompt"],
    ]
    text, image = seen[0].parts[1].content
    assert (text, image.url) == ("What is this?", "https://example.org/a.png")
    call = seen[1].parts[2]
    assert (call.tool_name, call.args, call.tool_call_id) == (
        "read_file", '{"path":  "a.py"}', "c1",
    )  # fmt: skip
    assert [part.outcome for part in seen[2].parts] == ["success", "failed"]
    assert (seen[2].parts[0].tool_name, seen[2].parts[0].content) == ("read_file", "A = 1")


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


def test_what_a_function_writes_is_synthetic_and_what_it_changes_too():
    def shortened(messages):
        for message in messages:
            if message.type == "tool":
                message.content = "(cleared)"
        return messages

    outcome, view = compacted(wrap(shortened, "langchain"), session(2), context_of())
    assert outcome.status == "compacted"
    changed = [message for message in view if message.origin == "synthetic"]
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


def by_budget(messages, *, max_tokens):
    return messages[-max_tokens // 100 :]


def by_its_own_budget(messages, budget=7):
    assert budget == 200
    return messages[-1:]


def test_a_function_with_a_parameter_for_it_gets_the_budget():
    chat = [user("a"), assistant("b"), user("c")]
    assert ids(compacted(wrap(by_budget, "langchain"), chat, context_of(200))[1]) == ["m1", "m2"]
    assert ids(compacted(wrap(by_its_own_budget, "langchain"), chat, context_of(200))[1]) == ["m2"]
    own = wrap(by_budget, "langchain", max_tokens=100)
    assert ids(compacted(own, chat, context_of(200))[1]) == ["m2"]


def test_a_processor_that_wants_the_run_gets_the_tokens_of_the_view():
    seen = []

    def processor(ctx, messages):
        seen.append((ctx.usage.total_tokens, ctx.budget))
        return messages[-1:]

    chat = [user("a"), assistant("b"), user("c")]
    compacted(wrap(processor, "pydantic-ai"), chat, context_of(90))
    assert seen == [(COUNTER.messages(messages_of(chat)), 90)]


def test_an_async_function_is_awaited():
    async def later(messages):
        await asyncio.sleep(0)
        return messages[-1:]

    for shape in ("langchain", "pydantic-ai"):
        assert ids(compacted(wrap(later, shape), [user("a"), assistant("b")], context_of())[1]) == [
            "m1"
        ]


@pytest.mark.parametrize(
    ("annotation", "shape"),
    [
        ("list[BaseMessage]", "langchain"),
        ("Sequence[AnyMessage]", "langchain"),
        ("list[langchain_core.messages.HumanMessage]", "langchain"),
        ("list[ModelMessage]", "pydantic-ai"),
        ("list[dict]", "chat"),
    ],
)
def test_the_annotation_tells_which_messages_a_function_takes(annotation, shape):
    def function(messages, budget=0):
        return messages

    function.__annotations__ = {"messages": annotation}
    assert shape_of(function) == shape
    assert shape_of(functools.partial(function, budget=1)) == shape


def test_the_annotation_is_that_of_the_messages_and_not_of_the_run():
    def processor(ctx: "RunContext[None]", messages: "list[ModelMessage]"):  # noqa: F821
        return messages

    assert takes_run_context(processor)
    assert shape_of(processor) == "pydantic-ai"


class Odd:
    type = "remove"
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
        ("langchain", [Odd()], "message 0 has type 'remove'; expected one of human, ai"),
        ("pydantic-ai", None, "expected the list of pydantic-ai messages"),
        ("pydantic-ai", [3], "message 0 is int and has no 'kind'"),
        ("chat", [3], "message 0 is int; expected a chat message"),
    ],
)
def test_what_cannot_be_read_back_is_said_in_a_sentence(shape, returned, said):
    with pytest.raises(CompactorError) as caught:
        compacted(wrap(lambda messages, *_: returned, shape), [user("a")], context_of())
    assert said in str(caught.value)


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


# --- on the command line -------------------------------------------------------------


class Callable:
    """Drops the oldest messages; made with its parameters."""

    def __init__(self, keep=1):
        self.keep = keep

    def __call__(self, messages, budget):
        return messages[-self.keep :]


@pytest.fixture(autouse=True)
def own_module(monkeypatch):
    module = types.ModuleType("messages_of_mine")
    for thing in (keep_ends, by_budget, Trimmer, Callable):
        setattr(module, thing.__name__, thing)
    module.trimmer = Trimmer()
    module.called = Callable(2)
    module.partial = functools.partial(by_budget, max_tokens=100)
    monkeypatch.setitem(sys.modules, "messages_of_mine", module)


def create(text):
    return Registry().create(parse_spec(f"messages_of_mine:{text}"))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("keep_ends:messages=langchain", ["m0", "m1", "m2"]),
        ("keep_ends:messages=pydantic-ai", ["m0", "m1", "m2"]),
        ("by_budget:messages=langchain:max_tokens=100", ["m2"]),
        ("trimmer", ["m2"]),
        ("partial:messages=langchain", ["m2"]),
        ("called", ["m1", "m2"]),
        ("Callable:keep=2", ["m1", "m2"]),
    ],
)
def test_the_command_line_names_functions_objects_and_shapes(text, left):
    chat = [user("a"), assistant("b"), user("c")]
    made = create(text)
    assert made.name == f"messages_of_mine:{text.partition(':')[0]}"
    assert ids(compacted(made, chat, context_of())[1]) == left


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("keep_ends", "cannot be called as f(messages, budget): too many positional arguments"),
        ("keep_ends:messages=haystack", "messages=haystack must be one of chat, langchain, pyd"),
        ("keep_ends:messages=langchain:k=3", "cannot be called as f(messages, k=…)"),
        ("Callable:size=2", "does not take these parameters"),
    ],
)
def test_what_cannot_be_called_says_how_it_would_be(text, said):
    with pytest.raises(UnknownCompactorError) as caught:
        create(text)
    assert said in str(caught.value)


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


@given(st.text(max_size=5))
def test_the_name_of_a_shape_is_one_of_three(name):
    if name not in SHAPES:
        with pytest.raises(ValueError, match="must be one of chat, langchain, pydantic-ai"):
            shape_named(name)
