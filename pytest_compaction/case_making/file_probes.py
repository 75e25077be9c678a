"""File probes: which files were created, modified, read, deleted or renamed?"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.artifacts.operations import FileOperation, FileState, file_states
from pytest_compaction.case.kinds import Change
from pytest_compaction.case_making.edit_probes import added_code, code_drafts
from pytest_compaction.case_making.keys import identifier_keys
from pytest_compaction.case_making.log import (
    MAX_FACTS,
    Candidate,
    Draft,
    Found,
    ProbeLog,
    path_candidate,
)
from pytest_compaction.case_making.phrases import quotable
from pytest_compaction.case_making.shell_evidence import (
    TRANSIENT,
    changed_by_user,
    changed_unseen,
    copied,
    delegates,
    generates,
    installs,
    read_unseen,
    shows_no_text,
)
from pytest_compaction.conversation.messages import readable
from pytest_compaction.text import stem

NUMBERED: Final = re.compile(r"REDACTED|[0-9a-f]{8}-[0-9a-f]{4}|[0-9a-f]{12}|\d{8}")
"""Names of records by a number that nobody remembers, and names that were taken out.

A list that holds one is not asked for.
"""
_MARKER: Final = re.compile(r"(?:^|/)(?:__init__\.py|py\.typed|\.gitkeep|mod\.rs)$")
"""Files whose being there tells nothing."""
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_HOME: Final = re.compile(r"/(?:Users|home|mnt|root|private|workspaces?|var)?(?:/[^/]+)?$")
"""Folders that hold a home or a whole project: they tell nothing."""
_DOCUMENT: Final = re.compile(r"\.(?:md|txt|rst|adoc)\b", re.I)
_CREATED: Final = re.compile(r"\bcreated\b|\bnew file\b", re.I)
_MAX_SAID: Final = 500
# Paths occur in every call on a file; they are at risk even when mentioned often.
_MAX_MENTIONS: Final = 16


def file_drafts(log: ProbeLog) -> Iterator[Draft]:
    """File probes at every point of the log."""
    operations = log.operations
    last = len(log.points) - 1
    later = {operation.path for operation in operations if operation.operation == "modified"}
    for point in range(last + 1):
        asked = log.points[point]
        before = [entry for entry in operations if log.position[entry.message_id] <= asked]
        states = lasting_files(before)
        there_before = _there_before(log, before)
        doubtful = frozenset(
            state.path
            for state in file_states(before)
            if not state.certain and not state.folder and not TRANSIENT.search(state.path)
        ) | copied(log, 0, asked + 1)
        sure = not (
            generates(log, 0, asked + 1)
            or delegates(log, 0, asked + 1, writing=True)
            or changed_by_user(log, asked)
        )
        if sure:
            yield from _life_drafts(log, before, point, there_before, doubtful)
        if sure and not (changed_unseen(log, asked) or installs(log, asked)):
            yield from _modified_drafts(log, states, point, doubtful)
        yield from _read_drafts(log, states, point, doubtful, later)


def lasting_files(operations: Sequence[FileOperation]) -> list[FileState]:
    """The files that operations left in a state that is certain, without temporary ones."""
    return [
        state
        for state in file_states(operations)
        if state.certain and not state.folder and not TRANSIENT.search(state.path)
    ]


def places(log: ProbeLog, state: FileState) -> tuple[int, ...]:
    """The positions of the calls that brought a file into its state."""
    return tuple(log.position[id] for id in state.message_ids)


def unsure(operations: Sequence[FileOperation]) -> bool:
    """Whether a list of the files that operations touched may lack one."""
    return any(
        not operation.certain and operation.succeeded and not TRANSIENT.search(operation.path)
        for operation in operations
    )


def tells_file(said: str, path: str) -> bool:
    """Whether a text holds the name of a file, or all the words of which it is made."""
    name = posixpath.basename(path).lstrip(".").partition(".")[0]
    words, held = ({stem(word.casefold()) for word in _WORD.findall(text)} for text in (name, said))
    named = len(name) > 3 and re.search(rf"(?<![^\W\d_]){re.escape(name)}", said, re.I) is not None
    return named or (bool(words) and words - {"test", "tests", "spec"} <= held)


@dataclass(frozen=True, slots=True)
class _Listed:
    """Files to which the same was done: what to ask, which, and which may belong to them."""

    name: str
    question: str
    files: Sequence[FileState]
    change: Change
    rank: float
    least: int = 2
    doubtful: frozenset[str] = frozenset()


def _list_drafts(log: ProbeLog, listed: _Listed, point: int) -> Iterator[Draft]:
    """Questions for lists of paths, each whole; ``{}`` in the question stands for the folder."""
    told = {s.path: path_candidate(s.path, listed.change, places(log, s)) for s in listed.files}
    known = {
        path: found
        for path, candidate in told.items()
        if not NUMBERED.search(path)
        and (found := log.find(candidate, log.points[point], most=_MAX_MENTIONS)) is not None
    }
    late = 0.08 * (len(log.points) - 1 - point)
    for folder, paths in _groups(listed, known):
        asked = listed.question.format(f" under `{folder}`" if folder else "")
        yield Draft(
            "file",
            listed.name,
            f"{asked} Answer as a list of paths.",
            tuple(known[path] for path in paths),
            point,
            listed.rank + late,
            format="list",
            whole=len(paths),
        )


def _there_before(log: ProbeLog, operations: Sequence[FileOperation]) -> set[str]:
    """Paths that an output named before the call that claims to have created them.

    What a document names may be planned, and need not be there.
    """
    first: dict[str, int] = {}
    for operation in operations:
        if operation.operation == "created" and operation.succeeded:
            first.setdefault(operation.path, log.position[operation.message_id])
    return {
        path
        for path, created in first.items()
        if any(place < created and _shows_files(log, place) for place in log.names(path))
        and not _said_created(log, path, created)
    }


def _said_created(log: ProbeLog, path: str, place: int) -> bool:
    """Whether the results of the calls at a position say that the file was created."""
    for message in log.messages[place + 1 :]:
        if message.role != "tool":
            return False
        if path in (text := readable(message)[:_MAX_SAID]) and _CREATED.search(text):
            return True
    return False


def _shows_files(log: ProbeLog, place: int) -> bool:
    """Whether a message is the result of calls none of which names a document."""
    if log.messages[place].role != "tool":
        return False
    while place and log.messages[place].role == "tool":
        place -= 1
    return not any(_DOCUMENT.search(call.arguments) for call in log.messages[place].calls)


def _life_drafts(
    log: ProbeLog,
    operations: Sequence[FileOperation],
    point: int,
    there_before: set[str],
    doubtful: frozenset[str],
) -> Iterator[Draft]:
    states = lasting_files(operations)
    passing = any(TRANSIENT.search(o.path) and o.operation != "read" for o in operations)
    apart = " Leave out temporary files." if passing else ""
    kept = [
        state
        for state in states
        if state.created and not state.deleted and state.path not in there_before
    ]
    if all(_MARKER.search(state.path) for state in kept):
        kept = []
    gone = [state for state in states if state.deleted]
    renamed = [state for state in states if state.renamed_from and not state.deleted]
    created = f"Which files{{}} were created in this session and are still there?{apart}"
    deleted = f"Which files{{}} were deleted in the course of the session?{apart}"
    for listed in (
        _Listed("created", created, kept, "created", 0.1, 1, doubtful),
        _Listed("deleted", deleted, gone, "deleted", 0.2, 1, doubtful),
    ):
        yield from _list_drafts(log, listed, point)
    yield _renamed_draft(log, renamed, point)


def _renamed_draft(log: ProbeLog, renamed: Sequence[FileState], point: int) -> Draft:
    """A question for renamed files; each fact names a file before and after."""
    names = [(state.renamed_from or "", state.path) for state in renamed]
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
    whole = len(names)
    return Draft(
        "file", "renamed", question, found, point, 0.15 + late, format="list", least=2, whole=whole
    )


def _modified_drafts(
    log: ProbeLog, states: Sequence[FileState], point: int, doubtful: frozenset[str]
) -> Iterator[Draft]:
    """Lists of the modified files that are still there under their names."""
    changed = [state for state in _present(states) if state.modified and not state.created]
    question = "Which files{} that existed before were modified in this session?"
    listed = _Listed("modified", question, changed, "modified", 0.3, doubtful=doubtful)
    yield from _list_drafts(log, listed, point)


def _read_drafts(
    log: ProbeLog,
    states: Sequence[FileState],
    point: int,
    doubtful: frozenset[str],
    later: Container[str],
) -> Iterator[Draft]:
    """Lists of the files that were only read, unless one is among those changed ``later``."""
    looked_at = [s for s in _present(states) if s.read and not (s.modified or s.created)]
    if any(s.path in later for s in looked_at) or read_unseen(log, looked_at, log.points[point]):
        return
    question = "Which files{} were only read for reference and not changed? Searches do not count."
    listed = _Listed("read", question, looked_at, "read", 0.5, doubtful=doubtful)
    yield from _list_drafts(log, listed, point)


def _present(states: Sequence[FileState]) -> list[FileState]:
    return [state for state in states if not state.deleted and not state.renamed_from]


def _groups(listed: _Listed, known: Container[str]) -> list[tuple[str, list[str]]]:
    """Groups of paths in one folder, so that a question can ask for all of them.

    A folder with a path that is not ``known``, or that may belong to the list, gives none.
    """
    below: dict[str, list[str]] = defaultdict(list)
    for state in listed.files:
        for folder in _folders(state.path):
            below[folder].append(state.path)
    # A relative path may lie in any folder.
    relative = any(not state.path.startswith("/") for state in listed.files)
    unclear = {folder for path in listed.doubtful for folder in _folders(path)}
    fitting = [
        (folder, held)
        for folder, held in below.items()
        if listed.least <= len(held) <= MAX_FACTS
        and folder not in unclear
        and not (_HOME.match(folder) or (folder.startswith("/") and relative))
        and all(path in known for path in held)
    ]
    fitting.sort(key=lambda item: (-len(item[1]), len(item[0]), item[0]))
    chosen: list[tuple[str, list[str]]] = []
    covered: set[str] = set()
    for folder, held in fitting:
        if not covered & set(held):
            chosen.append((folder, held))
            covered.update(held)
    return chosen


def _folders(path: str) -> Iterator[str]:
    """The folders that hold a path, from the inside out; the last is empty and holds all."""
    folder = posixpath.dirname(path)
    while folder and folder != "/":
        yield folder
        folder = posixpath.dirname(folder)
    yield ""


_LEAST_WORDS: Final = 5
"""A shorter quote does not tell which request is meant."""
_MAX_REQUEST_MENTIONS: Final = 20


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
                format="list",
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
            found = log.find_all(given, asked, most=_MAX_REQUEST_MENTIONS)
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
