"""Asks something for which the user has given a rule."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_compaction.long_conversations.plan import Plan
from pytest_compaction.long_conversations.questions.probing import Probing, stated

_CONTAINS = "LLM response should contain: "


def ask(plan: Plan) -> Iterator[Probing]:
    """A good answer holds what the rule asks for beside what the question asks for."""
    for instruction in plan.instructions:
        it = instruction.about.names
        yield Probing(
            "instruction_following",
            instruction.question,
            ", ".join(text for text, _ in instruction.wanted) + f" ({instruction.rule})",
            tuple(stated(text, key, _CONTAINS) for text, key in instruction.wanted),
            tuple(said.key for said in instruction.said),
            (instruction.question.replace(it[2], it[1]) + " I forget it each time.",),
            (instruction.said[0].key, instruction.word),
        )
