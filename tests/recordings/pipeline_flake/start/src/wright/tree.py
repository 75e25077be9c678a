"""Collecting the payload files of a tree."""

from __future__ import annotations

import fnmatch
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from wright.errors import MissingFileError


def payload_files(folder: Path, ignore: Iterable[str] = ()) -> Iterator[tuple[str, Path]]:
    """Names inside the bundle and paths, sorted by name; ignored names are left out."""
    if not folder.is_dir():
        raise MissingFileError(f"no folder {folder.name}")
    patterns = tuple(ignore)
    found = []
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not is_ignored(name, patterns):
            found.append((name, path))
    yield from sorted(found)


def is_ignored(name: str, patterns: Iterable[str]) -> bool:
    """Whether any component of a name matches any of the patterns."""
    return any(
        fnmatch.fnmatchcase(part, pattern) for part in name.split("/") for pattern in patterns
    )


def digest(data: bytes) -> str:
    """The first 16 hexadecimal digits of SHA-256: enough to compare payload files."""
    return hashlib.sha256(data).hexdigest()[:16]
