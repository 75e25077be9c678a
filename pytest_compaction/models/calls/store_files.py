"""How replies get into the files of a store: prepared while they are awaited, in a process if any.

A file has its request, in which keys are looked for; that takes longer than all else that is done
with a reply. So it is done while the request flies.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Final

from pytest_compaction.models.calls.background import Background
from pytest_compaction.models.calls.store_file import (
    Answered,
    file_answer,
    forget_request,
    prepare_request,
)
from pytest_compaction.models.wire.call import Call, CallReply, Filed, Keeping
from pytest_compaction.rule_processes.pool import RuleProcesses
from pytest_compaction.secrets.keys import environment_secrets

_PLACE: Final = "store"
"""Where in the processes files are written: all in one, which holds what was prepared."""


class StoreFiles:
    """Writes the files of the store in ``folder``, in one of the ``processes`` or a ``thread``."""

    def __init__(self, folder: Path, thread: Background, processes: RuleProcesses) -> None:
        self._folder = folder
        self._thread = thread
        self._processes = processes
        self._begun: dict[str, tuple[tuple[str, ...], Future[None] | None]] = {}
        """What was secret when each request was sent, and what prepares it in a process."""

    def keeping(self, digest: str, anew: bool) -> Keeping:
        """How the reply to the call of this digest is kept, for another process that can do it."""
        return Keeping(str(self._folder), digest, environment_secrets(), anew)

    def prepare(self, call: Call, digest: str) -> None:
        """Begin with the file of a call that is about to be sent."""
        secrets, body = environment_secrets(), call.body
        made = self._processes.call(_PLACE, prepare_request, digest, body, secrets)
        if made is None:
            self._thread.post(lambda: prepare_request(digest, body, secrets))
        self._begun[digest] = secrets, made

    def forget(self, digest: str) -> None:
        """Drop what was prepared for a call, if it was not written."""
        if digest not in self._begun:
            return
        secrets, made = self._begun.pop(digest)
        if made is None or self._processes.call(_PLACE, forget_request, digest, secrets) is None:
            self._thread.post(lambda: forget_request(digest, secrets))

    async def write_elsewhere(
        self, call: Call, digest: str, reply: CallReply, anew: bool
    ) -> Filed | None:
        """What came of writing a reply in a process; ``None`` if it has to be written here."""
        secrets, prepared = self._begun.get(digest, ((), None))
        if prepared is None:
            return None
        answered = replace(Answered.of(self._folder, call, digest, reply), request=None)
        made = self._processes.call(
            _PLACE, file_answer, answered, secrets, anew, urgent=prepared.done()
        )
        if made is None:
            return None
        told = asyncio.wrap_future(made)
        try:
            await asyncio.wait([told])
        finally:
            told.cancel()
        filed = None if told.cancelled() or told.exception() else told.result()
        if filed is not None:
            del self._begun[digest]
        return filed

    def write(self, call: Call, digest: str, reply: CallReply) -> Filed:
        """Write a reply here, whether or not there was a file. Blocks."""
        answered = Answered.of(self._folder, call, digest, reply)
        filed = file_answer(answered, environment_secrets(), anew=True)
        if filed is None:
            raise AssertionError("a request that is given and written anew was not written")
        return filed
