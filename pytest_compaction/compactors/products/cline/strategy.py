"""``cline``: summarise the older part, or drop it by rule, in one of four ways.

After Cline (public source), which has had four ways, chosen by ``mode``.

``classic`` (3.30): at the limit of the window (64,000 less 27,000, 128,000
less 30,000, 200,000 less 40,000 tokens, else the larger of the window less 40,000
and four fifths of it) repeated reads of a file give way to a note, all but the
latest. If that saves 30 % of the characters, it is enough. Otherwise the first pair
of request and answer stays, and of the rest an even number of messages is removed
from its old end: half, or three quarters if half of the tokens would still be too
many. A notice takes the place of the text of the first answer.

``auto-condense``: at the same limit the model writes a summary in nine sections, and
all but the first pair is dropped. The first request is cut at 400,000 characters.

``agentic`` (4.x, the default): at 90 % of the usable input the newest 20,000 tokens stay, but
no more than the target: half of the usable input after five pairs of messages, 70 % of the
trigger before, and half of what there is where a compaction was asked for. They begin at a
message of the user or of the model, not after the last turn of the user; a single request with
a long run of tool calls is cut within the run. The previous summary and the new messages, of
each tool result the first 2,000 characters, become the new summary, of at most 4,096 tokens;
its list of files is collected from the tool calls of the new messages alone. Reasoning and
images are not read, and new messages above the usable input are cut, each to its share, then
dropped from the oldest on. An empty summary leaves the history as it was; where the model
cannot be asked, ``basic`` takes its place.

``basic`` (4.x): by rule. All that the user typed stays. Of the last turn the newest
messages within the target stay, of older turns the answer that ends each, newest first.
What is left out gives way to a note of files read, files edited and commands run, and of
the last three texts of the model those that went. What one such compaction kept, later
ones keep.

Adapted: tool results are the user's in the original, so one of its messages is here
everything that one side says in a row; results never lose their call. A repeated read is
one with the same arguments. After a compaction was asked for, the budget takes the place of
the original's limit of the window. The previous summary is read without its files. A note
of ``basic`` is a message of its own and not part of the user's. The tokens of ``agentic``
are in proportion to the case's window (the product's is taken to be 200,000), its usable
input is 90 % of it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pytest_compaction.compactors.base.cuts import user_turns
from pytest_compaction.compactors.base.duplicate_reads import without_duplicate_reads
from pytest_compaction.compactors.base.history import load, unchanged
from pytest_compaction.compactors.base.masking import where_smaller
from pytest_compaction.compactors.base.outcomes import by_rule, by_summary, nothing_to_summarise
from pytest_compaction.compactors.base.profiles import FAITHFUL, ProductCompactor, scaled
from pytest_compaction.compactors.base.read_limits import WHOLE, read_limits
from pytest_compaction.compactors.base.summaries import (
    summary_message,
    summary_room,
    without_preamble,
    write_summary,
)
from pytest_compaction.compactors.base.tails import tail_and_request
from pytest_compaction.compactors.base.violations import AS_WRITTEN
from pytest_compaction.compactors.base.windows import fitted
from pytest_compaction.compactors.products.cline.basic import folded, folded_within
from pytest_compaction.compactors.products.cline.modes import (
    TRIGGER,
    USABLE,
    allowed,
    files_section,
    first_pair_end,
    readable_tokens,
    removed,
    tail_cut,
    target,
    touched_files,
    with_note,
    with_notice,
    with_short_request,
)
from pytest_compaction.compactors.products.cline.projection import projected
from pytest_compaction.compactors.products.cline.sections import AGENTIC_SECTIONS, CONDENSE_SECTIONS
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation.messages import (
    Message,
    leading_system,
    pending_calls,
    readable,
)
from pytest_compaction.models.structured_summary import summary_from_json

CONDENSED: Final = (
    "The conversation after the first answer was condensed to save space. This is what happened:"
)
AGENTIC: Final = "Summary of the conversation before the messages that follow:"
READ_AGAIN: Final = "[{path} was read again further down; see there]"
SUMMARY_ID: Final = "cline-summary"
PRODUCT_WINDOW: Final = 200_000
PRESERVED: Final = 20_000
SUMMARY_TOKENS: Final = 4_096
RESULT_CHARACTERS: Final = 2_000
"""Characters of a tool result that the summariser of ``agentic`` reads."""
ENOUGH_SAVED: Final = 0.3
VIOLATIONS: Final = {
    "classic": {
        "turns-alternate": "what is removed may begin and end with the user: two messages of the "
        "model are left side by side",
        "log-order-and-text": "the notice takes the place of what the model said first",
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
        "within-budget": "the last turn of the user stays whole, and so does a message that is "
        "longer than the tail",
        "never-larger": "a summary longer than what it replaces is used all the same",
        "last-user-kept": "the only request is summarised where the tool calls after it are cut",
        "log-order-and-text": "where the model fails, images of older messages of the user go "
        "without a word",
    },
    "basic": {
        "turns-alternate": "an answer that names no file, command or result goes without a note",
        "log-order-and-text": "images of older messages of the user go without a word",
        "within-budget": "all that the user typed stays, and so does what an earlier step kept",
        "never-larger": "a note may be longer than what it stands for",
    },
}


class Cline(ProductCompactor):
    """Cline's ways to shrink a history; ``mode`` is agentic, basic, auto-condense or classic.

    ``read_results`` and ``read_arguments`` are the characters that the summariser may read of
    a result and of each argument, or ``all``; ``agentic`` shows 2,000 of a result.

    The hardened profile brings the view within the budget (``classic`` by dropping the
    oldest groups, the others by a shorter tail and without the first answer), keeps
    the last user message, and refuses a view that did not get smaller. It changes no message
    that it keeps: a note of its own stands where something was removed.
    """

    name = "cline"
    description = "newest tokens kept, the rest summarised; two older ways by mode= (Cline)"

    def __init__(
        self,
        mode: str = "agentic",
        read_results: int | str | None = None,
        read_arguments: int | str = WHOLE,
        profile: str = FAITHFUL,
    ) -> None:
        if mode not in tuple(VIOLATIONS):
            raise ValueError(f"mode={mode} must be one of {', '.join(VIOLATIONS)}")
        self.mode = mode
        if read_results is None:
            read_results = RESULT_CHARACTERS if mode == "agentic" else WHOLE
        self.limits = read_limits(WHOLE, read_results, read_arguments)
        self.set_profile(profile)
        keeps = mode in {"agentic", "basic"} or (self.hardened and mode != "classic")
        by_rule_alone = mode in {"basic", "classic"}
        traits = Traits(needs_model=not by_rule_alone, keeps_tail=keeps)
        self.set_traits(traits, VIOLATIONS[mode])

    def due(self, state: State, context: Context) -> str | None:
        """Due at the limit that the mode sets for the window."""
        used = context.tokens.messages(load(state["messages"]))
        limit = allowed(context.window)
        if self.mode in {"agentic", "basic"}:
            limit = int(context.window * USABLE * TRIGGER)
        return f"{used} tokens used, {limit} allowed" if used >= limit else None

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Shrink the history in the way of the mode."""
        before = load(state["messages"])
        if not self.is_needed(state, context):
            return unchanged(state)
        if self.mode == "classic":
            return by_rule(state, before, self._shortened(before, context))
        if self.mode == "basic":
            return self._folded(state, before, context)
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
                if self.hardened:
                    after = with_note(after[:begin], after[end:])
                else:
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
        first = with_short_request(before[:head])
        kept = (*((request,) if request else ()), *before[end:])
        budget = summary_room((*first, *kept), context)
        read = without_preamble(gone, CONDENSED)
        written = await write_summary(
            context,
            read,
            CONDENSE_SECTIONS,
            budget,
            as_written=self.faithful,
            limits=self.limits,
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
        wanted = target(before, self.due(state, context) is not None, context)
        preserved = min(scaled(PRESERVED, PRODUCT_WINDOW, context), wanted)
        cut = first + tail_cut(before[first:], preserved, context)
        request: Message | None = None
        if self.hardened:
            cut, request = tail_and_request(before, first, cut, context)
        own = [message for message in before[first:cut] if message.id != SUMMARY_ID]
        new = [message for message in own if message is not request]
        if not new:
            return nothing_to_summarise(state, context, self.profile)
        kept = (*before[:first], *((request,) if request else ()), *before[cut:])
        previous = summary_from_json(state["summary"]) if "summary" in state else None
        before_it = previous.render(AGENTIC_SECTIONS) if previous else ""
        read = projected(new, readable_tokens(before_it, new, context), context)
        if read is None:
            return unchanged(state, "the window leaves no room to read the conversation in")
        limit = min(summary_room(kept, context), scaled(SUMMARY_TOKENS, PRODUCT_WINDOW, context))
        listed = files_section(touched_files(read), limit // 2, context)
        budget = limit - context.tokens.text(listed)
        written = await write_summary(
            context,
            read,
            AGENTIC_SECTIONS,
            budget,
            previous,
            as_written=self.faithful,
            limits=self.limits,
        )
        if written.raised:
            return self._folded(state, before, context)
        if written.error:
            return unchanged(state, written.error)
        message = summary_message(SUMMARY_ID, f"{written.text}\n\n{listed}".strip(), AGENTIC)
        after = (*kept[:first], message, *kept[first:])
        noted = written.summary.as_json()
        return by_summary(
            state, before, after, SUMMARY_ID, context, self.profile, growth=True, summary=noted
        )

    def _folded(
        self, state: State, before: tuple[Message, ...], context: Context
    ) -> Outcome[State]:
        """What the user typed and the newest work, with notes of what was left out."""
        wanted = target(before, self.due(state, context) is not None, context)
        fold = folded if self.faithful else folded_within
        after = fold(before, wanted, state.get("folded", ()), context)
        if after is None:
            return nothing_to_summarise(state, context, self.profile)
        done = by_rule(state, before, after)
        if done.status == "noop":
            return done
        typed = {*range(leading_system(after)), *user_turns(after)}
        kept = [message.id for index, message in enumerate(after) if index not in typed]
        lost = set() if SUMMARY_ID in kept else {"summary"}
        new = {key: value for key, value in done.state.items() if key not in lost}
        return replace(done, state={**new, "folded": kept})


def _is_request(message: Message) -> bool:
    return message.role == "user" and message.origin == "log"


STRATEGY: Final = Cline
