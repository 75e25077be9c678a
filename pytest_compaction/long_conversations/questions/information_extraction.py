"""Asks for facts that were stated once."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_compaction.long_conversations.plan import Plan
from pytest_compaction.long_conversations.questions.probing import Probing, stated


def ask(plan: Plan) -> Iterator[Probing]:
    """One question on two facts of an undertaking, and one on a fact of another."""
    for facts in filter(None, (plan.facts[:2], plan.facts[2:])):
        it = facts[0].about.asked
        texts = [facts[0].attribute.asked.format(it=it)]
        texts += [fact.attribute.asked.format(it="that") for fact in facts[1:]]
        yield Probing(
            "information_extraction",
            " And: ".join(texts),
            "; ".join(fact.value for fact in facts) + ".",
            tuple(stated(fact.value, fact.said.key) for fact in facts),
            tuple(fact.said.key for fact in facts),
            tuple(
                text.format(it=name)
                for fact in facts
                for text, name in zip(fact.attribute.wondered, fact.about.names[1:], strict=True)
            ),
        )
