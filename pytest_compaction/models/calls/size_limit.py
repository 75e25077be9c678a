"""A bound on what is read of a reply, compressed or not."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from typing import Any, Final

from pytest_compaction.models.calls.http import httpx

_ENCODING: Final = "content-encoding"
_INFLATED: Final = frozenset({"gzip", "x-gzip", "deflate"})


class Bounded:
    """A response hook of the HTTP client that ends reading at ``limit`` bytes.

    A longer reply gets ``mark`` among its extensions. It raises no error, because an error
    while reading looks like a lost connection, after which the request would be repeated.
    The bound on a compressed reply is on what it unpacks to.
    """

    def __init__(self, limit: int, mark: str) -> None:
        self._limit = limit
        self._mark = mark

    async def __call__(self, response: Any) -> None:
        """Bound a response that is about to be read."""
        # Without the header the client does not unpack the reply a second time.
        inflate = response.headers.get(_ENCODING, "").strip().lower() in _INFLATED
        if _ENCODING in response.headers:
            del response.headers[_ENCODING]
        response.stream = _BoundedStream(response, self._limit, self._mark, inflate)


class _BoundedStream(httpx.AsyncByteStream):
    def __init__(self, response: Any, limit: int, mark: str, inflate: bool) -> None:
        self._response = response
        self._inner = response.stream
        self._left = limit
        self._mark = mark
        self._inflater = zlib.decompressobj(zlib.MAX_WBITS | 32) if inflate else None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for data in self._inner:
            chunk = data if self._inflater is None else self._inflated(self._inflater, data)
            if len(chunk) > self._left:
                self._response.extensions[self._mark] = True
                return
            self._left -= len(chunk)
            yield chunk

    def _inflated(self, inflater: Any, data: bytes) -> bytes:
        try:
            unpacked: bytes = inflater.decompress(data, self._left + 1)
        except zlib.error as error:
            raise httpx.DecodingError(f"the reply is badly compressed ({error})") from error
        return unpacked

    async def aclose(self) -> None:
        await self._inner.aclose()
