"""Sessions of Gemini CLI: its recorded chats (JSON lines, older ones JSON) and checkpoints.

A recorded chat repeats a message whenever it changes; the last version of each id counts.
When the history is compressed or masked, the chat rewrites it; this is a recorded
compaction, and the log keeps the messages as they were before.
A checkpoint is the history as it was sent, in the shape of the Gemini API.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation.formats.gemini import (
    Parts,
    listed,
    read_call,
    read_parts,
    read_response,
)
from pytest_compaction.conversation.formats.parts import mapping
from pytest_compaction.conversation.messages import (
    Message,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    canonical_json,
)
from pytest_compaction.importers.json_files import head_values, is_list, json_values
from pytest_compaction.importers.protocol import (
    Boundary,
    ImportFormatError,
    Tally,
    Transcript,
    unknown,
)
from pytest_compaction.importers.threads import ThreadBuilder, in_terms_of

_CONTEXT: Final = re.compile(
    r"\s*(?:This is the Gemini CLI\. We are setting up the context|<session_context>)"
)
SNAPSHOT: Final = re.compile(r"\s*<(?:state_snapshot|compressed_history)\b")


class ContentReader:
    """Reads contents, each with a role and parts, into messages."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._thread = ThreadBuilder(tally)
        self._open: list[tuple[str, str]] = []
        self._begun = False

    @property
    def origins(self) -> list[int]:
        """For each message, the number of its content."""
        return self._thread.origins

    def finished(self) -> tuple[Message, ...]:
        """All messages; call this once, at the end."""
        self._thread.close()
        return tuple(self._thread.messages)

    def content(self, content: Mapping[str, Any], number: int) -> None:
        """Read one content."""
        role = "assistant" if content.get("role") == "model" else "user"
        self.turn(role, read_parts(content.get("parts"), self._tally, f"call-{number}"), number)

    def turn(self, role: str, parts: Parts, number: int) -> None:
        """Add the parts that were read from one content."""
        for name, result, rest in parts.responses:
            self._respond(name, result, rest)
        spoken = [part for part in parts.own if not isinstance(part, Text) or part.text.strip()]
        if not spoken:
            if not parts.responses:
                self._tally.left_out[f"empty {role} message"] += 1
            return
        if role == "assistant":
            self._open = [(part.id, part.name) for part in spoken if isinstance(part, ToolCall)]
        text = next((part.text for part in spoken if isinstance(part, Text)), "")
        if role == "user" and _CONTEXT.match(text):
            self._tally.repaired["context set up by the program, given as a system message"] += 1
            role = "system"
        elif role == "user" and not self._begun and SNAPSHOT.match(text):
            self._tally.repaired["summary of messages not in the file, kept as a message"] += 1
        self._begun = self._begun or role != "system"
        self._thread.add(role, spoken, number)

    def _respond(self, name: str, result: ToolResult, rest: Sequence[Part]) -> None:
        id = result.call_id
        if not any(id == open for open, _ in self._open):
            fitting = [open for open, called in self._open if not name or called == name]
            id = fitting[0] if fitting and not id else id
        self._open = [(open, called) for open, called in self._open if open != id]
        self._thread.add_result(ToolResult(id, result.text, result.is_error), rest)


_SHOWN: Final = ("info", "warning", "error")
# The result of a call that the user declined: the record holds only the status.
_CANCELLED: Final = "[cancelled: the call was not run]"

ChatRecord = Mapping[str, Any]
"""A line of a log, or a message of the older format."""


@dataclass(frozen=True, slots=True)
class _Rewritten:
    """A rewritten history, which took effect after ``before`` messages of the log."""

    before: int
    history: Sequence[ChatRecord]


@dataclass(slots=True)
class ChatLog:
    """Collects the records of one chat in order."""

    path: Path
    recognised: bool = False
    _tally: Tally = field(default_factory=Tally)
    _log: dict[str, ChatRecord] = field(default_factory=dict)
    _frozen: set[str] = field(default_factory=set)
    _rewritten: list[_Rewritten] = field(default_factory=list)

    def add(self, value: Any) -> None:
        """Add one line, or a whole chat of the older format."""
        self._tally.records += 1
        record = mapping(value)
        if isinstance(record.get("$rewindTo"), str):
            self._rewind(record["$rewindTo"])
        elif isinstance(record.get("$set"), Mapping):
            self._set(record["$set"])
        elif "sessionId" in record and "type" not in record:
            self.recognised = self.recognised or "projectHash" in record
            self._tally.left_out["chat header"] += 1
            for message in listed(record.get("messages")):
                self._tally.records += 1
                self._message(message)
        elif isinstance(record.get("id"), str) and "type" in record:
            self._message(record)
        else:
            self._tally.left_out["value that is not a chat record"] += 1

    def transcript(self) -> Transcript:
        """The whole chat; raises :class:`ImportFormatError` if it has no message."""
        records = list(self._log.values())
        reading = _read(records, self._tally)
        messages = reading.finished()
        boundaries = tuple(
            boundary
            for number, entry in enumerate(self._rewritten, start=1)
            if (boundary := _boundary(entry, messages, reading.origins, f"recorded-{number}"))
        )
        lost = len(self._rewritten) - len(boundaries)
        if lost:
            self._tally.left_out["rewritten history before the first message"] += lost
        model = next((r["model"] for r in reversed(records) if isinstance(r.get("model"), str)), "")
        empty = f"{self.path}: a Gemini CLI chat without a message"
        return self._tally.transcript(messages, self.path, empty, model, boundaries)

    def _message(self, value: Any) -> None:
        record = mapping(value)
        kind, id = record.get("type"), record.get("id")
        if kind in _SHOWN:
            self._tally.left_out[f"notice shown only to the user: {kind}"] += 1
            return
        if kind not in ("user", "gemini"):
            self._tally.left_out[unknown("message type", kind)] += 1
            return
        self.recognised = True
        if not isinstance(id, str) or not id:
            id = f"unnamed-{len(self._log)}"
        if id in self._log:
            self._tally.left_out["earlier version of a message"] += 1
            if id in self._frozen:
                return
        self._log[id] = record

    def _rewind(self, id: str) -> None:
        ids = list(self._log)
        start = ids.index(id) if id in self._log else 0
        for gone in ids[start:]:
            del self._log[gone]
        if ids[start:]:
            self._tally.left_out["message removed by a rewind"] += len(ids[start:])
        self._rewritten = [entry for entry in self._rewritten if entry.before <= start]
        self._tally.left_out["rewind record"] += 1

    def _set(self, changes: ChatRecord) -> None:
        history = changes.get("messages")
        if not isinstance(history, list):
            self._tally.left_out["header change"] += 1
            return
        self._tally.repaired["rewritten history, taken as a compaction"] += 1
        records = [mapping(message) for message in history]
        self._drop_synthetic(records)
        self._frozen |= set(self._log)
        self._rewritten.append(_Rewritten(len(self._log), records))

    def _drop_synthetic(self, history: Sequence[ChatRecord]) -> None:
        """Remove summaries from the log: recorded last, they come first in the new history."""
        places = {id: place for place, id in enumerate(self._log)}
        least = len(places)
        late: set[str] = set()
        for record in reversed(history):
            id = str(record.get("id"))
            if id in places:
                if places[id] > least:
                    late.add(id)
                least = min(least, places[id])
        for id in places:
            if id not in self._frozen and (id in late or _is_snapshot(self._log[id])):
                del self._log[id]
                self._tally.left_out["summary of a compression, kept in its record"] += 1


def _is_snapshot(record: ChatRecord) -> bool:
    texts = [
        part if isinstance(part, str) else mapping(part).get("text")
        for part in listed(record.get("content"))
    ]
    first = next((text for text in texts if isinstance(text, str)), "")
    return record.get("type") == "user" and bool(SNAPSHOT.match(first))


def _read(records: Sequence[ChatRecord], tally: Tally) -> ContentReader:
    reading = ContentReader(tally)
    answered = {
        str(mapping(call).get("id"))
        for record in records
        for call in listed(record.get("toolCalls"))
        if mapping(call).get("result")
    }
    for number, record in enumerate(records):
        parts = read_parts(record.get("content"), tally, f"call-{number}")
        parts.responses = [r for r in parts.responses if r[1].call_id not in answered]
        if record.get("type") == "user":
            if parts.own or parts.responses:
                reading.turn("user", parts, number)
            continue
        results = _with_calls(record, parts, tally, number)
        reading.turn("assistant", parts, number)
        if results:
            reading.turn("user", Parts(responses=results), number)
    return reading


def _with_calls(
    record: ChatRecord, parts: Parts, tally: Tally, number: int
) -> list[tuple[str, ToolResult, list[Part]]]:
    """Add the thoughts and calls recorded beside the content; return the results of the calls."""
    thoughts = record.get("thoughts")
    if isinstance(thoughts, list) and thoughts:
        payload = canonical_json({"type": "reasoning", "thoughts": thoughts})
        parts.own.insert(0, Thinking(payload))
    known = {part.id for part in parts.own if isinstance(part, ToolCall)}
    results: list[tuple[str, ToolResult, list[Part]]] = []
    for place, value in enumerate(listed(record.get("toolCalls"))):
        call = read_call(mapping(value), f"call-{number}-{place}")
        if call.id not in known:
            parts.own.append(call)
        found = _result(mapping(value), call, tally)
        results += [found] if found else []
    return results


def _result(
    record: ChatRecord, call: ToolCall, tally: Tally
) -> tuple[str, ToolResult, list[Part]] | None:
    """The result of a call; ``None`` if none was recorded, as for an interrupted call."""
    status = record.get("status")
    texts: list[str] = []
    rest: list[Part] = []
    failed = status == "error"
    for part in listed(record.get("result")):
        response = mapping(part).get("functionResponse")
        if isinstance(response, Mapping):
            _, result, beside = read_response(response, tally)
            texts.append(result.text)
            rest += beside
            failed = failed or result.is_error
        else:
            read = read_parts([part], tally, call.id)
            texts += [own.text for own in read.own if isinstance(own, Text)]
            rest += [own for own in read.own if not isinstance(own, Text | ToolCall)]
    shown = record.get("resultDisplay")
    if not texts and isinstance(shown, str) and shown:
        texts.append(shown)
    if not texts and status == "cancelled":
        texts.append(_CANCELLED)
    if not texts and not rest:
        return None
    return call.name, ToolResult(call.id, "\n".join(texts), failed), rest


def _boundary(
    entry: _Rewritten, log: Sequence[Message], origins: Sequence[int], name: str
) -> Boundary | None:
    before = [m for m, origin in zip(log, origins, strict=True) if origin < entry.before]
    if not before:
        return None
    view = _read(entry.history, Tally()).finished()
    missing = "" if view else "the history was emptied"
    return Boundary(before[-1].id, messages=in_terms_of(before, view, name), missing=missing)


_HISTORIES: Final = ("clientHistory", "history", "contents")


class GeminiCliImporter:
    """Reads the files under ``~/.gemini/tmp/<project>``: ``chats`` and checkpoints."""

    name = "gemini-cli"
    description = "Gemini CLI: recorded chats, checkpoints, Gemini API contents (JSON, JSONL)"

    def recognises(self, head: str) -> bool:
        """Look for a session header or a message of Gemini CLI, or contents with lists of parts."""
        values = head_values(head)
        return any(_is_chat(value) or _contents(value) for value in values)

    def read(self, path: Path) -> Transcript:
        """The conversation of a chat or checkpoint."""
        log = ChatLog(path)
        contents: list[Sequence[Any]] = []
        tally = Tally()
        for _, value in json_values(path):
            found = _contents(value)
            if found:
                contents.append(found)
                if "toolCall" in mapping(value):
                    tally.left_out["call that was waiting for approval"] += 1
            else:
                log.add(value)
        if contents:
            return _checkpoint(chain.from_iterable(contents), path, tally)
        if not log.recognised:
            raise ImportFormatError(
                f"{path}: no message of Gemini CLI; expected messages of type user or "
                "gemini, or contents with parts. Name another format with --format"
            )
        return log.transcript()


IMPORTER: Final = GeminiCliImporter


def _is_chat(value: Any) -> bool:
    data = mapping(value)
    if isinstance(data.get("sessionId"), str) and "projectHash" in data:
        return True
    return data.get("type") == "gemini" and "content" in data and "id" in data


def _contents(value: Any) -> Sequence[Any]:
    """The contents with parts in a value, which may be their list or hold it; else empty."""
    lists = [value, *(mapping(value).get(key) for key in _HISTORIES)]
    for found in lists:
        if is_list(found) and any(_is_content(item) for item in found[:5]):
            return found
    return [value] if _is_content(value) else []


def _is_content(value: Any) -> bool:
    given = mapping(value)
    return given.get("role") in ("user", "model", "function") and isinstance(
        given.get("parts"), list
    )


def _checkpoint(contents: Iterable[Any], path: Path, tally: Tally) -> Transcript:
    reading = ContentReader(tally)
    for number, content in enumerate(contents):
        tally.records += 1
        if not isinstance(content, Mapping):
            raise ImportFormatError(
                f"{path}, content {number}: {type(content).__name__}; expected a role and parts"
            )
        reading.content(content, number)
    messages = reading.finished()
    empty = f"{path}: no message in the contents of this checkpoint"
    return tally.transcript(messages, path, empty)
