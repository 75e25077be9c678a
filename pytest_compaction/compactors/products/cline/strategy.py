"""``cline``: drop the middle, or condense everything, or summarise the older part.

After Cline (public source), which has had three ways, chosen by ``mode``.

``classic`` (3.30, the default): at the limit of the window (64,000 less 27,000, 128,000
less 30,000, 200,000 less 40,000 tokens, else the larger of the window less 40,000
and four fifths of it) repeated reads of a file give way to a note, all but the
latest. If that saves 30 % of the characters, it is enough. Otherwise the first pair
of request and answer stays, and of the rest an even number of messages is removed
from its old end: half, or three quarters if half of the tokens would still be too
many. A notice takes the place of the text of the first answer.

``auto-condense``: at the same limit the model writes a summary in nine sections, and
all but the first pair is dropped. The first request is cut at 400,000 characters.

``agentic`` (4.x): at 90 % of the usable input the newest 20,000 tokens stay, back to
the beginning of a turn, the last turn of the user always whole. The previous summary
and the new messages become the new summary, of at most 4,096 tokens; its list of files is
collected from the tool calls. An empty summary leaves the history as it was.

Adapted: tool results are the user's in the original, so one of its messages is here
everything that one side says in a row; results never lose their call. A repeated read
is one with the same arguments. After a compaction was asked for, the budget takes the
place of the original's limit of the window. The tokens of
``agentic`` are in proportion to the case's window (the product's window is taken to be 200,000),
its usable input is 90 % of the window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from pytest_compaction.compactors.base.duplicate_reads import without_duplicate_reads
from pytest_compaction.compactors.base.history import load, unchanged
from pytest_compaction.compactors.base.masking import where_smaller
from pytest_compaction.compactors.base.outcomes import by_rule, by_summary, nothing_to_summarise
from pytest_compaction.compactors.base.profiles import FAITHFUL, ProductCompactor, scaled
from pytest_compaction.compactors.base.summaries import (
    summary_message,
    summary_room,
    without_preamble,
    write_summary,
)
from pytest_compaction.compactors.base.tails import tail_and_request
from pytest_compaction.compactors.base.violations import AS_WRITTEN
from pytest_compaction.compactors.base.windows import fitted
from pytest_compaction.compactors.products.cline.modes import (
    allowed,
    files_section,
    first_pair_end,
    merged_files,
    removed,
    touched_files,
    turn_cut,
    with_notice,
)
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation.messages import (
    Message,
    Text,
    leading_system,
    pending_calls,
    readable,
)
from pytest_compaction.models.structured_summary import Section, summary_from_json

CONDENSE_SECTIONS: Final = (
    Section(
        "primary_request", "Primary request and intent", "All that the user asked for.", ("intent",)
    ),
    Section("concepts", "Key technical concepts", "Technologies and conventions in play.", (), 0.2),
    Section(
        "files",
        "Files and code",
        "Files looked at, changed or created, with what matters in them.",
        ("files",),
        1.2,
    ),
    Section(
        "problems", "Problem solving", "Errors met, and how they were solved.", ("errors",), 0.8
    ),
    Section("pending", "Pending tasks", "What was asked for and is not done yet.", ("next",), 0.6),
    Section(
        "evolution",
        "Task evolution",
        "How the request changed on the way, and what was decided.",
        ("decisions",),
        1.0,
    ),
    Section("current", "Current work", "What was being done last.", ("state",), 0.6),
    Section("next", "Next step", "The step that follows, in line with the request.", (), 0.2),
    Section(
        "required_files",
        "Required files",
        "Files and values that are needed to go on.",
        ("values",),
        0.8,
    ),
)
AGENTIC_SECTIONS: Final = (
    Section("goal", "Goal", "What is built or mended, in one sentence.", ("intent",), 1.0),
    Section("state", "State", "Done, in progress, blocked.", ("state", "errors"), 1.0),
    Section(
        "highlights",
        "Highlights",
        "Choices and findings that matter.",
        ("decisions", "values"),
        1.5,
    ),
    Section("next", "Next", "The immediate next steps.", ("next",), 0.6),
)
CONDENSED: Final = (
    "The conversation after the first answer was condensed to save space. This is what happened:"
)
AGENTIC: Final = "Summary of the conversation before the messages that follow:"
READ_AGAIN: Final = "[{path} was read again further down; see there]"
SUMMARY_ID: Final = "cline-summary"
PRODUCT_WINDOW: Final = 200_000
PRESERVED: Final = 20_000
SUMMARY_TOKENS: Final = 4_096
USABLE: Final = 0.9
ENOUGH_SAVED: Final = 0.3
FIRST_REQUEST_CHARACTERS: Final = 400_000
VIOLATIONS: Final = {
    "classic": {
        "within-budget": "one step removes half or three quarters, whatever is left then",
        "never-larger": "the notice may be longer than what was removed",
        "progress-or-stop": "nothing checks whether a step gained anything: one small step follows "
        "on another until too little is left to remove",
    },
    "auto-condense": {
        **AS_WRITTEN,
        "within-budget": "the first pair stays whatever it takes",
        "never-larger": "a summary longer than what it replaces is used all the same",
        "progress-or-stop": "nothing stops summaries that gain nothing",
    },
    "agentic": {
        **AS_WRITTEN,
        "within-budget": "the last turn of the user stays whole, and without a turn to cut at "
        "nothing is summarised",
        "never-larger": "a summary longer than what it replaces is used all the same",
    },
}


class Cline(ProductCompactor):
    """Cline's ways to shrink a history; ``mode`` is classic, auto-condense or agentic.

    The hardened profile brings the view within the budget (``classic`` by dropping the
    oldest groups, the others by a shorter tail and without the first answer), keeps
    the last user message, and refuses a view that did not get smaller.
    """

    name = "cline"
    description = "first pair kept, half of the rest removed; or a summary by mode= (Cline)"

    def __init__(self, mode: str = "classic", profile: str = FAITHFUL) -> None:
        if mode not in tuple(VIOLATIONS):
            raise ValueError(f"mode={mode} must be one of {', '.join(VIOLATIONS)}")
        self.mode = mode
        self.set_profile(profile)
        keeps = mode == "agentic" or (self.hardened and mode != "classic")
        traits = Traits(needs_model=mode != "classic", keeps_tail=keeps)
        self.set_traits(traits, VIOLATIONS[mode])

    def due(self, state: State, context: Context) -> str | None:
        """Due at the limit that the mode sets for the window."""
        used = context.tokens.messages(load(state["messages"]))
        limit = allowed(context.window)
        if self.mode == "agentic":
            limit = int(context.window * USABLE * USABLE)
        return f"{used} tokens used, {limit} allowed" if used >= limit else None

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Shrink the history in the way of the mode."""
        before = load(state["messages"])
        if not self.is_needed(state, context):
            return unchanged(state)
        if self.mode == "classic":
            return by_rule(state, before, self._shortened(before, context))
        if self.mode == "auto-condense":
            return await self._condensed(state, before, context)
        return await self._summarised(state, before, context)

    def _shortened(
        self, before: tuple[Message, ...], context: Context
    ) -> tuple[Message, ...] | None:
        """The messages without repeated reads and, if that saves too little, without the middle."""
        noted = without_duplicate_reads(before, READ_AGAIN)
        after = where_smaller(before, noted, context.tokens)
        was, now = (sum(len(readable(m)) for m in messages) for messages in (before, after))
        if was - now < ENOUGH_SAVED * was:
            quarter = context.tokens.messages(before) / 2 > context.budget
            begin, end = removed(after, quarter)
            if begin < end:
                after = (*with_notice(after[:begin]), *after[end:])
        return fitted(after, context) if self.hardened else after

    async def _condensed(
        self, state: State, before: tuple[Message, ...], context: Context
    ) -> Outcome[State]:
        """The first pair and a summary of everything."""
        if pending_calls(before) and self.faithful:
            return unchanged(state, "a tool call is still without result; nothing was condensed")
        head, end = first_pair_end(before), len(before)
        request: Message | None = None
        if self.hardened:
            head = leading_system(before)
            opening = context.tokens.messages(before[: head + 1])
            if before[head:] and _is_request(before[head]) and opening * 4 <= context.budget:
                head += 1
            end, request = tail_and_request(before, head, end, context)
        gone = [message for message in before[head:end] if message is not request]
        if not gone:
            return nothing_to_summarise(state, context, self.profile)
        first = _with_short_request(before[:head])
        kept = (*((request,) if request else ()), *before[end:])
        budget = summary_room((*first, *kept), context)
        read = without_preamble(gone, CONDENSED)
        written = await write_summary(
            context, read, CONDENSE_SECTIONS, budget, as_written=self.faithful
        )
        if written.error:
            return unchanged(state, written.error)
        cycle = int(state.get("cycle", 0)) + 1
        message = summary_message(f"{SUMMARY_ID}-{cycle}", written.text, CONDENSED)
        after = (*first, message, *kept)
        return by_summary(state, before, after, message.id, context, self.profile, cycle=cycle)

    async def _summarised(
        self, state: State, before: tuple[Message, ...], context: Context
    ) -> Outcome[State]:
        """The previous summary and the new span in one, and the newest turns."""
        first = leading_system(before)
        preserved = scaled(PRESERVED, PRODUCT_WINDOW, context)
        cut = first + turn_cut(before[first:], preserved, context)
        request: Message | None = None
        if self.hardened:
            cut, request = tail_and_request(before, first, cut, context)
        own = [message for message in before[first:cut] if message.origin == "log"]
        new = [message for message in own if message is not request]
        if not new:
            return nothing_to_summarise(state, context, self.profile)
        kept = (*before[:first], *((request,) if request else ()), *before[cut:])
        files = merged_files(state.get("files", {}), touched_files(new))
        limit = min(summary_room(kept, context), scaled(SUMMARY_TOKENS, PRODUCT_WINDOW, context))
        listed = files_section(files, limit // 2, context)
        budget = limit - context.tokens.text(listed)
        previous = summary_from_json(state["summary"]) if "summary" in state else None
        written = await write_summary(
            context,
            new,
            AGENTIC_SECTIONS,
            budget,
            previous,
            as_written=self.faithful,
        )
        if written.error:
            return unchanged(state, written.error)
        message = summary_message(SUMMARY_ID, f"{written.text}\n\n{listed}".strip(), AGENTIC)
        after = (*kept[:first], message, *kept[first:])
        noted: dict[str, Any] = {"summary": written.summary.as_json(), "files": files}
        return by_summary(
            state, before, after, SUMMARY_ID, context, self.profile, growth=True, **noted
        )


def _is_request(message: Message) -> bool:
    return message.role == "user" and message.origin == "log"


def _with_short_request(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages with texts of the user cut at 400,000 characters."""
    return tuple(
        replace(
            message,
            parts=tuple(
                Text(part.text[:FIRST_REQUEST_CHARACTERS]) if isinstance(part, Text) else part
                for part in message.parts
            ),
        )
        if message.role == "user"
        else message
        for message in messages
    )


STRATEGY: Final = Cline
