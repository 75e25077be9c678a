"""What a fact is about in the words of a reader of figures: a path, a number, an instruction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from pytest_compaction.case.case import Fact
from pytest_compaction.case.kinds import FactType

FactClass = Literal[
    "path",
    "number",
    "error",
    "decision",
    "instruction",
    "next_step",
    "identifier",
    "command",
    "state",
    "value",
]
"""The classes by which loss is counted. An instruction is what the user asked to keep to."""

_CLASSES: Final[Mapping[FactType, FactClass]] = {
    "path": "path",
    "error": "error",
    "decision": "decision",
    "reason": "decision",
    "constraint": "instruction",
    "next_step": "next_step",
    "identifier": "identifier",
    "command": "command",
    "state": "state",
    "value": "value",
}


def class_of(fact: Fact) -> FactClass:
    """The class of a fact: that of its type, and ``number`` for a value with a digit.

    The digit counts in what a text must hold to state the fact: its key groups, or its wording
    where it has none.
    """
    found = _CLASSES[fact.type]
    if found != "value":
        return found
    wanted = [word for group in fact.keys for word in group] or [fact.text]
    return "number" if any(ch.isdigit() for word in wanted for ch in word) else "value"
