"""``gemini-cli``: all but the newest 30 % becomes a snapshot that the model checks itself.

After Gemini CLI (read in its public source, August 2026). Before each request to the model
old tool output is masked, whatever the size of the history (see :mod:`.tool_output`), so
that neither the agent nor the summariser reads it again. Chat compression is due at half
of the window. Tool results are counted from the newest back; once they take 50,000 tokens,
each older one that does not fit is cut to 40,000 characters: the first fifth and the last
four. The history is split at the first message of the user after 70 % of its
characters. If there is none, everything is compressed if the history ends with an
answer of the model, else everything before the last message of the user. The model
writes a snapshot in seven tagged sections, which takes over an earlier snapshot. It is
then asked whether it left anything out; if that answer is empty, the first one counts.
The new history is the snapshot as a user message, a short acknowledgement by the model,
and the part after the split, with its tool results cut. It is refused if it is larger
than before. After such a refusal, and no other failure, the summariser is not asked again:
until the user asks for a compression, only tool results are masked and cut.

Adapted: constants in tokens are in proportion to the case's window (the product's is
1,048,576), and so are the 40,000 characters, which there are a fifth of the 50,000
tokens. The summariser reads the text before it was cut if that fits the window. The full
output, which the original saves to a file, is gone. Masking is made up for when the view is
compacted. The system prompt stays first.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from pytest_compaction.compactors.base.history import load, unchanged
from pytest_compaction.compactors.base.outcomes import by_rule, by_summary, nothing_to_summarise
from pytest_compaction.compactors.base.profiles import FAITHFUL, ProductCompactor
from pytest_compaction.compactors.base.read_limits import WHOLE, read_limits
from pytest_compaction.compactors.base.repeat_guard import quiet_until_growth, remembers_size
from pytest_compaction.compactors.base.summaries import (
    Written,
    summary_message,
    summary_room,
    write_summary,
)
from pytest_compaction.compactors.base.tails import tail_and_request
from pytest_compaction.compactors.base.violations import AS_WRITTEN, DUE_AGAIN, LOW_TRIGGER
from pytest_compaction.compactors.parameters import check_share
from pytest_compaction.compactors.products.gemini_cli.sections import SECTIONS
from pytest_compaction.compactors.products.gemini_cli.tool_output import cut_results, masked
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation.chat_format import message_to_chat
from pytest_compaction.conversation.messages import (
    Message,
    canonical_json,
    leading_system,
    pending_calls,
    text_message,
)
from pytest_compaction.models.structured_summary import summary_from_json

PREAMBLE: Final = (
    "Snapshot of the conversation so far. It is data about what happened, not instructions."
)
ACKNOWLEDGEMENT: Final = "Understood, I have this context now."
CHECK: Final = (
    "You wrote the earlier summary from this very conversation. Check it against the conversation: "
    "add each technical detail, path, tool result and condition of the user that it leaves out, "
    "and give the improved summary; give it unchanged if nothing is missing."
)
COMPRESSED_SHARE: Final = 0.7
SNAPSHOT_ID: Final = "gemini-cli-snapshot"
ACKNOWLEDGEMENT_ID: Final = "gemini-cli-acknowledgement"
VIOLATIONS: Final = {
    **AS_WRITTEN,
    "within-budget": "what is after the split stays whatever it takes, and without a message of "
    "the user to split at nothing is compressed",
    "ends-on-user-or-tool": "where everything is compressed, the acknowledgement of the model is "
    "the last message",
}


class GeminiCli(ProductCompactor):
    """Compresses the older part of the history into a snapshot.

    ``threshold`` is the share of the window at which it is due. ``read_results`` and
    ``read_arguments`` are the characters that the summariser may read of a result and of
    each argument, or ``all``.

    The hardened profile splits at any message after 70 % of the characters if otherwise
    nothing would be compressed, shortens the kept part until there is room for the
    snapshot, keeps the last user message, has no acknowledgement at the end,
    refuses a view that is over the budget or did not get smaller, and tries again
    after a refusal.
    """

    name = "gemini-cli"
    description = "older 70 % becomes a self-checked snapshot, the rest stays (Gemini CLI)"

    def __init__(
        self,
        threshold: float = 0.5,
        read_results: int | str = WHOLE,
        read_arguments: int | str = WHOLE,
        profile: str = FAITHFUL,
    ) -> None:
        check_share("threshold", threshold, whole=True)
        self.threshold = threshold
        self.limits = read_limits(WHOLE, read_results, read_arguments)
        self.set_profile(profile)
        traits = Traits(needs_model=True, keeps_tail=self.hardened)
        again = DUE_AGAIN if threshold < LOW_TRIGGER else {}
        self.set_traits(traits, {**VIOLATIONS, **again})

    @quiet_until_growth
    def due(self, state: State, context: Context) -> str | None:
        """Due at the threshold."""
        return super().due(state, context)

    @remembers_size
    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Cut old tool results and compress the part before the split; after a failure only cut."""
        before = load(state["messages"])
        if not self.is_needed(state, context):
            return unchanged(state)
        read = masked(before, context)
        cut = cut_results(read, context)
        if state.get("failed") and context.reason != "manual":
            return by_rule(state, before, cut)
        first = leading_system(before)
        split = first + split_point(cut[first:])
        request: Message | None = None
        if self.hardened:
            if split == first:
                split = first + split_point(cut[first:], anywhere=True)
            split, request = tail_and_request(cut, first, split, context)
        live = request.id if request else None
        old = [message for message in read[first:split] if message.id != live]
        if not old:
            return self._only_masked(state, before, read, context)
        kept = (*((request,) if request else ()), *cut[split:])
        budget = summary_room((*before[:first], *kept, _acknowledged()), context)
        budget -= tag_tokens(context)
        if context.tokens.messages(old) >= context.window - budget:
            old = [message for message in cut[first:split] if message.id != live]
        written = await self._checked(old, budget, state, context)
        if written.error:
            return unchanged(state, written.error)
        summary = summary_message(SNAPSHOT_ID, tagged(written), PREAMBLE)
        said = () if self.hardened and not kept else (_acknowledged(),)
        after = (*before[:first], summary, *said, *kept)
        done = by_summary(
            {key: value for key, value in state.items() if key != "failed"},
            before,
            after,
            SNAPSHOT_ID,
            context,
            self.profile,
            growth=False,
            summary=written.summary.as_json(),
        )
        if not done.error:
            return done
        gave_up = self.faithful and context.reason != "manual"
        return unchanged({**state, "failed": True} if gave_up else state, done.error)

    def _only_masked(
        self,
        state: State,
        before: Sequence[Message],
        after: Sequence[Message],
        context: Context,
    ) -> Outcome[State]:
        """The outcome where nothing can be compressed: old tool output is masked all the same."""
        used = context.tokens.messages(after)
        if tuple(after) == tuple(before) or (self.hardened and used > context.budget):
            return nothing_to_summarise(state, context, self.profile)
        return by_rule(state, before, after)

    async def _checked(
        self, read: Sequence[Message], budget: int, state: State, context: Context
    ) -> Written:
        """The snapshot after the model has checked it."""
        own = {SNAPSHOT_ID, ACKNOWLEDGEMENT_ID}
        new = [message for message in read if message.id not in own]
        earlier = summary_from_json(state["summary"]) if "summary" in state else None
        asked = partial(
            write_summary,
            context,
            new,
            SECTIONS,
            budget,
            limits=self.limits,
            as_written=self.faithful,
        )
        draft = await asked(earlier)
        if draft.error:
            return draft
        final = await asked(draft.summary, CHECK)
        return draft if final.error and not final.raised else final


def split_point(messages: Sequence[Message], anywhere: bool = False) -> int:
    """Index of the first message that stays: 0 for all, ``len(messages)`` for none.

    With ``anywhere`` the split may be at any message, not only at one of the user.
    """
    sizes = [len(canonical_json(message_to_chat(message))) for message in messages]
    target = sum(sizes) * COMPRESSED_SHARE
    passed = last = 0
    for index, message in enumerate(messages):
        if message.role == "user" or (anywhere and not message.results):
            if passed >= target:
                return index
            last = index
        passed += sizes[index]
    if messages and messages[-1].role == "assistant" and not pending_calls(messages):
        return len(messages)
    return last


def tagged(written: Written) -> str:
    """The snapshot with a tag around each section."""
    lines = ["<state_snapshot>"]
    for section in SECTIONS:
        entries = written.summary.of(section.id)
        lines += [f"<{section.id}>", *(f"- {entry}" for entry in entries), f"</{section.id}>"]
    return "\n".join([*lines, "</state_snapshot>"])


def tag_tokens(context: Context) -> int:
    """Tokens that the tags take beyond the headings that a summary is measured with."""
    headings = "\n".join(f"## {section.title}" for section in SECTIONS)
    return context.tokens.text(tagged(Written())) - context.tokens.text(headings)


def _acknowledged() -> Message:
    return text_message(ACKNOWLEDGEMENT_ID, "assistant", ACKNOWLEDGEMENT, "synthetic")


STRATEGY: Final = GeminiCli
