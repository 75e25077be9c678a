"""Invariants of the budget: compaction makes room, ends, and can itself be paid for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_compaction.checking.invariants.invariant import Finding, Invariant
from pytest_compaction.checking.observation import Run, Step
from pytest_compaction.conversation.messages import groups, last_user, leading_system

PROGRESS: Final = 0.05
"""The share of tokens that a compaction must remove to count as progress."""

ROOMY: Final = 0.4
"""The share of the window up to which a view is small enough that no strategy asks for more."""


def never_larger(run: Run) -> Iterator[Finding]:
    """Compactions that made the view larger, or left it as large, and call themselves done."""
    for number, step in enumerate(run.steps, 1):
        if step.rewrote and step.tokens_after >= step.tokens_before:
            yield Finding(
                f"{step.status}: {step.tokens_before} tokens before, {step.tokens_after} after",
                (),
                number,
            )


def within_budget(run: Run) -> Iterator[Finding]:
    """Views over the budget that were not reported as failed and hold what could have gone."""
    budget = run.scenario.budget
    for number, step in enumerate(run.steps, 1):
        if step.status == "failed" or step.tokens_after <= budget or step.again:
            continue
        if fixed_tokens(run, step) <= budget and step.tokens_after < step.tokens_before:
            yield Finding(
                f"{step.status}: {step.tokens_after} tokens in a view for {budget}", (), number
            )
        elif fixed_tokens(run, step) <= budget and step.status == "noop":
            yield Finding(
                f"nothing was done about {step.tokens_after} tokens in a view for {budget}",
                (),
                number,
            )


def not_due_after(run: Run) -> Iterator[Finding]:
    """Compactions after which the strategy wants the next one at once."""
    scenario = run.scenario
    for number, step in enumerate(run.steps, 1):
        small = step.tokens_after <= min(scenario.budget, scenario.window * ROOMY)
        if step.rewrote and small and step.due is not None:
            yield Finding(
                f"{step.tokens_after} tokens are left in a window of {scenario.window}, and "
                f"compaction is due again: {step.due}",
                (),
                number,
            )


def progress_or_stop(run: Run) -> Iterator[Finding]:
    """Repeated compactions that call themselves done, remove next to nothing and do not end."""
    idle = 0
    for number, step in enumerate(run.steps, 1):
        removed = step.tokens_before - step.tokens_after
        needed = step.due is not None or step.tokens_after > run.scenario.budget
        idle = idle + 1 if step.rewrote and 0 <= removed < PROGRESS * step.tokens_before else 0
        if idle >= 2 and step.again and needed:
            yield Finding(
                f"compaction number {idle} in a row without progress ({step.tokens_before} to "
                f"{step.tokens_after} tokens), and no word that it is of no use",
                (),
                number,
            )
            return


def summariser_input_bounded(run: Run) -> Iterator[Finding]:
    """Requests to the summariser that its own window cannot hold."""
    for number, step in enumerate(run.steps, 1):
        for asked in step.asked:
            if asked.tokens > run.scenario.window:
                yield Finding(
                    f"a request of {asked.tokens} tokens for a window of {run.scenario.window}",
                    tuple(message.id for message in asked.request.messages[:5]),
                    number,
                )


def fixed_tokens(run: Run, step: Step) -> int:
    """Tokens of what may not be touched: system prompt, open calls, and what the tail promises."""
    kept = {message.id: message for message in step.before[: leading_system(step.before)]}
    if step.pending:
        begin, end = groups(step.before)[-1]
        kept |= {message.id: message for message in step.before[begin:end]}
    live = last_user(step.log) if run.traits.keeps_tail else None
    if live is not None:
        kept[live.id] = live
    return run.tokens.messages(kept.values())


INVARIANTS: Final = (
    Invariant(
        "never-larger",
        "budget",
        "A compaction that calls itself done leaves fewer tokens than there were.",
        "Compaction is due again at once, and each round costs a model call and makes it worse.",
        never_larger,
    ),
    Invariant(
        "within-budget",
        "budget",
        "After a compaction the view fits the budget, or the compaction says that it failed; what "
        "may not be touched (system prompt, open calls, a promised last user message) excepted.",
        'The next request overflows the window ("prompt is too long") although the context was '
        "just compacted.",
        within_budget,
    ),
    Invariant(
        "not-due-after",
        "budget",
        "After a compaction that made room none is due until something new is said.",
        "The agent compacts in a loop instead of working.",
        not_due_after,
    ),
    Invariant(
        "progress-or-stop",
        "budget",
        "Compactions that remove next to nothing end: the second one in a row is said to be of no "
        "use (noop or failed).",
        "With a fixed overhead above the threshold the agent compacts hundreds of times and pays "
        "for each.",
        progress_or_stop,
    ),
    Invariant(
        "summariser-input-bounded",
        "budget",
        "No request to the summariser is larger than the window, not even with a single message "
        "that is.",
        "The request to compact is itself too long, so that the session cannot be saved any more.",
        summariser_input_bounded,
        needs="request",
    ),
)
