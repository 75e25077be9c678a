"""A sample of the newest sessions of a folder, for ``import --newest``."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import Final

from pytest_compaction.importers import Importer, ImportFormatError, fitting_importers
from pytest_compaction.reports import counted

CONSIDERED: Final = 10
_LENGTHS: Final = (("short", 100_000), ("medium", 1_000_000), ("long", float("inf")))
"""Lengths of sessions by the bytes of their files."""


def newest_sessions(
    folder: Path, wanted: int, importers: Mapping[str, Importer]
) -> tuple[list[Path], str]:
    """The newest sessions below a folder, so that each folder and length has its turn.

    The folder of a session stands for its task: agents keep the sessions of a project together.
    With them comes a sentence on what they are.
    """
    dated: list[tuple[float, int, Path]] = []
    for path in session_files(folder, importers):
        with suppress(OSError):
            held = path.stat()
            dated.append((held.st_mtime, held.st_size, path))
    dated.sort(key=lambda each: (-each[0], each[2]))
    groups: dict[tuple[Path, str], list[Path]] = {}
    found = passed_over = 0
    for _, size, path in dated:
        if found == CONSIDERED * wanted:
            break
        if not path.is_dir() and not is_known_format(path, importers):
            passed_over += 1
            continue
        found += 1
        length = next(name for name, most in _LENGTHS if size < most)
        groups.setdefault((path.parent, length), []).append(path)
    lengths = Counter({name: 0 for name, _ in _LENGTHS})
    for (_, length), paths in groups.items():
        lengths[length] += len(paths)
    turns = zip_longest(*groups.values())
    sessions = [path for turn in turns for path in turn if path is not None]
    of_lengths = ", ".join(f"{number} {name}" for name, number in lengths.items())
    unknown = counted(passed_over, "file of no known format", "files of no known format")
    folders = counted(len({parent for parent, _ in groups}), "folder")
    return sessions, (
        f"the {counted(len(sessions), 'newest session')} below {folder} ({of_lengths}; {folders}; "
        f"{unknown} passed over): the newest of each folder and length in turn, until there are "
        f"{counted(wanted, 'case')}"
    )


def session_files(folder: Path, importers: Mapping[str, Importer]) -> Iterator[Path]:
    """The files below a folder, and the folders that are sessions; links and hidden ones not."""
    for name, folders, files in os.walk(folder):
        place = Path(name)
        if place != folder and is_known_format(place, importers):
            folders.clear()
            yield place
            continue
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for file in map(place.joinpath, files):
            if not file.name.startswith(".") and file.is_file() and not file.is_symlink():
                yield file


def is_known_format(path: Path, importers: Mapping[str, Importer]) -> bool:
    try:
        return bool(fitting_importers(path, importers))
    except ImportFormatError:
        return False
