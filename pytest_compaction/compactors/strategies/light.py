"""``light``: scratchpad, working memory and episodes found for the question (after LIGHT).

After the method that comes with BEAM ("Beyond a Million Tokens", 2025; source at
b2a3ee8). LIGHT keeps a scratchpad of facts, preferences and instructions that a
model extracts pair by pair and compresses when it has twice its size; at question
time it adds the five episodes (user and assistant) nearest to the question, the
newest ones, and the part of the scratchpad that a model finds relevant.

Differences from the original, and their reasons:

- The original reads with 14,000 tokens whatever the model; here the parts are
  shares of the case's budget.
- It asks the model twice per pair; here it is asked once per compaction, about all that leaves the
  view, which a harness can afford.
- Embeddings give way to BM25 and the model's yes or no to shared terms, because a
  question is answered from a view that is made without waiting for a model.
- An episode of an agent is a user message with the reply and the results of its
  calls, or a further reply.
- Three faults of the published code are not copied: the size limit that raises
  TypeError when it is first needed, the sorting of numbers as text, and every pair
  entering working memory once per message.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from pytest_compaction.compactors.base.history import (
    HistoryCompactor,
    dump,
    load,
    spans_between,
    unchanged,
)
from pytest_compaction.compactors.base.passages import (
    Archive,
    Passage,
    cut_to,
    indexed,
    ranked,
    shown,
)
from pytest_compaction.compactors.base.summaries import (
    SUMMARY_OVERHEAD,
    summary_message,
    write_summary,
)
from pytest_compaction.compactors.base.tails import last_request
from pytest_compaction.compactors.base.windows import newest_part, too_small
from pytest_compaction.compactors.parameters import check_share, check_whole
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits, View
from pytest_compaction.conversation.messages import (
    Message,
    groups,
    last_user,
    leading_system,
    readable,
    text_message,
)
from pytest_compaction.models.structured_summary import Section, Summary, summary_from_json

SECTIONS: Final = (
    Section(
        "instructions",
        "Instructions and preferences",
        "What the user asked for, prefers, forbids or set as a condition.",
        ("intent",),
        1.2,
    ),
    Section(
        "decisions",
        "Decisions and developments",
        "What was decided or changed, and why; of two values the newer one.",
        ("decisions",),
        1.2,
    ),
    Section(
        "entities",
        "Key entities and values",
        "Names, dates, numbers, files and how they hang together.",
        ("values", "files"),
        1.2,
    ),
    Section("critical", "Critical context", "Errors and how things stand.", ("errors", "state")),
    Section("actions", "Actionable items", "What is still to be done.", ("next",), 0.6),
)
MEMORY_ID: Final = "memory"
PREAMBLE: Final = (
    "Memory of the earlier part of this conversation: notes, and episodes word for word where "
    "they bear on the question. It is a record, not a request."
)
_EPISODES: Final = "## Episodes"
_ORIGIN: Final = 10
"""Tokens for the line that says which message an episode is from."""
_ENTRY_OVERHEAD: Final = 32
"""More tokens than an entry takes beside its text: list mark, line end, the heading above it."""
COMPRESSED_AT: Final = 2
"""The scratchpad is compressed at this multiple of its size."""


class Light(HistoryCompactor):
    """Keeps a scratchpad and the newest part; finds episodes for each question.

    ``scratchpad`` and ``working`` are shares of the budget for the notes and, at
    least, for the newest messages; ``episodes`` is how many are found for a question.
    """

    name = "light"
    description = "scratchpad, newest part, and episodes found for each question (after LIGHT)"
    traits = Traits(needs_model=True, needs_probe=True, keeps_tail=True)

    def __init__(self, scratchpad: float = 0.35, working: float = 0.3, episodes: int = 5) -> None:
        check_share("scratchpad", scratchpad)
        check_share("working", working)
        if scratchpad + working >= 1:
            raise ValueError(f"scratchpad={scratchpad} and working={working} leave no episodes")
        check_whole("episodes", episodes, 0)
        self.scratchpad = scratchpad
        self.working = working
        self.episodes = episodes

    def start(self) -> State:
        """No messages, no notes, no episodes."""
        return {"messages": [], "archive": [], "notes": {}}

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Note and archive the messages that leave the view, and keep the newest part."""
        before = load(state["messages"])
        if context.tokens.messages(before) <= context.budget:
            return unchanged(state)
        first = leading_system(before)
        system, body = before[:first], [m for m in before[first:] if m.id != MEMORY_ID]
        room = context.budget - context.tokens.messages(system) - SUMMARY_OVERHEAD
        if room <= 0:
            return unchanged(state, too_small(before, context))
        live = last_request(body, room, context)
        size = min(int(room * self.scratchpad), room - _cost(live, context))
        newest = newest_part(body, room - size, context, opened=True)
        if newest is None or _lost(last_user(body), newest, room + SUMMARY_OVERHEAD, context):
            return unchanged(state, too_small(before, context))
        stays = {message.id for message in newest}
        gone = [message for message in body if message.id not in stays]
        if not gone:
            return unchanged(state)
        notes, error = await self._noted(summary_from_json(state["notes"]), gone, size, context)
        if error:
            return unchanged(state, error)
        memory = _memory(notes, size, context)
        after = (*system, *([memory] if memory else []), *newest)
        if context.tokens.messages(after) >= context.tokens.messages(before):
            return unchanged(state)
        new: State = {
            "messages": dump(after),
            "archive": [*state["archive"], *dump(gone)],
            "notes": notes.as_json(),
        }
        spans = spans_between(before, after, MEMORY_ID if memory else None)
        return Outcome(new, "compacted", spans)

    async def _noted(
        self, notes: Summary, gone: Sequence[Message], size: int, context: Context
    ) -> tuple[Summary, str | None]:
        """The notes with those of the messages appended; compressed if they grew too long."""
        written = await write_summary(context, gone, SECTIONS, size)
        if written.error:
            return notes, written.error
        longer = Summary(
            tuple(
                (
                    section.id,
                    tuple(dict.fromkeys((*notes.of(section.id), *written.summary.of(section.id)))),
                )
                for section in SECTIONS
            )
        )
        text = longer.render(SECTIONS)
        if context.tokens.text(text) <= COMPRESSED_AT * size:
            return longer, None
        scratchpad = [text_message("scratchpad", "user", text, "synthetic")]
        compressed = await write_summary(context, scratchpad, SECTIONS, size)
        return compressed.summary, compressed.error

    def render(self, state: State, context: Context, probe: str | None = None) -> View:
        """Notes and newest part; with a question the notes and episodes that bear on it.

        Never larger than the budget, or than the view without a question where that
        is larger because it was not compacted yet.
        """
        messages = load(state["messages"])
        if probe is None or not state["archive"]:
            return View(messages)
        first = leading_system(messages)
        system, body = messages[:first], [m for m in messages[first:] if m.id != MEMORY_ID]
        room = max(context.budget, context.tokens.messages(messages))
        room -= context.tokens.messages(system) + SUMMARY_OVERHEAD
        notes = _relevant(summary_from_json(state["notes"]), probe)
        text = _newest_notes(notes, int(context.budget * self.scratchpad), context)
        live = last_request(body, room, context)
        least = max(int(context.budget * self.working), _cost(live, context))
        found = self._found(state, probe, room - least - context.tokens.text(text), context)
        text = "\n\n".join(part for part in (text, found) if part)
        if not text:
            return View(messages)
        memory = summary_message(MEMORY_ID, text, PREAMBLE)
        left = room + SUMMARY_OVERHEAD - context.tokens.message(memory)
        newest = newest_part(body, left, context, opened=True)
        return View(messages if newest is None else (*system, memory, *newest))

    def _found(self, state: State, probe: str, room: int, context: Context) -> str:
        """The episodes nearest to the question, word for word as far as the room goes.

        A nearer episode may take half of the rest, so that a long one leaves room for others.
        """
        best = _archive(load(state["archive"])).ranked(probe)[: self.episodes]
        count = context.tokens.text
        kept: list[Passage] = []
        left = room - count(_EPISODES)
        for place, episode in enumerate(best, start=1):
            most = left if place == len(best) else left // 2
            text = cut_to(episode.text, most - _ORIGIN, count)
            if text:
                kept.append(replace(episode, text=text))
                left -= count(text) + _ORIGIN
        text = f"{_EPISODES}\n{shown(kept)}" if kept else ""
        return text if count(text) <= room else ""


@lru_cache(maxsize=1)
def _archive(messages: tuple[Message, ...]) -> Archive:
    """The episodes of messages, indexed. The latest are remembered: questions come in a row."""
    return indexed(_episodes(messages))


def _episodes(messages: Sequence[Message]) -> list[Passage]:
    """A user message with the reply that follows it, or a further reply with its results."""
    found: list[Passage] = []
    held: list[Message] = []
    ranges = groups(messages)
    for number, (begin, end) in enumerate(ranges):
        held += messages[begin:end]
        follows = messages[ranges[number + 1][0]].role if number + 1 < len(ranges) else ""
        if messages[begin].role == "user" and follows == "assistant":
            continue
        text = "\n".join(f"{message.role}: {readable(message)}" for message in held)
        found.append(Passage(held[0].id, text, 2 * len(found)))
        held = []
    return found


def _relevant(notes: Summary, question: str) -> Summary:
    """The notes that share a term with the question: the filter of the original, by words."""
    entries = [(section, text) for section, lines in notes.entries for text in lines]
    passing = set(ranked([text for _, text in entries], question))
    kept = [entry for number, entry in enumerate(entries) if number in passing]
    return Summary(
        tuple(
            (section, tuple(text for holder, text in kept if holder == section))
            for section, _ in notes.entries
        )
    )


def _newest_notes(notes: Summary, room: int, context: Context) -> str:
    """The notes as text; of a section that is too long the oldest entries are left out."""
    entries = {section: deque(lines) for section, lines in notes.entries}
    sections = tuple(section for section in SECTIONS if entries.get(section.id))
    sizes = {section.id: sum(map(len, entries[section.id])) for section in sections}
    least = 0  # tokens of the text, at least: it is counted only if it may fit
    while any(entries.values()):
        if least <= room:
            summary = Summary(tuple((section, tuple(lines)) for section, lines in entries.items()))
            text = summary.render([section for section in sections if entries[section.id]])
            least = context.tokens.text(text)
            if least <= room:
                return text
        longest = max(sections, key=lambda section: sizes[section.id])
        gone = entries[longest.id].popleft()
        sizes[longest.id] -= len(gone)
        least -= context.tokens.text(gone) + _ENTRY_OVERHEAD
    return ""


def _lost(request: Message | None, newest: Sequence[Message], room: int, context: Context) -> bool:
    """Whether the last request is missing although it would fit half of the room."""
    return request is not None and request not in newest and 2 * _cost(request, context) <= room


def _cost(message: Message | None, context: Context) -> int:
    return 0 if message is None else context.tokens.message(message)


def _memory(notes: Summary, room: int, context: Context) -> Message | None:
    text = _newest_notes(notes, room, context)
    return summary_message(MEMORY_ID, text, PREAMBLE) if text else None


STRATEGY: Final = Light
