"""Survival of facts: whether they are in the view, and whether they are in the answer."""

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
    return TextIndex("\n\n".join(readable(message) for message in view))


def survived(facts: Sequence[Fact], index: TextIndex) -> tuple[bool, ...]:
    """Whether the view states each fact, in their order."""
    return tuple(index.read(fact.statement).outcome == "stated" for fact in facts)


def loss(survives: bool, used: bool) -> Loss | None:
    """Why an answer lacks a fact: ``dropped`` from the view, or in the view and ``unused``."""
    if used:
        return None
    return "unused" if survives else "dropped"
