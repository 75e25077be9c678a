"""Clearing old tool uses: a placeholder replaces the results of all but the newest ones.

Call and result stay a pair, so that the structure stays sound. The parameters are those
that Anthropic documents for its edit ``clear_tool_uses_20250919``. Claude Code clears old
tool output in the same way and keeps the newest five.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.compactors.base.cuts import pending_start
from pytest_compaction.compactors.base.masking import mask_results
from pytest_compaction.compactors.base.profiles import scaled
from pytest_compaction.compactors.parameters import check_whole, names_in
from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation.messages import Message, Part, ToolCall

PLACEHOLDER: Final = "[old tool result cleared]"
_NO_INPUT: Final = "{}"


class ToolUseClearing:
    """Which tool uses are cleared, and when clearing is worth it.

    ``keep`` counts the newest tool uses that stay whole; ``trigger`` and ``at_least``
    (what must be gained, 0 for anything) are tokens of the product's window;
    ``exclude`` names tools that are never cleared, and ``inputs`` those whose arguments
    are cleared as well (true for all), both as ``bash|read_file``.
    """

    def __init__(
        self,
        keep: int = 3,
        trigger: int = 100_000,
        at_least: int = 0,
        exclude: str = "",
        inputs: bool | str = False,
    ) -> None:
        check_whole("clear", keep, 0)
        check_whole("clear_trigger", trigger, 1)
        check_whole("clear_at_least", at_least, 0)
        self.keep = keep
        self.trigger = trigger
        self.at_least = at_least
        self.exclude = names_in(exclude)
        self.all_inputs = inputs is True
        self.inputs = frozenset() if isinstance(inputs, bool) else names_in(inputs)

    def due(self, messages: Sequence[Message], window: int, context: Context) -> str | None:
        """Due if the view reaches the trigger and there is something to clear."""
        used = context.tokens.messages(messages)
        limit = scaled(self.trigger, window, context)
        if used < limit or self.cleared(messages, window, context) == tuple(messages):
            return None
        return f"{used} tokens used, {limit} is the threshold for clearing tool uses"

    def cleared(
        self, messages: Sequence[Message], window: int, context: Context
    ) -> tuple[Message, ...]:
        """The messages with old tool uses cleared; unchanged if that gains too little.

        Calls made in one message with one that waits for its result are never cleared.
        """
        calls = {call.id: call for message in messages for call in message.calls}
        waiting = {message.id for message in messages[pending_start(messages) :]}
        answers = [
            (message, calls[result.call_id])
            for message in messages
            for result in message.results
            if result.call_id in calls
        ]
        old = answers[: max(len(answers) - self.keep, 0)]
        cleared = [
            (message, call)
            for message, call in old
            if call.name not in self.exclude and message.id not in waiting
        ]
        after = mask_results(messages, {message.id for message, _ in cleared}, PLACEHOLDER)
        after = self._without_inputs(after, {call.id for _, call in cleared})
        gained = context.tokens.messages(messages) - context.tokens.messages(after)
        wanted = scaled(self.at_least, window, context) if self.at_least else 0
        return after if gained >= wanted else tuple(messages)

    def _without_inputs(self, messages: Sequence[Message], calls: set[str]) -> tuple[Message, ...]:
        if not (self.all_inputs or self.inputs):
            return tuple(messages)

        def emptied(part: Part) -> Part:
            if not isinstance(part, ToolCall) or part.id not in calls:
                return part
            named = self.all_inputs or part.name in self.inputs
            return replace(part, arguments=_NO_INPUT) if named else part

        return tuple(
            replace(message, parts=tuple(emptied(part) for part in message.parts))
            for message in messages
        )
