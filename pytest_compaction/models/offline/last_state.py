"""The last state of things: repetitions and stale values among the entries are dropped."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pytest_compaction.models.offline.entry import Entry
from pytest_compaction.models.offline.file_entries import merged_files
from pytest_compaction.text import content_stems, normalize

_SAME: Final = 0.75
_UPDATED: Final = 0.6
"""From this share of common stems on, two entries are the same, or one updates the other."""
_RAREST: Final = 4
_COMPARED: Final = 24
"""Entries are compared that share one of their rarest stems, and at most so many of them."""


def last_state(entries: Iterable[Entry]) -> list[Entry]:
    """The entries that are still true, each once, oldest first.

    Of the entries about the same subject the newest stays, of a file all that happened to
    it. An entry that a newer one of its kind repeats, or restates with other figures, gives
    way to it.
    """
    ordered = sorted(entries, key=lambda entry: entry.order)
    files = merged_files(entry for entry in ordered if entry.kind == "file")
    newest = _newest_of_each_subject(entry for entry in ordered if entry.kind != "file")
    return sorted([*files, *_without_repetition(newest)], key=lambda entry: entry.order)


def _newest_of_each_subject(entries: Iterable[Entry]) -> list[Entry]:
    kept: dict[str, Entry] = {}
    for number, entry in enumerate(entries):
        key = f"{entry.kind} {entry.subject}" if entry.subject else f"{number}"
        before = kept.pop(key, None)
        kept[key] = (
            entry if before is None else replace(entry, worth=max(entry.worth, before.worth))
        )
    return list(kept.values())


@dataclass(slots=True)
class _Seen:
    """The entries kept so far, newest first, and where each stem stands."""

    entries: list[Entry] = field(default_factory=list)
    stems: list[frozenset[str]] = field(default_factory=list)
    holders: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def add(self, entry: Entry, stems: frozenset[str], rarest: Sequence[str]) -> None:
        for stem in rarest:
            self.holders[stem].append(len(self.entries))
        self.entries.append(entry)
        self.stems.append(stems)

    def newer_form(self, stems: frozenset[str], rarest: Sequence[str]) -> int | None:
        """The place of a newer entry that says the same or updates it."""
        places = dict.fromkeys(place for stem in rarest for place in self.holders[stem])
        figures = _figures(stems)
        for place in list(places)[:_COMPARED]:
            others = self.stems[place]
            likeness = len(stems & others) / (len(stems | others) or 1)
            updated = likeness >= _UPDATED and figures and _figures(others) - figures
            if likeness >= _SAME or updated or (len(stems) > 2 and stems <= others):
                return place
        return None


def _figures(stems: frozenset[str]) -> set[str]:
    return {stem for stem in stems if stem[:1].isdigit()}


def _without_repetition(entries: Sequence[Entry]) -> list[Entry]:
    read = [frozenset(content_stems(normalize(entry.text))) for entry in entries]
    counts = Counter(stem for stems in read for stem in stems)
    seen = _Seen()
    for entry, stems in sorted(
        zip(entries, read, strict=True), key=lambda pair: pair[0].order, reverse=True
    ):
        shared = (stem for stem in stems if counts[stem] > 1)
        rarest = sorted(shared, key=lambda stem: (counts[stem], stem))[:_RAREST]
        place = None if entry.subject else seen.newer_form(stems, rarest)
        if place is None:
            seen.add(entry, stems, rarest)
        else:
            newer = seen.entries[place]
            seen.entries[place] = replace(newer, worth=max(newer.worth, entry.worth))
    return seen.entries
