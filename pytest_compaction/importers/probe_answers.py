"""Whether the offline control can answer a probe from the full log, as ``lint`` will ask it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pytest_compaction.case import AnswerSpec
from pytest_compaction.conversation import Message
from pytest_compaction.importers.probe_log import Draft
from pytest_compaction.matching import TextIndex
from pytest_compaction.models.offline import OfflineModel
from pytest_compaction.responders import Responder
from pytest_compaction.tokens import TokenCounter


class FullLogControl:
    """Answers drafts from all messages up to where they are asked."""

    def __init__(self, messages: Sequence[Message], points: Sequence[int]) -> None:
        self._messages = messages
        self._points = points
        counter = TokenCounter()
        self._responder = Responder(OfflineModel(counter), counter)

    def answers(self, draft: Draft) -> bool:
        """Whether the answer from the full log states at least one of the facts."""
        view = self._messages[: self._points[draft.point] + 1]
        spec = AnswerSpec(**draft.answer)
        answer = asyncio.run(self._responder.answer(view, draft.question, spec))
        index = TextIndex(answer.text)
        return any(index.states(found.fact.forms) for found in draft.found)
