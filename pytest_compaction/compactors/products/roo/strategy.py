"""``roo``: a summary before the last three messages, a sliding window if that fails.

Follows Roo Code (public source). ``version=1`` is v3.25.8: everything but the last three
messages (from the earlier summary on) is summarised; the summary is an assistant
message before the three, and a line in the user's name stands in front because some
providers want a user message first. The first message of the user is not kept. It
refuses if at most one message is to be summarised, a summary is among the last three,
the model writes nothing, or the result would not be smaller. Then, as if condensing were
off, half of the messages after the first one are dropped, an even number,
once. A model that cannot be reached leaves everything as it was.

``version=2`` is the fresh start of 2026: everything becomes one user message with the
summary, the ``<command>`` blocks of the first message word for word, and the
definitions in the files that were seen (50,000 characters; a file is cut if at least 200
are left for it). The summariser reads calls without result as cancelled, and they are
gone afterwards (their results are left out when they come). Nothing checks whether the
view got smaller. A failure leads to the same sliding window, with a note of how much is
hidden.

Kept in the faithful profile: the kept three and the sliding window may leave more than
the budget. The hardened profile keeps fewer than three if they do not fit, keeps
the last user message, waits for open calls (version 2), and drops until it fits.

Adapted: a cut never separates a call from its result, so that a few more than three may
be kept; constants in tokens and characters are in proportion to the case's window (the
product's is taken to be 200,000); beside a tail that takes the budget the summary gets a
quarter of it; files are as the log shows them and take at most a quarter of the room.
Environment details come from a running editor and are not there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.compactors.base.cuts import cut_before, pending_start, without_orphans
from pytest_compaction.compactors.base.file_contents import followed
from pytest_compaction.compactors.base.history import dump, load, spans_between, unchanged
from pytest_compaction.compactors.base.nine_sections import SECTIONS as NINE_SECTIONS
from pytest_compaction.compactors.base.outcomes import by_rule
from pytest_compaction.compactors.base.profiles import FAITHFUL, ProductCompactor, scaled
from pytest_compaction.compactors.base.repeat_guard import quiet_until_growth, remembers_size
from pytest_compaction.compactors.base.summaries import (
    SUMMARY_OVERHEAD,
    summary_message,
    summary_room,
    without_preamble,
    write_summary,
)
from pytest_compaction.compactors.base.tails import live_request, tail_and_request
from pytest_compaction.compactors.base.violations import AS_WRITTEN, DUE_AGAIN, LOW_TRIGGER
from pytest_compaction.compactors.base.windows import fitted
from pytest_compaction.compactors.parameters import check_choice, check_whole
from pytest_compaction.compactors.products.roo.fresh_start import (
    PRODUCT_WINDOW,
    blocks_of,
    cancelled,
    commands_in,
)
from pytest_compaction.compactors.products.roo.sliding_window import half_dropped
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation.messages import (
    Message,
    Text,
    leading_system,
    pending_calls,
    text_message,
)
from pytest_compaction.models.structured_summary import Section

SECTIONS: Final = (
    Section(
        "previous",
        "Previous conversation",
        "How the conversation went from the start, so that it can be followed.",
        ("intent",),
        1.0,
    ),
    Section(
        "current",
        "Current work",
        "What was being worked on last, in detail.",
        ("state",),
        0.7,
    ),
    Section(
        "concepts",
        "Key technical concepts",
        "Technologies, conventions, frameworks and values that matter to the work.",
        ("values",),
        0.8,
    ),
    Section(
        "files",
        "Relevant files and code",
        "Files looked at, changed or created, and what matters in them.",
        ("files",),
        1.0,
    ),
    Section(
        "solving",
        "Problem solving",
        "Problems with their exact errors, what solved them, and what was decided.",
        ("errors", "decisions"),
        1.4,
    ),
    Section(
        "pending",
        "Pending tasks and next steps",
        "What was asked for and is open, with quotations that show where the work stopped.",
        ("next",),
        0.7,
    ),
)
OPENING_ID: Final = "roo-opening"
OPENING: Final = "Go on from the summary of the conversation that follows."
PREAMBLE: Final = "Summary of the conversation up to here:"
_FOLLOWED_FILES: Final = 50

VIOLATIONS: Final = {
    1: {
        **AS_WRITTEN,
        "turns-alternate": "where condensing fails, the first message and one that came much later "
        "are left side by side",
        "within-budget": "the last three messages stay whatever they take; half is dropped once",
        "progress-or-stop": "a view that is smaller by one token is taken, each time anew",
    },
    2: {
        **AS_WRITTEN,
        "pending-call-kept": "everything is summarised, an open call with it",
        "within-budget": "where condensing fails, half is dropped once",
        "progress-or-stop": "nothing checks whether condensing once more is of use",
    },
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing was condensed; ``final`` if nothing else is tried either."""

    error: str
    final: bool = False


class Roo(ProductCompactor):
    """Condenses all but the last ``keep`` messages (version 1), or everything (version 2).

    ``threshold`` is the share of the window in percent at which it is due (5 to 100, -1 for the
    default), ``max_output`` the limit of a reply, in tokens of a 200,000-token window.
    """

    name = "roo"
    description = "Roo Code: summary before the last three messages, or of all (version=2)"

    def __init__(
        self,
        version: int = 1,
        keep: int = 3,
        threshold: int = 100,
        max_output: int = 8192,
        profile: str = FAITHFUL,
    ) -> None:
        check_choice("version", version, (1, 2))
        check_whole("keep", keep, 1)
        if threshold != -1:
            check_whole("threshold", threshold, 5, 100)
        check_whole("max_output", max_output, 1, PRODUCT_WINDOW * 9 // 10 - 1)
        self.version = version
        self.keep = keep
        self.percent = 100 if threshold == -1 else threshold
        self.max_output = max_output
        self.set_profile(profile)
        traits = Traits(needs_model=True, keeps_tail=self.hardened)
        again = DUE_AGAIN if self.percent < 100 * LOW_TRIGGER else {}
        self.set_traits(traits, {**VIOLATIONS[version], **again})

    def observe(self, state: State, new: Sequence[Message], context: Context) -> State:
        """Add messages; version 2 also follows what the calls do to files."""
        before = load(state["messages"])
        answered = without_orphans(before, new)
        observed = super().observe(state, answered, context)
        if self.version == 1:
            return observed
        recent = (*before[pending_start(before) :], *answered)
        return {**observed, "files": followed(state.get("files", {}), recent, _FOLLOWED_FILES)}

    @quiet_until_growth
    def due(self, state: State, context: Context) -> str | None:
        """Due at the threshold, or at the window minus a tenth and minus the reply."""
        used = context.tokens.messages(load(state["messages"]))
        allowed = context.window * 9 // 10 - scaled(self.max_output, PRODUCT_WINDOW, context)
        if used > allowed:
            return f"{used} tokens used, {allowed} are allowed"
        if 100 * used >= self.percent * context.window:
            return f"{used} of {context.window} tokens used, the threshold is {self.percent} %"
        return None

    @remembers_size
    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Condense; if that is refused, drop the older half after the first message."""
        if not self.is_needed(state, context):
            return unchanged(state)
        before = load(state["messages"])
        condense = self._tail_kept if self.version == 1 else self._fresh_start
        outcome = await condense(state, before, context)
        if isinstance(outcome, Outcome):
            return outcome
        if outcome.final:
            return unchanged(state, outcome.error)
        if self.hardened:
            return self._dropped_to_fit(state, before, outcome.error, context)
        return half_dropped(state, before, outcome.error, context, noted=self.version == 2)

    async def _tail_kept(
        self, state: State, before: Sequence[Message], context: Context
    ) -> Outcome[State] | Refusal:
        """Version 1: a summary, and the last messages as they are."""
        first = leading_system(before)
        cut = max(cut_before(before, max(len(before) - self.keep, 0)), first)
        live = None
        if self.hardened:
            cut, live = tail_and_request(before, first, cut, context)
        if any(message.id.startswith("roo-summary") for message in before[cut:]):
            return Refusal("the conversation was condensed a moment ago")
        if cut - first <= 1:
            return Refusal("there are not enough messages to condense")
        request = (live,) if live else ()
        kept = (*before[:first], *request, *before[cut:])
        conversation = without_preamble(before[first:cut], PREAMBLE)
        size = summary_room(kept, context, 0 if self.hardened else 0.25)
        faithful = self.faithful
        written = await write_summary(context, conversation, SECTIONS, size, as_written=faithful)
        if written.error:
            return Refusal(written.error, final=written.raised)
        cycle = int(state.get("cycle", 0)) + 1
        id = f"roo-summary-{cycle}"
        if self.hardened:
            summary: tuple[Message, ...] = (summary_message(id, written.text, PREAMBLE),)
        else:
            opening = text_message(OPENING_ID, "user", OPENING, "synthetic")
            summary = (opening, summary_message(id, written.text, PREAMBLE, "assistant"))
        after = (*before[:first], *summary, *request, *before[cut:])
        if context.tokens.messages(after) >= context.tokens.messages(before):
            return Refusal("the context would have grown")
        new: State = {"messages": dump(after), "cycle": cycle}
        return Outcome(new, "compacted", spans_between(before, after, id))

    async def _fresh_start(
        self, state: State, before: Sequence[Message], context: Context
    ) -> Outcome[State] | Refusal:
        """Version 2: one user message with summary, commands and folded files."""
        first = leading_system(before)
        waiting = pending_calls(before)
        if self.hardened and waiting:
            return Refusal("a tool call is still without result; nothing was summarised", True)
        if first >= len(before):
            return Refusal("there is nothing to condense")
        room = context.budget - context.tokens.messages(before[:first]) - SUMMARY_OVERHEAD
        live = live_request(before, context) if self.hardened else None
        room -= context.tokens.message(live) if live else 0
        commands = state.get("commands", commands_in(before[first]))
        blocks = blocks_of(commands, state["files"], room, context)
        room -= sum(context.tokens.text(block) for block in blocks)
        conversation = (*without_preamble(before[first:], PREAMBLE), *cancelled(waiting))
        faithful = self.faithful
        written = await write_summary(
            context, conversation, NINE_SECTIONS, room, as_written=faithful
        )
        if written.error:
            return Refusal(written.error)
        cycle = int(state.get("cycle", 0)) + 1
        texts = (f"{PREAMBLE}\n\n{written.text}", *blocks)
        id = f"roo-summary-{cycle}"
        message = Message(id, "user", tuple(map(Text, texts)), "synthetic")
        after = (*before[:first], message, *((live,) if live else ()))
        larger = context.tokens.messages(after) >= context.tokens.messages(before)
        if larger and self.hardened:
            return Refusal("the context would have grown")
        new = {**state, "messages": dump(after), "cycle": cycle, "commands": commands}
        return Outcome(new, "compacted", spans_between(before, after, id))

    def _dropped_to_fit(
        self, state: State, before: Sequence[Message], error: str, context: Context
    ) -> Outcome[State]:
        """The newest part that fits the budget, with the last user message."""
        after = fitted(before, context)
        if after == tuple(before):
            return unchanged(state, error)
        return by_rule(state, before, after)


STRATEGY: Final = Roo
