"""File probes about the last edit of a file: which line did it put in?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_compaction.artifacts.known_files import same_end
from pytest_compaction.artifacts.operations import (
    FileOperation,
    commands,
    file_operations,
    file_states,
)
from pytest_compaction.artifacts.shell.commands import command_words
from pytest_compaction.probes.keys import identifier_keys
from pytest_compaction.probes.log import Candidate, Draft, ProbeLog
from pytest_compaction.probes.sources.files import TRANSIENT

_COMMENT: Final = re.compile(r"\s{2,}(?:#|//|/\*|--)\s.*\Z|\s+# .*\Z")
_KINDS: Final = r"^(?:(?:export|pub|async|static|const|let|var|final|default)\s+)*"
_DEFINES: Final = re.compile(
    rf"{_KINDS}(?:def|class|function|func|fn|interface|type|struct|enum)\s+(\w{{3,60}})"
)
_SETS: Final = re.compile(
    rf"{_KINDS}[\"']?([A-Za-z_$][\w.$-]{{1,60}})[\"']?\s*(?::=|=(?!=)|:)\s*(\S.{{0,100}})$"
)
_VALUES: Final = re.compile(r"\d[\d_.,]*\d|\d|(?<=[\"'])\w[^\"']{1,40}(?=[\"'])")
_STREAM_EDITORS: Final = frozenset({"sed", "perl", "gsed", "ex", "ed"})
_SHORTEST: Final = 16
_MAX_MENTIONS: Final = 6


def last_edit_drafts(log: ProbeLog) -> Iterator[Draft]:
    """One draft for each file that was changed and still exists: the line of its last edit."""
    last = len(log.points) - 1
    asked = log.points[last]
    operations = [o for o in file_operations(log.messages) if log.position[o.message_id] <= asked]
    latest: dict[str, FileOperation] = {}
    for operation in operations:
        if operation.operation != "read" and (operation.succeeded or not operation.certain):
            latest[operation.path] = operation
    scripts = _by_script(log)
    states = {state.path: state for state in file_states(operations)}
    for path, operation in latest.items():
        state = states.get(path)
        sure = state is not None and state.certain and not state.deleted
        known_otherwise = any(same_end(path, other) for other in latest)
        if operation.operation != "modified" or not sure or known_otherwise:
            continue
        if not operation.detail or operation.message_id in scripts:
            continue
        line = _COMMENT.sub("", operation.detail).strip()
        candidate = _told(line) if len(line) >= _SHORTEST else None
        if candidate is None or TRANSIENT.search(path):
            continue
        found = log.find(candidate, asked, most=_MAX_MENTIONS)
        if found is None:
            continue
        yield Draft(
            "file",
            "last-edit",
            f"Which line of code or text did the last edit of `{path}` put in? "
            "Give it as it stands there.",
            (found,),
            last,
            0.38,
            least=1,
        )


def _told(line: str) -> Candidate | None:
    """A line that defines a name or sets a value as a fact; nobody has to remember any other."""
    if defined := _DEFINES.match(line):
        return Candidate(line, "identifier", identifier_keys(defined[1]))
    assigned = _SETS.match(line)
    values = _VALUES.findall(assigned[2]) if assigned else []
    if assigned and values:
        return Candidate(line, "value", identifier_keys(assigned[1], *values[:2]))
    return None


def _by_script(log: ProbeLog) -> set[str]:
    """The messages that edit with ``sed`` or ``perl``: a pattern is not a line of the file."""
    return {
        command.message_id
        for command in commands(log.messages)
        if any(words[0] in _STREAM_EDITORS for words in command_words(command.text))
    }
