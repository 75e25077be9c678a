"""Strategies by rule that mask old tool results and touch nothing else.

``last-n-observations``: the last n observations stay, older ones become a line count. After the
history processor of that name of SWE-agent (3ea751c0, read on 2026-11-30), the one used in its
paper with n = 5. Observations are counted from the start: the first is the task itself and is never
elided. Adapted: the task is the first message of the user, every tool result is an observation. The
tags by which the original keeps or removes observations whatever their age, and its delay for the
sake of the cache (``polling``), are left out.

``mask-observations``: older tool results give way to a placeholder. After the
``ObservationMaskingCondenser`` of OpenHands v0 (156d0686, read on 2026-11-30): every answer of the
environment is masked unless it is among the last ``window`` events of the view. The window counts
events, not observations: a message of the user inside it uses up a place. An event is a message
here.

``opencode-prune``: old tool output is cleared once enough of it has piled up. After the pruning of
opencode V1 (fd78ec63, read on 2026-11-22). The messages are walked from the newest back. The last
two turns of the user are passed over. Before them, the newest 40,000 tokens of tool output are
protected, and all older output is cleared if it takes more than 20,000 tokens. Output of the tool
``skill`` and of failed calls is neither cleared nor counted. The walk stops at a summary and at
output that was cleared before. Adapted: both constants are in proportion to the case's window
(opencode names none; 200,000 tokens are assumed); ``protect=`` and ``minimum=`` are tokens as
given. Tokens are counted, not estimated from characters. Current versions of the original prune
only if configured to.

``claude-code-micro``: the results of all but the newest five tool uses are cleared, and nothing is
summarised. After public descriptions of the microcompaction of Claude Code, which goes before its
summary (``claude-code`` does both) and on its own; ``recorded`` shows those of imported sessions.
The product clears by time when its cache is cold, or asks the server to. A log has no clock, so
here it works when compaction is asked for.

The first two work on every request in the original and leave the stored history as it is. Here
they work when compaction is asked for, and what they insert stays, so that the beginning of the
view does not change between compactions. A text that would be longer than the result is not
inserted, and results beside calls that wait stay.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.compactors.base.cuts import (
    mask_results,
    pending_start,
    tool_names,
    where_smaller,
)
from pytest_compaction.compactors.base.history import by_rule, load
from pytest_compaction.compactors.base.product import (
    ProductCompactor,
    ToolUseClearing,
    scaled,
)
from pytest_compaction.compactors.parameters import whole
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation import Image, Message

OUTPUT_HIDDEN: Final = "[output hidden]"
OUTPUT_CLEARED: Final = "[old tool output cleared]"


class MaskingCompactor(ProductCompactor):
    """Base of strategies that mask results, and are due as soon as there is one to mask."""

    traits = Traits(keeps_tail=True)
    noted = ""
    """The key of the state under which the ids of masked messages are kept, if they are."""

    def masked(self, messages: Sequence[Message], state: State, context: Context) -> list[Message]:
        """The messages as they are after masking, however large the masks are."""
        raise NotImplementedError

    def reason(self, count: int) -> str:
        """Why compaction is due if so many messages are to be masked."""
        raise NotImplementedError

    def due(self, state: State, context: Context) -> str | None:
        before, after = self._view(state, context)
        count = sum(old != new for old, new in zip(before, after, strict=True))
        return self.reason(count) if count else None

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        return by_rule(state, *self._view(state, context), self.noted)

    def _view(
        self, state: State, context: Context
    ) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
        before = load(state["messages"])
        return before, where_smaller(before, self.masked(before, state, context), context.tokens)


@dataclass(eq=False)
class LastNObservations(MaskingCompactor):
    """Elides all but the last ``n`` observations."""

    name = "last-n-observations"
    description = "all but the last 5 tool results become '(k lines omitted)' (SWE-agent)"
    noted = "elided"

    n: int = whole(5, 1)

    def reason(self, count: int) -> str:
        return f"{count} observations are older than the last {self.n}"

    def masked(self, messages: Sequence[Message], state: State, context: Context) -> list[Message]:
        waiting = {message.id for message in messages[pending_start(messages) :]}
        old = set(outside(messages, self.n)) - waiting - set(state.get(self.noted, ()))
        return [mask_results([message], old, omitted(message))[0] for message in messages]


def outside(messages: Sequence[Message], n: int) -> list[str]:
    """Ids of the observations that are older than the last ``n``, never the first one."""
    task = next((m.id for m in messages if m.role == "user" and m.origin == "log"), None)
    seen = [message.id for message in messages if message.results or message.id == task]
    return seen[1 : max(0, len(seen) - n)]


def omitted(message: Message) -> str:
    """The text that replaces an observation: how many lines and images it had."""
    lines = sum(len(result.text.splitlines()) for result in message.results)
    images = sum(isinstance(part, Image) for part in message.parts)
    text = f"[earlier output: {lines} lines omitted]"
    return text if not images else f"{text} [{images} images omitted]"


@dataclass(eq=False)
class MaskObservations(MaskingCompactor):
    """Masks tool results outside the last ``window`` messages."""

    name = "mask-observations"
    description = "tool results older than the last 5 messages become a placeholder (OpenHands v0)"

    window: int = whole(5, 0, unit="messages")

    def reason(self, count: int) -> str:
        return f"{count} tool results are older than the window"

    def masked(self, messages: Sequence[Message], state: State, context: Context) -> list[Message]:
        end = min(len(messages) - self.window, pending_start(messages))
        old = {message.id for message in messages[: max(end, 0)]}
        return [*mask_results(messages, old, OUTPUT_HIDDEN)]


@dataclass(eq=False)
class OpencodePrune(MaskingCompactor):
    """Clears tool output before the newest ``protect`` tokens, if it is more than ``minimum``."""

    name = "opencode-prune"
    description = "old tool output cleared; the newest 40k tokens of it are protected (opencode)"
    noted = "cleared"
    turns = 2
    window = 200_000

    protect: int | None = whole(None, 0, unit="tokens")
    minimum: int | None = whole(None, 0, unit="tokens")

    def reason(self, count: int) -> str:
        return "there is enough old tool output to clear"

    def masked(self, messages: Sequence[Message], state: State, context: Context) -> list[Message]:
        protect, minimum = self.amounts(context)
        old, amount = self._old(messages, state.get(self.noted, ()), protect, context)
        return [*mask_results(messages, old if amount > minimum else (), OUTPUT_CLEARED)]

    def amounts(self, context: Context) -> tuple[int, int]:
        """The tokens that are protected, and the least that are cleared, in this window."""
        protect = scaled(40_000, self.window, context) if self.protect is None else self.protect
        minimum = scaled(20_000, self.window, context) if self.minimum is None else self.minimum
        return protect, minimum

    def _old(
        self, messages: Sequence[Message], cleared: Collection[str], protect: int, context: Context
    ) -> tuple[set[str], int]:
        """Ids of the messages whose output may be cleared, and the tokens of that output."""
        tools = tool_names(messages)
        waiting = pending_start(messages)
        passed = total = amount = 0
        old: set[str] = set()
        for index in range(len(messages) - 1, -1, -1):
            message = messages[index]
            if message.role == "user" and message.origin == "log":
                passed += 1
            if passed < self.turns:
                continue
            if message.origin == "synthetic" or message.id in cleared:
                break
            done = index < waiting and not any(result.is_error for result in message.results)
            if message.results and done and tools.get(message.id) != "skill":
                size = sum(context.tokens.text(result.text) for result in message.results)
                total += size
                if total > protect:
                    old.add(message.id)
                    amount += size
        return old, amount


@dataclass(eq=False)
class ClaudeCodeMicro(MaskingCompactor):
    """Clears the results of all but the newest ``keep`` tool uses."""

    name = "claude-code-micro"
    description = "Claude Code's microcompaction: all but the newest 5 tool results cleared"
    noted = "cleared"

    keep: int = whole(5, 0, unit="tool uses")

    def reason(self, count: int) -> str:
        return f"{count} tool results are older than the newest {self.keep}"

    def masked(self, messages: Sequence[Message], state: State, context: Context) -> list[Message]:
        return [*ToolUseClearing(self.keep).cleared(messages, context)]
