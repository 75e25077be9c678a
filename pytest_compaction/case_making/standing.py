"""Does what a log showed still stand at a later point: names of code, files, commits?"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Final

from pytest_compaction.artifacts import (
    EVERY_PATH,
    Invocation,
    call_touches,
    may_be_same,
    same_end,
    shell_script,
)
from pytest_compaction.case_making.declarations import NAME, definitions, edited_sides, given_texts
from pytest_compaction.case_making.log import ProbeLog, once_a_log
from pytest_compaction.case_making.shell_evidence import MAX_SCRIPT
from pytest_compaction.conversation import readable

_MAX_TEXT: Final = 200_000
_LONGEST_NAME: Final = 255
"""Most characters of the name of a file."""
_OLD_STATES: Final = re.compile(r"\bgit\b(?:(?!\bgit\b)[^|;&\n])*\b(?:diff|show|log|stash|blame)\b")
"""Commands whose output may show code as it was."""
_PATCH: Final = re.compile(r"^(?:\*\*\* Begin Patch|@@ |--- )", re.MULTILINE)
_LOST: Final = re.compile(
    r"^[ \t]*(?:delete mode \d+ |deleted: +|D {1,2})(?P<gone>\S+)$"
    r"|^[ \t]*(?:renamed: +|R\d* {1,2})(?P<old>\S+) ->",
    re.MULTILINE,
)
"""Lines of git about files that are gone."""
_TAKE_BACK: Final = re.compile(r"\b(?:remov|delet|drop|revert|undo|get rid of|throw)\w*", re.I)
_REWRITTEN: Final = re.compile(
    r"\bgit\b(?:(?!\bgit\b)[^|;&\n])*\b(?:rebase\b|filter-branch"
    r"|commit\b(?:(?!\bcommit\b)[^|;&\n])*--amend|revert\b"
    r"|reset\b(?:(?!\breset\b)[^|;&\n])*(?:[~^]|@\{|\b[0-9a-f]{7,40}\b|origin/))"
)
"""Commands after which earlier commits may be no part of the history any more."""
_REMOVED: Final = re.compile(r"^(?:Removed|Undid|Dropped):? (?P<hash>[0-9a-f]{7,40})\b", re.M)


Event = tuple[int, bool]
"""A position of the log, and whether something was there or gone from then on."""


class StandingCode:
    """At which positions declarations and files are known to be there, or to be gone."""

    def __init__(self, log: ProbeLog) -> None:
        # Not the log itself, which keeps this: only the garbage collector would free the two.
        self._position = log.position
        self._requests = log.turns("user")
        self._names: dict[str, list[Event]] = defaultdict(list)
        self._lost: dict[str, list[tuple[str, int]]] = defaultdict(list)
        self._rewritten: dict[str, list[int]] = defaultdict(list)
        held: dict[str, set[str]] = defaultdict(set)
        for invocation in log.invocations:
            self._read(invocation, held)
        for operation in log.operations:
            place = log.position[operation.message_id]
            if operation.operation == "deleted" and operation.path != EVERY_PATH:
                self._lose(operation.path, place)
            elif operation.operation == "renamed":
                self._lose(operation.detail, place)
        for place, message in enumerate(log.messages):
            if message.role == "tool":
                for match in _LOST.finditer(readable(message)[:_MAX_TEXT]):
                    self._lose(match["gone"] or match["old"], place)

    def knows(self, name: str, asked: int) -> bool:
        """Whether the log declared a name up to a position, wherever and whatever came after."""
        return any(place <= asked for place, _ in self._names.get(name, []))

    def changed(self, paths: Iterable[str], place: int, asked: int) -> bool:
        """Whether a shell or a move changed one of the files between two positions."""
        return any(
            self._left(path, place, asked)
            or any(place < when <= asked for when in self._rewritten[posixpath.basename(path)])
            for path in paths
        )

    def has(self, name: str, path: str, asked: int) -> bool:
        """Whether a name that the log declares in a file is still declared there."""
        events = self._names.get(name, [])
        number = bisect_right(events, (asked, True))
        if not number or not events[number - 1][1]:
            return False
        place = events[number - 1][0]
        changed = self.changed([path], place, asked)
        return not changed and not self._taken_back(name, path, place, asked)

    def _read(self, invocation: Invocation, held: dict[str, set[str]]) -> None:
        if not invocation.answered:
            return
        place = self._position[invocation.message_id]
        sides = list(edited_sides(invocation.call))
        for old, new in sides:
            self._change(definitions(old), definitions(new), place)
            if invocation.call.parsed().get("replace_all") in {True, "true", "True"}:
                for name in set(NAME.findall(old)) - set(NAME.findall(new)):
                    self._names[name].append((place, False))
        for text in given_texts(invocation) if not sides else ():
            lines = text.splitlines() if _PATCH.search(text) else []
            old = "\n".join(line[1:] for line in lines if line[:1] == "-")
            new = "\n".join(line[1:] for line in lines if line[:1] in {"+", " "})
            self._change(definitions(old), definitions(new if lines else text), place)
        self._read_files(invocation, held, bool(sides))

    def _read_files(
        self, invocation: Invocation, held: dict[str, set[str]], replaced: bool
    ) -> None:
        """Note what a call wrote as a whole, showed, or changed in a way that no text tells."""
        place = self._position[invocation.message_id]
        script = shell_script(invocation.call)
        touches = call_touches(invocation.call)
        written = [touch.path for touch in touches if touch.verb == "write"]
        if len(written) == 1 and not replaced:
            now = {name for text in given_texts(invocation) for name in definitions(text)}
            base = posixpath.basename(written[0])
            self._change(held[base] - now, (), place)
            held[base] = now
        elif script is None or not _OLD_STATES.search(script[:MAX_SCRIPT]):
            shown = definitions(invocation.output[:_MAX_TEXT])
            self._change((), shown, place + 1)
            for touch in touches if len(touches) == 1 else ():
                held[posixpath.basename(touch.path)].update(shown)
        for touch in touches if script is not None else ():
            if touch.verb == "edit":
                self._rewritten[posixpath.basename(touch.path)].append(place)

    def _change(self, before: Iterable[str], after: Iterable[str], place: int) -> None:
        """Note what came and went; a name that is still used may be imported from elsewhere."""
        for name in set(before).difference(after):
            self._names[name].append((place, False))
        for name in after:
            self._names[name].append((place, True))

    def _lose(self, path: str, place: int) -> None:
        self._lost[posixpath.basename(path.rstrip("/"))].append((path.rstrip("/"), place))

    def _left(self, path: str, place: int, asked: int) -> bool:
        """Whether a file, or a folder above it, was deleted or moved between two positions."""
        parts = path.split("/")
        above = ["/".join(parts[: number + 1]) for number in range(len(parts))]
        return any(
            place <= when <= asked and may_be_same(lost, each)
            for each, part in zip(above, parts, strict=True)
            for lost, when in self._lost.get(part, ())
        )

    def _taken_back(self, name: str, path: str, place: int, asked: int) -> bool:
        """Whether the user asked to take away something of that name or file."""
        stem = posixpath.splitext(posixpath.basename(path))[0]
        names = (each[:_LONGEST_NAME] for each in (name, stem) if each)
        named = re.compile("|".join(rf"\b{re.escape(each)}\b" for each in names))
        return any(
            _TAKE_BACK.search(text) and named.search(text)
            for when, text in self._requests
            if place < when <= asked
        )


@once_a_log
def standing_code(log: ProbeLog) -> StandingCode:
    """The code that stands at the end of a log, read once for all sources."""
    return StandingCode(log)


def standing_commits(log: ProbeLog, named: dict[str, int], asked: int) -> set[str]:
    """Commits that nothing has undone since they were last shown."""
    undone: dict[str, int] = {}
    rewritten = -1
    for place, message in enumerate(log.messages[: asked + 1]):
        if message.role != "user":
            for match in _REMOVED.finditer(readable(message)[:_MAX_TEXT]):
                undone[match["hash"][:7]] = place
    for command in log.commands:
        place = log.position[command.message_id]
        if place <= asked and _REWRITTEN.search(command.text[:MAX_SCRIPT]):
            rewritten = max(rewritten, place)
    return {
        hash
        for hash, place in named.items()
        if place > rewritten and place > undone.get(hash[:7], -1)
    }


class OtherChanges:
    """When files were or may have been changed by something other than the known edits.

    ``known`` holds the message and the path of each known edit.
    """

    def __init__(self, log: ProbeLog, known: Iterable[tuple[str, str]]) -> None:
        self._others: dict[str, int] = {}
        self._all: dict[str, dict[str, int]] = {}
        self._everything = -1
        left = Counter(known)
        for operation in log.operations:
            place = log.position[operation.message_id]
            sure_failure = operation.certain and not operation.succeeded
            if operation.operation == "read" or place > log.end or sure_failure:
                continue
            if operation.path == EVERY_PATH:
                self._everything = place
                continue
            renamed = operation.operation == "renamed"
            for path in {operation.path, operation.detail if renamed else operation.path}:
                self._all.setdefault(posixpath.basename(path), {})[path] = place
                left[operation.message_id, path] -= 1
                if left[operation.message_id, path] < 0 or not operation.certain:
                    self._others[path] = place

    def last(self, path: str) -> int:
        """The position of the last other change of the file under any name; -1 if there is none."""
        namesakes = self._all.get(posixpath.basename(path), {})
        ends = (place for other, place in namesakes.items() if same_end(other, path))
        return max(self._everything, self._others.get(path, -1), *ends, -1)
