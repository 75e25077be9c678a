"""Lines of the OpenAI Batch format: a request to send, and a result that came back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Final

from pytest_compaction.models.calls.endpoint import MAX_REPLY_BYTES, excerpt_of
from pytest_compaction.models.wire.call import Call, Operation
from pytest_compaction.models.wire.refusals import Complaint, adapted, complaint_of
from pytest_compaction.models.wire.reply import (
    UnusableReplyError,
    error_in,
    reply_object,
    strict_json,
)

MAX_REQUESTS: Final = 50_000
MAX_FILE_BYTES: Final = 200_000_000
"""The most requests and bytes of one file, as OpenAI documents them."""
URLS: Final[Mapping[Operation, str]] = {
    "chat.completions": "/v1/chat/completions",
    "responses": "/v1/responses",
}
"""What batches take; native compaction is not among it."""
_BOM: Final = b"\xef\xbb\xbf"


def request_line(call: Call, refused: frozenset[str]) -> bytes:
    """The line that asks for a call; its id is the digest, under which the run looks it up.

    ``refused`` are the names of the adaptations that the model needs.
    """
    data = {
        "custom_id": call.digest,
        "method": "POST",
        "url": URLS[call.operation],
        "body": adapted(call.body, refused),
    }
    return json_bytes(data) + b"\n"


def json_bytes(data: Mapping[str, Any]) -> bytes:
    """JSON on one line, as UTF-8; text that has no UTF-8 form is escaped."""
    try:
        return json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(data).encode()


@dataclass(frozen=True, slots=True)
class Result:
    """What came back for one request: its body, or the complaint that came in its place."""

    custom_id: str
    body: Mapping[str, Any] = field(default_factory=dict, repr=False)
    complaint: Complaint | None = None


def read_result(line: bytes) -> Result:
    """The result on a line; raises :class:`UnusableReplyError` for any other line."""
    row = reply_object(strict_json(line), line)
    custom_id = row.get("custom_id")
    if not isinstance(custom_id, str):
        raise UnusableReplyError("has no custom_id")
    response, error = row.get("response"), row.get("error")
    if not isinstance(response, Mapping):
        said = {"error": error} if error else {"error": "it holds neither response nor error"}
        return Result(custom_id, complaint=complaint_of(0, said, excerpt_of(str(error))))
    status, body = response.get("status_code", 200), response.get("body")
    if isinstance(status, bool) or not isinstance(status, int):
        raise UnusableReplyError("has a status_code that is not a number")
    if not 200 <= status < 300:
        return Result(custom_id, complaint=complaint_of(status, body, str(body)))
    if not isinstance(body, Mapping):
        raise UnusableReplyError("has a response whose body is not an object")
    return Result(custom_id, body, error_in(body))


def lines_of(file: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """The lines of a file with their numbers; ``None`` for one that is too long to be read.

    Blank lines are passed over.
    """
    number = 0
    while line := file.readline(MAX_REPLY_BYTES + 1):
        number += 1
        if len(line) > MAX_REPLY_BYTES and not line.endswith(b"\n"):
            while (rest := file.readline(MAX_REPLY_BYTES)) and not rest.endswith(b"\n"):
                pass
            yield number, None
            continue
        text = (line.removeprefix(_BOM) if number == 1 else line).strip()
        if text:
            yield number, text
