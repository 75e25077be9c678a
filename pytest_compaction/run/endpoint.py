"""The local endpoint of a run: a port for clients of strategies, answered by the run's own means.

Only this machine can reach the port, and it wants a random token as the key, so that no other user
of the machine can spend the money of this one. The real key stays in this process. Each connection
serves one request: who opened it then tells whose request it is.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final
from urllib.request import getproxies

from pytest_compaction.models import (
    Accounts,
    Answer,
    Call,
    CallReply,
    ModelError,
    NotAskedError,
    OwnCalls,
    RefusedError,
    Relay,
    Request,
    answer_of,
    call_of,
    error_answer,
    requests_in,
)
from pytest_compaction.run.loop import MeteredModel, RequestLimit
from pytest_compaction.run.strategy_thread import AT_WORK
from pytest_compaction.secrets import point, scrubbed
from pytest_compaction.text import printable

HOST: Final = "127.0.0.1"
_TOKEN_BYTES: Final = 24
_EVENT: Final = "socket.connect"


class Door:
    """Has a port of its own; who serves ``socket`` takes connections, which are refused before.

    Code that asks while a strategy is still imported so gets an error at once, and does not wait
    for a reply that cannot come.
    """

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.socket.bind((HOST, 0))
        self.port: int = self.socket.getsockname()[1]
        self._token = secrets.token_urlsafe(_TOKEN_BYTES)

    def point_clients(self) -> Callable[[], None]:
        """Point clients that read the environment to this port. The result takes it back."""
        url = f"http://{HOST}:{self.port}"
        variables: dict[str, str | None] = {
            "OPENAI_BASE_URL": f"{url}/v1",
            "OPENAI_API_BASE": f"{url}/v1",
            "OPENAI_API_KEY": self._token,
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_BASE": url,
            "ANTHROPIC_API_KEY": self._token,
            "ANTHROPIC_AUTH_TOKEN": None,
        }
        found = getproxies()
        # Of the two spellings one hides the other, and "*" means all hosts only if it is alone.
        direct = found.get("no", "").strip()
        if found and direct != "*":
            direct = f"{direct},{HOST}" if direct else HOST
            variables |= {"no_proxy": direct, "NO_PROXY": direct}
        return point(variables)

    def admits(self, headers: Mapping[str, str]) -> bool:
        """Whether the headers of a request, by names in lower case, hold the token."""
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        keys = (
            bearer.strip() if scheme.lower() == "bearer" else "",
            headers.get("x-api-key", "").strip(),
        )
        return any(secrets.compare_digest(key.encode(), self._token.encode()) for key in keys)

    def close(self) -> None:
        self.socket.close()


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

    async def request(self) -> Request | None:
        """The request; ``None`` if the client went away before it was whole."""
        h11, head, data = self._h11, None, bytearray()
        while True:
            try:
                event = self._connection.next_event()
            except h11.RemoteProtocolError as error:
                raise RefusedError(400, f"this is not an HTTP request: {error}") from None
            if event is h11.NEED_DATA:
                self._connection.receive_data(await self._reader.read(_CHUNK))
            elif isinstance(event, h11.Request):
                head = event
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
        self._writer.write(send(h11.Data(data=answer.data)))
        self._writer.write(send(h11.EndOfMessage()))
        await self._writer.drain()


_watched: dict[int, dict[int, MeteredModel]] = {}
"""By port of an endpoint: the meters, by the ports of the connections that were opened for them."""
_hooked: list[Callable[..., object]] = []


class Owners:
    """Knows whose the connections to ``port`` of this machine are.

    A client does not say for whom it works, but the code of a strategy runs in a thread or a task
    that knows the case. An audit event tells of each connection before it is opened.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._meters = _watched[port] = {}
        if not _hooked:
            # A hook cannot be removed; without a port to watch it does nothing.
            _hooked.append(_note)
            sys.addaudithook(_note)

    def take(self, port: int) -> MeteredModel | None:
        """The meter of the case for which the connection from ``port`` was opened, told once."""
        return self._meters.pop(port, None)

    def close(self) -> None:
        _watched.pop(self._port, None)


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event != _EVENT or not _watched:
        return
    opened, address = arguments
    if not isinstance(address, tuple) or address[0] != HOST or address[1] not in _watched:
        return
    meter = AT_WORK.get()
    if meter is None:
        return
    with contextlib.suppress(OSError):  # a connection that cannot be noted belongs to nobody
        if not opened.getsockname()[1]:
            opened.bind((HOST, 0))
        _watched[address[1]][opened.getsockname()[1]] = meter


_LAST: Final = 10**9
"""The rank of a request that belongs to no item: after those that do."""
_BACKLOG: Final = 512
_NOBODY: Final = Request("", "", {})


class RecordingEndpoint:
    """Answers those who come to a door: by ``relay``, and within ``limit``, in their turn."""

    def __init__(self, door: Door, relay: Relay, limit: RequestLimit, accounts: Accounts) -> None:
        self._door = door
        self._relay = relay
        self._limit = limit
        self._accounts = accounts
        self._owners = Owners(door.port)
        self._server: asyncio.Server | None = None

    async def serve(self) -> None:
        self._server = await asyncio.start_server(
            self._connected, sock=self._door.socket, backlog=_BACKLOG
        )

    async def close(self) -> None:
        """Answer no more, and close all connections. For the loop that serves."""
        self._owners.close()
        if self._server is not None:
            self._server.close()
        await self._relay.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        owner = self._owners.take(writer.get_extra_info("peername")[1])
        exchange = Exchange(reader, writer)
        # Whoever goes away, or is cancelled with the run, hears no more.
        with contextlib.suppress(OSError, asyncio.CancelledError), contextlib.closing(writer):
            try:
                request = await exchange.request()
            except RefusedError as error:
                await exchange.answer(error_answer(_NOBODY, error))
                return
            if request is not None:
                await exchange.answer(await self._answer(request, owner))

    async def _answer(self, request: Request, owner: MeteredModel | None) -> Answer:
        try:
            if not self._door.admits(request.headers):
                raise RefusedError(
                    401,
                    "this is the local endpoint of --compaction-proxy, and the key is not the one "
                    "that OPENAI_API_KEY and ANTHROPIC_API_KEY hold while the run lasts",
                )
            call, relay = call_of(request), self._relay
            if owner is None:
                with requests_in(self._limit.at(_LAST)):
                    return answer_of(call, await _passed_on(relay, call))
            mine = replace(call, trial=owner.trial)

            async def carried() -> tuple[CallReply, OwnCalls]:
                reply = await _passed_on(relay, mine)
                return reply, relay.used(mine, reply)

            return answer_of(call, await owner.carried(carried))
        except (ModelError, RefusedError) as error:
            if owner is None and isinstance(error, NotAskedError):
                said = printable(str(error), 300)
                note = f"a call of a strategy's own client, for no case that is known: {said}"
                self._accounts.note(note)
            return error_answer(request, error)


async def _passed_on(relay: Relay, call: Call) -> CallReply:
    """The reply to a call; a failure of the relay itself is one of a call that was not made.

    A strategy that goes on without a reply is then not measured as if that were its own doing.
    """
    try:
        return await relay.call(call)
    except ModelError:
        raise
    except Exception as error:
        said = printable(scrubbed(f"{type(error).__name__}: {error}"), 200)
        raise NotAskedError(
            f"--compaction-proxy could not pass on a request to {printable(call.model, 80)} "
            f"({said})"
        ) from error
