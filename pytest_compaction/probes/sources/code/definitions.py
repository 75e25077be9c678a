"""File probes about code: which functions, classes and types did the session add to a file?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_compaction.artifacts.operations import Invocation, file_states
from pytest_compaction.conversation.messages import readable
from pytest_compaction.probes.declarations import DECLARING, MODIFIERS, NAME
from pytest_compaction.probes.draft import Candidate, Draft
from pytest_compaction.probes.keys import identifier_keys
from pytest_compaction.probes.log import ProbeLog
from pytest_compaction.probes.passing import TRANSIENT
from pytest_compaction.probes.sources.code.edits import done_edits, edited_sides
from pytest_compaction.probes.sources.code.other_changes import OtherChanges

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
            least=1,
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
