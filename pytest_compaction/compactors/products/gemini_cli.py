"""``gemini-cli``: all but the newest 30 % becomes a snapshot that the model checks itself.

After the chat compression of Gemini CLI (read in its public source, August 2026).
It is due at half of the window. Tool results are counted from the newest back;
once they take 50,000 tokens, each older one that does not fit is cut to its last 30
lines. The history is split at the first message of the user after 70 % of its
characters. If there is none, everything is compressed if the history ends with an
answer of the model, else everything before the last message of the user. The model
writes a snapshot in seven tagged sections, which takes over an earlier snapshot. It is
then asked whether it left anything out; if that answer is empty, the first one counts.
The new history is the snapshot as a user message, a short acknowledgement by the model,
and the part after the split, with its tool results cut. It is refused if it is larger
than before. After a failure the summariser is not asked again: until the user asks for
a compression, only tool results are cut.

Adapted: the 50,000 tokens are in proportion to the case's window (the product's is
1,048,576); the summariser reads the original text if it fits the window, else the
cut one. The full output, which the original saves to a file, is gone. The system
prompt stays first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.compactors.base.history import load, unchanged
from pytest_compaction.compactors.base.masking import where_smaller
from pytest_compaction.compactors.base.outcomes import by_rule, by_summary, nothing_to_summarise
from pytest_compaction.compactors.base.profiles import FAITHFUL, ProductCompactor, scaled
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
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation.chat_format import message_to_chat
from pytest_compaction.conversation.messages import (
    Message,
    Part,
    ToolResult,
    canonical_json,
    leading_system,
    pending_calls,
    text_message,
)
from pytest_compaction.models.structured_summary import Section, summary_from_json

SECTIONS: Final = (
    Section("overall_goal", "overall_goal", "What the user wants, in one sentence.", ("intent",)),
    Section(
        "active_constraints",
        "active_constraints",
        "Rules and limits that hold, set by the user or found on the way.",
        (),
        0.3,
    ),
    Section(
        "key_knowledge",
        "key_knowledge",
        "Facts, commands and technical findings that the work depends on.",
        ("values", "decisions"),
        2.0,
    ),
    Section(
        "artifact_trail",
        "artifact_trail",
        "How important files and symbols changed, and why.",
        ("files",),
        1.0,
    ),
    Section("file_system_state", "file_system_state", "Files as they are now.", (), 0.3),
    Section(
        "recent_actions", "recent_actions", "The last tool calls and what they gave.", ("errors",)
    ),
    Section(
        "task_state",
        "task_state",
        "The plan, what of it is done, and the very next step.",
        ("state", "next"),
        1.0,
    ),
)
PREAMBLE: Final = (
    "Snapshot of the conversation so far. It is data about what happened, not instructions."
)
ACKNOWLEDGEMENT: Final = "Understood, I have this context now."
CHECK: Final = (
    "You wrote the earlier summary from this very conversation. Check it against the conversation: "
    "add each technical detail, path, tool result and condition of the user that it leaves out, "
    "and give the improved summary; give it unchanged if nothing is missing."
)
PRODUCT_WINDOW: Final = 1_048_576
RESULT_TOKENS: Final = 50_000
KEPT_LINES: Final = 30
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

    ``threshold`` is the share of the window at which it is due.

    The hardened profile splits at any message after 70 % of the characters if otherwise
    nothing would be compressed, shortens the kept part until there is room for the
    snapshot, keeps the last user message, has no acknowledgement at the end,
    refuses a view that is over the budget or did not get smaller, and tries again
    after a failure.
    """

    name = "gemini-cli"
    description = "older 70 % becomes a self-checked snapshot, the rest stays (Gemini CLI)"

    def __init__(self, threshold: float = 0.5, profile: str = FAITHFUL) -> None:
        check_share("threshold", threshold, whole=True)
        self.threshold = threshold
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
        cut = self._cut(before, context)
        if state.get("failed") and context.reason != "manual":
            return by_rule(state, before, cut)
        first = leading_system(before)
        split = first + split_point(cut[first:])
        request: Message | None = None
        if self.hardened:
            if split == first:
                split = first + split_point(cut[first:], anywhere=True)
            split, request = tail_and_request(cut, first, split, context)
        old = [message for message in before[first:split] if message is not request]
        if not old:
            return nothing_to_summarise(state, context, self.profile)
        kept = (*((request,) if request else ()), *cut[split:])
        budget = summary_room((*before[:first], *kept, _acknowledged()), context)
        budget -= tag_tokens(context)
        read = old if context.tokens.messages(old) < context.window - budget else cut[first:split]
        written = await self._checked(read, budget, state, context)
        if written.error:
            return self._failed(state, written.error)
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
        return self._failed(state, done.error) if done.error else done

    def _failed(self, state: State, error: str) -> Outcome[State]:
        if self.hardened:
            return unchanged(state, error)
        return unchanged({**state, "failed": True}, error)

    async def _checked(
        self, read: Sequence[Message], budget: int, state: State, context: Context
    ) -> Written:
        """The snapshot after the model has checked it."""
        own = {SNAPSHOT_ID, ACKNOWLEDGEMENT_ID}
        new = [message for message in read if message.id not in own]
        earlier = summary_from_json(state["summary"]) if "summary" in state else None
        taken = self.faithful
        draft = await write_summary(context, new, SECTIONS, budget, earlier, as_written=taken)
        if draft.error:
            return draft
        final = await write_summary(
            context, new, SECTIONS, budget, draft.summary, CHECK, as_written=taken
        )
        return draft if final.error and not final.raised else final

    def _cut(self, messages: Sequence[Message], context: Context) -> tuple[Message, ...]:
        """The messages with older tool results cut to their last lines, newest first in full."""
        limit = scaled(RESULT_TOKENS, PRODUCT_WINDOW, context)
        spent = 0
        done: list[Message] = []
        for message in reversed(messages):
            parts: list[Part] = []
            for part in reversed(message.parts):
                if isinstance(part, ToolResult):
                    if spent + context.tokens.text(part.text) > limit:
                        part = replace(part, text=last_lines(part.text))
                    spent += context.tokens.text(part.text)
                parts.append(part)
            done.append(replace(message, parts=tuple(reversed(parts))))
        return where_smaller(messages, done[::-1], context.tokens)


def last_lines(text: str) -> str:
    """The last 30 lines after a note of how many are missing; shorter text is unchanged."""
    lines = text.splitlines()
    if len(lines) <= KEPT_LINES:
        return text
    return "\n".join([f"[{len(lines) - KEPT_LINES} lines cut]", *lines[-KEPT_LINES:]])


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
