"""A scenario with each name replaced by another one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from typing import Any, Final

from pytest_compaction.checking.examples.scenario import Scenario
from pytest_compaction.conversation import (
    Part,
    Text,
    ToolCall,
    ToolResult,
    json_or_none,
    readable,
)
from pytest_compaction.text import claims

NAMED: Final = frozenset({"path", "name"})
_WORD: Final = re.compile(r"[A-Za-z]{3,}")
_OTHERS: Final = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "inlet")


def names_in(text: str) -> tuple[str, ...]:
    """The paths and names of a text, each once."""
    return tuple(claim.text for claim in claims(text) if claim.kind in NAMED)


def renamed(scenario: Scenario) -> Scenario:
    """The scenario with other words in its names, wherever they stand; else it is the same.

    Roles, ids and tools stay, and so do the keys of arguments.
    """
    log = scenario.log
    names = (name for message in log for name in names_in(readable(message)))
    words = dict.fromkeys(word.lower() for name in names for word in _WORD.findall(name))
    fresh = (f"{_OTHERS[n % len(_OTHERS)]}{n // len(_OTHERS) or ''}" for n in count())
    others = {word: next(fresh) for word in words if word not in _OTHERS}

    def change(text: str) -> str:
        return _WORD.sub(lambda found: others.get(found[0].lower(), found[0]), text)

    def changed(part: Part) -> Part:
        if isinstance(part, Text | ToolResult):
            return replace(part, text=change(part.text))
        if isinstance(part, ToolCall):
            found = json_or_none(part.arguments)
            said = change(part.arguments) if found is None else json.dumps(_value(found, change))
            return replace(part, arguments=said)
        return part

    batches = tuple(
        tuple(
            message
            if message.role in {"system", "developer"}
            else replace(message, parts=tuple(map(changed, message.parts)))
            for message in batch
        )
        for batch in scenario.batches
    )
    return replace(scenario, batches=batches)


def _value(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_value(each, change) for each in value]
    if isinstance(value, Mapping):
        return {key: _value(each, change) for key, each in value.items()}
    return value
