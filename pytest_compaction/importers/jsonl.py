"""JSON lines, streamed: one object a line, each with its number; a broken line is named."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pytest_compaction.importers.protocol import ImportFormatError

MAX_LINE_BYTES: Final = 64 * 1024 * 1024
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSONL file with their line numbers; empty lines are skipped.

    Lone surrogates become U+FFFD. Raises :class:`ImportFormatError` that names
    the line for anything that is not one JSON object in UTF-8.
    """
    try:
        with path.open("rb") as file:
            number = 0
            while raw := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                if len(raw) > MAX_LINE_BYTES:
                    limit = MAX_LINE_BYTES // 1024**2
                    raise ImportFormatError(f"{path}, line {number}: longer than {limit} MB")
                if raw.strip():
                    yield number, _object(raw, path, number)
    except OSError as error:
        raise ImportFormatError(f"{path}: {error.strerror or error}") from None


def _object(raw: bytes, path: Path, number: int) -> dict[str, Any]:
    place = f"{path}, line {number}"
    try:
        value = json.loads(raw.decode("utf-8-sig"), parse_constant=lambda name: None)
        if not isinstance(value, dict):
            raise ImportFormatError(
                f"{place}: expected a JSON object, found {type(value).__name__}; "
                "mend or remove the line"
            )
        return {_clean(key): _clean(item) for key, item in value.items()}
    except UnicodeDecodeError as error:
        raise ImportFormatError(
            f"{place}: byte {error.start} of the line is not UTF-8; mend or remove the line"
        ) from None
    except RecursionError:
        raise ImportFormatError(f"{place}: nested too deeply; remove the line") from None
    except json.JSONDecodeError as error:
        raise ImportFormatError(
            f"{place}: not valid JSON ({error.msg} at column {error.colno}); "
            "mend the line, or remove it when its writer was stopped in the middle"
        ) from None
    except ImportFormatError:
        raise
    except ValueError as error:
        raise ImportFormatError(f"{place}: {error}; mend or remove the line") from None


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("�", value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    return value
