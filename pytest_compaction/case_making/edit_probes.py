"""Probes about edits: definitions that they added, values that they changed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Final

from pytest_compaction.artifacts.operations import Invocation, file_states
from pytest_compaction.case.case import Trap
from pytest_compaction.case_making.declarations import (
    COMPOUND,
    DECLARING,
    MODIFIERS,
    NAME,
    declared,
    definitions,
    done_edits,
    edited_sides,
    worked_on,
)
from pytest_compaction.case_making.keys import identifier_keys
from pytest_compaction.case_making.log import MAX_FACTS, Candidate, Draft, Found, ProbeLog
from pytest_compaction.case_making.shell_evidence import TRANSIENT
from pytest_compaction.case_making.standing import OtherChanges, standing_code
from pytest_compaction.conversation.messages import readable

_DEFINED: Final = re.compile(rf"^[ \t]*{MODIFIERS}{DECLARING}\s+({NAME.pattern})", re.MULTILINE)
_SHOWN: Final = re.compile(rf"{DECLARING} ({NAME.pattern})")
_COMPOUND: Final = re.compile(r"[a-z_$\d][A-Z]|_|\d")
"""What tells a name of code from an ordinary word."""
METHODS_SEEN: Final = re.compile(r"\.(?:go|py|rs|rb|php|kt|swift|lua)$", re.I)
"""Files of languages in which a word stands before each method, so that none is missed."""
_MAX_TEXT: Final = 200_000
_MAX_MENTIONS: Final = 8
_MOST: Final = 6
"""A file to which more was added is left out: nobody has to list all of it."""


def definition_drafts(log: ProbeLog) -> Iterator[Draft]:
    """One draft for each file: what edits defined in it that was nowhere before and still stands.

    A file that something else changed after its edits, that is gone, or that the session made
    itself gives none, nor does one of which an edit moved or renamed a definition.
    """
    point = len(log.points) - 1
    added = _added(log)
    states = file_states(
        [o for o in log.operations if log.position[o.message_id] <= log.points[-1]]
    )
    there = {s.path for s in states if s.certain and not s.deleted and not s.created}
    for path, names in added.items():
        plain = any(not _COMPOUND.search(name) for name in names)
        plain |= not METHODS_SEEN.search(path)
        if path not in there or plain or not 0 < len(names) <= _MOST or TRANSIENT.search(path):
            continue
        told = (Candidate(name, "identifier", identifier_keys(name)) for name in names)
        yield Draft(
            "file",
            "definitions",
            f"Which functions, classes or types did the edits of `{path}` add, as it stands now?",
            log.find_all(told, log.points[point], most=_MAX_MENTIONS),
            point,
            0.34 - 0.02 * len(names),
            whole=len(names),
        )


def _added(log: ProbeLog) -> dict[str, list[str]]:
    """By file, the names that its edits defined and did not remove again."""
    edits: dict[str, list[Invocation]] = {}
    for invocation, path in done_edits(log):
        edits.setdefault(path, []).append(invocation)
    shown = _shown(log)
    changes = OtherChanges(
        log, [(i.message_id, path) for path, held in edits.items() for i in held]
    )
    found: dict[str, list[str]] = {}
    for path, held in edits.items():
        names: dict[str, None] = {}
        start = log.position[held[0].message_id]
        readable_edits = all(_complete(invocation) for invocation in held)
        if not readable_edits or changes.last(path) > start:
            continue
        moved = False
        for invocation in held:
            place = log.position[invocation.message_id]
            for old, new in edited_sides(invocation.call):
                before, after = _defined(old), _defined(new)
                gone = [name for name in before if name not in after]
                come = [name for name in after if name not in before]
                moved |= bool(gone and come)
                moved |= any(shown[name] < place for name in come)
                for name in gone:
                    names.pop(name, None)
                names.update(dict.fromkeys(come))
        if not moved:
            found[path] = list(names)
    return found


def _complete(invocation: Invocation) -> bool:
    """Whether both sides of every replacement of an edit are known."""
    edits = invocation.call.parsed().get("edits")
    wanted = len(edits) if isinstance(edits, list) else 1
    return len(list(edited_sides(invocation.call))) == wanted


def _shown(log: ProbeLog) -> dict[str, int]:
    """The position of the first message that shows the definition of each name."""
    first: dict[str, int] = {}
    for place, message in enumerate(log.messages):
        texts = [text for call in message.calls for text in _strings(call.parsed())]
        for text in (readable(message)[:_MAX_TEXT], *texts):
            for name in _SHOWN.findall(text):
                first.setdefault(name, place)
    return first


def _strings(value: Any) -> Iterator[str]:
    """The texts in the arguments of a call."""
    if isinstance(value, str):
        yield value[:_MAX_TEXT]
    elif isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _strings(each)


def _defined(text: str) -> list[str]:
    return list(dict.fromkeys(_DEFINED.findall(text)))


_MAX_SIDE: Final = 20_000
_MAX_KEYS: Final = 5
_MAX_VALUE_MENTIONS: Final = 6
_ASSIGNED: Final = re.compile(
    r"^[ \t]*[\"']?([A-Za-z_][\w.-]{2,40})[\"']?[ \t]*[:=](?![=:])[ \t]*[\"']?"
    r"(#?\w[\w.%#/-]{0,40}?)[\"']?[,;]?[ \t]*$",
    re.MULTILINE,
)


_MEMBER: Final = re.compile(r"[A-Za-z_]\w*\.[A-Za-z_]")
"""A value such as ``cp.Description``, which its name tells."""


@dataclass(slots=True)
class _History:
    """The values that one key of a file had, in order; ``broken`` when there is a gap."""

    values: list[str] = field(default_factory=list)
    place: int = 0
    broken: bool = False

    def note(self, old: str | None, new: str | None, place: int) -> None:
        """Record that an edit at ``place`` replaced ``old`` by ``new``; ``None`` for no value.

        If ``old`` is not the last known value, the key occurs twice in the file or
        something else changed it.
        """
        if new is None or (self.values and old != self.values[-1]):
            self.broken = True
            return
        self.values += [value for value in (old, new) if value and value not in self.values[-1:]]
        self.place = place


def changed_drafts(log: ProbeLog) -> Iterator[Draft]:
    """One draft per file: the last values of its keys, if nothing else can have set them."""
    point = len(log.points) - 1
    histories: dict[str, dict[str, _History]] = {}
    known: Counter[tuple[str, str]] = Counter()
    for invocation, path in done_edits(log):
        sides = list(edited_sides(invocation.call))
        edits = invocation.call.parsed().get("edits")
        if len(sides) < (len(edits) if isinstance(edits, list) else 1):
            continue
        known[invocation.message_id, path] += 1
        keys = histories.setdefault(path, {})
        for old, new in sides:
            _note(keys, old, new, log.position[invocation.message_id])
    changes = OtherChanges(log, known.elements())
    for path, keys in histories.items():
        moved = {
            key: history.values
            for key, history in keys.items()
            if len(history.values) > 1 and not history.broken and changes.last(path) < history.place
        }
        yield from _draft(log, path, moved, point)


def _note(keys: dict[str, _History], old: str, new: str, place: int) -> None:
    before, after = _assigned(old), _assigned(new)
    for key in {**before, **after}:
        was, now = before.get(key, []), after.get(key, [])
        history = keys.setdefault(key, _History())
        if len(was) > 1 or len(now) > 1:
            history.broken = True
        elif was != now:
            history.note(was[0] if was else None, now[0] if now else None, place)


def _assigned(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, value in _ASSIGNED.findall(text[:_MAX_SIDE]):
        found.setdefault(key, []).append(value)
    return found


def _draft(
    log: ProbeLog, path: str, moved: Mapping[str, Sequence[str]], point: int
) -> Iterator[Draft]:
    found: dict[str, Found] = {}
    for key, values in moved.items():
        keys = identifier_keys(key, values[-1])
        candidate = Candidate(f"{key}: {values[-1]}", "value", keys)
        entry = log.find(candidate, log.points[point], most=_MAX_VALUE_MENTIONS)
        if entry is not None:
            found[key] = entry
    ends = Counter(moved[key][-1] for key in found)
    names = [
        key
        for key in found
        if key not in ends
        and ends[moved[key][-1]] == 1
        and not _MEMBER.match(moved[key][-1])
        and not set(moved[key]) & moved.keys()
    ]
    names = sorted(names, key=lambda key: (-len(moved[key]), key))[:_MAX_KEYS]
    if not names:
        return
    traps = [
        Trap(f"{key}: {value}", keys=identifier_keys(key, value), of=found[key].fact.text)
        for key in names
        for value in dict.fromkeys(moved[key][:-1])
        if value != moved[key][-1]
    ]
    shown = ", ".join(f"`{key}`" for key in names)
    yield Draft(
        "recall",
        "changed-values",
        f"Edits changed values in `{path}`. To what {'was' if len(names) == 1 else 'were'} {shown} "
        f"set last? Write {'it' if len(names) == 1 else 'each'} as `name: value`.",
        tuple(found[key] for key in names),
        point,
        0.08 if len(names) > 1 else 0.16,
        tuple(traps),
    )


_MAX_NAMED: Final = 12
_NEARLY: Final = 0.85
"""A word of the request that is so like a name gives it away, typing errors and all."""


def added_code(log: ProbeLog) -> Iterator[tuple[str, int]]:
    """The names that calls were the first to define, with the position; empty where in doubt."""
    worked = worked_on(log)
    shown = _first_shown(log, worked)
    paths = {each.name: each.path for each in declared(log) if each.path}
    code = standing_code(log)
    renaming = _renaming(log)
    for name, (first, *_) in worked.items():
        new = shown.get(name, first) >= first and COMPOUND.search(name)
        path = paths.get(name, "")
        stands = new and METHODS_SEEN.search(path) and code.has(name, path, log.points[-1])
        yield (name if stands and first not in renaming else ""), first


def _first_shown(log: ProbeLog, names: Iterable[str]) -> dict[str, int]:
    """The first position at which a result shows each of these names of code."""
    wanted = set(names)
    found: dict[str, int] = {}
    for invocation in log.invocations:
        place = log.position[invocation.message_id] + 1
        for name in wanted.intersection(NAME.findall(invocation.output[:_MAX_TEXT])):
            found.setdefault(name, place)
    return found


def _renaming(log: ProbeLog) -> set[int]:
    """The positions of edits that both took away and added definitions."""
    return {
        log.position[invocation.message_id]
        for invocation in log.invocations
        for old, new in edited_sides(invocation.call)
        if definitions(old).keys() - definitions(new).keys()
        and definitions(new).keys() - definitions(old).keys()
    }


def code_drafts(log: ProbeLog, quoted: str, added: Sequence[tuple[str, int]]) -> Iterator[Draft]:
    """A draft about the functions and types that were defined for one request, if all can be.

    ``added`` are the names with the positions of the edits; nothing is asked before the last.
    """
    names = [name for name, _ in added]
    if not 0 < len(names) <= MAX_FACTS or not all(names):
        return
    if any(get_close_matches(name, NAME.findall(quoted), 1, _NEARLY) for name in names):
        return
    told = [Candidate(name, "identifier", identifier_keys(name)) for name in names]
    for point, asked in enumerate(log.points):
        due = asked >= max(place for _, place in added)
        found = log.find_all(told, asked, most=_MAX_NAMED) if due else ()
        if len(found) == len(told):
            yield Draft(
                "recall",
                "request-code",
                f"After the user had written “{quoted}” and before the next message of the user, "
                "which functions, classes or types did the agent's edits newly define?",
                found,
                point,
                0.32,
                whole=len(told),
            )
            return
