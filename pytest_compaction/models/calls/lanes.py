"""A transport of several small pools of connections, for many requests at a time.

Before and after each request the pool of the HTTP package asks the system about every idle
connection, one after the other. Of 32 connections that cost as much as the rest of a call,
measured. Here a request goes to the first pool with room, so that only a few are asked.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Final

from pytest_compaction.models.calls.http import httpx

SIZE: Final = 1
"""Requests in flight of one pool; with more, each would ask the system about more connections."""


@dataclass(slots=True)
class _Lane:
    transport: httpx.AsyncBaseTransport
    busy: int = 0

    def leave(self) -> None:
        self.busy -= 1


class LanedTransport(httpx.AsyncBaseTransport):
    """Sends each request through the first pool with fewer than :data:`SIZE` in flight.

    ``new_pool`` makes a further pool when all are full.
    """

    def __init__(self, new_pool: Callable[[], httpx.AsyncBaseTransport]) -> None:
        self._new_pool = new_pool
        self._lanes: list[_Lane] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; its place is free again when the reply is closed, or failed."""
        lane = self._free()
        lane.busy += 1
        try:
            response = await lane.transport.handle_async_request(request)
        except BaseException:
            lane.leave()
            raise
        if not isinstance(response.stream, httpx.AsyncByteStream):
            lane.leave()
            return response
        response.stream = _LeavingStream(response.stream, lane.leave)
        return response

    async def aclose(self) -> None:
        """Close all pools."""
        for lane in self._lanes:
            await lane.transport.aclose()

    def _free(self) -> _Lane:
        for lane in self._lanes:
            if lane.busy < SIZE:
                return lane
        lane = _Lane(self._new_pool())
        self._lanes.append(lane)
        return lane


class _LeavingStream(httpx.AsyncByteStream):
    """A stream that tells when it is closed, once."""

    def __init__(self, inner: httpx.AsyncByteStream, leave: Callable[[], None]) -> None:
        self._inner = inner
        self._leave: Callable[[], None] | None = leave

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for data in self._inner:
            yield data

    async def aclose(self) -> None:
        try:
            await self._inner.aclose()
        finally:
            if self._leave is not None:
                self._leave()
                self._leave = None
