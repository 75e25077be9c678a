"""One HTTP request and its response over a connection, by the package h11.

Each connection serves one request: who opened it then tells whose request it is.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from pytest_compaction.models.relay.answers import Answer
from pytest_compaction.models.relay.routes import RefusedError, Request

MAX_REQUEST_BYTES: Final = 64 * 1024 * 1024
_CHUNK: Final = 64 * 1024


class Exchange:
    """Reads a request from a connection, and writes the answer to it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        import h11  # the package of HTTP clients, loaded with them

        self._h11: Any = h11
        self._connection: Any = h11.Connection(h11.SERVER)
        self._reader = reader
        self._writer = writer
        self._heads_only = False

    async def request(self) -> Request | None:
        """The request; ``None`` if the client went away before it was whole.

        Raises :class:`RefusedError` for one that is no HTTP, or too long.
        """
        h11, head, data = self._h11, None, bytearray()
        while True:
            try:
                event = self._connection.next_event()
            except h11.RemoteProtocolError as error:
                raise RefusedError(400, f"this is not an HTTP request: {error}") from None
            if event is h11.NEED_DATA:
                await self._let_go_on()
                self._connection.receive_data(await self._reader.read(_CHUNK))
            elif isinstance(event, h11.Request):
                head = event
                self._heads_only = event.method == b"HEAD"
            elif isinstance(event, h11.Data):
                data += event.data
                if len(data) > MAX_REQUEST_BYTES:
                    raise RefusedError(413, "the request is longer than 64 MB")
            elif head is None or isinstance(event, h11.ConnectionClosed):
                return None
            else:
                # Latin-1 reads any byte; h11 gives names in lower case.
                headers = {name.decode(): value.decode("latin-1") for name, value in head.headers}
                return Request(head.method.decode(), head.target.decode(), headers, bytes(data))

    async def answer(self, answer: Answer) -> None:
        """Send the answer. The client is told to ask nothing more here, and not to repeat it."""
        h11, send = self._h11, self._connection.send
        headers = [
            ("content-type", answer.kind),
            ("content-length", str(len(answer.data))),
            ("connection", "close"),
            ("x-should-retry", "false"),
        ]
        self._writer.write(send(h11.Response(status_code=answer.status, headers=headers)))
        if not self._heads_only:
            self._writer.write(send(h11.Data(data=answer.data)))
        self._writer.write(send(h11.EndOfMessage()))
        await self._writer.drain()

    async def _let_go_on(self) -> None:
        if self._connection.they_are_waiting_for_100_continue:
            going_on = self._h11.InformationalResponse(status_code=100, headers=[])
            self._writer.write(self._connection.send(going_on))
            await self._writer.drain()
