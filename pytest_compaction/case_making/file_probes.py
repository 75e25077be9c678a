"""File probes: which files were created, modified, read, deleted or renamed?"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Final

from pytest_compaction.artifacts import FileOperation, FileState, file_states
from pytest_compaction.case import Change
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
from pytest_compaction.conversation import readable
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
    """File probes at every point of the log.

    What was only read is not asked for where one of these files is changed at any time.
    """
    later = {operation.path for operation in log.operations if operation.operation == "modified"}
    for point, asked in enumerate(log.points):
        before = [entry for entry in log.operations if log.position[entry.message_id] <= asked]
        states = lasting_files(before)
        passing = any(TRANSIENT.search(o.path) and o.operation != "read" for o in before)
        apart = " Leave out temporary files." if passing else ""
        present = [state for state in states if not state.deleted and not state.renamed_from]
        sure = not (
            generates(log, 0, asked + 1)
            or delegates(log, 0, asked + 1, writing=True)
            or changed_by_user(log, asked)
        )
        listed: list[_Listed] = []
        if sure:
            there_before = _there_before(log, before)
            kept = [
                state
                for state in states
                if state.created and not state.deleted and state.path not in there_before
            ]
            if all(_MARKER.search(state.path) for state in kept):
                kept = []
            created = f"created in this session and are still there?{apart}"
            listed.append(_Listed("created", created, kept, 0.1, 1))
            gone = [state for state in states if state.deleted]
            deleted = f"deleted in the course of the session?{apart}"
            listed.append(_Listed("deleted", deleted, gone, 0.2, 1))
        if sure and not (changed_unseen(log, asked) or installs(log, asked)):
            modified = [state for state in present if state.modified and not state.created]
            listed.append(_Listed("modified", "modified in this session?", modified, 0.3, 2))
        read = [s for s in present if s.read and not (s.modified or s.created)]
        if not any(s.path in later for s in read) and not read_unseen(log, read, asked):
            only = "only read for reference and not changed? Searches do not count."
            listed.append(_Listed("read", only, read, 0.5, 2))
        doubtful = copied(log, 0, asked + 1).union(
            state.path
            for state in file_states(before)
            if not state.certain and not state.folder and not TRANSIENT.search(state.path)
        )
        for each in listed:
            yield from _list_drafts(log, each, doubtful, point)
            if each.change == "deleted":
                yield _renamed_draft(log, states, point)


def lasting_files(operations: Sequence[FileOperation]) -> list[FileState]:
    """The files that operations left in a state that is certain, without temporary ones."""
    return [
        state
        for state in file_states(operations)
        if state.certain and not state.folder and not TRANSIENT.search(state.path)
    ]


def places(log: ProbeLog, state: FileState) -> tuple[int, ...]:
    """The positions of the calls that led to the state of a file."""
    return tuple(log.position[id] for id in state.message_ids)


def tells_file(said: str, path: str) -> bool:
    """Whether a text holds the name of a file, or all the words of which it is made."""
    name = posixpath.basename(path).lstrip(".").partition(".")[0]
    words, held = ({stem(word.casefold()) for word in _WORD.findall(text)} for text in (name, said))
    named = len(name) > 3 and re.search(rf"(?<![^\W\d_]){re.escape(name)}", said, re.I) is not None
    return named or (bool(words) and words - {"test", "tests", "spec"} <= held)


@dataclass(frozen=True, slots=True)
class _Listed:
    """Files to which the same was done: how the question goes on, and the fewest to ask for."""

    change: Change
    question: str
    files: Sequence[FileState]
    rank: float
    least: int


def _list_drafts(log: ProbeLog, listed: _Listed, doubtful: Set[str], point: int) -> Iterator[Draft]:
    """Questions for lists of paths, each whole; none that a doubtful path may belong to."""
    known: dict[str, Found] = {}
    for state in listed.files:
        told = path_candidate(state.path, listed.change, places(log, state))
        found = log.find(told, log.points[point], most=_MAX_MENTIONS)
        if found is not None and not NUMBERED.search(state.path):
            known[state.path] = found
    there = " that existed before" if listed.change == "modified" else ""
    rank = listed.rank + 0.08 * (log.last - point)
    for folder, paths in _groups(listed, known, doubtful):
        under = f" under `{folder}`" if folder else ""
        question = f"Which files{under}{there} were {listed.question} Answer as a list of paths."
        facts, whole = tuple(known[path] for path in paths), len(paths)
        yield Draft("file", listed.change, question, facts, point, rank, format="list", whole=whole)


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


def _renamed_draft(log: ProbeLog, states: Sequence[FileState], point: int) -> Draft:
    """A question for renamed files; each fact names a file before and after."""
    names = [(s.renamed_from, s.path) for s in states if s.renamed_from and not s.deleted]
    moves = (
        Candidate(f"{old} was renamed to {new}", "path", identifier_keys(old, new), "renamed")
        for old, new in names
    )
    found, whole = log.find_all(moves, log.points[point], most=_MAX_MENTIONS), len(names)
    question = (
        "Which files were renamed or moved? Name them as they were before and after. "
        "Answer as a list of paths."
    )
    rank = 0.15 + 0.08 * (log.last - point)
    return Draft(
        "file", "renamed", question, found, point, rank, format="list", least=2, whole=whole
    )


def _groups(
    listed: _Listed, known: Container[str], doubtful: Set[str]
) -> list[tuple[str, list[str]]]:
    """Groups of paths in one folder, so that a question can ask for all of them.

    A folder with a path that is not ``known``, or that may belong to the list, gives none.
    """
    below: dict[str, list[str]] = defaultdict(list)
    for state in listed.files:
        for folder in _folders(state.path):
            below[folder].append(state.path)
    # A relative path may lie in any folder.
    relative = any(not state.path.startswith("/") for state in listed.files)
    unclear = {folder for path in doubtful for folder in _folders(path)}
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
    """Drafts about every request up to the last point that a question can name by its words.

    What was done for a request to a file that was deleted after it is past.
    """
    turns = [(place, text) for place, text in log.turns("user") if place <= log.end]
    quotes = Counter(quotable(text) for _, text in turns)
    known = set(log.requests)
    ends = [place for place, _ in turns[1:]] + [log.end + 1] * bool(turns)
    operations = [each for each in log.operations if log.position[each.message_id] <= log.end]
    states = file_states(operations)
    changed = {
        state.path
        for state in states
        if state.modified or state.created or state.deleted or state.renamed_from
    }
    lost = {state.path for state in states if state.deleted}
    gone = {
        operation.path: log.position[operation.message_id]
        for operation in operations
        if operation.operation == "deleted" and operation.path in lost
    }
    showing = [log.position[c.message_id] for c in log.commands if not shows_no_text(c)]
    added = list(added_code(log))
    for (place, text), end in zip(turns, ends, strict=True):
        quoted = quotable(text)
        if (place, text) not in known or quotes[quoted] > 1 or not _names_itself(quoted):
            continue
        during = [o for o in operations if place <= log.position[o.message_id] < end]
        if any(gone.get(s.path, -1) >= end for s in lasting_files(during) if _changed(s)):
            continue
        shown = any(place <= shows < end for shows in showing) or delegates(log, place, end)
        unseen = generates(log, place, end) or delegates(log, place, end, writing=True)
        if not unseen and not copied(log, place, end):
            yield from _files(log, quoted, during, changed, shown, end <= log.end)
        yield from code_drafts(log, quoted, [each for each in added if place <= each[1] < end])


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
    wrote = [s for s in lasting if _changed(s)]
    read = [s for s in lasting if s.read and not _changed(s)]
    otherwise = any(s.path in changed for s in read)
    until = " and before the next message of the user" if ended else ""
    passing = any(TRANSIENT.search(o.path) and o.operation != "read" for o in during)
    apart = " Leave out temporary files." if passing else ""
    asked = f"After the user had written “{quoted}”{until}, which files"
    last = max((log.position[operation.message_id] for operation in during), default=0)
    for reading, states, question, least, rank in (
        (False, wrote, "did the agent create, change or delete?", 1, 0.3),
        (True, read, "that it never changed did the agent read? Searches do not count.", 2, 0.45),
    ):
        unsure = any(
            not o.certain and o.succeeded and not TRANSIENT.search(o.path)
            for o in during
            if (o.operation == "read") == reading
        )
        paths = [state.path for state in states]
        told = any(posixpath.basename(path) in quoted for path in paths)
        told |= len(paths) == 1 and tells_file(quoted, paths[0])
        if unsure or told or (reading and (shown or otherwise)):
            continue
        if 0 < len(paths) <= MAX_FACTS and not any(map(NUMBERED.search, paths)):
            given = [path_candidate(s.path, _change(s), places(log, s)) for s in states]
            point, found = log.find_all_due(given, last, most=_MAX_REQUEST_MENTIONS)
            yield Draft(
                "file",
                "request-read" if reading else "request-files",
                f"{asked} {question}{apart} Answer as a list of paths.",
                found,
                point,
                rank,
                format="list",
                least=least,
                whole=len(given),
            )


def _changed(state: FileState) -> bool:
    made = state.created or state.modified or state.deleted
    return made and not (state.created and state.deleted)


def _change(state: FileState) -> Change:
    if state.deleted:
        return "deleted"
    if not _changed(state):
        return "read"
    return "created" if state.created else "modified"
