"""Asks for something that the user both denied and told of."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_compaction.long_conversations.plan import Plan
from pytest_compaction.long_conversations.questions.probing import MENTIONS, STATES, Probing, Truth


def ask(plan: Plan) -> Iterator[Probing]:
    """A good answer says so, names both statements, and asks which one is right."""
    for event in plan.contradictions:
        keys = tuple(said.key for said in event.said)
        claims = [_of_user(claim) for claim in event.claims]
        yield Probing(
            "contradiction_resolution",
            event.question,
            f"There is a contradiction: you said {claims[0]}, and also {claims[1]}. "
            "Which statement is correct?",
            (
                Truth(f"{STATES}there is contradictory information", "", keys),
                *(
                    Truth(f"{MENTIONS}{claim}", said, (key,))
                    for claim, said, key in zip(claims, event.claims, keys, strict=True)
                ),
                Truth(f"{MENTIONS}which statement is correct?", "", keys),
            ),
            {"first_statement": [keys[0]], "second_statement": [keys[1]]},
        )


def _of_user(claim: str) -> str:
    """The statement as one says it to the user."""
    return claim.replace("I ", "you ", 1).replace(" my ", " your ")
