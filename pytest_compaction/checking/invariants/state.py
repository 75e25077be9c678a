"""Invariants of the state: a value that can be stored, repeated and restored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pytest_compaction.checking.invariants.invariant import each_example, each_step
from pytest_compaction.checking.observation import Breach, Observation, ObservedStep, differing


@each_example(
    "state",
    "Every method returns what it promises and raises nothing, whatever the model does.",
    "An exception in the middle of a compaction ends the agent's turn.",
)
def returns_an_outcome(observation: Observation) -> Iterator[Breach]:
    if observation.raised is not None:
        yield Breach(observation.raised, (), len(observation.steps) + 1)


@each_example(
    "state",
    "No method changes the state or the messages that it is given, not even when the model fails.",
    "After a failure the agent goes on with half a history.",
)
def inputs_not_mutated(observation: Observation) -> Iterator[Breach]:
    yield from observation.noted.get("inputs-not-mutated", ())


@each_step(
    "state",
    "A compaction that failed or did nothing leaves view and state as they were (counters "
    "excepted).",
    "A time-out of the model loses messages that nobody summarised.",
)
def failure_changes_nothing(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    if step.rewrote:
        return
    if step.after != step.before:
        ids = differing(step.before, step.after)
        yield Breach(f"{step.status}, but the view changed", ids)
    elif _without_counters(step.state_after) != _without_counters(step.state_before):
        yield Breach(f"{step.status}, but the state changed")


@each_example(
    "state",
    "As long as nothing is compacted, the view is the conversation as it was said.",
    "The agent loses messages while there is room for them, and every request misses the cache.",
)
def not_due_is_identity(observation: Observation) -> Iterator[Breach]:
    yield from observation.noted.get("not-due-is-identity", ())


@each_example(
    "state",
    "The state survives JSON and gives the same view afterwards.",
    "A session that is stored and resumed goes on from a different history.",
)
def state_is_json(observation: Observation) -> Iterator[Breach]:
    yield from observation.noted.get("state-is-json", ())


@each_example(
    "state",
    "However often the log was compacted, the view holds one summary, which holds no earlier one.",
    "Summaries of summaries pile up until they fill the window themselves.",
    needs="summary",
)
def one_live_summary(observation: Observation) -> Iterator[Breach]:
    known: set[str] = set()
    for number, step in enumerate(observation.steps, 1):
        known |= step.by
        live = [m for m in step.after if m.id in known and m.id not in step.said]
        if step.rewrote and len(live) > 1:
            yield Breach(
                f"{len(live)} summaries are in the view", tuple(m.id for m in live), number
            )
        for message in live if step.rewrote else ():
            opening = next((line for line in message.text.splitlines() if line.strip()), "")
            if len(opening) > 20 and message.text.count(opening) > 1:
                yield Breach("a summary holds an earlier one", (message.id,), number)


@each_example(
    "state",
    "Each message enters the summariser at most once, and the summary so far is given to it "
    "each time.",
    "What was said early is summarised again and again and fades a little each time.",
    waived=lambda traits: (
        None if traits.reads_once else "the strategy does not claim to summarise incrementally"
    ),
    needs="request",
)
def summarised_once(observation: Observation) -> Iterator[Breach]:
    read: dict[str, int] = {}
    written = False
    for number, step in enumerate(observation.steps, 1):
        if not step.rewrote:
            continue
        done = [asked for asked in step.asked if not asked.failed]
        if written and any(asked.request.previous is None for asked in done):
            yield Breach("the summary so far was not given to the summariser", (), number)
        ids = {m.id for asked in done for m in asked.request.messages if m.id in step.said}
        again = sorted(id for id in ids if id in read)
        if again:
            yield Breach("summarised before", tuple(again[:5]), number)
        read.update(dict.fromkeys(ids, number))
        written = written or bool(done)


@each_example(
    "state",
    "The same conversation and the same replies of the model give the same view.",
    "A measurement cannot be repeated, and a fault cannot be found again.",
)
def deterministic(observation: Observation) -> Iterator[Breach]:
    if observation.repeated is None:
        return
    pairs = zip(observation.steps, observation.repeated.steps, strict=False)
    for number, (step, other) in enumerate(pairs, 1):
        if (step.status, step.error) != (other.status, other.error):
            yield Breach(f"{step.status} the first time, {other.status} when repeated", (), number)
            return
        if step.after != other.after or step.state_after != other.state_after:
            yield Breach(
                "the same conversation gave another view or state when repeated",
                differing(step.after, other.after),
                number,
            )
            return


@each_example(
    "state",
    "Rendering twice, for one question or another, gives the same view each time and leaves "
    "the state alone. No view repeats the question, and only strategies that declare it may "
    "use the question.",
    "What the agent knows depends on what it was asked before.",
)
def render_is_pure(observation: Observation) -> Iterator[Breach]:
    yield from observation.noted.get("render-is-pure", ())


@each_example(
    "state",
    "An earlier state still gives its view after later compactions, in another process as well.",
    "A session cannot be rewound to before a bad summary.",
)
def earlier_state_restores(observation: Observation) -> Iterator[Breach]:
    yield from observation.noted.get("earlier-state-restores", ())


def _without_counters(state: str) -> Any:
    """A state without its numbers and flags, at any depth: a strategy may count its failures.

    Chat messages and lists of numbers stay whole.
    """
    try:
        return _uncounted(json.loads(state))
    except ValueError:
        return state


def _uncounted(value: Any) -> Any:
    if isinstance(value, list):
        return [_uncounted(each) for each in value]
    if not isinstance(value, dict) or "role" in value:
        return value
    return {
        key: _uncounted(each) for key, each in value.items() if not isinstance(each, int | float)
    }
