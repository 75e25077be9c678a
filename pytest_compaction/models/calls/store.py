"""The store of model calls: each request and its reply in one file, named by its digest.

``<folder>/<first two digits>/<digest>.json`` holds what was asked and what came
back: no key, no host, no clock, sorted keys, so that a store can be committed and
read in a review. Files are written beside their place and moved into it; whoever
is killed leaves a whole file or none.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, Literal, Protocol
from weakref import WeakValueDictionary

from pytest_compaction.conversation.messages import canonical_json
from pytest_compaction.models.calls.accounts import Claim
from pytest_compaction.models.protocol import NotRecordedError
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Call, Caller, CallReply
from pytest_compaction.secrets.keys import BLOT, scrubbed_json
from pytest_compaction.text.words import printable

Mode = Literal["normal", "replay", "refresh"]
FORMAT: Final = 1
_PARTIAL: Final = ".partial"
_WAIT_S: Final = 0.02
_LONGEST_WAIT_S: Final = 0.5
_CIPHERTEXT: Final = frozenset({"encrypted_content", "signature"})
"""Members that must stay byte for byte, and in which anything can look like a key by chance."""


class Accounts(Protocol):
    """Where a store tells what it did."""

    def stored(self, role: str, model: str) -> None:
        """A call was answered from the store."""

    def note(self, text: str) -> None:
        """A sentence for the end of the run, said once."""

    def claim(self, digest: str) -> Claim:
        """Whether a call is this process's to make."""

    def unclaim(self, digest: str, kept: bool) -> None:
        """A claimed call is done with; ``kept`` if its reply is stored."""


class Store:
    """Answers calls from files and keeps what the next caller answers.

    ``replay`` asks nobody: what is not in the store raises
    :class:`~pytest_compaction.models.protocol.NotRecordedError`. ``refresh`` asks
    everything once anew. Two calls of the same digest at the same time become one, in
    one process by a lock, in all processes of a run by a claim in its accounts.
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
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def call(self, call: Call) -> CallReply:
        """The stored reply, or that of the next caller, which is stored first."""
        digest = call.digest
        lock = self._locks.get(digest)
        if lock is None:
            lock = self._locks[digest] = asyncio.Lock()
        async with lock:
            found = self._standing(call, digest)
            if found is not None:
                return found
            if self._following is None:
                raise NotRecordedError(self._missing(call, digest))
            if not await self._claimed(digest):
                self._fresh.add(digest)
                found = self._standing(call, digest)
            return found or await self._asked(self._following, call, digest)

    async def close(self) -> None:
        """Close the next caller."""
        if self._following is not None:
            await self._following.close()

    def _standing(self, call: Call, digest: str) -> CallReply | None:
        """The stored reply, if this run may use it."""
        if self._mode == "refresh" and digest not in self._fresh:
            return None
        found = self.find(call)
        if found is not None and self._accounts is not None:
            self._accounts.stored(call.role, _model_of(call))
        return found

    async def _claimed(self, digest: str) -> bool:
        """Wait until the call is ours to make; false if another process has made it meanwhile."""
        if self._accounts is None:
            return True
        wait = _WAIT_S
        while (claim := self._accounts.claim(digest)) == "wait":
            await asyncio.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT_S)
        return claim == "ours"

    async def _asked(self, following: Caller, call: Call, digest: str) -> CallReply:
        """The reply of the next caller, kept; the claim ends whatever happens."""
        try:
            return self._keep(call, digest, await following.call(call))
        finally:
            if self._accounts is not None:
                self._accounts.unclaim(digest, digest in self._fresh)

    def find(self, call: Call) -> CallReply | None:
        """The stored reply to a call. A file that cannot be used counts as none, and is named."""
        digest = call.digest
        path = self._path(digest)
        try:
            text = path.read_bytes().decode("utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            self._unusable(digest, f"it cannot be read ({type(error).__name__})")
            return None
        try:
            return _reply(json.loads(text), digest)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            self._unusable(digest, "it is torn, or no file of a store")
            return None

    def _keep(self, call: Call, digest: str, reply: CallReply) -> CallReply:
        """Write the reply; another run that was first is right."""
        if self._mode != "refresh":
            found = self.find(call)
            if found is not None:
                self._fresh.add(digest)
                return found
        reply = CallReply(_without_keys(reply.body), reply.usage, reply.latency_s)
        data = {
            "format": FORMAT,
            "digest": digest,
            "operation": call.operation,
            "trial": call.trial,
            "request": _without_keys(call.body),
            "reply": reply.body,
            "usage": asdict(reply.usage),
        }
        try:
            _write(self._folder, self._path(digest), file_bytes(data))
        except ValueError:
            self._note(f"a reply that is no valid JSON was not kept in {self._shown}")
        except OSError as error:
            reason = error.strerror or type(error).__name__
            self._note(
                f"replies could not be kept in {self._shown}: {reason}; they will be paid for again"
            )
        else:
            self._fresh.add(digest)
        return reply

    def _path(self, digest: str) -> Path:
        return self._folder / digest[:2] / f"{digest}.json"

    def _missing(self, call: Call, digest: str) -> str:
        return (
            f"this request is not in the store {self._shown}: {digest} ({call.role}, "
            f"{call.operation} of {_model_of(call)}, trial {call.trial}); "
            "run once without --compaction-replay to record it"
        )

    def _unusable(self, digest: str, why: str) -> None:
        self._note(f"passed over {self._shown}/{digest[:2]}/{digest}.json: {why}")

    def _note(self, text: str) -> None:
        if self._accounts is not None:
            self._accounts.note(printable(text))


def file_bytes(data: dict[str, Any]) -> bytes:
    """The bytes of a store file: sorted keys, one value a line, a newline at the end.

    Raises :class:`ValueError` for what JSON does not know, such as NaN.
    """
    for ascii_only in (False, True):
        text = json.dumps(data, sort_keys=True, indent=1, ensure_ascii=ascii_only, allow_nan=False)
        try:
            return f"{text}\n".encode()
        except UnicodeEncodeError:
            continue
    raise ValueError("this text cannot be written")


def _reply(data: dict[str, Any], digest: str) -> CallReply:
    """The reply in a store file; raises if the file is not what its name says."""
    if data["format"] != FORMAT or data["digest"] != digest:
        raise ValueError("a file of another kind")
    if not isinstance(data["reply"], dict) or not isinstance(data["request"], dict):
        raise TypeError("request and reply are objects")
    asked = Call(data["operation"], data["request"], data["trial"])
    if asked.digest != digest and BLOT not in canonical_json(data["request"]):
        raise ValueError("the request is not the one of this digest")
    usage = Usage(**data["usage"])
    if not all(isinstance(count, int) for count in asdict(usage).values()):
        raise TypeError("usage is counted in whole numbers")
    return CallReply(data["reply"], usage)


def _without_keys(value: Any) -> Any:
    """JSON with keys blotted out, ciphertext excepted."""
    if isinstance(value, Mapping):
        return {
            name: inner if name in _CIPHERTEXT else _without_keys(inner)
            for name, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [_without_keys(inner) for inner in value]
    return scrubbed_json(value)


def _write(folder: Path, path: Path, data: bytes) -> None:
    partial = folder / _PARTIAL
    partial.mkdir(parents=True, exist_ok=True)
    path.parent.mkdir(exist_ok=True)
    temporary = partial / f"{path.stem}.{os.getpid()}"
    temporary.write_bytes(data)
    temporary.replace(path)


def _model_of(call: Call) -> str:
    return str(call.body.get("model") or "no model")
