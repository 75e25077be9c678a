"""Read JSON lines one by one, each with its number; errors name the broken line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pytest_compaction.importers.protocol import ImportFormatError

MAX_LINE_BYTES: Final = 64 * 1024 * 1024
"""A line with inlined images takes some megabytes; a longer one is most likely not JSONL."""
INTERRUPTED_WRITER: Final = "a writer that was stopped leaves an end like this"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSONL file with their line numbers; empty lines are skipped.

    A line may hold several objects one right behind the other, as a lost line end leaves them.

    Lone surrogates become U+FFFD. Raises :class:`ImportFormatError` that names
    the line for anything that is not one JSON object in UTF-8.
    """
    for number, raw in raw_lines(path):
        place = f"{path}, line {number}"
        try:
            values = [parsed(raw, place, "fix or remove the line")]
        except ImportFormatError:
            if not (values := _joined(raw)):
                raise
        for value in values:
            if not isinstance(value, dict):
                raise ImportFormatError(
                    f"{place}: expected a JSON object, found {type(value).__name__}; "
                    "fix or remove the line"
                )
            yield number, value


def _joined(raw: bytes) -> list[Any]:
    """The objects of a line that holds several, because a line end between them was lost.

    Empty for a line that is anything else.
    """
    decoder = json.JSONDecoder(parse_constant=lambda name: None)
    found: list[Any] = []
    place = 0
    try:
        text = raw.decode("utf-8-sig").strip()
        while place < len(text):
            value, place = decoder.raw_decode(text, place)
            found.append(cleaned(value))
    except (ValueError, RecursionError):
        return []
    return found if len(found) > 1 and all(isinstance(value, dict) for value in found) else []


def raw_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers, one at a time; empty lines are skipped."""
    return ((number, raw) for number, raw in all_lines(path) if raw.strip())


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
        # Python reads NaN and Infinity, which are not JSON; they become null.
        return cleaned(json.loads(raw.decode("utf-8-sig"), parse_constant=lambda name: None))
    except UnicodeDecodeError as error:
        raise ImportFormatError(f"{place}: byte {error.start} is not UTF-8; {advice}") from None
    except RecursionError:
        raise ImportFormatError(f"{place}: nested too deeply; {advice}") from None
    except json.JSONDecodeError as error:
        where = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno}"
        raise ImportFormatError(
            f"{place}: not valid JSON ({error.msg} at {where}); {advice} ({INTERRUPTED_WRITER})"
        ) from None
    except ValueError as error:
        raise ImportFormatError(f"{place}: {error}; {advice}") from None


def cleaned(value: Any) -> Any:
    """A value that was just read, with lone surrogates replaced, because UTF-8 has none.

    Its lists and objects are changed in place: a copy of a large file would take its memory twice.
    """
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
