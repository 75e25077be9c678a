"""Strategies that put one message of notes into a view: alone, or beside another strategy."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_compaction.compactors.base.cuts import newest_part, too_small, windowed
from pytest_compaction.compactors.base.history import (
    HistoryCompactor,
    dump,
    load,
    spans_between,
    unchanged,
)
from pytest_compaction.compactors.protocol import Context, Outcome, State
from pytest_compaction.conversation.messages import Message, leading_system


class InsertionCompactor(HistoryCompactor):
    """Keeps system prompt, the notes as one message, and the newest part that fits.

    A subclass follows the log in :meth:`note` and writes its message in :meth:`insertion`,
    under ``insertion_id``. In a composition these three methods are all that is used of it.
    """

    insertion_id: str

    def begin(self) -> State:
        """Notes before any message."""
        raise NotImplementedError

    def note(self, notes: State, new: Sequence[Message]) -> State:
        """Notes with the next messages of the log taken in."""
        raise NotImplementedError

    def insertion(self, notes: State, context: Context) -> Message | None:
        """The notes as a message within their share of the budget; ``None`` without any."""
        raise NotImplementedError

    def start(self) -> State:
        """No messages and no notes."""
        return {"messages": [], "notes": self.begin()}

    def observe(self, state: State, new: Sequence[Message], context: Context) -> State:
        """The view with the new messages at its end, and the notes with them."""
        observed = super().observe(state, new, context)
        return {**observed, "notes": self.note(state["notes"], new)}

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """System prompt, the notes as of now, and the newest part that the budget still holds."""
        before = load(state["messages"])
        if context.tokens.messages(before) <= context.budget:
            return unchanged(state)
        after = self._with_notes(before, self.insertion(state["notes"], context), context)
        if after is None:
            return unchanged(state, too_small(before, context))
        if context.tokens.messages(after) >= context.tokens.messages(before):
            return unchanged(state)
        spans = spans_between(before, after)
        return Outcome({**state, "messages": dump(after)}, "truncated", spans)

    def _with_notes(
        self, before: Sequence[Message], notes: Message | None, context: Context
    ) -> tuple[Message, ...] | None:
        """The view with the notes, or without them if the rest fits only then."""
        kept = [message for message in before if message.id != self.insertion_id]
        first = leading_system(kept)
        if notes is not None:
            spent = context.tokens.messages([*kept[:first], notes])
            newest = newest_part(kept[first:], context.budget - spent, context, opened=True)
            if newest is not None and spent <= context.budget:
                return (*kept[:first], notes, *newest)
        return windowed(kept, context)
