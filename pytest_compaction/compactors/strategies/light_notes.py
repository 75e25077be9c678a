"""The notes of ``light``: what a model writes of a pair or a span, and the scratchpad of it.

The noise filter of ``light``: which notes of the scratchpad bear on a question.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
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
    longer = _joined(notes, [written.summary])
    if context.tokens.text(longer.render(SECTIONS)) <= limit:
        return Noted(longer)
    compressed = await _compressed(longer, limit, context)
    return Noted(compressed.summary, error=compressed.error)


async def noted_pairs(
    notes: Summary, pairs: Iterable[Episode], limit: int, context: Context
) -> Noted:
    """The scratchpad with the notes of each pair in order, and the notes by which it is found.

    A refusal, or a reply that is of no use, leaves a pair without notes. A model that cannot be
    asked, or that has nothing of use to say of any pair, is an error.
    """
    keys: dict[str, str] = {}
    error: str | None = None
    scratchpad = _Scratchpad(notes, limit, context)
    left = iter(pairs)
    while batch := list(islice(left, _AT_ONCE)):
        replies = await asyncio.gather(*(_pair_notes(pair, context) for pair in batch))
        for pair, written in zip(batch, replies, strict=True):
            if written.raised and not written.silent:
                return Noted(notes, error=written.error)
            if written.error:
                error = error or written.error
                continue
            keys[pair.id] = "\n".join(
                line for _, lines in written.summary.entries for line in lines
            )
            failure = await scratchpad.append(written.summary)
            if failure:
                return Noted(notes, error=failure)
    if error and not keys:
        return Noted(notes, error=error)
    return Noted(scratchpad.notes, keys)


async def _pair_notes(pair: Episode, context: Context) -> Written:
    return await write_summary(context, pair.messages, PAIR_SECTIONS, PAIR_TOKENS)


class _Scratchpad:
    """Notes that grow entry by entry, and are compressed when they pass their limit."""

    def __init__(self, notes: Summary, limit: int, context: Context) -> None:
        self._limit = limit
        self._context = context
        self._lines: dict[str, dict[str, None]] = {}
        self._most = 0  # tokens of the notes, at most
        self._fill(notes)

    @property
    def notes(self) -> Summary:
        """The notes so far."""
        return Summary(tuple((id, tuple(lines)) for id, lines in self._lines.items()))

    async def append(self, notes: Summary) -> str | None:
        """Add notes at the end. Returns why they could not be compressed, if so."""
        self._add(notes)
        if self._most <= self._limit:
            return None
        # The sum is more than the tokens of the whole, which are only counted where it matters.
        self._most = self._context.tokens.text(self.notes.render(SECTIONS))
        if self._most <= self._limit:
            return None
        compressed = await _compressed(self.notes, self._limit, self._context)
        if compressed.error:
            return compressed.error
        self._fill(compressed.summary)
        return None

    def _fill(self, notes: Summary) -> None:
        self._lines = {section.id: {} for section in SECTIONS}
        self._most = self._context.tokens.text(Summary(()).render(SECTIONS))
        self._add(notes)

    def _add(self, notes: Summary) -> None:
        for id, known in self._lines.items():
            for line in notes.of(id):
                if line in known:
                    del known[line]  # said again, it is as new as what was said last
                else:
                    self._most += self._context.tokens.text(line) + 3
                known[line] = None


async def _compressed(notes: Summary, limit: int, context: Context) -> Written:
    """The notes in half of the limit; newer values win."""
    text = notes.render(SECTIONS)
    scratchpad = [text_message("scratchpad", "user", text, "synthetic")]
    size = limit // COMPRESSED_AT
    return await write_summary(context, scratchpad, SECTIONS, size, instructions=NEWER_WINS)


def _joined(notes: Summary, more: Iterable[Summary]) -> Summary:
    parts = (notes, *more)
    return Summary(
        tuple(
            (
                section.id,
                tuple(dict.fromkeys(line for part in parts for line in part.of(section.id))),
            )
            for section in SECTIONS
        )
    )


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
    return [
        Chunk(section, tuple(lines))
        for section, entries in notes.entries
        for lines in _parted(entries)
    ]


def _parted(lines: Iterable[str]) -> Iterator[list[str]]:
    held: list[str] = []
    size = 0
    last: frozenset[str] = frozenset()
    for line in lines:
        stems = frozenset(content_stems(normalize(line)))
        full = size + len(line) > CHUNK_CHARACTERS
        if held and (full or (size >= _SHORTEST and not stems & last)):
            yield held
            held, size = [], 0
        held.append(line)
        size += len(line)
        last = stems
    if held:
        yield held


def notes_by_words(notes: Summary, question: str) -> Summary:
    """The notes that share a term with the question."""
    entries = [(section, text) for section, lines in notes.entries for text in lines]
    passing = set(ranked([text for _, text in entries], question))
    kept = [entry for number, entry in enumerate(entries) if number in passing]
    return Summary(
        tuple(
            (section, tuple(text for holder, text in kept if holder == section))
            for section, _ in notes.entries
        )
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
    replies = await asyncio.gather(*(_is_chosen(chunk, question, context) for chunk in chunks))
    silent = [reply for reply in replies if isinstance(reply, NoReplyError)]
    if silent and len(silent) == len(replies):
        raise silent[0]
    return joined(chunk for chunk, chosen in zip(chunks, replies, strict=True) if chosen is True)


async def _is_chosen(chunk: Chunk, question: str, context: Context) -> bool | NoReplyError:
    view = (text_message("notes", "user", chunk.text, "synthetic"),)
    asked = _ASKED.format(question=question)
    try:
        reply = await context.model.answer(AnswerRequest(view, asked, _REPLY, role="compaction"))
    except NoReplyError as error:
        return error
    return _YES.match(reply.text) is not None


def joined(chunks: Iterable[Chunk]) -> Summary:
    """Chunks as notes by section."""
    entries: dict[str, list[str]] = {}
    for chunk in chunks:
        entries.setdefault(chunk.section, []).extend(chunk.lines)
    return Summary(tuple((section, tuple(lines)) for section, lines in entries.items()))
