"""Where the probes of a case come from when a model is named: the model, or else the rules."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pytest_compaction.conversation.messages import Message
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.importers.protocol import ImportFormatError
from pytest_compaction.models.protocol import ModelError
from pytest_compaction.models.registry import connect
from pytest_compaction.models.wire.call import Caller
from pytest_compaction.probes.by_model.writer import Written, write_probes
from pytest_compaction.probes.derive import derive_probes


class ModelProbes:
    """Probes written by the model ``name`` behind ``caller``; by the rules where it wrote none.

    ``written`` is what became of the last session's proposals.
    """

    def __init__(
        self,
        name: str,
        caller: Caller,
        counter: TokenCounter | None = None,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = name
        self.close = close
        """To be called when all sessions are done."""
        self.written = Written([])
        self._caller = caller
        self._counter = counter or TokenCounter()

    def __call__(
        self, messages: Sequence[Message], points: Sequence[int], count: int, budget: int
    ) -> list[dict[str, Any]]:
        """The probes of a session; raises :class:`ImportFormatError` for a model that fails."""
        try:
            self.written = asyncio.run(self._write(messages, points, count, budget))
        except ModelError as error:
            raise ImportFormatError(
                f"no probes by {self.name}: {error}. Without --model they are made by rules"
            ) from None
        return self.written.probes or derive_probes(messages, points, count, budget)

    async def _write(
        self, messages: Sequence[Message], points: Sequence[int], count: int, budget: int
    ) -> Written:
        try:
            return await write_probes(
                self._caller, self.name, messages, points, count, self._counter, budget
            )
        finally:
            await self._caller.close()


def model_probes(name: str, store: Path) -> ModelProbes:
    """Probes by a model behind the endpoint of ``OPENAI_BASE_URL``; its calls are kept in a store.

    Raises :class:`OSError` for a store that cannot be made.
    """
    counter = TokenCounter()
    endpoints = connect(store, str(store), "normal", None, None, None, counter)
    return ModelProbes(name, endpoints.caller, counter, endpoints.close)
