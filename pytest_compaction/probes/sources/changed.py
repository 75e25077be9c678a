"""Recall probes about values that edits changed: the last is asked for, older ones are traps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pytest_compaction.case.case import Trap
from pytest_compaction.probes.draft import Candidate, Draft, Found
from pytest_compaction.probes.keys import identifier_keys
from pytest_compaction.probes.log import ProbeLog
from pytest_compaction.probes.sources.code.edits import done_edits, edited_sides
from pytest_compaction.probes.sources.code.other_changes import OtherChanges

_MAX_TEXT: Final = 20_000
_MAX_KEYS: Final = 5
_MAX_MENTIONS: Final = 6
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
    for key, value in _ASSIGNED.findall(text[:_MAX_TEXT]):
        found.setdefault(key, []).append(value)
    return found


def _draft(
    log: ProbeLog, path: str, moved: Mapping[str, Sequence[str]], point: int
) -> Iterator[Draft]:
    found: dict[str, Found] = {}
    for key, values in moved.items():
        keys = identifier_keys(key, values[-1])
        candidate = Candidate(f"{key}: {values[-1]}", "value", keys)
        entry = log.find(candidate, log.points[point], most=_MAX_MENTIONS)
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
        least=1,
    )
