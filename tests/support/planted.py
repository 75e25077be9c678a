"""Strategies with one planted fault each, and a sound one, to test the check of invariants.

Each is ``anchored`` or something simpler with a single fault. ``PLANTED`` maps the name of an
invariant to the strategies that break it and no other. Those on views alone have a run made by
hand in ``tests/checking/test_invariants.py``.
"""

import random
from dataclasses import replace

from support.planted_conduct import (
    AddsReminders,
    AlwaysDue,
    CountsQuestions,
    FailsHalfway,
    GivesUpInSilence,
    KeepsSets,
    KeepsToItself,
    Loops,
    Mutates,
    Piles,
    Raises,
    ReadsTwice,
    ReadsWithoutEnd,
    ReturnsList,
    SendsImages,
    SharesSummaries,
)

from pytest_compaction.checking.examples.scenario import CANARY
from pytest_compaction.compactors.base.history import dump, load, spans_between
from pytest_compaction.compactors.protocol import Outcome
from pytest_compaction.compactors.strategies.anchored import SUMMARY_ID, Anchored
from pytest_compaction.conversation import Text, groups, leading_system, pending_calls, text_message


class Sound(Anchored):
    """Keeps every invariant."""


class Tampered(Anchored):
    """``anchored`` with a smaller budget and a long tail; subclasses then tamper with its views."""

    def __init__(self):
        super().__init__(summary=0.6)

    def tamper(self, after, before, context):
        """The view with the fault, or ``None`` to leave the view as it is."""

    async def compact(self, state, context):
        smaller = replace(context, budget=int(context.budget * 0.7))
        outcome = await super().compact(state, smaller)
        if outcome.status != "compacted":
            return outcome
        before, after = load(state["messages"]), load(outcome.state["messages"])
        changed = self.tamper(after, before, context)
        if changed is None or changed == after:
            return outcome
        spans = spans_between(before, changed, SUMMARY_ID)
        return Outcome({**outcome.state, "messages": dump(changed)}, "compacted", spans)


def parts_of(messages):
    """Split messages into groups, as ``groups`` does."""
    return [messages[begin:end] for begin, end in groups(messages)]


def joined(parts):
    """Join groups of messages; the inverse of ``parts_of``."""
    return tuple(message for part in parts for message in part)


class Orphans(Tampered):
    """Removes a call and leaves its result."""

    def tamper(self, after, before, context):
        closed = parts_of(after[:-1] if pending_calls(after) else after)
        for part in closed:
            if len(part) == 2 and len(part[0].calls) == 1:
                return tuple(message for message in after if message != part[0])
        return None


class ForgetsPending(Tampered):
    """Removes a call that waits for its result."""

    def tamper(self, after, before, context):
        if not pending_calls(after):
            return None
        left = joined(parts_of(after)[:-1])
        return left if left[-1].role != "assistant" else None


class DropsInSilence(Tampered):
    """Does not report what became of the first message."""

    async def compact(self, state, context):
        outcome = await super().compact(state, context)
        return replace(outcome, spans=outcome.spans[1:])


class Leaks(Tampered):
    """Opens its summary with an instruction from a tool result."""

    def tamper(self, after, before, context):
        return tuple(
            replace(m, parts=(Text(f"{CANARY} now\n{m.text}"),)) if m.id == SUMMARY_ID else m
            for m in after
        )


class OverBudget(Tampered):
    """Leaves more tokens than the budget allows, but fewer than before."""

    def tamper(self, after, before, context):
        left = context.tokens.messages(before) - context.budget
        if left < 0.4 * context.tokens.messages(before):
            return None
        words = " more" * (context.budget - context.tokens.messages(after) + left // 2)
        note = text_message("note", "user", f"[Note]{words}", "synthetic")
        first = leading_system(after) + 1
        made = (*after[:first], note, *(m for m in after[first:] if m.id != "note"))
        return made if context.tokens.messages(made) < context.tokens.messages(before) else None


class Throws(Tampered):
    """Adds a random number to its summary."""

    def tamper(self, after, before, context):
        number = random.randrange(10**9)
        return tuple(
            replace(m, parts=(Text(f"{m.text}\n{number}"),)) if m.id == SUMMARY_ID else m
            for m in after
        )


PLANTED = {
    "results-follow-calls": [Orphans],
    "pending-call-kept": [ForgetsPending],
    "images-valid": [SendsImages],
    "spans-partition": [DropsInSilence],
    "summary-marked": [Leaks],
    "own-log": [SharesSummaries],
    "within-budget": [OverBudget, GivesUpInSilence],
    "not-due-after": [AlwaysDue],
    "progress-or-stop": [Loops],
    "summariser-input-bounded": [ReadsWithoutEnd],
    "returns-an-outcome": [Raises, ReturnsList],
    "inputs-not-mutated": [Mutates],
    "failure-changes-nothing": [FailsHalfway],
    "not-due-is-identity": [AddsReminders],
    "state-is-json": [KeepsSets],
    "one-live-summary": [Piles],
    "summarised-once": [ReadsTwice],
    "deterministic": [Throws],
    "render-is-pure": [CountsQuestions],
    "earlier-state-restores": [KeepsToItself],
}
