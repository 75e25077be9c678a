"""Find the lines of a Claude Code transcript that form its conversation.

The lines form a tree: a user who goes back starts another branch, parallel tool results
hang from the line of their call, and a compaction starts a new root. The conversation is
the path from the last line up to the root, with the relatives of its lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_compaction.conversation.formats.parts import mapping
from pytest_compaction.importers.protocol import MISSING_PARENT, OWN_ANCESTOR, Tally

SPOKEN: Final = ("user", "assistant")
BOUNDARY: Final = "compact_boundary"


@dataclass(frozen=True, slots=True)
class ThreadLine:
    """The links of a line to others; ``calls`` and ``results`` are ids of tool calls."""

    uuid: str
    parent: str | None
    logical_parent: str | None
    spoken: bool
    starts_over: bool
    message_id: str | None
    calls: tuple[str, ...]
    results: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Thread:
    """The uuids of the conversation; if ``linear``, every line belongs to it."""

    linear: bool = True
    sidechain: bool = False
    uuids: frozenset[str] = frozenset()
    parents: Mapping[str, str | None] = field(default_factory=dict)

    def holds(self, uuid: str | None) -> bool:
        """Whether the line with this uuid is part of the conversation."""
        return self.linear or uuid is None or uuid in self.uuids

    def between(self, head: str, tail: str) -> tuple[str, ...]:
        """The uuids from ``tail`` up to ``head``; empty if there is no path between them."""
        found: list[str] = []
        current: str | None = tail
        while current is not None and len(found) <= len(self.parents):
            found.append(current)
            if current == head:
                return tuple(found)
            current = self.parents.get(current)
        return ()


def thread_of(records: Iterable[Mapping[str, Any]], tally: Tally) -> Thread:
    """The conversation among the records of a file, in their order.

    A file with only sub-agent lines is the conversation of that sub-agent. If a parent is
    not in the file, the line before takes its place, and the tally counts it.
    """
    main: list[ThreadLine] = []
    side: list[ThreadLine] = []
    seen: set[str] = set()
    for record in records:
        line = _line(record)
        if line is not None and line.uuid not in seen:
            seen.add(line.uuid)
            (side if in_sidechain(record) else main).append(line)
    sidechain = not any(line.spoken for line in main) and any(line.spoken for line in side)
    lines = side if sidechain else main
    parents = {line.uuid: line.parent for line in lines}
    if not any(parents.values()) or not any(line.spoken for line in lines):
        return Thread(True, sidechain, frozenset(), parents)
    uuids = frozenset(_with_relatives(set(_way_up(lines, tally)), lines))
    return Thread(False, sidechain, uuids, parents)


def in_sidechain(record: Mapping[str, Any]) -> bool:
    """Whether a record belongs to a sub-agent."""
    return record.get("isSidechain") is True or bool(record.get("parent_tool_use_id"))


def _line(record: Mapping[str, Any]) -> ThreadLine | None:
    uuid = _text(record.get("uuid"))
    if uuid is None:
        return None
    message = mapping(record.get("message"))
    content = message.get("content")
    blocks = (
        [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    )
    boundary = record.get("subtype") == BOUNDARY
    return ThreadLine(
        uuid,
        _text(record.get("parentUuid")),
        _text(record.get("logicalParentUuid")),
        record.get("type") in SPOKEN,
        boundary or record.get("isCompactSummary") is True,
        _text(message.get("id")),
        tuple(str(block.get("id")) for block in blocks if block.get("type") == "tool_use"),
        tuple(
            str(block.get("tool_use_id")) for block in blocks if block.get("type") == "tool_result"
        ),
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _way_up(lines: Sequence[ThreadLine], tally: Tally) -> Iterator[str]:
    place = {line.uuid: index for index, line in enumerate(lines)}
    index: int | None = max(i for i, line in enumerate(lines) if line.spoken)
    visited: set[int] = set()
    while index is not None and index not in visited:
        visited.add(index)
        line = lines[index]
        yield line.uuid
        # A boundary line has no parent; its logical parent is the line before the compaction.
        parent = line.parent or line.logical_parent
        before = index - 1 if index else None
        if parent in place:
            index = place[parent]
        elif parent is not None:
            tally.repaired[MISSING_PARENT] += 1
            index = before
        else:
            index = before if line.starts_over else None
    if index is not None:
        tally.repaired[OWN_ANCESTOR] += 1


def _with_relatives(way: set[str], lines: Sequence[ThreadLine]) -> set[str]:
    """Add the other lines of the same assistant messages, and the results of their calls."""
    messages = {line.message_id for line in lines if line.uuid in way and line.message_id}
    for line in lines:
        if line.message_id in messages:
            way.add(line.uuid)
    calls = {call for line in lines if line.uuid in way for call in line.calls}
    for line in lines:
        if line.results and calls.issuperset(line.results):
            way.add(line.uuid)
    return way
