"""Put messages into the order that chat endpoints accept: results right after their call."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from pytest_compaction.artifacts import INTERRUPTED
from pytest_compaction.conversation import Message, Part, Text, ToolCall, ToolResult
from pytest_compaction.importers.notices import spoken_turns
from pytest_compaction.importers.protocol import (
    MISSING_PARENT,
    OWN_ANCESTOR,
    RESULT_WITHOUT_CALL,
    SECOND_RESULT,
    Tally,
)


def is_empty(parts: Iterable[Part]) -> bool:
    """Whether the parts hold nothing but white space."""
    return all(isinstance(part, Text) and not part.text.strip() for part in parts)


@dataclass(slots=True)
class _Open:
    """An assistant message with calls, its results so far, and messages that came in between."""

    calls: tuple[ToolCall, ...]
    origin: int
    results: dict[str, tuple[Part, ...]] = field(default_factory=dict)
    waiting: list[tuple[str, tuple[Part, ...], int]] = field(default_factory=list)


class ThreadBuilder:
    """Collects messages in the order of a transcript and numbers them ``m0000``, ``m0001``, ….

    Results follow the message that made their call. A call without a result gets the
    result ``[interrupted: no result was recorded]``. Anything that does not fit is counted
    in the tally. ``origins`` holds the number that the reader gave to each message; results
    have the number of their call.
    """

    def __init__(self, tally: Tally) -> None:
        self.messages: list[Message] = []
        self.origins: list[int] = []
        self._tally = tally
        self._open: _Open | None = None
        self._made = 0
        self._answered: set[str] = set()
        self._interrupted: set[str] = set()

    def add(self, role: str, parts: Sequence[Part], origin: int = 0) -> None:
        """Add a message that is not a tool result; it must not be empty."""
        if role == "user":
            for said, spoken in spoken_turns(parts, self._tally):
                self._add(said, spoken, origin)
        else:
            self._add(role, parts, origin)

    def _add(self, role: str, parts: Sequence[Part], origin: int) -> None:
        # A user may type while tools run; endpoints want the results first, so it waits.
        if role != "assistant" and self._open:
            self._open.waiting.append((role, tuple(parts), origin))
            self._settle(force=False)
            return
        self.close()
        kept = self._distinct(parts)
        self._append(role, kept, origin)
        calls = tuple(part for part in kept if isinstance(part, ToolCall))
        if calls:
            self._open = _Open(calls, origin)

    def add_unless_empty(
        self, role: str, parts: Sequence[Part], origin: int = 0, shown: str = ""
    ) -> None:
        """Add a message, or count it as left out if it holds nothing but white space."""
        strange, self._tally.strange = self._tally.strange, False
        if is_empty(parts):
            reason = f"empty {shown or role} message"
            self._tally.left_out[reason] += 1
            self._tally.unread[reason] += strange
        else:
            self.add(role, parts, origin)

    def add_result(self, result: ToolResult, rest: Sequence[Part] = ()) -> None:
        """Add the result of a call of the last assistant message."""
        id = result.call_id
        if self._open is not None and id in self.open_calls():
            self._open.results[id] = (result, *rest)
        elif id in self._answered or (self._open is not None and id in self._open.results):
            self._tally.left_out[SECOND_RESULT] += 1
        elif id in self._interrupted:
            self._tally.left_out["tool result that came after the conversation had moved on"] += 1
        else:
            self._tally.left_out[RESULT_WITHOUT_CALL] += 1

    def open_calls(self, name: str = "") -> list[str]:
        """Ids of the calls that wait for a result; with ``name``, only those of this tool."""
        calls = self._open.calls if self._open else ()
        open = [call for call in calls if self._open and call.id not in self._open.results]
        return [call.id for call in open if not name or call.name == name]

    def new_id(self, prefix: str = "call") -> str:
        """An id for a call that has none."""
        self._made += 1
        return f"{prefix}-{self._made}"

    def finished(self) -> tuple[Message, ...]:
        """All messages; call this at the end of the transcript."""
        self.close()
        return tuple(self.messages)

    def cut(self, place: int) -> int:
        """Remove the messages from ``place`` on and return their number."""
        self.close()
        removed = len(self.messages) - place
        del self.messages[place:], self.origins[place:]
        return removed

    def close(self) -> None:
        """Close the open message with calls."""
        self._settle(force=True)

    def _settle(self, force: bool) -> None:
        group = self._open
        if group is None or not (force or len(group.results) == len(group.calls)):
            return
        self._open = None
        for call in group.calls:
            parts = group.results.get(call.id)
            (self._interrupted if parts is None else self._answered).add(call.id)
            if parts is None:
                self._tally.repaired["interrupted tool call given a result that says so"] += 1
                parts = (ToolResult(call.id, INTERRUPTED),)
            self._append("tool", parts, group.origin)
        for role, waiting, origin in group.waiting:
            self._append(role, waiting, origin)

    def _append(self, role: str, parts: Sequence[Part], origin: int) -> None:
        self.origins.append(origin)
        self.messages.append(Message(f"m{len(self.messages):04d}", role, tuple(parts)))

    def _distinct(self, parts: Sequence[Part]) -> list[Part]:
        seen: set[str] = set()
        kept: list[Part] = []
        for part in parts:
            if not isinstance(part, ToolCall):
                kept.append(part)
            elif part.id in seen:
                self._tally.left_out["tool call whose id is used twice in one message"] += 1
            else:
                seen.add(part.id)
                kept.append(part if part.name.strip() else replace(part, name="unknown"))
        return kept


def way_up(
    ids: Sequence[str],
    parents: Sequence[str | None],
    start: int,
    tally: Tally,
    continues: Collection[int] = (),
) -> Iterator[str]:
    """The ids from the line ``start`` up to its root, by the parents that lines name."""
    place = {id: index for index, id in enumerate(ids)}
    seen: set[str] = set()
    index: int | None = start
    while index is not None and ids[index] not in seen:
        seen.add(ids[index])
        yield ids[index]
        parent, before = parents[index], index - 1 if index else None
        if parent is None:
            index = before if index in continues else None
        elif parent in place:
            index = place[parent]
        else:
            tally.repaired[MISSING_PARENT] += 1
            index = before
    if index is not None:
        tally.repaired[OWN_ANCESTOR] += 1


@dataclass(frozen=True, slots=True)
class TreeLine:
    """A line of a transcript that forms a tree: its own id and that of the line before it."""

    id: str
    parent: str | None
    spoken: bool
    typed: bool
    starts_over: bool = False


def left_lines(lines: Sequence[TreeLine], tally: Tally) -> frozenset[str]:
    """The ids of the lines on branches that the user left.

    A user who goes back begins another branch: a typed line beside another child of the same
    parent. Any other line with siblings is of the same turn.
    """
    spoken = [place for place, line in enumerate(lines) if line.spoken]
    if not spoken or not any(line.parent for line in lines):
        return frozenset()
    roots = {place for place, line in enumerate(lines) if line.starts_over}
    ids = [line.id for line in lines]
    way = set(way_up(ids, [line.parent for line in lines], spoken[-1], tally, roots))
    children = Counter(line.parent for line in lines if not line.starts_over)
    left: set[str] = set()
    for line in lines:  # a parent stands before its children
        begins = line.typed and children[line.parent] > 1
        if (begins or line.parent in left) and line.id not in way:
            left.add(line.id)
    return frozenset(left)


def in_terms_of(log: Sequence[Message], view: Sequence[Message], name: str) -> tuple[Message, ...]:
    """The view, with messages of the log where role and parts are equal, each once.

    All other messages get new ids ``<name>-0``, ``<name>-1``, …; no id in the log may begin so.
    """
    places: dict[tuple[str, tuple[Part, ...]], list[int]] = defaultdict(list)
    for place, message in enumerate(log):
        places[message.role, message.parts].append(place)
    last = -1
    made: list[Message] = []
    for number, message in enumerate(view):
        left = places.get((message.role, message.parts), [])
        if not left:
            made.append(replace(message, id=f"{name}-{number}", origin="synthetic"))
            continue
        following = bisect_right(left, last)
        last = place = left.pop(following if following < len(left) else 0)
        made.append(log[place])
    return tuple(made)
