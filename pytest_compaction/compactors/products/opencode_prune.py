"""``opencode-prune``: old tool output is cleared once enough of it has piled up.

After the pruning of opencode (read in its public source). The messages are walked
from the newest back. The last two turns of the user are passed over. Before them, the
newest 40,000 tokens of tool output are protected, and all older output is cleared if it
takes more than 20,000 tokens. Output of the tool ``skill`` and of failed calls is neither
cleared nor counted. The walk stops at a summary and at output that was cleared before.

Adapted: both constants are in proportion to the case's window (opencode names none;
200,000 tokens are assumed); ``protect=`` and ``minimum=`` are tokens as given. Tokens are
counted, not estimated from characters. Current versions of the original prune only if
configured to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_compaction.compactors.base.cuts import pending_start
from pytest_compaction.compactors.base.history import by_rule, load
from pytest_compaction.compactors.base.masking import mask_results, tool_names, where_smaller
from pytest_compaction.compactors.base.product import ProductCompactor, scaled
from pytest_compaction.compactors.parameters import check_whole
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation.messages import Message

PRODUCT_WINDOW: Final = 200_000
PROTECT: Final = 40_000
MINIMUM: Final = 20_000
TURNS: Final = 2
PROTECTED_TOOLS: Final = frozenset({"skill"})
PLACEHOLDER: Final = "[old tool output cleared]"
VIOLATIONS: Final = {
    "within-budget": "only old tool output gives way, and none unless enough of it has piled up",
}


class OpencodePrune(ProductCompactor):
    """Clears tool output before the newest ``protect`` tokens, if it is more than ``minimum``."""

    name = "opencode-prune"
    description = "old tool output cleared; the newest 40k tokens of it are protected (opencode)"

    def __init__(self, protect: int | None = None, minimum: int | None = None) -> None:
        for key, value in (("protect", protect), ("minimum", minimum)):
            if value is not None:
                check_whole(key, value, 0, unit="tokens")
        self.protect = protect
        self.minimum = minimum
        self.set_traits(Traits(keeps_tail=True), VIOLATIONS)

    def amounts(self, context: Context) -> tuple[int, int]:
        """The tokens that are protected, and the least that are cleared, in this window."""
        protect = scaled(PROTECT, PRODUCT_WINDOW, context) if self.protect is None else self.protect
        minimum = scaled(MINIMUM, PRODUCT_WINDOW, context) if self.minimum is None else self.minimum
        return protect, minimum

    def due(self, state: State, context: Context) -> str | None:
        """Due when there is enough old output: the original looks after every turn."""
        before = load(state["messages"])
        if self._pruned(before, state, context) == before:
            return None
        return "there is enough old tool output to clear"

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Clear old tool output if there is enough of it."""
        before = load(state["messages"])
        return by_rule(state, before, self._pruned(before, state, context), "cleared")

    def _pruned(
        self, messages: tuple[Message, ...], state: State, context: Context
    ) -> tuple[Message, ...]:
        """The messages with old output cleared; unchanged if that is too little."""
        protect, minimum = self.amounts(context)
        old, amount = self._old(messages, state.get("cleared", ()), protect, context)
        if amount <= minimum:
            return messages
        return where_smaller(messages, mask_results(messages, old, PLACEHOLDER), context.tokens)

    def _old(
        self, messages: Sequence[Message], cleared: Sequence[str], protect: int, context: Context
    ) -> tuple[set[str], int]:
        """Ids of the messages whose output is to be cleared, and the tokens of that output."""
        tools = tool_names(messages)
        waiting = pending_start(messages)
        passed = total = amount = 0
        old: set[str] = set()
        for index in range(len(messages) - 1, -1, -1):
            message = messages[index]
            if message.role == "user" and message.origin == "log":
                passed += 1
            if passed < TURNS:
                continue
            if message.origin == "synthetic" or message.id in cleared:
                break
            done = index < waiting and not any(result.is_error for result in message.results)
            if message.results and done and tools.get(message.id) not in PROTECTED_TOOLS:
                size = sum(context.tokens.text(result.text) for result in message.results)
                total += size
                if total > protect:
                    old.add(message.id)
                    amount += size
        return old, amount


STRATEGY: Final = OpencodePrune
