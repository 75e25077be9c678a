"""Asks for a value that has changed."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_compaction.long_conversations.plan import Plan
from pytest_compaction.long_conversations.questions.probing import Probing, stated


def ask(plan: Plan) -> Iterator[Probing]:
    """One question on each value that was updated; the newest one is right."""
    for update in plan.updates:
        *former, newest = [said.key for said in update.said]
        yield Probing(
            "knowledge_update",
            update.attribute.asked.format(it=update.about.asked),
            f"{update.values[-1]}.",
            (stated(update.values[-1], newest),),
            {"original_info": former, "updated_info": [newest]},
            tuple(
                text.format(it=name)
                for text, name in zip(
                    update.attribute.wondered, update.about.names[1:], strict=True
                )
            ),
        )
