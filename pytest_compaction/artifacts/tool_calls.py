"""The files that a tool call would touch, recognised by its name and argument keys."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from pytest_compaction.artifacts.shell_effects import shell_effects
from pytest_compaction.artifacts.touches import (
    Touch,
    clean_path,
    line_detail,
    patch_touches,
    replacement_lines,
    text_detail,
)
from pytest_compaction.conversation import ToolCall
from pytest_compaction.conversation.formats.parts import first_of

_PATH_KEYS: Final = (
    "path filepath filename file targetfile absolutepath relativeworkspacepath relativepath "
    "notebookpath"
).split()
_CONTENT_KEYS: Final = "content contents filetext text code codeedit newsource data".split()
_NEW_KEYS: Final = [
    *"new newtext newstring newstr replace replacement replacementtext inserttext".split(),
    *_CONTENT_KEYS,
]
_OLD_KEYS: Final = "old oldtext oldstring oldstr search".split()
_PATCH_KEYS: Final = "patch input patchtext diff patchcontent".split()
_FROM_KEYS: Final = [*"source sourcepath src from frompath oldpath oldname".split(), *_PATH_KEYS]
_TO_KEYS: Final = "destination destinationpath dest to topath newpath newname target".split()
_COMMAND_KEYS: Final = "command cmd script commandline".split()

_SHELL: Final = frozenset(
    "bash shell sh zsh terminal exec execute command cmd console powershell run".split()
)
_WRITE: Final = frozenset("write create save overwrite new put".split())
_EDIT: Final = frozenset(
    "edit editor multiedit replace patch applypatch modify update insert append change diff".split()
)
_READ: Final = frozenset("read readfile view cat open get show".split())
_DELETE: Final = frozenset("delete remove unlink rm".split())
_RENAME: Final = frozenset("rename move mv".split())
_FOLDERS: Final = frozenset("directory dir folder directories list ls".split())
_EDITOR_COMMANDS: Final = frozenset(
    {"create", "str_replace", "insert", "view", "undo_edit", "delete", "rename"}
)
_BOUNDARY: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")
_MAX_ENTRIES: Final = 1_000
"""Bounds the work on one call; further paths and edits are not read."""


def call_touches(call: ToolCall) -> list[Touch]:
    """The effects of the call on files, in order; empty for a call that is not recognised."""
    arguments = _arguments(call)
    words = _name_words(call.name)
    editor = _editor_touches(arguments)
    if editor is not None:
        return editor
    script = shell_script(call)
    if script is not None:
        return [effect.touch for effect in shell_effects(script) if effect.touch is not None]
    if words & _FOLDERS:
        return []
    if words & _DELETE:
        return [Touch("delete", path) for path in _paths(arguments)]
    if words & _RENAME:
        return _rename(arguments)
    return _text_touches(words, arguments)


def shell_script(call: ToolCall) -> str | None:
    """The shell command of a call, ``bash -lc`` unwrapped; ``None`` for any other call."""
    if not _name_words(call.name) & _SHELL:
        return None
    arguments = _arguments(call)
    command = first_of(arguments, _COMMAND_KEYS)
    several = arguments.get("commands")
    if command is None and isinstance(several, list):
        return "\n".join(line for line in several if isinstance(line, str)) or None
    if isinstance(command, str):
        return command
    if not isinstance(command, list) or not all(isinstance(word, str) for word in command):
        return None
    if len(command) > 2 and re.fullmatch(r"-[a-z]*c", command[1]):
        return str(command[2])
    return shlex.join(command)


def named_paths(call: ToolCall) -> list[str]:
    """The files and folders that a call names, whatever it would do to them."""
    return _paths(_arguments(call))


def without_old_text(call: ToolCall) -> ToolCall:
    """The call without the text that it would replace."""
    parsed = call.parsed()
    kept = {name: value for name, value in parsed.items() if _plain_key(name) not in _OLD_KEYS}
    return call if len(kept) == len(parsed) else replace(call, arguments=json.dumps(kept))


def _name_words(name: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _BOUNDARY.split(name[-200:]) if word)


def _arguments(call: ToolCall) -> dict[str, Any]:
    parsed = call.parsed()
    if not parsed and call.arguments.lstrip().startswith("*** Begin Patch"):
        return {"patch": call.arguments}
    return {_plain_key(key): value for key, value in parsed.items()}


def _plain_key(key: str) -> str:
    return re.sub(r"[^a-z]", "", key[:100].lower())


def _paths(arguments: Mapping[str, Any]) -> list[str]:
    value = first_of(arguments, (*_PATH_KEYS, "paths", "files", "filepaths"))
    entries = value[:_MAX_ENTRIES] if isinstance(value, list) else [value]
    found = []
    for entry in entries:
        if isinstance(entry, Mapping):
            entry = next(
                (entry[key] for key in ("path", "file_path", "file") if key in entry), None
            )
        found.append(clean_path(entry))
    return [path for path in found if path]


def _editor_touches(arguments: Mapping[str, Any]) -> list[Touch] | None:
    command = arguments.get("command")
    if not isinstance(command, str) or command not in _EDITOR_COMMANDS:
        return None
    paths = _paths(arguments)
    if not paths:
        return _rename(arguments) if command == "rename" else None
    path = paths[0]
    new = first_of(arguments, _NEW_KEYS)
    if command == "create":
        return [Touch("write", path, text_detail(new))]
    if command in {"str_replace", "insert"}:
        return [Touch("edit", path, text_detail(new, arguments.get("oldstr")))]
    if command == "view":
        return [Touch("read", path)]
    if command == "delete":
        return [Touch("delete", path)]
    return _rename(arguments) if command == "rename" else []


def _rename(arguments: Mapping[str, Any]) -> list[Touch]:
    old, new = (
        clean_path(first_of(arguments, _FROM_KEYS)),
        clean_path(first_of(arguments, _TO_KEYS)),
    )
    return [Touch("rename", new, old_path=old)] if old and new else []


def _text_touches(words: frozenset[str], arguments: Mapping[str, Any]) -> list[Touch]:
    paths = _paths(arguments)
    patch = first_of(arguments, _PATCH_KEYS)
    if words & _EDIT and isinstance(patch, str):
        touches = patch_touches(patch)
        if touches or not paths:
            return touches
        return [Touch("edit", paths[0], line_detail(replacement_lines(patch)))]
    if not paths:
        return []
    content = first_of(arguments, _CONTENT_KEYS)
    if words & _WRITE and (content is not None or not words & (_EDIT | _READ)):
        return [Touch("write", path, text_detail(content)) for path in paths]
    if words & _EDIT:
        return [Touch("edit", path, _edit_detail(arguments)) for path in paths]
    if words & _READ:
        return [Touch("read", path) for path in paths]
    return []


def _edit_detail(arguments: Mapping[str, Any]) -> str:
    pairs = [arguments]
    edits = arguments.get("edits")
    if isinstance(edits, list):
        pairs += [
            {_plain_key(str(key)): value for key, value in edit.items()}
            for edit in edits[:_MAX_ENTRIES]
            if isinstance(edit, Mapping)
        ]
    details = (text_detail(first_of(pair, _NEW_KEYS), first_of(pair, _OLD_KEYS)) for pair in pairs)
    return next((detail for detail in details if detail), "")
