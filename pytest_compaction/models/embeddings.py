"""Embeddings of texts: how a strategy asks for them, and how their vectors are kept.

A vector is kept with length 1, as numbers of two bytes in base64: a store of texts as JSON would be
mostly digits else, and a cosine differs by less than a thousandth.
"""

from __future__ import annotations

import asyncio
import base64
import math
import struct
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_compaction.models.protocol import Model, UnsupportedError
from pytest_compaction.models.usage import Usage


@dataclass(frozen=True, slots=True)
class EmbedRequest:
    """Give the vectors of ``texts`` by the embedding model of that name."""

    model: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EmbedReply:
    """A vector for each text, :func:`packed <unpacked>`, and what they cost.

    The vectors of an estimate are empty.
    """

    vectors: tuple[str, ...]
    usage: Usage = Usage()
    latency_s: float | None = None


async def embedded(model: Model, request: EmbedRequest) -> EmbedReply:
    """The reply of a model; raises :class:`UnsupportedError` for one without an endpoint."""
    embed = getattr(model, "embed", None)
    if embed is None:
        raise UnsupportedError(
            f"the model {model.name!r} has no embeddings; name one whose endpoint has them, as in "
            "--compaction-model=gpt-4o-mini, or leave embedding= out"
        )
    reply: EmbedReply = await embed(request)
    return reply


async def vectors_of(
    model: Model, name: str, parts: Iterable[tuple[str, ...]]
) -> list[tuple[str, ...]]:
    """The vectors of each part by the embedding model ``name``: a request a part, all at once."""
    calls = (embedded(model, EmbedRequest(name, part)) for part in parts)
    replies = await asyncio.gather(*calls, return_exceptions=True)  # an export notes them all
    vectors: list[tuple[str, ...]] = []
    for reply in replies:
        if isinstance(reply, BaseException):
            raise reply
        vectors.append(reply.vectors)
    return vectors


def unpacked(vector: str) -> Sequence[float]:
    """The numbers of a vector as it is kept. Raises ``ValueError`` for anything else."""
    data = base64.b64decode(vector, validate=True)
    try:
        return array("f", struct.unpack(f"<{len(data) // 2}e", data))
    except struct.error:
        raise ValueError("no whole numbers of two bytes") from None


def with_kept_vectors(body: Mapping[str, Any]) -> dict[str, Any]:
    """The reply of an endpoint as it is kept; what is no list of numbers stays as it came."""
    data = body.get("data")
    items = data if isinstance(data, list) else []
    return {**body, "data": [_kept(item) for item in items]} if items else dict(body)


def _kept(item: Any) -> Any:
    found = item.get("embedding") if isinstance(item, Mapping) else None
    if not isinstance(found, list) or not all(type(each) in {int, float} for each in found):
        return item
    length = math.hypot(*found) or 1.0
    packed = struct.pack(f"<{len(found)}e", *(each / length for each in found))
    return {**item, "embedding": base64.b64encode(packed).decode()}


def vectors_in(body: Mapping[str, Any], count: int) -> tuple[str, ...]:
    """The vectors of a reply to ``count`` texts as they are kept, in their order.

    Raises ``ValueError`` for another reply; the text says what is wrong with it.
    """
    data = with_kept_vectors(body).get("data")
    items = [item for item in data if isinstance(item, Mapping)] if isinstance(data, list) else []
    if len(items) != count:
        raise ValueError(f"its reply has {len(items)} vectors for {count} texts")
    items.sort(key=lambda item: item.get("index", 0))
    try:
        vectors = tuple(item["embedding"] for item in items)
        lengths = {len(unpacked(vector)) for vector in vectors}
    except (KeyError, TypeError, ValueError):
        raise ValueError("a vector of its reply is no list of numbers") from None
    if len(lengths) > 1:
        raise ValueError("the vectors of its reply have different lengths")
    return vectors
