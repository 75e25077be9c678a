"""Strategies with one planted fault each in what they do, say, ask or keep in their state."""

from dataclasses import replace
from typing import ClassVar

from pytest_compaction.compactors.base.cuts import images_as_text, tail_start
from pytest_compaction.compactors.base.history import (
    HistoryCompactor,
    dump,
    load,
    spans_between,
    unchanged,
)
from pytest_compaction.compactors.protocol import Outcome, Traits, View
from pytest_compaction.compactors.strategies.anchored import SUMMARY_ID, Anchored, Regenerate
from pytest_compaction.conversation import Image, Text, leading_system, pending_calls, text_message
from pytest_compaction.models import ModelError, Section, SummaryRequest

NOTE = "The messages before this one were left out to save space."
SOURCES = (Section("all", "All", "Everything.", ("intent", "decisions", "values", "files")),)


class GivesUpInSilence(Anchored):
    """Stays over the budget when the model fails, without saying so."""

    async def compact(self, state, context):
        outcome = await super().compact(state, context)
        return unchanged(state) if outcome.status == "failed" else outcome


class AlwaysDue(Anchored):
    """Says that a compaction is always due."""

    def due(self, state, context):
        return "it is always time"


class Noted(HistoryCompactor):
    """Replaces everything by a one-line note."""

    name = "noted"
    traits = Traits()

    def note(self, state):
        """The text of the note."""
        return NOTE

    async def compact(self, state, context):
        before = load(state["messages"])
        first = leading_system(before)
        enough = context.budget - context.tokens.messages(before[:first]) > 50 or first
        if context.tokens.messages(before) <= context.budget or pending_calls(before):
            return unchanged(state, "not now")
        if not enough:
            return unchanged(state, "too little room")
        note = text_message("note", "user", self.note(state), "synthetic")
        after = (*before[:first], note)
        if context.tokens.messages(after) >= context.tokens.messages(before):
            return unchanged(state, "no shorter")
        if first == 0 and context.tokens.messages(after) > context.budget:
            return unchanged(state, "over the budget")
        spans = spans_between(before, after, "note")
        count = int(state.get("count", 0)) + 1
        return Outcome({"messages": dump(after), "count": count}, "compacted", spans)


class Loops(Noted):
    """Shortens its note by one word each time and calls that a compaction."""

    def note(self, state):
        left = max(12 - int(state.get("count", 0)), 1)
        return " ".join(NOTE.split()[:left])


class ReadsWithoutEnd(Anchored):
    """Sends everything to the summariser, whatever its size."""

    async def compact(self, state, context):
        messages = images_as_text(load(state["messages"]))
        if messages:
            try:
                await context.model.summarize(SummaryRequest(messages, SOURCES, 50))
            except ModelError as error:
                return unchanged(state, str(error))
        return await super().compact(state, context)

    traits = Traits(needs_model=True, keeps_tail=True)


class SendsImages(Anchored):
    """Sends images to the summariser."""

    traits = Traits(needs_model=True, keeps_tail=True)

    async def compact(self, state, context):
        seen = [m for m in load(state["messages"]) if any(isinstance(p, Image) for p in m.parts)]
        if seen and 2 * context.tokens.messages(seen[:1]) < context.window:
            try:
                await context.model.summarize(SummaryRequest(seen[:1], SOURCES, 50))
            except ModelError as error:
                return unchanged(state, str(error))
        return await super().compact(state, context)


class Raises(Anchored):
    """Lets the error of the model escape."""

    async def compact(self, state, context):
        outcome = await super().compact(state, context)
        if outcome.error and "timed out" in outcome.error:
            raise RuntimeError(outcome.error)
        return outcome


class ReturnsList(Anchored):
    """Returns a list instead of an outcome when there is a focus."""

    async def compact(self, state, context):
        return [] if context.instructions else await super().compact(state, context)


class Mutates(Anchored):
    """Changes the state that it is given."""

    async def compact(self, state, context):
        state["seen"] = len(state["messages"])
        return await super().compact(state, context)


class FailsHalfway(Anchored):
    """Keeps half of its result when it fails."""

    async def compact(self, state, context):
        outcome = await super().compact(state, context)
        if outcome.status == "failed":
            return replace(outcome, state={**state, "draft": {"half": "done"}})
        return outcome


class AddsReminders(Anchored):
    """Puts a reminder into the conversation at each turn."""

    def observe(self, state, new, context):
        count = int(state.get("reminders", 0)) + 1
        if state["messages"] and new and new[0].role != "tool":
            text = "[reminder: run the tests]"
            new = [text_message(f"reminder-{count}", "user", text, "synthetic"), *new]
        return {**super().observe(state, new, context), "reminders": count}


class KeepsSets(Anchored):
    """Has a state that JSON cannot represent."""

    def observe(self, state, new, context):
        return {**super().observe(state, new, context), "kinds": {1, 2}}


class Piles(HistoryCompactor):
    """Adds a summary at each compaction and keeps all earlier ones."""

    name = "piles"
    traits = Traits()

    async def compact(self, state, context):
        before = load(state["messages"])
        first = leading_system(before)
        notes = tuple(m for m in before[first:] if m.origin == "synthetic")
        room = context.budget - context.tokens.messages((*before[:first], *notes)) - 30
        if room <= 0 or context.tokens.messages(before) <= context.budget:
            return unchanged(state, "not now")
        start = tail_start(before, room, context, first + len(notes))
        count = int(state.get("count", 0)) + 1
        note = text_message(f"note-{count}", "user", f"{NOTE} ({count})", "synthetic")
        after = (*before[:first], *notes, note, *before[start:])
        size = context.tokens.messages(after)
        if size >= context.tokens.messages(before) or size > context.budget:
            return unchanged(state, "no use")
        spans = spans_between(before, after, note.id)
        return Outcome({"messages": dump(after), "count": count}, "compacted", spans)


class ReadsTwice(Regenerate):
    """Claims to merge into its summary but rewrites it from scratch."""

    traits = Traits(needs_model=True, reads_once=True)


class SharesSummaries(Anchored):
    """Keeps its summaries in the class by budget, whatever they are of."""

    summaries: ClassVar[dict] = {}

    async def compact(self, state, context):
        outcome = await super().compact(state, context)
        after = load(outcome.state["messages"])
        if outcome.status != "compacted" or after[leading_system(after)].id != SUMMARY_ID:
            return outcome
        first = leading_system(after)
        text = self.summaries.setdefault(context.budget // 400, after[first].text)
        shared = (*after[:first], replace(after[first], parts=(Text(text),)), *after[first + 1 :])
        size = context.tokens.messages(shared)
        before = context.tokens.messages(load(state["messages"]))
        if size > context.budget or size >= before:
            return outcome
        return replace(outcome, state={**outcome.state, "messages": dump(shared)})


class CountsQuestions(Anchored):
    """Shows each question how many were asked before it."""

    def __init__(self):
        super().__init__()
        self.asked = 0

    def render(self, state, context, probe=None):
        view = super().render(state, context)
        if probe is None:
            return view
        self.asked += 1
        note = text_message("asked", "user", f"question number {self.asked}", "synthetic")
        return View((*view.messages, note))


class KeepsToItself(Anchored):
    """Keeps its views in the instance, and only their number in the state."""

    def __init__(self):
        super().__init__()
        self.views = {}

    async def compact(self, state, context):
        outcome = await super().compact(state, context)
        if outcome.status != "compacted":
            return outcome
        number = len(self.views) + 1
        self.views[number] = outcome.state["messages"]
        return replace(outcome, state={**outcome.state, "view": number})

    def render(self, state, context, probe=None):
        if "view" in state and state["view"] not in self.views:
            return View(load(state["messages"])[:-1])
        return super().render(state, context, probe)
