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
from dataclasses import replace
from typing import Final

from pytest_compaction.artifacts import error_kind, error_texts
from pytest_compaction.conversation import Message
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
    entries = [*_carried(lines, topics), *_gathered(messages, topics)]
    asked_for = {source for section in sections for source in section.gathers}
    wanted = [entry for entry in _last_state(entries) if KINDS[entry.kind][0] in asked_for]
    # Room for headings, so that short and long titles leave the same room to entries.
    headings = sum(count(f"## {section.title}") + _LINE_TOKENS for section in sections)
    room = max(budget - max(headings, min(_HEADING_TOKENS, budget // 8)), 0)
    # Each entry stands in the section that asks for its source and for the fewest others.
    placed: dict[str, dict[str, None]] = {section.id: {} for section in sections}
    for entry in _chosen(wanted, room, count):
        asking = [each for each in sections if KINDS[entry.kind][0] in each.gathers]
        placed[min(asking, key=lambda each: len(each.gathers)).id][entry.full] = None
    return Summary(tuple((id, tuple(found)) for id, found in placed.items()))


def _gathered(messages: Sequence[Message], topics: Topics) -> list[Entry]:
    """All candidate entries of the messages."""
    entries: list[Entry] = []
    opening = True
    users = [n for n, m in enumerate(messages) if m.role == "user" and m.origin == "log"]
    current = users[-1] if users else len(messages)  # where the newest turn begins
    for order, message in enumerate(messages):
        if message.role not in {"user", "assistant"} or not message.text.strip():
            continue
        # The entries of an earlier summary that a message holds; its preamble is none.
        items = (line for line in message.text.splitlines() if line.startswith(_MARK))
        lines = [line.removeprefix(_MARK) for line in items if line.strip() != EMPTY_SECTION]
        if message.origin == "synthetic" and lines:
            entries.extend(_carried(lines, topics))
            opening = False
            continue
        by_user = message.role == "user" and message.origin == "log"
        for entry in said_entries(message, order, by_user and opening):
            # Next steps and the state of things are worth more the newer they are.
            newest = order / len(messages) if entry.kind in {"next", "state"} else 0.0
            worth = entry.worth + (_CURRENT if order >= current else 0.0)
            entries.append(replace(entry, worth=worth + _NEWEST * newest))
        opening = opening and not by_user
    entries.extend(printed_entries(messages, topics))
    entries.extend(value_entries(messages, topics))
    entries.extend(file_entries(messages))
    return entries


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
    newest: dict[str, Entry] = {}
    for number, entry in enumerate(entry for entry in ordered if entry.kind != "file"):
        key = f"{entry.kind} {entry.subject}" if entry.subject else f"{number}"
        before = newest.pop(key, entry)
        newest[key] = replace(entry, worth=max(entry.worth, before.worth))
    kept = _without_repetition(list(newest.values()))
    return sorted([*files, *kept], key=lambda entry: entry.order)


def _without_repetition(entries: Sequence[Entry]) -> list[Entry]:
    """The entries without those that a newer one repeats or updates, the newest first.

    Entries are compared that share one of their rarest stems.
    """
    read = [frozenset(content_stems(normalize(entry.text))) for entry in entries]
    counts = Counter(stem for stems in read for stem in stems)
    kept: list[tuple[Entry, frozenset[str]]] = []
    holders: dict[str, list[int]] = defaultdict(list)
    newest_first = sorted(
        zip(entries, read, strict=True), key=lambda pair: pair[0].order, reverse=True
    )
    for entry, stems in newest_first:
        shared = (stem for stem in stems if counts[stem] > 1)
        rarest = sorted(shared, key=lambda stem: (counts[stem], stem))[:_RAREST]
        places = dict.fromkeys(place for stem in rarest for place in holders[stem])
        near = () if entry.subject else list(places)[:_COMPARED]
        place = next((place for place in near if _is_newer_form(kept[place][1], stems)), None)
        if place is None:
            for stem in rarest:
                holders[stem].append(len(kept))
            kept.append((entry, stems))
        else:
            newer, its = kept[place]
            kept[place] = replace(newer, worth=max(newer.worth, entry.worth)), its
    return [entry for entry, _ in kept]


def _is_newer_form(newer: frozenset[str], older: frozenset[str]) -> bool:
    """Whether an entry with these stems says the same as an older one, or updates it."""
    figures, others = ({stem for stem in stems if stem[:1].isdigit()} for stems in (older, newer))
    likeness = len(older & newer) / (len(older | newer) or 1)
    updated = likeness >= _UPDATED and bool(figures and others - figures)
    return likeness >= _SAME or updated or (len(older) > 2 and older <= newer)


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
        queue.sort(
            key=lambda pair: (pair[0].worth / (pair[1] + _EVEN), pair[0].order, pair[0].text)
        )
    used = dict.fromkeys(KINDS, 0.0)
    taken: list[Entry] = []
    while room >= _SMALLEST and any(queues.values()):
        kind = min((kind for kind in KINDS if queues[kind]), key=lambda kind: used[kind])
        entry, cost = queues[kind].pop()
        if cost <= room:
            taken.append(entry)
            room -= cost
            used[kind] += cost / KINDS[kind][1]
    detailed: list[Entry] = []
    for entry in sorted(taken, key=lambda entry: (-entry.order, entry.text)):
        cost = count(entry.detail) + 2 if entry.detail else 0
        fits = cost <= room
        room -= cost if fits else 0
        detailed.append(entry if fits else replace(entry, detail=""))
    return sorted(detailed, key=lambda entry: (entry.order, entry.text))
