"""The history that a turn is answered from: all of it, or what a strategy left of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.compactors.protocol import Context, State
from pytest_compaction.conversation.messages import (
    Message,
    Text,
    ToolCall,
    ToolResult,
    leading_system,
    text_message,
)
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.dialogues.dialogue import Turn
from pytest_compaction.run.feeding import CheckedStrategy, Step
from pytest_compaction.run.triggers import Trigger

LEAST_BUDGET: Final = 160
"""Tokens that a view may always take beside the system prompt: with less, the frame of a
structured summary (about 60 to 90 tokens) leaves no room for what it is to say."""


def view_budget(log: Sequence[Message], share: float, tokens: TokenCounter) -> int:
    """What a view of ``log`` may take, in tokens: the system prompt, and a share of the rest.

    A dialogue has no budget of its own, and a fixed one would be above most of them.
    The share is that of the whole log so far, not of the view before, so that views
    keep their proportion to what the baseline sends. Never below
    :data:`LEAST_BUDGET` beside the system prompt.
    """
    head = leading_system(log)
    rest = math.ceil(share * tokens.messages(log[head:]))
    return tokens.messages(log[:head]) + max(rest, LEAST_BUDGET)


def exchange(number: int, turn: Turn, answer: str) -> tuple[Message, ...]:
    """A turn as messages: what the user said, the recorded tool calls, the answer.

    Calls have their recorded arguments and results, in the recorded order. An empty
    answer leaves no message.
    """
    messages = [text_message(f"t{number}-user", "user", turn.user), *tool_steps(number, turn)]
    if answer.strip():
        messages.append(Message(f"t{number}-answer", "assistant", (Text(answer),)))
    return tuple(messages)


def tool_steps(number: int, turn: Turn) -> Iterator[Message]:
    """The recorded tool calls of a turn, each step followed by its results."""
    for step, calls in enumerate(turn.calls, start=1):
        ids = [f"t{number}-call{step}-{place}" for place in range(1, len(calls) + 1)]
        asked = [ToolCall(id, c.name, c.arguments) for id, c in zip(ids, calls, strict=True)]
        yield Message(f"t{number}-calls{step}", "assistant", tuple(asked))
        for id, call in zip(ids, calls, strict=True):
            result = ToolResult(id, call.result, call.is_error)
            yield Message(f"{id}-result", "tool", (result,))


class FullHistory:
    """The baseline: every turn is answered from everything."""

    failure: str | None = None

    async def view(self, log: Sequence[Message], question: str) -> tuple[Message, ...]:
        """The whole log."""
        return tuple(log)


class CompactedHistory:
    """The arm under test: before a turn is answered the trigger decides, then it is compacted.

    Deciding when the next user turn arrives keeps compaction synchronous (a summary
    is in force in the very next prompt) and never pays for one after the last turn.
    ``asks`` says whether making one asks a model, which ``adaptive`` weighs.
    ``steps`` are the compactions that took place; ``failure`` says that one failed
    and left more than the budget. Where the model failed, what was then answered is not
    the strategy's doing; a strategy that found nothing to say goes on with full history.
    """

    def __init__(
        self,
        strategy: CheckedStrategy,
        context: Context,
        trigger: Trigger,
        share: float,
        asks: bool = True,
    ) -> None:
        self._strategy = strategy
        self._context = context
        self._trigger = trigger
        self._share = share
        self._asks = asks
        self._state: State | None = None
        self._seen = 0
        self._since: list[Message] = []
        self.steps: list[Step] = []
        self.failure: str | None = None

    async def view(self, log: Sequence[Message], question: str) -> tuple[Message, ...]:
        """The view from which the next user turn, ``question``, is answered."""
        budget = view_budget(log, self._share, self._context.tokens)
        context = replace(self._context, budget=budget, reason=self._trigger.kind)
        state = await self._strategy.start() if self._state is None else self._state
        new = log[self._seen :]
        if new:
            state = await self._strategy.observe(state, new, context)
            self._seen = len(log)
            self._since.extend(new)
        turns = sum(message.role == "user" for message in log)
        if turns and await self._is_time(state, context, turns):
            state = await self._compact(state, context, turns)
        self._state = state
        return await self._strategy.view(state, context, question)

    async def _is_time(self, state: State, context: Context, turns: int) -> bool:
        due = None
        if self._trigger.kind == "auto":
            due = await self._strategy.due(state, context)
        tokens = context.tokens.messages(await self._strategy.view(state, context))
        return self._trigger.fires(
            tokens, context.window, self._since, due, context.budget, turns, self._asks
        )

    async def _compact(self, state: State, context: Context, turns: int) -> State:
        state, step = await self._strategy.compact(state, context, f"turn {turns}")
        self.steps.append(step)
        self._since = []
        if step.status == "failed" and step.after > context.budget and self.failure is None:
            self.failure = (
                f"the compaction after {step.point} failed and left {step.after} tokens in a view "
                f"for {context.budget}: {step.error or 'the strategy gave no reason'}"
            )
        return state
