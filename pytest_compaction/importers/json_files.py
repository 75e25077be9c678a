"""JSON files: lines, whole documents, lists too large for memory, beginnings and outlines."""

from __future__ import annotations

import codecs
import contextlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple, TextIO, TypeGuard, overload

from pytest_compaction.importers.protocol import ImportFormatError, Tally

MAX_LINE_BYTES: Final = 64 * 1024 * 1024
"""A line with inlined images takes some megabytes; a longer one is most likely not JSONL."""
_INTERRUPTED: Final = "a writer that was stopped leaves an end like this"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_ESCAPED: Final = re.compile(r"\\u[dD][89abAB]")
"""Half of a surrogate pair, or the first half of a whole one: only then is there one to replace."""


def json_lines(path: Path, tally: Tally) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSONL file with their line numbers; empty lines are skipped.

    A line that is torn is left out and counted, and so is a value that is no object. Whole
    objects on it are read: two on one line, or one behind the beginning of another.
    Raises :class:`ImportFormatError` if no line is an object, or most are broken.
    """
    for number, value in _line_values(path, tally):
        if isinstance(value, dict):
            yield number, value
        else:
            tally.skip(f"line with {type(value).__name__} instead of an object")


def _line_values(path: Path, tally: Tally) -> Iterator[tuple[int, Any]]:
    shapes: set[frozenset[str]] = set()
    held: list[tuple[int, str]] = []
    """Torn lines, read once a whole line has shown what a record looks like."""
    whole, lost, fault = 0, tally.left_out[TORN], ""

    def recovered() -> Iterator[tuple[int, Any]]:
        for place, torn in held:
            yield from ((place, record) for record in _recovered(torn, shapes, tally))
        held.clear()

    for number, raw in all_lines(path):
        if not raw.strip(b"\0 \t\r\n"):
            continue
        text = _decoded(raw, tally)
        try:
            value = _loads(text)
        except (ValueError, RecursionError) as error:
            fault = fault or f"line {number}: {_told(error)}"
            held.append((number, text))
            if whole:
                whole += 1
                yield from recovered()
            continue
        whole += 1
        if isinstance(value, dict) and len(shapes) < _SHAPES:
            shapes.add(frozenset(value))
        yield from recovered()
        yield number, value
    for found in recovered():
        whole += 1
        yield found
    lost = tally.left_out[TORN] - lost
    if lost > whole:
        raise ImportFormatError(
            f"{path}: {lost} of its lines are not valid JSON ({fault}); copy the file again"
        )


_SHAPES: Final = 200
"""The most different records that are kept to know a record again."""
_TRIES: Final = 200
"""The most places of a torn line at which a record is looked for."""
TORN: Final = "part of a line that was cut off"
RECOVERED: Final = "whole record on a torn line, recovered"


def _recovered(text: str, shapes: set[frozenset[str]], tally: Tally) -> Iterator[dict[str, Any]]:
    """The whole records on a line that is not JSON; the rest of it is counted."""
    place = read = 0
    lost = False
    for _ in range(_TRIES):
        place = text.find("{", place)
        if place < 0:
            break
        value, end = None, place
        with contextlib.suppress(ValueError, RecursionError):
            value, end = _DECODER.raw_decode(text, place)
        behind = not text[read:place].strip()
        keys = frozenset(value if isinstance(value, dict) else ())
        alike = (len(keys & shape) * 5 >= len(keys | shape) * 4 for shape in shapes)
        if keys and (behind or any(alike)):
            tally.repaired[RECOVERED] += 1
            yield cleaned(value)
            lost = lost or not behind
            place = read = end
        else:
            place += 1
    if lost or text[read:].strip():
        tally.left_out[TORN] += 1


def _decoded(raw: bytes, tally: Tally) -> str:
    if b"\0" in raw:
        tally.repaired["zero bytes of a torn write, removed"] += 1
        raw = raw.replace(b"\0", b"")
    try:
        return raw.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        tally.repaired["bytes that are not UTF-8, replaced"] += 1
        return raw.decode("utf-8-sig", "replace").strip()


def _told(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        where = f"line {error.lineno}, " if error.lineno > 1 else ""
        return f"{error.msg} at {where}column {error.colno}"
    return str(error)


def _loads(text: str) -> Any:
    # Python reads NaN and Infinity, which are not JSON; they become null.
    value = json.loads(text, parse_constant=lambda name: None)
    return cleaned(value) if _ESCAPED.search(text) else value


def all_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Every line of a file with its number, one at a time, including its line end.

    Raises :class:`ImportFormatError` for a line that is too long or a file that cannot be read.
    """
    try:
        with path.open("rb") as file:
            number = 0
            while raw := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                if len(raw) > MAX_LINE_BYTES:
                    limit = MAX_LINE_BYTES // 1024**2
                    raise ImportFormatError(
                        f"{path}, line {number}: longer than {limit} MB; shorten or remove the line"
                    )
                yield number, raw
    except OSError as error:
        raise ImportFormatError(f"{path}: {error.strerror or error}") from None


def parsed(raw: bytes, place: str, advice: str) -> Any:
    """The JSON value of some bytes; errors name the ``place`` and end with the ``advice``."""
    try:
        return _loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        fault = f"byte {error.start} is not UTF-8"
    except (ValueError, RecursionError) as error:
        fault = f"not valid JSON ({_told(error)}; {_INTERRUPTED})"
    raise ImportFormatError(f"{place}: {fault}; {advice}")


def cleaned(value: Any) -> Any:
    """A value that was just read, with lone surrogates replaced, because UTF-8 has none."""
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        for place, item in enumerate(value):
            value[place] = cleaned(item)
    elif isinstance(value, dict):
        if not all(map(str.isascii, value)):
            items = [(cleaned(key), item) for key, item in value.items()]
            value.clear()
            value.update(items)
        for key, item in value.items():
            value[key] = cleaned(item)
    return value


LARGE_BYTES: Final = 32 * 1024 * 1024
"""A document above this size that is one array is read element by element."""
_BLOCK: Final = 1024 * 1024
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_DECODER: Final = json.JSONDecoder(parse_constant=lambda name: None)


def is_list(value: Any) -> TypeGuard[Sequence[Any]]:
    """Whether a value is a JSON array, in memory or left in its file."""
    return isinstance(value, list | StreamedArray)


class StreamedArray(Sequence[Any]):
    """The array that a large file consists of; every look at it reads the file again.

    The file is read once to its end, so errors show before anything is made from it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._length = sum(1 for _ in self)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Any]:
        number = 0
        try:
            with self._path.open(encoding="utf-8-sig", newline="") as file:
                for value in _elements(file):
                    number += 1
                    yield cleaned(value)
        except (ValueError, RecursionError) as error:
            raise ImportFormatError(
                f"{self._path}: not valid JSON behind element {number} of its list "
                f"({getattr(error, 'msg', '') or _told(error)}); fix the file ({_INTERRUPTED})"
            ) from None

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, int):
            return next(islice(self, range(self._length)[index], None))
        return list(islice(self, *index.indices(self._length)))


def _elements(file: TextIO) -> Iterator[Any]:
    """The elements of the array in a file, which is read on while one of them is not whole."""
    text = file.read(_BLOCK).lstrip().removeprefix("[")
    at, sign = 0, ","
    while sign == ",":
        try:
            at = _behind_space(text, at)
            value, end = _DECODER.raw_decode(text, at)
            end = _behind_space(text, end)
            sign = text[end : end + 1]
            if sign not in {",", "]"}:
                raise json.JSONDecodeError("Expecting ',' delimiter", text, end)
        except json.JSONDecodeError:
            sign = ","
            more = file.read(max(_BLOCK, len(text) - at))
            if not more:
                raise
            text, at = text[at:] + more, 0
            continue
        yield value
        at = end + 1
    if (text[at:] + file.read()).strip():
        raise json.JSONDecodeError("Extra data", text, at)


def _behind_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


_CLOSING: Final = {"{": "}", "[": "]"}


class PlacedValue(NamedTuple):
    """A JSON value of a file, and its place in the file for error messages."""

    place: str
    value: Any


def read_document(path: Path) -> Any:
    """The one JSON value of a file.

    Lone surrogates become U+FFFD. If the file is larger than :data:`LARGE_BYTES` and one
    array, that stays in the file; :func:`is_list` recognises both kinds of array. Raises
    :class:`ImportFormatError` for anything that is not JSON in UTF-8.
    """
    try:
        if path.stat().st_size > LARGE_BYTES:
            with path.open("rb") as file:
                beginning = file.read(_BLOCK).removeprefix(codecs.BOM_UTF8)
            if re.match(rb"\s*\[\s*[^\s\]]", beginning):
                return StreamedArray(path)
        raw = path.read_bytes()
    except OSError as error:
        raise ImportFormatError(f"{path}: {error.strerror or error}") from None
    return parsed(raw, f"{path}", "fix the file")


def json_values(path: Path, tally: Tally) -> Iterator[PlacedValue]:
    """The JSON values of a file: one per line, a single document, or one document after another.

    A file is read as lines if its first line is a complete value and more lines follow, or
    if it begins with a torn line and most of the next ones are objects. Torn lines are
    counted. Raises :class:`ImportFormatError`.
    """
    if not _is_lines(path):
        try:
            yield PlacedValue(str(path), read_document(path))
        except ImportFormatError:
            found = _documents(path)
            if len(found) < 2:
                raise
            for number, value in enumerate(found, 1):
                yield PlacedValue(f"{path}, document {number}", value)
        return
    for number, value in _line_values(path, tally):
        yield PlacedValue(f"{path}, line {number}", value)


def _documents(path: Path) -> list[Any]:
    """The documents of a file that holds several of many lines each, as consoles show them."""
    found: list[Any] = []
    with contextlib.suppress(OSError, ValueError, RecursionError):
        text = path.read_text("utf-8-sig")
        at = _behind_space(text, 0)
        while at < len(text):
            value, at = _DECODER.raw_decode(text, at)
            found.append(cleaned(value))
            at = _behind_space(text, at)
        return found
    return []


def _is_lines(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            first = file.readline(MAX_LINE_BYTES + 1)
            if len(first) > MAX_LINE_BYTES:
                return False
            rest = iter(lambda: file.readline(MAX_LINE_BYTES), b"")
            following = [line for line in islice(rest, _FOLLOWING) if line.strip()]
            if _loaded(first.decode("utf-8-sig", "replace")) is not None:
                return bool(following) or any(line.strip() for line in rest)
    except OSError as error:
        raise ImportFormatError(f"{path}: {error.strerror or error}") from None
    return _are_lines([line.decode("utf-8", "replace") for line in following])


_FOLLOWING: Final = 20


def _are_lines(lines: Sequence[str]) -> bool:
    """Whether most of the lines below a torn one are whole objects."""
    whole = sum(line.startswith("{") and isinstance(_loaded(line), dict) for line in lines)
    return whole > 1 and whole * 2 > len(lines)


def head_values(head: str) -> list[Any]:
    """The values in the beginning of a file: its first lines, or its cut-off document."""
    lines = [line for line in head.split("\n") if line.strip("\0 \t\r")][:VALUES]
    if len(lines) > 1 and (_loaded(lines[0]) is not None or _are_lines(lines[1:])):
        return [value for value in map(_loaded, lines) if value is not None]
    whole = _loaded(head)
    with contextlib.suppress(ValueError, RecursionError):
        if whole is None:  # cut off, or the first of several documents
            whole = cleaned(json.JSONDecoder().raw_decode(_closed(head).lstrip())[0])
    return [] if whole is None else [whole]


def _loaded(text: str) -> Any:
    with contextlib.suppress(ValueError, RecursionError):
        return _loads(text.replace("\0", ""))
    return None


_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\],]', re.S)


def _closed(head: str) -> str:
    """The text up to its last complete element, followed by the missing closing brackets."""
    opened: list[str] = []
    safe = 0
    for token in _TOKEN.finditer(head):
        if token[0] in _CLOSING:
            opened.append(_CLOSING[token[0]])
        elif token[0] in {"}", "]"} and opened:
            opened.pop()
        elif token[0] != ",":
            continue
        safe = token.start() if token[0] == "," else token.end()
    return head[:safe] + "".join(reversed(opened))


VALUES: Final = 20
"""The most lines of a file of lines, and the most elements of a list."""
_LINES: Final = 2_000
"""The most lines that are read to find different ones."""
_ALIKE: Final = 3
"""The most lines with the same keys and type; some programs begin with hundreds alike."""
_KEYS: Final = 200
"""The most keys of an object within the document; at the top all are shown."""
_FIRST, _LAST = 1_000, 200
"""Characters shown of the beginning and the end of a text."""
_DEPTH: Final = 12


def outline(path: Path) -> str:
    """The outline of a file as JSON, one value a line; empty if the file is not JSON."""
    lines: list[str] = []
    seen: Counter[tuple[str, ...]] = Counter()
    with contextlib.suppress(ImportFormatError, RecursionError):
        for _, value in islice(json_values(path, Tally()), _LINES):
            shape: tuple[str, ...] = (type(value).__name__,)
            if isinstance(value, Mapping):
                shape = (str(value.get("type")), str(value.get("role")), *sorted(value))
            seen[shape] += 1
            if seen[shape] <= _ALIKE:
                lines.append(f"{json.dumps(_shortened(value), ensure_ascii=False)}\n")
            if len(lines) == VALUES:
                break
    return "".join(lines)


def _shortened(value: Any, depth: int = 0) -> Any:
    if isinstance(value, str):
        return value if len(value) <= _FIRST + _LAST else f"{value[:_FIRST]} … {value[-_LAST:]}"
    if depth == _DEPTH:
        return None if isinstance(value, Mapping) or is_list(value) else value
    if is_list(value):
        return [_shortened(item, depth + 1) for item in value[:VALUES]]
    if isinstance(value, Mapping):
        items = islice(value.items(), _KEYS if depth else None)
        return {key: _shortened(item, depth + 1) for key, item in items}
    return value
