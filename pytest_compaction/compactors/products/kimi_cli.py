"""``kimi-cli``: a summary in six tagged sections, and the last two messages.

After the compaction of Kimi CLI (public source, Apache-2.0, commit 4a550eff). It is due at 85 %
of the window, or when fewer than 50,000 tokens of it are left. The last two messages of user or
assistant stay, with the tool results after them. All before becomes one user message: a line
that the context was compacted, and the summary in six tagged sections. The summariser reads texts
and tool results; what tools were called, and with which arguments, it is not shown. A model that
fails is asked three times.

Kept in the faithful profile: the two messages stay whatever they take, the last user message
may be summarised, and an empty reply is taken for the summary.

Adapted: the 50,000 tokens are in proportion to the case's window (the product's is 262,144). The
list of running background tasks, which the original adds, is not in a log.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.compactors.base.history import load, unchanged
from pytest_compaction.compactors.base.outcomes import by_summary, nothing_to_summarise
from pytest_compaction.compactors.base.profiles import FAITHFUL, ProductCompactor, scaled
from pytest_compaction.compactors.base.repeat_guard import quiet_until_growth, remembers_size
from pytest_compaction.compactors.base.summaries import (
    Written,
    summary_message,
    summary_room,
    without_preamble,
    write_summary,
)
from pytest_compaction.compactors.base.tails import tail_and_request
from pytest_compaction.compactors.base.violations import AS_WRITTEN, LOW_TRIGGER, SET_OFF_AGAIN
from pytest_compaction.compactors.parameters import check_choice, check_share, check_whole
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation.messages import Message, Text, ToolResult, leading_system
from pytest_compaction.models.structured_summary import Section

PRODUCT_WINDOW: Final = 262_144
ATTEMPTS: Final = 3
SECTIONS: Final = (
    Section(
        "current_focus",
        "current_focus",
        "What is being worked on right now, and what for.",
        ("intent", "state"),
        1.2,
    ),
    Section(
        "environment",
        "environment",
        "Setup, configuration and structure that the work depends on.",
        ("values",),
        0.8,
    ),
    Section(
        "completed_tasks", "completed_tasks", "Tasks that are done, each with its outcome.", (), 0.3
    ),
    Section(
        "active_issues",
        "active_issues",
        "Open problems with their exact errors, and the next step for each.",
        ("errors", "next"),
        1.0,
    ),
    Section(
        "code_state",
        "code_state",
        "Each file that matters: what it is for, its main parts, and its latest form.",
        ("files",),
        1.0,
    ),
    Section(
        "important_context",
        "important_context",
        "Decisions with their reasons, and anything else that is needed.",
        ("decisions",),
        1.0,
    ),
)
PREAMBLE: Final = "The context up to here was compacted. What it held:"
VIOLATIONS: Final = {
    **AS_WRITTEN,
    "within-budget": "the last two messages stay whatever they take",
    "summary-not-empty": "an empty reply is taken for the summary",
    "never-larger": "the view is not compared with what it replaces",
    "progress-or-stop": "nothing stops summaries that gain nothing",
}


class KimiCli(ProductCompactor):
    """Summarises everything before the last ``keep`` messages of user and assistant.

    ``threshold`` is the share of the window at which it is due, ``reserve`` how many tokens of
    a 262,144-token window are to stay free. With ``calls`` the summariser reads tool calls too.

    The hardened profile shortens what stays until there is room for the summary, keeps the last
    user message, and refuses an empty summary and a view that is over the budget or did not
    get smaller.
    """

    name = "kimi-cli"
    description = "last two messages kept; six tagged sections written without tool calls (Kimi)"

    def __init__(
        self,
        keep: int = 2,
        threshold: float = 0.85,
        reserve: int = 50_000,
        calls: bool = False,
        profile: str = FAITHFUL,
    ) -> None:
        check_whole("keep", keep, 1)
        check_share("threshold", threshold, whole=True)
        check_whole("reserve", reserve, 0)
        check_choice("calls", calls, (False, True))
        self.keep = keep
        self.threshold = threshold
        self.reserve = reserve
        self.calls = calls
        self.set_profile(profile)
        low = min(threshold, 1 - reserve / PRODUCT_WINDOW) < LOW_TRIGGER
        traits = Traits(needs_model=True, keeps_tail=self.hardened)
        self.set_traits(traits, {**VIOLATIONS, **(SET_OFF_AGAIN if low else {})})

    @quiet_until_growth
    def due(self, state: State, context: Context) -> str | None:
        """Due at the threshold, or when no more than the reserve is left."""
        used = context.tokens.messages(load(state["messages"]))
        reserve = scaled(self.reserve, PRODUCT_WINDOW, context) if self.reserve else 0
        limit = min(context.window * self.threshold, context.window - reserve)
        return f"{used} of {context.window} tokens used" if used >= limit else None

    @remembers_size
    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Summarise everything before the last messages."""
        if not self.is_needed(state, context):
            return unchanged(state)
        before = load(state["messages"])
        first = leading_system(before)
        start = first + kept_from(before[first:], self.keep)
        request: Message | None = None
        if self.hardened:
            start, request = tail_and_request(before, first, start, context)
        gone = [message for message in before[first:start] if message is not request]
        if not gone:
            return nothing_to_summarise(state, context, self.profile)
        live = (request,) if request else ()
        room = summary_room((*before[:first], *live, *before[start:]), context)
        room -= context.tokens.text(tagged(Written())) - context.tokens.text(_headings())
        written = await self._asked(without_preamble(gone, PREAMBLE), room, context)
        if written.error:
            return unchanged(state, written.error)
        cycle = int(state.get("cycle", 0)) + 1
        message = summary_message(f"kimi-cli-summary-{cycle}", tagged(written), PREAMBLE)
        after = (*before[:first], message, *live, *before[start:])
        return by_summary(state, before, after, message.id, context, self.profile, cycle=cycle)

    async def _asked(self, messages: Sequence[Message], room: int, context: Context) -> Written:
        """The summary of what may be read of the messages."""
        shown = tuple(messages) if self.calls else said_and_returned(messages)
        written = Written(error="the model was not asked")
        for _ in range(ATTEMPTS):
            written = await write_summary(
                context, shown or messages, SECTIONS, room, as_written=self.faithful
            )
            if not written.raised:
                break
        return Written() if written.empty and self.faithful else written


def kept_from(messages: Sequence[Message], count: int) -> int:
    """Index of the first of the last ``count`` messages of user and assistant; 0 if fewer."""
    own = [i for i, message in enumerate(messages) if message.role in {"user", "assistant"}]
    return own[-count] if len(own) >= count else 0


def said_and_returned(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages with texts and results alone; those that have neither are left out."""
    shown = (
        replace(m, parts=tuple(part for part in m.parts if isinstance(part, Text | ToolResult)))
        for m in messages
    )
    return tuple(message for message in shown if message.parts)


def tagged(written: Written) -> str:
    """The summary with a tag around each section."""
    parts = []
    for section in SECTIONS:
        entries = "".join(f"- {entry}\n" for entry in written.summary.of(section.id))
        parts.append(f"<{section.id}>\n{entries}</{section.id}>")
    return "\n".join(parts)


def _headings() -> str:
    return "\n".join(f"## {section.title}" for section in SECTIONS)


STRATEGY: Final = KimiCli
