"""``pi``: one summary that is updated, lists of files, and the newest 20,000 tokens.

After the compaction of the coding agent pi 1.6.0 (the published package, MIT, read on 2026-11-30).
It is due when the window has fewer than 16,384 tokens left. The newest messages
stay, walked back until they take 20,000 tokens; the cut may be at a message of the user or of the
assistant, never at a tool result. If it falls within a turn, the part of the turn before it is
summarised apart, in three short sections. All before is summarised in six sections; an earlier
summary is updated. The summariser reads the first 2,000 characters of each tool result. Lists of
the files read and of the files changed, taken from all file tools so far, stand at the end.
A view is not compacted again before something was said.

The summariser is not shown what the model thought; 0.58.3 (commit 83378aad) still wrote it out.

Kept from the original: an empty reply is taken for the summary. Versions before 1.0 left what had
stayed at the last compaction out of the next summary; today it is summarised like everything else.

Adapted: the constants are in proportion to the case's window (pi names none; 200,000 tokens are
assumed), and what stays takes at most half of the rest of the budget, unless a single message
does. Tokens are counted, not estimated from characters. Any file tool counts, not only those of
pi; as there, what a shell command does to files does not. Of the room for both summaries, that of
the beginning of a turn has the share that 0.58.3 gave it; 1.6.0 limits neither. That beginning is
asked for in the words of 0.58.3, with other headings than now, because its recorded words answer
them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.artifacts import call_touches, shell_script
from pytest_compaction.compactors.base.history import load, rewritten, unchanged
from pytest_compaction.compactors.base.product import (
    SIX_SECTIONS,
    ProductCompactor,
    product_prompt,
    scaled,
)
from pytest_compaction.compactors.base.summaries import (
    SUMMARY_OVERHEAD,
    ReadLimits,
    Written,
    sections_of,
    summary_message,
    summary_room,
)
from pytest_compaction.compactors.parameters import whole
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation import Message, leading_system
from pytest_compaction.models import AskedBy, Summary, summary_from_json, written_summary

PRODUCT_WINDOW: Final = 200_000
TURN_SECTIONS: Final = sections_of("pi-turn")
PREAMBLE: Final = "What was said before this point was compacted. This is a summary of it:"
NO_HISTORY: Final = "(nothing came before this turn)"
SPLIT: Final = "---\n\nThe turn that goes on below began like this:"
SUMMARY_ID: Final = "pi-summary"
TURN_SHARE: Final = 0.5 / 1.3
"""The part of the room that the beginning of a split turn takes: 0.5 of the reserve beside 0.8."""

Files = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class _Cut:
    """Cut of a compaction; indices are those of the view before."""

    history: tuple[Message, ...]
    turn: tuple[Message, ...]
    kept: tuple[Message, ...]


@dataclass(eq=False)
class Pi(ProductCompactor):
    """Updates one summary; the newest ``keep`` tokens stay.

    ``reserve`` is how many tokens of the window are to stay free, ``keep`` how many stay word
    for word, both of a 200,000-token window; ``read_results`` how many characters of a tool
    result the summariser reads.
    """

    name = "pi"
    asks = "pi"
    takes_instruction = True
    sections = SIX_SECTIONS
    preamble = PREAMBLE
    takes_empty = True
    traits = Traits(needs_model=True, keeps_tail=True)
    description = "one updated summary, files read and changed, newest 20k tokens verbatim (pi)"

    reserve: int = whole(16_384, 1)
    keep: int = whole(20_000, 1)
    read_results: int = whole(2_000, 0, unit="characters")

    def __post_init__(self) -> None:
        super().__post_init__()
        self.limits = ReadLimits(results=self.read_results)

    def prompts(self) -> list[AskedBy]:
        return [*super().prompts(), AskedBy(product_prompt("pi-turn"), TURN_SECTIONS)]

    def due(self, state: State, context: Context) -> str | None:
        messages = load(state["messages"])
        if not messages or messages[-1].id == state.get("last"):
            return None
        return super().due(state, context)

    def due_at(self, context: Context) -> int:
        return context.window - scaled(self.reserve, PRODUCT_WINDOW, context) + 1

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        before = load(state["messages"])
        if not before or before[-1].id == state.get("last") or not self.is_needed(state, context):
            return unchanged(state)
        cut = self._cut(before, state, context)
        if cut is None:
            return unchanged(state)
        gone = {m.id for m in before[leading_system(before) :]} - {m.id for m in cut.kept}
        if not gone - {SUMMARY_ID}:
            return unchanged(state)
        files = _files(state.get("files", {}), (*cut.history, *cut.turn))
        listing = _listing(files)
        head = before[: leading_system(before)]
        room = summary_room((*head, *cut.kept), context) - context.tokens.text(listing)
        text, summary, error = await self._written(cut, state, max(room, 1), context)
        if error:
            return unchanged(state, error)
        message = summary_message(SUMMARY_ID, f"{text}{listing}", PREAMBLE)
        after = (*head, message, *cut.kept)
        read = {m.id for m in (*cut.history, *cut.turn)} | {SUMMARY_ID}
        return rewritten(
            state,
            before,
            after,
            SUMMARY_ID,
            summary=summary.as_json(),
            files=files,
            last=after[-1].id,
            unread=gone - read,
        )

    def _cut(self, before: tuple[Message, ...], state: State, context: Context) -> _Cut | None:
        first = leading_system(before)
        body = first + (1 if len(before) > first and before[first].id == SUMMARY_ID else 0)
        room = context.budget - context.tokens.messages(before[:first]) - SUMMARY_OVERHEAD
        keep = min(scaled(self.keep, PRODUCT_WINDOW, context), max(room // 2, 1))
        start = cut_point(before, body, keep, context)
        if start is None:
            return None
        turn = start
        if start < len(before) and before[start].role != "user":
            users = (i for i in range(start - 1, body - 1, -1) if before[i].role == "user")
            turn = next(users, start)
        return _Cut(before[body:turn], before[turn:start], before[start:])

    async def _written(
        self, cut: _Cut, state: State, room: int, context: Context
    ) -> tuple[str, Summary, str | None]:
        """The text of the summary, its entries for the next one, and an error if there is one."""
        previous = summary_from_json(state["summary"]) if "summary" in state else None
        history = Written(text=NO_HISTORY)
        turn: Written | None = None
        apart = int(room * TURN_SHARE) if cut.turn else 0
        if cut.history:
            history = await self.written(cut.history, room - apart, context, previous)
        elif previous is not None:
            history = Written(previous, previous.render(SIX_SECTIONS))
        if cut.turn and not history.error:
            turn = await self.written(
                cut.turn, apart, context, None, "", TURN_SECTIONS, product_prompt("pi-turn")
            )
        error = history.error or (turn.error if turn else None)
        text = f"{history.text}\n\n{SPLIT}\n\n{turn.text}" if turn else history.text
        found = [history.summary, *([turn.summary] if turn else [])]
        if any(each.as_written for each in found):
            return text, written_summary(text), error
        return text, _merged(history.summary, turn.summary if turn else None), error


def cut_point(messages: Sequence[Message], first: int, keep: int, context: Context) -> int | None:
    """Index of the first message that stays, at or after ``first``.

    Messages are taken from the newest back until they reach ``keep`` tokens. The cut is before
    the last one taken, or after the results that it begins with, or before the last message that
    is no result if there are only results from there on. If all take less, all stay from the
    first that is no result. ``None`` if all
    are results.
    """
    points = [i for i in range(first, len(messages)) if not messages[i].results]
    taken = 0
    for index in range(len(messages) - 1, first - 1, -1):
        taken += context.tokens.message(messages[index])
        if taken >= keep:
            return next((i for i in points if i >= index), points[-1] if points else None)
    return points[0] if points else None


def _merged(history: Summary, turn: Summary | None) -> Summary:
    """The entries of both in the sections of the first; those on a split turn are context."""
    if turn is None:
        return history
    added = tuple(line for _, lines in turn.entries for line in lines)
    entries = {section.id: history.of(section.id) for section in SIX_SECTIONS}
    entries["critical"] = (*entries["critical"], *added)
    return Summary(tuple(entries.items()))


def _files(known: Files, messages: Sequence[Message]) -> dict[str, list[str]]:
    """The files read and changed so far, each sorted; one that was changed is not read."""
    read, changed = set(known.get("read", ())), set(known.get("changed", ()))
    for message in messages:
        for call in message.calls:
            if shell_script(call) is not None:
                continue
            for touch in call_touches(call):
                (read if touch.verb == "read" else changed).add(touch.path)
    return {"read": sorted(read - changed), "changed": sorted(changed)}


def _listing(files: Files) -> str:
    """The lists of files between tags, with an empty line before each; empty without files."""
    tagged = {"read-files": files["read"], "modified-files": files["changed"]}
    return "".join(
        f"\n\n<{tag}>\n{chr(10).join(paths)}\n</{tag}>" for tag, paths in tagged.items() if paths
    )
