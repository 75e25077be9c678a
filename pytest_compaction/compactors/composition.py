"""``a+b``: strategies one after the other on one view, and insertions kept beside them.

Parts are applied from left to right. The first compacts as if it were alone; a
later one gets the resulting view and acts only if that is over the budget, so that
``anchored+truncate`` truncates if the summary failed or was not enough.
Each part keeps its own state between compactions; only the view is shared.

A part that is an :class:`InsertionCompactor`, such as the ledger, does not compact.
It follows the log, and its one message stands in the view right after system prompt
and summary. The others work with the budget that it leaves, never see that message,
and are told which sources it covers: sections of a summary that would only repeat
them are not asked for, whatever model writes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeGuard, cast

from pytest_compaction.compactors.base.cuts import newest_part, too_small, windowed
from pytest_compaction.compactors.base.history import (
    HistoryCompactor,
    after_summary,
    dump,
    load,
    rewritten,
    spans_of,
    unchanged,
)
from pytest_compaction.compactors.base.summaries import ELSEWHERE
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
from pytest_compaction.conversation import Message, leading_system
from pytest_compaction.models import (
    AS_WRITTEN,
    Model,
    Source,
    Summary,
    SummaryReply,
    SummaryRequest,
)

WITHIN_BUDGET: Final = "within-budget"
NEVER_LARGER: Final = "never-larger"


class InsertionCompactor(HistoryCompactor):
    """Keeps system prompt, the notes as one message, and the newest part that fits.

    A subclass follows the log in :meth:`note` and writes its message in :meth:`insertion`,
    under ``insertion_id``. In a composition these three methods are all that is used of it, and
    ``covers`` are the sources of a summary that its message makes superfluous. Notes are JSON
    and are never changed in place.
    """

    name: str
    covers: frozenset[Source] = frozenset()
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
        return {"messages": [], "notes": self.begin()}

    def observe(self, state: State, new: Sequence[Message], context: Context) -> State:
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
        return rewritten(state, before, after, status="truncated")

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


class CompositionError(ValueError):
    """Some parts cannot be composed; the text says which and why."""


class Composition:
    """Several strategies as one; see the module's first paragraphs.

    The state is ``{"messages": the view without insertions, "parts": own states,
    "insertions": their messages}``.
    """

    def __init__(self, name: str, parts: Sequence[Compactor[State]]) -> None:
        self.name = name
        self.parts = tuple(parts)
        self._steps = [i for i, part in enumerate(parts) if not _inserts(part)]
        _check(name, parts, self._steps)
        self.description = ", then ".join(parts[i].name for i in self._steps) + "".join(
            f", with the {part.name} beside it" for part in parts if _inserts(part)
        )
        self.traits = _traits(parts, self._steps)

    def start(self) -> State:
        """No messages; every part as it starts."""
        own = [part.begin() if _inserts(part) else own_state(part.start()) for part in self.parts]
        return {"messages": [], "parts": own, "insertions": []}

    def observe(self, state: State, new: Sequence[Message], context: Context) -> State:
        """The view with the new messages at its end; every part takes them in."""
        own = list(state["parts"])
        messages = [*state["messages"], *dump(new)]
        for index, part in enumerate(self.parts):
            if _inserts(part):
                own[index] = part.note(own[index], new)
            else:
                seen = part.observe(with_view(own[index], state["messages"]), new, context)
                own[index] = own_state(seen)
        return {**state, "messages": messages, "parts": own}

    def due(self, state: State, context: Context) -> str | None:
        """Due if any part is, given the whole view."""
        messages = dump(self.render(state, context).messages)
        reasons = (
            self.parts[i].due(with_view(state["parts"][i], messages), context) for i in self._steps
        )
        return next((reason for reason in reasons if reason), None)

    def render(self, state: State, context: Context, probe: str | None = None) -> View:
        """The view of the last part with the insertions after system prompt and summary."""
        part, own, room, inserted = self._last(state, context)
        return View(after_summary(part.render(own, room, probe).messages, inserted))

    async def asked_view(self, state: State, context: Context, probe: str) -> View:
        """The view for a question, where the last part asks a model about it."""
        part, own, room, inserted = self._last(state, context)
        asked = getattr(part, "asked_view", None)
        told = in_context(part, room)
        seen = await asked(own, told, probe) if asked else part.render(own, told, probe)
        return View(after_summary(seen.messages, inserted))

    def _last(
        self, state: State, context: Context
    ) -> tuple[Any, State, Context, tuple[Message, ...]]:
        inserted = load(state["insertions"])
        last = self._steps[-1]
        own = with_view(state["parts"][last], state["messages"])
        return self.parts[last], own, _smaller(context, inserted), inserted

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Let the parts act; a failure that leaves the view over the budget changes nothing."""
        before = self.render(state, context).messages
        total = context.tokens.messages(before)
        made = (
            part.insertion(state["parts"][index], context)
            for index, part in enumerate(self.parts)
            if _inserts(part)
        )
        inserted = tuple(message for message in made if message is not None)
        if state["insertions"] and total <= context.budget:
            return _unchanged(state, before)
        room = _smaller(context, inserted)
        covered: frozenset[Source] = frozenset()
        if inserted:
            covered = covered.union(*(part.covers for part in self.parts if _inserts(part)))
        if covered:
            room = replace(room, model=cast(Model, CoveredModel(context.model, covered)))
        messages, own = load(state["messages"]), list(state["parts"])
        failed = state  # with the own states of parts that failed
        error: str | None = None
        status: Status = "noop"
        gone: dict[str, str | None] = {}
        for index in self._steps:
            if index != self._steps[0] and room.tokens.messages(messages) <= room.budget:
                continue
            part = self.parts[index]
            view = with_view(own[index], dump(messages))
            outcome = await part.compact(view, in_context(part, room))
            if outcome.status == "failed":  # the next part gets the view as it was
                error = f"{part.name}: {outcome.error or 'failed without a reason'}"
                parts = [*failed["parts"]]
                parts[index] = own_state(outcome.state)
                failed = {**failed, "parts": parts}
            elif outcome.status != "noop":
                status = outcome.status
                messages, own[index] = load(outcome.state["messages"]), own_state(outcome.state)
                lost = (span for span in outcome.spans if span.fate in {"replaced", "dropped"})
                gone.update({id: span.by for span in lost for id in span.ids})
        if status == "noop":
            if error or room.tokens.messages(messages) > room.budget:
                return _unchanged(failed, before, error)
            status = "compacted"  # new insertions leave enough room by themselves
        new: State = {"messages": dump(messages), "parts": own, "insertions": dump(inserted)}
        after = self.render(new, context).messages
        if error and context.tokens.messages(after) > context.budget:
            return _unchanged(failed, before, error)
        if context.tokens.messages(after) >= total:
            return _unchanged(state, before)
        return Outcome(new, status, followed_spans(before, after, gone))


def _check(name: str, parts: Sequence[Any], steps: Sequence[int]) -> None:
    if not steps:
        raise CompositionError(
            f"{name!r} has no part that compacts; put a strategy beside the insertion, "
            "as in anchored+ledger"
        )
    inserted = [part.name for part in parts if _inserts(part)]
    for twice in sorted({each for each in inserted if inserted.count(each) > 1}):
        raise CompositionError(f"{name!r} names {twice!r} twice; one is enough")
    for index in steps:
        part = parts[index]
        if part.traits.by_server:
            raise CompositionError(
                f"{part.name!r} leaves the compaction to the endpoint, which no other part of "
                f"{name!r} could add to; use mode=client there"
            )
        if not _shares_a_view(part):
            raise CompositionError(
                f"{part.name!r} cannot be a part of {name!r}: its state is not a dictionary with "
                "the view as chat messages under 'messages' (like that of HistoryCompactor)"
            )
        if part.traits.needs_probe and index != steps[-1]:
            raise CompositionError(
                f"{part.name!r} reads per question and can only be the last strategy of {name!r}"
            )


def _shares_a_view(part: Any) -> bool:
    try:
        state = part.start()
    except Exception:
        return False
    return isinstance(state, dict) and state.get("messages") == []


def _traits(parts: Sequence[Any], steps: Sequence[int]) -> Traits:
    """A composition needs what any part needs, and promises what all parts promise.

    If a part leaves a view over the budget, a later part repairs it, and a composition
    never takes a view that is larger than the one before.
    """
    own = [part.traits for part in parts]
    violations = {
        key: f"{part.name}: {clause}"
        for part in parts
        for key, clause in part.traits.violations.items()
        if key != NEVER_LARGER and (key != WITHIN_BUDGET or part is parts[steps[-1]])
    }
    return Traits(
        needs_model=any(traits.needs_model for traits in own),
        needs_probe=any(traits.needs_probe for traits in own),
        opaque=any(traits.opaque for traits in own),
        keeps_tail=all(parts[index].traits.keeps_tail for index in steps),
        changes_system=any(traits.changes_system for traits in own),
        violations=violations,
    )


def _inserts(part: object) -> TypeGuard[InsertionCompactor]:
    return isinstance(part, InsertionCompactor)


def _smaller(context: Context, inserted: Sequence[Message]) -> Context:
    taken = context.tokens.messages(inserted)
    return replace(context, budget=context.budget - taken) if taken else context


def _unchanged(state: State, view: Sequence[Message], error: str | None = None) -> Outcome[State]:
    spans = (Span(tuple(message.id for message in view), "kept"),) if view else ()
    return Outcome(state, "failed" if error else "noop", spans, error)


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

    def fate(message: Message) -> tuple[Fate, str | None]:
        found = now.get(message.id)
        if found is not None:
            return "kept" if found == message else "masked", None
        by = gone.get(message.id)
        while by is not None and by not in now:
            by = gone.get(by)
        return "replaced" if by else "dropped", by

    return spans_of(before, fate)


@dataclass(frozen=True, slots=True)
class CoveredModel:
    """A model that is not asked for what an insertion covers.

    A section whose sources are all covered is not requested; its text says so. Other
    sections only lose their covered sources. A model that reads prompts is told.
    """

    model: Model
    covered: frozenset[Source]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def at_trial(self, trial: int) -> CoveredModel:
        """The model for one repetition."""
        return CoveredModel(self.model.at_trial(trial), self.covered)

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        """Request the sections that are not covered, within the same budget.

        If they come back empty, all sections are requested, so that a summary is empty
        only if the model has nothing to say at all.
        """
        uncovered = (
            replace(section, gathers=tuple(s for s in section.gathers if s not in self.covered))
            for section in request.sections
        )
        left = tuple(section for section in uncovered if section.gathers)
        if not left:
            return await self.model.summarize(request)
        asked = {section.id for section in left}
        previous = request.previous and Summary(
            tuple(pair for pair in request.previous.entries if pair[0] in {*asked, AS_WRITTEN})
        )
        covered = ", ".join(sorted(self.covered))
        told = f"A separate record keeps these and stands beside the summary: {covered}."
        focus = "\n".join(text for text in (request.instructions, told) if text)
        reply = await self.model.summarize(
            replace(request, sections=left, previous=previous, instructions=focus)
        )
        if reply.summary.empty:
            whole = await self.model.summarize(request)
            return replace(whole, usage=reply.usage + whole.usage)
        if reply.summary.as_written:
            return reply
        entries = tuple(
            (section.id, reply.summary.of(section.id) if section.id in asked else (ELSEWHERE,))
            for section in request.sections
        )
        return replace(reply, summary=Summary(entries))
