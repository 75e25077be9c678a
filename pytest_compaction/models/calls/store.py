"""The store of model calls: each request and its reply in one file, named by its digest.

``<folder>/<first two digits>/<digest>.json`` holds what was asked and what came
back: no key, no host, no clock, sorted members, so that a store can be committed and
read in a review. Files are written beside their place and moved into it, so that a
process that is killed leaves a whole file or none.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeVar
from weakref import WeakValueDictionary

from filelock import FileLock

from pytest_compaction.models.calls.accounts import Accounts, repeated
from pytest_compaction.models.calls.store_file import (
    CIPHERTEXT,
    PARTIAL,
    file_bytes,
    path_in,
    reply_in,
    write_file,
)
from pytest_compaction.models.calls.turns import turn_of_context
from pytest_compaction.models.protocol import NotRecordedError
from pytest_compaction.models.reference import shipped
from pytest_compaction.models.reference.archive import ArchiveError
from pytest_compaction.models.wire.call import Call, Caller, CallReply
from pytest_compaction.scratch import remove_left_files
from pytest_compaction.secrets.keys import scrubbed, scrubbed_json
from pytest_compaction.text.words import printable

Mode = Literal["normal", "replay", "refresh"]
T = TypeVar("T")


class Store:
    """Answers calls from files and keeps what the next caller answers.

    ``mode`` is ``normal``, ``replay`` or ``refresh``. In ``replay`` nobody is asked, and a
    call that is not in the store raises
    :class:`~pytest_compaction.models.protocol.NotRecordedError`. In ``refresh`` every call
    is made anew, once. Two equal calls at the same time become one: within a process by a
    lock, between the processes of a run by a claim in ``accounts``. Of two runs that make the same
    call the first to keep its reply wins, and both use it. ``shown`` is how the folder is named to
    the user.
    """

    def __init__(
        self,
        folder: Path,
        following: Caller | None,
        mode: Mode = "normal",
        accounts: Accounts | None = None,
        shown: str | None = None,
    ) -> None:
        self._folder = folder
        self._following = None if mode == "replay" else following
        self._mode = mode
        self._accounts = accounts
        self._shown = shown or str(folder)
        self._fresh: set[str] = set()
        self._swept = False
        self._writing = threading.Lock()
        # A lock is forgotten once no call holds it or waits for it.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def call(self, call: Call) -> CallReply:
        """The stored reply, or that of the next caller, which is stored first."""
        digest = call.digest
        lock = self._locks.get(digest)
        if lock is None:
            lock = self._locks[digest] = asyncio.Lock()
        async with lock:
            found = await self._stored(call, digest)
            if found is not None:
                return found
            if self._following is None:
                raise NotRecordedError(self._missing(call, digest))
            if not await self._claimed(digest):
                self._fresh.add(digest)
                found = await self._stored(call, digest)
            return found or await self._asked(self._following, call, digest)

    async def close(self) -> None:
        """Close the next caller."""
        if self._following is not None:
            await self._following.close()

    def before(self, following: Caller, accounts: Accounts | None) -> Store:
        """A store in the same folder and of the same mode before another caller."""
        return Store(self._folder, following, self._mode, accounts, self._shown)

    @property
    def is_empty(self) -> bool:
        """Whether the folder holds no call at all."""
        return not self._folder.is_dir() or not any(self._folder.glob("[0-9a-f][0-9a-f]"))

    async def held(self, call: Call, digest: str) -> CallReply | None:
        """The stored reply, if this run may use it. It is not entered in the accounts."""
        if self._mode == "refresh" and digest not in self._fresh:
            return None
        return await self.find(call)

    def adopt(self, call: Call, digest: str, reply: CallReply) -> CallReply:
        """Keep the reply to a call that another machine made for this run; the reply that counts.

        That is another one if the store had one by then.
        """
        if digest in self._fresh:
            found = self._read(digest)
            if found is not None:
                return found
        return self._kept(call, digest, reply)

    async def _stored(self, call: Call, digest: str) -> CallReply | None:
        """The same, entered in the accounts."""
        found = await self.held(call, digest)
        if found is not None and self._accounts is not None:
            self._accounts.stored(call.role, call.model)
        return found

    async def _claimed(self, digest: str) -> bool:
        """Wait until the call is ours to make; false if another process has made it meanwhile."""
        accounts = self._accounts
        return accounts is None or await repeated(lambda: accounts.claim(digest)) == "ours"

    async def _asked(self, following: Caller, call: Call, digest: str) -> CallReply:
        """The reply of the next caller, kept; the claim ends whatever happens.

        The call gives its turn back when its reply is kept: if the process is killed, no more
        than what flew is paid for again.
        """
        try:
            async with turn_of_context():
                reply = await following.call(call)
                return await _to_the_end(lambda: self._kept(call, digest, reply))
        finally:
            if self._accounts is not None:
                self._accounts.unclaim(digest, kept=digest in self._fresh)

    async def find(self, call: Call) -> CallReply | None:
        """The stored reply to a call; a file that cannot be used is passed over with a note.

        Replies of the reference run count as stored.
        """
        if call.model != shipped.NAME and self._is_missing(call.digest):
            return None
        return await asyncio.get_running_loop().run_in_executor(None, self._found, call)

    def _is_missing(self, digest: str) -> bool:
        """Whether no file is there: a look that takes less than a thread, which reading needs."""
        try:
            self._path(digest).stat()
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return False

    # The disk may be slow: the methods from here on run in threads, off the event loop.

    def _found(self, call: Call) -> CallReply | None:
        found = self._read(call.digest)
        if found is not None:
            return found
        try:
            return shipped.reply_to(call)
        except ArchiveError as error:
            self._note(str(error))
            return None

    def _read(self, digest: str) -> CallReply | None:
        try:
            text = self._path(digest).read_bytes().decode("utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            self._unusable(digest, f"it cannot be read ({type(error).__name__})")
            return None
        try:
            return reply_in(json.loads(text), digest)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            self._unusable(digest, "it is torn, or is not a file of a store")
            return None

    def _kept(self, call: Call, digest: str, reply: CallReply) -> CallReply:
        """Write the reply, unless another run has stored one first; the stored reply counts."""
        reply = replace(reply, body=scrubbed_json(reply.body, CIPHERTEXT))
        try:
            data = file_bytes(call, reply)
            with self._writing, FileLock(self._lock_file).acquire(poll_interval=0.01):
                self._sweep()
                found = None if self._mode == "refresh" else self._read(digest)
                if found is None:
                    write_file(self._folder, digest, data)
        except ValueError:
            self._note(f"a reply that is not valid JSON was not kept in {self._shown}")
            return reply
        except (OSError, NotImplementedError) as error:
            why = getattr(error, "strerror", None) or type(error).__name__
            self._note(
                f"replies could not be kept in {self._shown}: {why}; they will be paid for again"
            )
            return reply
        self._fresh.add(digest)
        return found or reply

    def _sweep(self) -> None:
        """Remove what writers that were killed have left, once."""
        if not self._swept:
            self._swept = True
            self._lock_file.touch()  # or it would be taken for left as well
            remove_left_files(self._folder / PARTIAL)

    @property
    def _lock_file(self) -> Path:
        """The file that is locked by whoever writes into the folder."""
        return self._folder / PARTIAL / "lock"

    def _unusable(self, digest: str, why: str) -> None:
        self._note(f"passed over {self._shown}/{digest[:2]}/{digest}.json: {why}")

    def _note(self, text: str) -> None:
        if self._accounts is not None:
            self._accounts.note(printable(text))

    def _path(self, digest: str) -> Path:
        return path_in(self._folder, digest)

    def _missing(self, call: Call, digest: str) -> str:
        if call.model == shipped.NAME:
            return shipped.missing(call, self._shown)
        return (
            f"this request is not in the store {self._shown}: {digest} ({call.role}, "
            f"{call.operation} of {scrubbed(call.model)}, trial {call.trial}); "
            "run once without --compaction-replay to record it"
        )


async def _to_the_end(work: Callable[[], T]) -> T:
    """The result of work in a thread; whoever is cancelled meanwhile waits for its end."""
    working = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        with suppress(Exception):
            await working
        raise
