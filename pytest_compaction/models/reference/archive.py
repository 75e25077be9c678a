"""The file of a reference run: a manifest, and the replies by the digest of their request.

It is a zip file of two members. ``replies.jsonl`` has one line for each call, sorted by
digest; the requests are not in it, because a run renders them again. ``manifest.json`` says
what the replies belong to, and holds the SHA-256 of the other member. The same replies give
the same bytes. The file is only ever read.
"""

from __future__ import annotations

import hashlib
import json
import threading
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import CallReply

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
REPLIES: Final = "replies.jsonl"
MAX_FILE_BYTES: Final = 6_000_000
"""The largest file that is packed."""
MAX_MEMBER_BYTES: Final = 64 * 1024**2
"""The most that a member may hold: more is not unpacked."""
_DATE: Final = (1980, 1, 1, 0, 0, 0)
_UNIX: Final = 3
_MODE: Final = 0o644 << 16


class ArchiveError(Exception):
    """The file of a reference run cannot be used; the text is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the replies of a reference run belong to, and where they come from.

    ``cases`` are digests by id. ``model`` says which kind of model wrote the replies, ``dates``
    when, and ``provenance`` how. ``repairs`` is the number of judgements that could not be
    read and were asked for again. ``replies`` and ``sha256`` are of the other member.
    """

    cases: Mapping[str, str]
    strategies: tuple[str, ...]
    model: str
    dates: str
    provenance: tuple[str, ...]
    repairs: int = 0
    replies: int = 0
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class StoredReply:
    """A reply under the digest (64 hexadecimal digits) of its call."""

    digest: str
    body: Mapping[str, Any]
    usage: Usage = Usage()


class Archive:
    """The file of a reference run, opened when it is first needed. Any thread may read it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._manifest: Manifest | None = None
        self._replies: dict[str, CallReply] | None = None

    @property
    def manifest(self) -> Manifest:
        """The manifest; raises :class:`ArchiveError` if the file is damaged."""
        with self._lock:
            if self._manifest is None:
                self._manifest = _read_manifest(self.path)
            return self._manifest

    def reply(self, digest: str) -> CallReply | None:
        """The reply to the call of a digest; raises :class:`ArchiveError` for a damaged file."""
        manifest = self.manifest
        with self._lock:
            if self._replies is None:
                self._replies = _read_replies(self.path, manifest)
            return self._replies.get(digest)


def packed(path: Path, manifest: Manifest, replies: Iterable[StoredReply]) -> Manifest:
    """Write the file; returns the manifest with the figures of the replies.

    Raises :class:`ArchiveError` if the file would be larger than 6 MB or hold a member that
    is too large to be read again; nothing is written then.
    """
    rows = sorted(replies, key=lambda reply: reply.digest)
    data = b"".join(_line(row) for row in rows)
    if len(data) > MAX_MEMBER_BYTES:
        raise ArchiveError(f"{len(data):,} bytes of replies are more than {MAX_MEMBER_BYTES:,}")
    digest = hashlib.sha256(data).hexdigest()
    manifest = replace(manifest, replies=len(rows), sha256=digest)
    about = {"format": FORMAT, **asdict(manifest)}
    members = {MANIFEST: _json(about, indent=1) + b"\n", REPLIES: data}
    partial = path.with_name(f"{path.name}.partial")
    with zipfile.ZipFile(partial, "w") as file:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, _DATE)
            info.create_system, info.external_attr = _UNIX, _MODE
            file.writestr(info, content, zipfile.ZIP_DEFLATED, 9)
    size = partial.stat().st_size
    if size > MAX_FILE_BYTES:
        partial.unlink()
        raise ArchiveError(f"the file would have {size:,} bytes, more than {MAX_FILE_BYTES:,}")
    partial.replace(path)
    return manifest


def _line(reply: StoredReply) -> bytes:
    data = {"digest": reply.digest, "reply": reply.body, "usage": asdict(reply.usage)}
    return _json(data) + b"\n"


def _json(data: Mapping[str, Any], indent: int | None = None) -> bytes:
    """JSON with sorted members; ASCII, since half a surrogate pair has no UTF-8 form."""
    return json.dumps(data, sort_keys=True, indent=indent, allow_nan=False).encode()


def _read_manifest(path: Path) -> Manifest:
    try:
        data: Any = json.loads(_member(path, MANIFEST))
        if data["format"] != FORMAT:
            raise ValueError(f"format {data['format']!r}")
        return Manifest(
            cases={str(name): str(digest) for name, digest in data["cases"].items()},
            strategies=tuple(map(str, data["strategies"])),
            model=str(data["model"]),
            dates=str(data["dates"]),
            provenance=tuple(map(str, data["provenance"])),
            repairs=int(data["repairs"]),
            replies=int(data["replies"]),
            sha256=str(data["sha256"]),
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _damaged(path, f"its manifest is not one ({type(error).__name__})") from None


def _read_replies(path: Path, manifest: Manifest) -> dict[str, CallReply]:
    data = _member(path, REPLIES)
    if hashlib.sha256(data).hexdigest() != manifest.sha256:
        raise _damaged(path, "the replies are not those of its manifest")
    try:
        rows = [json.loads(line) for line in data.splitlines()]
        replies = {str(r["digest"]): CallReply(r["reply"], Usage(**r["usage"])) for r in rows}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _damaged(path, f"a reply is not one ({type(error).__name__})") from None
    if len(replies) != manifest.replies:
        raise _damaged(path, f"it holds {len(replies):,} of {manifest.replies:,} replies")
    return replies


def _member(path: Path, name: str) -> bytes:
    """The content of a member, which is never read beyond the bound."""
    try:
        with zipfile.ZipFile(path) as file, file.open(name) as member:
            data = member.read(MAX_MEMBER_BYTES + 1)
    except OSError as error:
        raise _damaged(path, f"it cannot be read ({error.strerror or error})") from None
    except KeyError:
        raise _damaged(path, f"it has no {name}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise _damaged(path, f"{name} cannot be unpacked ({error})") from None
    if len(data) > MAX_MEMBER_BYTES:
        raise _damaged(path, f"{name} has more than {MAX_MEMBER_BYTES:,} bytes")
    return data


def _damaged(path: Path, why: str) -> ArchiveError:
    return ArchiveError(
        f"the reference run {path} cannot be used: {why}; install the package again"
    )
