"""Small deviations of a correct compactor in what it does, keeps or says of itself."""

import itertools
import time
from dataclasses import replace

from pytest_compaction.compactors.base.history import load
from pytest_compaction.compactors.protocol import Outcome, Span, View
from pytest_compaction.compactors.strategies.anchored import Anchored
from pytest_compaction.conversation.messages import ToolResult, text_message


class ShowsTheQuestion(Anchored):
    """Puts the question into the view."""

    def render(self, state, context, probe=None):
        view = super().render(state, context, probe)
        if probe is None:
            return view
        return View((*view.messages, text_message("asked", "user", f"[{probe}]", "synthetic")))


class ReadsTheQuestion(Anchored):
    """Shows less of the conversation where a question is asked, and does not say so."""

    def render(self, state, context, probe=None):
        view = super().render(state, context, probe)
        return View(view.messages[1:]) if probe else view


class ShowsTheFuture(Anchored):
    """Remembers all that any instance was told, and shows the newest of it."""

    newest = ()

    def observe(self, state, new, context):
        ShowsTheFuture.newest = tuple(new)[-1:]
        return super().observe(state, new, context)

    def render(self, state, context, probe=None):
        view = super().render(state, context, probe)
        shown = {message.id for message in view.messages}
        return View((*view.messages, *(m for m in self.newest if m.id not in shown)))


class SharesItsList(Anchored):
    """Appends new messages to the list that the state before holds."""

    def observe(self, state, new, context):
        made = super().observe(state, new, context)
        state["messages"].extend(made["messages"][len(state["messages"]) :])
        return {**state}


class EmptiesTheInput(Anchored):
    """Removes the messages that it was given from the list of its caller."""

    def observe(self, state, new, context):
        made = super().observe(state, new, context)
        new.clear()
        return made


class MarksTheState(Anchored):
    """Writes into the state when it renders."""

    def render(self, state, context, probe=None):
        state["rendered"] = True
        return super().render(state, context, probe)


class CountsInTheClass(Anchored):
    """Numbers its summaries over all instances."""

    numbers = itertools.count()

    async def compact(self, state, context):
        outcome = await super().compact(state, context)
        return replace(outcome, state={**outcome.state, "number": next(self.numbers)})


class ReadsTheClock(Anchored):
    """Notes when it compacted."""

    async def compact(self, state, context):
        outcome = await super().compact(state, context)
        if outcome.status != "compacted":
            return outcome
        return replace(outcome, state={**outcome.state, "at": str(time.perf_counter_ns())})


class RemembersItsView(Anchored):
    """Renders the view that it made last, whatever the state says."""

    last = None

    async def compact(self, state, context):
        outcome = await super().compact(state, context)
        self.last = load(outcome.state["messages"])
        return outcome

    def render(self, state, context, probe=None):
        if self.last is not None and len(state["messages"]) < len(self.last):
            return View(self.last)
        return super().render(state, context, probe)


class CutsAtIntake(Anchored):
    """Cuts long results when they come in."""

    def observe(self, state, new, context):
        def cut(part):
            long = isinstance(part, ToolResult) and len(part.text) > 200
            return replace(part, text=f"{part.text[:200]}…") if long else part

        shorter = [replace(m, parts=tuple(map(cut, m.parts))) for m in new]
        return super().observe(state, shorter, context)


class ForgetsAtIntake(Anchored):
    """Does not take in what the assistant said before its calls."""

    def observe(self, state, new, context):
        return super().observe(state, [m for m in new if m.role != "assistant" or m.calls], context)


class Respans(Anchored):
    """Says something else of its spans; subclasses say what."""

    def told(self, spans):
        """The spans as they are told."""
        return spans

    async def compact(self, state, context):
        outcome = await super().compact(state, context)
        return replace(outcome, spans=self.told(outcome.spans))


class SaysKept(Respans):
    """Says that everything was kept."""

    def told(self, spans):
        return tuple(Span(span.ids, "kept") for span in spans)


class SaysMasked(Respans):
    """Says that what it removed is masked."""

    def told(self, spans):
        return tuple(
            Span(span.ids, "masked") if span.fate == "replaced" else span for span in spans
        )


class NamesNoSummary(Respans):
    """Says that a message that is not there replaced the others."""

    def told(self, spans):
        return tuple(replace(s, by="elsewhere") if s.fate == "replaced" else s for s in spans)


class CountsTwice(Respans):
    """Names the first message twice."""

    def told(self, spans):
        return (*spans, Span(spans[0].ids[:1], spans[0].fate, spans[0].by)) if spans else spans


class KeepsQuiet(Anchored):
    """Says that it did nothing, and changed the view."""

    async def compact(self, state, context):
        outcome = await super().compact(state, context)
        return replace(outcome, status="noop") if outcome.status == "compacted" else outcome


class FailsAloud(Anchored):
    """Says that it failed, and changed the view."""

    async def compact(self, state, context):
        outcome = await super().compact(state, context)
        done = outcome.status == "compacted" and len(state["messages"]) > 8
        return Outcome(outcome.state, "failed", outcome.spans, "no") if done else outcome


class KeepsNumbersAsKeys(Anchored):
    """Keeps a mapping by number, which JSON turns into text."""

    async def compact(self, state, context):
        outcome = await super().compact(state, context)
        return replace(outcome, state={**outcome.state, "places": {1: "first"}})


CONDUCT = {
    ShowsTheQuestion: "render-is-pure",
    ReadsTheQuestion: "render-is-pure",
    ShowsTheFuture: "earlier-state-restores",
    SharesItsList: "inputs-not-mutated",
    EmptiesTheInput: "inputs-not-mutated",
    MarksTheState: "inputs-not-mutated",
    CountsInTheClass: "deterministic",
    ReadsTheClock: "deterministic",
    RemembersItsView: "earlier-state-restores",
    CutsAtIntake: "not-due-is-identity",
    ForgetsAtIntake: "not-due-is-identity",
    SaysKept: "spans-partition",
    SaysMasked: "spans-partition",
    NamesNoSummary: "spans-partition",
    CountsTwice: "spans-partition",
    KeepsQuiet: "failure-changes-nothing",
    FailsAloud: "failure-changes-nothing",
    KeepsNumbersAsKeys: "state-is-json",
}
"""A deviation and the invariant that finds it."""
