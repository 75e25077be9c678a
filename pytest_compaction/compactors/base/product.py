"""Parts that strategies after a real product share.

Such a strategy does what the original does, including its known violations of the invariants,
which its traits name. Where an endpoint would refuse the messages it is mended, and says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any, ClassVar, Final

from pytest_compaction.compactors.base.cuts import (
    mask_results,
    pending_start,
    without_orphans,
)
from pytest_compaction.compactors.base.history import HistoryCompactor, load, rewritten, unchanged
from pytest_compaction.compactors.base.summaries import (
    NO_LIMITS,
    ReadLimits,
    Written,
    data_tables,
    sections_of,
    summary_message,
    without_preamble,
    write_summary,
)
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation import Message, leading_system
from pytest_compaction.models import AskedBy, Section, Summary, SummaryPrompt, parsed_prompt

LOW_TRIGGER: Final = 0.4
"""Share of the window below which a trigger may lie under the size of a compacted view.

The original then compacts again and again.
"""
PREAMBLE: Final = "Summary of the conversation up to here:"

NINE_SECTIONS: Final = sections_of("nine")
"""Sections of a coding session that Claude Code and Roo Code ask for, in our own words."""

SIX_SECTIONS: Final = sections_of("six")
"""Sections of a checkpoint that goose and pi ask for, in our own words."""


def scaled(constant: int, product_window: int, context: Context) -> int:
    """A product's constant in tokens, in proportion to the window of the case.

    Products choose constants for the windows of their models (such as 20,000 of
    272,000 tokens). A case with a window of 32,000 tokens stands for a session that
    fills that window, so the constant shrinks with it: at most ``constant``, at least 1.
    """
    return max(1, min(constant, constant * context.window // product_window))


class ProductCompactor(HistoryCompactor):
    """Base of strategies that follow a real product."""

    name: str
    traits: Traits = Traits(needs_model=True)
    sections: tuple[Section, ...]
    preamble: ClassVar[str] = PREAMBLE
    asks: str = ""
    """The file of ``products/prompts`` by which a model is asked; empty where none is."""
    limits: ReadLimits = NO_LIMITS
    drops_calls = False
    """Whether a call may go before its result comes; that result is then left out."""
    attempts = 1
    """How often a model that fails is asked."""
    takes_empty = False
    """Whether an empty reply is taken for the summary."""
    takes_instruction = False
    """Whether the product's own command takes an instruction for the summary."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.also_violates(self.name)

    def prompts(self) -> list[AskedBy]:
        """The prompts by which a model is asked; empty where none is."""
        return [AskedBy(product_prompt(self.asks), self.sections)] if self.asks else []

    def also_violates(self, table: str) -> None:
        """Add to the traits what the original breaks: a table of ``violations.toml``, if any."""
        tables = data_tables("violations")
        known = tables.get(table, {}).items()
        broken = {name: tables["usual"][name] if what is True else what for name, what in known}
        self.traits = replace(self.traits, violations={**self.traits.violations, **broken})

    def observe(self, state: State, new: Sequence[Message], context: Context) -> State:
        """The view with the new messages at its end; see :attr:`drops_calls`."""
        if self.drops_calls:
            new = without_orphans(load(state["messages"]), new)
        return super().observe(state, new, context)

    def due_at(self, context: Context) -> int:
        """Tokens of the view from which on compaction is due."""
        return int(context.window * (self.threshold or 1))

    def due(self, state: State, context: Context) -> str | None:
        """Due when the view reaches :meth:`due_at`."""
        used, limit = context.tokens.messages(load(state["messages"])), self.due_at(context)
        return f"{used} tokens used, {limit} is the limit" if used >= limit else None

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Compact what stands after the system prompt, if there is a reason to."""
        before = load(state["messages"])
        first = leading_system(before)
        if first >= len(before) or not self.is_needed(state, context):
            return unchanged(state)
        return await self.compacted(state, before, first, context)

    async def compacted(
        self, state: State, before: tuple[Message, ...], first: int, context: Context
    ) -> Outcome[State]:
        """The compaction of a view whose system prompt ends at index ``first``."""
        raise NotImplementedError

    async def written(
        self,
        messages: Sequence[Message],
        budget: int,
        context: Context,
        previous: Summary | None = None,
        instructions: str = "",
        sections: tuple[Section, ...] = (),
        prompt: SummaryPrompt | None = None,
    ) -> Written:
        """The summary of messages, whatever the model wrote.

        An earlier summary among them is read without its preamble.
        """
        read = without_preamble(messages, self.preamble)
        asked = sections or self.sections
        for _ in range(self.attempts):
            found = await write_summary(
                context,
                read,
                asked,
                budget,
                previous,
                instructions,
                True,
                self.limits,
                prompt or (product_prompt(self.asks) if self.asks else None),
            )
            if not found.raised:
                break
        return Written() if found.empty and self.takes_empty else found

    def cycle(self, state: State) -> int:
        """The number of this compaction; the first is 1."""
        return int(state.get("cycle", 0)) + 1

    def summary(self, cycle: int, text: str, role: str = "user") -> Message:
        """The message with the summary of a compaction."""
        return summary_message(f"{self.name}-summary-{cycle}", text, self.preamble, role)

    def replaced(
        self,
        state: State,
        before: Sequence[Message],
        head: Sequence[Message],
        written: Written,
        tail: Sequence[Message] = (),
        role: str = "user",
        **noted: Any,
    ) -> Outcome[State]:
        """The outcome with head, summary and tail as the view; ``noted`` goes into the state."""
        if written.error:
            return unchanged(state, written.error)
        cycle = self.cycle(state)
        message = self.summary(cycle, written.text, role)
        after = (*head, message, *tail)
        return rewritten(state, before, after, message.id, cycle=cycle, **noted)


@cache
def product_prompt(name: str) -> SummaryPrompt:
    """The prompt in a file of ``products/prompts``."""
    folder = resources.files("pytest_compaction.compactors.products").joinpath("prompts")
    return parsed_prompt(folder.joinpath(f"{name}.md").read_text("utf-8"))


def tagged(summary: Summary, sections: Sequence[Section], around: str = "") -> str:
    """The summary with a tag around each section, and one around all if it has a name.

    One that is kept as a model wrote it is that text.
    """
    if summary.as_written:
        return summary.as_written
    parts = [
        "\n".join([f"<{s.id}>", *(f"- {entry}" for entry in summary.of(s.id)), f"</{s.id}>"])
        for s in sections
    ]
    return "\n".join([f"<{around}>", *parts, f"</{around}>"] if around else parts)


def tag_tokens(sections: Sequence[Section], context: Context, around: str = "") -> int:
    """Tokens that the tags take beyond the headings that a summary is measured with."""
    headings = "\n".join(f"## {section.title}" for section in sections)
    empty = tagged(Summary(()), sections, around)
    return context.tokens.text(empty) - context.tokens.text(headings)


PLACEHOLDER: Final = "[old tool result cleared]"


@dataclass(frozen=True)
class ToolUseClearing:
    """Clears the results of all but the newest tool uses; call and result stay a pair.

    The parameters are those that Anthropic documents for its edit ``clear_tool_uses_20250919``.
    Claude Code clears old tool output in the same way and keeps the newest five.

    ``keep`` counts the newest tool uses that stay whole; ``trigger`` is in tokens of the product's
    window.
    """

    keep: int = 3
    trigger: int = 100_000

    def due(self, messages: Sequence[Message], window: int, context: Context) -> str | None:
        """Due if the view reaches the trigger and there is something to clear."""
        used = context.tokens.messages(messages)
        limit = scaled(self.trigger, window, context)
        if used < limit or self.cleared(messages, context) == tuple(messages):
            return None
        return f"{used} tokens used, {limit} is the threshold for clearing tool uses"

    def cleared(self, messages: Sequence[Message], context: Context) -> tuple[Message, ...]:
        """The messages with old tool uses cleared; unchanged if that gains nothing.

        Calls made in one message with one that waits for its result are never cleared.
        """
        known = {call.id for message in messages for call in message.calls}
        waiting = {message.id for message in messages[pending_start(messages) :]}
        answers = [m for m in messages for result in m.results if result.call_id in known]
        old = {message.id for message in answers[: max(len(answers) - self.keep, 0)]}
        after = mask_results(messages, old - waiting, PLACEHOLDER)
        gains = context.tokens.messages(after) <= context.tokens.messages(messages)
        return after if gains else tuple(messages)
