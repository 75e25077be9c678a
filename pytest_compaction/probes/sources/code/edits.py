"""The edits that a session certainly made, and the old and new text of each."""

from __future__ import annotations

import posixpath
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_compaction.artifacts.operations import Invocation
from pytest_compaction.artifacts.tool_calls import call_touches
from pytest_compaction.conversation.messages import ToolCall
from pytest_compaction.probes.declarations import NAME, PROSE, definitions, given_texts
from pytest_compaction.probes.log import ProbeLog, once_a_log
from pytest_compaction.probes.merges import CONFLICT

_OLD: Final = ("oldtext", "oldstring", "oldstr", "search", "old")
_NEW: Final = ("newtext", "newstring", "newstr", "replace", "new")
_MAX_SIDE: Final = 50_000
_MAX_TEXT: Final = 200_000


def done_edits(log: ProbeLog) -> Iterator[tuple[Invocation, str]]:
    """The calls up to the last point that certainly edited one file, with its path."""
    failed = _uncertain(log)
    for invocation in log.invocations:
        edited = {touch.path for touch in call_touches(invocation.call) if touch.verb == "edit"}
        place = log.position[invocation.message_id]
        if len(edited) != 1 or place > log.points[-1]:
            continue
        path = edited.pop()
        if invocation.answered and (invocation.message_id, path) not in failed:
            yield invocation, path


def _uncertain(log: ProbeLog) -> set[tuple[str, str]]:
    """The messages and files of operations that failed, or of which the log tells no end."""
    return {
        (operation.message_id, operation.path)
        for operation in log.operations
        if not (operation.succeeded and operation.certain)
    }


@once_a_log
def worked_on(log: ProbeLog) -> Mapping[str, tuple[int, ...]]:
    """The functions, classes and types that calls wrote or changed, each with the positions.

    One that only stands around a change, so that the edit finds its place, does not count.
    """
    found: dict[str, list[int]] = {}
    for invocation in log.invocations:
        place = log.position[invocation.message_id]
        touches = [t for t in call_touches(invocation.call) if t.verb in {"write", "edit"}]
        if not touches or any(PROSE.search(touch.path) for touch in touches):
            continue
        texts = given_texts(invocation)
        sides = list(edited_sides(invocation.call)) if texts else []
        for old, new in sides or [("", text) for text in texts]:
            if CONFLICT.search(old):
                continue
            before = definitions(old)
            for name, text in definitions(new).items():
                if before.get(name) != text:
                    found.setdefault(name, []).append(place)
    return {name: tuple(places) for name, places in found.items()}


@once_a_log
def spoken_names(log: ProbeLog) -> frozenset[str]:
    """The names of code in what the user wrote, and the agent beside its calls."""
    said = [*log.turns("user"), *log.turns("assistant")]
    return frozenset(name for _, text in said for name in NAME.findall(text[:_MAX_TEXT]))


@once_a_log
def named_code(log: ProbeLog) -> Mapping[str, int]:
    """The names of code that somebody named, each with the first position.

    The user or the agent named it in prose, in a search, a command or a written text. What
    only stands around a change, or in a file before it is written anew, was not named.
    """
    found: dict[str, int] = {}

    def note(place: int, text: str) -> None:
        for name in NAME.findall(text[:_MAX_TEXT]):
            found[name] = min(place, found.get(name, place))

    for place, text in (*log.turns("user"), *log.turns("assistant")):
        note(place, text)
    held: dict[str, set[str]] = defaultdict(set)
    for invocation in log.invocations:
        place = log.position[invocation.message_id]
        given = given_texts(invocation)
        sides = list(edited_sides(invocation.call)) if given else []
        files = {posixpath.basename(touch.path) for touch in call_touches(invocation.call)}
        if sides:
            for each in sides:
                note(place, _changed_lines(each))
        else:
            known = set().union(*(held[file] for file in files))
            names = [name for text in given for name in NAME.findall(text[:_MAX_TEXT])]
            note(place, "\n".join(name for name in names if name not in known))
        if len(files) == 1:
            shown = NAME.findall(invocation.output[:_MAX_TEXT])
            held[files.pop()].update(map(sys.intern, shown))
    return found


def _changed_lines(sides: tuple[str, str]) -> str:
    """The lines that only one side of a replacement holds."""
    old, new = (dict.fromkeys(side.splitlines()) for side in sides)
    return "\n".join(line for line in {**old, **new} if line not in old or line not in new)


def edited_sides(call: ToolCall) -> Iterator[tuple[str, str]]:
    """The old and new text of each replacement of an edit, in order; one of them may be empty."""
    arguments = call.parsed()
    edits = arguments.get("edits")
    for given in [arguments, *(edits[:50] if isinstance(edits, list) else [])]:
        if isinstance(given, Mapping):
            named = {str(key).lower().replace("_", ""): value for key, value in given.items()}
            old, new = _first(named, _OLD), _first(named, _NEW)
            if old is not None and new is not None and (old or new):
                yield old, new


def _first(named: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    value = next((named[key] for key in keys if isinstance(named.get(key), str)), None)
    return value if value is not None and len(value) <= _MAX_SIDE else None
