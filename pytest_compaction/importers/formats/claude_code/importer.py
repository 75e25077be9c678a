"""Session transcripts of Claude Code: JSON lines that form a tree, with compactions.

The file is read twice: first the parents, to find the lines of the conversation, then
their contents. The lines of one assistant message are joined, each result goes to its
call wherever it is, and the program's own records are left out with a reason. The summary
of a compaction belongs to what the agent continued with, not to the log.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation.formats.anthropic import Blocks, read_blocks
from pytest_compaction.conversation.formats.parts import mapping, string, text_and_rest
from pytest_compaction.conversation.messages import (
    Message,
    Part,
    Text,
    ToolCall,
    ToolResult,
    text_message,
)
from pytest_compaction.importers.formats.anthropic import leave_compactions
from pytest_compaction.importers.formats.claude_code.thread import (
    BOUNDARY,
    SPOKEN,
    Thread,
    in_sidechain,
    thread_of,
)
from pytest_compaction.importers.json_files import head_values, json_lines
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
    unknown,
)
from pytest_compaction.importers.threads import ThreadBuilder
from pytest_compaction.text import printable


@dataclass(slots=True)
class CompactionRecord:
    """A compaction after ``entries`` entries of the conversation.

    While it is ``open``, until the next message, attached files belong to it. ``marked``
    tells whether it has a boundary line of its own.
    """

    entries: int
    metadata: Mapping[str, Any]
    summary: str = ""
    attached: list[str] = field(default_factory=list)
    open: bool = True
    marked: bool = True


def metadata_of(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a boundary line says about its compaction."""
    return mapping(record.get("compactMetadata"))


def preserved(metadata: Mapping[str, Any], thread: Thread) -> set[str]:
    """The uuids of the lines that stayed verbatim: some versions list them, some name a segment."""
    listed = metadata.get("preservedMessages")
    if isinstance(listed, dict):
        uuids = listed.get("allUuids") or listed.get("uuids")
        if isinstance(uuids, list):
            return {uuid for uuid in uuids if isinstance(uuid, str)}
    segment = metadata.get("preservedSegment")
    if isinstance(segment, dict):
        return set(thread.between(str(segment.get("headUuid")), str(segment.get("tailUuid"))))
    return set()


def attached_text(attachment: Mapping[str, Any]) -> str:
    """The name and text of an attached file; empty for any other attachment."""
    file = mapping(mapping(attachment.get("content")).get("file"))
    text = string(file.get("content"))
    if attachment.get("type") != "file" or not text:
        return ""
    return f"{attachment.get('filename', '')}\n{text}"


def view_of(number: int, compaction: CompactionRecord, kept: list[Message]) -> tuple[Message, ...]:
    """The view that the agent continued with: summary, kept messages, attached files."""
    texts = [compaction.summary, *compaction.attached]
    made = [
        text_message(f"recorded-{number + 1}-{place}", "user", text, "synthetic")
        for place, text in enumerate(texts)
    ]
    return (made[0], *kept, *made[1:])


_LEFT_OUT: Final = {
    "summary": "session title",
    "progress": "progress of a tool or sub-agent",
    "file-history-snapshot": "file snapshot for undo",
    "pr-link": "link to a pull request",
    "queue-operation": "queue of typed messages, which appear when they are sent",
    "result": "run statistics",
}


def why_left_out(
    record: Mapping[str, Any], uuid: str | None, thread: Thread, seen: Collection[str]
) -> str | None:
    """The reason why a record is no message, or ``None``; ``seen`` holds the uuids before it."""
    kind = record.get("type")
    if kind == "system":
        subtype = record.get("subtype")
        if subtype != BOUNDARY:
            return f"notice of the program: {printable(str(subtype), 40).replace('_', ' ')}"
        before = record.get("logicalParentUuid")
        known = isinstance(before, str) and before in thread.parents
        lost = known and not thread.holds(before)
        return "compaction on a branch that the user left" if lost else None
    if kind not in (*SPOKEN, "attachment"):
        return _LEFT_OUT.get(str(kind), unknown("record type", kind))
    if in_sidechain(record) != thread.sidechain:
        return "sub-agent message; its result is in the call that started it"
    if uuid is not None and uuid in seen:
        return "repeated line with the same uuid"
    if record.get("isApiErrorMessage") is True:
        return "notice of a failed request, which the model never saw"
    if record.get("isCompactSummary") is True:
        return None
    if record.get("isVisibleInTranscriptOnly") is True:
        return "notice shown only to the user"
    if not thread.holds(uuid):
        return f"{kind} on a branch that the user left"
    return None


QUEUE = "queue-operation"


class TypedAhead:
    """The texts that wait at the line that was read last."""

    def __init__(self) -> None:
        self._waiting: list[str] = []

    def read_within_turn(self, record: Mapping[str, Any]) -> str:
        """Follow an operation; returns the text that the agent read with it, or nothing."""
        operation, content = record.get("operation"), string(record.get("content"))
        if operation == "enqueue":
            self._waiting.append(content)
        elif operation == "popAll":
            self._waiting.clear()
        elif operation in ("dequeue", "remove") and self._waiting:
            place = self._waiting.index(content) if content in self._waiting else 0
            text = self._waiting.pop(place)
            return text if operation == "remove" else ""
        return ""


_TIES: Final = ("parentUuid", "leafUuid", "sessionId", "parent_tool_use_id", "snapshot")
_TYPES: Final = (*SPOKEN, "system", "summary", "attachment", "progress", "file-history-snapshot")
_SYNTHETIC: Final = "<synthetic>"
"""The model name of messages that Claude Code writes itself, such as API errors."""


class ClaudeCodeImporter:
    """Reads the sessions that Claude Code keeps under ``~/.claude/projects``."""

    name = "claude-code"
    description = "Claude Code, session JSONL"

    def recognises(self, head: str) -> bool:
        """Look for lines of known types that name a session or a parent."""
        return any(
            isinstance(record, dict)
            and record.get("type") in _TYPES
            and any(tie in record for tie in _TIES)
            and (record["type"] not in SPOKEN or isinstance(record.get("message"), dict))
            for record in head_values(head)
        )

    def read(self, path: Path) -> Transcript:
        """Read a session line by line, twice; see the docstring of this module."""
        return _SessionReader(path).transcript()


@dataclass(slots=True)
class _Entry:
    """One message and the uuids of its lines; ``typed_ahead`` if it is only in the queue."""

    role: str
    parts: list[Part]
    uuids: list[str] = field(default_factory=list)
    typed_ahead: bool = False


class _SessionReader:
    """Reads the lines of one file once the thread of its conversation is known."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._tally = Tally()
        self._thread = Thread()
        self._entries: list[_Entry] = []
        self._by_message: dict[str, _Entry] = {}
        self._results: dict[str, tuple[ToolResult, list[Part], str]] = {}
        self._compactions: list[CompactionRecord] = []
        self._seen: set[str] = set()
        self._typed_ahead = TypedAhead()
        self._model = ""
        self._recognised = 0

    def transcript(self) -> Transcript:
        self._thread = thread_of((record for _, record in json_lines(self._path)), self._tally)
        for number, record in json_lines(self._path):
            self._tally.records += 1
            self._record(record, f"{self._path}, line {number}")
        if not self._recognised:
            raise ImportFormatError(
                f"{self._path}: no Claude Code message among {self._tally.records} lines; "
                "name another format with --format"
            )
        messages, places = self._assembled()
        empty = f"{self._path}: a Claude Code session without a message; there is nothing to import"
        boundaries = self._boundaries(messages, places)
        return self._tally.transcript(messages, self._path, empty, self._model, boundaries)

    def _record(self, record: Mapping[str, Any], place: str) -> None:
        kind = record.get("type")
        if kind in SPOKEN:
            self._recognised += 1
        uuid = record.get("uuid")
        uuid = uuid if isinstance(uuid, str) else None
        if kind == QUEUE and (text := self._typed_ahead.read_within_turn(record)):
            self._entries.append(_Entry("user", [Text(text)], typed_ahead=True))
            self._tally.repaired["text that the user typed within a turn, from the queue"] += 1
            return
        reason = why_left_out(record, uuid, self._thread, self._seen)
        if uuid is not None:
            self._seen.add(uuid)
        if reason is not None:
            self._tally.left_out[reason] += 1
        elif kind in SPOKEN:
            self._spoken(record, uuid or "", place)
        elif kind == "attachment":
            self._attachment(record, uuid or "", place)
        else:
            self._compactions.append(CompactionRecord(len(self._entries), metadata_of(record)))

    def _spoken(self, record: Mapping[str, Any], uuid: str, place: str) -> None:
        message = record.get("message")
        if not isinstance(message, dict):
            raise ImportFormatError(
                f"{place}: a record of type {record['type']!r} without a message object; "
                "fix or remove the line"
            )
        blocks = read_blocks(message.get("content"), place, self._tally)
        if record.get("isCompactSummary") is True:
            self._summary(text_and_rest(blocks.parts)[0])
            return
        for compaction in self._compactions[-1:]:
            compaction.open = False
        self._made_by_provider(blocks)
        own = len(blocks.results) + bool(blocks.parts)
        if own > 1:
            self._tally.repaired[SPLIT] += own - 1
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

    def _written_by_program(self, call_id: Any, parts: list[Part], uuid: str) -> None:
        """Add a text that the program wrote to the result that loaded it, else as a notice.

        The prompt behind a slash command is what the user asked for with it.
        """
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

    def _made_by_provider(self, blocks: Blocks) -> None:
        """Note compactions that the provider made within a request, before its other blocks."""
        for summary in blocks.compactions:
            compaction = CompactionRecord(len(self._entries), {}, summary, open=False)
            self._compactions.append(compaction)

    def _assistant(self, message: Mapping[str, Any], parts: list[Part], uuid: str) -> None:
        model, id = message.get("model"), message.get("id")
        if isinstance(model, str) and model and model != _SYNTHETIC:
            self._model = model
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

    def _attachment(self, record: Mapping[str, Any], uuid: str, place: str) -> None:
        attachment = mapping(record.get("attachment"))
        kind = printable(str(attachment.get("type")), 40)
        if kind == "queued_command":
            blocks = read_blocks(attachment.get("prompt"), place, self._tally)
            leave_compactions(blocks, self._tally)
            if blocks.parts:
                self._entries.append(_Entry("user", blocks.parts, [uuid]))
                return
        text = attached_text(attachment)
        if text and self._compactions and self._compactions[-1].open:
            self._compactions[-1].attached.append(text)
            self._tally.left_out["file attached to a compaction, kept in its record"] += 1
            return
        self._tally.left_out[f"program attachment: {kind}"] += 1

    def _summary(self, text: str) -> None:
        if not self._compactions or self._compactions[-1].summary:
            self._compactions.append(CompactionRecord(len(self._entries), {}, marked=False))
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
        orphans = len(self._results)
        if orphans:
            self._tally.left_out[RESULT_WITHOUT_CALL] += orphans
        return tuple(thread.messages), places

    def _boundaries(self, messages: Sequence[Message], places: Sequence[int]) -> Iterator[Boundary]:
        for number, compaction in enumerate(self._compactions):
            end = places[compaction.entries]
            if not end:
                self._tally.left_out[BEFORE_FIRST_MESSAGE] += 1
                continue
            before = compaction.metadata.get("preTokens")
            kept = self._kept(compaction, messages, places)
            missing = "" if compaction.summary else "no summary follows its boundary"
            view: tuple[Message, ...] = ()
            if compaction.summary and compaction.attached:
                ids = frozenset(kept)
                view = view_of(number, compaction, [m for m in messages if m.id in ids])
            boundary = Boundary(
                messages[end - 1].id,
                compaction.summary,
                before if isinstance(before, int) else None,
                () if view else kept,
                view,
                missing,
            )
            if compaction.marked:
                self._tally.compacted(boundary)
            yield boundary

    def _kept(
        self, compaction: CompactionRecord, messages: Sequence[Message], places: Sequence[int]
    ) -> tuple[str, ...]:
        """The ids of the messages that were preserved according to the metadata."""
        uuids = preserved(compaction.metadata, self._thread)
        kept: list[str] = []
        for index, entry in enumerate(self._entries[: compaction.entries]):
            if uuids.intersection(entry.uuids):
                kept += [m.id for m in messages[places[index] : places[index + 1]]]
        return tuple(kept)


IMPORTER: Final = ClaudeCodeImporter
