"""Running other people's code in a thread of its own, with a time limit."""

from __future__ import annotations

import asyncio
import inspect
import threading
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from pytest_compaction.compactors.protocol import CompactorError
from pytest_compaction.text.words import printable


async def with_deadline(call: Callable[[], Any], seconds: float, what: str) -> Any:
    """Run other people's code in a thread of its own and wait for it at most ``seconds``.

    A call that never returns is left behind in its daemon thread; whatever it
    raises, even ``SystemExit``, becomes a :class:`CompactorError`.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(value)
        else:
            done.set_exception(error)

    def run() -> None:
        value: Any = None
        failure: BaseException | None = None
        try:
            value = call()
            if inspect.isawaitable(value):
                value = asyncio.run(_awaited(value))
        except CompactorError as error:
            failure = error
        except BaseException as error:
            said = f"{type(error).__name__}: {_said(error)}{_raised_at(error)}"
            failure = CompactorError(f"{what} raised {said}")
            failure.__cause__ = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, value, failure)

    threading.Thread(target=run, name=what, daemon=True).start()
    try:
        return await asyncio.wait_for(done, seconds)
    except TimeoutError:
        raise CompactorError(
            f"{what} did not return within {seconds:g} s (--compaction-timeout)"
        ) from None


def _said(error: BaseException) -> str:
    try:
        return printable(str(error), 300)
    except Exception:
        return "(its text cannot be shown)"


def _raised_at(error: BaseException) -> str:
    """File, line and function where it was raised, for the one who has to mend it."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename != __file__]
    if not own:
        return ""
    return f" [{Path(own[-1].filename).name}:{own[-1].lineno} in {own[-1].name}]"


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value
