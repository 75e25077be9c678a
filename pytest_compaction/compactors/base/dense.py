"""Dense retrieval beside BM25: what an embedding model finds near a question."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import mul
from typing import Any, Final

from pytest_compaction.compactors.base.passages import Archive
from pytest_compaction.compactors.parameters import parameter
from pytest_compaction.compactors.protocol import Context
from pytest_compaction.models import unpacked, vectors_of

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
