"""The history that a turn is answered from: the whole of it, or what a strategy kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_compaction.compactors import Context
from pytest_compaction.conversation import (
    Message,
    Text,
    TokenCounter,
    ToolCall,
    ToolResult,
    leading_system,
    text_message,
)
from pytest_compaction.dialogues.dialogue import UserTurn
from pytest_compaction.models import NotAskedError
from pytest_compaction.run import Feeder

LEAST_BUDGET: Final = 160
"""Tokens that a view may always take beside the system prompt: with less, the headings of a
structured summary (about 60 to 90 tokens) leave no room for its content."""


@dataclass(frozen=True, slots=True)
class TurnOverBudget:
    """A turn answered from a view over the budget of its last compaction and what came since."""

    turn: int
    view: int
    budget: int


def view_budget(log: Sequence[Message], share: float, tokens: TokenCounter) -> int:
    """The tokens that a view of ``log`` may take: the system prompt and a share of the rest.

    The share is of the whole log so far, not of the view before, at least :data:`LEAST_BUDGET`.
    """
    head = leading_system(log)
    rest = math.ceil(share * tokens.messages(log[head:]))
    return tokens.messages(log[:head]) + max(rest, LEAST_BUDGET)


def exchange(number: int, turn: UserTurn, answer: str) -> tuple[Message, ...]:
    messages = [text_message(f"t{number}-user", "user", turn.user), *tool_steps(number, turn)]
    if answer.strip():
        messages.append(Message(f"t{number}-answer", "assistant", (Text(answer),)))
    return tuple(messages)


def tool_steps(number: int, turn: UserTurn) -> Iterator[Message]:
    for step, calls in enumerate(turn.calls, start=1):
        ids = [f"t{number}-call{step}-{place}" for place in range(1, len(calls) + 1)]
        asked = [ToolCall(id, c.name, c.arguments) for id, c in zip(ids, calls, strict=True)]
        yield Message(f"t{number}-calls{step}", "assistant", tuple(asked))
        for id, call in zip(ids, calls, strict=True):
            result = ToolResult(id, call.result, call.is_error)
            yield Message(f"{id}-result", "tool", (result,))


class CompactedHistory:
    """The arm under test: when a user turn arrives the log is compacted if the trigger fires.

    So no summary is paid for after the last turn. ``failure`` says that a compaction failed and
    left more than the budget, ``unasked`` tells of a call that was not made, and ``over`` are the
    turns whose views were over the budget.
    """

    def __init__(
        self,
        feeder: Feeder,
        context: Context,
        share: float,
        unasked: Callable[[], NotAskedError | None] = lambda: None,
    ) -> None:
        self._feeder = feeder
        self._context = context
        self._share = share
        self._unasked = unasked
        self._seen = 0
        self._turns = 0
        self._compacted: tuple[int, int] | None = None
        self.failure: str | None = None
        self.over: list[TurnOverBudget] = []

    async def view(self, log: Sequence[Message], question: str) -> tuple[Message, ...]:
        """The view from which the next user turn, ``question``, is answered.

        Raises :class:`NotAskedError` if a compaction lacks its model: an answer would be paid
        for and thrown away.
        """
        feeder = self._feeder
        budget = view_budget(log, self._share, self._context.tokens)
        context = replace(self._context, budget=budget, reason=feeder.trigger.kind)
        new = log[self._seen :]
        if new:
            await feeder.observe(new, context)
            self._seen = len(log)
        if feeder.turns and await feeder.is_time(context):
            step = await feeder.compact(context, f"turn {feeder.turns}")
            self._compacted = len(log), budget
            if step.status == "failed" and step.after > budget and self.failure is None:
                self.failure = (
                    f"the compaction after {step.point} failed and left {step.after} tokens in a "
                    f"view for {budget}: {step.error or 'the strategy gave no reason'}"
                )
        view = await feeder.strategy.view(await feeder.state(), context, question)
        self._turns += 1
        if self._compacted is not None:
            known, budget = self._compacted
            count = self._context.tokens.messages
            allowed, taken = budget + count(log[known:]), count(view)
            if taken > allowed:
                self.over.append(TurnOverBudget(self._turns, taken, allowed))
        unasked = self._unasked()
        if unasked is not None:
            raise type(unasked)(*unasked.args)
        return view
