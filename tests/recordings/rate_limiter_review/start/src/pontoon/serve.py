"""The loop: a line in, a line out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from pontoon.app import App
from pontoon.messages import MALFORMED, MalformedError, Reply, Request, parse_line

WARM_UP = Request("warm-up", "get", "/ping", "ops-0")


def start(app: App) -> Reply:
    """Answer the warm-up, then mount what takes long to load. Returns the first reply."""
    reply = app.router.dispatch(WARM_UP)
    app.mount_tides()
    return reply


def answer(app: App, line: str) -> Reply:
    """The reply to one line."""
    try:
        request = parse_line(line)
    except MalformedError as error:
        return Reply(error.id, MALFORMED, {"error": str(error)})
    return app.router.dispatch(request)


def serve(app: App, lines: Iterable[str], out: TextIO) -> int:
    """Answer until the lines end. Returns the exit code."""
    print(start(app).line(), file=out, flush=True)
    for line in lines:
        if line.strip():
            print(answer(app, line).line(), file=out, flush=True)
    return 0
