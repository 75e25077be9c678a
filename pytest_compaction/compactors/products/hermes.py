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
nothing new to read the earlier summary stays, which the original has written again. The note that
it adds to the system prompt is left out.

``mode=lean`` is what the repository has by default since 0.19.0 (``tail_mode``, commit e03d7158,
read on 2026-11-30); no release has it yet. What stays at the end is 2.5 % of the window, at least
10,000 tokens and at most 25,000, half more where a message would be cut, and never more than a
fifth of the window; eight messages are no longer kept, and of a turn whose calls take more than
that only the newest. Results give way in it too: all but the newest while it takes too much, and
those of 1,500 characters or more that are older than the newest six rounds. Arguments of calls
stay. The summariser reads 160,000 characters of at most eight stretches from all that goes, and
writes eleven sections and a log of the session of 4,000 tokens in one request. Rules add an index
of names that stand in the text, what the user said, word for word, and a note that the history can
be searched (``session_search``; ``hermes:mode=lean+archive:k=4:query=model`` does search it). An
earlier summary goes, wherever it stands, and what stood in its message is read. A request that is
still open is said again after the summary. An empty reply leaves the view as it was. Two things are
left out: the original also removes the copy of such a request from the first messages, and it notes
what was not read. What the user said in earlier parts stays only if the model repeats it; rules do
not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_compaction.compactors.base.cuts import cut_after, pending_start, with_parts
from pytest_compaction.compactors.base.history import rewritten, unchanged
from pytest_compaction.compactors.base.product import ProductCompactor, scaled
from pytest_compaction.compactors.base.summaries import (
    ReadLimits,
    Written,
    sections_of,
    summary_room,
)
from pytest_compaction.compactors.parameters import choice, portion, whole
from pytest_compaction.compactors.products.hermes_cuts import (
    PRIOR,
    TAIL_MESSAGES,
    joins,
    pruned_results,
    tail_of,
    tail_start,
    without_old_images,
)
from pytest_compaction.compactors.products.hermes_lean import (
    READ_INPUT,
    additions,
    demoted,
    lean_tail_start,
    pressed,
    restated,
    sampled,
    tail_tokens,
    with_additions,
)
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation import Message, Part, Text, ToolResult
from pytest_compaction.models import Section, Summary, summary_from_json, written_summary

PRODUCT_WINDOW: Final = 200_000
TAIL_SHARE: Final = 0.2
SUMMARY_SHARE: Final = 0.2
LEAST_SUMMARY: Final = 2_000
MOST_SUMMARY: Final = 10_000
READ, READ_HEAD, READ_TAIL = 6_000, 4_000, 1_500
"""Characters of a text that are read whole; of a longer one, its beginning and its end are."""
READ_ARGUMENTS: Final = 1_500
FOCUS_TURNS, FOCUS_TURN, FOCUS = 3, 260, 700
"""The newest requests that the summariser is told to put first, and characters of each and all."""
LOG: Final = 4_000
"""Tokens of the log of the session that the lean mode asks for beside its sections."""
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


@dataclass(eq=False)
class Hermes(ProductCompactor):
    """Updates one summary between the first and the newest messages.

    ``threshold`` is the share of the window at which it is due, ``head`` the number of first
    messages that stay at the first compaction, ``tail`` the newest tokens that stay as a share of
    the threshold (not with ``mode=lean``).
    """

    name = "hermes"
    asks = "hermes"
    takes_instruction = True
    description = "first 3 messages, one updated reference summary, newest 15 % (Hermes Agent)"
    sections = sections_of("hermes")
    preamble = PREAMBLE
    traits = Traits(needs_model=True, keeps_tail=True)
    limits = ReadLimits(arguments=READ_ARGUMENTS)

    mode: str = choice("legacy", "lean")
    threshold: float = portion(0.75)
    head: int = whole(3, 0, unit="messages")
    tail: float = portion(TAIL_SHARE)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mode == "lean":
            self.asks, self.sections = "hermes-lean", sections_of("hermes-lean")
        self.also_violates(f"hermes-{self.mode}")

    async def compacted(
        self, state: State, before: tuple[Message, ...], first: int, context: Context
    ) -> Outcome[State]:
        if self.mode == "lean":
            return await self._lean(state, before, first, context)
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

    async def _lean(
        self, state: State, before: tuple[Message, ...], first: int, context: Context
    ) -> Outcome[State]:
        live = [found for m in before if (found := without_record(m)) is not None]
        start = first if "summary" in state else min(first + self.head, len(live))
        start = cut_after(live, start)
        if len(live) <= start + 4:
            return unchanged(state)
        keep, ceiling = tail_tokens(context)
        boundary = max(tail_of(live, 0, keep, keep, TAIL_MESSAGES, context) - 1, 0)
        pruned = pressed(live, boundary, ceiling, context)
        end = lean_tail_start(pruned, start, keep, ceiling, context)
        end = min(end, pending_start(live))
        if end <= start:
            return unchanged(state)
        gone, head, tail = pruned[start:end], pruned[:start], demoted(pruned, end)[end:]
        read = sampled([*map(shown, gone)], scaled(READ_INPUT, PRODUCT_WINDOW, context))
        added, focus = additions(gone, context), newest_requests(before)
        written = await self._lean_summary(state, gone, read, added, (*head, *tail), focus, context)
        if written.error:
            return unchanged(state, written.error)
        cycle = self.cycle(state)
        summary = f"{PREAMBLE}\n\n{written.text}\n\n{END}"
        joined = joins(head, tail, summary, f"hermes-summary-{cycle}", opens=True)
        made = next(m.id for m in joined if summary in m.text)
        after = restated((*head, *joined), live, made, END, f"hermes-request-{cycle}")
        after = without_old_images(after)
        unread = {m.id for m in gone} - {m.id for m in read}
        noted: State = {"summary": written.summary.as_json(), "cycle": cycle}
        return rewritten(state, before, after, made, unread=unread, **noted)

    async def _lean_summary(
        self,
        state: State,
        gone: Sequence[Message],
        read: Sequence[Message],
        added: dict[str, str],
        kept: Sequence[Message],
        focus: str,
        context: Context,
    ) -> Written:
        """The summary with its log, and with what rules add to it."""
        previous = summary_from_json(state["summary"]) if "summary" in state else None
        task = task_of(gone)
        room = summary_room(kept, context)
        by_rules = context.tokens.text(with_additions(task, added))
        room = max(room - by_rules, room // 2)
        wanted = int(context.tokens.messages(gone) * SUMMARY_SHARE)
        least = scaled(LEAST_SUMMARY, PRODUCT_WINDOW, context)
        most = scaled(MOST_SUMMARY, PRODUCT_WINDOW, context)
        budget = max(least, min(wanted, most)) + scaled(LOG, PRODUCT_WINDOW, context)
        told, room = "" if context.instructions else focus, min(room, budget)
        written = await self.written(read, room, context, previous, told)
        if written.error:
            return written
        if task:
            written = with_task(written, task, self.sections)
        text = with_additions(written.text, added)
        summary = written_summary(text) if written.summary.as_written else written.summary
        return Written(summary, text)

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


def without_record(message: Message) -> Message | None:
    """The message without a summary that stands in it; ``None`` if nothing else does."""
    parts = tuple(
        part
        for part in message.parts
        if not (isinstance(part, Text) and part.text.startswith((PREAMBLE, PRIOR)))
    )
    if not parts or parts == message.parts:
        return message if parts else None
    id = message.id if message.origin == "log" else f"{message.id}-request"
    return replace(message, id=id, parts=parts)


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


def by_rule_note(messages: Sequence[Message]) -> str:
    """A note for a summary that the model did not write: the last requests, and what was called."""
    asked = [m.text[:FALLBACK_CHARACTERS] for m in messages if m.role == "user" and m.text.strip()]
    called = [f"{c.name} {c.arguments}"[:FALLBACK_CHARACTERS] for m in messages for c in m.calls]
    lines = ["No summary could be written. What is known by rule:"]
    lines += [f"- asked: {text}" for text in asked[-FALLBACK_TURNS:]]
    lines += [f"- called: {text}" for text in called[-FALLBACK_TURNS:]]
    return "\n".join(lines)
