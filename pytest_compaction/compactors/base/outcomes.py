"""Outcomes of a compaction, made from the view before and the view after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pytest_compaction.compactors.base.history import dump, load, spans_between, unchanged
from pytest_compaction.compactors.base.profiles import FAITHFUL, HARDENED, Profile
from pytest_compaction.compactors.protocol import Context, Outcome, State, Status
from pytest_compaction.conversation.messages import Message

TOO_MUCH: Final = "the system prompt and calls that wait for a result do not fit the budget"


def by_rule(
    state: State, before: Sequence[Message], after: Sequence[Message] | None, noted: str = ""
) -> Outcome[State]:
    """The outcome of a rule that masked or left out messages.

    ``after`` is ``None`` if no view fits the budget. ``noted`` is the key of the state
    under which the ids of all masked messages are kept.
    """
    if after is None:
        return unchanged(state, TOO_MUCH)
    if tuple(after) == tuple(before):
        return unchanged(state)
    spans = spans_between(before, after)
    new: State = {**state, "messages": dump(after)}
    if noted:
        masked = {id for span in spans if span.fate == "masked" for id in span.ids}
        new[noted] = sorted({*state.get(noted, ()), *masked})
    status: Status = "compacted" if len(after) == len(before) else "truncated"
    return Outcome(new, status, spans)


def by_summary(
    state: State,
    before: Sequence[Message],
    after: Sequence[Message],
    by: str | None,
    context: Context,
    profile: Profile,
    growth: bool = True,
    **noted: Any,
) -> Outcome[State]:
    """The outcome of a summary that replaced messages; ``noted`` goes into the state.

    ``by`` is the id of the summary, ``None`` if messages went and nothing was written.
    The hardened profile refuses a view that is over its budget or did not get smaller.
    The faithful one does what the original does: it takes any view, or without
    ``growth`` any that did not get larger.
    """
    was, now = context.tokens.messages(before), context.tokens.messages(after)
    if now > was or (now == was and profile == HARDENED):
        if profile == HARDENED or not growth:
            return unchanged(state, f"the view would take {now} tokens; it took {was} before")
    elif now > context.budget and profile == HARDENED:
        return unchanged(state, f"the view would take {now} tokens and may take {context.budget}")
    new: State = {**state, "messages": dump(after), **noted}
    return Outcome(new, "compacted", spans_between(before, after, by))


def nothing_to_summarise(state: State, context: Context, profile: Profile) -> Outcome[State]:
    """The outcome if no message may go: an error in a hardened profile over its budget."""
    used = context.tokens.messages(load(state["messages"]))
    if profile == FAITHFUL or used <= context.budget:
        return unchanged(state)
    return unchanged(
        state, f"none of the {used} tokens can be summarised; {context.budget} are allowed"
    )
