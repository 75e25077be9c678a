"""Request parameters that a strategy adds to the request for an answer.

They tell an endpoint to edit the context itself. They are part of the call, and so of
its digest in the store. A strategy cannot set a parameter that the model sets itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, Protocol

from pytest_compaction.text import printable

Parameters = Mapping[str, Any]

SET_BY_MODELS: Final = frozenset(
    {
        "model",
        "messages",
        "input",
        "instructions",
        "max_tokens",
        "max_completion_tokens",
        "max_output_tokens",
        "temperature",
        "seed",
        "store",
        "stream",
        "stream_options",
        "response_format",
        "tools",
    }
)
"""Members of a request that the chat model sets, or that decide how its reply is read."""


class _Named(Protocol):
    @property
    def name(self) -> str: ...


def misuse_of(parameters: object) -> str | None:
    """The fault in the request parameters of a strategy; ``None`` if they are sound."""
    if not isinstance(parameters, Mapping):
        return f"request parameters must be a mapping, not a {type(parameters).__name__}"
    for name in parameters:
        if not isinstance(name, str):
            return f"the name of a request parameter is a {type(name).__name__}, not a text"
        if name in SET_BY_MODELS:
            return f"the request parameter {name!r} is set by the model, not by a strategy"
    try:
        json.dumps(dict(parameters), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        return f"request parameters must be JSON, and these are not: {printable(str(error), 120)}"
    return None


def refusal_of(model: _Named, parameters: Parameters) -> str | None:
    """Why a model does not take these request parameters, or ``None`` if it takes them.

    A model says so with a method ``refuses(parameters)`` of the same meaning. A model
    without that method takes no parameters.
    """
    if not parameters:
        return None
    said = getattr(model, "refuses", None)
    refusal: str | None = said(parameters) if callable(said) else cannot_take(model, parameters)
    return refusal


def cannot_take(model: _Named, parameters: Parameters) -> str:
    """The sentence on a model that takes no request parameters at all."""
    return (
        f"the model {model.name} takes no request parameters ({parameter_names(parameters)}), by "
        "which the endpoint is to compact; use mode=client, or a model whose endpoint takes them"
    )


def parameter_names(parameters: Parameters) -> str:
    """The names of request parameters, for a sentence."""
    return printable(", ".join(sorted(parameters)), 80)
