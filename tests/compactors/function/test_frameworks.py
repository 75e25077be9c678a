"""Objects of frameworks by path: stand-ins of the same shape, and the real ones where installed."""

import sys
import types
from types import SimpleNamespace

import pytest
from support.builders import assistant, compact_now, context_of, system, tool, user
from support.compacting import compacted
from support.compositions import create, refusal
from support.scenarios import lean, long_case, records, write_cases

from pytest_compaction.conversation.formats.chat import from_chat

MODULE = "of_a_framework"
CHAT = [
    system("Be careful."),
    user("Raise the limit."),
    assistant("I look.", ("c1", "read_file", {"path": "a.py"})),
    tool("c1", "LIMIT = 1"),
    user("Go on."),
]


def removed(id="__remove_all__"):
    return SimpleNamespace(type="remove", id=id)


def said(text, id="s"):
    return SimpleNamespace(type="human", id=id, content=text)


class AgentMiddleware:
    """The empty base, as LangChain has it."""

    def before_model(self, state, runtime):
        return None

    async def abefore_model(self, state, runtime):
        raise AssertionError("the base has nothing to say")

    def wrap_model_call(self, request, handler):
        raise NotImplementedError

    async def awrap_model_call(self, request, handler):
        raise NotImplementedError


class Summarization(AgentMiddleware):
    trigger = ("tokens", 4000)

    async def abefore_model(self, state, runtime):
        assert [each.type for each in state["messages"]] == ["human", "ai", "tool", "human"]
        return {"messages": [removed(), said("All so far."), state["messages"][-1]]}


class SyncOnly(AgentMiddleware):
    def before_model(self, state, runtime):
        return {"messages": [removed("m1"), removed("m2"), removed("m3")]}


class Idle(AgentMiddleware):
    def before_model(self, state, runtime):
        return None


class Around(AgentMiddleware):
    """As that of deepagents: the request that goes on holds the summary."""

    model = None

    async def awrap_model_call(self, request, handler):
        assert request.state["_summarization_session_id"] == "session"
        request = request.override(messages=[said("All so far."), request.messages[-1]])
        await handler(request)
        return SimpleNamespace(command={"_summarization_event": {}})


def node(state):
    return {"messages": [said("All so far."), *map(removed, ("m1", "m2", "m3"))]}


def remembering(state, config):
    assert config == {}
    summary = state.get("summary", "")
    return {"summary": f"{summary}All.", "messages": [removed("m1"), removed("m2"), removed("m3")]}


def command(state):
    return SimpleNamespace(goto="model", update={"llm_input_messages": state["messages"][-1:]})


class Graph:
    def __init__(self, *nodes):
        self.nodes = dict.fromkeys(("__start__", *nodes))

    async def ainvoke(self, state, config, interrupt_before=()):
        assert config["configurable"]["thread_id"]
        left = [said("All so far."), *state["messages"][-1:]]
        asked = "model" in self.nodes and "model" not in interrupt_before
        answer = [SimpleNamespace(type="ai", id="a", content="I answer.")] if asked else []
        return {"messages": [*left, *answer]}

    def invoke(self, state, config):
        raise AssertionError("the async way comes first")


class Builder:
    def add_node(self, name):
        pass

    def compile(self):
        return Graph("summarise")


class Memory:
    """The methods of llama-index's memories."""

    def __init__(self, keep=1):
        self.keep, self.held = keep, ["left over"]

    def put(self, message):
        self.held.append(message)

    def get(self, input=None):
        return [*self.held[:1], *self.held[-self.keep :]] if self.keep > 1 else self.held[-1:]

    def get_all(self):
        return self.held

    def reset(self):
        self.held = []


class Summing(Memory):
    """Sums up in a message of the system, as llama-index does."""

    def get(self, input=None):
        said = f"{len(self.held) - 1} before."
        summary = SimpleNamespace(role="system", content=said, additional_kwargs={})
        return [summary, self.held[-1]]


class Summarizer:
    """The method of ADK's summarizers of events."""

    def __init__(self, made=True):
        self.made = made

    async def maybe_summarize_events(self, *, events):
        assert [event.author for event in events] == ["user", "agent", "user"][: len(events)]
        if not self.made:
            return None
        parts = [part for event in events for part in event.content.parts]
        called = [part.function_call.name for part in parts if part.function_call]
        content = SimpleNamespace(parts=[SimpleNamespace(text=f"They called {called}.")])
        return SimpleNamespace(
            actions=SimpleNamespace(compaction=SimpleNamespace(compacted_content=content))
        )


def raw(messages: "list[BaseMessage]"):  # noqa: F821
    return [removed(), said("All so far."), messages[-1]]


class Chain:
    """An object of LangChain that is none of these."""

    async def ainvoke(self, state):
        return {"messages": state["messages"][-1:]}


Chain.__module__ = "langchain_core.runnables"


@pytest.fixture(autouse=True)
def framework_module(monkeypatch):
    module = types.ModuleType(MODULE)
    for thing in (node, remembering, command, Memory, Summarizer, raw, Summarization):
        setattr(module, thing.__name__, thing)
    module.middleware, module.sync, module.idle = Summarization(), SyncOnly(), Idle()
    module.around, module.builder, module.memory = Around(), Builder(), Memory()
    module.graph, module.agent = Graph("summarise"), Graph("Own.before_model", "model")
    module.answering = Graph("summarise", "model")
    module.deep = Graph("model", "tools", "Own.before_agent")
    module.summarizer, module.silent = Summarizer(), Summarizer(made=False)
    config = SimpleNamespace(summarizer=Summarizer(), event_retention_size=2)
    module.config, module.app = config, SimpleNamespace(events_compaction_config=config)
    module.chain, module.summing = Chain(), Summing()
    monkeypatch.setitem(sys.modules, MODULE, module)


SUMMARY = "All so far."


@pytest.mark.parametrize(
    ("text", "left", "summary"),
    [
        ("middleware", ["m0", "new", "m4"], SUMMARY),
        ("Summarization", ["m0", "new", "m4"], SUMMARY),
        ("sync", ["m0", "m4"], ""),
        ("idle", ["m0", "m1", "m2", "m3", "m4"], ""),
        ("around", ["m0", "new", "m4"], SUMMARY),
        ("node", ["m0", "m4", "new"], SUMMARY),
        ("remembering", ["m0", "new", "m4"], "Summary of the conversation earlier: All."),
        ("command", ["m0", "m4"], ""),
        ("graph", ["m0", "new", "m4"], SUMMARY),
        ("builder", ["m0", "new", "m4"], SUMMARY),
        ("agent", ["m0", "new", "m4"], SUMMARY),
        ("answering", ["m0", "new", "m4"], SUMMARY),
        ("memory", ["m0", "m4"], ""),
        ("Memory:keep=2", ["m0", "m1", "m3", "m4"], ""),
        ("config", ["m0", "new", "m2", "m3", "m4"], "They called []."),
        ("app:keep=1", ["m0", "new", "m4"], "They called ['read_file']."),
        ("summarizer", ["m0", "m1", "m2", "m3", "m4"], ""),
        ("silent:keep=1", ["m0", "m1", "m2", "m3", "m4"], ""),
        ("raw", ["new", "m4"], SUMMARY),
        ("raw:system=outside", ["m0", "new", "m4"], SUMMARY),
    ],
)
def test_it_compacts_with_the_system_prompt_where_the_product_has_it(text, left, summary):
    made = create(f"{MODULE}:{text}")
    _, view = compacted(made, CHAT, context_of(200))
    assert [m.id if m.origin == "log" else "new" for m in view] == left
    assert [m.text for m in view if m.origin == "synthetic"] == [summary] * ("new" in left)


def test_what_the_header_says_of_it():
    made = create(f"{MODULE}:middleware")
    assert "abefore_model is called" in made.understood
    assert "it compacts at ('tokens', 4000)" in made.understood
    assert made.understood.endswith("the system prompt is outside (system=outside)")
    assert not made.takes_budget


def twice(text):
    """The view after two compactions, between which the user says one thing, and the state."""
    made, context = create(f"{MODULE}:{text}"), context_of(200)
    state = made.start()
    for chat in (CHAT, [user("And then?")]):
        known = len(state["messages"])
        new = from_chat([{**m, "id": f"m{known + n}"} for n, m in enumerate(chat)])
        state = compact_now(made, made.observe(state, new, context), context).state
    return made.render(state, context).messages, state


def test_the_rest_of_a_state_is_kept_until_the_next_compaction():
    view, state = twice("remembering")
    assert state["own"] == {"summary": "All.All."}
    said = [message.text for message in view if message.origin == "synthetic"]
    assert said == ["Summary of the conversation earlier: All.All."]


def test_a_summary_that_is_a_system_message_is_no_system_prompt():
    view, _ = twice("summing")
    assert [message.text for message in view] == ["Be careful.", "2 before.", "And then?"]


def test_an_agent_that_compacts_around_its_model_is_refused_with_what_to_name():
    text = refusal(f"{MODULE}:deep")
    assert (
        "around the call of the model, name that middleware, as here:\n    from deepagents" in text
    )


def test_what_is_refused_comes_with_a_way_on():
    text = refusal(f"{MODULE}:chain")
    assert "'of_a_framework:chain' is Chain; expected a function" in text
    assert "A function around it works: def compact(messages, budget)" in text


OWN = """
def encrypted(items, budget):
    item = {"type": "compaction", "id": "c", "encrypted_content": "gAAAA"}
    return [items[0], item]


def in_words_too(items, budget):
    said = {"type": "message", "role": "assistant", "content": "The limit is 45 seconds."}
    return [*encrypted(items, budget), said]


def placeholder(messages):
    said = "Previous conversation was too long to summarize."
    return [messages[0], {"role": "user", "content": said}]
"""


def test_a_view_is_unscored_if_its_compaction_is_encrypted_alone(pytester):
    pytester.makepyfile(own=OWN)
    write_cases(pytester, long_case("small"))
    names = [f"own:{name}:messages=responses" for name in ("encrypted", "in_words_too")]
    result = pytester.runpytest_inprocess(*lean(), f"--compactor={','.join(names)}")
    found = {(record["compactor"], record["status"]) for record in records(pytester).records}
    alone, in_words = names
    assert found == {(alone, "unscored"), (in_words, "passed"), (in_words, "failed")}
    result.stdout.fnmatch_lines(
        ["*not scored (4): its summary is encrypted: only its provider can read it"]
    )


def test_the_header_says_once_which_strategies_take_no_budget(pytester):
    pytester.makepyfile(own=OWN)
    write_cases(pytester, long_case("small"))
    names = "--compactor=own:placeholder,own:placeholder:system=outside,truncate"
    said = "compaction: own:placeholder, own:placeholder:system=outside: takes no budget*budget=N"
    result = pytester.runpytest_inprocess(*lean(), names)
    result.stdout.fnmatch_lines(
        [said, '*2 of 2 views hold "too long to summarize" in place of a summary']
    )
    result = pytester.runpytest_inprocess(*lean(), names, "--compaction-budget=500")
    result.stdout.no_fnmatch_line(said)


def test_a_placeholder_in_place_of_a_summary_is_marked(pytester):
    pytester.makepyfile(own=OWN)
    write_cases(pytester, long_case("small"))
    result = pytester.runpytest_inprocess(*lean(), "--compactor=own:placeholder")
    result.stdout.fnmatch_lines(['2 of 2 views hold "too long to summarize" in place of a summary'])
