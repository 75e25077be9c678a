"""Summarises by rules: sections filled with extracts, most specific first, within a budget.

Entries are gathered from the messages: intent from user turns, files from tool calls,
errors and test results from tool output, decisions, values and next steps from sentences
with a cue. They are scored by how specific they are, and packed into the sections. New
entries are merged into an earlier summary: file entries by path, and an entry whose values
changed gives way to the newer one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_compaction.artifacts.operations import FileState, commands, file_operations, file_states
from pytest_compaction.artifacts.outcomes import test_summary as summary_of_tests
from pytest_compaction.conversation.messages import Message
from pytest_compaction.models.offline.cues import (
    CONSTRAINT,
    DECISION,
    ERROR,
    NEXT,
    STATE,
    exact_tokens,
)
from pytest_compaction.models.structured_summary import EMPTY_SECTION, Section, Source, Summary
from pytest_compaction.text.words import clipped, content_stems, normalize, segments

MAX_ENTRY_CHARACTERS: Final = 240
_CARRIED: Final[Mapping[Source, float]] = {"intent": 3.0, "next": 0.0, "state": 0.0}
"""Bonus of an entry from an earlier summary, by source; 1.5 for the sources not named.

Most notes stay true, but next steps and the state of things go out of date.
"""
_LAST_RUN: Final = "last test run:"
_LISTING: Final = re.compile(
    r"\s*(?:cd [^;&|]+(?:&&|;)\s*)?(?:grep|rg|cat|head|tail|less|ls|find|sed -n|awk|nl|wc"
    r"|git (?:diff|show|log|grep|blame|status))\b"
)
"""Commands that list text: an error word in their output is not an error of the command."""
_SAME: Final = 0.8
_UPDATED: Final = 0.55
"""From this share of common stems on, two entries are the same, or one updates the other."""
_FILE_ENTRY: Final = re.compile(r"^`(?P<path>[^`\s]+)` (?P<what>.+)$")

TokenCount = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Entry:
    """A candidate line of a summary: its source, its worth, and its place in the log."""

    source: Source
    text: str
    worth: float
    order: int


def summarize(
    messages: Sequence[Message],
    sections: Sequence[Section],
    budget: int,
    previous: Summary | None,
    count: TokenCount,
) -> Summary:
    """Fill ``sections`` from ``messages`` (merged into ``previous``) within ``budget`` tokens."""
    fresh = gather(messages)
    carried = _carried(previous, sections) if previous else []
    if any(entry.text.startswith(_LAST_RUN) for entry in fresh):
        carried = [entry for entry in carried if not entry.text.startswith(_LAST_RUN)]
    files = _merged_files([entry for entry in [*carried, *fresh] if entry.source == "files"])
    prose = _without_superseded([entry for entry in [*carried, *fresh] if entry.source != "files"])
    return _packed([*files, *prose], sections, budget, count)


def gather(messages: Sequence[Message]) -> list[Entry]:
    """All candidate entries of the messages, in order."""
    entries: list[Entry] = []
    first_request = True
    for order, message in enumerate(messages):
        if message.role in {"system", "developer"}:
            continue
        is_request = message.role == "user" and message.origin == "log"
        for text in segments(message.text):
            entries.extend(_said(text, order, message, is_request and first_request))
        if is_request and message.text.strip():
            first_request = False
    entries.extend(_printed(messages))
    place = {message.id: order for order, message in enumerate(messages)}
    for state in file_states(file_operations(messages)):
        if not state.touched:
            continue
        order = max((place.get(id, 0) for id in state.message_ids), default=0)
        entries.append(file_entry(state, order))
    return entries


def _said(text: str, order: int, message: Message, opening: bool) -> Iterator[Entry]:
    if len(text) < 12 or text == EMPTY_SECTION:
        return
    file_line = _FILE_ENTRY.match(text)
    if file_line and message.origin == "synthetic":
        yield Entry("files", text, 3.0, order)
        return
    text = clipped(text, MAX_ENTRY_CHARACTERS)
    worth = specificity(text)
    if opening:
        yield Entry("intent", text, worth + 4.0, order)
    elif message.role == "user" and message.origin == "log":
        yield Entry("intent", text, worth + (2.5 if CONSTRAINT.search(text) else 1.0), order)
    if DECISION.search(text):
        yield Entry("decisions", text, worth + 2.0, order)
    elif NEXT.search(text):
        yield Entry("next", text, worth + 2.0, order)
    elif ERROR.search(text):
        yield Entry("errors", text, worth + 1.0, order)
    elif STATE.search(text):
        yield Entry("state", text, worth + 1.0, order)
    elif worth >= 1.5:
        yield Entry("values", text, worth, order)


def _printed(messages: Sequence[Message]) -> Iterator[Entry]:
    """Errors that commands printed (each once), and the result of the last test run."""
    place = {message.id: order for order, message in enumerate(messages)}
    runs = [run for run in commands(messages) if not _LISTING.match(run.text)]
    seen: set[str] = set()
    for run in runs:
        for line in run.output.splitlines():
            stripped = line.strip().removeprefix("E ").strip()
            if not ERROR.search(stripped) or not 12 <= len(stripped) <= 400:
                continue
            key = normalize(stripped)
            if key not in seen and ":" in stripped:
                seen.add(key)
                worth = specificity(stripped) + 0.5
                text = clipped(stripped, MAX_ENTRY_CHARACTERS)
                yield Entry("errors", text, worth, place.get(run.message_id, 0))
    tested = [(run, outcome) for run in runs if (outcome := summary_of_tests(run.output))]
    for run, outcome in tested[-1:]:
        command = next((line for line in run.text.splitlines() if "test" in line), run.text)
        text = f"{_LAST_RUN} {outcome} (`{clipped(command, 80)}`)"
        yield Entry("state", clipped(text, MAX_ENTRY_CHARACTERS), 4.0, place.get(run.message_id, 0))


def file_entry(state: FileState, order: int) -> Entry:
    """One line about a file: what happened to it, and its newest details."""
    what: list[str] = []
    if state.created:
        what.append("created")
    if state.renamed_from:
        what.append(f"renamed from {state.renamed_from}")
    if state.modified:
        what.append("modified")
    if state.deleted:
        what.append("deleted")
    if not what:
        what.append("read")
    new = [detail for detail in state.details if detail and detail not in what]
    details = [clipped(detail, 70) for detail in new[-3:]]
    text = f"`{state.path}` {', '.join(what)}" + (f": {'; '.join(details)}" if details else "")
    worth = 1.0 if what == ["read"] else 4.0
    return Entry("files", clipped(text, MAX_ENTRY_CHARACTERS), worth, order)


def specificity(text: str) -> float:
    """How specific a line is: its exact tokens, discounted by its length."""
    exact = len(exact_tokens(text))
    words = max(len(text.split()), 1)
    return min(exact, 6) * 0.6 + min(exact / words, 0.5) * 2 - max(words - 35, 0) * 0.05


def _carried(previous: Summary, sections: Sequence[Section]) -> list[Entry]:
    """The entries of an earlier summary, each older than every new one."""
    sources = {section.id: section.gathers for section in sections}
    entries: list[Entry] = []
    total = sum(len(lines) for _, lines in previous.entries)
    for section, lines in previous.entries:
        for text in lines:
            source = _source_of(text, sources.get(section, ("values",)))
            worth = 4.0 if source == "files" else specificity(text) + _CARRIED.get(source, 1.5)
            entries.append(Entry(source, text, worth, len(entries) - total))
    return entries


def _source_of(text: str, sources: Sequence[Source]) -> Source:
    if "files" in sources and _FILE_ENTRY.match(text):
        return "files"
    tests: tuple[tuple[Source, re.Pattern[str]], ...] = (
        ("decisions", DECISION),
        ("next", NEXT),
        ("errors", ERROR),
        ("state", STATE),
    )
    for source, cue in tests:
        if source in sources and cue.search(text):
            return source
    return sources[0] if sources else "values"


def _merged_files(entries: Iterable[Entry]) -> list[Entry]:
    """One entry for each path, with all that happened to it and the newest details."""
    merged: dict[str, Entry] = {}
    for entry in entries:
        match = _FILE_ENTRY.match(entry.text)
        path = match["path"] if match else entry.text
        before = merged.get(path)
        if before is None or match is None:
            merged[path] = entry
            continue
        earlier = _FILE_ENTRY.match(before.text)
        what = _united(earlier["what"] if earlier else "", match["what"])
        text = clipped(f"`{path}` {what}", MAX_ENTRY_CHARACTERS)
        merged[path] = Entry("files", text, max(before.worth, entry.worth), entry.order)
    for entry in list(merged.values()):
        renamed = re.search(r"renamed from (\S+?)[,:]?(?:\s|$)", entry.text)
        if renamed:
            merged.pop(renamed[1], None)
    return list(merged.values())


def _united(earlier: str, later: str) -> str:
    verbs: dict[str, None] = {}
    details: dict[str, None] = {}
    for what in (earlier, later):
        head, _, tail = what.partition(": ")
        verbs.update(dict.fromkeys(verb for verb in head.split(", ") if verb))
        details.update(dict.fromkeys(detail for detail in tail.split("; ") if detail))
    if len(verbs) > 1:
        verbs.pop("read", None)
    kept = list(details)[-3:]
    return ", ".join(verbs) + (f": {'; '.join(kept)}" if kept else "")


def _without_superseded(entries: Sequence[Entry]) -> list[Entry]:
    """Drop repetitions, and entries that a newer one restates with other values."""
    kept: list[tuple[Entry, frozenset[str], frozenset[str]]] = []
    for entry in sorted(entries, key=lambda entry: entry.order, reverse=True):
        stems = frozenset(content_stems(normalize(entry.text)))
        numbers = frozenset(stem for stem in stems if stem[:1].isdigit())
        duplicate = False
        for place, (newer, others, other_numbers) in enumerate(kept):
            if newer.source != entry.source and newer.text != entry.text:
                continue
            union = len(stems | others)
            likeness = len(stems & others) / union if union else 1.0
            updated = likeness >= _UPDATED and numbers and other_numbers - numbers
            if likeness >= _SAME or updated:
                kept[place] = (
                    replace(newer, worth=max(newer.worth, entry.worth)),
                    others,
                    other_numbers,
                )
                duplicate = True
                break
        if not duplicate:
            kept.append((entry, stems, numbers))
    return [entry for entry, _, _ in kept]


def _packed(
    entries: Sequence[Entry], sections: Sequence[Section], budget: int, count: TokenCount
) -> Summary:
    """Choose entries by worth, first within each section's share, then while there is room."""
    headings = sum(count(f"## {section.title}") + 3 for section in sections)
    room = max(budget - headings, 0)
    total = sum(section.share for section in sections)
    chosen: dict[str, list[Entry]] = {section.id: [] for section in sections}
    waiting: list[tuple[float, int, str, Entry, int]] = []
    spent = 0
    for section in sections:
        share = int(room * section.share / total)
        used = 0
        candidates = [entry for entry in entries if entry.source in section.gathers]
        for entry in sorted(candidates, key=lambda entry: (-entry.worth, -entry.order, entry.text)):
            cost = count(entry.text) + 3
            if used + cost <= share:
                chosen[section.id].append(entry)
                used += cost
            else:
                waiting.append((-entry.worth, -entry.order, section.id, entry, cost))
        spent += used
    for _, _, section_id, entry, cost in sorted(waiting, key=lambda item: item[:3]):
        if spent + cost <= room:
            chosen[section_id].append(entry)
            spent += cost
    return Summary(
        tuple(
            (id, tuple(dict.fromkeys(e.text for e in sorted(found, key=lambda e: e.order))))
            for id, found in chosen.items()
        )
    )
