"""The store of model calls: each request and its reply in one file, named by its digest.

``<folder>/<first two digits>/<digest>.json`` holds the request and the reply: no key, no host,
no clock, sorted members, so that a store can be committed and read in a review. Files are
written beside their place and moved into it, so that a process that is killed leaves a whole
file or none.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal
from weakref import WeakValueDictionary

from filelock import FileLock

from pytest_compaction.conversation import canonical_json
from pytest_compaction.folders import remove_left_files
from pytest_compaction.models.calls.accounts import Accounts, repeated
from pytest_compaction.models.embeddings import with_kept_vectors
from pytest_compaction.models.place import current_slot
from pytest_compaction.models.protocol import NotRecordedError
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Call, Caller, CallReply
from pytest_compaction.secrets import BLOT, scrubbed, scrubbed_json
from pytest_compaction.text import printable

FORMAT: Final = 1
PARTIAL: Final = ".partial"
"""The folder within the store for files that are being written."""
CIPHERTEXT: Final = frozenset({"embedding", "encrypted_content", "signature"})
"""Members in which anything can look like a key by chance: only known secrets are replaced."""

Mode = Literal["normal", "replay", "refresh"]


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
        self._partial = folder / PARTIAL
        self._following = None if mode == "replay" else following
        self._mode = mode
        self._accounts = accounts
        self._shown = shown or str(folder)
        self.before_paid: Callable[[Call], Awaitable[object]] | None = None
        """Awaited before a call is passed on."""
        self._fresh: set[str] = set()
        self._swept = False
        self._writing = threading.Lock()
        self._lock = FileLock(self._partial / "lock", thread_local=False)
        """Held by whoever writes into the folder."""
        # A lock is forgotten once no call holds it or waits for it.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def call(self, call: Call) -> CallReply:
        """The stored reply, or that of the next caller, which is stored first."""
        digest = call.digest
        async with self._locks.setdefault(digest, asyncio.Lock()):
            found = await self._stored(call, digest)
            if found is not None:
                return found
            if self._following is None:
                raise NotRecordedError(self._missing(call, digest))
            if self.before_paid is not None:
                await self.before_paid(call)
            accounts = self._accounts
            if accounts and await repeated(lambda: accounts.claim(digest)) != "ours":
                self._fresh.add(digest)  # another process has made it meanwhile
                found = await self._stored(call, digest)
            return found or await self._made(self._following, call, digest)

    async def close(self) -> None:
        if self._following is not None:
            await self._following.close()

    def before(self, following: Caller, accounts: Accounts | None) -> Store:
        """A store in the same folder and of the same mode before another caller."""
        return Store(self._folder, following, self._mode, accounts, self._shown)

    def within(self, folder: str) -> Store:
        """A store in a folder of this one, of the same mode before the same caller."""
        shown = f"{self._shown}/{folder}"
        return Store(self._folder / folder, self._following, self._mode, self._accounts, shown)

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
        found = await self.held(call, digest)
        if found is not None and self._accounts is not None:
            self._accounts.stored(call.role, call.model)
        return found

    async def _made(self, following: Caller, call: Call, digest: str) -> CallReply:
        """The reply of the next caller, kept; the claim ends whatever happens.

        The call is in flight until its reply is kept: if the process is killed, no more than
        what flew is paid for again.
        """
        try:
            async with current_slot():
                reply = await following.call(call)
                working = asyncio.ensure_future(asyncio.to_thread(self._kept, call, digest, reply))
                try:
                    return await asyncio.shield(working)
                except asyncio.CancelledError:  # whoever is cancelled meanwhile waits for its end
                    with suppress(Exception):
                        await working
                    raise
        finally:
            if self._accounts is not None:
                self._accounts.unclaim(digest, kept=digest in self._fresh)

    async def find(self, call: Call) -> CallReply | None:
        """The reply that :meth:`read` finds, looked for off the event loop."""
        try:  # to look takes less time than a thread, which reading needs
            self._path(call.digest).stat()
        except FileNotFoundError:
            return None
        except OSError:
            pass
        return await asyncio.to_thread(self.read, call)

    # The disk may be slow: the methods from here on run in threads, off the event loop.

    def read(self, call: Call) -> CallReply | None:
        """The stored reply to a call; a file that cannot be used is passed over with a note."""
        return self._read(call.digest)

    def _read(self, digest: str) -> CallReply | None:
        try:
            text = self._path(digest).read_bytes().decode("utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            self._unusable(digest, f"it cannot be read ({type(error).__name__})")
            return None
        try:
            return _reply_in(json.loads(text), digest)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            self._unusable(digest, "it is torn, or is not a file of a store")
            return None

    def _kept(self, call: Call, digest: str, reply: CallReply) -> CallReply:
        """Write the reply, unless another run has stored one first; the stored reply counts."""
        if call.operation == "embeddings" and call.is_ours:
            reply = replace(reply, body=with_kept_vectors(reply.body))
        reply = replace(reply, body=scrubbed_json(reply.body, CIPHERTEXT))
        try:
            data = _file_bytes(call, reply)
            with self._writing, self._lock.acquire(poll_interval=0.01):
                if not self._swept:  # what writers that were killed have left is removed, once
                    self._swept = True
                    Path(self._lock.lock_file).touch()  # or it would be taken for left as well
                    remove_left_files(self._partial)
                found = None if self._mode == "refresh" else self._read(digest)
                if found is None:
                    self._write(digest, data)
        except ValueError:
            self._note(f"a reply that is not valid JSON was not kept in {self._shown}")
            return reply
        except (OSError, NotImplementedError) as error:
            why = getattr(error, "strerror", None) or type(error).__name__
            said = f"replies could not be kept in {self._shown}: {why}; they will be paid for again"
            self._note(said)
            return reply
        self._fresh.add(digest)
        return found or reply

    def _write(self, digest: str, data: bytes) -> None:
        """Write beside the place of a file, and move it there; leaves nothing if that fails."""
        path = self._path(digest)
        # No two threads of any processes write into one file.
        temporary = self._partial / f"{digest}.{os.getpid()}.{threading.get_ident()}"
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

    def _unusable(self, digest: str, why: str) -> None:
        self._note(f"passed over {self._shown}/{digest[:2]}/{digest}.json: {why}")

    def _note(self, text: str) -> None:
        if self._accounts is not None:
            self._accounts.note(printable(text))

    def _path(self, digest: str) -> Path:
        return self._folder / digest[:2] / f"{digest}.json"

    def _missing(self, call: Call, digest: str) -> str:
        return (
            f"this request is not in the store {self._shown}: {digest} ({call.role}, "
            f"{call.operation} of {scrubbed(call.model)}, trial {call.trial}); "
            "run once without --compaction-replay to record it"
        )


def _file_bytes(call: Call, reply: CallReply) -> bytes:
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
    to_text = partial(json.dumps, data, sort_keys=True, indent=1, allow_nan=False)
    try:
        return f"{to_text(ensure_ascii=False)}\n".encode()
    except UnicodeEncodeError:  # half a surrogate pair has no UTF-8 form, but it can be escaped
        return f"{to_text()}\n".encode()


def _reply_in(data: dict[str, Any], digest: str) -> CallReply:
    """The reply in a store file; raises if the file does not hold what its name says."""
    if data["format"] != FORMAT or data["digest"] != digest:
        raise ValueError("a file of another kind")
    if not isinstance(data["reply"], dict) or not isinstance(data["request"], dict):
        raise TypeError("request and reply are objects")
    call = Call(data["operation"], data["request"], data["trial"])
    # A request in which a key was replaced no longer has the digest that names it.
    if call.digest != digest and BLOT not in canonical_json(data["request"]):
        raise ValueError("the request is not the one of this digest")
    usage = Usage(**data["usage"])
    if not all(isinstance(count, int) for count in data["usage"].values()):
        raise TypeError("usage is counted in whole numbers")
    return CallReply(data["reply"], usage)
