"""The reference run of this package: who may read it, and what is said of what it lacks."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

from pytest_compaction.models.protocol import NotRecordedError
from pytest_compaction.models.reference.archive import Archive
from pytest_compaction.models.wire.call import Call, Caller, CallReply, ChainedCaller
from pytest_compaction.secrets.keys import scrubbed

NAME: Final = "reference"
"""The model whose replies are on record; no endpoint is asked for a model of this name."""
PATH = Path(__file__).with_name("reference.zip")
"""The file of the reference run."""


def shipped_run() -> Archive | None:
    """The reference run; ``None`` if this version comes without one."""
    try:
        found = PATH.stat()
    except OSError:
        return None
    return _opened(PATH, found.st_mtime_ns, found.st_size)


def reply_to(call: Call) -> CallReply | None:
    """The reply of the reference run to a call of its model.

    Raises :class:`~pytest_compaction.models.reference.archive.ArchiveError` if the file is
    damaged.
    """
    archive = shipped_run() if call.model == NAME else None
    return None if archive is None else archive.reply(call.digest)


def missing(call: Call, store: str) -> str:
    """What to tell the user of a call that is neither in the reference run nor in the store."""
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
        """The reply of the next caller; raises :class:`NotRecordedError` for the reference model.

        The store has looked for the reply before.
        """
        if call.model == NAME:
            raise NotRecordedError(missing(call, self._store))
        return await self._following.call(call)


@lru_cache(maxsize=1)
def _opened(path: Path, _changed: int, _size: int) -> Archive:
    return Archive(path)
