"""The outline of a JSON file: its keys in full, the beginning of its lists and texts.

A format cannot always be told from the beginning of a file: a patch of a megabyte, or all
steps of a run, may stand before the first message. The outline is short enough to be read
as a beginning and shows every key of the document.
"""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

from pytest_compaction.importers.protocol import ImportFormatError
from pytest_compaction.importers.reading.documents import json_values
from pytest_compaction.importers.reading.streamed import is_list

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
    """The outline of a file as JSON, one value a line; empty if the file is not JSON.

    Of lines that break off it has those before the broken one.
    """
    lines: list[str] = []
    with contextlib.suppress(ImportFormatError, RecursionError):
        lines.extend(f"{json.dumps(one, ensure_ascii=False)}\n" for one in _values(path))
    return "".join(lines)


def _values(path: Path) -> Iterator[Any]:
    seen: Counter[tuple[str, ...]] = Counter()
    kept = 0
    for _, value in islice(json_values(path), _LINES):
        shape = _shape(value)
        seen[shape] += 1
        if seen[shape] <= _ALIKE:
            yield _shortened(value)
            kept += 1
        if kept == VALUES:
            return


def _shape(value: Any) -> tuple[str, ...]:
    if isinstance(value, Mapping):
        return (str(value.get("type")), str(value.get("role")), *sorted(value))
    return (type(value).__name__,)


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
