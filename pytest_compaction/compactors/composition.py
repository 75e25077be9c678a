"""``a+b``: strategies one after the other on one view.

Parts are applied from left to right. The first compacts as if it were alone; a
later one gets the resulting view and acts only if that is over the budget, so that
``anchored+truncate`` truncates if the summary failed or was not enough.
Each part keeps its own state between compactions; only the view is shared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_compaction.compactors.base.history import dump, load, spans_of
from pytest_compaction.compactors.protocol import (
    Compactor,
    Context,
    Fate,
    Outcome,
    Span,
    State,
    Status,
    Traits,
    View,
)
from pytest_compaction.compactors.told import in_context
from pytest_compaction.conversation import Message

WITHIN_BUDGET: Final = "within-budget"
NEVER_LARGER: Final = "never-larger"


class CompositionError(ValueError):
    """Some parts cannot be composed; the text says which and why."""


class Composition:
    """Several strategies as one; see the module's first paragraphs.

    The state is ``{"messages": the view, "parts": own states}``. A composition needs what any part
    needs, and promises what all parts promise. If a part leaves a view over the budget, a later
    part repairs it, and a composition never takes a view that is larger than the one before.
    """

    def __init__(self, name: str, parts: Sequence[Compactor[State]]) -> None:
        self.name = name
        self.parts: tuple[Any, ...] = tuple(parts)
        for part in self.parts:
            _check(name, part, part is self.parts[-1])
        self.description = ", then ".join(part.name for part in parts)
        own = [part.traits for part in parts]
        self.traits = Traits(
            needs_model=any(traits.needs_model for traits in own),
            needs_probe=any(traits.needs_probe for traits in own),
            opaque=any(traits.opaque for traits in own),
            keeps_tail=all(traits.keeps_tail for traits in own),
            changes_system=any(traits.changes_system for traits in own),
            violations={
                key: f"{part.name}: {clause}"
                for part in parts
                for key, clause in part.traits.violations.items()
                if key != NEVER_LARGER and (key != WITHIN_BUDGET or part is parts[-1])
            },
        )

    def start(self) -> State:
        return {"messages": [], "parts": [_own_state(part.start()) for part in self.parts]}

    def observe(self, state: State, new: Sequence[Message], context: Context) -> State:
        own = [
            _own_state(part.observe({**mine, "messages": list(state["messages"])}, new, context))
            for part, mine in zip(self.parts, state["parts"], strict=True)
        ]
        return {"messages": [*state["messages"], *dump(new)], "parts": own}

    def due(self, state: State, context: Context) -> str | None:
        messages = dump(self.render(state, context).messages)
        reasons = (
            part.due({**mine, "messages": messages}, context)
            for part, mine in zip(self.parts, state["parts"], strict=True)
        )
        return next((reason for reason in reasons if reason), None)

    def render(self, state: State, context: Context, probe: str | None = None) -> View:
        view: View = self.parts[-1].render(_last(state), context, probe)
        return View(view.messages)

    async def asked_view(self, state: State, context: Context, probe: str) -> View:
        """The view for a question, where the last part asks a model about it."""
        part, told = self.parts[-1], in_context(self.parts[-1], context)
        if not hasattr(part, "asked_view"):
            return self.render(state, told, probe)
        return View((await part.asked_view(_last(state), told, probe)).messages)

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Let the parts act; a failure that leaves the view over the budget changes nothing."""
        before = self.render(state, context).messages
        messages, own = load(state["messages"]), list(state["parts"])
        failed = list(own)  # with the own states of parts that failed
        error: str | None = None
        status: Status = "noop"
        gone: dict[str, str | None] = {}
        for index, part in enumerate(self.parts):
            if index and context.tokens.messages(messages) <= context.budget:
                continue
            view = {**own[index], "messages": dump(messages)}
            outcome = await part.compact(view, in_context(part, context))
            if outcome.status == "failed":  # the next part gets the view as it was
                error = f"{part.name}: {outcome.error or 'failed without a reason'}"
                failed[index] = _own_state(outcome.state)
            elif outcome.status != "noop":
                status = outcome.status
                messages, own[index] = load(outcome.state["messages"]), _own_state(outcome.state)
                lost = (span for span in outcome.spans if span.fate in {"replaced", "dropped"})
                gone.update({id: span.by for span in lost for id in span.ids})
        new: State = {"messages": dump(messages), "parts": own}
        after = self.render(new, context).messages
        left = context.tokens.messages(after)
        if error and (status == "noop" or left > context.budget):
            new, status = {**state, "parts": failed}, "failed"
        elif status == "noop" or left >= context.tokens.messages(before):
            new, status, error = state, "noop", None
        else:
            return Outcome(new, status, _followed_spans(before, after, gone))
        spans = (Span(tuple(message.id for message in before), "kept"),) if before else ()
        return Outcome(new, status, spans, error)


def _check(name: str, part: Any, is_last: bool) -> None:
    if part.traits.by_server:
        raise CompositionError(
            f"{part.name!r} leaves the compaction to the endpoint, which no other part of "
            f"{name!r} could add to; use mode=client there"
        )
    try:
        state = part.start()
    except Exception:
        state = None
    if not isinstance(state, dict) or state.get("messages") != []:
        raise CompositionError(
            f"{part.name!r} cannot be a part of {name!r}: its state is not a dictionary with "
            "the view as chat messages under 'messages' (like that of HistoryCompactor)"
        )
    if part.traits.needs_probe and not is_last:
        raise CompositionError(
            f"{part.name!r} reads per question and can only be the last strategy of {name!r}"
        )


def _own_state(state: Mapping[str, Any]) -> State:
    """A part's state without the view."""
    return {key: value for key, value in state.items() if key != "messages"}


def _last(state: State) -> State:
    """The state of the last part, with the view that is shared."""
    return {**state["parts"][-1], "messages": list(state["messages"])}


def _followed_spans(
    before: Sequence[Message], after: Sequence[Message], gone: Mapping[str, str | None]
) -> tuple[Span, ...]:
    """The fate of each message; a replacement that was replaced again is followed to the last."""
    now = {message.id: message for message in after}

    def fate(message: Message) -> tuple[Fate, str | None]:
        found = now.get(message.id)
        if found is not None:
            return "kept" if found == message else "masked", None
        by = gone.get(message.id)
        while by is not None and by not in now:
            by = gone.get(by)
        return "replaced" if by else "dropped", by

    return spans_of(before, fate)
