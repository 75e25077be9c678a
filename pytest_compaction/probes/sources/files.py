"""File probes: which files were created, modified, read, deleted or renamed; new names in edits."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pytest_compaction.artifacts.operations import (
    FileOperation,
    FileState,
    file_operations,
    file_states,
)
from pytest_compaction.artifacts.tool_calls import shell_script
from pytest_compaction.case.case import Change
from pytest_compaction.conversation.messages import ToolCall, readable
from pytest_compaction.probes.keys import identifier_keys
from pytest_compaction.probes.log import Candidate, Draft, Found, ProbeLog, path_candidate
from pytest_compaction.probes.sources.edits import done_edits

TRANSIENT: Final = re.compile(r"^(?:/tmp/|/var/|/private/|/dev/)|(?:^|/)node_modules/")
"""Paths that no agent needs to remember: temporary files, devices, installed packages."""
# Paths occur in every call on a file; they are at risk even when mentioned often.
_MAX_MENTIONS: Final = 16
_MAX_SCRIPT: Final = 50_000
_NAME: Final = re.compile(r"[A-Za-z_$][\w$]{3,40}")
_DEFINED: Final = re.compile(
    r"\b(?:function|def|class|interface|type|fn|func|struct|enum)\s+([A-Za-z_$][\w$]{3,40})"
    r"|^(?:export )?(?:const|let|var)\s+([A-Za-z_$][\w$]{3,40})"
    r"|^[\"']?([A-Za-z_$][\w$]{3,40})[\"']?\??[ \t]*[:=](?![=:])"
    r"|^[ \t|]+[\"']([A-Za-z_$][\w$]{3,40})[\"'][ \t]*:"
    r"|^[ \t|]+([A-Za-z_$][\w$]{3,40})[ \t]*\([^()\n]{0,80}\)[^\n;]{0,80}\{$",
    re.MULTILINE,
)
"""Definitions of functions, types, constants and keys; local variables do not count."""


def file_drafts(log: ProbeLog) -> Iterator[Draft]:
    """File probes at every point of the second half of the log."""
    operations = file_operations(log.messages)
    last = len(log.points) - 1
    for point in range(last // 2, last + 1):
        asked = log.points[point]
        before = [entry for entry in operations if log.position[entry.message_id] <= asked]
        states = [state for state in file_states(before) if state.certain and not state.folder]
        there_before = _there_before(log, before)
        yield from _life_drafts(log, states, point, there_before)
        yield from _folder_drafts(log, states, point)
    gone = {state.path for state in file_states(operations) if state.deleted}
    yield from _edited_drafts(log, last, gone)


def _paths(log: ProbeLog, paths: Iterable[str], asked: int, change: Change) -> tuple[Found, ...]:
    lasting = (_below_hidden(path) for path in paths if not TRANSIENT.search(path))
    return log.find_all(
        (path_candidate(path, change) for path in lasting), asked, most=_MAX_MENTIONS
    )


def _below_hidden(path: str) -> str:
    """``~/.config/app/x.json`` as ``app/x.json``: the matcher ignores leading dots of a name."""
    parts = path.split("/")
    hidden = [place for place, part in enumerate(parts[:-1]) if part.startswith((".", "~"))]
    return "/".join(parts[hidden[-1] + 1 :]) if hidden else path


def _list_draft(
    log: ProbeLog,
    name: str,
    question: str,
    paths: Sequence[str],
    change: Change,
    point: int,
    rank: float,
) -> Draft:
    """A question for a list of paths; it ranks better when more are at risk and at later points."""
    found = _paths(log, paths, log.points[point], change)
    missing = 1 - len(found) / len(paths) if paths else 1
    late = 0.08 * (len(log.points) - 1 - point)
    answer = {"format": "list"}
    asked = f"{question} Answer as a list of paths."
    return Draft("file", name, asked, found, point, rank + late + 0.2 * missing, answer=answer)


def _there_before(log: ProbeLog, operations: Sequence[FileOperation]) -> set[str]:
    """Paths that an output named before the call that claims to have created them."""
    first: dict[str, int] = {}
    for operation in operations:
        if operation.operation == "created" and operation.succeeded:
            first.setdefault(operation.path, log.position[operation.message_id])
    return {
        path
        for path, created in first.items()
        if any(place < created and log.messages[place].role == "tool" for place in log.names(path))
    }


def _life_drafts(
    log: ProbeLog, states: Sequence[FileState], point: int, there_before: set[str]
) -> Iterator[Draft]:
    kept = [
        state.path
        for state in states
        if state.created and not state.deleted and state.path not in there_before
    ]
    gone = [state.path for state in states if state.deleted]
    renamed = [state for state in states if state.renamed_from and not state.deleted]
    asked: tuple[tuple[str, str, list[str], Change, float], ...] = (
        (
            "created",
            "Which files were created in this session and are still there?",
            kept,
            "created",
            0.1,
        ),
        ("deleted", "Which files were deleted in the course of the session?", gone, "deleted", 0.2),
    )
    for name, question, paths, change, rank in asked:
        yield _list_draft(log, name, question, paths, change, point, rank)
    yield _renamed_draft(log, renamed, point)


def _renamed_draft(log: ProbeLog, renamed: Sequence[FileState], point: int) -> Draft:
    """A question for renamed files; each fact names a file before and after."""
    names = [
        (_below_hidden(state.renamed_from or ""), _below_hidden(state.path))
        for state in renamed
        if not TRANSIENT.search(state.path)
    ]
    moves = (
        Candidate(f"{old} was renamed to {new}", "path", identifier_keys(old, new), "renamed")
        for old, new in names
    )
    found = log.find_all(moves, log.points[point], most=_MAX_MENTIONS)
    late = 0.08 * (len(log.points) - 1 - point)
    question = (
        "Which files were renamed or moved? Name them as they were before and after. "
        "Answer as a list of paths."
    )
    missing = 1 - len(found) / len(names) if names else 1
    answer = {"format": "list"}
    rank = 0.15 + late + 0.2 * missing
    return Draft("file", "renamed", question, found, point, rank, answer=answer)


def _folder_drafts(log: ProbeLog, states: Sequence[FileState], point: int) -> Iterator[Draft]:
    present = [state for state in states if not state.deleted and not state.renamed_from]
    changed = [state.path for state in present if state.modified and not state.created]
    looked_at = [
        state.path for state in present if state.read and not (state.modified or state.created)
    ]
    for folder, paths in _groups(changed):
        question = f"Which files{_under(folder)} that existed before were modified in this session?"
        yield _list_draft(log, "modified", question, paths, "modified", point, 0.3)
    for folder, paths in _groups(looked_at):
        question = f"Which files{_under(folder)} were only read for reference and not changed?"
        yield _list_draft(log, "read", question, paths, "read", point, 0.5)


def _under(folder: str) -> str:
    return f" under `{folder}`" if folder else ""


def _groups(paths: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Groups of two to six paths in one folder, so that a question can ask for all of them."""
    if 2 <= len(paths) <= 6:
        return [("", list(paths))]
    below: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        folder = posixpath.dirname(path)
        while folder and folder != "/":
            below[folder].append(path)
            folder = posixpath.dirname(folder)
    fitting = [(folder, held) for folder, held in below.items() if 2 <= len(held) <= 6]
    fitting.sort(key=lambda item: (-len(item[1]), len(item[0]), item[0]))
    chosen: list[tuple[str, list[str]]] = []
    covered: set[str] = set()
    for folder, held in fitting:
        if not covered & set(held):
            chosen.append((folder, held))
            covered.update(held)
    return chosen


def _edited_drafts(log: ProbeLog, point: int, gone: set[str]) -> Iterator[Draft]:
    asked = log.points[point]
    for path, names in _introduced_names(log).items():
        if path in gone:
            continue
        given = (Candidate(name, "identifier", identifier_keys(name)) for name in names)
        found = log.find_all(given, asked, most=6)
        chosen = tuple(sorted(found, key=lambda entry: entry.risk)[:5])
        yield Draft(
            "file",
            "changes",
            f"Which new names (functions, variables, keys) did the edits of `{path}` bring in?",
            chosen,
            point,
            0.4 - 0.02 * min(len(chosen), 5),
        )


def _introduced_names(log: ProbeLog) -> dict[str, list[str]]:
    """Names that a call defined in an existing file and that occur in no earlier message."""
    calls = defaultdict(list)
    for invocation, path in done_edits(log):
        calls[invocation.message_id].append((invocation.call, path))
    seen: set[str] = set()
    found: dict[str, list[str]] = defaultdict(list)
    for message in log.messages:
        for call, path in calls.get(message.id, ()):
            if not TRANSIENT.search(path) and shell_script(call) is None:
                found[path] += [name for name in _defined(call) if name not in seen]
        seen.update(_NAME.findall(readable(message)[:_MAX_SCRIPT]))
    return {path: list(dict.fromkeys(names)) for path, names in found.items()}


def _defined(call: ToolCall) -> list[str]:
    """Names that the new text of an edit defines and that do not occur in its old text."""
    given = {key: value for key, value in call.parsed().items() if isinstance(value, str)}
    old = "\n".join(value for key, value in given.items() if "old" in key or key == "search")
    strings = [value for key, value in given.items() if "old" not in key and key != "search"]
    before = set(_NAME.findall(old[:_MAX_SCRIPT]))
    matches = (match for text in strings for match in _DEFINED.finditer(text[:_MAX_SCRIPT]))
    names = (next(filter(None, match.groups())) for match in matches)
    return [
        name for name in names if name not in before and re.search(r"[a-z_$\d][A-Z]|_|\d", name)
    ]
