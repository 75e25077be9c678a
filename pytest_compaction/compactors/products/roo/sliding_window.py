"""The sliding window of Roo Code: the oldest messages after the first one go, an even number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_compaction.compactors.base.history import dump, spans_between, unchanged
from pytest_compaction.compactors.protocol import Context, Outcome, State
from pytest_compaction.conversation.messages import Message, groups, leading_system, text_message

HIDDEN_ID: Final = "roo-hidden"
_FRACTION: Final = 0.5
_LEAST_TO_HALVE: Final = 4
"""With fewer messages after the first one, half of them, rounded down to even, is zero."""


def without_oldest(messages: Sequence[Message], fraction: float) -> tuple[Message, ...]:
    """The messages without a ``fraction`` of those after the first one, in whole groups.

    The same messages if nothing can go.
    """
    head = leading_system(messages)
    first = next((end for begin, end in groups(messages) if begin >= head), len(messages))
    if first >= len(messages):
        return tuple(messages)
    removable = len(messages) - first
    count = int(removable * fraction)
    count = max(count - count % 2, min(2, removable))
    cut = first + count
    starts = {begin for begin, _ in groups(messages)}
    while cut < len(messages) and cut not in starts:
        cut += 1
    if cut >= len(messages):
        cut = max((s for s in starts if first < s < len(messages)), default=first)
    return (*messages[:first], *messages[cut:])


def half_dropped(
    state: State, before: Sequence[Message], error: str, context: Context, noted: bool
) -> Outcome[State]:
    """One step of the window, however much is left; ``error`` is why condensing was refused.

    With ``noted`` a message says how many are hidden.
    """
    visible = [message for message in before if message.id != HIDDEN_ID]
    if len(visible) - leading_system(visible) - 1 < _LEAST_TO_HALVE:
        return unchanged(state, error)
    shorter = without_oldest(visible, _FRACTION)
    hidden = int(state.get("hidden", 0)) + len(visible) - len(shorter)
    after = shorter
    if noted:
        place = leading_system(shorter) + 1
        note = f"[{hidden} earlier messages are hidden to save space]"
        marker = text_message(HIDDEN_ID, "user", note, "synthetic")
        after = (*shorter[:place], marker, *shorter[place:])
    if context.tokens.messages(after) >= context.tokens.messages(before):
        return unchanged(state, error)
    new = {**state, "messages": dump(after), "hidden": hidden}
    return Outcome(new, "truncated", spans_between(before, after))
