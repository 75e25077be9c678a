"""Invariants of summaries: what a strategy writes is marked, names itself, and sums up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_compaction.checking.examples.scenario import CANARY
from pytest_compaction.checking.invariants.invariant import Breach, Invariant, each_rewrite
from pytest_compaction.checking.observation import Observation, ObservedStep
from pytest_compaction.checking.wording import names_itself
from pytest_compaction.conversation.messages import (
    Message,
    Text,
    ToolCall,
    ToolResult,
    json_or_none,
)

_LEAST_ASKED: Final = 20
"""A sentence of a request that has this many characters is recognised wherever it stands."""


@each_rewrite
def summary_marked(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    """Messages that a strategy wrote but did not mark, or gave a role it may not use."""
    for message in step.after:
        new = message.id not in step.said
        if new and message.origin != "synthetic":
            yield Breach("written by the strategy, but not marked so", (message.id,))
        elif new and message.role in {"system", "developer"}:
            if not observation.traits.changes_system:
                yield Breach(f"written by the strategy with role {message.role}", (message.id,))
        elif new and _opens_with_canary(message):
            yield Breach(
                "an instruction from a tool result opens a message of the strategy, and no "
                "words before it say what it is",
                (message.id,),
            )


@each_rewrite
def notes_named(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    """Messages of the strategy that read like words of the user or of the assistant."""
    for message, said in zip(step.after, step.sources, strict=True):
        spoken = said is None and message.role in {"user", "assistant"}
        if spoken and message.text.strip() and not names_itself(message.text):
            yield Breach(
                f"written by the strategy, and reads like words of the {message.role}",
                (message.id,),
            )


@each_rewrite
def summary_not_empty(observation: Observation, step: ObservedStep) -> Iterator[Breach]:
    """Summaries without content that replaced messages, or messages that went without one."""
    for message in step.after:
        if message.id in step.by and not _has_content(message):
            yield Breach("the summary has no content", (message.id,))
    fates = {"replaced", "dropped"}
    gone = [id for span in step.spans if span.fate in fates for id in span.ids]
    replied = [asked for asked in step.asked if not asked.failed]
    nothing = bool(replied) and all(asked.empty for asked in replied)
    if nothing and len(replied) == len(step.asked) and gone and step.status == "compacted":
        yield Breach(
            "the summariser wrote nothing, and messages went all the same", tuple(gone[:5])
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


INVARIANTS: Final = (
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
        "notes-named",
        "content",
        "What the strategy wrote in the name of the user or the assistant says in its first line "
        "that it is a note or a summary: in brackets, a tag or a heading, or in words such as "
        "summary, conversation, context or earlier.",
        "The agent obeys a request that nobody made, or relies on a promise that it never gave.",
        notes_named,
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
