"""Where an agent can read again what a log holds: the files and commands of its tool calls."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from pytest_compaction.artifacts.known_files import FileOperation, may_be_same
from pytest_compaction.artifacts.operations import file_operations
from pytest_compaction.artifacts.tool_calls import (
    call_touches,
    named_paths,
    shell_script,
    without_old_text,
)
from pytest_compaction.artifacts.trail import telling_commands
from pytest_compaction.conversation import Message, ToolCall, groups

_WRITING: Final = frozenset({"write", "edit", "append"})


@dataclass(frozen=True, slots=True)
class Places:
    """Files and commands with which something can be read again."""

    paths: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A call that wrote to files: without the text that it replaced, and the files."""

    call: Message
    places: Places


class LogPlaces:
    """Where the messages of one log can be read again. Each file is followed through the log."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages
        self._position = {message.id: number for number, message in enumerate(messages)}

    def of_results(self, id: str, until: int) -> Places:
        """Where to read again what the tool results in a message say."""
        paths: list[str] = []
        commands: list[str] = []
        for begin, call in self._answered.get(id, ()):
            script = shell_script(call)
            if script is not None:
                commands += [script, *telling_commands(script)]
            paths += self._left(_paths_of(call), begin, until)
        return Places(tuple(dict.fromkeys(paths)), tuple(dict.fromkeys(commands)))

    def of_written(self, id: str, until: int) -> Iterator[WrittenText]:
        """The writes of each call of a message to files that are left."""
        begin = self._position.get(id)
        if begin is None:
            return
        for call in self._messages[begin].calls:
            written = [touch.path for touch in call_touches(call) if touch.verb in _WRITING]
            left = tuple(self._left(written, begin, until))
            if left:
                kept = without_old_text(call)
                yield WrittenText(Message(id, "assistant", (kept,)), Places(left))

    @cached_property
    def _answered(self) -> dict[str, list[tuple[int, ToolCall]]]:
        """The calls that the results of a message answer, and where they were made."""
        found: dict[str, list[tuple[int, ToolCall]]] = {}
        for begin, end in groups(self._messages):
            calls = {call.id: call for call in self._messages[begin].calls}
            for message in self._messages[begin + 1 : end]:
                for result in message.results:
                    if result.call_id in calls:
                        found.setdefault(message.id, []).append((begin, calls[result.call_id]))
        return found

    @cached_property
    def _operations(self) -> dict[str, list[tuple[int, FileOperation]]]:
        """The certain operations on files, by the name of the file without its folder."""
        found: dict[str, list[tuple[int, FileOperation]]] = {}
        for operation in file_operations(self._messages):
            if operation.succeeded and operation.certain:
                at = self._position[operation.message_id]
                old = operation.detail if operation.operation == "renamed" else operation.path
                for name in {posixpath.basename(old), posixpath.basename(operation.path)}:
                    found.setdefault(name, []).append((at, operation))
        return found

    def _left(self, paths: Sequence[str], begin: int, until: int) -> Iterator[str]:
        """The files as they are named at the end, without those that are gone."""
        for path in dict.fromkeys(paths):
            name = self._name_at_end(path, begin, until)
            if name is not None:
                yield name

    def _name_at_end(self, path: str, begin: int, until: int) -> str | None:
        there = True
        position = begin
        while position <= until:
            for at, done in self._operations.get(posixpath.basename(path), ()):
                if not position <= at <= until:
                    continue
                renamed = done.operation == "renamed"
                if renamed and may_be_same(done.detail, path):
                    path, position, there = done.path, at + 1, True
                    break
                if may_be_same(done.path, path):
                    there = done.operation != "deleted"
            else:
                break
        return path if there else None


def _paths_of(call: ToolCall) -> list[str]:
    """The files of a call, and folders whose names are not words like any other."""
    touched = [touch.path for touch in call_touches(call)]
    return touched + [path for path in named_paths(call) if "/" in path or "." in path]
