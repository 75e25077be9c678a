"""The noise filter of ``light``: which notes of the scratchpad bear on a question."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.case.case import AnswerSpec
from pytest_compaction.compactors.base.passages import ranked
from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation.messages import text_message
from pytest_compaction.models.protocol import AnswerRequest, NoReplyError
from pytest_compaction.models.structured_summary import Summary
from pytest_compaction.text import content_stems, normalize

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
    :class:`~pytest_compaction.models.protocol.ModelError` if it cannot be asked, or replies
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
