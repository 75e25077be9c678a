"""Entries about files: what happened to each, and the newest things that changed in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.artifacts.operations import FileState, file_operations, file_states
from pytest_compaction.conversation.messages import Message
from pytest_compaction.models.offline.entry import FILE_LINE, Entry
from pytest_compaction.text import clipped, is_definition

_DETAIL_CHARACTERS: Final = 60
_DETAILS: Final = 2
_WORTH: Final = {"read": 1.0, "modified": 3.0}
_LARGEST: Final = 4.0
_PASSED: Final = 2.0
_PASSING: Final = re.compile(r"\.git/|/tmp/|/var/|.*\.(?:tmp|log|pyc)$")
"""Files that only served for a moment."""
_RENAMED: Final = re.compile(r"renamed from (\S+)")


def file_entries(messages: Sequence[Message]) -> Iterator[Entry]:
    """One entry for each file that something happened to."""
    place = {message.id: order for order, message in enumerate(messages)}
    for state in file_states(file_operations(messages)):
        if state.touched:
            yield file_entry(state, max((place.get(id, 0) for id in state.message_ids), default=0))


def file_entry(state: FileState, order: int) -> Entry:
    """One line about a file, with what was defined in it last; values are entries of their own."""
    what = ["created"] if state.created else []
    what += [f"renamed from {state.renamed_from}"] if state.renamed_from else []
    what += ["modified"] if state.modified and not state.created else []
    what += ["deleted"] if state.deleted else []
    telling = [detail for detail in state.details if is_definition(detail)]
    details = "; ".join(clipped(detail, _DETAIL_CHARACTERS) for detail in telling[-_DETAILS:])
    return _entry(state.path, what or ["read"], details, order)


def carried_file(text: str, order: int) -> Entry | None:
    """The entry of a line of an earlier summary, ``None`` if it is not about a file."""
    match = FILE_LINE.match(text)
    if match is None:
        return None
    return _entry(match["path"], match["what"].split(", "), match["details"] or "", order)


def merged_files(entries: Iterable[Entry]) -> list[Entry]:
    """One entry for each path, with all that happened to it and the newest details."""
    merged: dict[str, Entry] = {}
    for entry in entries:
        before = merged.pop(entry.subject, None)
        merged[entry.subject] = entry if before is None else _united(before, entry)
    for entry in list(merged.values()):
        old = _RENAMED.search(entry.text)
        gone = merged.pop(old[1].rstrip(","), None) if old else None
        if gone is not None and "created" in _what(gone):
            merged[entry.subject] = _united(gone, entry, path=entry.subject)
    return list(merged.values())


def _united(earlier: Entry, later: Entry, path: str = "") -> Entry:
    verbs = dict.fromkeys([*_what(earlier), *_what(later)])
    if "created" in verbs:
        verbs.pop("modified", None)
    if _what(later) != ["deleted"] and "deleted" in verbs:
        verbs.pop("deleted")
    if len(verbs) > 1:
        verbs.pop("read", None)
    entry = _entry(path or later.subject, list(verbs), later.detail or earlier.detail, later.order)
    return replace(entry, worth=max(entry.worth, later.worth))


def _what(entry: Entry) -> list[str]:
    match = FILE_LINE.match(entry.text)
    return match["what"].split(", ") if match else []


def _entry(path: str, what: Sequence[str], details: str, order: int) -> Entry:
    text = f"`{path}` {', '.join(what)}"
    worth = _WORTH.get(what[0], _LARGEST) if len(what) == 1 else _LARGEST
    if _PASSING.match(path) or {"created", "deleted"} <= set(what):
        worth = _PASSED
    return Entry("file", text, worth, order, subject=path, detail=details)
