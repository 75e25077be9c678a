"""The files that exist as far as a log shows, and the state of each after it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fnmatch import translate
from typing import Final, Literal

from pytest_compaction.artifacts.shell_effects import EVERYTHING, Effect
from pytest_compaction.artifacts.touches import Touch

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
    """One state per file, by first touch. Renames are followed; failed operations do not count."""
    merged = _MergedFiles()
    for operation in operations:
        if operation.succeeded:
            merged.add(operation)
        if not operation.certain:
            merged.doubt(operation)
    return [record.frozen(merged.doubted_at) for record in merged.records]


@dataclass(slots=True)
class _FileState:
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
        # A certain operation ends doubts, but a read does so only if the file was not changed.
        changed = self.modified and not self.created
        if operation.certain and not (kind == "read" and changed):
            self.doubtful = False
            self.seen_at = number

    def frozen(self, doubted_at: int) -> FileState:
        """The state, given the number of the operation that last put all files in doubt."""
        certain = not self.doubtful and self.seen_at >= doubted_at
        done = (self.created, self.modified, self.read, self.deleted, self.renamed_from)
        details, ids = tuple(self.details), tuple(self.message_ids)
        return FileState(self.path, *done, details, ids, certain, self.folder)


class _MergedFiles:
    """Records by path; an absolute path is also found by its relative suffixes."""

    def __init__(self) -> None:
        self.records: list[_FileState] = []
        self.doubted_at = 0
        self._number = 0
        self._by_path: dict[str, _FileState] = {}
        self._by_suffix: dict[str, _FileState | None] = {}

    def doubt(self, operation: FileOperation) -> None:
        """Take in an operation that may or may not have happened."""
        self._number += 1
        if operation.path == EVERY_PATH:
            self.doubted_at = self._number
            return
        old = operation.detail if operation.operation == "renamed" else operation.path
        for path in {operation.path, old}:
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
            record = _FileState(name)
            self.records.append(record)
        self._register(name, record)
        record.add(operation, self._number)
        if operation.operation == "renamed":
            self._by_path.pop(name, None)
            self._by_path[operation.path] = record

    def _find(self, path: str) -> _FileState | None:
        if path in self._by_path:
            return self._by_path[path]
        if not path.startswith("/"):
            return self._by_suffix.get(path)
        return next(
            (self._by_path[suffix] for suffix in _suffixes(path) if suffix in self._by_path), None
        )

    def _register(self, path: str, record: _FileState) -> None:
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


_REPLACED: Final = re.compile(
    r"\boverwr|\bupdated\b(?! content)|\breplaced\b|\bmodified\b|existing file", re.I
)
_WAS_THERE: Final = re.compile(r"\boverwr|existing file|already exist", re.I)
"""Results that contradict a patch that adds a file; "updated" is said of the whole patch."""
_NEW_FILE: Final = re.compile(r"\bcreated\b|\bnew file\b", re.I)
_DONE: Final[dict[str, Operation]] = {
    "read": "read",
    "delete": "deleted",
    "rename": "renamed",
    "restore": "restored",
}
"""The operation of a verb, whatever the log says of the file."""
_MAX_SWEPT: Final = 300
"""With more files than this, a pattern puts all of them in doubt, not only those that fit it."""
_LONGEST_PATTERN: Final = 1000
"""A pattern of more characters does so as well; to read one takes longer than it is long."""
_MAX_NAMESAKES: Final = 100


@dataclass(frozen=True, slots=True)
class EditOutcome:
    """The result of a call: its message, its beginning, and whether the call did its work."""

    message_id: str
    said: str
    succeeded: bool
    certain: bool = True


class KnownFiles:
    """The files that calls have touched and left in place, and the folders above them."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._below: dict[str, set[str]] = {}
        self._named: dict[str, set[str]] = {}
        self._folders: dict[str, set[str]] = {}
        self._gone: set[str] = set()

    def apply(self, effect: Effect, outcome: EditOutcome) -> Iterator[FileOperation]:
        """The operations that an effect amounts to, given the result of its call."""
        known = effect.touch is not None and effect.touch.path in self._seen
        if effect.unsettled and not (effect.touch is not None and known):
            yield from self._swept(effect.unsettled, outcome)
        if effect.made in self._gone and outcome.succeeded:
            # A folder that was deleted and made again is not gone.
            self._gone.discard(effect.made)
            done = FileOperation(effect.made, "restored", outcome.message_id, folder=True)
            yield replace(done, certain=effect.certain and outcome.certain)
        if effect.touch is not None:
            for done in self._touched(effect.touch, effect, outcome):
                self.note(done)
                yield done

    def _swept(self, pattern: str, outcome: EditOutcome) -> Iterator[FileOperation]:
        """Files that fit the pattern may be gone or unchanged, even if the command failed."""
        every = FileOperation(EVERY_PATH, "deleted", outcome.message_id, "", False, False)
        too_many = len(self._seen) > _MAX_SWEPT or len(pattern) > _LONGEST_PATTERN
        if pattern == EVERYTHING or too_many:
            yield every
            return
        fitting = re.compile(translate(pattern)).match
        below = re.compile(translate(pattern.rstrip("/") + "/*")).match
        for path in sorted(self._seen):
            if fitting(path) or below(path):
                yield replace(every, path=path)

    def _touched(
        self, touch: Touch, effect: Effect, outcome: EditOutcome
    ) -> Iterator[FileOperation]:
        path, sure = touch.path, True
        if touch.verb in {"rename", "write"} and touch.old_path:
            name = posixpath.basename(touch.old_path)
            if path in self._below:  # into a folder
                path = posixpath.join(path, name)
            else:
                open_ended = bool(_suffix(name)) and not _suffix(posixpath.basename(path))
                sure = path in self._seen or not open_ended
        operation = self._operation(touch, path, outcome.said)
        detail = touch.old_path if operation == "renamed" else touch.detail
        certain = sure and effect.certain and outcome.certain
        id = outcome.message_id
        done = FileOperation(path, operation, id, detail, outcome.succeeded, certain)
        if operation in {"deleted", "renamed"}:
            yield from self._removed(done, effect)
        else:
            yield replace(done, folder=effect.folder and path not in self._seen)

    def _removed(self, done: FileOperation, effect: Effect) -> Iterator[FileOperation]:
        """A deleted or renamed file, or all files below such a folder."""
        old = done.detail if done.operation == "renamed" else done.path
        below = sorted(self._files_below(old)) if old not in self._seen else []
        yield from self._mistakable(old, done)
        if old in self._seen:
            yield done
        elif below and done.operation == "renamed":
            for path in below:
                yield replace(done, path=done.path + path[len(old) :], detail=path)
        else:
            missing = effect.forced and not (below or self._named.get(posixpath.basename(old)))
            unknown = missing or (done.operation == "renamed" and not _suffix(old))
            folder = effect.folder or bool(below)
            yield replace(done, folder=folder, certain=done.certain and not unknown)
            for path in below:
                yield replace(done, path=path)
        if done.operation == "deleted" and done.succeeded:
            self._gone.add(old)

    def _mistakable(self, path: str, done: FileOperation) -> Iterator[FileOperation]:
        """Other known files that the path may mean, seen from another folder."""
        if path in self._seen:
            return
        name = posixpath.basename(path)
        files, folders = self._named.get(name, set()), self._folders.get(name, set())
        doubt = FileOperation(EVERY_PATH, "deleted", done.message_id, "", False, False)
        if len(files) + len(folders) > _MAX_NAMESAKES:
            yield doubt
            return
        meant = [other for other in files if same_end(other, path)]
        for folder in folders:
            if folder != path and same_end(folder, path):
                meant += self._files_below(folder)
        for other in sorted(meant):
            yield replace(doubt, path=other)

    def _operation(self, touch: Touch, path: str, said: str) -> Operation:
        if touch.verb in _DONE:
            return _DONE[touch.verb]
        if path in self._seen:
            return "modified"
        if touch.verb == "write":
            replaced = _WAS_THERE if touch.new else _REPLACED
            return "modified" if replaced.search(said) and not _NEW_FILE.search(said) else "created"
        return "created" if touch.verb == "edit" and _NEW_FILE.search(said) else "modified"

    def note(self, done: FileOperation) -> None:
        """Update the files that exist; a failed operation changes nothing."""
        path = done.path
        if not done.succeeded or done.operation == "restored":
            return
        if done.operation == "deleted":
            self._forget(path)
            return
        if done.operation == "renamed":
            self._forget(done.detail)
        if done.folder:
            return
        self._seen.add(path)
        self._named.setdefault(posixpath.basename(path), set()).add(path)
        child, folder = path, posixpath.dirname(path)
        while folder and folder != child and child not in self._below.get(folder, ()):
            self._below.setdefault(folder, set()).add(child)
            self._folders.setdefault(posixpath.basename(folder), set()).add(folder)
            child, folder = folder, posixpath.dirname(folder)

    def _forget(self, path: str) -> None:
        self._seen.discard(path)
        self._named.get(posixpath.basename(path), set()).discard(path)
        child, folder = path, posixpath.dirname(path)
        while child not in self._below and child in self._below.get(folder, ()):
            self._below[folder].discard(child)
            if self._below[folder]:
                return
            del self._below[folder]
            self._folders[posixpath.basename(folder)].discard(folder)
            child, folder = folder, posixpath.dirname(folder)

    def _files_below(self, folder: str) -> Iterator[str]:
        waiting = [folder]
        while waiting:
            for path in self._below.get(waiting.pop(), ()):
                if path in self._seen:
                    yield path
                if path in self._below:
                    waiting.append(path)


def _suffix(path: str) -> str:
    return posixpath.splitext(path)[1]


def same_end(one: str, other: str) -> bool:
    """Whether one path ends in the whole of the other, and may be the same file."""
    return one.endswith(f"/{other}") or other.endswith(f"/{one}")


def may_be_same(one: str, other: str) -> bool:
    """Whether two paths may name the same file."""
    return one == other or same_end(one, other)
