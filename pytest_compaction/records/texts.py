"""The texts beside the runs of a folder: what each view held, and the log of each case.

A record names them by hashes. A view that several items share is one file, and so is a log. The
messages of a view that are those of the log stand there without their text.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from pytest_compaction.cache import Latest
from pytest_compaction.case import Case
from pytest_compaction.conversation import Message, canonical_json, readable
from pytest_compaction.folders import write_whole
from pytest_compaction.records.record import Record
from pytest_compaction.run import Response
from pytest_compaction.secrets import scrubbed_json

VIEWS: Final = "views"
LOGS: Final = "logs"
FORMAT: Final = 1
_HASH: Final = re.compile(r"[0-9a-f]{8,64}")
"""Other names are not those of files here, wherever a record comes from."""
_TOGETHER: Final = 500
"""Messages of a log that become JSON at once."""
_DIGITS: Final = 16
_Calls = tuple[str, tuple[str, ...], tuple[str, ...]]


class TextWriter:
    """Writes views and logs into the folder of a run, each content once.

    Processes may share the folder: a file appears whole, and the same for all.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._logs: set[str] = set()
        self._written = ""
        self._failed = False
        self._calls = Latest(_by_calls)
        self._last: tuple[str, tuple[Message, ...], str, bytes] | None = None

    def hash_of(self, response: Response) -> str | None:
        """The name of the view of a response; ``None`` for a case that has no digest."""
        made = self._view(response)
        return None if made is None else made[0]

    def write(self, response: Response) -> None:
        """Write the view of a response, and the log of its case.

        Raises ``OSError`` the first time that one cannot be written, which then says enough.
        """
        made, case = self._view(response), response.case
        if made is None:
            return
        name, data = made
        try:
            if name != self._written:
                _write(self._folder / VIEWS / f"{name}.json", data)
                self._written = name
            if case.digest not in self._logs:
                _write(self._folder / LOGS / f"{case.digest}.json", *_log(case))
                self._logs.add(case.digest)
        except OSError:
            if not self._failed:
                self._failed = True
                raise

    def _view(self, response: Response) -> tuple[str, bytes] | None:
        """Name and content of the file; the probes at a point follow one another."""
        digest = response.case.digest
        if not _HASH.fullmatch(digest):
            return None
        if self._last is None or self._last[:2] != (digest, response.view):
            calling = self._calls.of(response.case.messages)
            data = _bytes(_view(response.case, response.view, calling))
            self._last = (digest, response.view, _hash(data), data)
        return self._last[2], self._last[3]


class RunTexts:
    """Reads the views and logs beside the runs in a folder; a log is read once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._logs: dict[str, dict[str, Any] | None] = {}

    def view(self, record: Mapping[str, Any]) -> list[dict[str, Any]] | None:
        """The messages of the view from which an item was answered, in order.

        Each has ``id``, ``role``, ``text``, ``origin`` (``log``, or ``made`` for what the strategy
        wrote) and ``changed``: a message of the log that is not word for word that of the log.
        ``None`` if a file is missing or damaged, or the record names none.
        """
        name, log = _hash_in(record, "view"), self.log(record)
        data = None if name is None else view_file(self._folder, name)
        if data is None or log is None:
            return None
        return resolved(data, {each["id"]: each["text"] for each in log["messages"]})

    def log(self, record: Mapping[str, Any]) -> dict[str, Any] | None:
        """The log of the case of an item: ``case``, ``title``, ``task``, ``messages``, ``points``.

        Each message has ``id``, ``role`` and ``text``; each compaction point ``id`` and ``after``,
        the id of the last message before it. ``None`` if the file is missing or damaged.
        """
        name = _hash_in(record, "case")
        if name is None:
            return None
        if name not in self._logs:
            data = _read(self._folder / LOGS / f"{name}.json")
            self._logs[name] = None if data is None else _checked_log(data)
        return self._logs[name]


def view_file(folder: Path, name: str) -> bytes | None:
    data = _read(folder / VIEWS / f"{name}.json") if _HASH.fullmatch(name) else None
    return data if data is not None and is_view(data, name) else None


def is_view(data: bytes, name: str) -> bool:
    return _hash(data) == name


def resolved(data: bytes, said: Mapping[str, str]) -> list[dict[str, Any]] | None:
    """The messages of a view from its file, with the texts of the log by the ids of its messages.

    ``None`` if the file is damaged or names a message that the log does not have.
    """
    found = []
    try:
        for message in json.loads(data)["messages"]:
            held = {key: str(message[key]) for key in ("id", "role", "origin")}
            text = str(message["text"]) if "text" in message else said[held["id"]]
            changed = held["origin"] == "log" and "text" in message
            found.append({**held, "text": text, "changed": changed})
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return found


def copy_texts(records: Iterable[Record], source: Path, target: Path) -> None:
    """Copy the views and logs of records to another folder, as far as they exist.

    Raises ``OSError`` if the folder cannot be written.
    """
    names = {
        f"{folder}/{name}.json"
        for record in records
        for folder, key in ((VIEWS, "view"), (LOGS, "case"))
        if (name := _hash_in(record, key)) is not None
    }
    for name in sorted(names):
        if (data := _read(source / name)) is not None:
            _write(target / name, data)


def _hash_in(record: Mapping[str, Any], key: str) -> str | None:
    hashes = record.get("hashes")
    name = hashes.get(key) if isinstance(hashes, dict) else None
    return name if isinstance(name, str) and _HASH.fullmatch(name) else None


def _view(case: Case, view: Iterable[Message], calling: Mapping[_Calls, Message]) -> dict[str, Any]:
    """The view of a case as its file holds it; ``calling`` are messages of the log by calls."""
    log = {message.id: message for message in case.messages}
    messages = []
    for message in view:
        said = log.get(message.id)
        if said is None or (message.origin == "synthetic" and message.parts != said.parts):
            said = calling.get(_calls_of(message))
        of_log = said is not None and said.role == message.role
        id = said.id if said is not None and of_log else message.id
        held = {"id": id, "role": message.role, "origin": "log" if of_log else "made"}
        if said is None or not of_log or said.parts != message.parts:
            held["text"] = readable(message)
        messages.append(held)
    return {"format": FORMAT, "case": case.digest, "messages": messages}


def _calls_of(message: Message) -> _Calls:
    """The calls that a message makes and answers, which a strategy that changes it must keep."""
    made = tuple(call.id for call in message.calls)
    return message.role, made, tuple(result.call_id for result in message.results)


def _by_calls(log: Iterable[Message]) -> dict[_Calls, Message]:
    """The messages of a log by their calls, as far as no two have the same."""
    found: dict[_Calls, list[Message]] = {}
    for message in log:
        if message.calls or message.results:
            found.setdefault(_calls_of(message), []).append(message)
    return {calls: messages[0] for calls, messages in found.items() if len(messages) == 1}


def _log(case: Case) -> list[bytes]:
    """The file of a log, in parts: made as one, a long log would take several times its text."""
    rest = {
        "format": FORMAT,
        "case": case.id,
        "title": case.title,
        "task": case.task,
        "messages": [],
        "points": [
            {"id": point.id, "after": case.messages[point.index].id} for point in case.points
        ],
    }
    empty = b'"messages":[]'  # cannot stand in a text, where the quotes are escaped
    head, _, end = _bytes(rest).partition(empty)
    parts = [head, empty[:-1]]
    for start in range(0, len(case.messages), _TOGETHER):
        said = [
            {"id": message.id, "role": message.role, "text": readable(message)}
            for message in case.messages[start : start + _TOGETHER]
        ]
        parts += [b"," if start else b"", _bytes(said).strip()[1:-1]]
    return [*parts, b"]", end]


def _checked_log(data: bytes) -> dict[str, Any] | None:
    try:
        log = json.loads(data)
        whole = log["format"] == FORMAT and all(
            isinstance(each[key], str)
            for name, keys in (("messages", ("id", "role", "text")), ("points", ("id", "after")))
            for each in log[name]
            for key in keys
        )
        whole = whole and all(isinstance(log[key], str) for key in ("case", "title", "task"))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return log if whole else None


def _bytes(value: Any) -> bytes:
    return f"{canonical_json(scrubbed_json(value))}\n".encode("utf-8", "replace")


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_DIGITS]


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _write(path: Path, *parts: bytes) -> None:
    """Write a file so that it appears whole; one that is there already stays."""
    if path.is_file() and path.stat().st_size == sum(map(len, parts)):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, *parts)
