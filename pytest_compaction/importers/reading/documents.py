"""JSON files: whole documents, lines of JSON, and the values in a cut beginning of a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_compaction.importers.protocol import ImportFormatError
from pytest_compaction.importers.reading import streamed
from pytest_compaction.importers.reading.jsonl import MAX_LINE_BYTES, cleaned, parsed, raw_lines

_CLOSING: Final = {"{": "}", "[": "]"}


class PlacedValue(NamedTuple):
    """A JSON value of a file, and its place in the file for error messages."""

    place: str
    value: Any


def read_document(path: Path) -> Any:
    """The one JSON value of a file.

    Lone surrogates become U+FFFD. If the file is larger than :data:`~.streamed.LARGE_BYTES`,
    its long arrays stay in the file; :func:`~.streamed.is_list` recognises both kinds of
    array. Raises :class:`ImportFormatError` for anything that is not JSON in UTF-8.
    """
    try:
        if path.stat().st_size > streamed.LARGE_BYTES:
            return streamed.streamed_document(path)
        raw = path.read_bytes()
    except OSError as error:
        raise ImportFormatError(f"{path}: {error.strerror or error}") from None
    return parsed(raw, f"{path}", "fix the file")


def json_values(path: Path) -> Iterator[PlacedValue]:
    """The JSON values of a file: one per line, or a single document.

    A file is read as lines if its first line is a complete value and more lines follow.
    Raises :class:`ImportFormatError`.
    """
    if not _is_lines(path):
        yield PlacedValue(str(path), read_document(path))
        return
    for number, raw in raw_lines(path):
        place = f"{path}, line {number}"
        yield PlacedValue(place, parsed(raw, place, "fix or remove the line"))


def _is_lines(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            first = file.readline(MAX_LINE_BYTES + 1)
            if len(first) > MAX_LINE_BYTES:
                return False
            rest = iter(lambda: file.readline(MAX_LINE_BYTES), b"")
            several = any(line.strip() for line in rest)
            return several and _loaded(first.decode("utf-8-sig", "replace")) is not None
    except OSError as error:
        raise ImportFormatError(f"{path}: {error.strerror or error}") from None


def head_values(head: str, most: int = 20) -> list[Any]:
    """The values in the beginning of a file: its first lines, or its cut-off document.

    Reads at most ``most`` lines. Values that are still open where a document is cut off
    are closed there.
    """
    lines = [line for line in head.split("\n") if line.strip()][:most]
    if len(lines) > 1:
        values = [value for value in map(_loaded, lines) if value is not None]
        if values and _loaded(lines[0]) is not None:
            return values
    whole = _loaded(head)
    value = whole if whole is not None else _loaded(_closed(head))
    return [] if value is None else [value]


def _loaded(text: str) -> Any:
    try:
        return cleaned(json.loads(text))
    except (ValueError, RecursionError):
        return None


def _closed(head: str) -> str:
    """The text up to its last complete element, followed by the missing closing brackets."""
    opened: list[str] = []
    safe = 0
    inside, key, position = False, False, 0
    while position < len(head):
        character = head[position]
        if inside:
            if character == "\\":
                position += 1
            elif character == '"':
                inside = False
        elif character == '"':
            inside, key = True, _is_key(head, position, opened)
        elif character in _CLOSING:
            opened.append(_CLOSING[character])
            safe = position + 1
        elif character in "}]" and opened:
            opened.pop()
            safe = position + 1
        elif character == ",":
            safe = position
        position += 1
    closing = "".join(reversed(opened))
    if inside and not key:
        return _without_cut_escape(head) + '"' + closing
    return head[:safe] + closing


def _is_key(head: str, position: int, opened: list[str]) -> bool:
    before = position - 1
    while before >= 0 and head[before].isspace():
        before -= 1
    return bool(opened) and opened[-1] == "}" and (before < 0 or head[before] != ":")


def _without_cut_escape(head: str) -> str:
    start = head.rfind("\\", len(head) - 6)
    if start < 0:
        return head
    while start > 0 and head[start - 1] == "\\":
        start -= 1
    return head[:start]
