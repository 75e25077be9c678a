"""Whose connections come to a local port.

A client is not asked to say for whom it works: it may be one for the whole run. But the code of a
strategy runs in a thread, or in a task, that knows the case. Python tells of each connection there
before it is opened (an audit event), when its own port can be chosen and noted.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final, TypeVar

from pytest_compaction.run.metered_model import MeteredModel

T = TypeVar("T")

HOST: Final = "127.0.0.1"
_EVENT: Final = "socket.connect"

_at_work: ContextVar[MeteredModel | None] = ContextVar("compaction_at_work", default=None)
"""The meter of the case that the running code of a strategy compacts."""
_watched: dict[int, dict[int, MeteredModel]] = {}
"""By port of an endpoint: the meters, by the ports of the connections that were opened for them."""
_hooked: list[Callable[..., object]] = []


def at_work(model: object, call: Callable[..., T], *arguments: Any) -> T:
    """Call code of a strategy for the case whose meter is ``model``.

    The thread belongs to the case from then on, so that coroutines do too.
    """
    _at_work.set(model if isinstance(model, MeteredModel) else None)
    return call(*arguments)


class Owners:
    """Knows whose the connections to ``port`` of this machine are."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._meters = _watched[port] = {}
        if not _hooked:
            # A hook cannot be removed; without a port to watch it does nothing.
            _hooked.append(_note)
            sys.addaudithook(_note)

    def take(self, port: int) -> MeteredModel | None:
        """The meter of the case for which the connection from ``port`` was opened, told once."""
        return self._meters.pop(port, None)

    def close(self) -> None:
        """Watch no longer."""
        _watched.pop(self._port, None)


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    """Note for which case a connection is opened, before it is."""
    if event != _EVENT or not _watched:
        return
    opened, address = arguments
    if not isinstance(address, tuple) or address[0] != HOST or address[1] not in _watched:
        return
    meter = _at_work.get()
    if meter is None:
        return
    with contextlib.suppress(OSError):  # a connection that cannot be noted belongs to nobody
        if not opened.getsockname()[1]:
            opened.bind((HOST, 0))
        _watched[address[1]][opened.getsockname()[1]] = meter
