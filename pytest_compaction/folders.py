"""Folders that a run makes for itself, which git ignores, and files that appear whole."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

OLD_S: Final = 3600.0
"""Seconds after which a file that is written within moments is taken for left over."""


class TemporaryFolder:
    """A new folder among the temporary ones of the system."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="pytest-compaction-"))

    def close(self) -> None:
        """Remove the folder. May be called again."""
        shutil.rmtree(self.path, ignore_errors=True)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for as long as the block lasts."""
    made = TemporaryFolder()
    try:
        yield made.path
    finally:
        made.close()


def remove_left_files(folder: Path) -> None:
    """Remove the files of a folder that are old; one that cannot be removed stays."""
    with suppress(OSError):
        for path in sorted(folder.iterdir()):
            if time.time() - path.lstat().st_mtime > OLD_S:
                path.unlink(missing_ok=True)


_ALL: Final = "*\n"
"""A ``.gitignore`` that hides all of its folder."""

_TRIED: Final = 1 << 16
"""Bytes that a folder must have room for, so that it is worth while to begin."""


def check_folder(folder: Path) -> None:
    """Make a folder as :func:`make_folder` and try to write in it; ``OSError`` if that fails."""
    make_folder(folder)
    check_room(folder)


def check_room(folder: Path) -> None:
    """Write some bytes to a file that is removed again; ``OSError`` if that fails."""
    with _passing_file(folder) as temporary:
        temporary.write_bytes(bytes(_TRIED))


def write_whole(path: Path, *parts: bytes) -> None:
    """Write a file beside its place and then put it there; a link leads to the new content."""
    target = path.resolve()
    with _passing_file(target.parent) as temporary:
        temporary.write_bytes(b"".join(parts))
        temporary.replace(target)


@contextmanager
def _passing_file(folder: Path) -> Iterator[Path]:
    """A name that nobody else takes, short whatever the file is for; what is left is removed."""
    temporary = folder / f".{os.getpid()}.{threading.get_ident()}.tmp"
    try:
        yield temporary
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
    try:
        return (folder / ".gitignore").read_bytes() == _ALL.encode()
    except OSError:
        return False
