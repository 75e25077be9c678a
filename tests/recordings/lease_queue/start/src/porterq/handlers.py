"""Handlers by kind of job."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from porterq.errors import UnknownHandler

Handler = Callable[[Any], Any]


class Registry:
    """Maps the kind of a job to the function that runs it.

    A handler is a plain function or a generator function; each ``yield`` of the
    latter is a safe point at which the worker may talk to the store.
    """

    def __init__(self) -> None:
        self._handlers: dict[str, Handler] = {}

    def on(self, kind: str) -> Callable[[Handler], Handler]:
        """Decorator that registers a handler."""

        def register(handler: Handler) -> Handler:
            if kind in self._handlers:
                raise ValueError(f"two handlers for {kind!r}")
            self._handlers[kind] = handler
            return handler

        return register

    def find(self, kind: str) -> Handler:
        """The handler of a kind."""
        try:
            return self._handlers[kind]
        except KeyError:
            raise UnknownHandler(f"no handler for {kind!r}") from None

    @classmethod
    def from_module(cls, name: str) -> Registry:
        """The object ``registry`` of a module."""
        return importlib.import_module(name).registry
