"""Invariants of content: what the view says is what was said, or is marked as a summary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_compaction.checking.examples.scenario import CANARY
from pytest_compaction.checking.invariants.invariant import Breach, Invariant
from pytest_compaction.checking.observation import Observation, ObservedStep
from pytest_compaction.compactors.protocol import Traits
from pytest_compaction.conversation.messages import (
    Message,
    Part,
    Text,
    ToolCall,
    ToolResult,
    json_or_none,
    last_user,
    leading_system,
)
from pytest_compaction.text.words import printable

_LEAST_ASKED: Final = 20
"""A sentence of a request that has this many characters is recognised wherever it stands."""


def log_order_and_text(observation: Observation) -> Iterator[Breach]:
    """Messages of the log that are out of order, twice, or altered without being masked."""
    masked: set[str] = set()
    for number, step in enumerate(observation.steps, 1):
        if not step.rewrote:
            continue
        masked |= {id for span in step.spans if span.fate == "masked" for id in span.ids}
        place = {message.id: index for index, message in enumerate(step.log)}
        copies = {(m.role, m.parts): m.id for m in step.log}
        last, last_id = -1, ""
        for message in step.after:
            id = message.id if message.id in place else copies.get((message.role, message.parts))
            if id is None:
                continue
            if place[id] <= last:
                yield Breach("messages of the log are not in their order", (last_id, id), number)
            last, last_id = place[id], id
            if message.id in place and not _said_so(message, step.said[id], id in masked):
                yield Breach("the message does not say what it said in the log", (id,), number)


def spans_partition(observation: Observation) -> Iterator[Breach]:
    """Spans that leave out a message, name one twice, or say something false."""
    for number, step in enumerate(observation.steps, 1):
        claimed = [id for span in step.spans for id in span.ids]
        ids = [message.id for message in step.before]
        if sorted(claimed) != sorted(ids):
            odd = sorted(set(ids) ^ set(claimed)) or sorted(
                {id for id in claimed if claimed.count(id) > 1}
            )
            yield Breach(
                "not every message of the view before has exactly one fate", tuple(odd[:5]), number
            )
        after = {message.id: message for message in step.after}
        before = {message.id: message for message in step.before}
        for span in step.spans:
            wrong = [id for id in span.ids if not _fate_holds(span.fate, id, before, after)]
            if wrong:
                yield Breach(f"said to be {span.fate}, but that is false", tuple(wrong[:5]), number)
            if span.by is not None and span.by not in after:
                yield Breach(
                    f"said to be replaced by {printable(span.by, 40)!r}, which is not in the view",
                    span.ids[:5],
                    number,
                )


def last_user_kept(observation: Observation) -> Iterator[Breach]:
    """Compactions after which the last user message is not there word for word."""
    for number, step in enumerate(observation.steps, 1):
        live = last_user(step.log)
        if not step.rewrote or live is None:
            continue
        head = observation.tokens.messages(step.before[: leading_system(step.before)])
        if observation.tokens.message(live) * 3 > observation.scenario.budget - head:
            continue
        if not any(m.role == "user" and m.parts == live.parts for m in step.after):
            yield Breach("the last user message is not in the view", (live.id,), number)


def summary_marked(observation: Observation) -> Iterator[Breach]:
    """Messages that a strategy wrote but did not mark, or gave a role it may not use."""
    for number, step in enumerate(observation.steps, 1):
        if not step.rewrote:
            continue
        for message in step.after:
            new = message.id not in step.said
            if new and message.origin != "synthetic":
                yield Breach("written by the strategy, but not marked so", (message.id,), number)
            elif new and message.role in {"system", "developer"}:
                if not observation.traits.changes_system:
                    yield Breach(
                        f"written by the strategy with role {message.role}", (message.id,), number
                    )
            elif new and _opens_with_canary(message):
                yield Breach(
                    "an instruction from a tool result opens a message of the strategy, and no "
                    "words before it say what it is",
                    (message.id,),
                    number,
                )


def summary_not_empty(observation: Observation) -> Iterator[Breach]:
    """Summaries without content that replaced messages, or messages that went without one."""
    for number, step in enumerate(observation.steps, 1):
        if not step.rewrote:
            continue
        for message in step.after:
            if message.id in step.by and not _has_content(message):
                yield Breach("the summary has no content", (message.id,), number)
        fates = {"replaced", "dropped"}
        gone = [id for span in step.spans if span.fate in fates for id in span.ids]
        replied = [asked for asked in step.asked if not asked.failed]
        nothing = bool(replied) and all(asked.empty for asked in replied)
        if nothing and len(replied) == len(step.asked) and gone and step.status == "compacted":
            yield Breach(
                "the summariser wrote nothing, and messages went all the same",
                tuple(gone[:5]),
                number,
            )


def summary_is_a_summary(observation: Observation) -> Iterator[Breach]:
    """Messages of the strategy that hold the model's instructions, a call or its reasoning."""
    asked: set[str] = set()
    stands: set[str] = set()
    for number, step in enumerate(observation.steps, 1):
        stands |= step.by
        asked |= {
            section.asks
            for each in step.asked
            for section in each.request.sections
            if len(section.asks) >= _LEAST_ASKED
        }
        for message in step.after if step.rewrote else ():
            if message.id not in stands and message.id in step.said:
                continue
            what = _instead(message.text, asked)
            if what is not None:
                yield Breach(f"{what} stands where a summary should", (message.id,), number)


def _instead(text: str, asked: set[str]) -> str | None:
    if any(sentence in text for sentence in asked):
        return "what the summariser was told to write"
    lines = [line.strip().removeprefix("- ") for line in text.splitlines()]
    if any(line.startswith("<think>") for line in lines):
        return "the reasoning of the model"
    calls = any(
        line.startswith("{") and "tool_calls" in (json_or_none(line) or ()) for line in lines
    )
    return "a tool call" if calls else None


def _said_so(message: Message, said: Message, masked: bool) -> bool:
    """Whether a message is as it was; a masked one may have other text, not other calls."""
    if message.role != said.role or message.origin != said.origin:
        return False
    if not masked:
        return _words(message) == _words(said)
    return [c.id for c in message.calls] == [c.id for c in said.calls] and [
        result.call_id for result in message.results
    ] == [result.call_id for result in said.results]


def _words(message: Message) -> list[Part]:
    """The parts that can be read; another invariant looks at the others."""
    return [part for part in message.parts if isinstance(part, Text | ToolCall | ToolResult)]


def _fate_holds(fate: str, id: str, before: dict[str, Message], after: dict[str, Message]) -> bool:
    if fate == "kept":
        return id in after and after[id] == before.get(id)
    if fate == "masked":
        return id in after
    return id not in after or after[id] != before.get(id)


def _opens_with_canary(message: Message) -> bool:
    lines = [line for line in message.text.splitlines() if line.strip()]
    return bool(lines) and CANARY in lines[0]


def _has_content(message: Message) -> bool:
    return any(
        part.text.strip() if isinstance(part, Text | ToolResult) else True
        for part in message.parts
        if not isinstance(part, ToolCall)
    )


def summaries_in(step: ObservedStep, known: set[str]) -> list[Message]:
    """The messages of the view after that replace others, by this or an earlier compaction."""
    return [m for m in step.after if m.id in known and m.id not in step.said]


def _no_tail(traits: Traits) -> str | None:
    return None if traits.keeps_tail else "the strategy does not claim to keep the newest part"


INVARIANTS: Final = (
    Invariant(
        "log-order-and-text",
        "content",
        "Messages that are still there are in the order of the log and say what they said, unless "
        "they are masked.",
        "The agent reads a history that never happened and draws its conclusions from it.",
        log_order_and_text,
    ),
    Invariant(
        "spans-partition",
        "content",
        "The outcome says what became of each message, exactly once and truthfully.",
        "What is dropped in silence cannot be found, restored or counted.",
        spans_partition,
    ),
    Invariant(
        "last-user-kept",
        "content",
        "The last user message stays word for word whenever it takes at most a third of what the "
        "system prompt leaves of the budget.",
        "The agent forgets what it was just asked, and asks again or does something else.",
        last_user_kept,
        waived=_no_tail,
    ),
    Invariant(
        "summary-marked",
        "content",
        "What the strategy wrote is marked as written by it, never has the role of the system, "
        "and words of its own stand before what it took from tools.",
        "Text of a web page or a file becomes an instruction of the user or the system: an "
        "injection that compaction makes permanent.",
        summary_marked,
    ),
    Invariant(
        "summary-not-empty",
        "content",
        "An empty summary is refused: it replaces no message.",
        "One bad reply of the model wipes out the session, and nobody is told.",
        summary_not_empty,
        needs="request",
    ),
    Invariant(
        "summary-is-a-summary",
        "content",
        "Only a summary takes the place of messages: a reply that repeats the instructions, makes "
        "a tool call or gets no further than its reasoning replaces nothing.",
        "The agent goes on from a text that says nothing of its work, or makes a call that nobody "
        "wanted, and what was said is lost.",
        summary_is_a_summary,
        needs="request",
    ),
)
