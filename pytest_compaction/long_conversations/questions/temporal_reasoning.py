"""Asks how many days lie between two days."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_compaction.long_conversations.dice import spoken
from pytest_compaction.long_conversations.plan import Plan
from pytest_compaction.long_conversations.questions.probing import STATES, Probing, Truth, stated


def ask(plan: Plan) -> Iterator[Probing]:
    """The second day was put off, so that the day told first is wrong."""
    for span in plan.spans:
        first, second = span.names
        days = [spoken(day, 1) for day in span.days]
        one, other, held = (said.key for said in span.said)
        yield Probing(
            "temporal_reasoning",
            f"How many days lie between the {first} and the {second} of {span.about.asked}?",
            f"{span.length} days, from {days[0]} to {days[1]}.",
            (
                Truth(f"{STATES}{span.length} days", "", (one, held)),
                stated(days[0], one),
                stated(days[1], held),
            ),
            {"first_event": [one], "second_event": [other, held]},
            (
                f"Between the {first} and the {second} of {span.about.asked} there must be days "
                "enough to breathe.",
            ),
        )
