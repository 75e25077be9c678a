"""Asks for a sum of what was told at several times."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_compaction.long_conversations.events.paid import euros
from pytest_compaction.long_conversations.plan import Plan
from pytest_compaction.long_conversations.questions.probing import STATES, Probing, Truth, stated


def ask(plan: Plan) -> Iterator[Probing]:
    """The nuggets are the total and the payments."""
    for payments in plan.payments:
        keys = tuple(said.key for said in payments.said)
        sums = [euros(amount) for amount in payments.sums]
        it = payments.about.asked
        yield Probing(
            "multi_session_reasoning",
            f"How much have I spent on the parts of {it} altogether, and what was each sum?",
            f"{euros(payments.total)}: {', '.join(sums)}.",
            (
                Truth(f"{STATES}{euros(payments.total)}", "", keys),
                *(stated(text, key) for text, key in zip(sums, keys, strict=True)),
            ),
            keys,
            (
                f"I have spent a lot on the parts of {it} altogether, more than I meant to.",
                f"How much I have spent on {payments.about.names[1]} is a secret from my sister.",
            ),
        )
