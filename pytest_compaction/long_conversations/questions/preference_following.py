"""Asks for advice that should heed what the user likes."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_compaction.long_conversations.plan import Plan
from pytest_compaction.long_conversations.questions.probing import Probing, Truth

_CONTAINS = "LLM response should contain: "
_AVOIDS = "LLM response should avoid: "


def ask(plan: Plan) -> Iterator[Probing]:
    """The question names neither what the user likes nor what the user avoids."""
    for preference in plan.preferences:
        liked, avoided = (said.key for said in preference.said)
        yield Probing(
            "preference_following",
            preference.question,
            f"I suggest {preference.liked}.",
            (
                Truth(f"{_CONTAINS}{preference.liked}", preference.liked, (liked,)),
                Truth(f"{_AVOIDS}{preference.avoided}", preference.avoided, (avoided,)),
            ),
            (liked, avoided),
            (f"{preference.question} My sister has other ideas than I have.",),
        )
