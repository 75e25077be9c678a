"""Invariants of structure: what a chat endpoint refuses to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from typing import Final

from pytest_compaction.checking.invariants.budget import PROGRESS
from pytest_compaction.checking.invariants.invariant import each_example, each_rewrite, each_step
from pytest_compaction.checking.observation import Breach, Observation, ObservedStep
from pytest_compaction.conversation import (
    Image,
    Message,
    Opaque,
    Text,
    Thinking,
    groups,
    leading_system,
    pending_calls,
    structure_faults,
)

_PAIRING: Final = frozenset(
    {"results-follow-calls", "one-result-a-call", "calls-answered", "unique-call-ids"}
)


@each_rewrite(
    "structure",
    "Each tool result follows the assistant message that made its call, and each call is "
    "answered before anything else is said.",
    'Endpoints refuse such a request with status 400 ("tool_use ids were found without '
    "tool_result blocks\", \"messages with role 'tool' must be a response to a preceding "
    "message with 'tool_calls'\"), at every later turn as well.",
)
def results_follow_calls(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    elsewhere = {message.id for message in step.waiting}.union(*(ids for ids, _ in _partial(step)))
    known = {(fault.invariant, fault.ids) for fault in structure_faults(step.before)}
    for fault in structure_faults(step.after):
        new = (fault.invariant, fault.ids) not in known
        if fault.invariant in _PAIRING and new and not elsewhere & set(fault.ids):
            yield Breach(fault.sentence, fault.ids)
    had = {result.call_id for message in step.before for result in message.results}
    begin, end = groups(step.after)[-1] if step.after else (0, 0)
    has = {result.call_id for message in step.after[begin:end] for result in message.results}
    for message in step.after[begin : begin + 1]:
        lost = any(call.id in had - has for call in message.calls)
        if lost and message.id not in elsewhere:
            yield Breach(
                "a tool call that was answered stands at the end without its result", (message.id,)
            )


@each_rewrite(
    "structure",
    "Parallel tool calls of one assistant message and their results are kept or removed as one.",
    "Some of them alone make a call without a result or a result without a call: status 400.",
)
def parallel_calls_whole(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    for ids, seen in _partial(step):
        yield Breach(
            f"of one assistant message's parallel calls and their results only {seen} are in the "
            "view",
            ids,
        )


@each_example(
    "structure",
    "A tool call that still waits for its result stays word for word at the end of the view, "
    "or nothing is compacted; a call further up that was never answered "
    "never blocks compaction.",
    "The result arrives and belongs to no call (status 400), or the work is lost; a dead call "
    "that blocks lets the context grow until it overflows.",
)
def pending_call_kept(observation: Observation) -> Iterator[Breach]:
    for number, step in enumerate(observation.steps, 1):
        if step.rewrote and step.waiting and step.after[-len(step.waiting) :] != step.waiting:
            yield Breach(
                f"the tool call {step.pending[0]!r} waits for its result, and the view does not "
                "end with it",
                tuple(message.id for message in step.waiting),
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
            exchanges = [step.after[begin:end] for begin, end in groups(step.after)]
            living = (m for each in exchanges if not pending_calls(each) for m in each)
            here = observation.tokens.messages(living)
            if other.tokens_after > (1 - PROGRESS) * here:
                continue  # an earlier compaction had already removed as much here
            yield Breach(
                "a tool call that was never answered, further up, kept the conversation from "
                f"being compacted: {step.error or 'nothing was done'}",
                _dead(step.before),
                number,
            )
            return


def _partial(step: ObservedStep) -> Iterator[tuple[tuple[str, ...], str]]:
    """Parallel calls that are in the view only in part: their ids, and how many of them are."""
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
            yield tuple(m.id for m in step.before[begin:end]), f"{seen} of {whole}"


def _dead(messages: Sequence[Message]) -> tuple[str, ...]:
    faults = structure_faults(messages)
    return tuple(id for f in faults if f.invariant == "calls-answered" for id in f.ids)


@each_step(
    "structure",
    "The first message after the system prompt is the user's.",
    "Several endpoints refuse a conversation that an assistant or a tool begins (status 400: "
    "\"first message must use the 'user' role\").",
)
def starts_with_user(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    first = leading_system(step.before)
    if not step.rewrote or first >= len(step.before) or step.before[first].role != "user":
        return
    body = step.after[leading_system(step.after) :]
    if not body:
        yield Breach("the view holds nothing but the system prompt")
    elif body[0].role != "user":
        yield Breach(
            f"the first message after the system prompt has role {body[0].role}", (body[0].id,)
        )


@each_rewrite(
    "structure",
    "Two messages of the user, or two of the assistant, that were apart do not come to stand "
    "side by side, unless a message further down replaces what was said between them.",
    "Endpoints that want the roles to alternate refuse the request, and the others read two "
    "requests as one: what was answered already is done again.",
)
def turns_alternate(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    before = {message.id: index for index, message in enumerate(step.before)}
    place = {message.id: index for index, message in enumerate(step.after)}
    replaced = {id: place.get(span.by or "", -1) for span in step.spans for id in span.ids}
    known = before.keys() & step.said.keys()
    for index, (one, other) in enumerate(pairwise(step.after)):
        role = {"user": "the user", "assistant": "the assistant"}.get(one.role)
        if role is None or one.role != other.role or not {one.id, other.id} <= known:
            continue
        between = step.before[before[one.id] + 1 : before[other.id]]
        gone = [message for message in between if message.id not in place]
        told = all(replaced.get(message.id, -1) > index for message in gone)
        if any(message.role != one.role for message in gone) and not told:
            yield Breach(
                f"two messages of {role} stand side by side, and what was said between them is "
                "gone",
                (one.id, other.id),
            )


@each_rewrite(
    "structure",
    "The view does not end on an assistant message, unless the conversation ended on it.",
    "The model takes it for its own unfinished words and goes on with them, or the endpoint "
    "refuses the prefilled answer.",
)
def ends_on_user_or_tool(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    if not step.after or step.after[-1].role != "assistant":
        return
    if step.after[-1].id != step.before[-1].id and not step.pending:
        yield Breach(
            "the view ends on an assistant message on which the conversation does not end",
            (step.after[-1].id,),
        )


@each_rewrite(
    "structure",
    "Every message of the view has content.",
    'Endpoints refuse empty and white-space-only text (status 400: "text content blocks must '
    'be non-empty").',
)
def no_empty_message(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    before = {message.id for message in step.before if _empty(message)}
    for message in step.after:
        if message.id not in step.by and message.id not in before and _empty(message):
            yield Breach("a message has no content", (message.id,))


@each_rewrite(
    "structure",
    "Thinking and opaque parts stay byte for byte or go as a whole, and the latest message "
    "with tool calls keeps its thinking.",
    'Their signature no longer fits (status 400: "thinking blocks cannot be '
    'modified"), for the rest of the session.',
)
def payloads_intact(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    since = takewhile(lambda message: message.role != "user", reversed(step.before))
    latest = next((message.id for message in since if message.calls), None)
    for message in step.after:
        said = step.said.get(message.id)
        source = _payloads(said) if said is not None else ()
        found = _payloads(message)
        if said is None and (not found or observation.traits.opaque):
            continue
        if found not in {source, ()}:
            yield Breach(
                "thinking or opaque parts are not byte for byte those of the log", (message.id,)
            )
        elif message.id == latest and found != source:
            yield Breach(
                "the latest assistant message with tool calls lost its thinking", (message.id,)
            )
    live = [m.id for m in step.after if m.id not in step.said and _payloads(m)]
    if len(live) > 1:
        yield Breach("more than one opaque compaction is alive", tuple(live))


@each_rewrite(
    "structure",
    "The system prompt stays first, as it was given.",
    "Rules, tools and identity of the agent change without anybody having decided it, and the "
    "cached prefix is lost.",
    waived=lambda traits: (
        "the strategy rewrites the system prompt, and says so" if traits.changes_system else None
    ),
)
def system_unchanged(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    head = step.before[: leading_system(step.before)]
    found = step.after[: len(head)]
    if [(m.role, m.parts) for m in found] != [(m.role, m.parts) for m in head]:
        yield Breach(
            "the system prompt is not the one that was given", tuple(message.id for message in head)
        )


@each_step(
    "structure",
    "Images stay as they were or become text, and a text-only summariser is sent no image.",
    'A cut or empty image is refused ("Could not process image"), and a text-only model '
    "refuses every image, so that compaction itself fails.",
)
def images_valid(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    parts = [part for message in step.log for part in message.parts]
    known = {part.payload for part in parts if isinstance(part, Image)}
    for message, said in zip(step.after, step.sources, strict=True) if step.rewrote else ():
        own = {p.payload for p in said.parts if isinstance(p, Image)} if said else known
        if any(isinstance(p, Image) and p.payload not in own for p in message.parts):
            yield Breach("an image is not the one of the log", (message.id,))
    for asked in step.asked if not observation.traits.opaque else ():
        read = asked.request.messages
        ids = [m.id for m in read if any(isinstance(part, Image) for part in m.parts)]
        if ids:
            yield Breach("the summariser was given an image", tuple(ids))


def _empty(message: Message) -> bool:
    return not any(part.text.strip() if isinstance(part, Text) else True for part in message.parts)


def _payloads(message: Message) -> tuple[str, ...]:
    return tuple(part.payload for part in message.parts if isinstance(part, Thinking | Opaque))
