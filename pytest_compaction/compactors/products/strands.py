"""``strands``: the oldest 30 % of the messages become a summary, again and again until it fits.

After the summarizing conversation manager of Strands Agents (public source, Apache-2.0, commit
1232230d). It acts when a request overflows, and before that only if told to (``threshold=0.7`` is
what the original takes then). The oldest 30 % of the messages, an earlier summary among them, but
never one of the newest ten, become one summary of bullet points in the third person, a
user message. The cut moves forward past tool results, and past a call whose result does not follow
it. If the request still overflows, the next 30 % follow, until all but ten messages are summarised.

Kept in the faithful profile: the newest ten messages stay whatever they take, an empty reply is
taken for the summary, and the last user message goes if it lies before the ten.

Adapted: whether a request overflows is counted against the budget. Where a round would
replace one message by one summary, the original goes on for ever; here the rounds end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_compaction.compactors.base.history import load, unchanged
from pytest_compaction.compactors.base.outcomes import by_summary
from pytest_compaction.compactors.base.profiles import FAITHFUL, ProductCompactor
from pytest_compaction.compactors.base.repeat_guard import quiet_until_growth, remembers_size
from pytest_compaction.compactors.base.summaries import (
    Written,
    summary_message,
    summary_room,
    without_preamble,
    write_summary,
)
from pytest_compaction.compactors.base.tails import tail_and_request
from pytest_compaction.compactors.base.violations import AS_WRITTEN, DUE_AGAIN, LOW_TRIGGER
from pytest_compaction.compactors.parameters import check_whole
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation.messages import Message, leading_system
from pytest_compaction.models.structured_summary import Section

SECTIONS: Final = (
    Section(
        "conversation",
        "Conversation summary",
        "Topics and questions, each with its key information, in the third person.",
        ("intent", "next"),
        1.2,
    ),
    Section(
        "tools",
        "Tools executed",
        "Every tool run that mattered, and what it gave.",
        ("files", "state", "errors"),
        1.2,
    ),
    Section(
        "technical",
        "Code and technical information",
        "Code, values and names that were shared.",
        ("values",),
        0.8,
    ),
    Section("insights", "Key insights", "What was learned and decided.", ("decisions",), 0.8),
)
PREAMBLE: Final = "Summary of the conversation before these messages:"
TOO_FEW: Final = "too few messages to summarise: all are among the newest, which stay"
VIOLATIONS: Final = {
    **AS_WRITTEN,
    "within-budget": "the newest ten messages stay whatever they take",
    "summary-not-empty": "an empty reply is taken for the summary",
    "never-larger": "the view is not compared with what it replaces",
}


class Strands(ProductCompactor):
    """Summarises the oldest messages, a share of them at a time.

    ``ratio`` is that share, 0.1 to 0.8, ``keep`` how many of the newest always stay, and
    ``threshold`` the share of the window at which it is due by itself, 0 for never.

    The hardened profile takes as many as it must at once, keeps the last user message, shortens
    what stays until there is room for the summary, and refuses an empty summary and a view that
    is over the budget or did not get smaller.
    """

    name = "strands"
    description = "the oldest 30 % summarised until it fits, ten messages kept (Strands Agents)"

    def __init__(
        self,
        ratio: float = 0.3,
        keep: int = 10,
        threshold: float = 0,
        profile: str = FAITHFUL,
    ) -> None:
        for key, value, least, most in (("ratio", ratio, 0.1, 0.8), ("threshold", threshold, 0, 1)):
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not least <= value <= most:
                raise ValueError(f"{key}={value} must be a number from {least} to {most}")
        check_whole("keep", keep, 0)
        self.ratio = ratio
        self.keep = keep
        self.threshold = threshold
        self.set_profile(profile)
        again = DUE_AGAIN if 0 < threshold < LOW_TRIGGER else {}
        traits = Traits(needs_model=True, keeps_tail=self.hardened)
        self.set_traits(traits, {**VIOLATIONS, **again})

    @quiet_until_growth
    def due(self, state: State, context: Context) -> str | None:
        """Due at the threshold if one is set."""
        used = context.tokens.messages(load(state["messages"]))
        if not self.threshold or used < context.window * self.threshold:
            return None
        return f"{used} of {context.window} tokens used"

    @remembers_size
    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Summarise the oldest messages until the view fits or too few are left."""
        if not self.is_needed(state, context):
            return unchanged(state)
        before = load(state["messages"])
        cycle = int(state.get("cycle", 0)) + 1
        after, id, error = before, "", None
        while not id or (self.faithful and context.tokens.messages(after) > context.budget):
            round_id = f"strands-summary-{cycle}"
            replaced, error = await self._round(after, round_id, context)
            if replaced is None or len(replaced) >= len(after):
                break
            after, id = replaced, round_id
            cycle += 1
        if not id:
            few = context.tokens.messages(before) > context.budget
            return unchanged(state, error or (TOO_FEW if few else None))
        return by_summary(state, before, after, id, context, self.profile, cycle=cycle - 1)

    async def _round(
        self, messages: tuple[Message, ...], id: str, context: Context
    ) -> tuple[tuple[Message, ...] | None, str | None]:
        """The view after the oldest messages gave way to a summary; or why they did not."""
        first = leading_system(messages)
        start = first + self.oldest(messages[first:])
        request: Message | None = None
        if self.hardened:
            start, request = tail_and_request(messages, first, start, context)
        gone = [message for message in messages[first:start] if message is not request]
        if not gone:
            return None, None
        kept = (*((request,) if request else ()), *messages[start:])
        room = summary_room((*messages[:first], *kept), context)
        written = await self._asked(without_preamble(gone, PREAMBLE), room, context)
        if written.error:
            return None, written.error
        summary = summary_message(id, written.text, PREAMBLE)
        return (*messages[:first], summary, *kept), None

    async def _asked(self, messages: Sequence[Message], room: int, context: Context) -> Written:
        written = await write_summary(context, messages, SECTIONS, room, as_written=self.faithful)
        return Written() if written.empty and self.faithful else written

    def oldest(self, messages: Sequence[Message]) -> int:
        """How many messages the next round summarises; 0 if the newest ones are all there is."""
        count = min(max(int(len(messages) * self.ratio), 1), len(messages) - self.keep)
        if count <= 0:
            return 0
        while count < len(messages) and _cannot_begin(messages, count):
            count += 1
        return count if count < len(messages) else 0


def _cannot_begin(messages: Sequence[Message], index: int) -> bool:
    """Whether what stays cannot begin here: at a result, or at a call without one right after."""
    if messages[index].results:
        return True
    following = messages[index + 1 : index + 2]
    return bool(messages[index].calls and following and not following[0].results)


STRATEGY: Final = Strands
