"""Passages of older messages that bear on a question, found by BM25 within a token limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.compactors.base.bounds import without_middle
from pytest_compaction.conversation.messages import Message, readable
from pytest_compaction.text.bm25 import BM25
from pytest_compaction.text.words import content_stems, normalize

PASSAGE_CHARACTERS: Final = 600
_BETWEEN: Final = 24
"""More tokens than a passage adds beside its text and the name of its origin: the brackets, line
ends, a mark before and after it, and what it costs that tokens no longer reach across its ends."""
_MISSES: Final = 8
"""After this many passages that do not fit, the search ends."""

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a text; ``origin`` says where it is from, ``place`` orders passages."""

    origin: str
    text: str
    place: int


def ranked(texts: Sequence[str], question: str) -> list[int]:
    """Indices of the texts that share a term with the question, the best first."""
    return _by_rank(_index_of(texts), question)


def _index_of(texts: Iterable[str]) -> BM25:
    return BM25(content_stems(normalize(text)) for text in texts)


def _by_rank(index: BM25, question: str) -> list[int]:
    """Numbers of the documents that share a term with the question, the best first."""
    scores = index.scores(content_stems(normalize(question)))
    found = [number for number, score in enumerate(scores) if score > 0]
    return sorted(found, key=lambda number: (-scores[number], number))


@dataclass(frozen=True, slots=True)
class Archive:
    """Passages with an index, made once for all questions."""

    passages: Sequence[Passage]
    index: BM25

    def ranked(self, question: str) -> Iterator[Passage]:
        """The passages that share a term with the question, the best first."""
        return (self.passages[number] for number in _by_rank(self.index, question))


def archive_of(messages: Sequence[Message]) -> Archive:
    """The passages of messages, indexed."""
    passages = passages_of(messages)
    return indexed_by(passages, (passage.text for passage in passages))


def indexed_by(passages: Sequence[Passage], keys: Iterable[str]) -> Archive:
    """Passages that are found by other texts, a key each."""
    return Archive(passages, _index_of(keys))


def passages_of(messages: Sequence[Message], characters: int = PASSAGE_CHARACTERS) -> list[Passage]:
    """The readable text of messages, whole lines together, in passages of limited length."""
    found: list[Passage] = []
    for message in messages:
        held: list[str] = []
        for line in [*_lines(readable(message), characters), None]:
            if held and (line is None or sum(map(len, held)) + len(line) > characters):
                text = "\n".join(held)
                found.append(Passage(f"{message.id}, {message.role}", text, len(found)))
                held = []
            if line is not None:
                held.append(line)
    return found


def _lines(text: str, characters: int) -> list[str]:
    return [
        line[start : start + characters]
        for line in text.splitlines()
        if line.strip()
        for start in range(0, len(line), characters)
    ]


def best_passages(archive: Archive, question: str, room: int, count: Count) -> str:
    """Passages that answer a question best, in their order, within ``room`` tokens.

    Empty if no passage that shares a term with the question fits.
    """
    kept: list[Passage] = []
    most = 0  # tokens of what is kept, at most
    misses = 0
    for passage in archive.ranked(question):
        added = count(passage.text) + count(passage.origin) + _BETWEEN
        if most + added > room:  # only then it is worth counting the whole
            exact = count(shown([*kept, passage]))
            if exact > room:
                misses += 1
                if misses >= _MISSES:
                    break
                continue
            most, added = exact, 0
        kept.append(passage)
        most += added
    return shown(kept)


def shown(passages: Sequence[Passage]) -> str:
    """Passages in their order, each origin named once before its passages."""
    lines: list[str] = []
    last: Passage | None = None
    for passage in sorted(passages, key=lambda passage: passage.place):
        if last is None or passage.origin != last.origin:
            lines.append(f"{'' if last is None else chr(10)}[{passage.origin}]")
        elif passage.place != last.place + 1:
            lines.append("…")
        lines.append(passage.text)
        last = passage
    return "\n".join(lines)


def cut_to(text: str, room: int, count: Count) -> str:
    """A text with its middle cut until it fits ``room`` tokens; empty if hardly any is left."""
    length = len(text)
    while text and count(text) > room:
        length = length * 3 // 4
        if length < 40:
            return ""
        text = without_middle(text, length)
    return text
