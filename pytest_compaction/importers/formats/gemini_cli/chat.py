"""A recorded chat of Gemini CLI: messages by id, rewinds, and rewritten histories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_compaction.conversation.messages import (
    Message,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    canonical_json,
)
from pytest_compaction.importers.formats.gemini_cli.parts import (
    SNAPSHOT,
    ContentReader,
    Parts,
    function_call,
    function_response,
    listed,
    read_parts,
)
from pytest_compaction.importers.protocol import Boundary, ImportFormatError, Tally, Transcript
from pytest_compaction.importers.reading.fields import mapping, unknown
from pytest_compaction.importers.reading.views import in_terms_of

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

    place: str
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

    def transcript(self, source: str) -> Transcript:
        """The whole chat; raises :class:`ImportFormatError` if it has no message."""
        records = list(self._log.values())
        reading = _read(records, self._tally)
        messages = reading.finished()
        if not messages:
            raise ImportFormatError(f"{self.place}: a Gemini CLI chat without a message")
        boundaries = tuple(
            boundary
            for number, entry in enumerate(self._rewritten, start=1)
            if (boundary := _boundary(entry, messages, reading.origins, f"recorded-{number}"))
        )
        lost = len(self._rewritten) - len(boundaries)
        if lost:
            self._tally.left_out["rewritten history before the first message"] += lost
        model = next((r["model"] for r in reversed(records) if isinstance(r.get("model"), str)), "")
        tally = self._tally.counted(len(messages))
        return Transcript(messages, source, tally, model, boundaries)

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
        call = function_call(mapping(value), f"call-{number}-{place}")
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
            _, result, beside = function_response(response, tally)
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
