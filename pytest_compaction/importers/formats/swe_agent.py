"""Trajectories of SWE-agent: function calls, or a thought with a command in a fence.

A command that the model wrote as text becomes a tool call, so that it stays with its
output. An edit in the windowed editor names no file, so its call gets the path of the
file that the previous observation shows as open.
"""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from pytest_compaction.conversation import json_or_none
from pytest_compaction.conversation.formats.gemini import listed
from pytest_compaction.conversation.formats.parts import mapping, string
from pytest_compaction.importers.chat_messages import note_end, plain_text, thinking_blocks
from pytest_compaction.importers.exchanges import Exchange
from pytest_compaction.importers.json_files import PlacedValue, is_list
from pytest_compaction.importers.protocol import unknown
from pytest_compaction.importers.shapes import Shape, TurnReader, shaped

_EDIT: Final = re.compile(r"edit\s+(\d+):(\d+)[ \t]*\n")
_INSERT: Final = re.compile(r"insert\s+(\d+)[ \t]*\n")
# The parameters of the windowed editor's commands, in order.
_ARGUMENTS: Final = {
    "create": "path",
    "open": "path line_number",
    "goto": "line_number",
    "search_dir": "search_term dir",
    "search_file": "search_term file",
    "find_file": "file_name dir",
    **dict.fromkeys("scroll_up scroll_down submit exit_cost exit_context exit_format".split(), ""),
}
_EDITOR: Final = "str_replace_editor"
_FLAGS: Final = ("--file_text", "--old_str", "--new_str", "--insert_line", "--view_range")


def command_call(command: str, open_file: str = "") -> tuple[str, dict[str, Any]]:
    """The tool and the arguments of a command; ``open_file`` is what an edit changes."""
    edit, insert = _EDIT.match(command), _INSERT.match(command)
    where = {"path": open_file} if open_file else {}
    if edit:
        # Nine digits: Python refuses to convert numbers of thousands of digits.
        lines = {"start_line": int(edit[1][:9]), "end_line": int(edit[2][:9])}
        return "edit", {**where, **lines, "replacement_text": _given(edit, "end_of_edit")}
    if insert:
        text = _given(insert, "end_of_insert")
        return "insert", {**where, "line_number": int(insert[1][:9]), "text": text}
    words: list[str] = []
    with contextlib.suppress(ValueError):
        # shlex reads character by character and would take seconds for a huge heredoc.
        words = shlex.split(command[:200_000])
    name = words[0] if words else ""
    if name == _EDITOR and len(words) > 2:
        given = {flag[2:]: value for flag, value in pairwise(words[3:]) if flag in _FLAGS}
        return name, {"command": words[1], "path": words[2], **given}
    keys = _ARGUMENTS.get(name, "").split()
    if name in _ARGUMENTS and "\n" not in command and len(words) - 1 <= len(keys):
        return name, dict(zip(keys, words[1:], strict=False))
    return "bash", {"command": command}


def _given(head: re.Match[str], end: str) -> str:
    """The text below the first line of a command, without the mark of its end."""
    text = head.string[head.end() :].rstrip()
    return text.removesuffix(end).removesuffix("\n") if text.endswith(end) else text


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


class _HistoryReader(TurnReader):
    _file = ""
    _action = ""
    _main: str | None = None
    _commands = 0

    def record(self, record: Mapping[str, Any]) -> None:
        """Read a message of the main agent; one behind a call is its output."""
        role, content = record.get("role"), record.get("content")
        self._main = str(record.get("agent", "")) if self._main is None else self._main
        waiting = self.waiting
        if record.get("is_demo") is True:
            self.tally.left_out["demonstration of another task, shown before this one"] += 1
        elif str(record.get("agent", self._main)) != self._main:
            self.tally.left_out["message from another agent"] += 1
        elif role == "assistant":
            self._action = string(record.get("action")).strip()
            said = self._written(record) or [*listed(content), *self._calls(record)]
            self.say("assistant", [*thinking_blocks(record), *said])
        elif role in ("user", "tool") and waiting:
            given = listed(record.get("tool_call_ids"))
            self._observed(given[0] if given and given[0] in waiting else waiting[0], content)
        elif role == _LAST_STEP:  # the history lacks its observation
            if waiting and string(record.get("action")).strip() == self._action:
                self.tally.repaired["last observation, taken from the trajectory"] += 1
                self._observed(waiting[0], content)
        elif role in ("system", "user"):
            self.say(str(role), listed(content))
        else:
            self.tally.skip(unknown("message role", role))

    def _written(self, record: Mapping[str, Any]) -> list[Any]:
        """The thought and the command of a message that has the command in its text."""
        if not self._action or record.get("tool_calls"):
            return []
        self.tally.repaired["command written as text, given as a tool call"] += 1
        thought = record.get("thought")
        if not isinstance(thought, str):
            thought = _without_last_block(plain_text(record.get("content")))
        self._commands += 1
        name, arguments = command_call(self._action, self._file)
        call = {"type": "tool_call", "id": f"call-{self._commands}", "name": name}
        return [thought.rstrip(), {**call, "input": arguments}]

    def _calls(self, record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """The calls of a message; an edit of the open file is given its path."""
        for call in map(mapping, listed(record.get("tool_calls"))):
            given = mapping(call.get("function"))
            name, arguments = given.get("name"), given.get("arguments")
            parsed = mapping(json_or_none(arguments) if isinstance(arguments, str) else arguments)
            named = any("file" in key.lower() or "path" in key.lower() for key in parsed)
            if name in ("edit", "insert") and parsed and self._file and not named:
                self.tally.repaired["edit of the open file, given its path"] += 1
                arguments = {"path": self._file, **parsed}
            yield {"type": "tool_call", "id": call.get("id"), "name": name, "input": arguments}

    def _observed(self, id: str, content: Any) -> None:
        """Give a result to its call; note which file is open, as seen from the current folder."""
        text = plain_text(content)
        refused = bool(_REFUSED.search(text[:_HEAD]))
        result = {"type": "tool_result", "tool_call_id": id, "isError": refused}
        self.say("tool", [{**result, "output": content}])
        found = _OPEN_FILE.findall(text) or _OPENED.findall(text)
        if found:
            self._file = found[-1].strip().removesuffix("n/a")
        for folder in _FOLDER.findall(text)[-1:]:
            self._file = self._file.removeprefix(folder.strip().rstrip("/") + "/")


def _without_last_block(text: str) -> str:
    """The text without its end from the first fence on, if it ends with a fenced block."""
    said = text.rstrip()
    last = len(said) - len(_FENCE)
    if not said.endswith(_FENCE):
        return text
    first = said.find(_FENCE, 0, last)
    opened = first >= 0 and "\n" in said[first + len(_FENCE) : last]
    return text[:first] if opened else text


_LAST_STEP: Final = "last step"


def _exchange(item: PlacedValue) -> Exchange | None:
    place, data = item[0], mapping(item.value)
    history, steps = data.get("history"), data.get("trajectory")
    if not is_list(history) or not history:
        return None
    replay = data.get("replay_config")
    replay = json_or_none(replay) if isinstance(replay, str) else replay
    model = mapping(mapping(mapping(replay).get("agent")).get("model")).get("name")
    exchange = Exchange(place, history, model=string(model))
    if is_list(steps) and steps:
        exchange.tally.records += len(steps) - 1
        exchange.tally.left_out["trajectory step, repeated in the history"] += len(steps)
        last = mapping(steps[-1])
        given = {"role": _LAST_STEP, "agent": mapping(history[0]).get("agent", "")}
        given |= {"action": last.get("action"), "content": last.get("observation")}
        exchange = replace(exchange, response=[given])
    note_end(mapping(data.get("info")), exchange.tally)
    return exchange


IMPORTER: Final = shaped(
    "swe-agent",
    "SWE-agent, trajectory (.traj, JSON)",
    Shape(),
    _recognised,
    _exchange,
    reader=_HistoryReader,
)
