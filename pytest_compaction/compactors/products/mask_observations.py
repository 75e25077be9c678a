"""``mask-observations``: older tool results give way to a placeholder, all else stays.

After the ``ObservationMaskingCondenser`` of OpenHands v0 (read in its public
source): every answer of the environment is masked unless it is among the last
``window`` events of the view. The window counts events, not observations: a
message of the user inside it uses up a place. The original masks at every step and has
no budget. Here it masks when compaction is asked for, and masked results stay masked, so
that the beginning of the view does not change between compactions.

An event of the original is a message here. A result that is shorter than the
placeholder stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_compaction.compactors.base.cuts import pending_start
from pytest_compaction.compactors.base.history import by_rule, load
from pytest_compaction.compactors.base.masking import mask_results, where_smaller
from pytest_compaction.compactors.base.product import ProductCompactor
from pytest_compaction.compactors.parameters import check_whole
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation.messages import Message
from pytest_compaction.conversation.tokens import TokenCounter

PLACEHOLDER: Final = "[output hidden]"
VIOLATIONS: Final = {
    "within-budget": "only tool results give way, each event in the window stays: "
    "a view of other messages, or of large recent results, stays over the budget",
}


class MaskObservations(ProductCompactor):
    """Masks tool results outside the last ``window`` messages."""

    name = "mask-observations"
    description = "tool results older than the last 5 messages become a placeholder (OpenHands v0)"

    def __init__(self, window: int = 5) -> None:
        check_whole("window", window, 0, unit="messages")
        self.window = window
        self.set_traits(Traits(keeps_tail=True), VIOLATIONS)

    def due(self, state: State, context: Context) -> str | None:
        """Due as soon as a result has left the window, as the original masks at every step."""
        before = load(state["messages"])
        after = masked(before, self.window, context.tokens)
        count = sum(old != new for old, new in zip(before, after, strict=True))
        return f"{count} tool results are older than the window" if count else None

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Mask every result that has left the window."""
        before = load(state["messages"])
        return by_rule(state, before, masked(before, self.window, context.tokens))


def masked(messages: Sequence[Message], window: int, tokens: TokenCounter) -> tuple[Message, ...]:
    """The messages with the placeholder for each result outside the last ``window`` of them.

    A result beside a call that still waits for its own is left alone, and so is one
    that takes no more tokens than the placeholder.
    """
    end = min(len(messages) - window, pending_start(messages))
    old = {message.id for message in messages[: max(end, 0)]}
    return where_smaller(messages, mask_results(messages, old, PLACEHOLDER), tokens)


STRATEGY: Final = MaskObservations
