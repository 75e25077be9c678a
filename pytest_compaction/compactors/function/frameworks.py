"""Objects of frameworks as functions over messages, told by their methods.

- a **session** (Agents SDK) or a **memory** (llama-index): messages are added, it compacts, and
  what it holds then is the view;
- a **middleware** (LangChain, deepagents), a **node** or a **graph** (LangGraph): a state goes
  in, and the view is made of what comes back;
- a **summarizer** of events (ADK): it summarises all but the newest messages.

Each product keeps the system prompt outside these messages, so it stands outside here too.
"""

from __future__ import annotations

import importlib
import inspect
import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Final

from pytest_compaction.compactors.function.arguments import arguments_for
from pytest_compaction.compactors.function.shapes import added
from pytest_compaction.compactors.function.signatures import signature_of, takes
from pytest_compaction.conversation import json_or_none


class ObjectCall:
    """An object of a framework as a function over messages of the shape ``messages_shape``."""

    messages_shape: str
    understood: str
    system_outside = True
    takes_budget = False

    def __init__(self, thing: Any) -> None:
        self.__doc__ = inspect.getdoc(thing) or type(thing).__name__


def has(thing: Any, *names: str) -> bool:
    """Whether a thing has all these methods."""
    return all(callable(getattr(thing, name, None)) for name in names)


async def awaited(value: Any) -> Any:
    """A value, awaited if it can be."""
    return await value if inspect.isawaitable(value) else value


_SESSION: Final = ("add_items", "get_items")
_MEMORY: Final = ("put", "get", "get_all", "reset")
_CLEAR: Final = ("clear_session", "areset", "reset")
_ADD: Final = ("add_items", "aput", "put")
_COMPACT: Final = ("run_compaction", "compact")
_GET: Final = ("get_items", "aget", "get")
"""Methods of what holds messages; of several the first is called."""


def store_kind(thing: Any) -> str:
    """Whether an object or a class is a ``session`` or a ``memory``; empty if it is neither."""
    if has(thing, *_SESSION) and any(has(thing, name) for name in _COMPACT):
        return "session"
    return "memory" if has(thing, *_MEMORY) else ""


class StoreCall(ObjectCall):
    """A session or memory. It holds nothing from one call to the next."""

    def __init__(self, kind: str, thing: Any, parameters: Mapping[str, Any]) -> None:
        super().__init__(thing)
        self.messages_shape = "responses" if kind == "session" else "llama-index"
        self._thing, self._parameters = thing, dict(parameters)
        self._compaction: Any = self._method(_COMPACT) if kind == "session" else None
        self._budgets: list[str] = []
        called = ""
        if self._compaction:
            called = f"{self._compaction.__name__} is called, "
            wanted = arguments_for(self._compaction, self._parameters, self.messages_shape)
            given = (*wanted.placed, *wanted.named)
            self._budgets = [name for name, role in given if role == "budget"]
        self.takes_budget = bool(self._budgets)
        left = f"{called}and what {self._method(_GET).__name__} returns is the view"
        self.understood = f"is a {kind}: messages are added, {left}"

    def _method(self, names: Sequence[str]) -> Any:
        return next((getattr(self._thing, name) for name in names if has(self._thing, name)), None)

    async def __call__(self, items: list[Any], budget: int) -> Any:
        """The messages with which the store goes on."""
        clear, add = self._method(_CLEAR), self._method(_ADD)
        if clear is not None:
            await awaited(clear())
        for each in [items] if self._compaction else items:
            await awaited(add(each))
        returned = await awaited(self._compacted(budget)) if self._compaction else None
        return returned if isinstance(returned, list) else list(await awaited(self._method(_GET)()))

    def _compacted(self, budget: int) -> Any:
        placed = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        parameters = inspect.signature(self._compaction).parameters.values()
        forced = self._compaction.__name__ == "run_compaction"
        if forced and any(parameter.kind in placed for parameter in parameters):
            # A session may wait for more turns, and the case says that it is time now.
            return self._compaction({"force": True}, **self._parameters)
        return self._compaction(**dict.fromkeys(self._budgets, budget), **self._parameters)


_VIEWS: Final = ("llm_input_messages", "summarized_messages")
"""The keys of a state under which a node leaves what the model reads, and the messages as they
are."""
_EARLIER: Final = "Summary of the conversation earlier: "
"""Begins the message in which the model is told the summary that a state holds."""
_OFFLOADED: Final = "_summarization_session_id"
"""Names the file to which deepagents writes what it evicts; else it is random, and in the view."""


class StateCall(ObjectCall):
    """A middleware, a node or a graph: a state goes in, and messages are in what comes back."""

    messages_shape = "langchain"

    def __init__(
        self, thing: Any, title: str, run: Callable[..., Any], returns_all: bool = False
    ) -> None:
        super().__init__(thing)
        self._run, self._returns_all = run, returns_all
        self._key = getattr(thing, "input_messages_key", "messages")
        own = next((getattr(thing, n) for n in ("trigger", "token_limit") if hasattr(thing, n)), "")
        trigger = f"; it compacts at {own!r}" if own else ""
        self.understood = f"is a {title}{trigger}"

    async def __call__(self, messages: list[Any], state: dict[str, Any], system: str = "") -> Any:
        """The view, and the rest of the state as far as it is JSON."""
        own = [m for m in messages if not str(m.content).startswith(_EARLIER)]
        returned = await awaited(self._run({**state, self._key: list(own)}, system))
        command = getattr(returned, "update", None)  # of LangGraph's Command
        update = command if isinstance(command, Mapping) else returned
        if not isinstance(update, Mapping):
            return messages if update is None else update, state
        rest = {k: v for k, v in update.items() if k not in {self._key, *_VIEWS} and _is_json(v)}
        left = next((update[key] for key in _VIEWS if update.get(key)), None)
        view = self._view(own, update.get(self._key, ())) if left is None else left
        state = {**state, **rest}
        if isinstance(summary := state.get("summary"), str) and summary.strip():
            view = [{"role": "system", "content": f"{_EARLIER}{summary}"}, *view]
        return view, state

    def _view(self, messages: list[Any], found: Any) -> list[Any]:
        if not self._returns_all:
            return added(messages, found)
        last, left = messages[-1].id, list(found)
        ids = [getattr(each, "id", None) for each in left]
        # What the agent says after the last message is its next turn, and no part of the view.
        return left[: ids.index(last) + 1] if last in ids else left


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _runtime() -> Any:
    """Arguments of hooks of middlewares beside the state."""
    library = _library("langgraph.runtime")
    return library.Runtime() if library else SimpleNamespace(context=None, store=None)


@dataclass
class StandInRequest:
    """The attributes of LangChain's ``ModelRequest``."""

    model: Any
    messages: list[Any]
    system_message: Any
    state: Any
    runtime: Any
    tools: Sequence[Any] = ()

    def override(self, **changes: Any) -> StandInRequest:
        """A copy with some attributes changed."""
        return StandInRequest(**{**vars(self), **changes})


def _middleware(thing: Any) -> StateCall | None:
    """A middleware: its hook before the call of the model, or the one around that call."""
    hooks = ("abefore_model", "before_model", "awrap_model_call", "wrap_model_call")
    name = next((name for name in hooks if _is_own(thing, name)), None)
    if name is None:
        return None
    hook = getattr(thing, name)
    if name.endswith("before_model"):
        title = f"middleware: {name} is called with the state, as add_messages has its update"
        return StateCall(thing, title, lambda state, _: hook(state, _runtime()))
    title = f"middleware: {name} is called, and the messages of its request are the view"
    return StateCall(thing, title, lambda state, system: _wrapped(thing, hook, state, system))


def _is_own(thing: Any, name: str) -> bool:
    """Whether a class has a method that is not the empty one of LangChain's base."""
    owners = (each for each in type(thing).__mro__ if name in vars(each))
    owner = next(owners, None)
    return owner is not None and owner.__name__ != "AgentMiddleware"


async def _wrapped(thing: Any, wrap: Callable[..., Any], state: Any, system: str) -> Any:
    """The messages of the request that a middleware hands on to the model, which is not asked."""
    types, messages = _library("langchain.agents.middleware.types"), state["messages"]
    said = _library("langchain_core.messages")
    prompt = said.SystemMessage(content=system) if said and system else None
    given = {"model": getattr(thing, "model", None), "messages": messages, "system_message": prompt}
    given |= {"state": {_OFFLOADED: "session", **state}, "runtime": _runtime()}
    request = (types.ModelRequest if types else StandInRequest)(**given)
    seen: list[Any] = []

    def answered(handed_on: Any) -> Any:
        seen[:] = handed_on.messages
        return SimpleNamespace(result=[], structured_response=None)

    async def aanswered(handed_on: Any) -> Any:
        return answered(handed_on)

    await awaited(wrap(request, aanswered if wrap.__name__.startswith("a") else answered))
    return seen


_MIDDLEWARE: Final = """
    from deepagents.backends import FilesystemBackend
    from deepagents.middleware.summarization import create_summarization_middleware
    from langchain.chat_models import init_chat_model

    model = init_chat_model("openai:gpt-4o-mini")  # that of the agent
    middleware = create_summarization_middleware(model, FilesystemBackend("history"))"""


def _graph(thing: Any, name: str) -> StateCall:
    """A compiled graph. An agent stops before it asks its model, whose answer is no compaction."""
    nodes = [*thing.nodes]
    stops: list[str] = []
    if any(node.endswith(".before_model") or node == "pre_model_hook" for node in nodes):
        stops = [node for node in nodes if node in {"model", "agent"}]
    elif "model" in nodes and all(
        node in {"__start__", "model", "tools"} or node.endswith("_agent") for node in nodes
    ):
        raise ValueError(
            f"{name!r} is an agent without a step before its model; if a middleware compacts "
            f"around the call of the model, name that middleware, as here:{_MIDDLEWARE}"
        )
    run = thing.ainvoke if has(thing, "ainvoke") else thing.invoke

    def invoked(state: Any, system: str) -> Any:
        config = {"configurable": {"thread_id": uuid.uuid4().hex}}
        return run(state, config, **({"interrupt_before": stops} if stops else {}))

    stopped = f", stopped before {' and '.join(stops)}" if stops else ""
    title = (
        f"graph: it is invoked with the messages{stopped}, and those that come back are the view"
    )
    return StateCall(thing, title, invoked, returns_all=True)


def takes_state(function: Any) -> bool:
    """Whether a function is a node of LangGraph: it takes a state, and no messages beside it."""
    signature = signature_of(function) if callable(function) else None
    names = [*signature.parameters] if signature else []
    return names[:1] == ["state"] and not {"messages", "history"} & {*names}


def node_call(function: Any, own: Mapping[str, Any]) -> StateCall:
    """A function of a LangGraph state as a function over its messages."""
    more = {"config": {}, "runtime": _runtime()}
    taken = {name: value for name, value in more.items() if takes(function, name)}
    given = {**taken, **own}
    title = "node: it is called with the state, as add_messages has its update"
    return StateCall(function, title, lambda state, _: function(state, **given))


ADK_RETAINED: Final = 10
"""The newest events that stay where nothing says how many, as in the shipped ``adk``."""


class EventsCall(ObjectCall):
    """ADK's summarizer of events: its summary takes the place of all but the newest messages."""

    messages_shape = "chat"

    def __init__(self, summarizer: Any, config: Any, keep: int | None) -> None:
        super().__init__(summarizer)
        self._summarizer = summarizer
        retained = ADK_RETAINED if config is None else config.event_retention_size or 0
        self._keep = retained if keep is None else keep
        self.understood = (
            f"is a summarizer of events: it is called with all but the newest {self._keep} "
            "messages (:keep=N), and its summary is a message of the user"
        )

    async def __call__(self, messages: list[Any]) -> list[Any]:
        """The summary and the newest messages; all of them if there is no summary."""
        answered = {each.get("tool_call_id") for each in messages}
        end = len(messages) - self._keep
        for number, each in enumerate(messages):
            if any(call["id"] not in answered for call in each.get("tool_calls", ())):
                end = min(end, number)  # a call that waits for its result stays
        while 0 < end < len(messages) and messages[end]["role"] == "tool":
            end -= 1
        if end <= 0:
            return messages
        made = await awaited(self._summarizer.maybe_summarize_events(events=events(messages[:end])))
        if made is None:
            return messages
        content = made.actions.compaction.compacted_content
        text = "\n".join(part.text for part in content.parts if part.text)
        return [{"role": "user", "content": text}, *messages[end:]]


def events(messages: Sequence[Mapping[str, Any]]) -> list[Any]:
    """ADK's events of chat messages, or objects with the attributes that a summarizer reads."""
    types, library = _library("google.genai.types"), _library("google.adk.events")
    make = (
        (types.Content, types.Part, types.FunctionCall, types.FunctionResponse)
        if types
        else ((SimpleNamespace,) * 4)
    )
    content, part, called, response = make
    names: dict[str, str] = {}

    def parts(message: Mapping[str, Any]) -> list[Any]:
        none = {"text": None, "function_call": None, "function_response": None, "thought": None}
        said = message.get("content")
        text = said if isinstance(said, str) else texts_of(said)
        if message["role"] == "tool":
            id = message["tool_call_id"]
            given = response(id=id, name=names.get(id, "tool"), response={"result": text})
            return [part(**{**none, "function_response": given})]
        found = [part(**{**none, "text": text})] if text else []
        for call in message.get("tool_calls", ()):
            names[call["id"]] = call["function"]["name"]
            arguments = json_or_none(call["function"]["arguments"])
            args = arguments if isinstance(arguments, dict) else {}
            given = called(id=call["id"], name=names[call["id"]], args=args)
            found.append(part(**{**none, "function_call": given}))
        return found

    actions = {} if library else {"actions": SimpleNamespace(compaction=None)}
    event = library.Event if library else SimpleNamespace
    return [
        event(
            author="agent" if each["role"] == "assistant" else "user",
            content=content(
                role="model" if each["role"] == "assistant" else "user", parts=parts(each)
            ),
            timestamp=float(number),
            **actions,
        )
        for number, each in enumerate(messages, 1)
    ]


def texts_of(content: Any) -> str:
    """The texts of the content parts of a chat message."""
    return "\n".join(each["text"] for each in content or () if each.get("type") == "text")


def object_call(thing: Any, name: str, own: Mapping[str, Any]) -> ObjectCall | None:
    """An object of a framework as a function; ``None`` if it is not of a known kind.

    ``own`` are the user's parameters. Raises ``ValueError`` with a sentence.
    """
    if kind := store_kind(thing):
        return StoreCall(kind, thing, own)
    config = getattr(thing, "events_compaction_config", thing)
    for summarizer in (thing, getattr(config, "summarizer", None)):
        if has(summarizer, "maybe_summarize_events"):
            settings = None if summarizer is thing else config
            return EventsCall(summarizer, settings, own.get("keep"))
    if has(thing, "add_node", "compile"):
        thing = thing.compile()
    if has(thing, "invoke") and isinstance(getattr(thing, "nodes", None), Mapping):
        return _graph(thing, name)
    if hasattr(thing, "input_messages_key"):
        run = thing.ainvoke if has(thing, "ainvoke") else thing.invoke
        return StateCall(thing, "node: it is invoked with the state", lambda state, _: run(state))
    return _middleware(thing)
