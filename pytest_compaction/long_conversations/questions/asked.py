"""All questions on a plan: two for each of the ten abilities."""

from __future__ import annotations

from typing import Final

from pytest_compaction.long_conversations.plan import Plan
from pytest_compaction.long_conversations.questions import (
    abstention,
    contradiction_resolution,
    event_ordering,
    information_extraction,
    instruction_following,
    knowledge_update,
    multi_session_reasoning,
    preference_following,
    summarization,
    temporal_reasoning,
)
from pytest_compaction.long_conversations.questions.probing import Probing

_ABILITIES: Final = (
    *(abstention, contradiction_resolution, event_ordering, information_extraction),
    *(instruction_following, knowledge_update, multi_session_reasoning, preference_following),
    *(summarization, temporal_reasoning),
)


def questions_of(plan: Plan) -> list[Probing]:
    """The questions in the order of the abilities."""
    return [probing for ability in _ABILITIES for probing in ability.ask(plan)]
