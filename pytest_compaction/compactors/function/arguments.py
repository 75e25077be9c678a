"""Which argument of a function gets what: told by the names of its parameters, else by place.

A function over messages may want the messages, the budget, the model of the run, what it
returned the last time, or a state of its own. Whoever brings a function names these as he likes.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile
from typing import Any, Final, Literal

from pytest_compaction.compactors.function.signatures import is_text, signature_of

Role = Literal["messages", "budget", "model", "previous", "state", "system", "context"]

_NAMES: Final[Mapping[Role, tuple[str, ...]]] = {
    "messages": (
        *("messages", "history", "conversation", "msgs", "chat_history", "message_history"),
        *("input_items", "items", "chat", "input"),
    ),
    "budget": (
        *("budget", "max_tokens", "token_budget", "budget_tokens", "max_token_budget"),
        *("token_limit", "max_context_tokens", "target_tokens"),
    ),
    "model": ("model",),
    "previous": ("previous", "previous_messages"),
    "state": ("state",),
    "system": ("system", "system_prompt"),
    "context": ("ctx", "context", "run_context"),
}
"""Names of parameters that tell what they want, the clearest first."""
_PLACED: Final = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_OPEN: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_NUMBERS: Final = frozenset({"int", "float", "int | None", "Any"})
"""Annotations of a parameter that may be a budget although its name does not tell."""
_NO_NUMBERS: Final = frozenset(
    """client llm tokenizer encoder encoding counter token_counter summarizer summariser agent
    config settings logger session self cls system system_prompt prompt instructions
    context ctx run_context tools tool_schemas functions model_name api_key summary
    previous_summary metadata callbacks query task goal""".split()
)
"""Names of parameters that are no budget, although they stand where one is expected."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arguments of a function: ``placed`` by position and ``named`` by name, each with a role.

    ``own`` are the names of the parameters that the user gives. ``missing`` says in one sentence
    why the function cannot be called; it is empty if it can.
    """

    placed: tuple[tuple[str, Role], ...]
    named: tuple[tuple[str, Role], ...] = ()
    own: tuple[str, ...] = ()
    missing: str = ""

    @property
    def roles(self) -> frozenset[Role]:
        """Everything that the function is given."""
        return frozenset(role for _, role in (*self.placed, *self.named))

    @property
    def names(self) -> frozenset[str]:
        """The parameters that the user need not give."""
        return frozenset(name for name, _ in (*self.placed, *self.named))

    @property
    def form(self) -> str:
        """The call as text: ``f(messages, max_tokens=budget, keep=…)``."""
        placed = (role if name in {role, ""} else f"{name}={role}" for name, role in self.placed)
        named = (f"{name}={role}" for name, role in self.named)
        return f"f({', '.join([*placed, *named, *(f'{name}=…' for name in self.own)])})"

    def call(
        self, function: Callable[..., Any], values: Mapping[Role, Any], own: Mapping[str, Any]
    ) -> Any:
        """Call the function with the value of each role and the user's own parameters."""
        named = {name: values[role] for name, role in self.named}
        return function(*(values[role] for _, role in self.placed), **{**named, **own})


def messages_parameter(function: Callable[..., Any]) -> inspect.Parameter | None:
    """The parameter that gets the messages; ``None`` if the signature does not tell."""
    signature = signature_of(function)
    parameters = [] if signature is None else signature.parameters.values()
    free = [p for p in parameters if p.kind not in _OPEN]
    return _told(free, "messages") or _first(free, _NAMES)


def arguments_for(
    function: Callable[..., Any],
    own: Collection[str] = (),
    shape: str = "chat",
    outside: bool = False,
) -> Arguments:
    """The arguments of a function over messages of that shape.

    It may have the system prompt where that stands ``outside`` the messages. ``own`` are the
    parameters that the user gives; these, and those that a ``partial`` holds, are left alone.
    """
    signature = signature_of(function)
    given = tuple(own)
    if signature is None:  # some functions written in C have none
        both: tuple[tuple[str, Role], ...] = (("", "messages"), ("", "budget"))
        return Arguments(both if shape == "chat" else both[:1], (), given)
    parameters = list(signature.parameters.values())
    left_alone = set(given)
    while isinstance(function, functools.partial):
        left_alone |= function.keywords.keys()
        function = function.func
    free = [p for p in parameters if p.kind not in _OPEN and p.name not in left_alone]
    left_out = {"system": not outside, "context": shape != "pydantic-ai"}
    roles = _roles(free, [role for role in _NAMES if not left_out.get(role)])
    # The first parameters by their places, as far as each has a role; the others by name.
    first = takewhile(lambda p: p.kind in _PLACED and p.name in roles, parameters)
    placed = tuple((p.name, roles[p.name]) for p in first)
    rest = parameters[len(placed) :]
    named = tuple((p.name, roles[p.name]) for p in rest if p.name in roles)
    missing = ""
    unfilled = [p.name for p in free if p.default is p.empty and p.name not in roles]
    if "messages" not in roles.values():
        names = ", ".join(p.name for p in parameters)
        missing = (
            f"it takes {names or 'no parameters'}, and none of these can be the messages; write it "
            "as def f(messages, budget)"
        )
    elif unfilled:
        name = unfilled[0]
        understood = ", ".join(f"{given} is the {role}" for given, role in roles.items())
        missing = f"{understood}; nothing tells what {name!r} is: give it as :{name}=value"
        missing += (
            ", or a default, or a name that tells (budget, max_tokens, model, previous, state)"
        )
        if name == "model":
            missing = f"{understood}; 'model' is a name and has no value: give it as :model=NAME"
    return Arguments(placed, named, given, missing)


def _roles(free: Sequence[inspect.Parameter], known: Sequence[Role]) -> dict[str, Role]:
    found: dict[str, Role] = {}
    for role in known:
        told = _told(free, role)
        if told is not None:
            found[told.name] = role
        if role == "budget":
            required = (p for p in free if p.name in _NAMES[role] and p.default is p.empty)
            found |= {p.name: role for p in required}
    if "messages" not in found.values():
        first = _first([p for p in free if p.name not in found], known)
        if first is not None:
            found[first.name] = "messages"
    if "budget" not in found.values():
        # The first place after the messages that must be given and may be a number.
        before = dropwhile(lambda p: found.get(p.name) != "messages", free)
        places = (p for p in before if p.kind in _PLACED and p.name not in found)
        second = next((p for p in places if p.default is p.empty), None)
        if second is not None and second.name not in _NO_NUMBERS:
            told_as = second.annotation
            kind = told_as.__name__ if inspect.isclass(told_as) else str(told_as).strip("'\"")
            if told_as is second.empty or kind in _NUMBERS:
                found[second.name] = "budget"
    return found


def _told(free: Sequence[inspect.Parameter], role: Role) -> inspect.Parameter | None:
    """The parameter whose name tells that it wants this."""
    by_name = {p.name: p for p in free}
    found = [by_name[name] for name in _NAMES[role] if name in by_name]
    if role == "context":
        found += [p for p in free if "RunContext" in str(p.annotation)]
    if role == "model":
        # A text is the name of a model that the function asks itself.
        found = [p for p in found if not is_text(p.annotation) and not isinstance(p.default, str)]
    return min(found, key=lambda p: p.default is not p.empty, default=None)


def _first(free: Sequence[inspect.Parameter], known: Iterable[Role]) -> inspect.Parameter | None:
    """The first place that may take messages: one without a default, if there is one."""
    names = {name for role in known for name in _NAMES[role]}
    places = [p for p in free if p.kind in _PLACED and p.name not in names]
    return min(places, key=lambda p: p.default is not p.empty, default=None)
