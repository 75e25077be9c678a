"""Probes about edits: definitions that they added, values that they changed."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Final

from pytest_compaction.artifacts import Invocation, file_states
from pytest_compaction.case import Trap
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
from pytest_compaction.case_making.log import (
    MAX_FACTS,
    Candidate,
    Draft,
    Found,
    ProbeLog,
    name_candidate,
)
from pytest_compaction.case_making.shell_evidence import TRANSIENT
from pytest_compaction.case_making.standing import OtherChanges, standing_code
from pytest_compaction.conversation import readable

_DEFINED: Final = re.compile(rf"^[ \t]*{MODIFIERS}{DECLARING}\s+({NAME.pattern})", re.MULTILINE)
_SHOWN: Final = re.compile(rf"{DECLARING} ({NAME.pattern})")
_COMPOUND: Final = re.compile(r"[a-z_$\d][A-Z]|_|\d")
"""What tells a name of code from an ordinary word."""
_METHODS_SEEN: Final = re.compile(r"\.(?:go|py|rs|rb|php|kt|swift|lua)$", re.I)
"""Files of languages in which a word stands before each method, so that none is missed."""
_MAX_TEXT: Final = 200_000
_MAX_SIDE: Final = 20_000
_MOST: Final = 6
"""A file to which more was added is left out: nobody has to list all of it."""
_MAX_KEYS: Final = 5
_ASSIGNED: Final = re.compile(
    r"^[ \t]*[\"']?([A-Za-z_][\w.-]{2,40})[\"']?[ \t]*[:=](?![=:])[ \t]*[\"']?"
    r"(#?\w[\w.%#/-]{0,40}?)[\"']?[,;]?[ \t]*$",
    re.MULTILINE,
)
_MEMBER: Final = re.compile(r"[A-Za-z_]\w*\.[A-Za-z_]")
"""A value such as ``cp.Description``, which its name tells."""
_NEARLY: Final = 0.85
"""A word of the request that is so like a name gives it away, typing errors and all."""


def definition_drafts(log: ProbeLog) -> Iterator[Draft]:
    """One draft for each file: what edits defined in it that was nowhere before and still stands.

    A file that something else changed after its edits, that is gone, or that the session made
    itself gives none, nor does one of which an edit moved or renamed a definition.
    """
    states = file_states([o for o in log.operations if log.position[o.message_id] <= log.end])
    there = {s.path for s in states if s.certain and not s.deleted and not s.created}
    for path, names in _added(log).items():
        plain = not _METHODS_SEEN.search(path) or not all(map(_COMPOUND.search, names))
        if path not in there or plain or not 0 < len(names) <= _MOST or TRANSIENT.search(path):
            continue
        asked = f"Which functions, classes or types did the edits of `{path}` add"
        question, whole = f"{asked}, as it stands now?", len(names)
        found = log.find_all(map(name_candidate, names), log.end, most=8)
        rank = 0.34 - 0.02 * whole
        yield Draft("file", "definitions", question, found, log.last, rank, whole=whole)


def _added(log: ProbeLog) -> dict[str, list[str]]:
    """By file, the names that its edits defined and did not remove again."""
    edits: dict[str, list[Invocation]] = defaultdict(list)
    for invocation, path in done_edits(log):
        edits[path].append(invocation)
    shown = _shown(log)
    changes = OtherChanges(log, [(e.message_id, path) for path in edits for e in edits[path]])
    found: dict[str, list[str]] = {}
    for path, held in edits.items():
        complete = all(len(list(edited_sides(e.call))) == _replacements(e) for e in held)
        if not complete or changes.last(path) > log.position[held[0].message_id]:
            continue
        names: dict[str, None] = {}
        moved = False
        for invocation in held:
            place = log.position[invocation.message_id]
            for old, new in edited_sides(invocation.call):
                before, after = (dict.fromkeys(_DEFINED.findall(side)) for side in (old, new))
                gone = before.keys() - after.keys()
                come = [name for name in after if name not in before]
                moved |= bool(gone and come) or any(shown[name] < place for name in come)
                for name in gone:
                    names.pop(name, None)
                names.update(dict.fromkeys(come))
        if not moved:
            found[path] = list(names)
    return found


def _replacements(invocation: Invocation) -> int:
    """Number of replacements of an edit, whether or not both sides of each are known."""
    edits = invocation.call.parsed().get("edits")
    return len(edits) if isinstance(edits, list) else 1


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


@dataclass(slots=True)
class _History:
    """The values that one key of a file had, in order; ``broken`` when there is a gap."""

    values: list[str] = field(default_factory=list)
    place: int = 0
    broken: bool = False

    def note(self, old: list[str], new: list[str], place: int) -> None:
        """Record that an edit at ``place`` replaced old values by new ones.

        If the old one is not the last known value, the key occurs twice in the file or
        something else changed it.
        """
        follows = not self.values or old == self.values[-1:]
        if len(old) > 1 or len(new) > 1 or (old != new and not (new and follows)):
            self.broken = True
        elif old != new:
            self.values += [value for value in old + new if value not in self.values[-1:]]
            self.place = place


def changed_drafts(log: ProbeLog) -> Iterator[Draft]:
    """One draft per file: the last values of its keys, if nothing else can have set them."""
    histories: dict[str, dict[str, _History]] = defaultdict(lambda: defaultdict(_History))
    known: list[tuple[str, str]] = []
    for invocation, path in done_edits(log):
        sides = list(edited_sides(invocation.call))
        if len(sides) < _replacements(invocation):
            continue
        known.append((invocation.message_id, path))
        for before, after in (map(_assigned, side) for side in sides):
            for key in {**before, **after}:
                history = histories[path][key]
                place = log.position[invocation.message_id]
                history.note(before.get(key, []), after.get(key, []), place)
    changes = OtherChanges(log, known)
    for path, keys in histories.items():
        moved = {
            key: history.values
            for key, history in keys.items()
            if len(history.values) > 1 and not history.broken and changes.last(path) < history.place
        }
        yield from _last_values(log, path, moved)


def _assigned(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, value in _ASSIGNED.findall(text[:_MAX_SIDE]):
        found.setdefault(key, []).append(value)
    return found


def _last_values(log: ProbeLog, path: str, moved: Mapping[str, Sequence[str]]) -> Iterator[Draft]:
    """Last values of the keys of a file, where name and value can be told from others."""
    found: dict[str, Found] = {}
    for key, values in moved.items():
        told = Candidate(f"{key}: {values[-1]}", "value", identifier_keys(key, values[-1]))
        if (entry := log.find(told, log.end, most=6)) is not None:
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
    traps = tuple(
        Trap(f"{key}: {value}", keys=identifier_keys(key, value), of=found[key].fact.text)
        for key in names
        for value in dict.fromkeys(moved[key][:-1])
        if value != moved[key][-1]
    )
    were, each, rank = ("were", "each", 0.08) if len(names) > 1 else ("was", "it", 0.16)
    shown = ", ".join(f"`{key}`" for key in names)
    asked = f"Edits changed values in `{path}`. To what {were} {shown} set last?"
    question = f"{asked} Write {each} as `name: value`."
    facts = tuple(found[key] for key in names)
    yield Draft("recall", "changed-values", question, facts, log.last, rank, traps)


def added_code(log: ProbeLog) -> Iterator[tuple[str, int]]:
    """The names that calls were the first to define, with the position; empty where in doubt.

    An edit that both took away and added definitions may have renamed one.
    """
    worked = worked_on(log)
    shown: dict[str, int] = {}
    renaming: set[int] = set()
    for invocation in log.invocations:
        place = log.position[invocation.message_id]
        for name in worked.keys() & set(NAME.findall(invocation.output[:_MAX_TEXT])):
            shown.setdefault(name, place + 1)
        for old, new in edited_sides(invocation.call):
            before, after = definitions(old).keys(), definitions(new).keys()
            if before - after and after - before:
                renaming.add(place)
    paths = {each.name: each.path for each in declared(log) if each.path}
    code = standing_code(log)
    for name, (first, *_) in worked.items():
        path = paths.get(name, "")
        clear = first not in renaming and COMPOUND.search(name)
        stands = _METHODS_SEEN.search(path) and code.has(name, path, log.end)
        yield (name if clear and stands and shown.get(name, first) >= first else ""), first


def code_drafts(log: ProbeLog, quoted: str, added: Sequence[tuple[str, int]]) -> Iterator[Draft]:
    """A draft about the functions and types that were defined for one request, if all can be.

    ``added`` are the names with the positions of the edits; nothing is asked before the last.
    """
    names, whole = [name for name, _ in added], len(added)
    if not 0 < whole <= MAX_FACTS or not all(names):
        return
    if any(get_close_matches(name, NAME.findall(quoted), 1, _NEARLY) for name in names):
        return
    last = max(place for _, place in added)
    point, found = log.find_all_due(list(map(name_candidate, names)), last, most=12)
    if len(found) == whole:
        question = (
            f"After the user had written “{quoted}” and before the next message of the user, "
            "which functions, classes or types did the agent's edits newly define?"
        )
        yield Draft("recall", "request-code", question, found, point, 0.32, whole=whole)
