"""Leaves out of requests what a model at the endpoint refuses, and remembers it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from pytest_compaction.models.calls.attempt import AttemptError, excerpt_of, sentence_on
from pytest_compaction.models.protocol import ModelError, UnsupportedError
from pytest_compaction.models.wire.call import Call, Caller, CallReply, Operation
from pytest_compaction.models.wire.refusals import (
    Complaint,
    adaptable,
    adaptation_for,
    adapted,
    added_text,
    consequence,
    refuses_added,
)

_Known = tuple[Operation, str]
_Kind = tuple[_Known, frozenset[str], str]


class AdaptingCaller:
    """Passes calls on to ``following``, without what their model has refused.

    What a model refuses is remembered for the life of the caller: a parameter is left
    out of later calls, and what it cannot do at all is not asked for again. All requests
    for a call share ``total`` seconds.
    """

    def __init__(self, following: Caller, total: float) -> None:
        self._following = following
        self._total = total
        self._adapted: dict[_Known, frozenset[str]] = {}
        self._closed_to: dict[tuple[_Known, str], str] = {}
        """Why not to ask again: for all requests, or for those with these added parameters."""
        self._first: dict[_Kind, asyncio.Event] = {}
        self._answered: set[_Known] = set()

    async def call(self, call: Call) -> CallReply:
        """The reply of the next caller; raises :class:`ModelError` if the call is refused.

        The first call of a kind goes alone. Others of its kind wait until it is back and
        then go together, because it is then known what the model refuses.
        """
        known: _Known = (call.operation, call.model)
        kind = (known, adaptable(call.body), added_text(call.body))
        event = self._first.get(kind)
        if event is not None:
            await event.wait()
            return await self._adapting(call, known)
        event = self._first[kind] = asyncio.Event()
        try:
            return await self._adapting(call, known)
        finally:
            event.set()

    async def close(self) -> None:
        """Close the next caller."""
        await self._following.close()

    async def _adapting(self, call: Call, known: _Known) -> CallReply:
        """Send a call, leaving out one part after the other while the endpoint refuses one."""
        left = self._total
        while True:
            for closed in ((known, ""), (known, added_text(call.body))):
                if closed in self._closed_to:
                    raise UnsupportedError(self._closed_to[closed])
            body = adapted(call.body, self._adapted.get(known, frozenset()))
            try:
                reply = await self._following.call(replace(call, sent=body, seconds=left))
            except AttemptError as error:
                if error.complaint is None:
                    raise
                step = adaptation_for(error.complaint, body)
                if step is None:
                    raise self._refusal(error.complaint, call, known) from None
                self._adapted[known] = self._adapted.get(known, frozenset()) | {step.name}
                left -= error.seconds
            else:
                self._answered.add(known)
                return reply

    def _refusal(self, complaint: Complaint, call: Call, known: _Known) -> ModelError:
        """The error for a complaint that no adaptation answers; kept if it is for good."""
        said = excerpt_of(complaint.text)
        if complaint.too_long:
            return ModelError(
                sentence_on(
                    call,
                    f"has too small a context for this request ({said}); use a model with a "
                    "larger one, or a smaller budget in the case",
                )
            )
        answered = known in self._answered
        lasting, advice = consequence(complaint, call.operation, call.body, answered)
        sentence = sentence_on(call, f"answered {complaint.status}: {said}{advice}")
        if not lasting:
            return ModelError(sentence)
        theirs = added_text(call.body) if refuses_added(complaint, call.body) else ""
        self._closed_to[known, theirs] = sentence
        return UnsupportedError(sentence)
