"""A view cut into units for retrieval: sentences, list items and output lines, in passages."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from weakref import WeakValueDictionary

from pytest_compaction.artifacts import FileState, file_operations, file_states
from pytest_compaction.cache import SizedCache
from pytest_compaction.conversation import Message, Text, ToolCall, ToolResult
from pytest_compaction.text import BM25, content_stems, normalize, segments

PASSAGE_UNITS: Final = 6
"""Units of a passage, at most."""
_HEADING: Final = re.compile(r"^ {0,3}#{1,6}[ \t][^\n]*$", re.MULTILINE)
"""A heading of a summary names what is below it, and is not a statement of its own."""
_MOST_CHARACTERS: Final = 20_000_000
"""Characters of the units of all cached views."""
_LONGEST: Final = 20_000
"""Characters of a message whose units are kept."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A line or sentence of the view, with its message and passage; ``kind`` tells its origin.

    ``kind`` is ``said``, ``printed`` or ``written``. ``normal`` is the text normalised, for
    quotations.
    """

    text: str
    normal: str
    message: int
    passage: int
    kind: str


@dataclass(frozen=True, slots=True, weakref_slot=True)
class PreparedView:
    """A view cut into units and indexed, made once for many questions.

    ``users`` are the messages with units that the user wrote, in order. ``results`` has the text of
    each tool call, normalised, and the message that answers it.
    """

    units: Sequence[Unit]
    users: Sequence[int]
    by_unit: BM25
    by_passage: BM25
    files: tuple[FileState, ...]
    results: tuple[tuple[str, int], ...]

    def of_message(self, message: int) -> range:
        """The numbers of the units of a message."""
        begin = bisect_left(self.units, message, key=_message)
        return range(begin, bisect_left(self.units, message + 1, begin, key=_message))

    def next_by_user(self, message: int) -> int:
        """The user's next message after this one, -1 if there is none."""
        place = bisect_right(self.users, message)
        return self.users[place] if place < len(self.users) else -1

    def beginning(self, view: tuple[Message, ...]) -> PreparedView:
        """The first messages of the view, prepared."""
        size = bisect_left(self.units, len(view), key=_message)
        passages = self.units[size - 1].passage + 1 if size else 0
        return PreparedView(
            self.units[:size],
            self.users[: bisect_left(self.users, len(view))],
            self.by_unit.beginning(size),
            self.by_passage.beginning(passages),
            tuple(file_states(file_operations(view))),
            _results(view),
        )


def _message(unit: Unit) -> int:
    return unit.message


_PREPARED: Final = SizedCache[tuple[Message, ...], PreparedView](
    _MOST_CHARACTERS, lambda made: sum(len(unit.text) for unit in made.units)
)
_HELD: Final = WeakValueDictionary[tuple[Message, ...], PreparedView]()
"""Views that somebody holds who asks for them again, however long they are."""


def prepare(view: tuple[Message, ...]) -> PreparedView:
    """Cut a view into units and passages and index both; the latest are cached."""
    return _HELD.get(view) or _PREPARED.get(view, lambda: _prepared(view))


def prepare_beginnings(view: Sequence[Message], sizes: Iterable[int]) -> list[PreparedView]:
    """Prepare a view, and what it was after so many messages, reading each message once.

    As long as somebody holds what is returned, :func:`prepare` gives the same.
    """
    view = tuple(view)
    whole = prepare(view)
    found = {view[:size]: whole.beginning(view[:size]) for size in sizes if size < len(view)}
    found[view] = whole
    _HELD.update(found)
    return list(found.values())


def _prepared(view: tuple[Message, ...]) -> PreparedView:
    units: list[Unit] = []
    users: list[int] = []
    by_unit, by_passage = BM25(), BM25()
    for number, message in enumerate(view):
        before = len(units)
        size = sum(len(part.text) for part in message.parts if isinstance(part, Text | ToolResult))
        size += sum(len(call.arguments) for call in message.calls)
        for kind, lines in _lines_once(message) if size <= _LONGEST else _read(message):
            for first in range(0, len(lines), PASSAGE_UNITS):
                passage: list[str] = []
                for text, normal, terms in lines[first : first + PASSAGE_UNITS]:
                    by_unit.add(terms)
                    passage.extend(terms)
                    units.append(Unit(text, normal, number, len(by_passage), kind))
                by_passage.add(passage)
        if message.role == "user" and message.origin == "log" and len(units) > before:
            users.append(number)
    files = tuple(file_states(file_operations(view)))
    return PreparedView(units, users, by_unit, by_passage, files, _results(view))


def _results(view: Sequence[Message]) -> tuple[tuple[str, int], ...]:
    place = {result.call_id: n for n, message in enumerate(view) for result in message.results}
    return tuple(
        (normalize(" ".join(map(str, call.parsed().values()))), place[call.id])
        for message in view
        for call in message.calls
        if call.id in place
    )


_Line = tuple[str, str, tuple[str, ...]]
"""A unit, the same normalised, and its stems."""


@lru_cache(maxsize=512)
def _lines_once(message: Message) -> tuple[tuple[str, Sequence[_Line]], ...]:
    return tuple(_read(message))


def _read(message: Message) -> Iterator[tuple[str, Sequence[_Line]]]:
    for kind, texts in _texts(message):
        lines: list[_Line] = []
        for text in texts:
            normal = normalize(text)
            lines.append((text, normal, content_stems(normal)))
        yield kind, lines


def _texts(message: Message) -> Iterator[tuple[str, list[str]]]:
    for part in message.parts:
        if isinstance(part, Text):
            text = part.text if message.origin == "log" else _HEADING.sub("", part.text)
            yield "said", segments(text)
        elif isinstance(part, ToolResult):
            yield "printed", segments(part.text)
        elif isinstance(part, ToolCall):
            for value in part.parsed().values():
                if isinstance(value, str):
                    yield "written", segments(value)
