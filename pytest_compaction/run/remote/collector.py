"""A caller that answers what is known, has the rest asked, and collects both."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from weakref import WeakValueDictionary

from pytest_compaction.models.calls.store_file import CIPHERTEXT
from pytest_compaction.models.calls.turns import turn_of_context
from pytest_compaction.models.protocol import NotRecordedError
from pytest_compaction.models.wire.call import Call, Caller, CallReply
from pytest_compaction.run.remote.result import CallMade
from pytest_compaction.secrets.keys import scrubbed_json

Lookup = Callable[[Call, str], Awaitable[CallReply | None]]
"""The known reply to a call with a digest, ``None`` without one."""


class Collector:
    """Answers calls by ``known``, or else by ``following``; without that a call fails.

    As with a store, two equal calls become one, and no key gets from a reply into an answer.
    """

    def __init__(self, known: Lookup, following: Caller | None = None) -> None:
        self.replies: dict[str, CallReply] = {}
        """Every reply so far by the digest of its call, without its latency."""
        self.made: list[CallMade] = []
        """The calls that were asked of the next caller and answered."""
        self.stored: list[tuple[str, str]] = []
        """Role and model of every call that was answered without asking."""
        self.lacks_replies = False
        """Whether a call failed for want of somebody to ask."""
        self._known = known
        self._following = following
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def call(self, call: Call) -> CallReply:
        """The reply to a call."""
        digest = call.digest
        lock = self._locks.get(digest)
        if lock is None:
            lock = self._locks[digest] = asyncio.Lock()
        async with lock:
            found = self.replies.get(digest) or await self._known(call, digest)
            if found is not None:
                self.replies[digest] = found
                self.stored.append((call.role, call.model))
                return found
            if self._following is None:
                self.lacks_replies = True
                raise NotRecordedError(f"this request is not in the store: {digest}")
            async with turn_of_context():
                reply = await self._following.call(call)
            return self._collected(digest, call, reply)

    async def close(self) -> None:
        """Close the next caller."""
        if self._following is not None:
            await self._following.close()

    def _collected(self, digest: str, call: Call, reply: CallReply) -> CallReply:
        reply = replace(reply, body=scrubbed_json(reply.body, CIPHERTEXT))
        asked = Call(
            call.operation, scrubbed_json(dict(call.body), CIPHERTEXT), call.trial, call.role
        )
        self.made.append(CallMade(digest, asked, reply))
        self.replies[digest] = replace(reply, latency_s=None)
        return reply
