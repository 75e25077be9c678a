"""The answers to the user turns of a dialogue in one arm, and the tokens of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_compaction.case.case import AnswerSpec
from pytest_compaction.conversation.formats.chat import to_chat
from pytest_compaction.conversation.messages import (
    Message,
    canonical_json,
    short_hash,
    text_message,
)
from pytest_compaction.conversation.tokens import MESSAGE_TOKENS, TokenCounter
from pytest_compaction.dialogues.dialogue import Dialogue, Reply, Turn
from pytest_compaction.dialogues.history import CompactedHistory, FullHistory, exchange, tool_steps
from pytest_compaction.dialogues.replayed import History
from pytest_compaction.models.calls.turns import RequestTurn, in_turn
from pytest_compaction.models.offline import model as offline
from pytest_compaction.models.protocol import AnswerReply, Model
from pytest_compaction.models.usage import Usage
from pytest_compaction.run.responder import Responder

MAX_ANSWER_TOKENS: Final = 2048
"""The most tokens that a real model may answer to a user turn."""
_EXTRACT_TOKENS: Final = (32, 400)
"""The offline model's answer is about as long as the recorded one, within these tokens."""


@dataclass(frozen=True, slots=True)
class TurnResponder:
    """A model that answers user turns for both arms, within a shared limit of requests.

    ``history`` says whose answers later turns read.
    """

    model: Model
    tokens: TokenCounter
    turn: RequestTurn
    history: History

    async def answer_all(
        self,
        dialogue: Dialogue,
        number: int,
        history: FullHistory | CompactedHistory,
        replies: list[Reply],
    ) -> None:
        """Answer all user turns of one arm in trial ``number``, each from the history so far.

        The answers are appended to ``replies``, so that those before an error are known.
        The recorded tool calls and results of a turn are read with the turn, in both arms
        and uncompacted: an agent reads them before it answers.
        """
        responder = Responder(self.model.at_trial(number), self.tokens)
        log: list[Message] = []
        if dialogue.system.strip():
            log.append(text_message("system", "system", dialogue.system))
        for place, turn in enumerate(dialogue.turns, start=1):
            view = await history.view(log, turn.user)
            read = (*view, *tool_steps(place, turn))
            answer = await self._answer(responder, read, turn)
            replies.append(self._reply(answer, read, turn, tuple(view) != tuple(log)))
            entered = turn.reference if self.history == "recorded" else answer.text
            log.extend(exchange(place, turn, entered))

    async def _answer(
        self, responder: Responder, view: tuple[Message, ...], turn: Turn
    ) -> AnswerReply:
        spec = AnswerSpec(max_tokens=MAX_ANSWER_TOKENS)
        if responder.model.name == offline.NAME:
            low, high = _EXTRACT_TOKENS
            spec = AnswerSpec(max_tokens=min(max(self.tokens.text(turn.reference), low), high))
        with in_turn(self.turn):
            reply = await responder.answer(view, turn.user, spec)
        if not reply.by_rules:
            return reply
        # In an estimate of costs histories grow as they did on record. The hash keeps answers
        # from different views different.
        text = f"{turn.reference} [{short_hash(canonical_json(to_chat(view)))}]"
        return replace(reply, text=text)

    def _reply(
        self, answer: AnswerReply, view: Sequence[Message], turn: Turn, summarised: bool
    ) -> Reply:
        """The reply with its tokens: those that the endpoint charged, or else counted here.

        The answer that goes into the history is counted. It has no tool calls: an answer is
        text, and the recorded calls are the same in both arms, so that comparing them would
        add the same share of consistency to every dialogue.
        """
        usage = answer.usage
        if self.model.name == offline.NAME or not usage.input_tokens:
            entered = turn.reference if self.history == "recorded" else answer.text
            prompt = self.tokens.messages(view) + MESSAGE_TOKENS + self.tokens.text(turn.user)
            usage = Usage(1, prompt, 0, self.tokens.text(entered))
        return Reply(
            text=answer.text.encode("utf-8", "replace").decode("utf-8"),
            prompt_tokens=usage.input_tokens,
            completion_tokens=usage.output_tokens,
            summarised=summarised,
            cached_tokens=usage.cached_tokens,
        )
