"""The contents of files, as far as a log shows what was written, read and edited.

For strategies whose originals read files from disk again after a compaction. Only file
tools are followed: once a shell command changes a file, its contents are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_compaction.artifacts import (
    INTERRUPTED,
    Invocation,
    Touch,
    call_touches,
    invocations,
    shell_script,
)
from pytest_compaction.conversation import Message, TokenCounter
from pytest_compaction.text import is_definition

Contents = Mapping[str, str | None]
"""Contents by path, the file touched last at the end; ``None`` if unknown."""

MAX_CHARACTERS: Final = 200_000
"""Of a longer file only the path is kept."""

_CONTENT: Final = ("content", "contents", "filetext", "text", "code")
_OLD: Final = ("oldstring", "oldstr", "oldtext", "search")
_NEW: Final = ("newstring", "newstr", "newtext", "replace", "replacement")
_PART: Final = ("offset", "limit", "start", "end", "line", "range")
_LETTERS: Final = re.compile(r"[^a-z]")
_LINE_NUMBER: Final = re.compile(r"\s*(\d{1,7})(?:\t|→|\s*[|:]\s?)")
_MAX_LINE: Final = 200
LEAST_CUT_FILE: Final = 200
"""Characters that must be left for a file to be shown in part."""


def followed(files: Contents, messages: Sequence[Message], most: int) -> dict[str, str | None]:
    """The contents after the calls of ``messages``; at most the ``most`` files touched last."""
    now = dict(files)
    for touch, invocation, alone in _touches(messages):
        _apply(now, touch, invocation, alone)
    return dict(list(now.items())[-most:]) if most else {}


def modified(paths: Sequence[str], messages: Sequence[Message], most: int) -> list[str]:
    """The ``most`` files modified last, the newest at the end, after the calls of ``messages``.

    A file that was only read is not among them, nor one that was deleted since.
    """
    now = dict.fromkeys(paths)
    for touch, _, _ in _touches(messages):
        if touch.verb == "rename":
            now.pop(touch.old_path, None)
        if touch.verb == "read":
            continue
        now.pop(touch.path, None)
        if touch.verb != "delete":
            now[touch.path] = None
    return list(now)[-most:] if most else []


def _touches(messages: Sequence[Message]) -> Iterator[tuple[Touch, Invocation, bool]]:
    """Changes to files by the calls that succeeded, and whether a call did nothing else."""
    for invocation in invocations(messages):
        if not invocation.answered or invocation.output == INTERRUPTED:
            continue
        touches = call_touches(invocation.call)
        for touch in touches:
            yield touch, invocation, len(touches) == 1


def _apply(files: dict[str, str | None], touch: Touch, invocation: Invocation, alone: bool) -> None:
    path = touch.path
    known = files.get(path)
    in_shell = shell_script(invocation.call) is not None
    if touch.verb == "delete":
        files.pop(path, None)
        return
    if touch.verb == "rename":
        moved = files.pop(touch.old_path, None)
        files.pop(path, None)
        files[path] = moved
        return
    if in_shell and (touch.verb == "read" or path not in files):
        return
    arguments = {
        _LETTERS.sub("", key[:100].lower()): value
        for key, value in invocation.call.parsed().items()
    }
    content: str | None = None
    if touch.verb == "read":
        partly = any(word in key for key in arguments for word in _PART)
        content = known if known is not None and (partly or not alone) else invocation.output
        content = content if alone or known is not None else None
    elif touch.verb == "write" and alone and not in_shell:
        content = _first(arguments, _CONTENT)
    elif touch.verb == "edit" and known is not None and not in_shell:
        content = _edited(known, arguments)
    files.pop(path, None)
    files[path] = content if content is None or len(content) <= MAX_CHARACTERS else None


def _edited(text: str, arguments: Mapping[str, Any]) -> str | None:
    """The text with the replacements of a call; ``None`` unless each applies exactly once."""
    edits = arguments.get("edits")
    pairs = [arguments]
    if isinstance(edits, list):
        pairs = [
            {_LETTERS.sub("", str(key)[:100].lower()): value for key, value in edit.items()}
            for edit in edits
            if isinstance(edit, Mapping)
        ]
    for pair in pairs:
        old, new = _first(pair, _OLD), _first(pair, _NEW)
        if not old or new is None or text.count(old) != 1:
            return None
        text = text.replace(old, new)
    return text if pairs else None


def _first(arguments: Mapping[str, Any], keys: Sequence[str]) -> str | None:
    return next((arguments[key] for key in keys if isinstance(arguments.get(key), str)), None)


def signatures(text: str) -> list[str]:
    """The lines of a source text that define something, each with its number."""
    found: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        printed = _LINE_NUMBER.match(line)
        shown = line[printed.end() :] if printed else line
        if is_definition(shown.lstrip()):
            place = printed[1] if printed else str(number)
            found.append(f"{place} | {shown.rstrip()[:_MAX_LINE]}")
    return found


def folded_files(files: Contents, characters: int, limit: int, tokens: TokenCounter) -> str:
    """The definitions in the files touched last, newest first, within both limits.

    The first file that does not fit whole is cut if at least 200 characters are left for it.
    """
    text = ""
    for path, content in reversed(list(files.items())):
        lines = signatures(content or "")
        if not lines:
            continue
        block = "\n".join([f"## File: {path}", *lines])
        joined = f"{text}\n\n{block}" if text else block
        if len(joined) <= characters and tokens.text(joined) <= limit:
            text = joined
            continue
        if characters - len(text) >= LEAST_CUT_FILE:
            text = _with_part(text, block, characters, limit, tokens)
        break
    return text


def _with_part(text: str, block: str, characters: int, limit: int, tokens: TokenCounter) -> str:
    """The text and as many lines of the block as fit; the text alone if fewer than two fit."""
    lines = block.splitlines()
    for count in range(len(lines) - 1, 1, -1):
        part = "\n".join([*lines[:count], "…"])
        joined = f"{text}\n\n{part}" if text else part
        if len(joined) <= characters and tokens.text(joined) <= limit:
            return joined
    return text
