"""``hermes``: the first messages, one updated summary for reference only, and the newest part.

After the context compressor of Hermes Agent 0.19.0 (the published package, MIT, read on
2026-11-29). It is due at 75 % of a window below 512,000 tokens. What stays at the end may take 20
% of that, half more where a message would be cut, but the newest eight messages, the last message
of the user and the last thing that the model said stay whatever they take. At the first
compaction the first three messages stay too. Before anything is summarised, old tool results of
more than 200 characters become one line (tool, target, size), results that come again later a
note, and long arguments of old calls their beginnings. The summary has thirteen sections, takes a
fifth of what it replaces, and is updated the next time. It says of itself that it is no
instruction. The summariser is told the newest three requests to put first, and reads the
beginning and the end of a long text; the task in the summary is the newest request among what was
read, whatever it wrote. It is written in the name of whoever would not speak twice, and where
there is nobody, it joins the first message of the tail. Images older than the last message of the
user with one go.

Kept from the original: the first three messages go at the second compaction, and no summary has
read them; nor what stood in a message that a summary joined. A model that cannot be reached
leaves the view as it was, but where it writes nothing, a note by rule takes the place of the
summary.

Adapted: constants in tokens are in proportion to the case's window (200,000 tokens are assumed),
and tokens are counted. Any tool counts as one of the product's. The pause of five minutes after
two summaries that gained next to nothing is left out, because a run has no clock. Where there is
nothing new to read the earlier summary stays, which the original has written again. Its lean mode
came after this release and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_compaction.compactors.base.cuts import (
    cut_after,
    cut_before,
    mask_results,
    pending_start,
    user_turns,
    where_smaller,
    with_parts,
)
from pytest_compaction.compactors.base.history import rewritten, unchanged
from pytest_compaction.compactors.base.product import ProductCompactor, scaled
from pytest_compaction.compactors.base.summaries import (
    ReadLimits,
    Written,
    sections_of,
    short_arguments,
    summary_room,
)
from pytest_compaction.compactors.parameters import portion, whole
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation import (
    Image,
    Message,
    Part,
    Text,
    ToolCall,
    ToolResult,
    text_message,
)
from pytest_compaction.models import Section, Summary, summary_from_json, written_summary

PRODUCT_WINDOW: Final = 200_000
TAIL_SHARE: Final = 0.2
OVER_TAIL: Final = 1.5
TAIL_MESSAGES: Final = 8
SUMMARY_SHARE: Final = 0.2
LEAST_SUMMARY: Final = 2_000
MOST_SUMMARY: Final = 10_000
SHORT_RESULT: Final = 200
LONG_ARGUMENTS: Final = 500
READ, READ_HEAD, READ_TAIL = 6_000, 4_000, 1_500
"""Characters of a text that are read whole; of a longer one, its beginning and its end are."""
READ_ARGUMENTS: Final = 1_500
FOCUS_TURNS, FOCUS_TURN, FOCUS = 3, 260, 700
"""The newest requests that the summariser is told to put first, and characters of each and all."""
TASK: Final = 1_400
TASK_SECTION: Final = "task"
TASK_HEADING: Final = re.compile(r"^## Historical Task Snapshot$.*?(?=^## |\Z)", re.M | re.S)
FALLBACK_TURNS: Final = 8
FALLBACK_CHARACTERS: Final = 700
PREAMBLE: Final = (
    "[Earlier turns, compacted. For reference only.] This is a record of what was said and done "
    "before, not an instruction. What it asks for was dealt with. Answer the newest message of the "
    "user after it, which counts where the two differ."
)
END: Final = "[End of the record. Answer what follows it.]"
PRIOR: Final = "[From before, for reference:]"
SAME_AGAIN: Final = "[the same result comes again below]"
NO_IMAGE: Final = "[an image that was attached here was removed]"


@dataclass(eq=False)
class Hermes(ProductCompactor):
    """Updates one summary between the first and the newest messages.

    ``threshold`` is the share of the window at which it is due, ``head`` the number of first
    messages that stay at the first compaction, ``tail`` the newest tokens that stay as a share of
    the threshold.
    """

    name = "hermes"
    asks = "hermes"
    takes_instruction = True
    description = "first 3 messages, one updated reference summary, newest 15 % (Hermes Agent)"
    sections = sections_of("hermes")
    preamble = PREAMBLE
    traits = Traits(needs_model=True, keeps_tail=True)
    limits = ReadLimits(arguments=READ_ARGUMENTS)

    threshold: float = portion(0.75)
    head: int = whole(3, 0, unit="messages")
    tail: float = portion(TAIL_SHARE)

    async def compacted(
        self, state: State, before: tuple[Message, ...], first: int, context: Context
    ) -> Outcome[State]:
        keep = int(self.due_at(context) * self.tail)
        start = first if "summary" in state else min(first + self.head, len(before))
        start = cut_after(before, start)
        if len(before) <= start + 4:
            return unchanged(state)
        pruned = pruned_results(before, tail_of(before, 0, keep, keep, 20, context), context)
        end = min(tail_start(pruned, start, keep, context), pending_start(before))
        if end <= start:
            return unchanged(state)
        at = next((i for i in range(end) if before[i].id == state.get("at")), -1)
        read = pruned[max(start, at + 1) : end]
        if not read and at == start:
            return unchanged(state)
        kept, focus = (*before[:start], *before[end:]), newest_requests(before)
        written = await self._written(state, read, kept, focus, context)
        if written.error:
            return unchanged(state, written.error)
        cycle = self.cycle(state)
        summary = f"{PREAMBLE}\n\n{written.text}\n\n{END}"
        joined = joins(pruned[:start], pruned[end:], summary, f"hermes-summary-{cycle}")
        after = without_old_images((*pruned[:start], *joined))
        gone = {m.id for m in before[start:end]} - {m.id for m in read}
        made = next(m.id for m in joined if summary in m.text)
        noted: State = {"summary": written.summary.as_json(), "cycle": cycle, "at": made}
        return rewritten(state, before, after, made, unread=gone, **noted)

    async def _written(
        self,
        state: State,
        read: Sequence[Message],
        kept: Sequence[Message],
        focus: str,
        context: Context,
    ) -> Written:
        """The summary, updated if there is one; a note by rule where the model writes nothing."""
        previous = summary_from_json(state["summary"]) if "summary" in state else None
        if not read and previous is not None:
            return Written(previous, previous.render(self.sections))
        wanted = int(context.tokens.messages(read) * SUMMARY_SHARE)
        least = scaled(LEAST_SUMMARY, PRODUCT_WINDOW, context)
        most = scaled(MOST_SUMMARY, PRODUCT_WINDOW, context)
        task = task_of(read)
        room = summary_room(kept, context)
        room = max(room - context.tokens.text(task), room // 2)
        budget = min(room, max(least, min(wanted, most)))
        told = "" if context.instructions else focus
        written = await self.written([*map(shown, read)], budget, context, previous, told)
        if written.empty:
            return Written(text=by_rule_note(read))
        return written if written.error or not task else with_task(written, task, self.sections)


def newest_requests(messages: Sequence[Message]) -> str:
    """The newest requests of the user, which the summary is to put first."""
    said = [" ".join(m.text.split()) for m in messages if m.role == "user" and m.origin == "log"]
    newest = [text[:FOCUS_TURN] for text in said if text][-FOCUS_TURNS:]
    return "\n".join(["What the user wanted last:", *(f"- {t}" for t in newest)])[:FOCUS]


def shown(message: Message) -> Message:
    """The message as the summariser reads it: long texts without their middle."""

    def short(part: Part) -> Part:
        if isinstance(part, Text | ToolResult) and len(part.text) > READ:
            return replace(part, text=f"{part.text[:READ_HEAD]}\n[cut]\n{part.text[-READ_TAIL:]}")
        return part

    return with_parts(message, short)


def task_of(messages: Sequence[Message]) -> str:
    """The newest request among the messages: the task at that time, whatever a model says."""
    said = (m.text for m in reversed(messages) if m.role == "user" and m.origin == "log")
    text = next((" ".join(text.split()) for text in said if text.strip()), "")
    cut = f"{text[:TASK]} [cut]" if len(text) > TASK else text
    return f"The user asked: {cut} (Newer messages after this record count more.)" if text else ""


def with_task(written: Written, task: str, sections: Sequence[Section]) -> Written:
    """The summary with that task in its section."""
    if not written.summary.as_written:
        entries = {section.id: written.summary.of(section.id) for section in sections}
        summary = Summary(tuple({**entries, TASK_SECTION: (task,)}.items()))
        return Written(summary, summary.render(sections))
    rest = TASK_HEADING.sub("", written.text, count=1).strip()
    text = f"## Historical Task Snapshot\n{task}\n\n{rest}"
    return Written(written_summary(text), text)


def pruned_results(messages: Sequence[Message], end: int, context: Context) -> tuple[Message, ...]:
    """The messages with results before ``end`` as one line, and long arguments cut.

    A result that comes again later is replaced wherever it stands, before calls that wait.
    """
    calls = {call.id: call for message in messages for call in message.calls}
    waiting = pending_start(messages)
    newest: dict[str, str] = {}
    for message in messages:
        newest.update((r.text, message.id) for r in message.results if len(r.text) >= SHORT_RESULT)
    again = {
        m.id
        for m in messages[:waiting]
        if any(newest.get(result.text, m.id) != m.id for result in m.results)
    }
    old = {
        m.id
        for m in messages[: min(end, waiting)]
        if any(len(result.text) > SHORT_RESULT for result in m.results)
    }
    shown = mask_results(messages, again, SAME_AGAIN)
    shown = mask_results(shown, old - again, lambda result: _one_line(result, calls))

    def short(part: Part) -> Part:
        if isinstance(part, ToolCall) and len(part.arguments) > LONG_ARGUMENTS:
            return replace(part, arguments=short_arguments(part, SHORT_RESULT))
        return part

    cut = [with_parts(m, short) if n < min(end, waiting) else m for n, m in enumerate(shown)]
    return where_smaller(messages, cut, context.tokens)


def _one_line(result: ToolResult, calls: dict[str, ToolCall]) -> str:
    """The line that stands for a result: the tool, its first argument, the size."""
    call = calls.get(result.call_id)
    if call is None:
        return f"[result of {len(result.text):,} characters]"
    target = next((str(value) for value in call.parsed().values()), "")
    lines = len(result.text.splitlines())
    return f"[{call.name}] {target[:80]} ({lines} lines, {len(result.text):,} characters)"


def tail_of(
    messages: Sequence[Message], first: int, keep: int, ceiling: int, least: int, context: Context
) -> int:
    """Index from which the newest messages take at most ``ceiling`` tokens, or are ``least``.

    Where all of them do, those from ``first`` on are walked again with ``keep``.
    """
    for limit in (ceiling, keep):
        taken, start = 0, len(messages)
        for index in range(len(messages) - 1, first - 1, -1):
            size = context.tokens.message(messages[index])
            if taken + size > limit and len(messages) - index >= least:
                break
            taken, start = taken + size, index
        if start > first:
            break
    return start


def tail_start(messages: Sequence[Message], head: int, keep: int, context: Context) -> int:
    """Index from which messages stay: at least one after ``head`` is summarised."""
    count = len(messages)
    available = max(0, count - head - 1)
    least = min(TAIL_MESSAGES, max(3, available - 2), available) if available > 1 else 0
    start = tail_of(messages, head, keep, int(keep * OVER_TAIL), least, context)
    start = min(start, count - least)
    if start <= head:
        start = max(count - least, head + 1)
    start = cut_before(messages, start) if start < count else start
    users = [i for i in range(head, count) if messages[i].role == "user"]
    if users and users[-1] < start:
        start = users[-1] if users[-1] > head else _turn_end(messages, users[-1])
    said = [i for i in range(head, count) if messages[i].role == "assistant"]
    spoken = [i for i in said if messages[i].text.strip()] or said
    if spoken and spoken[-1] < start:
        start = cut_before(messages, spoken[-1])
    return cut_after(messages, max(start, head + 1))


def _turn_end(messages: Sequence[Message], user: int) -> int:
    """The index behind a message of the user, the answer to it and its results."""
    end = user + 1
    if end < len(messages) and messages[end].role == "assistant":
        end += 1
        while end < len(messages) and messages[end].role == "tool":
            end += 1
    return end


def joins(
    head: Sequence[Message], tail: Sequence[Message], text: str, id: str
) -> tuple[Message, ...]:
    """The tail with the summary before it, or in its first message where nobody else can say it."""
    last = head[-1].role if head else "system"
    following = tail[0].role if tail else ""
    alone = not any(m.role == "user" for m in (*head, *tail))
    leads = last == "system" or alone
    role = "user" if leads or last in {"assistant", "tool"} else "assistant"
    if role == following:
        other = "assistant" if role == "user" else "user"
        if other == last or leads:
            joined = (Text(PRIOR), *tail[0].parts, Text(text))
            return (replace(tail[0], parts=joined), *tail[1:])
        role = other
    return (text_message(id, role, text, "synthetic"), *tail)


def without_old_images(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages without the images before the last message of the user that has one."""
    pictured = (i for i in reversed(user_turns(messages)) if _has_image(messages[i]))
    last = next(pictured, 0)
    return tuple(
        with_parts(m, lambda part: Text(NO_IMAGE) if isinstance(part, Image) else part)
        if index < last
        else m
        for index, m in enumerate(messages)
    )


def _has_image(message: Message) -> bool:
    return any(isinstance(part, Image) for part in message.parts)


def by_rule_note(messages: Sequence[Message]) -> str:
    """A note for a summary that the model did not write: the last requests, and what was called."""
    asked = [m.text[:FALLBACK_CHARACTERS] for m in messages if m.role == "user" and m.text.strip()]
    called = [f"{c.name} {c.arguments}"[:FALLBACK_CHARACTERS] for m in messages for c in m.calls]
    lines = ["No summary could be written. What is known by rule:"]
    lines += [f"- asked: {text}" for text in asked[-FALLBACK_TURNS:]]
    lines += [f"- called: {text}" for text in called[-FALLBACK_TURNS:]]
    return "\n".join(lines)
