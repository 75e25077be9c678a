"""Asks for what was never said."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_compaction.long_conversations.plan import Plan
from pytest_compaction.long_conversations.questions.probing import Probing, Truth


def ask(plan: Plan) -> Iterator[Probing]:
    """The attribute is known of another undertaking, and of this one nothing like it."""
    for absence in plan.absences:
        question = absence.attribute.asked.format(it=absence.about.asked)
        nugget = f"Based on the provided chat, there is no information related to: {question}"
        other = absence.elsewhere.about
        yield Probing(
            "abstention",
            question,
            "There is no information on that in our conversation.",
            (Truth(nugget, ""),),
            None,
            tuple(text.format(it=other.names[1]) for text in absence.attribute.wondered),
        )
