"""The process that sends calls, started and told what to send, and what it answers."""

from __future__ import annotations

import asyncio
import socket
import subprocess
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from pytest_compaction.models.calls.attempt import (
    AttemptError,
    NotSentError,
    cancel_later,
    sentence_on,
)
from pytest_compaction.models.calls.endpoint import Limits
from pytest_compaction.models.calls.endpoint_process import process as endpoint_process
from pytest_compaction.models.calls.endpoint_process.frames import Frames
from pytest_compaction.models.calls.endpoint_process.process import (
    Begin,
    Cancelled,
    Dropped,
    Fly,
    Outcome,
    Ready,
    Result,
    Sent,
)
from pytest_compaction.models.calls.turns import Place, place_of_context
from pytest_compaction.models.protocol import ModelError
from pytest_compaction.models.wire.call import Call, CallReply
from pytest_compaction.rule_processes.pipe import framed
from pytest_compaction.rule_processes.python_process import start_process, wait_for_end
from pytest_compaction.secrets.keys import environment_secrets
from pytest_compaction.secrets.own_environment import own_environment

_START_S: Final = 60.0
"""Seconds that the process has to begin, on a slow machine too."""
_GIVE_UP_S: Final = 1.0
"""Seconds in which the process says whether a call that is given up was sent."""


@dataclass(slots=True)
class _Told:
    """A call that the process was told, from which place, and whether it is known to fly."""

    call: Call
    result: asyncio.Future[Result]
    place: Place | None
    flies: bool


class Link:
    """Calls that a process has been told and has not answered yet. For one event loop."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._numbers = count()
        self._flying: dict[int, _Told] = {}
        self._transport: Any = None
        self._begun = asyncio.Event()
        """Whether the process is ready, or has gone."""
        self.is_broken = False
        """Whether the process has gone, so that nothing more can be sent."""

    async def connect(self, connection: socket.socket, limits: Limits) -> None:
        """Begin to talk to the process, and wait until it is ready; it may be broken then."""
        loop = asyncio.get_running_loop()
        self._transport, _ = await loop.create_unix_connection(
            lambda: Frames(self._answered, self._ended), sock=connection
        )
        self._transport.write(framed(Begin(limits, environment_secrets())))
        try:
            async with asyncio.timeout(_START_S):
                await self._begun.wait()
        except TimeoutError:
            self.is_broken = True

    async def call(self, call: Call) -> CallReply:
        """What the process answers to a call.

        If it goes meanwhile, it is an :class:`AttemptError` that another attempt may overcome.
        """
        number, place = next(self._numbers), place_of_context()
        told: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        flies = place is None or place.is_held
        self._flying[number] = _Told(call, told, place, flies)
        self._tell(Sent(number, call, is_next=not flies))
        if place is not None and not flies:
            place.when_held(lambda: self._fly(number))
        try:
            return _reply(await asyncio.shield(told))
        except asyncio.CancelledError:
            self._tell(Cancelled(number))
            await asyncio.wait([told], timeout=_GIVE_UP_S)
            if not told.done() or told.result() is Dropped.FLYING:
                raise
            reply = _reply(told.result())
            cancel_later()
            return reply
        finally:
            del self._flying[number]

    def _fly(self, number: int) -> None:
        """Have a call that is next sent, unless the process did so by itself."""
        one = self._flying.get(number)
        if one is not None and not one.flies:
            one.flies = True
            self._tell(Fly(number))

    def _tell(self, one: Sent | Fly | Cancelled) -> None:
        if not self.is_broken:
            self._transport.write(framed(one))

    async def close(self) -> None:
        """Let the process end, which gives up what flies."""
        self.is_broken = True
        self._transport.close()
        await asyncio.get_running_loop().run_in_executor(None, wait_for_end, self._process)

    def _answered(self, outcome: Ready | Outcome) -> None:
        if isinstance(outcome, Ready):
            self._begun.set()
            return
        one = self._flying.get(outcome.number)
        if one is None or one.result.done():
            return
        one.result.set_result(outcome.result)
        following = self._flying.get(outcome.followed_by)
        if following is None:
            return
        following.flies = True
        if one.place is not None and following.place is not None:
            one.place.pass_to(following.place)

    def _ended(self) -> None:
        self.is_broken = True
        self._begun.set()
        for one in self._flying.values():
            if not one.result.done():
                one.result.set_result(_lost(one.call))


async def open_link(limits: Limits) -> Link | None:
    """A link to a fresh process, which keeps ``limits``; ``None`` if none can be started here."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = start_process(
            endpoint_process.__name__,
            [str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=own_environment(),
            pass_fds=[theirs.fileno()],
        )
    if process is None:
        ours.close()
        return None
    link = Link(process)
    await link.connect(ours, limits)
    if link.is_broken:
        await link.close()
        return None
    return link


def _reply(result: Result) -> CallReply:
    """The reply that came of a call; raises what came in its place."""
    if isinstance(result, CallReply):
        return result
    if isinstance(result, ModelError):
        raise result
    if isinstance(result, Dropped):
        raise NotSentError if result is Dropped.WAITING else asyncio.CancelledError
    raise RuntimeError(f"the process that sends calls failed:\n{result}")


def _lost(call: Call) -> AttemptError:
    said = "was asked by a process that ended before the reply came"
    return AttemptError(sentence_on(call, said), charged=True, passing=True)
