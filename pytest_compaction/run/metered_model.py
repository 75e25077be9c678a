"""A model that counts what is asked of it, and asks on one event loop within one limit."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from pytest_compaction.models.parameters import Parameters
from pytest_compaction.models.protocol import (
    AnswerReply,
    AnswerRequest,
    CompactReply,
    CompactRequest,
    JudgeReply,
    JudgeRequest,
    Model,
    ModelError,
    NotAskedError,
    SummaryReply,
    SummaryRequest,
)
from pytest_compaction.models.usage import Usage

T = TypeVar("T")


class MeteredModel:
    """Wraps a model for one strategy at work.

    Strategies run in threads of their own; their requests are forwarded to the
    loop on which the model lives, at most so many at a time.
    """

    def __init__(
        self, model: Model, loop: asyncio.AbstractEventLoop, limit: asyncio.Semaphore
    ) -> None:
        self._model = model
        self._loop = loop
        self._limit = limit
        self.usage = Usage()
        self.error: ModelError | None = None
        """The first failure of the model; one that it was not asked for counts before others."""

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._model.name

    def at_trial(self, trial: int) -> MeteredModel:
        """The same meter over the model of that trial."""
        other = MeteredModel(self._model.at_trial(trial), self._loop, self._limit)
        other.usage = self.usage
        return other

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        """Forward the request and count its usage."""
        reply = await self._forward(self._model.summarize(request))
        self.usage += reply.usage
        return reply

    async def answer(self, request: AnswerRequest) -> AnswerReply:
        """Forward the request and count its usage."""
        reply = await self._forward(self._model.answer(request))
        self.usage += reply.usage
        return reply

    def refuses(self, parameters: Parameters) -> str | None:
        """Nothing: they go with answers, which may be another model's, and it is asked there."""
        return None

    async def judge(self, request: JudgeRequest) -> JudgeReply:
        """Forward the request and count its usage."""
        reply = await self._forward(self._model.judge(request))
        self.usage += reply.usage
        return reply

    async def compact(self, request: CompactRequest) -> CompactReply:
        """Forward the request and count its usage."""
        reply = await self._forward(self._model.compact(request))
        self.usage += reply.usage
        return reply

    async def _forward(self, call: Coroutine[Any, Any, T]) -> T:
        async def limited() -> T:
            async with self._limit:
                return await call

        try:
            waiting = asyncio.run_coroutine_threadsafe(limited(), self._loop)
            return await asyncio.wrap_future(waiting)
        except ModelError as error:
            self.usage = sum(error.spent.values(), self.usage)
            if self.error is None or isinstance(error, NotAskedError):
                self.error = error
            raise
