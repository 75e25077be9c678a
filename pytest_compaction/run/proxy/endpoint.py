"""The local endpoint of a run: it answers clients of strategies by the run's own means."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any, Final

from pytest_compaction.models.calls.accounts import Accounts
from pytest_compaction.models.calls.turns import in_turn
from pytest_compaction.models.protocol import ModelError, NotAskedError
from pytest_compaction.models.relay.answers import Answer, answer_of, error_answer
from pytest_compaction.models.relay.relay import Relay, in_trial
from pytest_compaction.models.relay.routes import RefusedError, Request, call_of
from pytest_compaction.models.usage import OwnCalls
from pytest_compaction.models.wire.call import Call, CallReply
from pytest_compaction.run.loops.metered_model import MeteredModel
from pytest_compaction.run.loops.request_limit import RequestLimit
from pytest_compaction.run.proxy.door import Door
from pytest_compaction.run.proxy.http import Exchange
from pytest_compaction.run.proxy.owners import Owners
from pytest_compaction.secrets.keys import scrubbed
from pytest_compaction.text.words import printable

_LAST: Final = 10**9
"""The rank of a request that belongs to no item: after those that do."""
_BACKLOG: Final = 512
"""Connections that may wait to be taken."""
_CHUNK: Final = 64 * 1024
_NOBODY: Final = Request("", "", {})


class RecordingEndpoint:
    """Answers those who come to a door: by ``relay``, and within ``limit``, in their turn.

    ``accounts`` note what could not be asked for a case that is not known.
    """

    def __init__(self, door: Door, relay: Relay, limit: RequestLimit, accounts: Accounts) -> None:
        self._door = door
        self._relay = relay
        self._limit = limit
        self._accounts = accounts
        self._owners = Owners(door.port)
        self._server: asyncio.Server | None = None

    async def serve(self) -> None:
        """Begin to answer, on the running loop."""
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
        with contextlib.suppress(OSError, asyncio.CancelledError):
            try:
                await self._exchanged(exchange, reader, owner)
            finally:
                writer.close()

    async def _exchanged(
        self, exchange: Exchange, reader: asyncio.StreamReader, owner: MeteredModel | None
    ) -> None:
        try:
            request = await exchange.request()
        except RefusedError as error:
            await exchange.answer(error_answer(_NOBODY, error))
            return
        if request is None:
            return
        answer = await _unless_gone(reader, self._answer(request, owner))
        if answer is not None:
            await exchange.answer(answer)

    async def _answer(self, request: Request, owner: MeteredModel | None) -> Answer:
        """The answer to a request; ``owner`` is the meter of the case that it is made for."""
        try:
            if not self._door.admits(request.headers):
                raise RefusedError(
                    401,
                    "this is the local endpoint of --compaction-proxy, and the key is not the one "
                    "that OPENAI_API_KEY and ANTHROPIC_API_KEY hold while the run lasts",
                )
            call = call_of(request)
            return answer_of(call, await self._reply(call, owner))
        except (ModelError, RefusedError) as error:
            if owner is None and isinstance(error, NotAskedError):
                said = printable(str(error), 300)
                note = f"a call of a strategy's own client, for no case that is known: {said}"
                self._accounts.post(lambda: self._accounts.note(note))
            return error_answer(request, error)

    async def _reply(self, call: Call, owner: MeteredModel | None) -> CallReply:
        relay = self._relay
        if owner is None:
            with in_turn(self._limit.at(_LAST)):
                return await _passed_on(relay, call)
        mine = in_trial(call, owner.trial)

        async def carried() -> tuple[CallReply, OwnCalls]:
            reply = await _passed_on(relay, mine)
            return reply, relay.used(mine, reply)

        return await owner.carried(carried)


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


async def _unless_gone(
    reader: asyncio.StreamReader, work: Coroutine[Any, Any, Answer]
) -> Answer | None:
    """The result of ``work``; ``None`` if the client goes away before, which cancels it."""
    answering = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_end_of(reader))
    try:
        await asyncio.wait({answering, gone}, return_when=asyncio.FIRST_COMPLETED)
        return answering.result() if answering.done() else None
    finally:
        for task in (answering, gone):
            task.cancel()
        await asyncio.gather(answering, gone, return_exceptions=True)


async def _end_of(reader: asyncio.StreamReader) -> None:
    """Wait until the client goes away; what it sends behind its request is for nobody."""
    while await reader.read(_CHUNK):
        pass
