"""Folders that a run makes for itself, which git ignores."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

_ALL: Final = "*\n"
"""A ``.gitignore`` that hides all of its folder."""

_TRIED: Final = 1 << 16
"""Bytes that a folder must have room for, so that it is worth while to begin."""


def check_folder(folder: Path) -> None:
    """Make a folder as :func:`make_folder` and try to write in it; ``OSError`` if that fails."""
    make_folder(folder)
    check_room(folder / f".room.{os.getpid()}.tmp")


def check_room(temporary: Path) -> None:
    """Write some bytes to a file that is removed again; ``OSError`` if that fails."""
    try:
        temporary.write_bytes(bytes(_TRIED))
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def make_folder(folder: Path) -> None:
    """Make a folder that git ignores; an existing folder stays as it is."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    if missing and not any(map(_is_hidden, missing[-1].parents)):
        (missing[-1] / ".gitignore").write_text(_ALL, "utf-8")


def _is_hidden(folder: Path) -> bool:
    """Whether git ignores all of a folder, as it does with one that was made here."""
    try:
        return (folder / ".gitignore").read_bytes() == _ALL.encode()
    except OSError:
        return False
