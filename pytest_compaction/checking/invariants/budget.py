"""Invariants of the budget: compaction makes room, ends, and can itself be paid for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_compaction.checking.invariants.invariant import each_example, each_rewrite, each_step
from pytest_compaction.checking.observation import Breach, Observation, ObservedStep
from pytest_compaction.conversation import last_user, leading_system

PROGRESS: Final = 0.05
"""The share of tokens that a compaction must remove to count as progress."""

ROOMY: Final = 0.4
"""The share of the window up to which a view is small enough that no strategy asks for more."""


@each_rewrite(
    "budget",
    "A compaction that calls itself done leaves fewer tokens than there were.",
    "Compaction is due again at once, and each round costs a model call and makes it worse.",
)
def never_larger(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    if step.tokens_after >= step.tokens_before:
        yield Breach(
            f"{step.status}: {step.tokens_before} tokens before, {step.tokens_after} after"
        )


@each_step(
    "budget",
    "After a compaction the view fits the budget, or the compaction says that it failed, "
    "unless what may not be touched (system prompt, open calls, a promised last user message) "
    "exceeds the budget by itself.",
    'The next request overflows the window ("prompt is too long") although the context was '
    "just compacted.",
)
def within_budget(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    budget = observation.scenario.budget
    if step.status == "failed" or step.tokens_after <= budget or step.again:
        return
    shorter = step.tokens_after < step.tokens_before
    if fixed_tokens(observation, step) <= budget and (shorter or step.status == "noop"):
        yield Breach(f"{step.status}: {step.tokens_after} tokens in a view for {budget}")


@each_rewrite(
    "budget",
    "After a compaction that made room, no other is due until something new is said.",
    "The agent compacts in a loop instead of working.",
)
def not_due_after(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    scenario = observation.scenario
    small = step.tokens_after <= min(scenario.budget, scenario.window * ROOMY)
    if small and step.due is not None:
        yield Breach(
            f"{step.tokens_after} tokens are left in a window of {scenario.window}, and "
            f"compaction is due again: {step.due}"
        )


@each_example(
    "budget",
    "Compactions that remove next to nothing come to an end: the second one in a row says that "
    "it was of no use (noop or failed).",
    "With a fixed overhead above the threshold the agent compacts hundreds of times and pays "
    "for each.",
)
def progress_or_stop(observation: Observation) -> Iterator[Breach]:
    idle = 0
    for number, step in enumerate(observation.steps, 1):
        removed = step.tokens_before - step.tokens_after
        needed = step.due is not None or step.tokens_after > observation.scenario.budget
        idle = idle + 1 if step.rewrote and 0 <= removed < PROGRESS * step.tokens_before else 0
        if idle >= 2 and step.again and needed:
            yield Breach(
                f"compaction number {idle} in a row without progress ({step.tokens_before} to "
                f"{step.tokens_after} tokens), and nothing says that it is of no use",
                (),
                number,
            )
            return


@each_step(
    "budget",
    "No request to the summariser is larger than the window, even if a single message is.",
    "The request to compact is itself too long, so the session can no longer be saved.",
    needs="request",
)
def summariser_input_bounded(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    window = observation.scenario.window
    for asked in step.asked:
        if asked.tokens > window:
            yield Breach(
                f"a request of {asked.tokens} tokens for a window of {window}",
                tuple(message.id for message in asked.request.messages[:5]),
            )


def fixed_tokens(observation: Observation, step: ObservedStep) -> int:
    """Tokens that may not be removed: system prompt, open calls, a promised last user message."""
    head = step.before[: leading_system(step.before)]
    kept = {message.id: message for message in (*head, *step.waiting)}
    live = last_user(step.log) if observation.traits.keeps_tail else None
    if live is not None:
        kept[live.id] = live
    return observation.tokens.messages(kept.values())
