"""Recall probes about the functions and types that were defined for one request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Final

from pytest_compaction.probes.declarations import COMPOUND, NAME, declared, definitions
from pytest_compaction.probes.draft import Candidate, Draft
from pytest_compaction.probes.keys import identifier_keys
from pytest_compaction.probes.log import MAX_FACTS, ProbeLog
from pytest_compaction.probes.sources.code.definitions import METHODS_SEEN
from pytest_compaction.probes.sources.code.edits import edited_sides, worked_on
from pytest_compaction.probes.sources.code.standing import standing_code

_MAX_NAMED: Final = 12
_MAX_TEXT: Final = 200_000
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
                least=1,
                whole=len(told),
            )
            return
