"""The tool calls of a conversation: what they did to files, and the commands that were run."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.artifacts.known_files import (
    EditOutcome,
    FileOperation,
    KnownFiles,
)
from pytest_compaction.artifacts.shell_effects import Effect, shell_effects
from pytest_compaction.artifacts.tool_calls import call_touches, shell_script
from pytest_compaction.artifacts.touches import Touch
from pytest_compaction.conversation import Message, ToolCall, ToolResult, groups

INTERRUPTED: Final = "[interrupted: no result was recorded]"
"""The result that an importer adds to a call whose result is missing in the transcript."""

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
_ERROR_LINE: Final = re.compile(
    r"no such file|cannot |permission denied|^fatal:|not found|is a directory|does not exist"
    r"|read-only file system|no space left|not permitted|not a directory|resource busy"
    r"|unrecognized option|invalid option|illegal option|file exists|did not match any",
    re.I,
)
_OWN_ERROR: Final = re.compile(
    r"(?:/(?:usr/)?bin/)?(?:bash|sh|zsh|dash|rm|mv|cp|sed|perl|git|touch|tee|mkdir|cd|cat)"
    r"(?: line \d+)?: |fatal: |error: "
)
"""How errors of the shell, of git or of programs that change files begin."""
_MISSING_PROGRAM: Final = re.compile(
    r"^(?>.*: command not found)(?!.*\b(?:rm|mv|cp|sed|perl|git|touch|tee|mkdir|cat): )"
)
_SYNTAX: Final = re.compile(
    r"syntax error near|unexpected (?:EOF|end of file)|unterminated quoted string"
)
_NOT_RUN: Final = re.compile(
    r"\b(?:rejected|denied by|declined|doesn't want to|not (?:allowed|permitted) to (?:run|use)"
    r"|not executed|not run|blocked by|requires? approval|aborted|cancell?ed|interrupted"
    r"|timed? ?out)\b",
    re.I,
)
_LIST: Final = re.compile(r"&&|;|\n|\|")
_REMOVING: Final = re.compile(r"^Removing (.{1,500})$", re.M)
_MAX_LISTED: Final = 100_000
_MAX_ERROR_LINES: Final = 50
_MAX_OUTPUT_LINES: Final = 5_000


@dataclass(frozen=True, slots=True)
class Invocation:
    """A tool call, the message that made it, and the result that answered it, if any."""

    message_id: str
    call: ToolCall
    result: ToolResult | None

    @property
    def output(self) -> str:
        """The text of the result; empty without one."""
        return self.result.text if self.result else ""

    @property
    def answered(self) -> bool:
        """Whether there is a result, and it is not marked as an error."""
        return self.result is not None and not self.result.is_error


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
    """The file operations of tool calls, in log order; calls not recognised are left out.

    ``earlier`` are the operations of the log before these messages: a file that was
    seen there and is written here was modified, not created.
    """
    files = KnownFiles()
    for operation in earlier:
        files.note(operation)
    found: list[FileOperation] = []
    for invocation in invocations(messages):
        script = shell_script(invocation.call)
        effects = shell_effects(script) if script is not None else []
        effects = effects or [Effect(touch) for touch in call_touches(invocation.call)]
        outcomes = _outcomes(invocation, effects)
        for effect in effects:
            # What git clean removed, if it lists that.
            gone = _REMOVING.findall(invocation.output[:_MAX_LISTED]) if effect.listed else []
            cleaned = [
                Effect(Touch("delete", path.rstrip("/")), effect.certain, path.endswith("/"))
                for path in gone
            ]
            for each in cleaned or [effect]:
                found.extend(files.apply(each, outcomes(each)))
    return found


def _outcomes(invocation: Invocation, effects: Sequence[Effect]) -> Callable[[Effect], EditOutcome]:
    """The outcome of each effect of a call, by its result.

    If a script failed, the log does not tell whether its later commands ran. An error that names no
    file may belong to any command.
    """
    id, output = invocation.message_id, invocation.output
    script = shell_script(invocation.call)
    touches = [effect.touch for effect in effects if effect.touch is not None]
    unknown = invocation.result is None or output == INTERRUPTED
    failed = _call_failed(invocation)
    whole = script is None or (len(touches) == 1 and not _LIST.search(script))
    refused = not unknown and failed and bool(_NOT_RUN.search(output[:_HEAD]))
    lost = unknown or (whole and failed) or refused
    broken = script is not None and bool(_SYNTAX.search(output[:_HEAD]))
    lines = [] if script is None or lost else output[:1_000_000].splitlines()
    short = (line for line in lines[:_MAX_OUTPUT_LINES] if len(line) < 2_000)
    told = [line[:500] for line in short if _ERROR_LINE.search(line)][:_MAX_ERROR_LINES]
    errors = "\n".join(told)
    names = {_name(touch) for touch in touches}
    nameless = script is not None and any(
        _OWN_ERROR.match(line)
        and not _MISSING_PROGRAM.search(line)
        and not any(name in line for name in names)
        for line in told
    )
    stopped = failed or exit_code(output) is not None

    def outcome(effect: Effect) -> EditOutcome:
        name = _name(effect.touch) if effect.touch is not None else ""
        named = bool(errors and name and name in errors)
        done = not (lost or broken or named) and (effect.certain or not stopped)
        sure = not (unknown or refused or broken or nameless)
        return EditOutcome(id, output[:_HEAD], done, sure)

    return outcome


def _name(touch: Touch) -> str:
    return posixpath.basename((touch.old_path or touch.path).rstrip("/"))


def _call_failed(invocation: Invocation) -> bool:
    if not invocation.answered or invocation.output == INTERRUPTED:
        return True
    return len(invocation.output) < _HEAD and bool(_FAILURE.match(invocation.output))


def exit_code(output: str) -> int | None:
    """The exit code that an output names at its beginning or end, unless it is 0."""
    found = _EXIT_CODE.findall(_edges(output))
    return int(found[-1]) if found else None


def _edges(output: str) -> str:
    return output if len(output) <= 2 * _HEAD else f"{output[:_HEAD]}\n{output[-_HEAD:]}"
