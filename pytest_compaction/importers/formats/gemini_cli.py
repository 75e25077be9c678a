"""Sessions of Gemini CLI: its recorded chats (JSON lines, older ones JSON) and checkpoints.

The last version of each id counts. When the history is compressed or masked, the chat rewrites it;
this is a recorded compaction, and the log keeps the messages as they were before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation import (
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    canonical_json,
)
from pytest_compaction.conversation.formats.gemini import (
    Parts,
    listed,
    read_call,
    read_parts,
    read_response,
)
from pytest_compaction.conversation.formats.parts import mapping, string
from pytest_compaction.importers.exchanges import Exchange
from pytest_compaction.importers.json_files import is_list, json_values
from pytest_compaction.importers.protocol import (
    Boundary,
    ImportFormatError,
    Tally,
    Transcript,
    counted_tokens,
    unknown,
)
from pytest_compaction.importers.registry import Format, shown_by
from pytest_compaction.importers.shapes import Shape, TurnReader
from pytest_compaction.importers.threads import ThreadBuilder, in_terms_of

_CONTEXT: Final = re.compile(
    r"\s*(?:This is the Gemini CLI\. We are setting up the context|<session_context>)"
)
_SNAPSHOT: Final = re.compile(r"\s*<(?:state_snapshot|compressed_history)\b")


class _ContentReader:
    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self.thread = ThreadBuilder(tally)
        self._begun = False

    def turn(self, role: str, parts: Parts, number: int) -> None:
        """Add the parts that were read from one content."""
        for name, result, rest in parts.responses:
            named = self.thread.open_calls(name)
            id = result.call_id or (named[0] if named else "")
            self.thread.add_result(replace(result, call_id=id), rest)
        spoken = [part for part in parts.own if not isinstance(part, Text) or part.text.strip()]
        if not spoken:
            if not parts.responses:
                self._tally.left_out[f"empty {role} message"] += 1
            return
        text = next((part.text for part in spoken if isinstance(part, Text)), "")
        if role == "user" and _CONTEXT.match(text):
            self._tally.repaired["context set up by the program, given as a system message"] += 1
            role = "system"
        elif role == "user" and not self._begun and _SNAPSHOT.match(text):
            self._tally.repaired["summary of messages not in the file, kept as a message"] += 1
        self._begun = self._begun or role != "system"
        self.thread.add(role, spoken, number)


ChatRecord = Mapping[str, Any]
"""A line of a log, or a message of the older format."""


class _ChatLog:
    def __init__(self) -> None:
        self.recognised = False
        self._tally = Tally()
        self._log: dict[str, ChatRecord] = {}
        self._frozen: set[str] = set()
        self._rewritten: list[tuple[int, Sequence[ChatRecord]]] = []
        """Rewritten histories, each with the number of messages before it took effect."""

    def add(self, value: Any) -> None:
        """Add one line, or a whole chat of the older format."""
        self._tally.records += 1
        record = mapping(value)
        if isinstance(record.get("$rewindTo"), str):
            self._rewind(record["$rewindTo"])
        elif isinstance(record.get("$set"), Mapping):
            self._set(record["$set"].get("messages"))
        elif "sessionId" in record and "type" not in record:
            self.recognised = self.recognised or "projectHash" in record
            self._tally.left_out["chat header"] += 1
            for message in listed(record.get("messages")):
                self._tally.records += 1
                self._message(mapping(message))
        elif isinstance(record.get("id"), str) and "type" in record:
            self._message(record)
        else:
            self._tally.skip("value that is not a chat record")

    def transcript(self, path: Path) -> Transcript:
        """The whole chat; raises :class:`ImportFormatError` if it has no message."""
        records = list(self._log.values())
        thread = _read(records, self._tally)
        messages = thread.finished()
        boundaries: list[Boundary] = []
        for number, (end, history) in enumerate(self._tally.bounded(self._rewritten), start=1):
            before = [m for m, n in zip(messages, thread.origins, strict=True) if n < end]
            if before:
                view = in_terms_of(before, _read(history, Tally()).finished(), f"recorded-{number}")
                missing = "" if view else "the history was emptied"
                sent = [_sent(each) for each in (reversed(records[:end]), records[end:])]
                boundaries.append(
                    Boundary(
                        before[-1].id,
                        tokens_before=sent[0],
                        tokens_after=sent[1],
                        messages=view,
                        missing=missing,
                    )
                )
            else:
                self._tally.left_out["rewritten history before the first message"] += 1
        model = next((r["model"] for r in reversed(records) if isinstance(r.get("model"), str)), "")
        empty = f"{path}: a Gemini CLI chat without a message"
        return self._tally.transcript(messages, path, empty, model, boundaries)

    def _message(self, record: ChatRecord) -> None:
        kind, id = record.get("type"), string(record.get("id"))
        if kind in ("info", "warning", "error"):
            self._tally.left_out[f"notice shown only to the user: {kind}"] += 1
            return
        if kind not in ("user", "gemini", "model"):
            self._tally.skip(unknown("message type", kind))
            return
        self.recognised = True
        self._tally.left_out["earlier version of a message"] += id in self._log
        if id not in self._frozen:
            self._log[id or f"unnamed-{len(self._log)}"] = record

    def _rewind(self, id: str) -> None:
        ids = list(self._log)
        start = ids.index(id) if id in self._log else 0
        for gone in ids[start:]:
            del self._log[gone]
        self._tally.left_out["message removed by a rewind"] += len(ids[start:])
        self._rewritten = [entry for entry in self._rewritten if entry[0] <= start]
        self._tally.left_out["rewind record"] += 1

    def _set(self, messages: Any) -> None:
        """A rewritten history, whose summaries, recorded last, come first in it."""
        if not isinstance(messages, list):
            self._tally.left_out["header change"] += 1
            return
        self._tally.repaired["rewritten history, taken as a compaction"] += 1
        history = [mapping(message) for message in messages]
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
        self._frozen |= set(self._log)
        self._rewritten.append((len(self._log), history))


def _is_snapshot(record: ChatRecord) -> bool:
    parts = listed(record.get("content"))
    texts = (part if isinstance(part, str) else mapping(part).get("text") for part in parts)
    first = next((text for text in texts if isinstance(text, str)), "")
    return record.get("type") == "user" and bool(_SNAPSHOT.match(first))


def _sent(records: Iterable[ChatRecord]) -> int | None:
    """The tokens of the first request among records whose reply states them."""
    tokens = (counted_tokens(mapping(record.get("tokens")).get("input")) for record in records)
    return next((each for each in tokens if each), None)


def _read(records: Sequence[ChatRecord], tally: Tally) -> ThreadBuilder:
    reading = _ContentReader(tally)
    answered = {
        str(mapping(call).get("id"))
        for record in records
        for call in listed(record.get("toolCalls"))
        if mapping(call).get("result")
    }
    for number, record in enumerate(records):
        parts = read_parts(record.get("content", record.get("parts")), tally, f"call-{number}")
        parts.responses = [r for r in parts.responses if r[1].call_id not in answered]
        if record.get("type") == "user":
            if parts.own or parts.responses:
                reading.turn("user", parts, number)
            continue
        results = _with_calls(record, parts, tally, number)
        reading.turn("assistant", parts, number)
        if results:
            reading.turn("user", Parts(responses=results), number)
    return reading.thread


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
    for place, value in enumerate(map(mapping, listed(record.get("toolCalls")))):
        call = read_call(value, f"call-{number}-{place}")
        if call.id not in known:
            parts.own.append(call)
        texts, rest, failed = _result(value, call.id, tally)
        if texts or rest:  # none was recorded for an interrupted call
            results.append((call.name, ToolResult(call.id, "\n".join(texts), failed), rest))
    return results


def _result(record: ChatRecord, id: str, tally: Tally) -> tuple[list[str], list[Part], bool]:
    texts: list[str] = []
    rest: list[Part] = []
    failed = record.get("status") == "error"
    for part in listed(record.get("result")):
        response = mapping(part).get("functionResponse")
        if isinstance(response, Mapping):
            _, result, beside = read_response(response, tally)
            texts.append(result.text)
            rest += beside
            failed = failed or result.is_error
        else:
            read = read_parts([part], tally, id)
            texts += [own.text for own in read.own if isinstance(own, Text)]
            rest += [own for own in read.own if not isinstance(own, Text | ToolCall)]
    shown = string(record.get("resultDisplay"))
    if not shown and record.get("status") == "cancelled":  # the user declined the call
        shown = "[cancelled: the call was not run]"
    return texts or ([shown] if shown else []), rest, failed


_HISTORIES: Final = ("clientHistory", "history", "contents")


_STREAM: Final = Shape(
    leave={
        "init": "session header",
        "result": "run statistics",
        "error": "notice shown only to the user: error",
    },
    joined=True,
)
"""Output of ``gemini --output-format stream-json``: pieces of texts, calls and results."""


def _is_stream(value: Any) -> bool:
    line = mapping(value)
    kind = line.get("type")
    return (kind == "init" and "session_id" in line and "model" in line) or (
        kind in ("tool_use", "tool_result") and isinstance(line.get("tool_id"), str)
    )


def _transcript(path: Path) -> Transcript:
    log = _ChatLog()
    contents: list[Sequence[Any]] = []
    tally = Tally()
    stream: TurnReader | None = None
    early: list[Any] = []  # a stream may show what it is only after the first request
    for _, value in json_values(path, tally):
        if stream or (not log.recognised and _is_stream(value)):
            stream = stream or TurnReader(_STREAM, tally)
            for record in (*early, value):
                tally.records += 1
                stream.add(record)
            early = []
            continue
        found = _contents(value)
        if found:
            contents.append(found)
            if "toolCall" in mapping(value):
                tally.left_out["call that was waiting for approval"] += 1
        else:
            if not log.recognised:
                early.append(value)
            log.add(value)
    if stream:
        return stream.transcript(Exchange(str(path), [], tally=tally), path)
    if contents:
        reading = _ContentReader(tally)
        for number, content in enumerate(chain.from_iterable(contents)):
            tally.records += 1
            if not isinstance(content, Mapping):
                raise ImportFormatError(
                    f"{path}, content {number}: {type(content).__name__}; expected a role and parts"
                )
            role = "assistant" if content.get("role") == "model" else "user"
            parts = read_parts(content.get("parts"), tally, f"call-{number}")
            reading.turn(role, parts, number)
        empty = f"{path}: no message in the contents of this checkpoint"
        return tally.transcript(reading.thread.finished(), path, empty)
    if not log.recognised:
        raise ImportFormatError(
            f"{path}: no message of Gemini CLI; expected messages of type user or "
            "gemini, or contents with parts. Name another format with --format"
        )
    return log.transcript(path)


def _recognised(value: Any) -> bool:
    data = mapping(value)
    header = isinstance(data.get("sessionId"), str) and "projectHash" in data
    message = data.get("type") == "gemini" and "content" in data and "id" in data
    return header or message or _is_stream(value) or bool(_contents(value))


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


IMPORTER: Final = Format(
    "gemini-cli",
    "Gemini CLI: recorded chats, checkpoints, stream-json, Gemini API contents (JSON, JSONL)",
    shown_by(_recognised),
    _transcript,
)
