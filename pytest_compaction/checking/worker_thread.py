"""A thread in which other people's code runs, one call after the other, with a time limit."""

from __future__ import annotations

import asyncio
import inspect
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class StuckError(Exception):
    """A compactor did not return in time; the text says which and how long was waited."""


class Bench:
    """Runs calls in a thread of its own, one after the other, each within a time limit."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[tuple[Callable[[], Any], queue.SimpleQueue[Any]]]
        self._thread: threading.Thread | None = None

    def call(self, function: Callable[[], T], seconds: float) -> T:
        """The result of a call; raises :class:`StuckError` when it takes longer.

        The thread of such a call is left behind (it is a daemon), the next call gets
        a new one.
        """
        if self._thread is None:
            self._calls = queue.SimpleQueue()
            arguments = (self._calls,)
            self._thread = threading.Thread(
                target=_work, args=arguments, name="compaction-check", daemon=True
            )
            self._thread.start()
        answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._calls.put((function, answers))
        try:
            value, error = answers.get(timeout=seconds)
        except queue.Empty:
            self._thread = None
            raise StuckError(
                f"did not return within {seconds:g} s (--compaction-timeout)"
            ) from None
        if error is not None:
            raise error
        result: T = value
        return result


def _work(calls: queue.SimpleQueue[tuple[Callable[[], Any], queue.SimpleQueue[Any]]]) -> None:
    with asyncio.Runner() as runner:
        while True:
            function, answers = calls.get()
            try:
                value = function()
                if inspect.isawaitable(value):
                    value = runner.run(_awaited(value))
                answers.put((value, None))
            except BaseException as error:
                answers.put((None, error))


async def _awaited(value: Any) -> Any:
    return await value
