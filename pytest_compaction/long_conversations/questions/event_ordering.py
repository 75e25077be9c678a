"""Asks for the order in which the user told of things."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_compaction.long_conversations.plan import Plan
from pytest_compaction.long_conversations.questions.probing import Probing, Truth


def ask(plan: Plan) -> Iterator[Probing]:
    """The nuggets are the steps in their order."""
    for course in plan.courses:
        it = course.about.asked
        listed = [f"{number}) {step}" for number, step in enumerate(course.steps, start=1)]
        yield Probing(
            "event_ordering",
            f"In which order did I tell you what happened with {it}? Mention only the "
            f"{len(course.steps)} events themselves, not dates, sums or addresses.",
            "; ".join(listed),
            tuple(
                Truth(step, step, (said.key,))
                for step, said in zip(course.steps, course.said, strict=True)
            ),
            tuple(said.key for said in course.said),
            (
                f"So much happened with {it} that I lose the order of it.",
                f"Did I tell you all that happened with {course.about.names[1]}? I think so.",
            ),
        )
