"""Asks for what happened, all of it."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_compaction.long_conversations.plan import Plan
from pytest_compaction.long_conversations.questions.probing import Probing, Truth

_CONTAINS = "LLM response should contain: "


def ask(plan: Plan) -> Iterator[Probing]:
    """The nuggets are the steps of an undertaking."""
    for course in plan.told:
        it = course.about.asked
        yield Probing(
            "summarization",
            f"Please sum up what became of {it} over the months.",
            ". ".join(course.steps) + ".",
            tuple(
                Truth(f"{_CONTAINS}{step}", step, (said.key,))
                for step, said in zip(course.steps, course.said, strict=True)
            ),
            tuple(said.key for said in course.said),
            (
                f"One day I will sum up what became of {it}, over a cup of tea.",
                f"My sister asks what became of {it} over the months.",
            ),
        )
