"""A compaction by several strategies on one view: the state of each, the fate of messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_compaction.compactors.base.history import dump, load
from pytest_compaction.compactors.protocol import Compactor, Context, Span, State, Status
from pytest_compaction.conversation.messages import Message


class Progress:
    """A compaction under way: the view, the own states of the parts, the fates of messages."""

    def __init__(self, messages: tuple[Message, ...], own: list[State]) -> None:
        self.messages = messages
        self.own = own
        self.status: Status = "noop"
        self.error: str | None = None
        self.acted = False
        self.gone: dict[str, str | None] = {}
        self._failed_own: dict[int, State] = {}

    async def apply(self, index: int, part: Compactor[State], context: Context) -> None:
        """Let one part act; if it fails, the next part gets the view as it was."""
        outcome = await part.compact(with_view(self.own[index], dump(self.messages)), context)
        if outcome.status == "failed":
            self.error = f"{part.name}: {outcome.error or 'failed without a reason'}"
            self._failed_own[index] = own_state(outcome.state)
            return
        if outcome.status == "noop":
            return
        self.acted = True
        self.status = outcome.status
        self.messages = load(outcome.state["messages"])
        self.own[index] = own_state(outcome.state)
        for span in outcome.spans:
            if span.fate in {"replaced", "dropped"}:
                self.gone.update(dict.fromkeys(span.ids, span.by))

    def failed(self, state: State) -> State:
        """The state before, with the new own states of the parts that failed."""
        if not self._failed_own:
            return state
        own = [self._failed_own.get(index, old) for index, old in enumerate(state["parts"])]
        return {**state, "parts": own}


def own_state(state: Mapping[str, Any]) -> State:
    """A part's state without the view."""
    return {key: value for key, value in state.items() if key != "messages"}


def with_view(own: Mapping[str, Any], messages: Sequence[Any]) -> State:
    """A part's state with the view that is shared, as chat messages."""
    return {**own, "messages": list(messages)}


def followed_spans(
    before: Sequence[Message], after: Sequence[Message], gone: Mapping[str, str | None]
) -> tuple[Span, ...]:
    """The fate of each message; a replacement that was replaced again is followed to the last."""
    now = {message.id: message for message in after}
    spans: list[Span] = []
    for message in before:
        found = now.get(message.id)
        if found is not None:
            span = Span((message.id,), "kept" if found == message else "masked")
        else:
            by = gone.get(message.id)
            while by is not None and by not in now:
                by = gone.get(by)
            span = Span((message.id,), "replaced" if by else "dropped", by)
        if spans and (spans[-1].fate, spans[-1].by) == (span.fate, span.by):
            spans[-1] = replace(spans[-1], ids=(*spans[-1].ids, message.id))
        else:
            spans.append(span)
    return tuple(spans)
