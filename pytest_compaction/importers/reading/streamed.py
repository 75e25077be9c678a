"""JSON documents too large for memory: their long arrays stay in the file and are read from it.

The standard library's decoder reads one element after another from a window of the file,
so numbers, escapes and errors are the same as for a document that is read at once.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, Self, TypeGuard, overload

from pytest_compaction.importers.protocol import ImportFormatError
from pytest_compaction.importers.reading.jsonl import INTERRUPTED_WRITER, cleaned

LARGE_BYTES: Final = 32 * 1024 * 1024
"""A document above this size is streamed; so is an array above it, if only keys lead to it."""

MAX_HELD_BYTES: Final = 256 * 1024 * 1024
"""The most of a document that is held at once: one array element, or all outside of arrays."""

MAX_DEPTH: Final = 8
"""Objects nested this deep are read key by key; deeper ones are read at once."""

WINDOW_BYTES: Final = 1024 * 1024
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_DECODER: Final = json.JSONDecoder(parse_constant=lambda name: None)
_CUT: Final = 16
"""An error this near to the window's end may only mean that the window cuts a literal there."""
_CUT_NUMBER: Final = 3
"""A number this near to the window's end may continue: with a point, or a signed exponent."""
_TOO_LARGE: Final = object()


def is_list(value: Any) -> TypeGuard[Sequence[Any]]:
    """Whether a value is a JSON array, in memory or left in its file."""
    return isinstance(value, list | StreamedArray)


class StreamedArray(Sequence[Any]):
    """A JSON array that stays in its file, where it begins at the byte ``offset``.

    Every iteration reads the file again from there, and so does every index or slice.
    """

    def __init__(self, path: Path, offset: int, length: int) -> None:
        self._path = path
        self._offset = offset
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Any]:
        with _Window(self._path, self._offset) as window:
            yield from window.elements()

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, int):
            place = range(self._length)[index]
            return next(islice(self, place, None))
        places = range(self._length)[index]
        if not places:
            return []
        found = islice(self, min(places), max(places) + 1, abs(places.step))
        return list(found) if places.step > 0 else list(found)[::-1]


def streamed_document(path: Path) -> Any:
    """The one JSON value of a large file, its long arrays as :class:`StreamedArray`.

    Long arrays are the document itself, if it is an array, and arrays above
    :data:`LARGE_BYTES` to which only keys lead. An array element is always read whole, so
    a message or a conversation is never streamed in part. The file is read to its end, so
    errors show before anything is made from it. Lone surrogates become U+FFFD. Raises
    :class:`ImportFormatError`.
    """
    with _Window(path) as window:
        value = window.opened()
        if window.next():
            raise window.fault("Extra data")
        return value


class _Window:
    """The part of a file that is in memory, and the position up to which it has been read."""

    def __init__(self, path: Path, offset: int = 0) -> None:
        self._path = path
        try:
            self._file = path.open("rb")
            if not offset and self._file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8:
                offset = len(codecs.BOM_UTF8)
            self._file.seek(offset)
        except OSError as error:
            raise ImportFormatError(f"{path}: {error.strerror or error}") from None
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._position = 0
        self._begin = offset
        self._read = offset
        self._ended = False
        self._held = 0
        self._depth = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._file.close()

    def next(self) -> str:
        """The next character that is not white space, without taking it; empty at the end."""
        while True:
            space = _SPACE.match(self._text, self._position)
            self._position = space.end() if space else self._position
            if self._position < len(self._text) or not self._more():
                return self._text[self._position : self._position + 1]

    def held(self) -> Any:
        """The value that begins here, read whole into memory."""
        self.next()
        value = self._decoded(MAX_HELD_BYTES)
        if value is _TOO_LARGE:
            raise self._too_much()
        return value

    def opened(self) -> Any:
        """The value that begins here; an array stays in the file, an object is read key by key."""
        opening = self.next()
        if opening == "[":
            offset = self._byte(self._position)
            return StreamedArray(self._path, offset, sum(1 for _ in self.elements()))
        if opening != "{" or self._depth == MAX_DEPTH:
            return self.held()
        self._depth += 1
        value = self._object()
        self._depth -= 1
        return value

    def elements(self) -> Iterator[Any]:
        """The elements of the array that begins here."""
        held = self._held
        self._take("[", "Expecting value")
        if self.next() == "]":
            self._position += 1
            return
        while True:
            yield self.held()
            self._held = held
            if self._take(",]", "Expecting ',' delimiter") == "]":
                return

    def fault(self, reason: str, position: int | None = None) -> ImportFormatError:
        """The error that says what is wrong and at which byte."""
        byte = self._byte(self._position if position is None else position)
        return ImportFormatError(
            f"{self._path}: not valid JSON ({reason} at byte {byte}); fix the file "
            f"({INTERRUPTED_WRITER})"
        )

    def _object(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self._take("{", "Expecting value")
        if self.next() == "}":
            self._position += 1
            return found
        while True:
            if self.next() != '"':
                raise self.fault("Expecting property name enclosed in double quotes")
            key = self.held()
            self._take(":", "Expecting ':' delimiter")
            self.next()
            value = self._decoded(LARGE_BYTES)
            found[key] = self.opened() if value is _TOO_LARGE else value
            if self._take(",}", "Expecting ',' delimiter") == "}":
                return found

    def _take(self, expected: str, reason: str) -> str:
        found = self.next()
        if not found or found not in expected:
            raise self.fault(reason)
        self._position += 1
        return found

    def _decoded(self, most: int) -> Any:
        """The value that begins here, or ``_TOO_LARGE`` above ``most`` characters."""
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._position)
                if self._ended or len(self._text) - end >= _CUT_NUMBER:
                    return self._passed(cleaned(value), end)
            except json.JSONDecodeError as error:
                if not self._is_cut(error):
                    raise self.fault(error.msg, error.pos) from None
            except RecursionError:
                byte = self._byte(self._position)
                raise ImportFormatError(
                    f"{self._path}: nested too deeply in the value at byte {byte}; fix the file"
                ) from None
            except ImportFormatError:
                raise
            except ValueError as error:
                byte = self._byte(self._position)
                raise ImportFormatError(
                    f"{self._path}: {error}, in the value at byte {byte}; fix the file"
                ) from None
            if len(self._text) - self._position > most:
                return _TOO_LARGE
            self._more()

    def _passed(self, value: Any, end: int) -> Any:
        self._held += end - self._position
        if self._held > MAX_HELD_BYTES:
            raise self._too_much()
        self._position = end
        return value

    def _is_cut(self, error: json.JSONDecodeError) -> bool:
        near = error.pos > len(self._text) - _CUT or error.msg.startswith("Unterminated string")
        return near and not self._ended

    def _too_much(self) -> ImportFormatError:
        return ImportFormatError(
            f"{self._path}: reading on at byte {self._byte(self._position)} needs more than "
            f"{MAX_HELD_BYTES // 1024**2} MB at once, for one array element or for everything "
            "outside the long arrays; shorten it, or move so long a conversation into a file of "
            "its own"
        )

    def _byte(self, position: int) -> int:
        return self._begin + len(self._text[:position].encode())

    def _more(self) -> bool:
        """Read more of the file and return whether there was more.

        Reads at least as much as is still undecoded: that doubles the window for a long
        value, so its repeated decoding stays linear in its length.
        """
        if self._ended:
            return False
        self._begin = self._byte(self._position)
        rest = self._text[self._position :]
        try:
            raw = self._file.read(max(WINDOW_BYTES, len(rest)))
            self._ended = not raw
            self._read += len(raw)
            self._text = rest + self._decoder.decode(raw, final=self._ended)
        except UnicodeDecodeError as error:
            byte = self._read - len(error.object) + error.start
            raise ImportFormatError(
                f"{self._path}: byte {byte} is not UTF-8; fix the file"
            ) from None
        except OSError as error:
            raise ImportFormatError(f"{self._path}: {error.strerror or error}") from None
        self._position = 0
        return not self._ended
