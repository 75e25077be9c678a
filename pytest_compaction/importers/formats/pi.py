"""Session files of the pi coding agent: JSON lines with messages, settings and compactions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation import Image, Text, ToolResult, json_or_none
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
        """The ids on the branch of the last line; ``None`` for old files, which have no parents."""

    def transcript(self) -> Transcript:
        ids: list[str] = []
        parents: list[str | None] = []
        for _, record in json_lines(self._path, Tally()):
            own, parent = record.get("id"), record.get("parentId")
            if isinstance(own, str) and record.get("type") != "session":
                ids.append(own)
                parents.append(parent if isinstance(parent, str) else None)
        if any(parents):
            self._branch = frozenset(way_up(ids, parents, len(ids) - 1, self._tally))
        for number, record in json_lines(self._path, self._tally):
            self._tally.records += 1
            self._record(record, number)
        messages = self._thread.finished()
        if not self._recognised:
            self._tally.refuse_all(self._path, "pi record")
        empty = f"{self._path}: a pi session without a message; there is nothing to import"
        return self._tally.transcript(messages, self._path, empty, self._model, self._boundaries)

    def _record(self, record: Mapping[str, Any], number: int) -> None:
        kind, own = str(record.get("type")), record.get("id")
        self._recognised += kind in _SPOKEN or kind in _SETTINGS
        if isinstance(own, str):
            self._numbers[own] = self._tally.records
        left = self._branch is not None and isinstance(own, str) and own not in self._branch
        if left and kind in _SPOKEN:
            self._tally.left_out[f"{kind} on a branch that the user left"] += 1
        elif kind == "message":
            self._message(record.get("message"), number)
        elif kind == "custom_message":
            self._message({**record, "role": "custom"}, number)
        elif kind == "branch_summary":  # what the model was told; the branch itself is not read
            summary = string(record.get("summary"))
            text = f"Summary of the branch that was left before this point:\n\n{summary}"
            if summary.strip():
                self._thread.add("user", [Text(text)], self._tally.records)
            else:
                self._tally.left_out["summary of a branch without a text"] += 1
        elif kind == "compaction":
            self._compaction(record)
        elif kind in _SETTINGS:
            self._tally.left_out[_SETTINGS[kind]] += 1
        else:
            self._tally.skip(unknown("record type", record.get("type")), record)

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
        missing = "its record does not say which messages it kept" if first is None else ""
        missing = missing if string(summary) else "its record has no summary"
        kept = tuple(
            message.id
            for message, origin in zip(log, self._thread.origins, strict=True)
            if first is not None and origin >= first
        )
        before = tokens if isinstance(tokens, int) else None
        said = "" if missing else string(summary)
        boundary = Boundary(log[-1].id, said, before, kept, missing=missing)
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
            given, what = message.get("toolCallId"), "a toolResult without toolCallId"
            call_id = required_id(given, what, place, self._tally)
            text, others = text_and_rest(self._blocks(message, place).parts)
            result = ToolResult(call_id, text, message.get("isError") is True)
            self._thread.add_result(result, [p for p in others if isinstance(p, Image)])
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
        parts = self._blocks(message, place).parts
        self._thread.add_unless_empty("assistant", parts, self._tally.records, how)

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
