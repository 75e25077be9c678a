"""Facts and traps of derived probes in the shape of a case file."""

from __future__ import annotations

from typing import Any

from pytest_compaction.case.case import Fact, Trap
from pytest_compaction.text import TextIndex


def fact_data(fact: Fact) -> dict[str, Any]:
    """A fact in the shape of a case file."""
    return {
        "text": fact.text,
        "type": fact.type,
        **({"change": fact.change} if fact.change else {}),
        **({"keys": [list(group) for group in fact.keys]} if fact.keys else {}),
        "evidence": list(fact.evidence),
    }


def trap_data(trap: Trap) -> dict[str, Any]:
    """A trap in the shape of a case file."""
    return {
        "text": trap.text,
        **({"keys": [list(group) for group in trap.keys]} if trap.keys else {}),
        **({"of": trap.of} if trap.of else {}),
    }


def states(text: str, fact: Fact) -> bool:
    """Whether a text states a fact."""
    return TextIndex(text).read(fact.statement).outcome == "stated"
