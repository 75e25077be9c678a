"""The files that exist, as far as a log shows, to tell created files from modified ones."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fnmatch import translate
from typing import Final

from pytest_compaction.artifacts.file_states import EVERY_PATH, FileOperation, Operation
from pytest_compaction.artifacts.shell.programs import EVERYTHING, Effect
from pytest_compaction.artifacts.touches import Touch

_REPLACED: Final = re.compile(
    r"\boverwr|\bupdated\b(?! content)|\breplaced\b|\bmodified\b|existing file", re.I
)
_WAS_THERE: Final = re.compile(r"\boverwr|existing file|already exist", re.I)
"""What contradicts a patch that adds a file; "updated" is said of the whole patch."""
_NEW_FILE: Final = re.compile(r"\bcreated\b|\bnew file\b", re.I)
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
        if effect.made:
            yield from self._made(effect, outcome)
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

    def _made(self, effect: Effect, outcome: EditOutcome) -> Iterator[FileOperation]:
        """A folder that was deleted and made again is not gone."""
        if effect.made in self._gone and outcome.succeeded:
            self._gone.discard(effect.made)
            done = FileOperation(effect.made, "restored", outcome.message_id, folder=True)
            yield replace(done, certain=effect.certain and outcome.certain)

    def _touched(
        self, touch: Touch, effect: Effect, outcome: EditOutcome
    ) -> Iterator[FileOperation]:
        path, sure = self._target(touch)
        operation = self._operation(touch, path, outcome.said)
        detail = touch.old_path if operation == "renamed" else touch.detail
        done = FileOperation(
            path,
            operation,
            outcome.message_id,
            detail,
            outcome.succeeded,
            sure and effect.certain and outcome.certain,
        )
        if operation in {"deleted", "renamed"}:
            yield from self._removed(done, effect)
        else:
            yield replace(done, folder=effect.folder and path not in self._seen)

    def _target(self, touch: Touch) -> tuple[str, bool]:
        """The path where a touch ends, and whether that is certain.

        A move or copy to a folder ends inside it. The log does not tell whether ``lib``
        in ``mv a.py lib`` is a folder if no call has shown it.
        """
        path = touch.path
        if touch.verb not in {"rename", "write"} or not touch.old_path:
            return path, True
        name = posixpath.basename(touch.old_path)
        if path in self._below:
            return posixpath.join(path, name), True
        open_ended = bool(_suffix(name)) and not _suffix(posixpath.basename(path))
        return path, path in self._seen or not open_ended

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
        if touch.verb == "read":
            return "read"
        if touch.verb == "delete":
            return "deleted"
        if touch.verb == "rename":
            return "renamed"
        if touch.verb == "restore":
            return "restored"
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
