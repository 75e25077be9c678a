"""Requests written to files, and replies read from files, in place of an endpoint.

``export.json`` tells that a folder is an export, where the store is, and what models have
refused. ``calls/DIGEST.json`` is a call as the run makes it. It outlives later exports,
because its reply may still be on its way. ``requests-N.jsonl`` are the batch files of the
last export, and ``requests/DIGEST.txt`` its plain ones; ``replies/DIGEST.txt`` is where
the replies to those are looked for. A batch file has the lines of the OpenAI Batch format, a
plain one is text for a model without an API.

Replies are put into the store as if an endpoint had given them. One that cannot be used costs a
sentence and nothing else: its request stays missing, and all other replies are kept.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from pytest_compaction.folders import temporary_folder
from pytest_compaction.models.calls.accounts import Accounts
from pytest_compaction.models.calls.endpoint import excerpt_of
from pytest_compaction.models.calls.store import Store
from pytest_compaction.models.wire.call import Call, CallReply, Operation
from pytest_compaction.models.wire.complaint import Complaint, complaint_of
from pytest_compaction.models.wire.refusals import adaptation_for, adapted, added
from pytest_compaction.models.wire.reply import (
    UnusableReplyError,
    error_in,
    reply_object,
    strict_json,
    usage_of,
)
from pytest_compaction.text import printable

MAX_REQUESTS: Final = 50_000
MAX_FILE_BYTES: Final = 200_000_000
"""The most requests and bytes of one file, as OpenAI documents them."""
URLS: Final[Mapping[Operation, str]] = {
    "chat.completions": "/v1/chat/completions",
    "responses": "/v1/responses",
    "embeddings": "/v1/embeddings",
}
"""Addresses of operations that batches take; native compaction is not among them."""
FORMAT: Final = 1
MANIFEST: Final = "export.json"
REQUESTS: Final = "requests"
REPLIES: Final = "replies"
_CALLS: Final = "calls"
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_MARK_DIGITS: Final = 12
"""Digits of the digest in each heading: no text knows the digest of the request it stands in."""


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
    """The files of an export, and the calls that no file can ask for."""

    files: tuple[WrittenFile, ...] = ()
    left_out: tuple[Call, ...] = ()


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

    def exported(self, digest: str) -> tuple[Call, frozenset[str]] | None:
        """The call of an id, and the adaptations with which it was last sent.

        ``None`` if no export of this folder wrote it, or it is damaged.
        """
        if not _DIGEST.fullmatch(digest):
            return None
        try:
            data = json.loads((self.path / _CALLS / f"{digest}.json").read_bytes().decode("utf-8"))
            call = Call(data["operation"], data["body"], data["trial"], data["role"])
            return (call, frozenset(data["adaptations"])) if call.digest == digest else None
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return None

    def requested(self) -> list[Call]:
        """The calls of the last export."""
        digests = [path.stem for path in sorted((self.path / REQUESTS).glob("*.txt"))]
        for path in sorted(self.path.glob(f"{REQUESTS}-*.jsonl")):
            digests += [json.loads(line)["custom_id"] for line in path.read_bytes().splitlines()]
        return [found[0] for digest in digests if (found := self.exported(digest))]

    def write(self, calls: Sequence[Call]) -> Written:
        """Write the requests for these calls in place of those of the last export.

        Raises :class:`ExportError` if the disk does not take them.
        """
        fits: Callable[[Call], bool] = (
            can_be_plain if self.plain else lambda call: call.operation in URLS
        )
        chosen = [call for call in calls if fits(call)]
        requests = self.path / REQUESTS
        try:
            for path in (*self.path.glob(f"{REQUESTS}-*.jsonl"), *requests.glob("*.txt")):
                path.unlink()
            with suppress(OSError):
                requests.rmdir()
            for call in chosen:
                (self.path / _CALLS).mkdir(exist_ok=True)
                data = {
                    "operation": call.operation,
                    "trial": call.trial,
                    "role": call.role,
                    "adaptations": sorted(self.refused(call)),
                    "body": call.body,
                }
                (self.path / _CALLS / f"{call.digest}.json").write_bytes(_json_line(data))
            files = tuple(self._written(chosen))
        except OSError as error:
            raise ExportError(
                f"{self.path}: cannot be written: {error.strerror or error}"
            ) from None
        return Written(files, tuple(call for call in calls if not fits(call)))

    def _written(self, calls: Iterable[Call]) -> Iterator[WrittenFile]:
        """Plain files, or batch files, of which each is for one model and one address."""

        def batch(call: Call) -> tuple[str, Operation]:
            return call.model, call.operation

        number = 0
        for (model, operation), alike in groupby(sorted(calls, key=batch), key=batch):
            if self.plain:
                folder = self.path / REQUESTS
                folder.mkdir(exist_ok=True)
                (self.path / REPLIES).mkdir(exist_ok=True)
                data = {
                    call.digest: request_text(call).encode("utf-8", "replace") for call in alike
                }
                for digest, text in data.items():
                    (folder / f"{digest}.txt").write_bytes(text)
                size = sum(map(len, data.values()))
                yield WrittenFile(folder, model, operation, len(data), size)
                continue
            for part in _parts(request_line(call, self.refused(call)) for call in alike):
                number += 1
                path = self.path / f"{REQUESTS}-{number}.jsonl"
                path.write_bytes(b"".join(part))
                yield WrittenFile(path, model, operation, len(part), sum(map(len, part)))

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


def _json_line(data: Mapping[str, Any]) -> bytes:
    """JSON on one line, as UTF-8; text that has no UTF-8 form is escaped."""
    try:
        return json.dumps(data, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(data).encode() + b"\n"


def request_line(call: Call, refused: frozenset[str]) -> bytes:
    """The line that asks for a call; its id is the digest, under which the run looks it up.

    ``refused`` are the names of the adaptations that the model needs.
    """
    body = adapted(call.body, refused)
    url = URLS[call.operation]
    return _json_line({"custom_id": call.digest, "method": "POST", "url": url, "body": body})


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


def can_be_plain(call: Call) -> bool:
    """Whether text can say all that the request says: no images, server edits, opaque items."""
    if call.operation != "chat.completions" or added(call.body):
        return False
    contents = [message.get("content") for message in call.body["messages"]]
    parts = (part for content in contents if isinstance(content, list) for part in content)
    return all(part.get("type") == "text" for part in parts)


def request_text(call: Call) -> str:
    """The request: what is asked for, then every message under a heading with its role."""
    mark = call.digest[:_MARK_DIGITS]
    lines = [
        f"Write the next message of the assistant in the conversation below, in at most "
        f"{call.body['max_tokens']} tokens.",
        f"Lines that begin with {mark} separate its messages. Reply with that message alone.",
    ]
    form = call.body.get("response_format")
    if form is not None:
        schema = form.get("json_schema", {}).get("schema", {"type": "object"})
        lines += [
            "The reply is JSON that fits this schema:",
            json.dumps(schema, ensure_ascii=False),
        ]
    for message in call.body["messages"]:
        lines += ["", f"{mark} {message['role']}"]
        content = message.get("content")
        if isinstance(content, list):
            lines += [str(part["text"]) for part in content]
        elif content:
            lines.append(str(content))
        for made in message.get("tool_calls", ()):
            function = made["function"]
            lines.append(f"[calls {function['name']} with {function['arguments']}]")
    lines += ["", f"{mark} assistant", ""]
    return "\n".join(lines)


def reply_body(text: str) -> dict[str, Any]:
    """The reply as an endpoint sends it; it does not say how many tokens were used."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return {"object": "chat.completion", "choices": [choice]}


@dataclass(frozen=True, slots=True)
class Result:
    """The reply to one request: its body, or the complaint that came in its place."""

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


@dataclass
class Taken:
    """The outcome of taking replies: how many were kept, and a sentence for each that was not.

    ``known`` replies were in the store before and stay as they were. ``advice`` says what
    the next export will do otherwise.
    """

    kept: int = 0
    known: int = 0
    problems: list[str] = field(default_factory=list)
    advice: list[str] = field(default_factory=list)


_Rows = Iterator[tuple[str, Callable[[], Result]]]
"""The place of each result, and what reads it or raises :class:`UnusableReplyError`."""


def take_batch(folder: ExportFolder, paths: Iterable[Path]) -> Taken:
    """Take the results of batch files."""
    return _taken(folder, _batch_rows(paths))


def take_plain(folder: ExportFolder, paths: Iterable[Path] = ()) -> Taken:
    """Take the plain replies of these folders, or of the folder of the export."""
    return _taken(folder, _plain_rows(folder, tuple(paths) or (folder.path / REPLIES,)))


def missing_replies(folder: ExportFolder) -> int:
    """The number of calls ever exported that the store does not hold."""
    store = Store(folder.store, None, "replay")
    exported = (folder.exported(path.stem) for path in (folder.path / _CALLS).glob("*.json"))
    return sum(store.read(found[0]) is None for found in exported if found is not None)


def _taken(folder: ExportFolder, rows: _Rows) -> Taken:
    taken, refusals = Taken(), Counter[tuple[str, str]]()
    with temporary_folder() as folder_of_accounts:
        accounts = Accounts(folder_of_accounts / "accounts.sqlite")
        store = Store(folder.store, None, "normal", accounts)
        for where, read in rows:
            try:
                _take(read(), folder, store, taken, refusals)
            except UnusableReplyError as error:
                taken.problems.append(f"{where} {error}")
        taken.problems += accounts.notes
    for (model, name), count in sorted(refusals.items()):
        how = name if name.startswith("without") else f"with {name}"
        taken.advice.append(
            f"{printable(model, 80)} refused {count:,} request{'s' if count > 1 else ''}; export "
            f"again: they are then sent {how}"
        )
    return taken


def _take(
    result: Result,
    folder: ExportFolder,
    store: Store,
    taken: Taken,
    refusals: Counter[tuple[str, str]],
) -> None:
    """Keep a result; raises :class:`UnusableReplyError` if it is of no use.

    If another form of the request may be taken, it is sent so from now on.
    """
    exported = folder.exported(result.custom_id)
    if exported is None:
        shown = printable(result.custom_id, 16)
        raise UnusableReplyError(f"answers {shown!r}, which is no request of this export")
    call, adaptations = exported
    if store.read(call) is not None:
        taken.known += 1
        return
    if result.complaint is not None:
        step = adaptation_for(result.complaint, adapted(call.body, adaptations))
        if step is None or not step.kept:
            status = result.complaint.status
            raise UnusableReplyError(
                f"was refused{f' with status {status}' if status else ''}: "
                f"{excerpt_of(result.complaint.text)}"
            )
        folder.refuse(call, step.name)
        refusals[call.model, step.name] += 1
        return
    member = {"chat.completions": "choices", "embeddings": "data"}.get(call.operation, "output")
    if not isinstance(result.body.get(member), list):
        raise UnusableReplyError(f"is not a reply of {call.operation}: it has no list {member!r}")
    store.adopt(call, call.digest, CallReply(result.body, usage_of(result.body)))
    if store.read(call) is None:
        raise UnusableReplyError("could not be kept in the store")
    taken.kept += 1


def _batch_rows(paths: Iterable[Path]) -> _Rows:
    for path in paths:
        try:
            lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
        except OSError as error:
            yield f"{path}:", partial(_unreadable, error)
            continue
        numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
        yield from ((f"{path}:{number}", partial(read_result, line)) for number, line in numbered)


def _unreadable(error: OSError) -> Result:
    raise UnusableReplyError(f"cannot be read: {error.strerror or error}")


def _plain_rows(folder: ExportFolder, places: Iterable[Path]) -> _Rows:
    for place in places:
        try:
            found = sorted(path for path in place.iterdir() if not path.name.startswith("."))
        except OSError as error:
            yield f"{place}:", partial(_unreadable, error)
            continue
        yield from ((str(path), partial(_plain_result, folder, path)) for path in found)


def _plain_result(folder: ExportFolder, path: Path) -> Result:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        return _unreadable(error)
    except UnicodeDecodeError:
        raise UnusableReplyError("is not UTF-8 text") from None
    if not text.strip():
        raise UnusableReplyError("is empty")
    exported = folder.exported(path.stem)
    if exported is not None and not can_be_plain(exported[0]):
        raise UnusableReplyError("answers a request that cannot be answered in plain text")
    return Result(path.stem, reply_body(text))
