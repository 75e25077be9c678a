"""Survival of facts: in the view or not, in the answer or not."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from pytest_compaction.case.case import Fact
from pytest_compaction.conversation.messages import Message, readable
from pytest_compaction.text.matching import TextIndex

Loss = Literal["dropped", "unused"]


@lru_cache(maxsize=8)
def view_index(view: tuple[Message, ...]) -> TextIndex:
    """The readable text of a view, prepared for the facts of all its probes."""
    return TextIndex("\n".join(readable(message) for message in view))


def survived(facts: Sequence[Fact], index: TextIndex) -> tuple[bool, ...]:
    """For each fact whether the view states it."""
    return tuple(index.states(fact.forms) for fact in facts)


def loss(survives: bool, used: bool) -> Loss | None:
    """Why a fact is missing: ``dropped`` from the view or there and ``unused``; else ``None``."""
    if used:
        return None
    return "unused" if survives else "dropped"
