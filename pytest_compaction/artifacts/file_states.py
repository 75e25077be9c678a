"""The state of each file after a log, from the operations of its tool calls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal

Operation = Literal["created", "modified", "read", "deleted", "renamed", "restored"]

EVERY_PATH: Final = "."
"""The path of an operation that may have affected any file."""


@dataclass(frozen=True, slots=True)
class FileOperation:
    """One thing that one tool call did to one file.

    ``path`` is as the call names it, cleaned. ``detail`` says briefly what changed, in
    the words of the call; for a rename it is the old path. ``succeeded`` is false if the
    result is missing or reports a failure. ``certain`` is false if the log does not tell
    whether it was done, or whether to this path; that is independent of ``succeeded``.
    ``folder`` says that the path may be a folder.
    """

    path: str
    operation: Operation
    message_id: str
    detail: str = ""
    succeeded: bool = True
    certain: bool = True
    folder: bool = False


@dataclass(frozen=True, slots=True)
class FileState:
    """The state of one file after a log; ``renamed_from`` is its first name.

    Changes that were undone by restoring the file from git do not count. ``deleted`` says
    that it was gone at the end. ``details`` are those of the changes, in order, without
    repetition. ``certain`` is false if something may have happened to the file and the
    log does not tell whether it did. ``folder`` says that the path may be a folder.
    """

    path: str
    created: bool
    modified: bool
    read: bool
    deleted: bool
    renamed_from: str
    details: tuple[str, ...]
    message_ids: tuple[str, ...]
    certain: bool = True
    folder: bool = False

    @property
    def touched(self) -> bool:
        """Whether anything happened to the file that was not undone."""
        return bool(self.created or self.modified or self.read or self.deleted or self.renamed_from)


def file_states(operations: Iterable[FileOperation]) -> list[FileState]:
    """One state per file, by first touch. Renames are followed; failed operations do not count.

    An absolute path and a relative one that is its suffix are the same file when
    no other file could be meant.
    """
    merged = _MergedFiles()
    for operation in operations:
        if operation.succeeded:
            merged.add(operation)
        if not operation.certain:
            merged.doubt(operation)
    return [record.frozen(merged.doubted_at) for record in merged.records]


@dataclass(slots=True)
class _Record:
    path: str
    created: bool = False
    modified: bool = False
    read: bool = False
    deleted: bool = False
    renamed_from: str = ""
    details: dict[str, None] = field(default_factory=dict)
    message_ids: dict[str, None] = field(default_factory=dict)
    folder: bool = False
    doubtful: bool = False
    seen_at: int = 0

    def add(self, operation: FileOperation, number: int) -> None:
        kind = operation.operation
        self.created |= kind == "created"
        self.modified |= kind == "modified"
        self.read |= kind == "read"
        self.deleted = kind == "deleted"
        if kind == "restored":
            self.modified = False
            self.details.clear()
        elif kind == "renamed":
            first = self.renamed_from or operation.detail
            self.renamed_from = "" if first == operation.path else first
            self.path = operation.path
        elif kind in {"created", "modified"} and operation.detail:
            self.details[operation.detail] = None
        self.message_ids[operation.message_id] = None
        self.folder |= operation.folder
        self._settle(operation, number)

    def _settle(self, operation: FileOperation, number: int) -> None:
        """A certain operation ends doubts, but a read does so only if the file was not changed."""
        changed = self.modified and not self.created
        if operation.certain and not (operation.operation == "read" and changed):
            self.doubtful = False
            self.seen_at = number

    def frozen(self, doubted_at: int) -> FileState:
        """The state, given the number of the operation that last put all files in doubt."""
        return FileState(
            self.path,
            self.created,
            self.modified,
            self.read,
            self.deleted,
            self.renamed_from,
            tuple(self.details),
            tuple(self.message_ids),
            not self.doubtful and self.seen_at >= doubted_at,
            self.folder,
        )


class _MergedFiles:
    """Records by path; an absolute path is also found by its relative suffixes."""

    def __init__(self) -> None:
        self.records: list[_Record] = []
        self.doubted_at = 0
        self._number = 0
        self._by_path: dict[str, _Record] = {}
        self._by_suffix: dict[str, _Record | None] = {}

    def doubt(self, operation: FileOperation) -> None:
        """Take in an operation that may or may not have happened."""
        self._number += 1
        if operation.path == EVERY_PATH:
            self.doubted_at = self._number
            return
        for path in (
            {operation.path, operation.detail}
            if operation.operation == "renamed"
            else {operation.path}
        ):
            record = self._find(path)
            if record is not None:
                record.doubtful = True

    def add(self, operation: FileOperation) -> None:
        self._number += 1
        name = operation.detail if operation.operation == "renamed" else operation.path
        record = self._find(name)
        if record is None and operation.operation == "restored":
            return
        if record is None:
            record = _Record(name)
            self.records.append(record)
        self._register(name, record)
        record.add(operation, self._number)
        if operation.operation == "renamed":
            self._by_path.pop(name, None)
            self._by_path[operation.path] = record

    def _find(self, path: str) -> _Record | None:
        if path in self._by_path:
            return self._by_path[path]
        if not path.startswith("/"):
            return self._by_suffix.get(path)
        return next(
            (self._by_path[suffix] for suffix in _suffixes(path) if suffix in self._by_path), None
        )

    def _register(self, path: str, record: _Record) -> None:
        if path in self._by_path:
            return
        self._by_path[path] = record
        if path.startswith("/"):
            for suffix in _suffixes(path):
                other = self._by_suffix.setdefault(suffix, record)
                if other is not record:
                    self._by_suffix[suffix] = None


def _suffixes(path: str) -> list[str]:
    """Relative suffixes of an absolute path with at least two components, longest first."""
    parts = [part for part in path.split("/") if part][-20:]
    return ["/".join(parts[index:]) for index in range(1, len(parts) - 1)]
