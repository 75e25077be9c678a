"""``gemini-cli``: all but the newest 30 % becomes a snapshot that the model checks itself.

After Gemini CLI 0.61.0 (the published package, of commit cc0107ed, read on 2026-11-30). Before each
request to the model old tool output is masked, whatever the size of the history, so that neither
the agent nor the summariser reads it again: the newest 50,000 tokens of tool output are protected,
and so is the newest message. Once the older output takes 30,000 tokens, all of it is masked at
once: of the output of a shell the first and the last ten lines stay, of any other the first and the
last 250 characters. What is not longer than that stays. What a tool asked the user or what a skill
says is never masked. Chat compression is due at half of the window. Tool results are counted from
the newest back; once they take 50,000 tokens, each older one that does not fit is cut to 40,000
characters: the first fifth and the last four. The history is split at the first message of the user
after 70 % of its characters. If there is none, everything is compressed if the history ends with an
answer of the model, else everything before the last message of the user. The model writes a
snapshot in seven tagged sections, which takes over an earlier snapshot. It is then asked whether it
left anything out; if that answer is empty, the first one counts. The new history is the snapshot as
a user message, a short acknowledgement by the model, and the part after the split, with its tool
results cut. It is refused if it is larger than before. After such a refusal, and no other failure,
the summariser is not asked again: until the user asks for a compression, only tool results are
masked and cut. The context manager that 0.61.0 also has is off by default
(``contextManagement.enabled``) and no part of this.

Adapted: constants in tokens are in proportion to the case's window (the product's is
1,048,576), and so are the 40,000 characters, which there are a fifth of the 50,000
tokens. The summariser reads the text before it was cut if that fits the window. The full
output, which the original saves to a file, is gone. Masking is made up for when the view is
compacted. The system prompt stays first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_compaction.artifacts import shell_script
from pytest_compaction.compactors.base.cuts import pending_start, where_smaller, with_parts
from pytest_compaction.compactors.base.history import by_rule, rewritten, unchanged
from pytest_compaction.compactors.base.product import (
    LOW_TRIGGER,
    ProductCompactor,
    product_prompt,
    scaled,
    tag_tokens,
    tagged,
)
from pytest_compaction.compactors.base.summaries import (
    WHOLE,
    Written,
    read_limits,
    sections_of,
    summary_message,
    summary_room,
)
from pytest_compaction.compactors.parameters import portion
from pytest_compaction.compactors.protocol import Context, Outcome, State
from pytest_compaction.conversation import (
    Message,
    Part,
    ToolCall,
    ToolResult,
    canonical_json,
    pending_calls,
    text_message,
)
from pytest_compaction.conversation.formats.chat import message_to_chat
from pytest_compaction.models import AskedBy, SummaryPrompt, summary_from_json

SECTIONS: Final = sections_of("gemini-cli")
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
PROTECTED_TOKENS: Final = 50_000
LEAST_MASKED_TOKENS: Final = 30_000
PREVIEW_LINES: Final = 10
PREVIEW_CHARACTERS: Final = 250
EXEMPT: Final = frozenset({"activate_skill", "ask_user", "enter_plan_mode", "exit_plan_mode"})
"""Tools whose output is never masked."""
MASK: Final = "[tool output masked; its beginning and its end:]"

RESULT_TOKENS: Final = 50_000
RESULT_CHARACTERS: Final = 40_000
CHARACTERS_A_TOKEN: Final = 4
_HEAD: Final = 0.2

COMPRESSED_SHARE: Final = 0.7
SNAPSHOT_ID: Final = "gemini-cli-snapshot"
ACKNOWLEDGEMENT_ID: Final = "gemini-cli-acknowledgement"


@dataclass(eq=False)
class GeminiCli(ProductCompactor):
    """Compresses the older part of the history into a snapshot.

    ``threshold`` is the share of the window at which it is due. ``read_results`` and
    ``read_arguments`` are the characters that the summariser may read of a result and of
    each argument, or ``all``.
    """

    name = "gemini-cli"
    asks = "gemini-cli"
    sections = SECTIONS
    preamble = PREAMBLE
    description = "older 70 % becomes a self-checked snapshot, the rest stays (Gemini CLI)"

    threshold: float = portion(0.5, whole=True)
    read_results: int | str = WHOLE
    read_arguments: int | str = WHOLE

    def __post_init__(self) -> None:
        super().__post_init__()
        self.limits = read_limits(WHOLE, self.read_results, self.read_arguments)
        if self.threshold < LOW_TRIGGER:
            self.also_violates("due-again")

    def prompts(self) -> list[AskedBy]:
        return [*super().prompts(), AskedBy(_checking(""), SECTIONS, CHECK)]

    async def compacted(
        self, state: State, before: tuple[Message, ...], first: int, context: Context
    ) -> Outcome[State]:
        read = masked(before, context)
        cut = cut_results(read, context)
        if state.get("failed") and context.reason != "manual":
            return by_rule(state, before, cut)
        split = first + split_point(cut[first:])
        old, kept = read[first:split], cut[split:]
        if not old:
            return by_rule(state, before, read)
        budget = summary_room((*before[:first], *kept, _acknowledged()), context)
        budget -= tag_tokens(SECTIONS, context, "state_snapshot")
        if context.tokens.messages(old) >= context.window - budget:
            old = cut[first:split]
        written = await self._checked(old, budget, state, context)
        if written.error:
            return unchanged(state, written.error)
        text = tagged(written.summary, SECTIONS, "state_snapshot")
        summary = summary_message(SNAPSHOT_ID, text, PREAMBLE)
        after = (*before[:first], summary, _acknowledged(), *kept)
        was, now = context.tokens.messages(before), context.tokens.messages(after)
        if now > was:
            failed = {} if context.reason == "manual" else {"failed": True}
            error = f"the view would take {now} tokens; it took {was} before"
            return unchanged({**state, **failed}, error)
        left = {key: value for key, value in state.items() if key != "failed"}
        noted = written.summary.as_json()
        return rewritten(left, before, after, SNAPSHOT_ID, summary=noted)

    async def _checked(
        self, read: Sequence[Message], budget: int, state: State, context: Context
    ) -> Written:
        own = {SNAPSHOT_ID, ACKNOWLEDGEMENT_ID}
        new = [message for message in read if message.id not in own]
        earlier = summary_from_json(state["summary"]) if "summary" in state else None
        draft = await self.written(new, budget, context, earlier)
        if draft.error:
            return draft
        asked = _checking(tagged(earlier, SECTIONS, "state_snapshot") if earlier else "")
        final = await self.written(new, budget, context, draft.summary, CHECK, prompt=asked)
        return draft if final.error and not final.raised else final


def _checking(earlier: str) -> SummaryPrompt:
    """How the check is asked for: the draft is the model's last turn."""
    asked = product_prompt("gemini-cli").filled("previous", earlier)
    before = asked.before if earlier else ()
    after = (("assistant", "$previous"),)
    return replace(asked, user="$focus", update="", before=before, after=after)


def split_point(messages: Sequence[Message]) -> int:
    """Index of the first message that stays: 0 for all, ``len(messages)`` for none."""
    sizes = [len(canonical_json(message_to_chat(message))) for message in messages]
    target = sum(sizes) * COMPRESSED_SHARE
    passed = last = 0
    for index, message in enumerate(messages):
        if message.role == "user":
            if passed >= target:
                return index
            last = index
        passed += sizes[index]
    if messages and messages[-1].role == "assistant" and not pending_calls(messages):
        return len(messages)
    return last


def _acknowledged() -> Message:
    return text_message(ACKNOWLEDGEMENT_ID, "assistant", ACKNOWLEDGEMENT, "synthetic")


def masked(messages: Sequence[Message], context: Context) -> tuple[Message, ...]:
    """The messages as they are once old tool output was masked before each request."""
    most = scaled(PROTECTED_TOKENS, PRODUCT_WINDOW, context)
    least = scaled(LEAST_MASKED_TOKENS, PRODUCT_WINDOW, context)
    calls = {call.id: call for message in messages for call in message.calls}
    shown = where_smaller(messages, [_previewed(m, calls) for m in messages], context.tokens)
    after = list(messages)
    newest: list[int] = []
    protected: deque[tuple[int, int]] = deque()  # places and tokens of output, oldest first
    old: list[tuple[int, int]] = []
    protected_tokens = old_tokens = stuck = 0  # stuck: tokens of output that is too short to mask
    for index, message in enumerate(messages):
        if message.results:
            newest.append(index)
        elif message.role == "assistant":
            if old_tokens >= least:
                for place, tokens in old:
                    stuck += tokens if shown[place] == messages[place] else 0
                    after[place] = shown[place]
                old, old_tokens = [], stuck
            for place in newest:
                outputs = _maskable(messages[place], calls)
                protected.append((place, sum(context.tokens.text(each.text) for each in outputs)))
                protected_tokens += protected[-1][1]
            while protected_tokens > most:
                old.append(protected.popleft())
                protected_tokens -= old[-1][1]
                old_tokens += old[-1][1]
            newest = []
    return tuple(after)


def _maskable(message: Message, calls: Mapping[str, ToolCall]) -> list[ToolResult]:
    """The results of a message that count: neither masked already nor of an exempt tool."""
    return [
        result
        for result in message.results
        if not result.text.startswith(MASK)
        and not (result.call_id in calls and calls[result.call_id].name in EXEMPT)
    ]


def _previewed(message: Message, calls: Mapping[str, ToolCall]) -> Message:
    maskable = _maskable(message, calls)

    def previewed(part: Part) -> Part:
        if not isinstance(part, ToolResult) or part not in maskable:
            return part
        call = calls.get(part.call_id)
        of_shell = call is not None and shell_script(call) is not None
        return replace(part, text=preview(part.text, of_shell))

    return with_parts(message, previewed)


def preview(text: str, of_shell: bool) -> str:
    """Preview of a masked output; the output itself if the preview is not shorter."""
    if of_shell:
        lines = text.splitlines()
        left_out = len(lines) - 2 * PREVIEW_LINES
        if left_out <= 0:
            return text
        head, tail = lines[:PREVIEW_LINES], lines[-PREVIEW_LINES:]
        short = "\n".join([MASK, *head, f"[{left_out} lines left out]", *tail])
    else:
        left_out = len(text) - 2 * PREVIEW_CHARACTERS
        if left_out <= 0:
            return text
        head_text, tail_text = text[:PREVIEW_CHARACTERS], text[-PREVIEW_CHARACTERS:]
        short = f"{MASK}\n{head_text}\n[{left_out} characters left out]\n{tail_text}"
    return short if len(short) < len(text) else text


def cut_results(messages: Sequence[Message], context: Context) -> tuple[Message, ...]:
    """The messages with older tool results cut, those of the newest 50,000 tokens in full.

    A result is cut to 40,000 characters, or to the room that the window has left if that
    is less; a shorter one stays whole. Results beside calls that still wait are not cut.
    """
    limit = scaled(RESULT_TOKENS, PRODUCT_WINDOW, context)
    most = scaled(RESULT_CHARACTERS, PRODUCT_WINDOW, context)
    left = CHARACTERS_A_TOKEN * (context.window - context.tokens.messages(messages))
    if left > 0:
        most = min(most, left)
    spent = 0
    done: list[Message] = []
    waiting = pending_start(messages)
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        parts: list[Part] = []
        for part in reversed(message.parts):
            if isinstance(part, ToolResult):
                if spent + context.tokens.text(part.text) > limit and index < waiting:
                    part = replace(part, text=head_and_tail(part.text, most))
                spent += context.tokens.text(part.text)
            parts.append(part)
        done.append(replace(message, parts=tuple(reversed(parts))))
    return where_smaller(messages, done[::-1], context.tokens)


def head_and_tail(text: str, length: int) -> str:
    """The first fifth and the last four of ``length`` characters; shorter text is unchanged."""
    if len(text) <= length:
        return text
    head = int(length * _HEAD)
    left_out = len(text) - length
    return f"{text[:head]}\n[{left_out} characters cut]\n{text[head + left_out :]}"
