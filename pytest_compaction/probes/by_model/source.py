"""The source of probes when a model is named: the model, or rules if it gives no usable probes."""

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
from pytest_compaction.probes.by_model.writer import WrittenProbes, write_probes
from pytest_compaction.probes.derive import derive_probes, probe_count


class ModelProbes:
    """Probes written by the model ``name`` behind ``caller``; by rules if no such probe is kept.

    ``written`` tells what became of the proposals for the last session.
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
        """Call this when all sessions are done."""
        self.written = WrittenProbes([])
        self._caller = caller
        self._counter = counter or TokenCounter()

    def __call__(
        self, messages: Sequence[Message], points: Sequence[int], count: int, budget: int
    ) -> list[dict[str, Any]]:
        """The probes of a session; raises :class:`ImportFormatError` when the model fails."""
        count = probe_count(messages, count)
        try:
            self.written = asyncio.run(self._write(messages, points, count, budget))
        except ModelError as error:
            raise ImportFormatError(
                f"no probes by {self.name}: {error}. Without --model, rules make them"
            ) from None
        return self.written.probes or derive_probes(messages, points, count, budget)

    async def _write(
        self, messages: Sequence[Message], points: Sequence[int], count: int, budget: int
    ) -> WrittenProbes:
        try:
            return await write_probes(
                self._caller, self.name, messages, points, count, self._counter, budget
            )
        finally:
            await self._caller.close()


def model_probes(name: str, store: Path) -> ModelProbes:
    """Probes by a model at the endpoint of ``OPENAI_BASE_URL``; ``store`` keeps its calls.

    Raises :class:`OSError` when the store cannot be created.
    """
    counter = TokenCounter()
    endpoints = connect(store, str(store), "normal", None, None, None, counter)
    return ModelProbes(name, endpoints.caller, counter, endpoints.close)
