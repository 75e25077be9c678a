"""What is wrong in a file of a published set: the file, the place in it, and what was expected."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case.json_text import decoded, read_json
from pytest_compaction.case.validation import CaseFault
from pytest_compaction.text import printable

MAX_BYTES: Final = 1024**3
"""A conversation of 10M tokens takes some 50 MB as JSON."""
MOST_CHARACTERS: Final = 4_000
"""Of a question and of a nugget, as the schema of cases has it of a question."""
_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class FileFaults:
    """A file that cannot be used, and why."""

    path: Path
    faults: tuple[CaseFault, ...]


class ShapeError(ValueError):
    """A value of a file is not what was expected there; ``pointer`` is its place."""

    def __init__(self, pointer: str, found: str, expected: str) -> None:
        self.fault = CaseFault(pointer, found, expected)
        super().__init__(str(self.fault))


def json_of(path: Path, content: bytes, what: str) -> Any:
    """The value of a file. Raises :class:`ShapeError` if it is not sound JSON."""
    text = decoded(content)
    value = text if isinstance(text, CaseFault) else read_json(text, what)
    if isinstance(value, CaseFault):
        raise ShapeError(value.pointer, value.found, value.expected)
    return value


def bytes_of(path: Path) -> bytes:
    """The content of a file. Raises :class:`ShapeError` if it cannot be read or is too large."""
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise ShapeError("", f"{size / 1024**2:.1f} MB", f"at most {MAX_BYTES // 1024**2} MB")
        return path.read_bytes()
    except OSError as error:
        raise ShapeError("", error.strerror or str(error), "a readable file") from None


def short_text(value: Any, pointer: str, what: str) -> str:
    """A text without spaces around it. Raises :class:`ShapeError` if it is none, or too long."""
    if not isinstance(value, str) or not value.strip():
        raise ShapeError(pointer, shown(value), what)
    text = value.strip()
    if len(text) > MOST_CHARACTERS:
        found = f"{len(text):,} characters"
        raise ShapeError(pointer, found, f"{what} of at most {MOST_CHARACTERS:,} characters")
    return text


def shown(value: Any) -> str:
    """A value in a sentence: its type, and the start of it if it is short."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        keys = ", ".join(map(str, list(value)[:4]))
        return f"an object with {printable(keys, _SHOWN)}" if keys else "an empty object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return f"{type(value).__name__} {printable(repr(value), _SHOWN)}"


def at(pointer: str, key: object) -> str:
    """The place of a member; of a long key only the start, and none of what moves a cursor."""
    name = str(key)
    if len(name) > _SHOWN or not name.isprintable():
        name = printable(name, _SHOWN)
    return f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
