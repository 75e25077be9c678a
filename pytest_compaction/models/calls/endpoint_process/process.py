"""The process at the other end: it sends each call that it is told, all at the same time."""

from __future__ import annotations

import asyncio
import os
import socket
import traceback
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final

from pytest_compaction.models.calls.endpoint import Endpoint, Limits
from pytest_compaction.models.calls.endpoint_process.frames import Frames
from pytest_compaction.models.calls.store_file import (
    Answered,
    file_answer,
    forget_request,
    prepare_request,
)
from pytest_compaction.models.protocol import ModelError
from pytest_compaction.models.wire.call import Call, CallReply, Filed, Keeping
from pytest_compaction.rule_processes.pipe import framed
from pytest_compaction.rule_processes.python_process import begin_process
from pytest_compaction.secrets.keys import know, scrubbed

_LATER_S: Final = 0.005
"""Seconds after which a request is on its way, so that its file can be begun."""


@dataclass(frozen=True)
class Begin:
    """What the process is told first: the bounds on calls, and what it must not say."""

    limits: Limits
    secrets: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True)
class Sent:
    """Send a call, which has this number; one that ``is_next`` only when another was answered."""

    number: int
    call: Call
    is_next: bool = False


@dataclass(frozen=True)
class Fly:
    """Send the call of this number now, if it still waits."""

    number: int


@dataclass(frozen=True)
class Cancelled:
    """Nobody waits for the call of this number any more."""

    number: int


class Dropped(Enum):
    """How far a call had come that was given up."""

    WAITING = "it was not sent"
    FLYING = "it was sent"


Result = CallReply | ModelError | Dropped | str
"""A reply, a failure, that the call was given up, or the report of an error of this process."""


@dataclass(frozen=True)
class Ready:
    """The process has loaded what it sends calls with."""


@dataclass(frozen=True)
class Outcome:
    """What came of a call, and the number of the next one, which flies in its place, or -1."""

    number: int
    result: Result
    followed_by: int = -1


class _Server:
    """Answers what comes through a connection until that ends."""

    def __init__(self) -> None:
        self._ended = asyncio.Event()
        self._endpoint = Endpoint()
        self._transport: Any = None
        self._next: dict[int, Call] = {}
        """Calls that wait until another is answered, by their numbers, in order."""
        self._tasks: dict[int, asyncio.Task[None]] = {}

    async def serve(self, connection: socket.socket) -> None:
        """Answer until nobody asks any more. What flies then is given up."""
        loop = asyncio.get_running_loop()
        self._transport, _ = await loop.create_unix_connection(
            lambda: Frames(self._told, self._ended.set), sock=connection
        )
        import pytest_compaction.models.calls.client  # noqa: F401 - it loads openai

        self._tell(Ready())
        await self._ended.wait()
        for task in self._tasks.values():
            task.cancel()
        await self._endpoint.close()

    def _told(self, one: Begin | Sent | Fly | Cancelled) -> None:
        if isinstance(one, Begin):
            know(one.secrets)
            self._endpoint = Endpoint.within(one.limits)
        elif isinstance(one, Sent):
            self._next[one.number] = one.call
            if not one.is_next:
                self._send(one.number)
        elif isinstance(one, Fly):
            self._send(one.number)
        elif one.number in self._next:
            del self._next[one.number]
            self._tell(Outcome(one.number, Dropped.WAITING))
        elif one.number in self._tasks:
            self._tasks[one.number].cancel()

    def _send(self, number: int) -> None:
        if number in self._next:
            call = self._next.pop(number)
            self._tasks[number] = asyncio.create_task(self._answer(number, call))

    async def _answer(self, number: int, call: Call) -> None:
        try:
            result = await self._result(call)
        except asyncio.CancelledError:
            result = Dropped.FLYING
        del self._tasks[number]
        # After a failure the same call may be sent again, in its own place.
        following = next(iter(self._next), -1) if isinstance(result, CallReply) else -1
        self._send(following)
        self._tell(Outcome(number, result, following))

    def _tell(self, what: Ready | Outcome) -> None:
        self._transport.write(framed(what))

    async def _result(self, call: Call) -> Result:
        try:
            if call.keeping is None:
                return await self._endpoint.call(call)
            return await self._kept(call, call.keeping)
        except ModelError as error:
            return error
        except Exception:
            return scrubbed(traceback.format_exc())

    async def _kept(self, call: Call, keeping: Keeping) -> CallReply:
        """The reply, and what came of keeping it."""
        digest, secrets = keeping.digest, keeping.secrets
        later = asyncio.get_running_loop().call_later(
            _LATER_S, prepare_request, digest, call.body, secrets
        )
        try:
            reply = await self._endpoint.call(call)
            return replace(reply, filed=_filed(call, keeping, reply))
        finally:
            later.cancel()
            forget_request(digest, secrets)


def _filed(call: Call, keeping: Keeping, reply: CallReply) -> Filed | None:
    answered = Answered(
        keeping.folder,
        call.operation,
        call.trial,
        keeping.digest,
        call.body,
        reply.body,
        reply.usage.as_json(),
    )
    filed = file_answer(answered, keeping.secrets, keeping.anew)
    if filed is not None and filed.reply == reply.body:
        return replace(filed, reply=reply.body)  # which goes through the pipe once
    return filed


def main(number: str) -> None:
    """Serve the run that started this process, through the socket of this number."""
    begin_process()
    with socket.socket(fileno=int(number)) as connection:
        asyncio.run(_Server().serve(connection))
    os._exit(0)  # a name that is still looked up would be waited for
