"""Summarises by rules: gathers entries, keeps the last state of things, packs the best.

Entries come from what was said, from what commands printed, from values in files and from
what happened to files. Those of an earlier summary are read back and weighed by the same
rules as new ones, so that a condition of the first hour can outlast the chatter of the
last. The sections say which sources are wanted and where an entry stands: their
titles, their texts and their order do not change what is chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.artifacts.outputs import error_kind, error_texts
from pytest_compaction.conversation.messages import Message
from pytest_compaction.models.offline.entry import (
    COMMAND_LINE,
    DEMAND_LEAD,
    LAST_RUN,
    VALUE_LINE,
    Entry,
    TokenCount,
    specificity,
)
from pytest_compaction.models.offline.file_entries import carried_file, file_entries
from pytest_compaction.models.offline.last_state import last_state
from pytest_compaction.models.offline.packing import (
    asked_for,
    chosen,
    placed,
    room_for_entries,
)
from pytest_compaction.models.offline.printed import outcome_entry, printed_entries
from pytest_compaction.models.offline.said import demand, report, said_entries
from pytest_compaction.models.offline.topics import Topics
from pytest_compaction.models.offline.values import value_entries
from pytest_compaction.models.structured_summary import EMPTY_SECTION, Section, Summary

_MARK: Final = "- "
_SETTLED: Final = 0.5
"""What is taken off the worth of a carried next step or state: it may be settled by now."""
_CURRENT: Final = 1.5
"""Bonus of what was said in the newest turn, from which the work goes on."""
_NEWEST: Final = 1.5


def summarize(
    messages: Sequence[Message],
    sections: Sequence[Section],
    budget: int,
    previous: Summary | None,
    count: TokenCount,
) -> Summary:
    """Fill ``sections`` from ``messages`` (merged into ``previous``) within ``budget`` tokens."""
    topics = Topics(messages)
    lines = [line for _, found in previous.entries for line in found] if previous else []
    carried = _carried(lines, topics)
    entries = asked_for(last_state([*carried, *gather(messages, topics)]), sections)
    return placed(chosen(entries, room_for_entries(sections, budget, count), count), sections)


def gather(messages: Sequence[Message], topics: Topics | None = None) -> list[Entry]:
    """All candidate entries of the messages."""
    topics = topics or Topics(messages)
    entries: list[Entry] = []
    opening = True
    current = _current_turn(messages)
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


def _current_turn(messages: Sequence[Message]) -> int:
    """Where the newest turn begins: at the last message of the user."""
    users = [n for n, m in enumerate(messages) if m.role == "user" and m.origin == "log"]
    return users[-1] if users else len(messages)


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
    """The entries of an earlier summary, each older than every new one."""
    return [
        _read_back(text, order - len(lines), topics) for order, text in enumerate(lines) if text
    ]


def _read_back(text: str, order: int, topics: Topics) -> Entry:
    """An entry from its line; the line alone tells its kind, whatever section it stands in."""
    return next(_readings(text, order, topics))


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
    if COMMAND_LINE.match(text):
        command, _, outcome = text.removeprefix("`").partition("`: ")
        yield outcome_entry(command, outcome, order, topics)
    value = VALUE_LINE.match(text)
    if value:
        worth = specificity(value["text"]) + 1.5
        yield Entry("value", text, worth, order, subject=text)
    if text in error_texts(text, failed=False):
        yield Entry("error", text, specificity(text) + 1.5, order, subject=error_kind(text))
    entry = report(text, order)
    settled = _SETTLED if entry.kind in {"next", "state"} else 0.0
    yield replace(entry, worth=entry.worth - settled)
