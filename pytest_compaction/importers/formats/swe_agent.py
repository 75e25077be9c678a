"""Trajectories of SWE-agent: function calls, or a thought with a command in a fence.

A command that the model wrote as text becomes a tool call, so that it stays with its
output. An edit in the windowed editor names no file, so its call gets the path of the
file that the previous observation shows as open.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation import Part, Text, ToolCall, ToolResult, json_or_none
from pytest_compaction.conversation.formats.parts import (
    mapping,
    string,
    text_and_rest,
)
from pytest_compaction.importers.chat_messages import (
    as_message,
    loose_parts,
    note_end,
    read_calls,
    thinking_blocks,
)
from pytest_compaction.importers.json_files import is_list, read_document
from pytest_compaction.importers.protocol import (
    ImportFormatError,
    Tally,
    Transcript,
    unknown,
)
from pytest_compaction.importers.registry import Format, shown_by
from pytest_compaction.importers.threads import ThreadBuilder

_EDIT: Final = re.compile(r"edit\s+(\d+):(\d+)[ \t]*\n")
_INSERT: Final = re.compile(r"insert\s+(\d+)[ \t]*\n")
# The parameters of the windowed editor's commands, in order.
_ARGUMENTS: Final = {
    "create": ("path",),
    "open": ("path", "line_number"),
    "goto": ("line_number",),
    "scroll_up": (),
    "scroll_down": (),
    "search_dir": ("search_term", "dir"),
    "search_file": ("search_term", "file"),
    "find_file": ("file_name", "dir"),
    "submit": (),
    "exit_cost": (),
    "exit_context": (),
    "exit_format": (),
}
_EDITOR: Final = "str_replace_editor"
_FLAGS: Final = {
    "--file_text": "file_text",
    "--old_str": "old_str",
    "--new_str": "new_str",
    "--insert_line": "insert_line",
    "--view_range": "view_range",
}


def call_of(id: str, command: str, open_file: str = "") -> ToolCall:
    """The call for a command; ``open_file`` is the file that an edit without a path changes."""
    name, arguments = _named(command, open_file)
    return ToolCall(id, name, json.dumps(arguments, ensure_ascii=False))


def _named(command: str, open_file: str) -> tuple[str, dict[str, Any]]:
    edit, insert = _EDIT.match(command), _INSERT.match(command)
    where = {"path": open_file} if open_file else {}
    if edit:
        # Nine digits: Python refuses to convert numbers of thousands of digits.
        lines = {"start_line": int(edit[1][:9]), "end_line": int(edit[2][:9])}
        return "edit", {**where, **lines, "replacement_text": _given(edit, "end_of_edit")}
    if insert:
        text = _given(insert, "end_of_insert")
        return "insert", {**where, "line_number": int(insert[1][:9]), "text": text}
    words = _words(command)
    if words and words[0] == _EDITOR and len(words) > 2:
        return _EDITOR, _editor(words)
    if words and words[0] in _ARGUMENTS and "\n" not in command:
        keys = _ARGUMENTS[words[0]]
        if len(words) - 1 <= len(keys):
            return words[0], dict(zip(keys, words[1:], strict=False))
    return "bash", {"command": command}


def _given(head: re.Match[str], end: str) -> str:
    """The text below the first line of a command, without the mark of its end."""
    text = head.string[head.end() :].rstrip()
    return text.removesuffix(end).removesuffix("\n") if text.endswith(end) else text


def _words(command: str) -> list[str]:
    try:
        # shlex reads character by character and would take seconds for a huge heredoc.
        return shlex.split(command[:200_000])
    except ValueError:
        return []


def _editor(words: list[str]) -> dict[str, Any]:
    arguments: dict[str, Any] = {"command": words[1], "path": words[2]}
    for flag, value in pairwise(words[3:]):
        if flag in _FLAGS:
            arguments[_FLAGS[flag]] = value
    return arguments


_MARKS: Final = ("environment", "info", "replay_config", "trajectory")
_OPEN_FILE: Final = re.compile(r"^\(Open file: (?P<path>[^\n]{1,1000})\)$", re.M)
_FOLDER: Final = re.compile(r"^\(Current directory: (?P<path>[^\n]{1,1000})\)$", re.M)
_OPENED: Final = re.compile(r"^\[File: (?P<path>[^\n]{1,1000}?) \(\d+ lines total\)\]", re.M)
_FENCE: Final = "```"
_REFUSED: Final = re.compile(
    r"Your proposed edit has introduced new syntax error|Your bash command contained syntax errors"
    r"|\bEXECUTION TIMED OUT\b|No replacement was performed|Your edit was not applied"
    r"|Command '[^\n]{1,200}' timed out|Error: Start line must|Usage: edit\b",
)
_HEAD: Final = 600
"""Refusals are looked for in the first characters: a file shown below may quote one."""


def _recognised(value: Any) -> bool:
    data = mapping(value)
    steps = data.get("trajectory")
    history = data.get("history")
    if isinstance(steps, list) and any({"action", "observation"} <= set(mapping(s)) for s in steps):
        return "action" in data or any(key in data for key in ("environment", "history", "info"))
    messages = [mapping(message) for message in history] if isinstance(history, list) else []
    told = any("role" in m and ("agent" in m or "message_type" in m) for m in messages)
    return told and any(key in data for key in _MARKS)


class _TrajectoryReader:
    def __init__(self) -> None:
        self._tally = Tally()
        self._thread = ThreadBuilder(self._tally)
        self._file = ""
        self._last_action = ""
        self._main = ""

    def transcript(self, path: Path) -> Transcript:
        data = mapping(read_document(path))
        history, steps = data.get("history"), data.get("trajectory")
        if not is_list(history) or not history:
            raise ImportFormatError(
                f"{path}: no history of a SWE-agent run; expected a list of messages under "
                "'history'. Name another format with --format"
            )
        self._main = str(mapping(history[0]).get("agent", ""))
        for number, message in enumerate(history):
            self._tally.records += 1
            self._message(as_message(message, f"{path}, message {number}"))
        if is_list(steps) and steps:
            self._last_observation(mapping(steps[-1]))
            self._tally.records += len(steps)
            self._tally.left_out["trajectory step, repeated in the history"] += len(steps)
        note_end(mapping(data.get("info")), self._tally)
        replay = data.get("replay_config")
        if isinstance(replay, str):
            replay = json_or_none(replay)
        model = string(mapping(mapping(mapping(replay).get("agent")).get("model")).get("name"))
        empty = f"{path}: no message in the history of the run"
        return self._tally.transcript(self._thread.finished(), path, empty, model)

    def _message(self, message: Mapping[str, Any]) -> None:
        role = message.get("role")
        if message.get("is_demo") is True:
            self._tally.left_out["demonstration of another task, shown before this one"] += 1
        elif str(message.get("agent", self._main)) != self._main:
            self._tally.left_out["message from another agent"] += 1
        elif role == "assistant":
            self._assistant(message)
        elif role in ("user", "tool") and (waiting := self._thread.open_calls()):
            self._observed(message, waiting)
        elif role in ("system", "user"):
            self._thread.add_unless_empty(
                str(role), loose_parts(message.get("content"), self._tally)
            )
        else:
            self._tally.skip(unknown("message role", role))

    def _assistant(self, message: Mapping[str, Any]) -> None:
        calls = read_calls(message.get("tool_calls"), self._tally, self._thread)
        self._last_action = string(message.get("action"))
        if not calls and self._last_action.strip():
            call = call_of(self._thread.new_id(), self._last_action.strip(), self._file)
            self._tally.repaired["command written as text, given as a tool call"] += 1
            said = [*self._thought(message), call]
        else:
            said = loose_parts(message.get("content"), self._tally)
            said += [self._naming_file(call) for call in calls]
        self._thread.add_unless_empty("assistant", [*thinking_blocks(message), *said])

    def _thought(self, message: Mapping[str, Any]) -> list[Part]:
        text, _ = text_and_rest(loose_parts(message.get("content"), self._tally))
        thought = message.get("thought")
        if not isinstance(thought, str):
            thought = _without_last_block(text)
        return [Text(thought.rstrip())] if thought.strip() else []

    def _naming_file(self, call: ToolCall) -> ToolCall:
        given = call.parsed()
        if call.name in ("edit", "insert") and given and self._file and not _names_file(given):
            self._tally.repaired["edit of the open file, given its path"] += 1
            arguments = json.dumps({"path": self._file, **given}, ensure_ascii=False)
            return replace(call, arguments=arguments)
        return call

    def _observed(self, message: Mapping[str, Any], waiting: Sequence[str]) -> None:
        text, rest = text_and_rest(loose_parts(message.get("content"), self._tally))
        given = message.get("tool_call_ids")
        named = given[0] if isinstance(given, list) and given else None
        id = str(named) if named in waiting else waiting[0]
        refused = bool(_REFUSED.search(text[:_HEAD]))
        self._thread.add_result(ToolResult(id, text, refused), rest)
        self._note_open_file(text)

    def _note_open_file(self, text: str) -> None:
        """Note which file is open, relative to the current folder, as commands name it."""
        found = _OPEN_FILE.findall(text) or _OPENED.findall(text)
        folder = _FOLDER.findall(text)
        if found:
            path = found[-1].strip()
            self._file = "" if path in ("n/a", "") else path
        if folder and self._file.startswith(prefix := folder[-1].strip().rstrip("/") + "/"):
            self._file = self._file.removeprefix(prefix)

    def _last_observation(self, last: Mapping[str, Any]) -> None:
        """Add the output of the last action: the history lacks it, the last step has it."""
        same = str(last.get("action", "")).strip() == self._last_action.strip()
        waiting = self._thread.open_calls()
        if waiting and same and isinstance(last.get("observation"), str):
            self._tally.repaired["last observation, taken from the trajectory"] += 1
            self._observed({"content": last["observation"]}, waiting)


def _names_file(arguments: Mapping[str, Any]) -> bool:
    return any("file" in key.lower() or "path" in key.lower() for key in arguments)


def _without_last_block(text: str) -> str:
    """The text without its end from the first fence on, if it ends with a fenced block."""
    said = text.rstrip()
    last = len(said) - len(_FENCE)
    if not said.endswith(_FENCE):
        return text
    first = said.find(_FENCE, 0, last)
    opened = first >= 0 and "\n" in said[first + len(_FENCE) : last]
    return text[:first] if opened else text


IMPORTER: Final = Format(
    "swe-agent",
    "SWE-agent, trajectory (.traj, JSON)",
    shown_by(_recognised),
    lambda path: _TrajectoryReader().transcript(path),
)
