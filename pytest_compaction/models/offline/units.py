"""A view cut into units for retrieval: sentences, list items and output lines, in passages."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from typing import Final, overload
from weakref import WeakValueDictionary

from pytest_compaction.artifacts.operations import FileState, file_operations, file_states
from pytest_compaction.cache.sized_cache import SizedCache
from pytest_compaction.conversation.messages import Message, Text, ToolCall, ToolResult
from pytest_compaction.text import BM25, content_stems, normalize, segments

PASSAGE_UNITS: Final = 6
"""Units of a passage, at most."""
_HEADING: Final = re.compile(r"^ {0,3}#{1,6}[ \t][^\n]*$", re.MULTILINE)
"""A heading of a summary names what is below it, and is not a statement of its own."""
_KINDS: Final = ("said", "printed", "written")
_MOST_CHARACTERS: Final = 20_000_000
"""Characters of the units of all views that are remembered."""
_LESS: Final = 8
"""So much less memory the beginning of a view takes, which has its texts from the view."""
_LONGEST: Final = 20_000
"""Characters of a message whose units are kept."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A line or sentence of the view, with its message and passage; ``kind`` tells its origin.

    ``normal`` is the text normalised, for quotations.
    """

    text: str
    normal: str
    message: int
    passage: int
    kind: str
    by_user: bool


class Units(Sequence[Unit]):
    """The units of a view, in order. Kept by column: a long view has a hundred thousand."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self.characters = 0
        self._normals: list[str] = []
        self._messages = array("I")
        self._passages = array("I")
        self._kinds = bytearray()
        self.users = array("I")
        """The messages with units that the user wrote, in order."""
        self.begins = array("I")
        """The number of the first unit of each passage."""
        self._cued: dict[re.Pattern[str], bytearray] = {}
        """For each cue, whether it stands in a unit: 2 if it does, 1 if not, 0 if not looked up."""
        self._size: int | None = None
        """How many units of all that are held belong to the view; all if ``None``."""

    def add(self, text: str, normal: str, message: int, kind: str, by_user: bool) -> None:
        """Take in the next unit, in the newest passage."""
        self._texts.append(normal if normal == text else text)
        self._normals.append(normal)
        self.characters += len(text)
        self._messages.append(message)
        self._passages.append(len(self.begins) - 1)
        self._kinds.append(_KINDS.index(kind))
        if by_user and message not in self.users[-1:]:
            self.users.append(message)

    def beginning(self, messages: int) -> Units:
        """The units of the first so many messages, in the columns of these units."""
        part = copy(self)
        part._size = bisect_left(self._messages, messages, hi=len(self))
        part.users = self.users[: bisect_left(self.users, messages)]
        part.begins = self.begins[: bisect_left(self.begins, part._size)]
        part.characters = self.characters // _LESS
        return part

    def within(self, passage: int) -> range:
        """The numbers of the units of a passage."""
        end = self.begins[passage + 1] if passage + 1 < len(self.begins) else len(self)
        return range(self.begins[passage], end)

    def passage_of(self, number: int) -> int:
        """The passage of a unit."""
        return self._passages[number]

    def message_of(self, number: int) -> int:
        """The message of a unit."""
        return self._messages[number]

    def kind_of(self, number: int) -> str:
        """The kind of a unit, which is that of all units of its passage."""
        return _KINDS[self._kinds[number]]

    def has_cue(self, number: int, cue: re.Pattern[str]) -> bool:
        """Whether a cue stands in a unit; looked up once for all questions, after the last unit."""
        if cue not in self._cued:
            self._cued[cue] = bytearray(len(self._normals))
        known = self._cued[cue]
        if not known[number]:
            known[number] = 2 if cue.search(self._texts[number]) else 1
        return known[number] == 2

    def of_message(self, message: int) -> range:
        """The numbers of the units of a message."""
        begin = bisect_left(self._messages, message, hi=len(self))
        return range(begin, bisect_left(self._messages, message + 1, begin, len(self)))

    def next_by_user(self, message: int) -> int:
        """The user's next message after this one, -1 if there is none."""
        place = bisect_right(self.users, message)
        return self.users[place] if place < len(self.users) else -1

    def printed_in(self, messages: Collection[int]) -> list[int]:
        """The numbers of the units that tools printed in these messages."""
        printed = _KINDS.index("printed")
        found = (number for message in sorted(messages) for number in self.of_message(message))
        return [number for number in found if self._kinds[number] == printed]

    def holding(self, quoted: Sequence[str]) -> list[int]:
        """The numbers of the units in which one of these normalised texts stands."""
        normals = islice(self._normals, len(self))
        return [
            number
            for number, normal in enumerate(normals)
            if any(text in normal for text in quoted)
        ]

    def said(self) -> Iterator[str]:
        """The texts of the units that somebody said."""
        said = _KINDS.index("said")
        kinds = islice(self._kinds, len(self))
        return (self._texts[number] for number, kind in enumerate(kinds) if kind == said)

    def __len__(self) -> int:
        return len(self._normals) if self._size is None else self._size

    @overload
    def __getitem__(self, place: int) -> Unit: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Unit]: ...
    def __getitem__(self, place: int | slice) -> Unit | Sequence[Unit]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        message = self._messages[place]
        return Unit(
            self._texts[place],
            self._normals[place],
            message,
            self._passages[place],
            _KINDS[self._kinds[place]],
            self.next_by_user(message - 1) == message,
        )


@dataclass(frozen=True, slots=True, weakref_slot=True)
class PreparedView:
    """A view cut into units and indexed, made once for many questions."""

    units: Units
    by_unit: BM25
    by_passage: BM25
    files: tuple[FileState, ...]
    results: tuple[tuple[str, tuple[int, ...]], ...]
    """The text of each tool call, normalised, and the messages that answer it."""


_PREPARED: Final = SizedCache[tuple[Message, ...], PreparedView](
    _MOST_CHARACTERS, lambda made: made.units.characters
)


_HELD: Final = WeakValueDictionary[tuple[Message, ...], PreparedView]()
"""Views that somebody holds who asks for them again, however long they are."""


def prepare(view: tuple[Message, ...]) -> PreparedView:
    """Cut a view into units and passages and index both; the latest are remembered."""
    return _PREPARED.get(view, lambda: _HELD.get(view) or _prepared(view))


def prepare_beginnings(view: Sequence[Message], sizes: Iterable[int]) -> list[PreparedView]:
    """Prepare a view, and what it was after so many messages, reading each message once.

    As long as somebody holds what is returned, :func:`prepare` gives the same; else the latest
    are remembered.
    """
    view = tuple(view)
    whole = prepare(view)
    found = {view: whole}
    for size in sizes:
        part = view[:size]
        found[part] = _PREPARED.get(part, partial(_beginning, part, whole))
    _HELD.update(found)
    return list(found.values())


def _beginning(view: tuple[Message, ...], whole: PreparedView) -> PreparedView:
    units = whole.units.beginning(len(view))
    by_unit = whole.by_unit.beginning(len(units))
    by_passage = whole.by_passage.beginning(len(units.begins))
    files = tuple(file_states(file_operations(view)))
    return PreparedView(units, by_unit, by_passage, files, _results(view))


def _prepared(view: tuple[Message, ...]) -> PreparedView:
    units, by_unit, by_passage = Units(), BM25(), BM25()
    for number, message in enumerate(view):
        by_user = message.role == "user" and message.origin == "log"
        for kind, lines in _lines(message):
            for first in range(0, len(lines), PASSAGE_UNITS):
                units.begins.append(len(units))
                passage: list[str] = []
                for text, normal, terms in lines[first : first + PASSAGE_UNITS]:
                    by_unit.add(terms)
                    passage.extend(terms)
                    units.add(text, normal, number, kind, by_user)
                by_passage.add(passage)
    files = tuple(file_states(file_operations(view)))
    return PreparedView(units, by_unit, by_passage, files, _results(view))


def _results(view: Sequence[Message]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    place = {result.call_id: n for n, message in enumerate(view) for result in message.results}
    return tuple(
        (normalize(" ".join(map(str, call.parsed().values()))), (place[call.id],))
        for message in view
        for call in message.calls
        if call.id in place
    )


_Line = tuple[str, str, tuple[str, ...]]
"""A unit, the same normalised, and its stems."""


def _lines(message: Message) -> Iterable[tuple[str, Sequence[_Line]]]:
    """The units of each part; those of a message that is not long are made once for all views."""
    size = sum(len(part.text) for part in message.parts if isinstance(part, Text | ToolResult))
    size += sum(len(call.arguments) for call in message.calls)
    return _lines_once(message) if size <= _LONGEST else _read(message)


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
