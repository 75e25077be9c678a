"""Summarises by rules: gathers entries, keeps the last state of things, packs the best.

Entries come from what was said, from what commands printed, from values in files and from
what happened to files. Those of an earlier summary are read back and weighed by the same
rules as new ones, so that a condition of the first hour can outlast the chatter of the
last. The sections say which sources are wanted and where an entry stands: their
titles, their texts and their order do not change what is chosen. What is not gathered by a
section is left out, of things that changed the last state is kept, and each kind of entry has
its share of the room.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pytest_compaction.artifacts.outputs import error_kind, error_texts
from pytest_compaction.conversation.messages import Message
from pytest_compaction.models.offline.entries import (
    DEMAND_LEAD,
    KINDS,
    Entry,
    Kind,
    Topics,
    demand,
    report,
    said_entries,
    specificity,
)
from pytest_compaction.models.offline.tool_entries import (
    LAST_RUN,
    carried_file,
    file_entries,
    merged_files,
    outcome_entry,
    printed_entries,
    value_entries,
)
from pytest_compaction.models.structured_summary import EMPTY_SECTION, Section, Summary
from pytest_compaction.text import content_stems, normalize

_MARK: Final = "- "
_SETTLED: Final = 0.5
"""What is taken off the worth of a carried next step or state: it may be settled by now."""
_CURRENT: Final = 1.5
"""Bonus of what was said in the newest turn, from which the work goes on."""
_NEWEST: Final = 1.5
_COMMAND_LINE: Final = re.compile(r"^`(?P<command>[^`]+)`: \S")
_VALUE_LINE: Final = re.compile(r"^(?P<text>.+) \((?P<path>[\w./-]*\w\.\w+)\)$")
_SAME: Final = 0.75
_UPDATED: Final = 0.6
"""From this share of common stems on, two entries are the same, or one updates the other."""
_RAREST: Final = 4
_COMPARED: Final = 24
"""Entries are compared that share one of their rarest stems, and at most so many of them."""
_LINE_TOKENS: Final = 3
"""Tokens of a list mark and a line break."""
_HEADING_TOKENS: Final = 80
"""Room kept for headings, so that short and long titles leave the same room to entries."""
_SMALLEST: Final = 6
_EVEN: Final = 18
"""Tokens added to the cost of an entry when entries are ranked by worth for each token."""


def summarize(
    messages: Sequence[Message],
    sections: Sequence[Section],
    budget: int,
    previous: Summary | None,
    count: Callable[[str], int],
) -> Summary:
    """Fill ``sections`` from ``messages`` (merged into ``previous``) within ``budget`` tokens."""
    topics = Topics(messages)
    lines = [line for _, found in previous.entries for line in found] if previous else []
    carried = _carried(lines, topics)
    entries = _asked_for(_last_state([*carried, *_gathered(messages, topics)]), sections)
    return _placed(_chosen(entries, _room_for_entries(sections, budget, count), count), sections)


def _gathered(messages: Sequence[Message], topics: Topics) -> list[Entry]:
    """All candidate entries of the messages."""
    entries: list[Entry] = []
    opening = True
    users = [n for n, m in enumerate(messages) if m.role == "user" and m.origin == "log"]
    current = users[-1] if users else len(messages)  # where the newest turn begins
    for order, message in enumerate(messages):
        if message.role not in {"user", "assistant"} or not message.text.strip():
            continue
        lines = _list_items(message) if message.origin == "synthetic" else []
        if lines:
            entries.extend(_carried(lines, topics))
            opening = False
            continue
        by_user = message.role == "user" and message.origin == "log"
        fresh = said_entries(message, order, by_user and opening)
        entries.extend(_weighed(fresh, order / len(messages), order >= current))
        opening = opening and not by_user
    entries.extend(printed_entries(messages, topics))
    entries.extend(value_entries(messages, topics))
    entries.extend(file_entries(messages))
    return entries


def _weighed(entries: Iterable[Entry], age: float, current: bool) -> Iterator[Entry]:
    """Next steps and the state of things are worth more the newer they are, from 0 to 1."""
    for entry in entries:
        worth = entry.worth + (_CURRENT if current else 0.0)
        worth += _NEWEST * age if entry.kind in {"next", "state"} else 0.0
        yield replace(entry, worth=worth)


def _list_items(message: Message) -> list[str]:
    """The entries of an earlier summary that a message holds; its preamble is none."""
    lines = (line for line in message.text.splitlines() if line.startswith(_MARK))
    return [line.removeprefix(_MARK) for line in lines if line.strip() != EMPTY_SECTION]


def _carried(lines: Sequence[str], topics: Topics) -> list[Entry]:
    """The entries of an earlier summary, each older than every new one.

    The line alone tells the kind of its entry, whatever section it stands in.
    """
    numbered = enumerate(lines, -len(lines))
    return [next(_readings(text, order, topics)) for order, text in numbered if text]


def _readings(text: str, order: int, topics: Topics) -> Iterator[Entry]:
    file = carried_file(text, order)
    if file is not None:
        yield file
    if text.startswith(DEMAND_LEAD):
        yield demand(text, order)
    if text.startswith(LAST_RUN):
        yield Entry("state", text, 6.0, order, subject=LAST_RUN)
    if text.startswith("Commit "):
        yield Entry("outcome", text, 2.0, order, subject=text.partition(":")[0])
    if _COMMAND_LINE.match(text):
        command, _, outcome = text.removeprefix("`").partition("`: ")
        yield outcome_entry(command, outcome, order, topics)
    value = _VALUE_LINE.match(text)
    if value:
        worth = specificity(value["text"]) + 1.5
        yield Entry("value", text, worth, order, subject=text)
    if text in error_texts(text, failed=False):
        yield Entry("error", text, specificity(text) + 1.5, order, subject=error_kind(text))
    entry = report(text, order)
    settled = _SETTLED if entry.kind in {"next", "state"} else 0.0
    yield replace(entry, worth=entry.worth - settled)


def _last_state(entries: Iterable[Entry]) -> list[Entry]:
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


def _asked_for(entries: Iterable[Entry], sections: Sequence[Section]) -> list[Entry]:
    """The entries of the sources that some section gathers; no other is wanted."""
    gathered = {source for section in sections for source in section.gathers}
    return [entry for entry in entries if KINDS[entry.kind][0] in gathered]


def _chosen(entries: Iterable[Entry], room: int, count: Callable[[str], int]) -> list[Entry]:
    """The entries that fit ``room`` tokens, oldest first.

    Entries without worth are taken only if there is no other. The kind that has used least
    of its share is next, with its best entry by worth for each token. What does not fit is
    passed over. Details come last.
    """
    queues: dict[Kind, list[tuple[Entry, int]]] = {kind: [] for kind in KINDS}
    found = list(entries)
    for entry in [entry for entry in found if entry.worth > 0] or found:
        queues[entry.kind].append((entry, count(entry.text) + _LINE_TOKENS))
    for queue in queues.values():
        queue.sort(key=lambda pair: (_rank(*pair), pair[0].order, pair[0].text))
    used = dict.fromkeys(KINDS, 0.0)
    taken: list[Entry] = []
    while room >= _SMALLEST and any(queues.values()):
        kind = min((kind for kind in KINDS if queues[kind]), key=lambda kind: used[kind])
        entry, cost = queues[kind].pop()
        if cost <= room:
            taken.append(entry)
            room -= cost
            used[kind] += cost / KINDS[kind][1]
    detailed = _with_details(taken, room, count)
    return sorted(detailed, key=lambda entry: (entry.order, entry.text))


def _rank(entry: Entry, cost: int) -> float:
    return entry.worth / (cost + _EVEN)


def _with_details(taken: Sequence[Entry], room: int, count: Callable[[str], int]) -> list[Entry]:
    """The entries with the details that the room allows, the newest first."""
    found: list[Entry] = []
    for entry in sorted(taken, key=lambda entry: (-entry.order, entry.text)):
        cost = count(entry.detail) + 2 if entry.detail else 0
        fits = cost <= room
        room -= cost if fits else 0
        found.append(entry if fits else replace(entry, detail=""))
    return found


def _placed(entries: Iterable[Entry], sections: Sequence[Section]) -> Summary:
    """The entries, each in the section that asks for its source and for the fewest others."""
    lines: dict[str, dict[str, None]] = {section.id: {} for section in sections}
    for entry in entries:
        asking = [each for each in sections if KINDS[entry.kind][0] in each.gathers]
        section = min(asking, key=lambda each: len(each.gathers))
        lines[section.id][entry.full] = None
    return Summary(tuple((id, tuple(found)) for id, found in lines.items()))


def _room_for_entries(sections: Sequence[Section], budget: int, count: Callable[[str], int]) -> int:
    """The tokens of ``budget`` that entries may take, whatever the words of the titles."""
    headings = sum(count(f"## {section.title}") + _LINE_TOKENS for section in sections)
    return max(budget - max(headings, min(_HEADING_TOKENS, budget // 8)), 0)
