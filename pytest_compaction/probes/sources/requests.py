"""Probes about single requests: which files were changed or read for one?"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_compaction.artifacts.operations import FileOperation, FileState, file_states
from pytest_compaction.case.kinds import Change
from pytest_compaction.probes.draft import Candidate, Draft, Found, path_candidate
from pytest_compaction.probes.log import MAX_FACTS, ProbeLog
from pytest_compaction.probes.passing import TRANSIENT
from pytest_compaction.probes.phrases import quotable
from pytest_compaction.probes.sources.code.request_code import added_code, code_drafts
from pytest_compaction.probes.sources.files import (
    NUMBERED,
    lasting_files,
    places,
    tells_file,
    unsure,
)
from pytest_compaction.probes.test_commands import shows_no_text
from pytest_compaction.probes.unseen import copied, delegates, generates

_LEAST_WORDS: Final = 5
"""A shorter quote does not tell which request is meant."""
_MAX_MENTIONS: Final = 20


def request_drafts(log: ProbeLog) -> Iterator[Draft]:
    """Drafts about every request up to the last point that a question can name by its words."""
    asked = log.points[-1]
    turns = [(place, text) for place, text in log.turns("user") if place <= asked]
    quotes = Counter(quotable(text) for _, text in turns)
    known = set(log.requests)
    ends = [place for place, _ in turns[1:]] + [asked + 1] * bool(turns)
    operations = [each for each in log.operations if log.position[each.message_id] <= asked]
    changed = {
        state.path
        for state in file_states(operations)
        if state.modified or state.created or state.deleted or state.renamed_from
    }
    gone = _deletions(log, operations)
    showing = [log.position[c.message_id] for c in log.commands if not shows_no_text(c)]
    added = list(added_code(log))
    for (place, text), end in zip(turns, ends, strict=True):
        quoted = quotable(text)
        if (place, text) in known and quotes[quoted] == 1 and _names_itself(quoted):
            during = [o for o in operations if place <= log.position[o.message_id] < end]
            if any(gone.get(s.path, -1) >= end for s in lasting_files(during) if _changed(s)):
                continue
            shown = any(place <= shows < end for shows in showing) or delegates(log, place, end)
            if not _made_unseen(log, place, end):
                yield from _files(log, quoted, during, changed, shown, end <= asked)
            yield from code_drafts(log, quoted, [each for each in added if place <= each[1] < end])


def _made_unseen(log: ProbeLog, start: int, end: int) -> bool:
    """Whether files may have been written between two positions that no call names as written."""
    written = generates(log, start, end) or delegates(log, start, end, writing=True)
    return written or bool(copied(log, start, end))


def _deletions(log: ProbeLog, operations: Sequence[FileOperation]) -> dict[str, int]:
    """The files that are gone in the end, each with the position of the call that deleted it.

    What was done for a request before that is past.
    """
    gone = {state.path for state in file_states(operations) if state.deleted}
    return {
        operation.path: log.position[operation.message_id]
        for operation in operations
        if operation.operation == "deleted" and operation.path in gone
    }


def _names_itself(quoted: str) -> bool:
    """Whether a quote is long enough, and prose: not a line of a patch or of a harness."""
    return len(quoted.split()) >= _LEAST_WORDS and quoted[0].isalpha()


def _files(
    log: ProbeLog,
    quoted: str,
    during: Sequence[FileOperation],
    changed: set[str],
    shown: bool,
    ended: bool,
) -> Iterator[Draft]:
    """Drafts about the files that were changed and that were only read for one request.

    Where shell commands have ``shown`` texts, nobody knows for sure which files were read, nor
    does the question fit where a file that was read was changed at another time. Unless the
    user wrote again, the request has not ``ended``.
    """
    lasting = lasting_files(during)
    until = " and before the next message of the user" if ended else ""
    passing = any(TRANSIENT.search(o.path) and o.operation != "read" for o in during)
    apart = " Leave out temporary files." if passing else ""
    wrote = [path_candidate(s.path, _change(s), places(log, s)) for s in lasting if _changed(s)]
    read = [
        path_candidate(s.path, "read", places(log, s))
        for s in lasting
        if s.read and not _changed(s) and s.path not in changed
    ]
    for name, given, question, least, rank in (
        ("request-files", wrote, "did the agent create, change or delete?", 1, 0.3),
        (
            "request-read",
            read,
            "that it never changed did the agent read? Searches do not count.",
            2,
            0.45,
        ),
    ):
        unknown = unsure([o for o in during if (o.operation == "read") == (name == "request-read")])
        otherwise = any(s.read and not _changed(s) and s.path in changed for s in lasting)
        if unknown or (name == "request-read" and (shown or otherwise)):
            continue
        paths = [candidate.keys[0][0] for candidate in given]
        told = any(posixpath.basename(path) in quoted for path in paths)
        told |= len(paths) == 1 and tells_file(quoted, paths[0])
        if told:
            continue
        if 0 < len(given) <= MAX_FACTS and not any(NUMBERED.search(c.text) for c in given):
            point, found = _due(log, given, during)
            yield Draft(
                "file",
                name,
                f"After the user had written “{quoted}”{until}, which files {question}{apart} "
                "Answer as a list of paths.",
                found,
                point,
                rank,
                answer={"format": "list"},
                least=least,
                whole=len(given),
            )


def _due(
    log: ProbeLog, given: Sequence[Candidate], during: Sequence[FileOperation]
) -> tuple[int, tuple[Found, ...]]:
    """The first point after the operations at which all files are at risk; else the last one."""
    last = max(log.position[operation.message_id] for operation in during)
    found: tuple[Found, ...] = ()
    for point, asked in enumerate(log.points):
        if last <= asked:
            found = log.find_all(given, asked, most=_MAX_MENTIONS)
            if len(found) == len(given):
                return point, found
    return len(log.points) - 1, found


def _changed(state: FileState) -> bool:
    made = state.created or state.modified or state.deleted
    return made and not (state.created and state.deleted)


def _change(state: FileState) -> Change:
    if state.deleted:
        return "deleted"
    return "created" if state.created else "modified"
