"""Session files of the pi coding agent: JSON lines with messages, settings and compactions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation import Image, Part, Text, ToolResult, json_or_none
from pytest_compaction.conversation.formats.anthropic import Blocks, read_blocks
from pytest_compaction.conversation.formats.parts import mapping, required_id, string, text_and_rest
from pytest_compaction.importers.json_files import json_lines
from pytest_compaction.importers.protocol import (
    BEFORE_FIRST_MESSAGE,
    Boundary,
    ImportFormatError,
    Tally,
    Transcript,
    counted_tokens,
    unknown,
)
from pytest_compaction.importers.registry import Format
from pytest_compaction.importers.threads import ThreadBuilder, way_up


def branch_of(records: Iterable[Mapping[str, Any]], tally: Tally) -> frozenset[str] | None:
    """The ids on the branch of the last line; ``None`` for old files, which have no parents."""
    ids: list[str] = []
    parents: list[str | None] = []
    for record in records:
        own, parent = record.get("id"), record.get("parentId")
        if isinstance(own, str) and record.get("type") != "session":
            ids.append(own)
            parents.append(parent if isinstance(parent, str) else None)
    if not any(parents):
        return None
    return frozenset(way_up(ids, parents, len(ids) - 1, tally))


_ROLES: Final = ("user", "assistant", "toolResult", "bashExecution", "custom")
_SPOKEN: Final = ("message", "custom_message", "branch_summary", "compaction")
_READ: Final = ("content", "usage", "command", "output", "details", "stopReason", "errorMessage")
"""Members of a message that are read, or of no matter to the conversation."""
_SETTINGS: Final = {
    "session": "session header",
    "model_change": "model change",
    "thinking_level_change": "thinking level change",
    "session_info": "session name",
    "label": "label",
    "custom": "extension state",
}
_SESSION_HEAD: Final = re.compile(r'^\s*\{[^\n]{0,400}"type"\s*:\s*"session"[^\n]{0,2000}"cwd"\s*:')


def _recognises(head: str) -> bool:
    if _SESSION_HEAD.match(head):
        return True
    for line in head.split("\n")[:20]:
        record = mapping(json_or_none(line))
        if record.get("type") == "message":
            return mapping(record.get("message")).get("role") in _ROLES
    return False


class _SessionReader:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._tally = Tally()
        self._thread = ThreadBuilder(self._tally)
        self._model = ""
        self._boundaries: list[Boundary] = []
        self._numbers: dict[str, int] = {}
        self._recognised = 0
        self._branch: frozenset[str] | None = None

    def transcript(self) -> Transcript:
        lines = json_lines(self._path, Tally())
        self._branch = branch_of((record for _, record in lines), self._tally)
        for number, record in json_lines(self._path, self._tally):
            self._tally.records += 1
            self._record(record, number)
        messages = self._thread.finished()
        if not self._recognised:
            raise ImportFormatError(
                f"{self._path}: no pi record among {self._tally.records} lines; "
                "name another format with --format"
            )
        empty = f"{self._path}: a pi session without a message; there is nothing to import"
        return self._tally.transcript(messages, self._path, empty, self._model, self._boundaries)

    def _record(self, record: Mapping[str, Any], number: int) -> None:
        kind, own = record.get("type"), record.get("id")
        known = isinstance(kind, str) and (kind in _SPOKEN or kind in _SETTINGS)
        self._recognised += known
        if isinstance(own, str):
            self._numbers[own] = self._tally.records
        left = self._branch is not None and isinstance(own, str) and own not in self._branch
        if left and kind in _SPOKEN:
            self._tally.left_out[f"{kind} on a branch that the user left"] += 1
        elif kind == "message":
            self._message(record.get("message"), number)
        elif kind == "custom_message":
            self._message({**record, "role": "custom"}, number)
        elif kind == "branch_summary":
            self._branch_summary(record)
        elif kind == "compaction":
            self._compaction(record)
        elif known:
            self._tally.left_out[_SETTINGS[str(kind)]] += 1
        else:
            self._tally.skip(unknown("record type", kind), record)

    def _branch_summary(self, record: Mapping[str, Any]) -> None:
        """Add what the model was told about the abandoned branch; the branch itself is not read."""
        summary = record.get("summary")
        if isinstance(summary, str) and summary.strip():
            text = f"Summary of the branch that was left before this point:\n\n{summary}"
            self._thread.add("user", [Text(text)], self._tally.records)
        else:
            self._tally.left_out["summary of a branch without a text"] += 1

    def _compaction(self, record: Mapping[str, Any]) -> None:
        """Note a compaction; it names its first kept entry by id, in old files by line from 0."""
        summary, tokens = record.get("summary"), record.get("tokensBefore")
        index, id = record.get("firstKeptEntryIndex"), record.get("firstKeptEntryId")
        first = index + 1 if isinstance(index, int) else self._numbers.get(str(id))
        if not self._tally.has_room(self._boundaries):
            return
        log = self._thread.finished()
        if not log:
            self._tally.left_out[BEFORE_FIRST_MESSAGE] += 1
            return
        missing = ""
        if not string(summary):
            missing = "its record has no summary"
        elif first is None:
            missing = "its record does not say which messages it kept"
        kept = tuple(
            message.id
            for message, origin in zip(log, self._thread.origins, strict=True)
            if first is not None and origin >= first
        )
        boundary = Boundary(
            log[-1].id,
            "" if missing else string(summary),
            tokens if isinstance(tokens, int) else None,
            kept,
            missing=missing,
        )
        self._tally.compacted(boundary)
        self._boundaries.append(boundary)

    def _message(self, message: Any, number: int) -> None:
        place = f"{self._path}, line {number}"
        if not isinstance(message, dict):
            raise ImportFormatError(
                f"{place}: a record of type 'message' without a message object; "
                "fix or remove the line"
            )
        role = message.get("role")
        self._tally.note_unread(message, _READ)
        if role == "toolResult":
            self._tool_result(message, place)
        elif role == "assistant":
            self._assistant(message, place)
        elif role in ("user", "custom"):
            blocks = self._blocks(message, place)
            for result, rest in blocks.results:  # forks keep them as Anthropic's messages do
                self._thread.add_result(result, rest)
            if blocks.parts or not blocks.results:
                self._thread.add_unless_empty("user", blocks.parts, self._tally.records)
        elif role == "bashExecution" and message.get("excludeFromContext") is True:
            self._tally.left_out["command that the user kept from the model"] += 1
        elif role == "bashExecution":
            text = f"Ran `{message.get('command', '')}`\n{message.get('output', '')}"
            self._thread.add("user", [Text(text)], self._tally.records)
        else:
            self._tally.skip(unknown("message role", role))

    def _assistant(self, message: Mapping[str, Any], place: str) -> None:
        self._model = string(message.get("model")) or self._model
        usage = mapping(message.get("usage"))
        sent = [counted_tokens(usage.get(key)) for key in ("input", "cacheRead", "cacheWrite")]
        for last in self._boundaries[-1:] if any(sent) else ():
            if last.tokens_after is None:
                tokens = sum(count or 0 for count in sent)
                self._boundaries[-1] = replace(last, tokens_after=tokens)
        stop = message.get("stopReason")
        how = f"{stop} assistant" if stop in ("aborted", "error") else "assistant"
        parts = self._parts(message, place)
        self._thread.add_unless_empty("assistant", parts, self._tally.records, how)

    def _tool_result(self, message: Mapping[str, Any], place: str) -> None:
        call_id = required_id(
            message.get("toolCallId"), "a toolResult without toolCallId", place, self._tally
        )
        text, others = text_and_rest(self._parts(message, place))
        rest = [part for part in others if isinstance(part, Image)]
        self._thread.add_result(ToolResult(call_id, text, message.get("isError") is True), rest)

    def _parts(self, message: Mapping[str, Any], place: str) -> list[Part]:
        return self._blocks(message, place).parts

    def _blocks(self, message: Mapping[str, Any], place: str) -> Blocks:
        content = message.get("content")
        if isinstance(content, list):
            content = [_as_block(part) for part in content]
        return read_blocks(content, place, self._tally)


def _as_block(part: Any) -> Any:
    """A part in the shape of Anthropic's blocks, which pi's are but for some names."""
    given = mapping(part)
    if given.get("type") == "toolCall":
        return {**given, "type": "tool_use", "input": given.get("arguments")}
    if given.get("type") == "image":
        source = {"media_type": given.get("mimeType"), "data": given.get("data")}
        return {"type": "image", "source": source}
    return part


IMPORTER: Final = Format(
    "pi",
    "pi coding agent, session JSONL",
    _recognises,
    lambda path: _SessionReader(path).transcript(),
)
