"""The reference run: replies of a large language model that come with the package.

It is a zip file of two members. ``words.jsonl`` has one line for each reply, sorted by its key:
role, case, strategy, compaction point, trial, probe and number. A line also has the digest of the
request that was answered, by which a replay finds it. The requests are not in it, because a run
renders them again. ``manifest.json`` says what the words belong to, and holds the SHA-256 of the
other member. The file is only ever read.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final, Literal, TypeVar

from pytest_compaction.models.protocol import NotRecordedError
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Call, Caller, CallReply, ChainedCaller
from pytest_compaction.secrets import scrubbed

FORMAT: Final = 2
MANIFEST: Final = "manifest.json"
WORDS: Final = "words.jsonl"
_DAMAGES: Final = (
    *(OSError, RuntimeError, LookupError, TypeError, ValueError, AttributeError, EOFError),
    *(zipfile.BadZipFile, zlib.error),
)
_T = TypeVar("_T")

REFERENCE: Final = "reference"
"""The model whose replies are on record; no endpoint is asked for a model of this name."""
PATH = Path(__file__).with_name("reference.zip")
"""The file of the reference run."""


class ArchiveError(Exception):
    """The file of a reference run cannot be used; the text is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The cases and strategies of a reference run, and the source of its replies.

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
class Words:
    """A text that a model wrote once, with its key and the digest (64 hex digits) of the request.

    ``point`` is the compaction point that a summary was written at, or after which ``probe`` was
    asked; a summary has no probe. ``number`` counts what has the rest of its key in common, from 1:
    a summary that was checked and written again, a second judgement. ``covers`` are the first
    and the last message of those that a summary was written from.
    """

    role: Literal["summary", "answer", "verdict"]
    case: str
    strategy: str
    point: str
    trial: int
    probe: str
    number: int
    digest: str
    words: str = field(repr=False)
    covers: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str, str, str, int, str, int]:
        """The unique key of these words, which does not depend on the request."""
        return (
            self.case, self.strategy, self.role, self.point, self.trial, self.probe, self.number
        )  # fmt: skip

    @property
    def reply(self) -> CallReply:
        """The words as the reply to a call."""
        message = {"role": "assistant", "content": self.words}
        choice = {"finish_reason": "stop", "index": 0, "message": message}
        return CallReply({"object": "chat.completion", "choices": [choice]}, Usage(calls=1))


class Archive:
    """The file of a reference run, opened when it is first needed. Any thread may read it.

    A damaged file raises :class:`ArchiveError`; a zip file has a checksum of each member.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def manifest(self) -> Manifest:
        """The manifest."""

        def made(data: bytes) -> Manifest:
            found = json.loads(data)
            del found["format"]
            lists = {name: tuple(found[name]) for name in ("strategies", "provenance")}
            return Manifest(**{**found, **lists})

        return self._read(MANIFEST, made)

    @cached_property
    def words(self) -> Mapping[str, Words]:
        """All words by digest."""

        def made(data: bytes) -> dict[str, Words]:
            rows = map(json.loads, data.splitlines())
            words = (Words(**{**row, "covers": tuple(row.get("covers", ()))}) for row in rows)
            return {each.digest: each for each in words}

        return self._read(WORDS, made)

    def reply(self, digest: str) -> CallReply | None:
        """The reply to the call of a digest."""
        found = self.words.get(digest)
        return None if found is None else found.reply

    def _read(self, name: str, made: Callable[[bytes], _T]) -> _T:
        """What is made of the content of a member."""
        try:
            with zipfile.ZipFile(self.path) as file:
                return made(file.read(name))
        except _DAMAGES as error:
            raise ArchiveError(
                f"the reference run {self.path} cannot be used: {name}: {type(error).__name__} "
                f"({error}); install the package again"
            ) from None


def shipped_run() -> Archive | None:
    """The reference run; ``None`` if this version comes without one."""
    try:
        found = PATH.stat()
    except OSError:
        return None
    return _opened(PATH, found.st_mtime_ns, found.st_size)


def reply_to(call: Call) -> CallReply | None:
    """The reply of the reference run to a call of its model.

    Raises :class:`~pytest_compaction.models.reference.shipped.ArchiveError` if the file is
    damaged.
    """
    archive = shipped_run() if call.model == REFERENCE else None
    return None if archive is None else archive.reply(call.digest)


def missing(call: Call, store: str) -> str:
    """The sentence on a call that is neither in the reference run nor in the store."""
    archive = shipped_run()
    asked = f"{call.digest} ({call.role}, {call.operation}, trial {call.trial})"
    if archive is None:
        return (
            f"no reference run comes with this version, and this request is not in the store "
            f"{scrubbed(store)}: {asked}; take a model that can be asked: --compaction-model=NAME"
        )
    covered = archive.manifest
    return (
        f"this request is not in the reference run: {asked}; it covers the cases "
        f"{', '.join(covered.cases)} with the strategies {', '.join(covered.strategies)}; for "
        "anything else take a model that can be asked: --compaction-model=NAME"
    )


class RecordedOnly(ChainedCaller):
    """Passes calls on, except those of the reference model, which nobody can be asked for."""

    def __init__(self, following: Caller, store: str) -> None:
        super().__init__(following)
        self._store = store

    async def call(self, call: Call) -> CallReply:
        """The reply of the next caller, or :class:`NotRecordedError` for the reference model.

        The store has looked for the reply before.
        """
        if call.model == REFERENCE:
            raise NotRecordedError(missing(call, self._store))
        return await self._following.call(call)


@lru_cache(maxsize=1)
def _opened(path: Path, _changed: int, _size: int) -> Archive:
    return Archive(path)
