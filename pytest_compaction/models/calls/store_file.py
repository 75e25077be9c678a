"""One file of the store: how it is written, which any process can do, and what must stand in it."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation.messages import canonical_json
from pytest_compaction.models.calls.file_text import (
    CIPHERTEXT,
    Written,
    file_bytes,
    written_request,
)
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Call, CallReply, Filed
from pytest_compaction.secrets.keys import BLOT, scrubbed_json

FORMAT: Final = 1
NOT_JSON: Final = "it is not valid JSON"
PARTIAL: Final = ".partial"
"""The folder within the store for files that are being written."""
_TO_WRITE: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
_MOST: Final = 1_024
"""Prepared requests that are held at a time: more than fly."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A call with its digest and what was answered, all of it JSON, to be kept in ``folder``.

    Without a ``request`` it is one that was prepared.
    """

    folder: str
    operation: str
    trial: int
    digest: str
    request: Mapping[str, Any] | None
    reply: Mapping[str, Any]
    usage: Mapping[str, Any]

    @classmethod
    def of(cls, folder: Path, call: Call, digest: str, reply: CallReply) -> Answered:
        """The same of a call and its reply."""
        usage = reply.usage.as_json()
        return cls(str(folder), call.operation, call.trial, digest, call.body, reply.body, usage)


_prepared: dict[tuple[str, tuple[str, ...]], Written] = {}
"""The texts of requests that fly, by the digests of the calls and what was secret."""


def prepare_request(digest: str, request: Mapping[str, Any], secrets: tuple[str, ...]) -> None:
    """Make the text of a request, without the secrets, before its reply is there.

    To look for keys in a long request takes as long as some replies do.
    """
    while len(_prepared) >= _MOST:
        _prepared.pop(next(iter(_prepared)), None)
    _prepared[digest, secrets] = written_request(request, secrets)


def forget_request(digest: str, secrets: tuple[str, ...]) -> None:
    """Drop a prepared request, which got no reply."""
    _prepared.pop((digest, secrets), None)


def path_in(folder: Path, digest: str) -> Path:
    """Where the store in this folder has the file of a call."""
    return folder / digest[:2] / f"{digest}.json"


def file_answer(answered: Answered, secrets: tuple[str, ...], anew: bool) -> Filed | None:
    """Write a reply, without the secrets.

    ``None`` if nothing was written: because there is a file, be it a torn one, and it is not to
    be written ``anew``, or because there is no request. The ``problem`` of what is returned is
    :data:`NOT_JSON` or what the system says of its disk.
    """
    request = _prepared.pop((answered.digest, secrets), None)
    folder = Path(answered.folder)
    path = path_in(folder, answered.digest)
    if not anew and path.exists():
        return None
    reply: dict[str, Any] = scrubbed_json(answered.reply, CIPHERTEXT, secrets)
    try:
        if request is None:
            if answered.request is None:
                return None
            request = written_request(answered.request, secrets)
        data = {
            "format": FORMAT,
            "digest": answered.digest,
            "operation": answered.operation,
            "trial": answered.trial,
            "request": request,
            "reply": reply,
            "usage": answered.usage,
        }
        _write(folder, path, file_bytes(data))
    except ValueError:
        return Filed(reply, NOT_JSON)
    except OSError as error:
        return Filed(reply, error.strerror or type(error).__name__)
    return Filed(reply)


def reply_in(data: dict[str, Any], digest: str) -> CallReply:
    """The reply in a store file; raises if the file does not hold what its name says."""
    if data["format"] != FORMAT or data["digest"] != digest:
        raise ValueError("a file of another kind")
    if not isinstance(data["reply"], dict) or not isinstance(data["request"], dict):
        raise TypeError("request and reply are objects")
    asked = Call(data["operation"], data["request"], data["trial"])
    # A request in which a key was replaced no longer has the digest that names it.
    if asked.digest != digest and BLOT not in canonical_json(data["request"]):
        raise ValueError("the request is not the one of this digest")
    usage = Usage(**data["usage"])
    if not all(isinstance(count, int) for count in asdict(usage).values()):
        raise TypeError("usage is counted in whole numbers")
    return CallReply(data["reply"], usage)


def _write(folder: Path, path: Path, data: bytes) -> None:
    """Write beside the place of a file, and move it there."""
    partial = folder / PARTIAL
    # A writer of its own name: no two threads of any processes write into one file.
    temporary = partial / f"{path.stem}.{os.getpid()}.{threading.get_ident()}"
    try:
        _write_and_move(data, temporary, path)
    except FileNotFoundError:
        # To look for the folders before each file would take as long as to write it.
        partial.mkdir(parents=True, exist_ok=True)
        path.parent.mkdir(exist_ok=True)
        _write_and_move(data, temporary, path)


def _write_and_move(data: bytes, temporary: Path, path: Path) -> None:
    # Without a file object: at each call of the system this thread lets others run, and then
    # has to wait for them.
    file = os.open(temporary, _TO_WRITE, 0o666)
    try:
        try:
            while data:
                data = data[os.write(file, data) :]
        finally:
            os.close(file)
        temporary.replace(path)
    except FileNotFoundError:
        raise
    except OSError:
        # Where the disk is full, what was written of it is in the way.
        with suppress(OSError):
            temporary.unlink()
        raise
