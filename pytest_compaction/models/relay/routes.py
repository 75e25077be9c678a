"""What clients of strategies ask, made into calls, and what they are answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pytest_compaction.models.calls.endpoint import AttemptError
from pytest_compaction.models.protocol import ModelError, NotRecordedError
from pytest_compaction.models.wire.call import ANTHROPIC, Call, CallReply, Operation
from pytest_compaction.models.wire.events import KEY, events_of, is_usage_alone, written_events
from pytest_compaction.secrets.keys import scrubbed, scrubbed_json

PATHS: Final[Mapping[str, Operation]] = {
    "/v1/chat/completions": "chat.completions",
    "/v1/responses": "responses",
    "/v1/responses/compact": "responses.compact",
    "/v1/embeddings": "embeddings",
    "/v1/messages": "messages",
    "/v1/messages/count_tokens": "messages.count_tokens",
}
"""What is asked with POST."""
MODELS: Final = "/v1/models"
"""The list of models, or with a name behind it one of them; asked with GET."""
FREE: Final[frozenset[Operation]] = frozenset(
    {"messages.count_tokens", "models", "messages.models"}
)
"""What no endpoint charges for."""
PASSED: Final = ("anthropic-beta", "anthropic-version", "openai-beta")
"""Headers that are part of a request: they change what the endpoint does."""
USAGE: Final = "stream_options"
REFUSED: Final = "refused"
"""The member of a kept reply that holds the status of a refusal."""


class RefusedError(Exception):
    """A request that is not passed on: the status, and a sentence on why."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it came; names of headers are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str] = field(repr=False)
    data: bytes = field(default=b"", repr=False)

    @property
    def is_anthropic(self) -> bool:
        """Whether a client of Anthropic sent it."""
        return "/messages" in self.path or "anthropic-version" in self.headers


def call_of(request: Request) -> Call:
    """The call that a request asks for. Raises :class:`RefusedError` for one of another kind."""
    path = request.path.partition("?")[0].rstrip("/")
    if path == MODELS or path.startswith(f"{MODELS}/"):
        return _listing(request, path)
    operation = PATHS.get(path)
    if operation is None or request.method != "POST":
        served = ", ".join(f"POST {known}" for known in PATHS)
        raise RefusedError(
            404, f"--compaction-proxy does not pass on {request.method} {path}; it serves {served} "
            f"and GET {MODELS}"
        )  # fmt: skip
    body = _body(request.data)
    headers = {name: request.headers[name] for name in PASSED if name in request.headers}
    return Call(operation, {**body, **headers}, sent=_to_send(operation, body), is_ours=False)


def asks_for_usage(call: Call) -> bool:
    """Whether the client itself wants the event that tells the usage."""
    options = call.body.get(USAGE)
    return isinstance(options, Mapping) and bool(options.get("include_usage"))


def without_usage(call: Call) -> Call | None:
    """The call as its client sent it; ``None`` if nothing was added to it."""
    if call.sent is None or call.sent.get(USAGE) == call.body.get(USAGE):
        return None
    sent = {name: value for name, value in call.sent.items() if name != USAGE}
    return replace(call, sent=sent | {USAGE: call.body[USAGE]} if USAGE in call.body else sent)


def passed_headers(call: Call) -> dict[str, str]:
    """The headers of a request that are sent on."""
    return {name: str(call.body[name]) for name in PASSED if name in call.body}


def _listing(request: Request, path: str) -> Call:
    if request.method != "GET":
        raise RefusedError(405, f"--compaction-proxy serves {MODELS} for GET alone")
    operation: Operation = "messages.models" if request.is_anthropic else "models"
    version = {name: request.headers[name] for name in PASSED if name in request.headers}
    _, mark, query = request.path.partition("?")  # which names the page of a long list
    return Call(operation, {"path": f"{path}{mark}{query}", **version}, is_ours=False)


def _to_send(operation: Operation, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The body to send: a stream of chat completions tells its usage only if it is asked to."""
    if operation != "chat.completions" or not body.get("stream"):
        return body
    options = body.get(USAGE)
    return {
        **body,
        USAGE: {**(options if isinstance(options, Mapping) else {}), "include_usage": True},
    }


def _body(data: bytes) -> dict[str, Any]:
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        raise RefusedError(400, "the body of the request is not JSON") from None
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        raise RefusedError(400, "the body of the request is no JSON object with a model in it")
    return body


def is_free(call: Call) -> bool:
    """Whether no endpoint charges for a call."""
    return call.operation in FREE


def is_anthropic(call: Call) -> bool:
    """Whether a call is in the form of Anthropic."""
    return call.operation in ANTHROPIC


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
