"""Requests and replies, and the JSON lines they travel in.

Codes below 40 are successes, 40 to 49 blame the request, 50 and above blame us.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

OK = 20
STORED = 21
MALFORMED = 40
UNKNOWN_CALLER = 41
NO_ROUTE = 44
VERB_NOT_ALLOWED = 45
REFUSED = 46
HANDLER_FAILED = 50

CODES = {
    OK: "ok",
    STORED: "stored",
    MALFORMED: "malformed request",
    UNKNOWN_CALLER: "unknown caller",
    NO_ROUTE: "no route",
    VERB_NOT_ALLOWED: "verb not allowed",
    REFUSED: "refused by the harbour",
    HANDLER_FAILED: "handler failed",
}

VERBS = ("get", "put", "drop")
MAX_LINE = 8192


class MalformedError(ValueError):
    """A line that is no request. ``id`` is the request's id where it could be read."""

    def __init__(self, text: str, id: str = "") -> None:
        super().__init__(text)
        self.id = id


@dataclass(frozen=True)
class Request:
    """What a caller wants."""

    id: str
    verb: str
    path: str
    caller: str
    body: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Reply:
    """What a caller gets."""

    id: str
    code: int
    body: Mapping[str, Any] = field(default_factory=dict)

    @property
    def good(self) -> bool:
        """Whether the request did what it should."""
        return self.code < MALFORMED

    def line(self) -> str:
        """The reply as one line of JSON, without the line end."""
        return json.dumps({"id": self.id, "code": self.code, "body": dict(self.body)})


def failure(request: Request, code: int, text: str) -> Reply:
    """A reply that says what is wrong."""
    return Reply(request.id, code, {"error": text})


def parse_line(line: str) -> Request:
    """Read one request.

    Raises :class:`MalformedError` for a line that is too long, no JSON object, or
    lacks a member.
    """
    if len(line) > MAX_LINE:
        raise MalformedError(f"line has {len(line)} characters, at most {MAX_LINE} are allowed")
    try:
        data = json.loads(line)
    except ValueError as error:
        raise MalformedError("not JSON") from error
    if not isinstance(data, dict):
        raise MalformedError("not an object")
    id = data.get("id")
    if not isinstance(id, str) or not id:
        raise MalformedError("id is missing")
    for name in ("verb", "path", "caller"):
        if not isinstance(data.get(name), str):
            raise MalformedError(f"{name} is missing", id)
    if data["verb"] not in VERBS:
        raise MalformedError(f"unknown verb {data['verb']}", id)
    if not data["path"].startswith("/"):
        raise MalformedError("path does not start with a slash", id)
    body = data.get("body", {})
    if not isinstance(body, dict):
        raise MalformedError("body is not an object", id)
    return Request(id, data["verb"], data["path"], data["caller"], body)
