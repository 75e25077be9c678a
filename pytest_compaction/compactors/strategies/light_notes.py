"""The notes of ``light``: what a model writes of a pair or a span, and the scratchpad of it.

The noise filter of ``light``: which notes of the scratchpad bear on a question.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from pytest_compaction.case import AnswerSpec
from pytest_compaction.compactors.base.passages import Episode, ranked
from pytest_compaction.compactors.base.summaries import Written, sections_of, write_summary
from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation import Message, text_message
from pytest_compaction.models import AnswerRequest, NoReplyError, Section, Summary
from pytest_compaction.text import content_stems, normalize

SECTIONS: Final = sections_of("light")
"""The sections of the scratchpad."""
SUMMARY: Final = Section("summary", "Summary", "One line: what this exchange is about.", (), 0.3)
_KEYED: Final = (
    "One fact an entry, as 'key: value'. The key is a person, place, date, number or thing; "
    "the value is what is said of it."
)
PAIR_SECTIONS: Final = (
    SUMMARY,
    *(replace(s, asks=_KEYED) if s.id == "entities" else s for s in SECTIONS),
)
"""What is noted of a pair: the summary is for the index alone, the rest for the scratchpad too."""
PAIR_TOKENS: Final = 300
"""Tokens of the notes of one pair, at most."""
NEWER_WINS: Final = (
    "These are notes in the order in which they were made. Of two values for the same thing keep "
    "the newer one, which stands further down."
)
COMPRESSED_AT: Final = 2
"""The scratchpad is compressed at this multiple of the size that it then gets."""
_AT_ONCE: Final = 64
"""Pairs whose notes are asked for at the same time."""
_ENTRY_OVERHEAD: Final = 32
"""More tokens than an entry takes beside its text: list mark, line end, the heading above it."""


@dataclass(frozen=True, slots=True)
class Noted:
    """The scratchpad after new notes, the keys of pairs by id, or the ``error`` that kept both."""

    notes: Summary
    keys: dict[str, str] = field(default_factory=dict)
    error: str | None = None


async def noted_span(
    notes: Summary, gone: Sequence[Message], size: int, limit: int, context: Context
) -> Noted:
    """The scratchpad with the notes of a whole span, asked for at once.

    The notes take at most ``size`` tokens, the scratchpad at most ``limit``. If they come back
    empty, the model is asked once more, to bring the scratchpad up to date with the span: it may
    have nothing to add, but an empty scratchpad is an error.
    """
    written = await write_summary(context, gone, SECTIONS, size)
    if written.empty and not notes.empty:
        updated = await write_summary(context, gone, SECTIONS, limit, previous=notes)
        return Noted(updated.summary if not updated.error else notes, error=updated.error)
    if written.error:
        return Noted(notes, error=written.error)
    longer = _joined(notes, written.summary)
    if context.tokens.text(longer.render(SECTIONS)) <= limit:
        return Noted(longer)
    compressed = await _compressed(longer, limit, context)
    return Noted(compressed.summary, error=compressed.error)


async def noted_pairs(
    notes: Summary, pairs: Iterable[Episode], limit: int, context: Context
) -> Noted:
    """The scratchpad with the notes of each pair in order, and the notes by which it is found.

    A refusal, or a reply that is of no use, leaves a pair without notes. A model that cannot be
    asked, or that has nothing of use to say of any pair, is an error. The scratchpad is compressed
    when it passes ``limit``.
    """
    keys: dict[str, str] = {}
    error: str | None = None
    scratchpad, count = notes, context.tokens.text
    most = count(notes.render(SECTIONS))
    left = iter(pairs)
    while batch := list(islice(left, _AT_ONCE)):
        asked = (write_summary(context, p.messages, PAIR_SECTIONS, PAIR_TOKENS) for p in batch)
        for pair, written in zip(batch, await asyncio.gather(*asked), strict=True):
            if written.raised and not written.silent:
                return Noted(notes, error=written.error)
            if written.error:
                error = error or written.error
                continue
            lines = [line for _, lines in written.summary.entries for line in lines]
            keys[pair.id] = "\n".join(lines)
            scratchpad = _joined(scratchpad, written.summary)
            # The sum is more than the tokens of the whole, which are counted where it matters.
            most += sum(count(line) + 3 for line in lines)
            if most > limit:
                most = count(scratchpad.render(SECTIONS))
            if most > limit:
                compressed = await _compressed(scratchpad, limit, context)
                if compressed.error:
                    return Noted(notes, error=compressed.error)
                scratchpad = compressed.summary
                most = count(scratchpad.render(SECTIONS))
    if error and not keys:
        return Noted(notes, error=error)
    return Noted(scratchpad, keys)


async def _compressed(notes: Summary, limit: int, context: Context) -> Written:
    """The notes in half of the limit; newer values win."""
    text = notes.render(SECTIONS)
    scratchpad = [text_message("scratchpad", "user", text, "synthetic")]
    size = limit // COMPRESSED_AT
    return await write_summary(context, scratchpad, SECTIONS, size, instructions=NEWER_WINS)


def _joined(notes: Summary, more: Summary) -> Summary:
    """The notes with more at the end of each section; what is said again is as new as that."""
    entries: list[tuple[str, tuple[str, ...]]] = []
    for section in SECTIONS:
        lines = dict.fromkeys(reversed((*notes.of(section.id), *more.of(section.id))))
        entries.append((section.id, tuple(reversed(lines))))
    return Summary(tuple(entries))


def newest_notes(notes: Summary, room: int, context: Context) -> str:
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


CHUNK_CHARACTERS: Final = 1200
"""A chunk is closed before it is longer."""
_SHORTEST: Final = 300
"""A chunk of so many characters is closed where the next note shares no word with the last."""
_ASKED: Final = (
    "Do the notes above hold anything that helps to answer the question below? Reply with yes or "
    "no alone.\n\nQuestion: {question}"
)
_YES: Final = re.compile(r"\W*yes\b", re.IGNORECASE)
"""Also where the reason follows against the request."""
_REPLY: Final = AnswerSpec(max_tokens=16)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Neighbouring notes of one section on one matter."""

    section: str
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The notes, one a line."""
        return "\n".join(f"- {line}" for line in self.lines)


def chunks_of(notes: Summary) -> list[Chunk]:
    """The scratchpad in chunks: every note is in one of them, in its order."""
    found: list[Chunk] = []
    for section, lines in notes.entries:
        held: list[str] = []
        last: frozenset[str] = frozenset()
        for line in lines:
            stems, size = frozenset(content_stems(normalize(line))), sum(map(len, held))
            full = size + len(line) > CHUNK_CHARACTERS
            if held and (full or (size >= _SHORTEST and not stems & last)):
                found.append(Chunk(section, tuple(held)))
                held = []
            held.append(line)
            last = stems
        if held:
            found.append(Chunk(section, tuple(held)))
    return found


def notes_by_words(notes: Summary, question: str) -> Summary:
    """The notes that share a term with the question."""
    texts = [line for _, lines in notes.entries for line in lines]
    passing = {texts[number] for number in ranked(texts, question)}
    return Summary(
        tuple((s, tuple(line for line in lines if line in passing)) for s, lines in notes.entries)
    )


def best_chunks(chunks: Sequence[Chunk], question: str, room: int, context: Context) -> Summary:
    """The chunks that share a term with the question, the best within ``room`` tokens."""
    kept: set[int] = set()
    left = room
    for number in ranked([chunk.text for chunk in chunks], question):
        left -= context.tokens.text(chunks[number].text)
        if left < 0:
            break
        kept.add(number)
    return joined(notes for number, notes in enumerate(chunks) if number in kept)


async def chosen_chunks(chunks: Sequence[Chunk], question: str, context: Context) -> Summary:
    """The chunks of which the model says that they bear on the question.

    A refusal, or a reply that says nothing, is no yes. Raises
    :class:`~pytest_compaction.models.ModelError` if it cannot be asked, or replies
    nothing at all.
    """

    async def reply_on(chunk: Chunk) -> bool | NoReplyError:
        view = (text_message("notes", "user", chunk.text, "synthetic"),)
        request = AnswerRequest(view, _ASKED.format(question=question), _REPLY, role="compaction")
        try:
            return _YES.match((await context.model.answer(request)).text) is not None
        except NoReplyError as error:
            return error

    replies = await asyncio.gather(*map(reply_on, chunks))
    silent = [reply for reply in replies if isinstance(reply, NoReplyError)]
    if silent and len(silent) == len(replies):
        raise silent[0]
    return joined(chunk for chunk, chosen in zip(chunks, replies, strict=True) if chosen is True)


def joined(chunks: Iterable[Chunk]) -> Summary:
    """Chunks as notes by section."""
    entries: dict[str, list[str]] = {}
    for chunk in chunks:
        entries.setdefault(chunk.section, []).extend(chunk.lines)
    return Summary(tuple((section, tuple(lines)) for section, lines in entries.items()))
