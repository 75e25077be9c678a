"""What a function is given: told by the names of its parameters, else by their places."""

import functools
import inspect
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.compactors.function.arguments import arguments_for


def only(messages): ...
def keyword_only(messages, *, max_tokens): ...
def token_budget(history, token_budget=8000): ...
def by_place(msgs, limit): ...
def swapped(max_tokens, messages): ...
def unknown_names(xs, n: int): ...
def places_only(anything, budget, /): ...
def own_default(messages, keep=4): ...
def budget_last(messages, keep=4, budget=0): ...
def name_of_model(messages, budget, model="large"): ...
def typed_name_of_model(messages, budget, model: str | None = None): ...
def seam(messages, budget, *, model=None): ...
def both_budgets(messages, budget, max_tokens=256): ...
def both_required(messages, budget, max_tokens): ...
def remembers(messages, previous, state): ...
def open_both(*args, **named): ...
def after_messages(messages, *rest): ...
def gap(messages, keep=4, *rest): ...
def options(messages, **options): ...
def client(messages, client): ...
def client_first(client, messages): ...
def text(messages, note: str): ...
def nothing(): ...
def budget_alone(budget): ...
def required_model(messages, model: str): ...


class Thing:
    """Has functions in every place of a class."""

    def bound(self, messages, *, budget): ...

    def __call__(self, messages, token_budget): ...

    @staticmethod
    def static(messages, budget): ...

    @classmethod
    def of_class(cls, messages): ...


def passing_on(function):
    @functools.wraps(function)
    def wrapper(*args, **named):
        return function(*args, **named)

    return wrapper


@pytest.mark.parametrize(
    ("function", "form"),
    [
        (only, "f(messages)"),
        (keyword_only, "f(messages, max_tokens=budget)"),
        (token_budget, "f(history=messages, token_budget=budget)"),
        (by_place, "f(msgs=messages, limit=budget)"),
        (swapped, "f(max_tokens=budget, messages)"),
        (unknown_names, "f(xs=messages, n=budget)"),
        (places_only, "f(anything=messages, budget)"),
        (own_default, "f(messages)"),
        (budget_last, "f(messages, budget=budget)"),
        (name_of_model, "f(messages, budget)"),
        (typed_name_of_model, "f(messages, budget)"),
        (seam, "f(messages, budget, model=model)"),
        (both_budgets, "f(messages, budget)"),
        (both_required, "f(messages, budget, max_tokens=budget)"),
        (remembers, "f(messages, previous, state)"),
        (after_messages, "f(messages)"),
        (gap, "f(messages)"),
        (options, "f(messages)"),
        (functools.partial(own_default, keep=2), "f(messages)"),
        (functools.partial(keyword_only, max_tokens=9), "f(messages)"),
        (functools.partial(swapped, 100), "f(messages)"),
        (Thing().bound, "f(messages, budget=budget)"),
        (Thing(), "f(messages, token_budget=budget)"),
        (Thing.static, "f(messages, budget)"),
        (Thing.of_class, "f(messages)"),
        pytest.param(passing_on(swapped), "f(max_tokens=budget, messages)", id="wrapped"),
        (lambda conversation, b: conversation, "f(conversation=messages, b=budget)"),
    ],
)
def test_names_tell_and_places_where_they_do_not(function, form):
    found = arguments_for(function)
    assert (found.form, found.missing) == (form, "")


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (client, "messages is the messages; nothing tells what 'client' is: give it as :client="),
        (client_first, "nothing tells what 'client' is"),
        (text, "nothing tells what 'note' is"),
        (lambda messages, tools: messages, "nothing tells what 'tools' is"),
        (lambda messages, context: messages, "nothing tells what 'context' is"),
        (open_both, "it takes args, named, and none of these can be the messages"),
        (nothing, "it takes no parameters, and none of these can be the messages"),
        (budget_alone, "it takes budget, and none of these can be the messages"),
        (required_model, "'model' is a name and has no value: give it as :model=NAME"),
    ],
)
def test_what_cannot_be_called_says_what_was_understood_and_what_to_do(function, said):
    assert said in arguments_for(function).missing


def test_what_the_user_gives_is_left_alone():
    assert arguments_for(budget_last, ["budget"]).form == "f(messages, budget=…)"
    assert arguments_for(client, ["client"]).form == "f(messages, client=…)"
    assert arguments_for(required_model, ["model"]).missing == ""


KINDS = inspect.Parameter
NAMES = ("messages", "history", "budget", "max_tokens", "model", "previous", "n", "client")


@st.composite
def functions(draw):
    """A function of any signature that Python allows; it returns what it was given."""
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=4))
    kinds = sorted(draw(st.lists(st.sampled_from((0, 1, 3)), min_size=len(names), max_size=4)))
    parameters, optional = [], False
    for name, kind in zip(names, kinds, strict=False):
        optional = (optional and kind != 3) or draw(st.booleans())
        default = 7 if optional else KINDS.empty
        parameters.append(KINDS(name, _KIND[kind], default=default))

    def function(*args, **named):
        return inspect.signature(function).bind(*args, **named).arguments

    function.__signature__ = inspect.Signature(parameters)
    return function


_KIND = (KINDS.POSITIONAL_ONLY, KINDS.POSITIONAL_OR_KEYWORD, None, KINDS.KEYWORD_ONLY)


@given(functions())
def test_whatever_is_not_refused_can_be_called_and_gets_the_messages(function):
    found = arguments_for(function)
    places_only = {p.name for p in inspect.signature(function).parameters.values() if p.kind == 0}
    if not found.missing and places_only.isdisjoint(name for name, _ in found.named):
        values: Any = {role: role for role in found.roles}
        got = found.call(function, values, {})
        assert "messages" in got.values()
        assert set(got.values()) == set(found.roles)
