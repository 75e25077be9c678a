"""The router: finds the handler for a request and runs the middleware around it.

    router = Router()
    router.add("get", "/berths/{number:int}", show_berth)
    reply = router.dispatch(request)

A handler takes the request and the values of the slots and returns a reply. A
middleware takes the request and ``proceed``, and returns what ``proceed(request)``
returns, or a reply of its own. The middleware that was added first is the outermost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pontoon.messages import (
    HANDLER_FAILED,
    NO_ROUTE,
    VERB_NOT_ALLOWED,
    VERBS,
    Reply,
    Request,
    failure,
)
from pontoon.patterns import Pattern

Handler = Callable[..., Reply]
Proceed = Callable[[Request], Reply]
Middleware = Callable[[Request, Proceed], Reply]


class RouteError(ValueError):
    """A route that cannot be added."""


@dataclass(frozen=True)
class Entry:
    """One route."""

    verb: str
    pattern: Pattern
    handler: Handler

    def __str__(self) -> str:
        return f"{self.verb:4s} {self.pattern.text}"


class Router:
    """Routes and middleware. Not shared between threads."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._middleware: list[Middleware] = []

    def add(self, verb: str, pattern: str, handler: Handler) -> None:
        """Add a route.

        Raises :class:`RouteError` for an unknown verb or a route that is there already.
        """
        if verb not in VERBS:
            raise RouteError(f"unknown verb {verb}")
        entry = Entry(verb, Pattern.parse(pattern), handler)
        self._refuse_double(entry)
        self._entries.append(entry)

    def mount(self, prefix: str, other: Router) -> None:
        """Add all routes of another router below a prefix. Its middleware is not taken over."""
        for entry in other._entries:
            moved = Entry(entry.verb, entry.pattern.under(prefix), entry.handler)
            self._refuse_double(moved)
            self._entries.append(moved)

    def use(self, middleware: Middleware) -> None:
        """Add a middleware inside of those that are there."""
        self._middleware.append(middleware)

    def routes(self) -> list[str]:
        """All routes in the order in which they are tried."""
        return [str(entry) for entry in self._ranked_entries()]

    def resolve(self, verb: str, path: str) -> tuple[Entry, dict[str, Any]] | None:
        """The route that a request would take, and the values of its slots."""
        for entry in self._ranked_entries():
            if entry.verb == verb:
                values = entry.pattern.match(path)
                if values is not None:
                    return entry, values
        return None

    def dispatch(self, request: Request) -> Reply:
        """Answer a request. Never raises: a handler that does is answered for with code 50."""
        proceed: Proceed = self._run_handler
        for middleware in reversed(self._middleware):
            proceed = _around(middleware, proceed)
        return proceed(request)

    def _run_handler(self, request: Request) -> Reply:
        found = self.resolve(request.verb, request.path)
        if found is None:
            return self._no_route(request)
        entry, values = found
        try:
            return entry.handler(request, **values)
        except Exception as error:
            text = f"{type(error).__name__} in {entry.pattern.text}"
            return failure(request, HANDLER_FAILED, text)

    def _no_route(self, request: Request) -> Reply:
        if any(self.resolve(verb, request.path) for verb in VERBS):
            return failure(
                request, VERB_NOT_ALLOWED, f"{request.path} does not take {request.verb}"
            )
        return failure(request, NO_ROUTE, f"no route for {request.verb} {request.path}")

    def _ranked_entries(self) -> list[Entry]:
        return sorted(self._entries, key=lambda entry: entry.pattern.rank)

    def _refuse_double(self, entry: Entry) -> None:
        for other in self._entries:
            if (other.verb, other.pattern.text) == (entry.verb, entry.pattern.text):
                raise RouteError(f"route {other} is there already")


def _around(middleware: Middleware, proceed: Proceed) -> Proceed:
    return lambda request: middleware(request, proceed)
