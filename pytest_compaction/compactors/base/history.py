"""The base of most strategies: a state that is the current view, as JSON, and outcomes of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from pytest_compaction.compactors.parameters import check_parameters
from pytest_compaction.compactors.protocol import Context, Fate, Outcome, Span, State, Status, View
from pytest_compaction.conversation import Message, leading_system
from pytest_compaction.conversation.formats.chat import (
    ChatMessage,
    message_from_chat,
    message_to_chat,
)


def dump(messages: Iterable[Message]) -> list[ChatMessage]:
    """Messages as JSON that :func:`load` reads back unchanged."""
    return [
        {**message_to_chat(message, ids=True), "origin": message.origin} for message in messages
    ]


def load(items: Iterable[Mapping[str, Any]]) -> tuple[Message, ...]:
    """The inverse of :func:`dump`."""
    return tuple(
        message_from_chat(item, item["id"], f"message {item['id']}", item["origin"])
        for item in items
    )


def after_summary(view: Sequence[Message], added: Sequence[Message]) -> tuple[Message, ...]:
    """The view with further messages after the system prompt and any summary right after it."""
    place = leading_system(view)
    while place < len(view) and view[place].origin == "synthetic":
        place += 1
    return (*view[:place], *added, *view[place:])


class HistoryCompactor:
    """Base of strategies whose state is ``{"messages": the view}``.

    ``threshold`` is the share of the window at which such a strategy says that
    compaction is due, ``None`` for never.
    """

    threshold: float | None = 0.9

    def __post_init__(self) -> None:
        """Check the parameters of a strategy that declares them as fields of a dataclass."""
        check_parameters(self)

    def start(self) -> State:
        """No messages."""
        return {"messages": []}

    def observe(self, state: State, new: Sequence[Message], context: Context) -> State:
        """The view with the new messages at its end."""
        return {**state, "messages": [*state["messages"], *dump(new)]}

    def due(self, state: State, context: Context) -> str | None:
        """Due when the view takes ``threshold`` of the window."""
        if self.threshold is None:
            return None
        used = context.tokens.messages(load(state["messages"]))
        limit = int(context.window * self.threshold)
        return f"{used} of {context.window} tokens used" if used >= limit else None

    def is_needed(self, state: State, context: Context) -> bool:
        """Whether there is a reason to compact, for strategies that leave a small view alone.

        The reasons: the view is over the budget, the strategy's own trigger is reached,
        or a user asks for it (``context.reason`` is ``manual``).
        """
        if context.reason == "manual" or self.due(state, context) is not None:
            return True
        return context.tokens.messages(load(state["messages"])) > context.budget

    def render(self, state: State, context: Context, probe: str | None = None) -> View:
        """The messages of the state."""
        return View(load(state["messages"]))


def unchanged(state: State, error: str | None = None) -> Outcome[State]:
    """The outcome that leaves the view as it was: of a failure if there is an ``error``."""
    ids = tuple(item["id"] for item in state["messages"])
    spans = (Span(ids, "kept"),) if ids else ()
    return Outcome(state, "failed" if error else "noop", spans, error)


def spans_between(
    before: Sequence[Message],
    after: Sequence[Message],
    by: str | None = None,
    unread: Collection[str] = (),
) -> tuple[Span, ...]:
    """The fate of each message of ``before``; neighbours with the same fate share a span.

    A message that is still in ``after`` was kept, or masked if its content changed. A
    message that is gone was replaced by ``by``, or dropped if there is no ``by`` or its id is
    among those that are ``unread``.
    """
    now = {message.id: message for message in after}

    def fate(message: Message) -> tuple[Fate, str | None]:
        found = now.get(message.id)
        if found is None:
            return ("replaced", by) if by and message.id not in unread else ("dropped", None)
        return "kept" if found == message else "masked", None

    return spans_of(before, fate)


def spans_of(
    messages: Sequence[Message], fate: Callable[[Message], tuple[Fate, str | None]]
) -> tuple[Span, ...]:
    """The spans of messages of which ``fate`` says what became of each."""
    runs = groupby(messages, key=fate)
    return tuple(Span(tuple(message.id for message in run), *each) for each, run in runs)


def by_rule(
    state: State, before: Sequence[Message], after: Sequence[Message], noted: str = ""
) -> Outcome[State]:
    """The outcome of a rule that masked or left out messages.

    ``noted`` is the key of the state under which the ids of all masked messages are kept.
    """
    if tuple(after) == tuple(before):
        return unchanged(state)
    spans = spans_between(before, after)
    new: State = {**state, "messages": dump(after)}
    if noted:
        masked = {id for span in spans if span.fate == "masked" for id in span.ids}
        new[noted] = sorted({*state.get(noted, ()), *masked})
    status: Status = "compacted" if len(after) == len(before) else "truncated"
    return Outcome(new, status, spans)


def rewritten(
    state: State,
    before: Sequence[Message],
    after: Sequence[Message],
    by: str | None = None,
    status: Status = "compacted",
    unread: Collection[str] = (),
    **noted: Any,
) -> Outcome[State]:
    """The outcome of a view that was written anew; ``noted`` goes into the state.

    ``by`` is the id of the message that stands for those that went, if there is one.
    """
    new: State = {**state, "messages": dump(after), **noted}
    return Outcome(new, status, spans_between(before, after, by, unread))
