"""Turn commands that SWE-agent's model wrote as text into calls of its tools or the shell."""

from __future__ import annotations

import json
import re
import shlex
from itertools import pairwise
from typing import Any, Final

from pytest_compaction.conversation.messages import ToolCall

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
