"""How Gemini CLI shortens tool output: masking before each request, cutting at a compression.

Masking: the newest 50,000 tokens of tool output are protected, and so is the newest message.
Once the older output takes 30,000 tokens, all of it is masked at once: of the output of a
shell the first and the last ten lines stay, of any other the first and the last 250
characters. What is not longer than that stays. What a tool asked the user or what a skill
says is never masked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pytest_compaction.artifacts.tool_calls import shell_script
from pytest_compaction.compactors.base.cuts import pending_start
from pytest_compaction.compactors.base.masking import where_smaller
from pytest_compaction.compactors.base.profiles import scaled
from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation.messages import Message, Part, ToolCall, ToolResult

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


@dataclass
class _Queue:
    """The output that is not masked yet, oldest first, and what of it is no longer protected."""

    protected_limit: int
    least: int
    waiting: list[tuple[int, int]] = field(default_factory=list)
    unprotected: int = 0
    protected_tokens: int = 0
    unprotected_tokens: int = 0
    stuck: int = 0
    """Tokens of old output that is too short to be masked."""

    def add(self, index: int, tokens: int) -> None:
        """Take in the output of the message at ``index``."""
        self.waiting.append((index, tokens))
        self.protected_tokens += tokens
        while self.protected_tokens > self.protected_limit:
            oldest = self.waiting[self.unprotected][1]
            self.unprotected += 1
            self.protected_tokens -= oldest
            self.unprotected_tokens += oldest

    def batch(self, small: Collection[int]) -> list[int]:
        """The messages to mask now, if they take enough; ``small`` ones stay and still count."""
        if self.unprotected_tokens < self.least:
            return []
        old = self.waiting[: self.unprotected]
        self.waiting = self.waiting[self.unprotected :]
        self.unprotected = 0
        self.unprotected_tokens = self.stuck = self.stuck + sum(t for i, t in old if i in small)
        return [index for index, _ in old if index not in small]


def masked(messages: Sequence[Message], context: Context) -> tuple[Message, ...]:
    """The messages as they are once old tool output was masked before each request."""
    queue = _Queue(
        scaled(PROTECTED_TOKENS, PRODUCT_WINDOW, context),
        scaled(LEAST_MASKED_TOKENS, PRODUCT_WINDOW, context),
    )
    calls = {call.id: call for message in messages for call in message.calls}
    shown = where_smaller(messages, [_previewed(m, calls) for m in messages], context.tokens)
    small = {index for index, message in enumerate(messages) if shown[index] == message}
    after = list(messages)
    newest: list[int] = []
    for index, message in enumerate(messages):
        if message.results:
            newest.append(index)
        elif message.role == "assistant":
            for place in queue.batch(small):
                after[place] = shown[place]
            for place in newest:
                outputs = _maskable(messages[place], calls)
                queue.add(place, sum(context.tokens.text(each.text) for each in outputs))
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
    if not maskable:
        return message
    parts: list[Part] = []
    for part in message.parts:
        if isinstance(part, ToolResult) and part in maskable:
            call = calls.get(part.call_id)
            of_shell = call is not None and shell_script(call) is not None
            part = replace(part, text=preview(part.text, of_shell))
        parts.append(part)
    return replace(message, parts=tuple(parts))


def preview(text: str, of_shell: bool) -> str:
    """What stays of an output that is masked; the output itself if that is no shorter."""
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
