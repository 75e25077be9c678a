"""What a client is answered: the reply to its request, or an error in the form that it knows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_compaction.models.calls.attempt import AttemptError
from pytest_compaction.models.protocol import ModelError, NotRecordedError
from pytest_compaction.models.relay.relay import REFUSED
from pytest_compaction.models.relay.routes import RefusedError, Request, asks_for_usage
from pytest_compaction.models.wire.call import Call, CallReply
from pytest_compaction.models.wire.events import KEY, events_of, is_usage_alone, written_events
from pytest_compaction.secrets.keys import scrubbed, scrubbed_json

JSON: Final = "application/json"
STREAM: Final = "text/event-stream; charset=utf-8"
_FIRST_ERROR: Final = 400
_NOT_THERE: Final = 404
_NO_MONEY: Final = 402
_NO_ANSWER: Final = 502


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP response. All are final: whatever repetition can help with was done."""

    status: int
    data: bytes = field(repr=False)
    kind: str = JSON


def answer_of(call: Call, reply: CallReply) -> Answer:
    """The answer to a request whose call got a reply."""
    if REFUSED in reply.body:
        said = {name: value for name, value in reply.body.items() if name != REFUSED}
        return Answer(int(reply.body[REFUSED]), _written(said))
    if KEY not in reply.body:
        return Answer(200, _written(reply.body))
    events = list(events_of(reply.body))
    if call.operation == "chat.completions" and not asks_for_usage(call):
        events = [event for event in events if not is_usage_alone(event)]
    return Answer(200, written_events(events), STREAM)


def error_answer(request: Request, error: Exception) -> Answer:
    """The answer to a request that was refused here, or got no reply."""
    status, body = _status_of(error), None
    if isinstance(error, AttemptError) and error.complaint is not None:
        body = error.complaint.body
    if not isinstance(body, dict):
        kind = "invalid_request_error" if status < 500 else "api_error"
        inner = {"type": kind, "message": scrubbed(str(error))}
        body = {"type": "error", "error": inner} if request.is_anthropic else {"error": inner}
    return Answer(status, _written(scrubbed_json(body)))


def _status_of(error: Exception) -> int:
    if isinstance(error, RefusedError):
        return error.status
    if isinstance(error, AttemptError) and error.complaint is not None:
        status = error.complaint.status
        return status if status >= _FIRST_ERROR else _NO_ANSWER  # clients know no other redirect
    if isinstance(error, NotRecordedError):
        return _NOT_THERE
    return _NO_MONEY if isinstance(error, ModelError) and error.unpaid else _NO_ANSWER


def _written(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
