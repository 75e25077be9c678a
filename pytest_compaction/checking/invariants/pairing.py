"""Checks of the pairing of tool calls with their results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_compaction.checking.invariants.budget import PROGRESS
from pytest_compaction.checking.invariants.invariant import Breach
from pytest_compaction.checking.observation import Observation, ObservedStep
from pytest_compaction.conversation.messages import Message, groups, pending_calls, structure_faults

_PAIRING: Final = frozenset(
    {"results-follow-calls", "one-result-a-call", "calls-answered", "unique-call-ids"}
)


def results_follow_calls(observation: Observation) -> Iterator[Breach]:
    """New pairing faults in a view, and answered calls whose result is gone."""
    for number, step in enumerate(observation.steps, 1):
        if not step.rewrote:
            continue
        elsewhere = _pending_ids(step).union(*(ids for ids, _, _ in _partial(step)))
        known = {(fault.invariant, fault.ids) for fault in structure_faults(step.before)}
        for fault in structure_faults(step.after):
            new = (fault.invariant, fault.ids) not in known
            if fault.invariant in _PAIRING and new and not elsewhere & set(fault.ids):
                yield Breach(fault.sentence, fault.ids, number)
        for message in _reopened(step):
            if message.id not in elsewhere:
                yield Breach(
                    "a tool call that was answered stands at the end without its result",
                    (message.id,),
                    number,
                )


def parallel_calls_whole(observation: Observation) -> Iterator[Breach]:
    """Assistant messages whose parallel calls are in the view only in part."""
    for number, step in enumerate(observation.steps, 1):
        if step.rewrote:
            for ids, seen, whole in _partial(step):
                yield Breach(
                    f"of one assistant message's parallel calls and their results only {seen} "
                    f"of {whole} are in the view",
                    ids,
                    number,
                )


def pending_call_kept(observation: Observation) -> Iterator[Breach]:
    """Removed calls that still waited for a result, and dead calls that block compaction."""
    for number, step in enumerate(observation.steps, 1):
        if not step.pending or not step.rewrote:
            continue
        begin, end = groups(step.before)[-1]
        waiting = step.before[begin:end]
        if step.after[-len(waiting) :] != waiting:
            yield Breach(
                f"the tool call {step.pending[0]!r} waits for its result, and the view does not "
                "end with it",
                tuple(message.id for message in waiting),
                number,
            )
    if observation.undead is None:
        return
    pairs = zip(observation.steps, observation.undead.steps, strict=False)
    for number, (step, other) in enumerate(pairs, 1):
        # If a summariser was asked, its reply was the reason, and not the call.
        blocked = (
            not (step.rewrote or step.asked) and step.tokens_before > observation.scenario.budget
        )
        if other.rewrote and blocked and _dead(step.before) and not step.pending:
            here = observation.tokens.messages(_living(step.after))
            if other.tokens_after > (1 - PROGRESS) * here:
                continue  # an earlier compaction had already removed as much here
            yield Breach(
                "a tool call that was never answered, further up, kept the conversation from "
                f"being compacted: {step.error or 'nothing was done'}",
                _dead(step.before),
                number,
            )
            return


def _pending_ids(step: ObservedStep) -> set[str]:
    """Ids of the messages of the exchange that is still open."""
    if not step.pending:
        return set()
    begin, end = groups(step.before)[-1]
    return {message.id for message in step.before[begin:end]}


def _partial(step: ObservedStep) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Parallel calls that are in the view only in part: ids, number in the view, number of all."""
    calls = {call.id for message in step.after for call in message.calls}
    results = {result.call_id for message in step.after for result in message.results}
    for begin, end in groups(step.before):
        head = step.before[begin]
        if len(head.calls) < 2 or (step.pending and end == len(step.before)):
            continue
        answered = [result.call_id for m in step.before[begin:end] for result in m.results]
        whole = len(head.calls) + len(answered)
        seen = sum(call.id in calls for call in head.calls) + sum(id in results for id in answered)
        if 0 < seen < whole:
            yield tuple(m.id for m in step.before[begin:end]), seen, whole


def _reopened(step: ObservedStep) -> Iterator[Message]:
    """The last group of the view, if a call in it had a result before and has none now."""
    if not step.after:
        return
    had = {result.call_id for message in step.before for result in message.results}
    begin, end = groups(step.after)[-1]
    has = {result.call_id for message in step.after[begin:end] for result in message.results}
    if any(call.id in had and call.id not in has for call in step.after[begin].calls):
        yield step.after[begin]


def _dead(messages: Sequence[Message]) -> tuple[str, ...]:
    faults = structure_faults(messages)
    return tuple(id for f in faults if f.invariant == "calls-answered" for id in f.ids)


def _living(messages: Sequence[Message]) -> Iterator[Message]:
    """The messages without the exchanges in which a call was never answered."""
    for begin, end in groups(messages):
        if not pending_calls(messages[begin:end]):
            yield from messages[begin:end]
