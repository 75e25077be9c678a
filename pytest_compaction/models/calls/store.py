"""The store of model calls: each request and its reply in one file, named by its digest.

``<folder>/<first two digits>/<digest>.json`` holds what was asked and what came
back: no key, no host, no clock, sorted members, so that a store can be committed and
read in a review. Files are written beside their place and moved into it, so that a
process that is killed leaves a whole file or none.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Literal, Protocol
from weakref import WeakValueDictionary

from pytest_compaction.models.calls.accounts import Accounts, Claim
from pytest_compaction.models.calls.background import Background
from pytest_compaction.models.calls.store_file import (
    NOT_JSON,
    PARTIAL,
    path_in,
    reply_in,
)
from pytest_compaction.models.calls.store_files import StoreFiles
from pytest_compaction.models.calls.transactions import repeat_off_loop
from pytest_compaction.models.calls.turns import turn_of_context
from pytest_compaction.models.protocol import NotRecordedError
from pytest_compaction.models.reference import shipped
from pytest_compaction.models.reference.archive import ArchiveError
from pytest_compaction.models.wire.call import Call, Caller, CallReply, Filed
from pytest_compaction.rule_processes.pool import RuleProcesses
from pytest_compaction.scratch import remove_left_files
from pytest_compaction.secrets.keys import scrubbed
from pytest_compaction.text.words import printable

Mode = Literal["normal", "replay", "refresh"]


class Sender(Protocol):
    """Sends calls, and may keep their replies where they arrive."""

    async def keeps(self) -> bool:
        """Whether it would keep the reply to a call that is made now, on the running loop."""


class Store:
    """Answers calls from files and keeps what the next caller answers.

    ``mode`` is ``normal``, ``replay`` or ``refresh``. In ``replay`` nobody is asked, and a
    call that is not in the store raises
    :class:`~pytest_compaction.models.protocol.NotRecordedError`. In ``refresh`` every call
    is made anew, once. Two equal calls at the same time become one: within a process by a
    lock, between the processes of a run by a claim in ``accounts``. ``shown`` is how the
    folder is named to the user. Replies are kept by the ``sender`` that the last of the callers
    is, if it can, or written in one of the ``processes``, if there is any.
    """

    def __init__(
        self,
        folder: Path,
        following: Caller | None,
        mode: Mode = "normal",
        accounts: Accounts | None = None,
        shown: str | None = None,
        processes: RuleProcesses | None = None,
        sender: Sender | None = None,
    ) -> None:
        self._folder = folder
        self._following = None if mode == "replay" else following
        self._mode = mode
        self._accounts = accounts
        self._shown = shown or str(folder)
        # One thread for both: a claim ends right after its reply is written.
        self._thread = Background("compaction-store") if accounts is None else accounts.thread
        self._processes = processes or RuleProcesses()
        self._sender = sender
        self._files = StoreFiles(folder, self._thread, self._processes)
        self._fresh: set[str] = set()
        self._swept = False
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
        """A store in the same folder and of the same mode before another caller, not its sender."""
        return Store(self._folder, following, self._mode, accounts, self._shown, self._processes)

    @property
    def is_empty(self) -> bool:
        """Whether the folder holds no call at all."""
        return not self._folder.is_dir() or not any(self._folder.glob("[0-9a-f][0-9a-f]"))

    @property
    def _anew(self) -> bool:
        """Whether a reply is written in place of one that is there."""
        return self._mode == "refresh"

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
        accounts = self._accounts
        if found is not None and accounts is not None:
            accounts.post(lambda: accounts.stored(call.role, call.model))
        return found

    async def _claimed(self, digest: str) -> bool:
        """Wait until the call is ours to make; false if another process has made it meanwhile."""
        accounts = self._accounts
        if accounts is None:
            return True

        def undo(claim: Claim) -> None:
            if claim == "ours":
                accounts.unclaim(digest, kept=False)

        claim: Claim = await repeat_off_loop(accounts, lambda: accounts.claim(digest), undo)
        return claim == "ours"

    async def _asked(self, following: Caller, call: Call, digest: str) -> CallReply:
        """The reply of the next caller, kept; the claim ends whatever happens.

        The call gives its turn back when its reply is kept: if the process is killed, no more
        than what flew is paid for again.
        """
        is_answered = False
        if not self._swept:
            self._thread.post(self._sweep)
        try:
            is_apart = self._sender is not None and await self._sender.keeps()
            async with turn_of_context(or_next=is_apart):
                if is_apart:
                    call = replace(call, keeping=self._files.keeping(digest, self._anew))
                else:
                    self._files.prepare(call, digest)
                reply = await following.call(call)
                is_answered = True
                return await self._keep(call, digest, reply)
        except BaseException:
            if not is_answered:
                self._files.forget(digest)
                self._unclaim(digest)
            raise

    async def find(self, call: Call) -> CallReply | None:
        """The stored reply to a call; a file that cannot be used is passed over with a note.

        Replies of the reference run count as stored.
        """
        if call.model != shipped.NAME and self._is_missing(call.digest):
            return None
        return await asyncio.get_running_loop().run_in_executor(None, self._found, call)

    async def _keep(self, call: Call, digest: str, reply: CallReply) -> CallReply:
        """Keep a reply, even for a caller that gives up: it is paid for.

        Such a caller waits for the end of the writing.
        """
        if reply.filed is not None:
            try:
                return self._scrubbed(reply.filed, digest, reply)
            finally:
                self._unclaim(digest)

        def keep() -> CallReply:
            try:
                return self._kept(call, digest, reply)
            finally:
                self._files.forget(digest)
                self._unclaim(digest)

        try:
            filed = await self._files.write_elsewhere(call, digest, reply, self._anew)
        except asyncio.CancelledError:
            await self._thread.result(keep)
            raise
        if filed is None:
            return await self._thread.result(keep)
        try:
            return self._scrubbed(filed, digest, reply)
        finally:
            self._unclaim(digest)

    def _is_missing(self, digest: str) -> bool:
        """Whether no file is there: a look that takes less than a thread, which reading needs."""
        try:
            self._path(digest).stat()
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return False

    def _unclaim(self, digest: str) -> None:
        """End a claim, which others then take for kept or for free, after what was posted."""
        accounts, kept = self._accounts, digest in self._fresh
        if accounts is not None:
            accounts.post(lambda: accounts.unclaim(digest, kept))

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
        if self._mode != "refresh":
            found = self._read(digest)
            if found is not None:
                self._fresh.add(digest)
                return found
        self._sweep()
        return self._scrubbed(self._files.write(call, digest, reply), digest, reply)

    def _sweep(self) -> None:
        """Remove what writers that were killed have left, once."""
        if not self._swept:
            self._swept = True
            remove_left_files(self._folder / PARTIAL)

    def _scrubbed(self, filed: Filed, digest: str, reply: CallReply) -> CallReply:
        """The scrubbed reply; a note if it could not be kept."""
        if filed.problem is None:
            self._fresh.add(digest)
        elif filed.problem == NOT_JSON:
            self._note(f"a reply that is not valid JSON was not kept in {self._shown}")
        else:
            self._note(
                f"replies could not be kept in {self._shown}: {filed.problem}; "
                "they will be paid for again"
            )
        return replace(reply, body=filed.reply, filed=None)

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
