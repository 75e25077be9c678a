"""Session transcripts of Claude Code: JSON lines that form a tree, with compactions.

The file is read twice: first the parents, to find the lines of the conversation, then their
contents. The summary of a compaction belongs to what the agent continued with, not to the log.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation import Message, Part, Text, ToolCall, ToolResult, text_message
from pytest_compaction.conversation.formats.anthropic import read_blocks
from pytest_compaction.conversation.formats.gemini import listed, read_parts
from pytest_compaction.conversation.formats.parts import mapping, string, text_and_rest
from pytest_compaction.importers.formats.anthropic import leave_compactions
from pytest_compaction.importers.json_files import is_list, json_lines, read_document
from pytest_compaction.importers.notices import is_command, spoken_turns
from pytest_compaction.importers.protocol import (
    BEFORE_FIRST_MESSAGE,
    JOINED,
    RESULT_WITHOUT_CALL,
    SECOND_RESULT,
    SPLIT,
    SUMMARY_IN_RECORD,
    Boundary,
    ImportFormatError,
    Tally,
    Transcript,
    counted_tokens,
    seconds_between,
    trigger_of,
    unknown,
)
from pytest_compaction.importers.registry import Format, shown_by
from pytest_compaction.importers.threads import ThreadBuilder, TreeLine, left_lines
from pytest_compaction.text import printable

_SPOKEN: Final = ("user", "assistant")
_BOUNDARY: Final = "compact_boundary"
_CLEARING: Final = "microcompact_boundary"
_CLEARED: Final = "[Old tool result content cleared]"
"""The text that Claude Code sends for a result that it cleared."""


@dataclass(frozen=True, slots=True)
class _Thread:
    """The lines of the conversation in a file, and those on branches that the user left."""

    sidechain: bool = False
    left: frozenset[str] = frozenset()
    parents: Mapping[str, str | None] = field(default_factory=dict)

    def between(self, head: str, tail: str) -> set[str]:
        """The uuids from ``tail`` up to ``head``; empty if there is no path between them."""
        found: set[str] = set()
        current: str | None = tail
        while current is not None and current not in found:
            found.add(current)
            if current == head:
                return found
            current = self.parents.get(current)
        return set()


def _thread_of(records: Iterable[Mapping[str, Any]], tally: Tally) -> _Thread:
    """The conversation among the records of a file, in their order."""
    main: dict[str, TreeLine] = {}
    side: dict[str, TreeLine] = {}
    parents: dict[str, str | None] = {}
    for record in records:
        uuid, parent = string(record.get("uuid")), string(record.get("parentUuid")) or None
        if not uuid or uuid in parents:
            continue
        parents[uuid] = parent
        blocks = map(mapping, listed(mapping(record.get("message")).get("content")))
        answers = any(block.get("type") == "tool_result" for block in blocks)
        summary = record.get("isCompactSummary") is True
        (side if _in_sidechain(record) else main)[uuid] = TreeLine(
            uuid,
            # A boundary line has no parent; its logical parent is the line before the compaction.
            parent or string(record.get("logicalParentUuid")) or None,
            record.get("type") in _SPOKEN,
            record.get("type") == "user"
            and not (answers or summary or record.get("isMeta") is True),
            record.get("subtype") == _BOUNDARY or summary,
        )
    spoken = [any(line.spoken for line in lines.values()) for lines in (main, side)]
    sidechain = spoken == [False, True]
    lines = [*(side if sidechain else main).values()]
    parents = {line.id: parents[line.id] for line in lines}
    left = left_lines(lines, tally) if any(parents.values()) else frozenset()
    return _Thread(sidechain, left, parents)


def _in_sidechain(record: Mapping[str, Any]) -> bool:
    return record.get("isSidechain") is True or bool(record.get("parent_tool_use_id"))


# --- compactions and what is no message --------------------------------------------------


@dataclass(slots=True)
class _Compaction:
    """A compaction after ``entries`` entries of the conversation.

    While it is ``open``, until the next message, attached files belong to it. ``marked``
    tells whether it has a boundary line of its own. ``cleared`` are the ids of the calls
    whose results a microcompaction cleared; it has no summary.
    """

    entries: int
    metadata: Mapping[str, Any]
    summary: str = ""
    attached: list[str] = field(default_factory=list)
    open: bool = True
    marked: bool = True
    cleared: frozenset[str] = frozenset()
    first_sent: int | None = None
    """Tokens of the first request after it, by the usage of its reply."""

    waited: float | None = None
    """Seconds since the tool result before it; ``None`` if the agent was not at work."""

    @property
    def seconds(self) -> float | None:
        """As its record says, else how long a working agent waited for it."""
        milliseconds = counted_tokens(self.metadata.get("durationMs"))
        waited = self.waited if self.metadata.get("trigger") == "auto" else None
        return waited if milliseconds is None else milliseconds / 1000

    @property
    def tokens_after(self) -> int | None:
        """As its record says, else what the first request after it took."""
        stated = counted_tokens(self.metadata.get("postTokens"))
        before = counted_tokens(self.metadata.get("preTokens"))
        saved = counted_tokens(self.metadata.get("tokensSaved"))
        if stated is None and self.cleared and before is not None and saved is not None:
            stated = max(before - saved, 0)
        return self.first_sent if stated is None else stated


def _cleared_calls(record: Mapping[str, Any]) -> frozenset[str]:
    listed_ids = mapping(record.get("microcompactMetadata")).get("compactedToolIds")
    return frozenset(id for id in listed(listed_ids) if isinstance(id, str))


_EXPORT: Final = re.compile(rb'\s*\{(?:[^{}\[\]]{0,2000},)?\s*"loglines"\s*:\s*\[')
"""The beginning of a session that was exported from the web, which is one document."""


_LEFT_OUT: Final = {
    "progress": "progress of a tool or sub-agent",
    "file-history-snapshot": "file snapshot for undo",
    "pr-link": "link to a pull request",
    "queue-operation": "queue of typed messages, which appear when they are sent",
    "result": "run statistics",
    **dict.fromkeys(("permission-mode", "mode"), "mode of the program"),
    **dict.fromkeys(
        ("summary", "ai-title", "custom-title", "last-prompt", "agent-name"), "session title"
    ),
}


def _why_left_out(
    record: Mapping[str, Any], uuid: str | None, thread: _Thread, seen: Collection[str]
) -> str | None:
    """The reason why a record is no message, or ``None``; ``seen`` holds the uuids before it."""
    kind = record.get("type")
    if kind == "system":
        subtype = record.get("subtype")
        if subtype == _CLEARING and not _cleared_calls(record):
            return "compaction that cleared no result"
        if subtype not in (_BOUNDARY, _CLEARING):
            return f"notice of the program: {printable(str(subtype), 40).replace('_', ' ')}"
        before = record.get("logicalParentUuid") or record.get("parentUuid")
        lost = isinstance(before, str) and before in thread.left
        return "compaction on a branch that the user left" if lost else None
    if kind not in (*_SPOKEN, "attachment"):
        return _LEFT_OUT[str(kind)]
    if _in_sidechain(record) != thread.sidechain:
        return "sub-agent message; its result is in the call that started it"
    if uuid is not None and uuid in seen:
        return "repeated line with the same uuid"
    if record.get("isApiErrorMessage") is True:
        return "notice of a failed request, which the model never saw"
    if record.get("isCompactSummary") is True:
        return None
    if record.get("isVisibleInTranscriptOnly") is True:
        return "notice shown only to the user"
    return f"{kind} on a branch that the user left" if uuid in thread.left else None


def _read_within_turn(record: Mapping[str, Any], queue: list[str]) -> str:
    """Follow an operation on the queue of typed texts; the text that the agent read, or nothing."""
    operation, content = record.get("operation"), string(record.get("content"))
    if operation == "enqueue":
        queue.append(content)
    elif operation == "popAll":
        queue.clear()
    elif operation in ("dequeue", "remove") and queue:
        text = queue.pop(queue.index(content) if content in queue else 0)
        return text if operation == "remove" else ""
    return ""


_TIES: Final = ("parentUuid", "leafUuid", "sessionId", "parent_tool_use_id", "snapshot")
_TYPES: Final = ("system", "summary", "attachment", "progress", "file-history-snapshot")
_READ: Final = ("content", "usage", "diagnostics", "context_management", "container")
"""Members of a message that are read, or of no matter to the conversation."""
_SENT: Final = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
"""The tokens of a request, cached ones included."""


def _recognised(record: Any) -> bool:
    """Look for lines of known types that name a session or a parent, or hold a message."""
    given = mapping(record)
    exported = given.get("loglines")
    if isinstance(exported, list) and exported:
        return "message" in mapping(exported[0]) or _recognised(exported[0])
    kind, message = given.get("type"), given.get("message")
    if kind in _SPOKEN:  # some exports and test files have no ties
        tied = isinstance(message, dict) and any(tie in given for tie in _TIES)
        return tied or (mapping(message).get("role") == kind and "content" in mapping(message))
    return kind in _TYPES and any(tie in given for tie in _TIES)


@dataclass(slots=True)
class _Entry:
    """One message and the uuids of its lines; ``typed_ahead`` if it is only in the queue."""

    role: str
    parts: list[Part]
    uuids: list[str] = field(default_factory=list)
    typed_ahead: bool = False


class _SessionReader:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._exported: Sequence[Any] | None = None
        self._tally = Tally()
        self._thread = _Thread()
        self._entries: list[_Entry] = []
        self._by_message: dict[str, _Entry] = {}
        self._results: dict[str, tuple[ToolResult, list[Part], str]] = {}
        self._compactions: list[_Compaction] = []
        self._seen: set[str] = set()
        self._called: dict[str, Any] = {}
        self._queue: list[str] = []
        self._model = ""
        self._recognised = 0
        self._answered: Mapping[str, Any] = {}
        """The last line if it holds results of tools."""

    def transcript(self) -> Transcript:
        with self._path.open("rb") as file:
            if _EXPORT.match(file.read(4096)):
                found = mapping(read_document(self._path)).get("loglines")
                self._exported = found if is_list(found) else None
        self._thread = _thread_of((record for _, record in self._lines(Tally())), self._tally)
        for number, record in self._lines(self._tally):
            self._tally.records += 1
            self._record(record, f"{self._path}, line {number}")
        if not self._recognised:
            self._tally.refuse_all(self._path, "Claude Code message")
        messages, places = self._assembled()
        empty = f"{self._path}: a Claude Code session without a message; there is nothing to import"
        boundaries = self._boundaries(messages, places)
        return self._tally.transcript(messages, self._path, empty, self._model, boundaries)

    def _lines(self, tally: Tally) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """The lines of a session, or of its export from the web, which is one document."""
        if self._exported is None:
            yield from json_lines(self._path, tally)
        else:
            yield from enumerate(map(mapping, self._exported), start=1)

    def _record(self, record: Mapping[str, Any], place: str) -> None:
        kind = record.get("type")
        self._recognised += kind in _SPOKEN
        uuid = string(record.get("uuid"))
        if kind == "queue-operation" and (text := _read_within_turn(record, self._queue)):
            self._entries.append(_Entry("user", [Text(text)], typed_ahead=True))
            self._tally.repaired["text that the user typed within a turn, from the queue"] += 1
            return
        if kind not in (*_SPOKEN, "system", "attachment", *_LEFT_OUT):
            self._tally.skip(unknown("record type", kind), record)
            return
        reason = _why_left_out(record, uuid or None, self._thread, self._seen)
        if uuid:
            self._seen.add(uuid)
        if reason is not None:
            self._tally.left_out[reason] += 1
        elif kind in _SPOKEN:
            self._spoken(record, uuid, place)
        elif kind == "attachment":
            self._attachment(mapping(record.get("attachment")), uuid, place)
        else:
            cleared = _cleared_calls(record)
            metadata = mapping(record.get("microcompactMetadata" if cleared else "compactMetadata"))
            made = _Compaction(len(self._entries), metadata, open=not cleared, cleared=cleared)
            made.waited = None if cleared else seconds_between(self._answered, record)
            self._compactions.append(made)

    def _spoken(self, record: Mapping[str, Any], uuid: str, place: str) -> None:
        message = record.get("message")
        if not isinstance(message, dict):
            raise ImportFormatError(
                f"{place}: a record of type {record['type']!r} without a message object; "
                "fix or remove the line"
            )
        blocks = read_blocks(self._content(message), place, self._tally)
        self._tally.note_unread(message, _READ)
        if record.get("isCompactSummary") is True:
            self._summary(text_and_rest(blocks.parts)[0])
            return
        for compaction in self._compactions[-1:]:
            compaction.open = False
        # The provider compacts within a request, before the other blocks of its message.
        for summary in blocks.compactions:
            self._compactions.append(_Compaction(len(self._entries), {}, summary, open=False))
        self._answered = record if blocks.results else {}
        self._tally.repaired[SPLIT] += max(len(blocks.results) + bool(blocks.parts) - 1, 0)
        for result, rest in blocks.results:
            if result.call_id in self._results:
                self._tally.left_out[SECOND_RESULT] += 1
            else:
                self._results[result.call_id] = (result, rest, uuid)
        if record["type"] == "assistant":
            self._assistant(message, blocks.parts, uuid)
        elif blocks.parts and record.get("isMeta") is True:
            self._written_by_program(record.get("sourceToolUseID"), blocks.parts, uuid)
        elif blocks.parts:
            self._entries.append(_Entry("user", blocks.parts, [uuid]))
        elif not (blocks.results or blocks.compactions):
            self._tally.left_out["empty user message"] += 1

    def _content(self, message: Mapping[str, Any]) -> Any:
        """The blocks of a message, each call once; iFlow repeats calls and wraps results."""
        content, own = message.get("content"), message.get("id")
        if not isinstance(content, list):
            return content
        found: list[Any] = []
        for block in content:
            given = mapping(block)
            id, wrapped = string(given.get("id")), mapping(given.get("content"))
            if given.get("type") == "tool_use" and id:
                if self._called.setdefault(id, own) != own:
                    self._tally.left_out["tool call repeated in a later line"] += 1
                    continue
            elif given.get("type") == "tool_result" and wrapped.get("responseParts") is not None:
                read = read_parts(wrapped["responseParts"], self._tally, "")
                texts = [Text(result.text) for _, result, _ in read.responses]
                failed = any(result.is_error for _, result, _ in read.responses)
                shown = text_and_rest([*texts, *read.own])[0]
                block = {**given, "content": shown, "is_error": failed}
            found.append(block)
        return found

    def _written_by_program(self, call_id: Any, parts: list[Part], uuid: str) -> None:
        """Add a text that the program wrote to the result that loaded it, else as a notice."""
        if call_id in self._results:
            result, rest, answered = self._results[call_id]
            text, more = text_and_rest(parts)
            whole = ToolResult(result.call_id, f"{result.text}\n{text}".strip(), result.is_error)
            self._results[call_id] = (whole, [*rest, *more], answered)
            self._tally.repaired["body of a skill, in the result of the call that loaded it"] += 1
            return
        last = self._entries[-1].parts if self._entries else []
        if any(isinstance(part, Text) and is_command(part.text) for part in last):
            self._entries.append(_Entry("user", parts, [uuid]))
            return
        for role, spoken in spoken_turns(parts, self._tally, typed=False):
            self._entries.append(_Entry(role, list(spoken), [uuid]))

    def _assistant(self, message: Mapping[str, Any], parts: list[Part], uuid: str) -> None:
        for compaction in self._compactions[-1:]:
            if compaction.first_sent is None:
                counts = [counted_tokens(mapping(message.get("usage")).get(key)) for key in _SENT]
                compaction.first_sent = sum(count or 0 for count in counts) or None
        model, id = string(message.get("model")), message.get("id")
        # Messages that Claude Code writes itself, such as API errors, are of no model.
        self._model = self._model if model in ("", "<synthetic>") else model
        entry = self._by_message.get(id) if isinstance(id, str) else None
        if entry is None:
            entry = _Entry("assistant", [])
            self._entries.append(entry)
            if isinstance(id, str):
                self._by_message[id] = entry
        else:
            self._tally.repaired[JOINED] += 1
        entry.parts.extend(parts)
        entry.uuids.append(uuid)

    def _attachment(self, attachment: Mapping[str, Any], uuid: str, place: str) -> None:
        kind = printable(str(attachment.get("type")), 40)
        if kind == "queued_command":
            blocks = read_blocks(attachment.get("prompt"), place, self._tally)
            leave_compactions(blocks, self._tally)
            if blocks.parts:
                self._entries.append(_Entry("user", blocks.parts, [uuid]))
                return
        file = mapping(mapping(attachment.get("content")).get("file"))
        text = string(file.get("content")) if attachment.get("type") == "file" else ""
        if text and self._compactions and self._compactions[-1].open:
            self._compactions[-1].attached.append(f"{attachment.get('filename', '')}\n{text}")
            self._tally.left_out["file attached to a compaction, kept in its record"] += 1
        else:
            self._tally.left_out[f"program attachment: {kind}"] += 1

    def _summary(self, text: str) -> None:
        if not self._compactions or self._compactions[-1].summary or self._compactions[-1].cleared:
            self._compactions.append(_Compaction(len(self._entries), {}, marked=False))
        self._compactions[-1].summary = text
        self._tally.left_out[SUMMARY_IN_RECORD] += 1

    def _assembled(self) -> tuple[tuple[Message, ...], list[int]]:
        """The messages, and their number before each entry and after the last entry."""
        thread = ThreadBuilder(self._tally)
        places = [0]
        sent = [entry.parts for entry in self._entries if not entry.typed_ahead]
        for entry in self._entries:
            if not (entry.typed_ahead and entry.parts in sent):
                thread.add_unless_empty(entry.role, entry.parts)
            for part in entry.parts:
                if isinstance(part, ToolCall) and part.id in self._results:
                    result, rest, uuid = self._results.pop(part.id)
                    thread.add_result(result, rest)
                    entry.uuids.append(uuid)
            thread.close()
            places.append(len(thread.messages))
        self._tally.left_out[RESULT_WITHOUT_CALL] += len(self._results)
        return tuple(thread.messages), places

    def _boundaries(self, messages: Sequence[Message], places: Sequence[int]) -> Iterator[Boundary]:
        context: list[Message] = []
        start = 0
        for number, compaction in enumerate(self._tally.bounded(self._compactions), start=1):
            end = places[compaction.entries]
            if not end:
                self._tally.left_out[BEFORE_FIRST_MESSAGE] += 1
                continue
            kept = self._kept(compaction, messages, places)
            missing = ""
            view: tuple[Message, ...] = ()
            attached: tuple[str, ...] = ()
            if compaction.cleared:
                sent = [*context, *messages[start:end]]
                context = []
                for one in sent:
                    if compaction.cleared.intersection(r.call_id for r in one.results):
                        parts = tuple(replace(result, text=_CLEARED) for result in one.results)
                        id = f"{one.id}-cleared"
                        one = replace(one, id=id, parts=parts, origin="synthetic")
                    context.append(one)
                view = tuple(context)
            elif not compaction.summary:
                missing = "no summary follows its boundary"
            else:
                # What the agent continued with: the summary, kept messages, attached files.
                made = [
                    text_message(f"recorded-{number}-{place}", "user", text, "synthetic")
                    for place, text in enumerate((compaction.summary, *compaction.attached))
                ]
                ids = frozenset(kept)
                stayed = (m for m in messages if m.id in ids) if ids else ()
                context = [made[0], *stayed, *made[1:]]
                attached = tuple(message.id for message in made[1:])
                view = tuple(context) if compaction.attached else ()
            start = start if missing else end
            boundary = Boundary(
                messages[end - 1].id,
                compaction.summary,
                counted_tokens(compaction.metadata.get("preTokens")),
                () if view else kept,
                view,
                missing,
                trigger_of(compaction.metadata.get("trigger")),
                compaction.tokens_after,
                seconds=compaction.seconds,
                attached=attached,
                clears=bool(compaction.cleared),
            )
            if compaction.marked:
                self._tally.compacted(boundary)
            yield boundary

    def _kept(
        self, compaction: _Compaction, messages: Sequence[Message], places: Sequence[int]
    ) -> tuple[str, ...]:
        """The ids of the messages that stayed: some versions list lines, some name a segment."""
        preserved = mapping(compaction.metadata.get("preservedMessages"))
        uuids = preserved.get("allUuids") or preserved.get("uuids")
        segment = mapping(compaction.metadata.get("preservedSegment"))
        if isinstance(uuids, list):
            stayed = {uuid for uuid in uuids if isinstance(uuid, str)}
        else:
            stayed = self._thread.between(
                str(segment.get("headUuid")), str(segment.get("tailUuid"))
            )
        return tuple(
            message.id
            for index, entry in enumerate(self._entries[: compaction.entries] if stayed else ())
            if stayed.intersection(entry.uuids)
            for message in messages[places[index] : places[index + 1]]
        )


IMPORTER: Final = Format(
    "claude-code",
    "Claude Code, session JSONL",
    shown_by(_recognised),
    lambda path: _SessionReader(path).transcript(),
)
