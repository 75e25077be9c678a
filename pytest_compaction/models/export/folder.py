"""The folder of an export: requests to send, and the calls that they stand for.

``export.json`` tells that a folder is an export, where the store is, and what models have
refused. ``calls/DIGEST.json`` is a call as the run makes it. It outlives later exports,
because its reply may still be on its way. ``requests-N.jsonl`` are the batch files of the
last export, and ``requests/DIGEST.txt`` its plain ones; ``replies/DIGEST.txt`` is where
the replies to those are looked for. A batch file has the lines of the OpenAI Batch format, a
plain one is text for a model without an API.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO, Final

from pytest_compaction.models.calls.endpoint import MAX_REPLY_BYTES, excerpt_of
from pytest_compaction.models.wire.call import Call, Operation
from pytest_compaction.models.wire.refusals import Complaint, adapted, added, complaint_of
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
_MARK_DIGITS: Final = 12
"""Digits of the digest in each heading: no text knows the digest of the request it stands in."""

FORMAT: Final = 1
MANIFEST: Final = "export.json"
REQUESTS: Final = "requests"
REPLIES: Final = "replies"
_CALLS: Final = "calls"
_BATCHES: Final = f"{REQUESTS}-*.jsonl"
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


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


def can_be_plain(call: Call) -> bool:
    """Whether text can say all that the request says: no images, server edits, opaque items."""
    if call.operation != "chat.completions" or added(call.body):
        return False
    contents = [message.get("content") for message in call.body["messages"]]
    return not any(
        part.get("type") != "text"
        for content in contents
        if isinstance(content, list)
        for part in content
    )


def request_text(call: Call) -> str:
    """The request: what is asked for, then every message under a heading with its role."""
    mark = call.digest[:_MARK_DIGITS]
    lines = [
        f"Write the next message of the assistant in the conversation below, in at most "
        f"{call.body['max_tokens']} tokens.",
        f"Lines that begin with {mark} separate its messages. Reply with that message alone.",
    ]
    schema = _schema(call.body)
    if schema is not None:
        lines += ["The reply is JSON that fits this schema:", schema]
    for message in call.body["messages"]:
        lines += ["", f"{mark} {message['role']}", *_said(message)]
    lines += ["", f"{mark} assistant", ""]
    return "\n".join(lines)


def reply_body(text: str) -> dict[str, Any]:
    """The reply as an endpoint sends it; it does not say how many tokens were used."""
    message = {"role": "assistant", "content": text}
    return {
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
    }


def _schema(body: Mapping[str, Any]) -> str | None:
    form = body.get("response_format")
    if form is None:
        return None
    found = form.get("json_schema", {}).get("schema", {"type": "object"})
    return json.dumps(found, ensure_ascii=False)


def _said(message: Mapping[str, Any]) -> Iterator[str]:
    content = message.get("content")
    if isinstance(content, list):
        yield from (str(part["text"]) for part in content)
    elif content:
        yield str(content)
    for call in message.get("tool_calls", ()):
        yield f"[calls {call['function']['name']} with {call['function']['arguments']}]"


class ExportError(Exception):
    """A folder cannot be used for an export; the text is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file, or a folder of plain files, with the number of its requests and their size."""

    path: Path
    model: str
    operation: Operation
    requests: int
    size: int


@dataclass(frozen=True, slots=True)
class Written:
    """What an export wrote, and the calls that no file can ask for."""

    files: tuple[WrittenFile, ...] = ()
    left_out: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Exported:
    """A call that was exported, and the adaptations with which it was last sent."""

    call: Call
    adaptations: frozenset[str] = frozenset()


class ExportFolder:
    """The folder of an export; ``store`` is the folder of the store that lacks the calls."""

    def __init__(self, path: Path, store: Path, plain: bool = False) -> None:
        self.path = path
        self.store = store
        self.plain = plain
        self._refused: dict[tuple[Operation, str], frozenset[str]] = {}

    @classmethod
    def opened(cls, path: Path) -> ExportFolder:
        """The folder as an earlier export left it; raises :class:`ExportError`."""
        try:
            data: Any = json.loads((path / MANIFEST).read_bytes().decode("utf-8"))
            if data["format"] != FORMAT:
                raise ValueError
            found = cls(path, path / str(data["store"]), bool(data["plain"]))
            for each in data["refused"]:
                known = (each["operation"], str(each["model"]))
                found._refused[known] = frozenset(map(str, each["parts"]))
        except OSError as error:
            raise ExportError(
                f"{path}: is not a folder of --compaction-export: {MANIFEST} cannot be read "
                f"({error.strerror or error})"
            ) from None
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise ExportError(f"{path / MANIFEST}: is not the file of an export") from None
        return found

    @classmethod
    def made(cls, path: Path, store: Path, plain: bool) -> ExportFolder:
        """The folder for the next export, new or used before; raises :class:`ExportError`."""
        folder = cls(path, store, plain)
        try:
            path.mkdir(parents=True, exist_ok=True)
            if (path / MANIFEST).exists():
                folder._refused = cls.opened(path)._refused
            elif any(path.iterdir()):
                raise ExportError(f"{path}: is in use for something else; name an empty folder")
            folder._keep()
        except OSError as error:
            raise ExportError(f"{path}: cannot be used: {error.strerror or error}") from None
        return folder

    def refused(self, call: Call) -> frozenset[str]:
        """The names of the adaptations that a call needs, because its model has refused more."""
        return self._refused.get((call.operation, call.model), frozenset())

    def refuse(self, call: Call, name: str) -> None:
        """Send all calls like this one with an adaptation from the next export on."""
        known = self.refused(call)
        if name not in known:
            self._refused[call.operation, call.model] = known | {name}
            self._keep()

    def exported(self, digest: str) -> Exported | None:
        """The call of an id; ``None`` if no export of this folder wrote it, or it is damaged."""
        if not _DIGEST.fullmatch(digest):
            return None
        try:
            data = json.loads((self.path / _CALLS / f"{digest}.json").read_bytes().decode("utf-8"))
            call = Call(data["operation"], data["body"], data["trial"], data["role"])
            if call.digest != digest:
                return None
            return Exported(call, frozenset(data["adaptations"]))
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return None

    def calls(self) -> Iterator[Call]:
        """All calls that were ever exported here, by digest."""
        for path in sorted((self.path / _CALLS).glob("*.json")):
            found = self.exported(path.stem)
            if found is not None:
                yield found.call

    def write(self, calls: Sequence[Call]) -> Written:
        """Write the requests for these calls in place of those of the last export.

        Raises :class:`ExportError` if the disk does not take them.
        """
        try:
            self._clear()
            fits = can_be_plain if self.plain else _can_be_batched
            chosen = [call for call in calls if fits(call)]
            for call in chosen:
                self._keep_call(call)
            files = self._write_plain(chosen) if self.plain else self._write_batches(chosen)
            left_out = tuple(call for call in calls if not fits(call))
            return Written(tuple(files), left_out)
        except OSError as error:
            raise ExportError(
                f"{self.path}: cannot be written: {error.strerror or error}"
            ) from None

    def _clear(self) -> None:
        for path in (*self.path.glob(_BATCHES), *(self.path / REQUESTS).glob("*.txt")):
            path.unlink()
        with suppress(OSError):
            (self.path / REQUESTS).rmdir()

    def _keep(self) -> None:
        try:
            store = os.path.relpath(self.store.resolve(), self.path.resolve())
        except ValueError:  # another drive
            store = str(self.store.resolve())
        refused = [
            {"operation": operation, "model": model, "parts": sorted(parts)}
            for (operation, model), parts in sorted(self._refused.items())
        ]
        data = {"format": FORMAT, "plain": self.plain, "store": store, "refused": refused}
        (self.path / MANIFEST).write_bytes(json.dumps(data, indent=1).encode() + b"\n")

    def _keep_call(self, call: Call) -> None:
        folder = self.path / _CALLS
        folder.mkdir(exist_ok=True)
        data = {
            "operation": call.operation,
            "trial": call.trial,
            "role": call.role,
            "adaptations": sorted(self.refused(call)),
            "body": call.body,
        }
        (folder / f"{call.digest}.json").write_bytes(json_bytes(data) + b"\n")

    def _write_batches(self, calls: Iterable[Call]) -> Iterator[WrittenFile]:
        """Batch files: a batch is for one model and one address."""
        number = 0
        ordered = sorted(calls, key=_batch)
        for (model, operation), alike in groupby(ordered, key=_batch):
            lines = (request_line(call, self.refused(call)) for call in alike)
            for part in _parts(lines):
                number += 1
                path = self.path / f"{REQUESTS}-{number}.jsonl"
                path.write_bytes(b"".join(part))
                yield WrittenFile(path, model, operation, len(part), sum(map(len, part)))

    def _write_plain(self, calls: Iterable[Call]) -> Iterator[WrittenFile]:
        ordered = sorted(calls, key=_batch)
        for (model, operation), alike in groupby(ordered, key=_batch):
            folder = self.path / REQUESTS
            for place in (folder, self.path / REPLIES):
                place.mkdir(exist_ok=True)
            texts = {call.digest: request_text(call).encode("utf-8", "replace") for call in alike}
            for digest, text in texts.items():
                (folder / f"{digest}.txt").write_bytes(text)
            yield WrittenFile(folder, model, operation, len(texts), sum(map(len, texts.values())))


def _can_be_batched(call: Call) -> bool:
    return call.operation in URLS


def _batch(call: Call) -> tuple[str, Operation]:
    return call.model, call.operation


def _parts(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Lines file by file, each within what a batch takes."""
    part: list[bytes] = []
    size = 0
    for line in lines:
        if part and (len(part) == MAX_REQUESTS or size + len(line) > MAX_FILE_BYTES):
            yield part
            part, size = [], 0
        part.append(line)
        size += len(line)
    if part:
        yield part
