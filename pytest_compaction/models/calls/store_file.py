"""One file of the store: its place, its bytes, and what must stand in it."""

from __future__ import annotations

import json
import os
import threading
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation.messages import canonical_json
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Call, CallReply
from pytest_compaction.secrets.keys import BLOT, scrubbed_json

FORMAT: Final = 1
PARTIAL: Final = ".partial"
"""The folder within the store for files that are being written."""
CIPHERTEXT: Final = frozenset({"encrypted_content", "signature"})
"""Members in which anything can look like a key by chance: only known secrets are replaced."""


def path_in(folder: Path, digest: str) -> Path:
    """Where the store in this folder has the file of a call."""
    return folder / digest[:2] / f"{digest}.json"


def file_bytes(call: Call, reply: CallReply) -> bytes:
    """A call and its reply without keys: sorted members, one value a line, a newline at the end.

    Raises :class:`ValueError` for a value that JSON does not know, such as NaN.
    """
    data = {
        "format": FORMAT,
        "digest": call.digest,
        "operation": call.operation,
        "trial": call.trial,
        "request": scrubbed_json(dict(call.body), CIPHERTEXT),
        "reply": reply.body,
        "usage": reply.usage.as_json(),
    }
    try:
        return _json(data, ensure_ascii=False)
    except UnicodeEncodeError:  # half a surrogate pair has no UTF-8 form, but it can be escaped
        return _json(data, ensure_ascii=True)


def _json(data: dict[str, Any], ensure_ascii: bool) -> bytes:
    text = json.dumps(data, sort_keys=True, indent=1, ensure_ascii=ensure_ascii, allow_nan=False)
    return f"{text}\n".encode()


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


def write_file(folder: Path, digest: str, data: bytes) -> None:
    """Write beside the place of a file, and move it there; leaves nothing if that fails."""
    path = path_in(folder, digest)
    # No two threads of any processes write into one file.
    temporary = folder / PARTIAL / f"{digest}.{os.getpid()}.{threading.get_ident()}"
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary.parent.mkdir(exist_ok=True)
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    except OSError:
        # Where the disk is full, what was written of it is in the way.
        with suppress(OSError):
            temporary.unlink()
        raise
