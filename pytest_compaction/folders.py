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
from typing import Any, Final

_LOCKS: Any = None
"""The module of file locks; none on Windows, where an open file cannot be removed."""
with suppress(ImportError):
    import fcntl

    _LOCKS = fcntl

PREFIX: Final = "pytest-compaction-"
OLD_S: Final = 3600.0
"""Seconds after which a file that is written within moments is taken for left over."""
_HELD: Final = ".held"
"""The file that the process of a folder keeps locked as long as it lives."""
_UNLOCKED: Final = ".new"
"""The name of that file until it is locked."""


class TemporaryFolder:
    """A new folder among the temporary ones of the system; its process holds it until the end.

    Folders that killed processes left there are removed first.
    """

    def __init__(self) -> None:
        remove_left_folders(Path(tempfile.gettempdir()))
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
        made = self.path / (_HELD if _LOCKS is None else _UNLOCKED)
        self._held: int | None = os.open(made, os.O_RDWR | os.O_CREAT, 0o600)
        if _LOCKS is not None:
            # A file system without locks has no folder of ours removed.
            with suppress(OSError):
                _LOCKS.flock(self._held, _LOCKS.LOCK_EX | _LOCKS.LOCK_NB)
            made.rename(self.path / _HELD)

    def close(self) -> None:
        """Remove the folder. May be called again."""
        if self._held is not None:
            os.close(self._held)
            self._held = None
        shutil.rmtree(self.path, ignore_errors=True)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for as long as the block lasts."""
    scratch = TemporaryFolder()
    try:
        yield scratch.path
    finally:
        scratch.close()


def remove_left_folders(among: Path) -> None:
    """Remove the folders of processes that no longer live; one that cannot be removed stays."""
    with suppress(OSError):
        for folder in sorted(among.glob(f"{PREFIX}*")):
            if _is_free(folder / _HELD) or _is_old(folder / _UNLOCKED):
                shutil.rmtree(folder, ignore_errors=True)


def remove_left_files(folder: Path) -> None:
    """Remove the files of a folder that are old; one that cannot be removed stays.

    The folder holds files that are written and moved away within moments.
    """
    with suppress(OSError):
        for path in sorted(folder.iterdir()):
            if _is_old(path):
                path.unlink(missing_ok=True)


def _is_old(path: Path) -> bool:
    """Whether a file is there and was written long ago."""
    try:
        return time.time() - path.lstat().st_mtime > OLD_S
    except OSError:
        return False


def _is_free(held: Path) -> bool:
    """Whether no living process holds the folder of this file."""
    try:
        if _LOCKS is None:
            held.unlink()
            return True
        file = os.open(held, os.O_RDWR)
    except OSError:
        return False
    try:
        _LOCKS.flock(file, _LOCKS.LOCK_EX | _LOCKS.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(file)
    return True


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
    """Whether git ignores all of a folder, as it does with one that was made here."""
    try:
        return (folder / ".gitignore").read_bytes() == _ALL.encode()
    except OSError:
        return False
