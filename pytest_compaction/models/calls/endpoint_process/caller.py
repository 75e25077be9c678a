"""Has calls sent, and their replies kept, by a process of its own, whose loop does nothing else.

The openai package takes as long for a call as all that this plugin adds to it, and neither it nor
the file of a reply needs what else the run knows. So where a processor is to spare, another process
sends requests and keeps replies while this one makes the next request and reads the last reply.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from typing import Final

from pytest_compaction.models.calls.endpoint import Endpoint
from pytest_compaction.models.calls.endpoint_process.link import Link, open_link
from pytest_compaction.models.calls.turns import until_in_flight
from pytest_compaction.models.wire.call import Call, CallReply

_SENDERS: Final = ("openai", "httpx", "httpx2", "httpcore")
"""Packages that send calls. Who has loaded one may have changed it: recorders and mocks do."""


def may_leave() -> bool:
    """Whether calls that another process sends are the same calls.

    They are not if tests or plugins of the user have loaded a package that sends them, which they
    may have changed, or have put something else in the place of sockets.
    """
    return (
        hasattr(socket, "AF_UNIX")
        and socket.socket.__module__ == "socket"
        and not any(name in sys.modules for name in _SENDERS)
    )


class EndpointProcess:
    """A :class:`~pytest_compaction.models.wire.call.Caller` that has ``endpoint``'s calls sent.

    The process is started at the first call, and serves its loop until :meth:`close`. Calls of
    other loops are sent here, and all where no process can be started or it would not send the
    same. So are those after a process has died: what flew then is lost like a broken connection.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opening: asyncio.Task[Link | None] | None = None

    @property
    def total(self) -> float:
        """Seconds that a whole call may take."""
        return self._endpoint.total

    async def call(self, call: Call) -> CallReply:
        """The endpoint's reply; fails as the call of an :class:`Endpoint` does."""
        link = await self._linked()
        if link is not None:
            return await link.call(call)
        await until_in_flight()
        return await self._endpoint.call(call)

    async def keeps(self) -> bool:
        """Whether the process would send a call that is made now, and keep its reply."""
        return await self._linked() is not None

    async def close(self) -> None:
        """Close the connections of the running loop; a later call opens new ones."""
        opening = self._opening
        if opening is not None and self._loop is asyncio.get_running_loop():
            self._opening = None
            link = await opening
            if link is not None:
                await link.close()
        await self._endpoint.close()

    async def _linked(self) -> Link | None:
        """The link to the process, if it serves the running loop."""
        loop = asyncio.get_running_loop()
        if self._opening is None:
            self._loop = loop
            self._opening = loop.create_task(self._opened())
        if self._loop is not loop:
            return None
        opening = self._opening
        link = opening.result() if opening.done() else await asyncio.shield(opening)
        return None if link is None or link.is_broken else link

    async def _opened(self) -> Link | None:
        return await open_link(self._endpoint.limits) if may_leave() else None
