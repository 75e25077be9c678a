"""The trail of artifacts: what the tool calls of a whole log did, kept without the log."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from pytest_compaction.artifacts.known_files import FileOperation, FileState, file_states
from pytest_compaction.artifacts.operations import (
    Command,
    Invocation,
    commands,
    file_operations,
    invocations,
)
from pytest_compaction.artifacts.outputs import error_kind, error_texts
from pytest_compaction.artifacts.outputs import test_summary as summary_of_tests
from pytest_compaction.artifacts.shell_effects import command_words
from pytest_compaction.artifacts.tool_calls import shell_script
from pytest_compaction.conversation import Message, groups, pending_calls
from pytest_compaction.conversation.formats.chat import from_chat, to_chat

MAX_RUNS: Final = 300
MAX_ERRORS: Final = 300
MAX_COMMAND_CHARACTERS: Final = 120
ASSERTION: Final = "AssertionError"
_FAILED_TESTS: Final = re.compile(r"\b[1-9]\d* (?:failed|errors?|FAIL)\b|\bFAILED\b|\bfail [1-9]")
_SILENT: Final = frozenset(
    """cd echo printf export set unset source . grep rg cat head tail less more ls find awk nl wc
    sort uniq cut tr xargs pwd which type stat file du df date true false test [ sleep for do done
    if then elif else fi while case esac { } ( ) sed perl mv cp rm mkdir rmdir touch ln chmod tee
    tree diff jq curl wget code open kill ps exit return local read wait""".split()
)
"""Programs that only show or move files, and words of the shell.

The state of the files already tells what they did. Their output is what they were asked
to show, not an error; an error of their own begins with their name.
"""
_SILENT_GIT: Final = frozenset(
    """diff show log grep blame status branch remote ls-files rev-parse add rm mv checkout restore
    switch fetch config update-index""".split()
)
_SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash", "/bin/bash", "/bin/sh"})
_OF_GIT: Final = frozenset({"error", "fatal", "git"})
_ASSIGNMENT: Final = re.compile(r"\w+=")
_CHANGING: Final = re.compile(
    r"git (?:commit|push|merge|rebase|tag|revert|cherry-pick|stash|reset)\b"
    r"|(?:pip3?|uv|poetry|npm|pnpm|yarn|cargo|go|apt|apt-get|brew|conda|gem|bundle|python3? -m pip)"
    r" (?:install|add|remove|uninstall|update|upgrade|get|sync|publish|ci|i)\b"
    r"|(?:docker|docker-compose|kubectl|terraform|helm|alembic|systemctl)\s"
)
"""Commands that change something beyond the files that are tracked anyway."""


@dataclass(frozen=True, slots=True)
class CommandRun:
    """A command that was run ``times`` times; ``failed`` and ``tests`` are of the last run."""

    text: str
    times: int
    failed: bool
    tests: str = ""

    @property
    def changing(self) -> bool:
        """Whether it changes something beyond the files that are tracked anyway."""
        return bool(_CHANGING.match(self.text))


@dataclass(frozen=True, slots=True)
class Trail:
    """Everything known so far; ``open`` is a last group of messages that still lacks results.

    ``runs`` are ordered by their last time, ``errors`` by when they were last
    printed; the newest 300 of each are kept.
    """

    operations: tuple[FileOperation, ...] = ()
    runs: tuple[CommandRun, ...] = ()
    tests: str = ""
    errors: tuple[str, ...] = ()
    open: tuple[Message, ...] = ()

    @property
    def files(self) -> list[FileState]:
        """The state of each file to which something happened, by first touch."""
        return [state for state in file_states(self.operations) if state.touched]

    def followed_by(self, new: Sequence[Message]) -> Trail:
        """The trail with the next messages of the log taken in."""
        messages = (*self.open, *new)
        ranges = groups(messages)
        closed = ranges[-1][0] if pending_calls(messages) else len(messages)
        done = messages[:closed]
        runs, tests = {run.text: run for run in self.runs}, self.tests
        for command in commands(done):
            for run in _runs_of(command):
                before = runs.pop(run.text, None)
                runs[run.text] = replace(run, times=before.times + 1) if before else run
                if run.tests:
                    tests = f"{run.tests} (`{run.text}`)"
        return Trail(
            _shortened((*self.operations, *file_operations(done, self.operations))),
            tuple(runs.values())[-MAX_RUNS:],
            tests,
            _errors_after(self.errors, done),
            messages[closed:],
        )

    def as_json(self) -> dict[str, Any]:
        """A JSON-serialisable form; :func:`trail_from_json` reads it back."""
        return {
            "operations": [asdict(operation) for operation in self.operations],
            "runs": [asdict(run) for run in self.runs],
            "tests": self.tests,
            "errors": list(self.errors),
            "open": to_chat(self.open, ids=True),
        }


def trail_from_json(data: Mapping[str, Any]) -> Trail:
    """The inverse of :meth:`Trail.as_json`."""
    return Trail(
        tuple(FileOperation(**item) for item in data["operations"]),
        tuple(CommandRun(**item) for item in data["runs"]),
        data["tests"],
        tuple(data["errors"]),
        from_chat(data["open"]),
    )


def _shortened(operations: Sequence[FileOperation]) -> tuple[FileOperation, ...]:
    """The operations without failed ones and without reads that were repeated later."""
    done = [op for op in operations if op.succeeded]
    last = {op.path: number for number, op in enumerate(done) if op.operation == "read"}
    return tuple(
        op for number, op in enumerate(done) if op.operation != "read" or last[op.path] == number
    )


def telling_commands(script: str) -> list[str]:
    """The simple commands of a script that are not silent, each on one line."""
    return [
        " ".join(shlex.join(words).split())[:MAX_COMMAND_CHARACTERS]
        for words in command_words(script)
        if not _silent(words)
    ]


def _silent(words: Sequence[str]) -> bool:
    if words[0] in _SILENT or _ASSIGNMENT.match(words[0]):
        return True
    if words[0] != "git":
        return False
    return len(words) < 2 or words[1] in _SILENT_GIT or list(words) == ["git", "tag"]


def _runs_of(command: Command) -> list[CommandRun]:
    kept = telling_commands(command.text)
    if not kept:
        return []
    tests = summary_of_tests(command.output) or ""
    tested = next((piece for piece in reversed(kept) if "test" in piece), kept[-1])
    failed = command.failed and len(kept) == 1
    return [
        CommandRun(piece, 1, failed, tests if piece == tested else "")
        for piece in dict.fromkeys(kept)
    ]


def _errors_after(earlier: Sequence[str], messages: Sequence[Message]) -> tuple[str, ...]:
    """The errors that still stand, one of each kind; failed assertions go when tests pass."""
    errors = {error_kind(text): text for text in earlier}
    failed = {command.message_id for command in commands(messages) if command.failed}
    for invocation in invocations(messages):
        for text in _errors_of(invocation, invocation.message_id in failed):
            errors.pop(error_kind(text), None)
            errors[error_kind(text)] = text
        tests = summary_of_tests(invocation.output)
        if tests and not _FAILED_TESTS.search(tests):
            errors = {kind: text for kind, text in errors.items() if ASSERTION not in text}
    return tuple(errors.values())[-MAX_ERRORS:]


def _errors_of(invocation: Invocation, failed: bool) -> Iterable[str]:
    """All errors in the output; of silent programs only those that begin with their name.

    If a script cannot be parsed, its programs are unknown, so that its errors count only
    if it failed. Of other calls only an error that is marked as one counts.
    """
    script, output = shell_script(invocation.call), invocation.output
    if invocation.result is None or script is None:
        marked = invocation.result is not None and invocation.result.is_error
        return error_texts(output, failed=True) if marked else ()
    programs = command_words(script)
    if not all(map(_silent, programs)):
        return error_texts(output, failed)
    if not failed:
        return ()
    names = {words[0] for words in programs} | _SHELLS
    if "git" in names:
        names |= _OF_GIT
    found = error_texts(output, failed)
    return (text for text in found if not programs or text.partition(":")[0] in names)
