"""Strategies that a user names: a function, an object or class with ``compact``, an object of a
framework, or a function without parameters that makes one of these.

Objects of frameworks become functions over messages, told by their methods:

- a **session** (Agents SDK): messages are added, it compacts, and what it holds then is the view;
- a **middleware** (LangChain, deepagents), a **node** or a **graph** (LangGraph): a state goes
  in, and the view is made of what comes back.

Each product keeps the system prompt outside these messages, so it stands outside here too.
"""

from __future__ import annotations

import copy
import importlib
import inspect
import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, Final

from pytest_compaction.compactors.function.arguments import arguments_for
from pytest_compaction.compactors.function.compactor import (
    INSIDE,
    OUTSIDE,
    FunctionCompactor,
    called,
)
from pytest_compaction.compactors.function.shapes import SHAPES, added
from pytest_compaction.compactors.function.signatures import (
    MESSAGES,
    as_annotated,
    instance_of,
    no_such_parameter,
    refuse,
    signature_of,
    takes,
)
from pytest_compaction.compactors.protocol import Compactor, State
from pytest_compaction.compactors.specs import Spec, UnknownCompactorError
from pytest_compaction.text import printable


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


SESSION_ID: Final = "session_id"
"""Arguments with which the classes of the Agents SDK are made."""
SYSTEM: Final = "system"
"""The parameter that says where the system prompt is; it is the user's where it says else."""
_WAY_ON: Final = (
    ". A function around it works: def compact(messages, budget), which calls it and returns the "
    "messages to go on with"
)
METHODS: Final = ("start", "observe", "due", "compact", "render")


def strategy_of(spec: Spec, target: Any) -> Compactor[State]:
    """A fresh strategy of what the user names, with its parameters.

    Raises :class:`UnknownCompactorError` with a sentence that says what was understood.
    """
    factory = _makes_one(target)
    if factory:
        target = instance_of(spec.only(()), target)
    if inspect.isclass(target):
        return _of_class(spec, target)
    if not factory and not _is_protocol(target) and is_session(target):
        try:
            target = copy.deepcopy(target)
        except Exception:  # an object may raise anything when it is copied
            raise UnknownCompactorError(
                f"{spec.target!r} is one session for all cases, which would mix their "
                "messages; name its class, or a function without parameters that makes one:\n"
                "    def make_session():\n"
                f"        return {type(target).__name__}(...)  # as {spec.target} is made"
            ) from None
    return _of_object(spec, target)


def _of_class(spec: Spec, target: Any) -> Compactor[State]:
    """A strategy of a class; its instance takes the parameters that its method does not."""
    session = is_session(target)
    if not (_has_simple_compact(target) or session or _is_called(target)):
        return _of_object(spec.only(()), instance_of(spec, target), spec.target)
    names = [name for name, _ in spec.parameters]
    first = spec.only([name for name in names if takes(target, name)])
    rest = spec.only([name for name in names if not takes(target, name)])
    if session:
        if SESSION_ID not in names and takes(target, SESSION_ID):
            first = replace(first, parameters=((SESSION_ID, "case"), *first.parameters))
    else:
        method = target.compact if _has_simple_compact(target) else target.__call__
        own = (name for name, _ in rest.parameters if name not in _ours(rest))
        nobodys = [name for name in own if not takes(method, name)]
        if nobodys:
            refuse(spec, no_such_parameter(nobodys, target))
    return _of_object(rest, instance_of(first, target))


def _of_object(spec: Spec, made: Any, class_name: str = "") -> Compactor[State]:
    """A strategy of an object: itself, its ``compact``, its session, or a call of it."""
    if _is_protocol(made) and hasattr(made, "name") and hasattr(made, "traits"):
        if spec.parameters:
            names = ", ".join(name for name, _ in spec.parameters)
            refuse(spec, f"it takes no parameters: {names}")
        strategy: Compactor[State] = made
        return strategy
    ours = _ours(spec)
    own = {name: value for name, value in spec.parameters if name not in ours}
    try:
        call = object_call(made, spec.target, own)
    except ValueError as error:
        raise UnknownCompactorError(str(error)) from None
    if call is not None:
        return _function(spec.only(ours), call)
    if _has_simple_compact(made):
        return _function(spec, made.compact, inspect.getdoc(made))
    if class_name and not callable(called(made)):
        missing = [name for name in METHODS if not callable(getattr(made, name, None))]
        missing += [name for name in ("name", "traits") if not hasattr(made, name)]
        raise UnknownCompactorError(
            f"{class_name!r} is not a compactor: it has no {', '.join(missing)}; a class with a "
            f"method compact(messages, budget) is enough{_WAY_ON}"
        )
    return _function(spec, made)


def _is_protocol(thing: Any) -> bool:
    return all(callable(getattr(thing, name, None)) for name in METHODS)


def _has_simple_compact(thing: Any) -> bool:
    """Whether ``compact`` takes messages: not that of the protocol, which takes a state."""
    method = getattr(thing, "compact", None)
    if not callable(method) or _is_protocol(thing):
        return False
    signature = signature_of(method)
    names = [] if signature is None else [name for name in signature.parameters if name != "self"]
    return bool(names) and names[:2] != ["state", "context"]


def _is_called(target: type) -> bool:
    """Whether the instances of a class are functions over messages: they have ``__call__``."""
    return not _is_protocol(target) and inspect.isfunction(
        inspect.getattr_static(target, "__call__", None)
    )


def _makes_one(target: Any) -> bool:
    """Whether a function cannot take messages, and so must be meant to make what can."""
    if not inspect.isfunction(target) or inspect.iscoroutinefunction(target):
        return False
    signature = signature_of(target)
    return signature is not None and not signature.parameters


def _function(spec: Spec, target: Any, description: str | None = None) -> Compactor[State]:
    ours = _ours(spec)
    own = {key: value for key, value in spec.parameters if key not in ours}
    if takes_state(target):
        target, own = node_call(target, own), {}
    function: Any = called(target)
    if not callable(function):
        raise UnknownCompactorError(
            f"{spec.target!r} is {type(target).__name__}; expected a function over messages "
            f"and a budget, or a compactor class{_WAY_ON}"
        )
    try:
        typed = as_annotated(own, dict(spec.written), function)
        shape, system = ours.get(MESSAGES), ours.get(SYSTEM)
        made = FunctionCompactor(spec.target, target, typed, shape, system)
    except ValueError as error:
        raise UnknownCompactorError(
            f"the compactor {spec.text!r}: {printable(str(error))}"
        ) from None
    if description:
        made.description = description.splitlines()[0]
    wrong = no_such_parameter(own, function, made.arguments.names)
    try:
        made.check_call()
    except TypeError as error:
        shapes = f"messages={'|'.join(SHAPES[1:])} names other message objects"
        wrong = wrong or f"{printable(str(error))}; {shapes}"
    if wrong:
        raise UnknownCompactorError(
            f"the compactor {spec.text!r} cannot be called as {made.arguments.form}: {wrong}"
            f"{_WAY_ON}"
        )
    return made


def _ours(spec: Spec) -> dict[str, Any]:
    """The parameters that are for the plugin: the shape, and the place of the system prompt."""
    return {
        name: value
        for name, value in spec.parameters
        if name == MESSAGES or (name == SYSTEM and value in {INSIDE, OUTSIDE})
    }
