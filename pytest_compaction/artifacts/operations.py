"""What the tool calls of a conversation did: to files, and which commands were run.

Calls of any agent are recognised by name patterns and argument keys (see
``tool_calls``) and shell commands by their words (see ``shell_commands``). What
cannot be told from the log is not claimed.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from pytest_compaction.artifacts.tool_calls import call_touches, shell_script
from pytest_compaction.artifacts.touches import Touch
from pytest_compaction.conversation import Message, ToolCall, ToolResult, groups

Operation = Literal["created", "modified", "read", "deleted", "renamed", "restored"]

INTERRUPTED: Final = "[interrupted: no result was recorded]"
"""The result that an importer gives to a call whose result the transcript lacks."""

_HEAD: Final = 400
_EXIT_CODE: Final = re.compile(
    r"exit(?:ed with)?[ _]?(?:code|status)?\"?:?\s{0,2}([1-9]\d{0,2})\b", re.I
)
_FAILURE: Final = re.compile(
    r"\s*(?:<[\w-]{1,30}>\s*)?(?:\w{0,30}error\b|failed\b|failure\b|enoent\b|traceback\b"
    r"|could not\b|cannot\b|invalid\b|file not found|no such file"
    r"|no (?:match|replacement|changes)\b"
    r"|(?:the )?(?:old|file|path|text)[\w ]{0,40}(?:not found|does not exist|did not appear))",
    re.I,
)
_REPLACED: Final = re.compile(r"\boverwr|\bupdated\b|\breplaced\b|\bmodified\b|existing file", re.I)
_NEW_FILE: Final = re.compile(r"\bcreated\b|\bnew file\b", re.I)
_ERROR_LINE: Final = re.compile(
    r"no such file|cannot |permission denied|^fatal:|not found|is a directory|does not exist", re.I
)
_LIST: Final = re.compile(r"&&|;|\n|\|")
_MAX_ERROR_LINES: Final = 50
_MAX_OUTPUT_LINES: Final = 5_000


@dataclass(frozen=True, slots=True)
class Invocation:
    """A tool call with the message that made it and the result that answered it, if any did."""

    message_id: str
    call: ToolCall
    result: ToolResult | None

    @property
    def output(self) -> str:
        """The text of the result; empty without one."""
        return self.result.text if self.result else ""


@dataclass(frozen=True, slots=True)
class FileOperation:
    """One thing that one tool call did to one file.

    ``path`` is as the call names it, cleaned. ``detail`` says shortly what
    changed, in the words of the call; for a rename it is the old path.
    ``succeeded`` is false when the result is missing or says that it failed.
    """

    path: str
    operation: Operation
    message_id: str
    detail: str = ""
    succeeded: bool = True


@dataclass(frozen=True, slots=True)
class FileState:
    """What became of one file over a log; ``renamed_from`` is its first name.

    What was taken back by restoring the file from git does not count.
    ``deleted`` says that it was gone at the end; ``details`` are those of the
    changes, in order, without repetition.
    """

    path: str
    created: bool
    modified: bool
    read: bool
    deleted: bool
    renamed_from: str
    details: tuple[str, ...]
    message_ids: tuple[str, ...]

    @property
    def touched(self) -> bool:
        """Whether anything is left to tell: a change that was taken back is not."""
        return bool(self.created or self.modified or self.read or self.deleted or self.renamed_from)


@dataclass(frozen=True, slots=True)
class Command:
    """A shell command that was run, and what it printed."""

    text: str
    message_id: str
    output: str
    failed: bool


def invocations(messages: Sequence[Message]) -> Iterator[Invocation]:
    """Every tool call with its result, in log order."""
    for start, end in groups(messages):
        results: dict[str, ToolResult] = {}
        for message in messages[start + 1 : end]:
            for result in message.results:
                results.setdefault(result.call_id, result)
        for call in messages[start].calls:
            yield Invocation(messages[start].id, call, results.get(call.id))


def commands(messages: Sequence[Message]) -> list[Command]:
    """The shell commands that were run, in log order."""
    found: list[Command] = []
    for invocation in invocations(messages):
        script = shell_script(invocation.call)
        if script is not None:
            failed = _call_failed(invocation) or bool(_EXIT_CODE.search(_edges(invocation.output)))
            found.append(Command(script, invocation.message_id, invocation.output, failed))
    return found


def file_operations(
    messages: Sequence[Message], earlier: Iterable[FileOperation] = ()
) -> list[FileOperation]:
    """What the tool calls did to files, in log order; what is not recognised is left out.

    ``earlier`` are the operations of the log before these messages: a file that was
    seen there and is written here was modified, not created.
    """
    files = _KnownFiles()
    for operation in earlier:
        files.note(operation)
    found: list[FileOperation] = []
    for invocation in invocations(messages):
        touches = call_touches(invocation.call)
        if not touches:
            continue
        script = shell_script(invocation.call)
        unknown = invocation.result is None or invocation.output == INTERRUPTED
        whole = script is None or (len(touches) == 1 and not _LIST.search(script))
        lost = unknown or (whole and _call_failed(invocation))
        errors = "" if script is None or lost else _error_lines(invocation.output)
        for touch in touches:
            name = posixpath.basename((touch.old_path or touch.path).rstrip("/"))
            succeeded = not lost and not (errors and name in errors)
            found.append(files.apply(touch, invocation, succeeded))
    return found


def file_states(operations: Iterable[FileOperation]) -> list[FileState]:
    """One state a file, by first touch; renames are followed; failed operations do not count.

    An absolute path and a relative one that is its suffix are the same file when
    no other file could be meant.
    """
    merged = _MergedFiles()
    for operation in operations:
        if operation.succeeded:
            merged.add(operation)
    return [record.frozen() for record in merged.records]


def _call_failed(invocation: Invocation) -> bool:
    result = invocation.result
    if result is None or result.is_error or result.text == INTERRUPTED:
        return True
    return len(result.text) < _HEAD and bool(_FAILURE.match(result.text))


def exit_code(output: str) -> int | None:
    """The exit code that an output names at its beginning or end, unless it is 0."""
    found = _EXIT_CODE.findall(_edges(output))
    return int(found[-1]) if found else None


def _edges(output: str) -> str:
    return output if len(output) <= 2 * _HEAD else f"{output[:_HEAD]}\n{output[-_HEAD:]}"


def _error_lines(output: str) -> str:
    lines = output[:1_000_000].splitlines()[:_MAX_OUTPUT_LINES]
    found = [line[:500] for line in lines if len(line) < 2_000 and _ERROR_LINE.search(line)]
    return "\n".join(found[:_MAX_ERROR_LINES])


class _KnownFiles:
    """Which files exist as far as the log has shown: what tells created from modified."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._folders: set[str] = set()

    def apply(self, touch: Touch, invocation: Invocation, succeeded: bool) -> FileOperation:
        path = touch.path
        if touch.verb == "rename" and path in self._folders:
            path = posixpath.join(path, posixpath.basename(touch.old_path))
        operation = self._operation(touch, path, invocation.output[:_HEAD])
        detail = touch.old_path if operation == "renamed" else touch.detail
        done = FileOperation(path, operation, invocation.message_id, detail, succeeded)
        self.note(done)
        return done

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
            return (
                "modified" if _REPLACED.search(said) and not _NEW_FILE.search(said) else "created"
            )
        return "created" if touch.verb == "edit" and _NEW_FILE.search(said) else "modified"

    def note(self, done: FileOperation) -> None:
        """Take in what an operation says about which files exist; a failed one says nothing."""
        path = done.path
        if not done.succeeded or done.operation == "restored":
            return
        if done.operation == "deleted":
            self._seen.discard(path)
            return
        if done.operation == "renamed":
            self._seen.discard(done.detail)
        self._seen.add(path)
        folder = posixpath.dirname(path)
        while folder and folder not in self._folders and folder != "/":
            self._folders.add(folder)
            folder = posixpath.dirname(folder)


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

    def add(self, operation: FileOperation) -> None:
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

    def frozen(self) -> FileState:
        return FileState(
            self.path,
            self.created,
            self.modified,
            self.read,
            self.deleted,
            self.renamed_from,
            tuple(self.details),
            tuple(self.message_ids),
        )


class _MergedFiles:
    """Records by path; an absolute path is also found by its relative suffixes."""

    def __init__(self) -> None:
        self.records: list[_Record] = []
        self._by_path: dict[str, _Record] = {}
        self._by_suffix: dict[str, _Record | None] = {}

    def add(self, operation: FileOperation) -> None:
        name = operation.detail if operation.operation == "renamed" else operation.path
        record = self._find(name)
        if record is None and operation.operation == "restored":
            return
        if record is None:
            record = _Record(name)
            self.records.append(record)
        self._register(name, record)
        record.add(operation)
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
