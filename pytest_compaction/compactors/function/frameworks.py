"""Objects of frameworks as functions over messages, told by their methods.

- a **session** (Agents SDK): messages are added, it compacts, and what it holds then is the view;
- a **middleware** (LangChain, deepagents), a **node** or a **graph** (LangGraph): a state goes
  in, and the view is made of what comes back.

Each product keeps the system prompt outside these messages, so it stands outside here too.
"""

from __future__ import annotations

import importlib
import inspect
import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Final

from pytest_compaction.compactors.function.arguments import arguments_for
from pytest_compaction.compactors.function.shapes import added
from pytest_compaction.compactors.function.signatures import signature_of, takes


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


_COMPACT: Final = ("run_compaction", "compact")


def is_session(thing: Any) -> bool:
    """Whether an object or a class holds messages and compacts them, as sessions do."""
    return has(thing, "add_items", "get_items") and any(has(thing, name) for name in _COMPACT)


class SessionCall(ObjectCall):
    """A session. It holds nothing from one call to the next."""

    messages_shape = "responses"

    def __init__(self, thing: Any, parameters: Mapping[str, Any]) -> None:
        super().__init__(thing)
        self._session, self._parameters = thing, dict(parameters)
        self._compaction = next(getattr(thing, name) for name in _COMPACT if has(thing, name))
        wanted = arguments_for(self._compaction, self._parameters, self.messages_shape)
        given = (*wanted.placed, *wanted.named)
        self._budgets = [name for name, role in given if role == "budget"]
        self.takes_budget = bool(self._budgets)
        self.understood = (
            f"is a session: messages are added, {self._compaction.__name__} is called, and what "
            "get_items returns is the view"
        )

    async def __call__(self, items: list[Any], budget: int) -> Any:
        """The messages with which the session goes on."""
        session, compaction = self._session, self._compaction
        if has(session, "clear_session"):
            await awaited(session.clear_session())
        await awaited(session.add_items(items))
        placed = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        kinds = {each.kind for each in inspect.signature(compaction).parameters.values()}
        if compaction.__name__ == "run_compaction" and kinds.intersection(placed):
            # A session may wait for more turns, and the case says that it is time now.
            returned = await awaited(compaction({"force": True}, **self._parameters))
        else:
            budgets = dict.fromkeys(self._budgets, budget)
            returned = await awaited(compaction(**budgets, **self._parameters))
        return returned if isinstance(returned, list) else [*await awaited(session.get_items())]


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
        state = {**state}
        for key, value in update.items():
            if key not in {self._key, *_VIEWS}:
                with suppress(TypeError, ValueError):
                    state[key] = json.loads(json.dumps(value))
        left = next((update[key] for key in _VIEWS if update.get(key)), None)
        view = self._view(own, update.get(self._key, ())) if left is None else left
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


def _library(name: str) -> Any:
    with suppress(ImportError):
        return importlib.import_module(name)


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
    # The base of LangChain has empty hooks.
    owners = {name: owner for owner in reversed(type(thing).__mro__) for name in vars(owner)}
    own = (n for n in hooks if n in owners and owners[n].__name__ != "AgentMiddleware")
    if (name := next(own, None)) is None:
        return None
    hook = getattr(thing, name)
    if name.endswith("before_model"):
        title = f"middleware: {name} is called with the state, as add_messages has its update"
        return StateCall(thing, title, lambda state, _: hook(state, _runtime()))
    title = f"middleware: {name} is called, and the messages of its request are the view"
    return StateCall(thing, title, lambda state, system: _wrapped(thing, hook, state, system))


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


def object_call(thing: Any, name: str, own: Mapping[str, Any]) -> ObjectCall | None:
    """An object of a framework as a function; ``None`` if it is not of a known kind.

    ``own`` are the user's parameters. Raises ``ValueError`` with a sentence.
    """
    if is_session(thing):
        return SessionCall(thing, own)
    if has(thing, "add_node", "compile"):
        thing = thing.compile()
    if has(thing, "invoke") and isinstance(getattr(thing, "nodes", None), Mapping):
        return _graph(thing, name)
    if hasattr(thing, "input_messages_key"):
        run = thing.ainvoke if has(thing, "ainvoke") else thing.invoke
        return StateCall(thing, "node: it is invoked with the state", lambda state, _: run(state))
    return _middleware(thing)
