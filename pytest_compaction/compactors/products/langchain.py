"""``langchain``: the last 20 messages stay, everything before them becomes one summary.

After the ``SummarizationMiddleware`` of LangChain 1.5.0 (read in the published
package). The part that stays is a number of messages, of tokens or a share of the
window. A cut among tool results moves back to the message that made the calls. The
summariser reads only the last 4,000 tokens of the part that goes, starting with a user
message. If they hold no user message, it is not asked at all, and a sentence that the
conversation was too long takes the place of the summary. If the input is larger than the
window, it is halved: a quarter of that half is from its start, three quarters from its
end. A model that fails is asked three times; then the original raises the error, and here
the view stays as it was. There is no trigger unless one is given.

Adapted: the system prompt, which LangChain keeps elsewhere, stays first. The 4,000
tokens are taken as they are, not in proportion to the window: LangChain names no
window, and the triggers in its documentation are 3,000 to 5,000 tokens, like the
budgets of the shipped cases. Only a user message that does not fit
whole is shortened; the original shortens any message.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.compactors.base.bounds import fitting_input
from pytest_compaction.compactors.base.cuts import cut_before
from pytest_compaction.compactors.base.history import load, unchanged
from pytest_compaction.compactors.base.outcomes import by_summary, nothing_to_summarise
from pytest_compaction.compactors.base.profiles import FAITHFUL, ProductCompactor
from pytest_compaction.compactors.base.repeat_guard import quiet_until_growth, remembers_size
from pytest_compaction.compactors.base.sizes import Clause, Size, parse_clauses, parse_size
from pytest_compaction.compactors.base.summaries import (
    Written,
    summary_message,
    summary_room,
    without_preamble,
    write_summary,
)
from pytest_compaction.compactors.base.tails import newest_within, tail_and_request
from pytest_compaction.compactors.base.violations import AS_WRITTEN, DUE_AGAIN
from pytest_compaction.compactors.parameters import check_whole
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation.messages import Message, Text, leading_system
from pytest_compaction.models.structured_summary import Section

SECTIONS: Final = (
    Section(
        "intent",
        "Session intent",
        "The goal of the whole session: what the user asked for, and on which terms.",
        ("intent",),
        1.0,
    ),
    Section(
        "summary",
        "Summary",
        "Choices, conclusions and their reasons; what was rejected and why; what was learned.",
        ("decisions", "values", "errors", "state"),
        2.0,
    ),
    Section(
        "artifacts",
        "Artifacts",
        "Each file or resource created, changed or used, with what changed in it.",
        ("files",),
        1.0,
    ),
    Section("next", "Next steps", "What is left to do to reach the goal.", ("next",), 0.8),
)
PREAMBLE: Final = "What the conversation was about so far, in a summary:"
TOO_LONG: Final = "The conversation before this point was too long to be summarised."
VIOLATIONS: Final = {
    **AS_WRITTEN,
    "within-budget": "the newest messages stay by their number, whatever they take",
    "never-larger": "a summary longer than what it replaces is used all the same",
    "progress-or-stop": "nothing stops summaries that gain nothing",
}
ATTEMPTS: Final = 3


class LangChain(ProductCompactor):
    """Summarises everything before the newest messages, of which ``keep`` stay.

    ``keep`` is a number of messages, or as in ``3000tokens`` and ``0.3fraction``.
    ``trim`` is the most tokens that the summariser reads, 0 for no limit.
    ``trigger`` says when it is due by itself: one or more conditions such as
    ``50messages``, joined by ``&`` (all of them) and ``|`` (any of them).

    The hardened profile shortens the tail until there is room for the summary, keeps
    the last user message, never goes without a summary, refuses one that is longer
    than the messages that it replaces, and is not due again until a message is added.
    """

    name = "langchain"
    description = "last 20 messages kept; one summary of the 4k tokens before them (LangChain)"
    preamble = PREAMBLE

    def __init__(
        self,
        keep: int | float | str = 20,
        trim: int = 4000,
        trigger: int | float | str = "",
        profile: str = FAITHFUL,
    ) -> None:
        self.keep: Size = parse_size("keep", keep)
        check_whole("trim", trim, 0, unit="tokens (0 for no limit)")
        self.trim = trim
        self.trigger: tuple[Clause, ...] = parse_clauses("trigger", trigger)
        self.set_profile(profile)
        traits = Traits(needs_model=True, keeps_tail=self.hardened)
        again = DUE_AGAIN if self.trigger else {}
        self.set_traits(traits, {**VIOLATIONS, **again})

    @quiet_until_growth
    def due(self, state: State, context: Context) -> str | None:
        """Due when all conditions of a clause of ``trigger`` are met; never without one."""
        messages = load(state["messages"])
        messages = messages[leading_system(messages) :]
        for clause in self.trigger:
            if all(size.reached(messages, context) for size in clause):
                return "the conversation has reached " + " and ".join(map(str, clause))
        return None

    @remembers_size
    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Summarise everything before the cut."""
        before = load(state["messages"])
        if not self.is_needed(state, context):
            return unchanged(state)
        first = leading_system(before)
        start = first + self.cut(before[first:], context)
        request: Message | None = None
        if self.hardened:
            start, request = tail_and_request(before, first, start, context)
        gone = [message for message in before[first:start] if message is not request]
        if not gone:
            return nothing_to_summarise(state, context, self.profile)
        live = (request,) if request else ()
        kept = (*before[:first], *live, *before[start:])
        text = await self._summary(gone, summary_room(kept, context), context)
        if text.error:
            return unchanged(state, text.error)
        cycle = int(state.get("cycle", 0)) + 1
        message = summary_message(f"{self.name}-summary-{cycle}", text.text, self.preamble)
        after = (*before[:first], message, *live, *before[start:])
        return by_summary(state, before, after, message.id, context, self.profile, cycle=cycle)

    def cut(self, messages: Sequence[Message], context: Context) -> int:
        """Index of the first message that stays; 0 when all do."""
        if self.keep.unit == "messages":
            target = len(messages) - int(self.keep.amount)
        else:
            limit = max(self.kept_tokens(context), 1)
            target, left = 0, context.tokens.messages(messages)
            while left > limit and target < len(messages) - 1:
                left -= context.tokens.message(messages[target])
                target += 1
        return cut_before(messages, target) if target > 0 else 0

    def kept_tokens(self, context: Context) -> int:
        """How many tokens stay where ``keep`` is no number of messages."""
        return self.keep.tokens(context)

    async def _summary(self, gone: Sequence[Message], budget: int, context: Context) -> Written:
        """The summary that replaces the messages that go."""
        gone = without_preamble(gone, self.preamble)
        read = trimmed(gone, self.trim, context) if self.trim else gone
        if not read and self.faithful:
            return Written(text=TOO_LONG)
        read = read or gone
        if context.tokens.messages(read) > context.window - budget:
            read = without_middle_part(read, context)
        written = Written(error="the model was not asked")
        for _ in range(ATTEMPTS):
            written = await write_summary(context, read, SECTIONS, budget, as_written=self.faithful)
            if not written.raised:
                break
        return written


def trimmed(messages: Sequence[Message], limit: int, context: Context) -> tuple[Message, ...]:
    """The end of the messages within ``limit`` tokens, from a user message on; may be empty.

    The user message before the part that fits is shortened to its last lines.
    """
    start, left = len(messages), limit
    while start and context.tokens.message(messages[start - 1]) <= left:
        start -= 1
        left -= context.tokens.message(messages[start])
    opening: tuple[Message, ...] = ()
    if start and messages[start - 1].role == "user":
        opening = _last_lines(messages[start - 1], left, context)
    if opening:
        return (*opening, *messages[start:])
    while start < len(messages) and messages[start].role != "user":
        start += 1
    return tuple(messages[start:])


def _last_lines(message: Message, limit: int, context: Context) -> tuple[Message, ...]:
    lines = message.text.splitlines()
    while lines:
        del lines[0]
        short = replace(message, parts=(Text("\n".join(lines)),))
        if lines and context.tokens.message(short) <= limit:
            return (short,)
    return ()


def without_middle_part(messages: Sequence[Message], context: Context) -> tuple[Message, ...]:
    """The retry of an input that was too long: half of it, at most 40 % of the window.

    A quarter of that is from the start, three quarters from the end; messages that do
    not fit whole are shortened.
    """
    limit = min(context.tokens.messages(messages) // 2, context.window * 2 // 5)
    head: list[Message] = []
    left = limit // 4
    for message in messages:
        left -= context.tokens.message(message)
        if left < 0:
            break
        head.append(message)
    rest = messages[len(head) :]
    tail = newest_within(rest, limit - limit // 4, context.tokens)
    return (*head, *tail) if head or tail else fitting_input(messages, limit, context.tokens)


STRATEGY: Final = LangChain
