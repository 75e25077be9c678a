"""Which entries a summary takes: each kind in turn by its share, the best of a kind first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.models.offline.entry import SOURCE_OF, Entry, Kind, TokenCount
from pytest_compaction.models.structured_summary import Section, Source, Summary

SHARES: Final[Mapping[Kind, float]] = {
    "demand": 0.20,
    "decision": 0.17,
    "next": 0.07,
    "error": 0.08,
    "state": 0.04,
    "finding": 0.10,
    "outcome": 0.12,
    "value": 0.10,
    "file": 0.15,
}
"""The share of the room for each kind, as long as it has entries; the others get the rest."""
LINE_TOKENS: Final = 3
"""Tokens of a list mark and a line break."""
HEADING_TOKENS: Final = 80
"""Room kept for headings, so that short and long titles leave the same room to entries."""
_SMALLEST: Final = 6
_EVEN: Final = 18
"""Tokens added to the cost of an entry when entries are ranked by worth for each token."""


def asked_for(entries: Iterable[Entry], sections: Sequence[Section]) -> list[Entry]:
    """The entries of the sources that some section gathers; no other is wanted."""
    gathered = {source for section in sections for source in section.gathers}
    return [entry for entry in entries if SOURCE_OF[entry.kind] in gathered]


def chosen(entries: Iterable[Entry], room: int, count: TokenCount) -> list[Entry]:
    """The entries that fit ``room`` tokens, oldest first.

    Entries without worth are taken only if there is no other. The kind that has used least
    of its share is next, with its best entry by worth for each token. What does not fit is
    passed over. Details come last.
    """
    queues: dict[Kind, list[tuple[Entry, int]]] = {kind: [] for kind in SHARES}
    found = list(entries)
    for entry in [entry for entry in found if entry.worth > 0] or found:
        queues[entry.kind].append((entry, count(entry.text) + LINE_TOKENS))
    for queue in queues.values():
        queue.sort(key=lambda pair: (_rank(*pair), pair[0].order, pair[0].text))
    used = dict.fromkeys(SHARES, 0.0)
    taken: list[Entry] = []
    while room >= _SMALLEST and any(queues.values()):
        kind = min((kind for kind in SHARES if queues[kind]), key=lambda kind: used[kind])
        entry, cost = queues[kind].pop()
        if cost <= room:
            taken.append(entry)
            room -= cost
            used[kind] += cost / SHARES[kind]
    detailed = _with_details(taken, room, count)
    return sorted(detailed, key=lambda entry: (entry.order, entry.text))


def _rank(entry: Entry, cost: int) -> float:
    return entry.worth / (cost + _EVEN)


def _with_details(taken: Sequence[Entry], room: int, count: TokenCount) -> list[Entry]:
    """The entries with the details that the room allows, the newest first."""
    found: list[Entry] = []
    for entry in sorted(taken, key=lambda entry: (-entry.order, entry.text)):
        cost = count(entry.detail) + 2 if entry.detail else 0
        fits = cost <= room
        room -= cost if fits else 0
        found.append(entry if fits else replace(entry, detail=""))
    return found


def placed(entries: Iterable[Entry], sections: Sequence[Section]) -> Summary:
    """The entries in the sections that ask for them; a section says only where they stand."""
    lines: dict[str, dict[str, None]] = {section.id: {} for section in sections}
    for entry in entries:
        section = _section_of(SOURCE_OF[entry.kind], sections)
        lines[section.id][entry.full] = None
    return Summary(tuple((id, tuple(found)) for id, found in lines.items()))


def _section_of(source: Source, sections: Sequence[Section]) -> Section:
    """The section that asks for a source and for the fewest others."""
    asking = [section for section in sections if source in section.gathers]
    return min(asking, key=lambda section: len(section.gathers))


def room_for_entries(sections: Sequence[Section], budget: int, count: TokenCount) -> int:
    """The tokens of ``budget`` that entries may take, whatever the words of the titles."""
    headings = sum(count(f"## {section.title}") + LINE_TOKENS for section in sections)
    return max(budget - max(headings, min(HEADING_TOKENS, budget // 8)), 0)
