"""Passages and episodes of older messages that bear on a question, found by BM25 within a limit."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from operator import mul
from typing import Any, Final

from pytest_compaction.compactors.base.cuts import newest_part, pending_start
from pytest_compaction.compactors.base.summaries import without_middle
from pytest_compaction.compactors.parameters import parameter
from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation import Message, groups, last_user, readable
from pytest_compaction.models import unpacked, vectors_of
from pytest_compaction.text import BM25, content_stems, normalize

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


_RANK: Final = 60
"""The constant of reciprocal rank fusion in its source (Cormack, Clarke and Büttcher, 2009)."""


def fused(rankings: Iterable[Sequence[int]]) -> list[int]:
    """One ranking of several, each with the best first; the place r in one counts 1 / (60 + r)."""
    scores: defaultdict[int, float] = defaultdict(float)
    for ranking in rankings:
        for place, number in enumerate(ranking, start=1):
            scores[number] += 1 / (_RANK + place)
    return sorted(scores, key=lambda number: (-scores[number], number))


def _index_of(texts: Iterable[str]) -> BM25:
    return BM25(content_stems(normalize(text)) for text in texts)


def _by_rank(index: BM25, question: str) -> list[int]:
    scores = index.scores(content_stems(normalize(question)))
    found = [number for number, score in enumerate(scores) if score > 0]
    return sorted(found, key=lambda number: (-scores[number], number))


@dataclass(frozen=True, slots=True)
class Archive:
    """Passages, the text by which each is found, and an index, made once for all questions."""

    passages: Sequence[Passage]
    keys: tuple[str, ...]
    index: BM25

    def ranked(self, question: str, near: Sequence[int] = ()) -> Iterator[Passage]:
        """The passages that share a term with the question or are ``near`` it, the best first."""
        order = _by_rank(self.index, question)
        return (self.passages[number] for number in (fused([order, near]) if near else order))


def archive_of(messages: Sequence[Message]) -> Archive:
    """The passages of messages, indexed."""
    passages = passages_of(messages)
    return indexed_by(passages, (passage.text for passage in passages))


def indexed_by(passages: Sequence[Passage], keys: Iterable[str]) -> Archive:
    """Passages that are found by other texts, a key each."""
    keys = tuple(keys)
    return Archive(passages, keys, _index_of(keys))


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


def best_passages(
    archive: Archive,
    question: str,
    room: int,
    count: Count,
    near: Sequence[int] = (),
    best: int | None = None,
) -> str:
    """Passages that answer a question best, in their order, within ``room`` tokens.

    Only the ``best`` first are looked at. Empty if no passage that shares a term with the question,
    or is ``near`` it, fits.
    """
    kept: list[Passage] = []
    most = 0  # tokens of what is kept, at most
    misses = 0
    for passage in islice(archive.ranked(question, near), best):
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


HEADING: Final = "## Episodes"
_ORIGIN: Final = 10
"""Tokens for the line that says which message an episode is from."""


@dataclass(frozen=True, slots=True)
class Episode:
    """A user message with the reply that follows it, or a further reply with its results."""

    messages: tuple[Message, ...]

    @property
    def id(self) -> str:
        """The id of its first message."""
        return self.messages[0].id

    @property
    def text(self) -> str:
        """Its messages, word for word."""
        return "\n".join(f"{message.role}: {readable(message)}" for message in self.messages)


def episodes_of(messages: Sequence[Message]) -> Iterator[Episode]:
    """The episodes of messages, in order; every message is in one of them."""
    held: list[Message] = []
    ranges = groups(messages)
    for number, (begin, end) in enumerate(ranges):
        held += messages[begin:end]
        follows = messages[ranges[number + 1][0]].role if number + 1 < len(ranges) else ""
        if messages[begin].role == "user" and follows == "assistant":
            continue
        yield Episode(tuple(held))
        held = []


def episode_index(messages: Sequence[Message], keys: Mapping[str, str]) -> Archive:
    """The episodes of messages, found by their notes; one without notes by its own words."""
    episodes = enumerate(episodes_of(messages))
    passages = [Passage(each.id, each.text, 2 * place) for place, each in episodes]
    return indexed_by(passages, (keys.get(each.origin) or each.text for each in passages))


def newest_pairs(
    body: Sequence[Message], most: int, room: int, context: Context
) -> tuple[Message, ...] | None:
    """The newest episodes that fit, ``most`` at most, with the last message of the user.

    ``body`` are the messages after the system prompt; see :func:`newest_part`.
    """
    lengths = [len(episode.messages) for episode in episodes_of(body)]
    begin = len(body) - sum(lengths[len(lengths) - min(most, len(lengths)) :])
    begin = min(begin, pending_start(body))
    live = last_user(body)
    older = [live] if live is not None and live not in body[begin:] else []
    return newest_part([*older, *body[begin:]], room, context, opened=True)


def shown_episodes(best: Sequence[Passage], room: int, count: Count) -> str:
    """Episodes word for word as far as the room goes.

    A nearer episode may take half of the rest, so that a long one leaves room for others.
    """
    kept: list[Passage] = []
    left = room - count(HEADING)
    for place, episode in enumerate(best, start=1):
        most = left if place == len(best) else left // 2
        text = cut_to(episode.text, most - _ORIGIN, count)
        if text:
            kept.append(replace(episode, text=text))
            left -= count(text) + _ORIGIN
    text = f"{HEADING}\n{shown(kept)}" if kept else ""
    return text if count(text) <= room else ""


Nearest = Callable[[Archive], Sequence[int]]
"""Gives the numbers of the texts of an archive, the nearest to a question first."""
_AT_ONCE: Final = 256
"""Texts of one request at most."""
_CHARACTERS: Final = 8000
"""Of a longer text the beginning is embedded: models read some 8,000 tokens at most."""


def by_words(_: Archive) -> Sequence[int]:
    """Nothing is known to be near, so that BM25 decides alone."""
    return ()


def embedding_model() -> Any:
    """A field for the name of an embedding model; empty for BM25 alone."""

    def check(name: str, value: Any) -> None:
        if not isinstance(value, str):
            raise ValueError(f"{name}={value} must be the name of an embedding model")

    return parameter("", check)


async def with_vectors(
    known: Mapping[str, list[str]], archive: Archive, name: str, context: Context
) -> dict[str, list[str]]:
    """The vectors by text, those of an archive among them: what is not known is asked for.

    A request has the texts of one message. Raises :class:`~pytest_compaction.models.ModelError` if
    there are no embeddings.
    """
    parts = {_key(part): part for part in _parts(archive)}
    new = {key: part for key, part in parts.items() if key not in known}
    found = await vectors_of(context.model, name, new.values())
    return {**known, **{key: list(vectors) for key, vectors in zip(new, found, strict=True)}}


async def nearest_to(
    question: str, vectors: Mapping[str, list[str]], name: str, context: Context
) -> Nearest:
    """What is near the question; a text without a vector is not. Raises as above."""
    [[packed]] = await vectors_of(context.model, name, [(question,)])
    wanted = unpacked(packed)

    def near(archive: Archive) -> Sequence[int]:
        scores: dict[int, float] = {}
        number = 0
        for part in _parts(archive):
            for place, vector in enumerate(vectors.get(_key(part), ())):
                scores[number + place] = sum(map(mul, wanted, unpacked(vector)))
            number += len(part)
        if not any(scores.values()):  # an estimate has no vectors
            return ()
        return sorted(scores, key=lambda number: (-scores[number], number))

    return near


def _parts(archive: Archive) -> Iterator[tuple[str, ...]]:
    """The texts of an archive in their order, those of one message together."""
    pairs = zip(archive.passages, archive.keys, strict=True)
    for _, alike in groupby(pairs, key=lambda pair: pair[0].origin):
        texts = [key[:_CHARACTERS] for _, key in alike]
        for start in range(0, len(texts), _AT_ONCE):
            yield tuple(texts[start : start + _AT_ONCE])


def _key(part: tuple[str, ...]) -> str:
    text = "\0".join(part)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
