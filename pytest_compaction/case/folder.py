"""Which files of a folder are case files, which cannot be read, and which are passed over."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pytest_compaction.case.long_memory.beam.folder import is_part

SUFFIXES: Final = (".json", ".jsonl")
"""How the name of a case file ends, in small or capital letters."""
_ALIKE: Final = (".json", ".ndjson")
"""What stands in the name of a file that may have been meant as one."""
_MADE_BY_TOOLS: Final = frozenset({"__pycache__", "__snapshots__"})
_KEYS: Final = ("messages", "probes", "source_chat_ids", "dia_id")
"""A file with one of these words is taken for a case or a part of one, sound or broken: also the
questions of BEAM and the turns of LoCoMo."""


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """What was found below a path.

    ``cases`` are the case files, sorted. ``unreadable`` are links to nothing, folders that cannot
    be listed and the like, each with the reason. ``passed_over`` may have been meant as cases:
    hidden ones, and files with another suffix.
    """

    cases: tuple[Path, ...]
    unreadable: tuple[tuple[Path, str], ...] = ()
    passed_over: tuple[Path, ...] = ()


def is_lines(path: Path) -> bool:
    """Whether each line of a case file is a case."""
    return path.suffix.lower() == ".jsonl"


def files_below(path: Path) -> FolderFiles:
    """The files of a folder and of those in it, links followed; or the file that was named.

    Hidden and ``__…__`` folders hold no case. A folder that several links lead to is read once.
    """
    if path.is_file():
        return FolderFiles((path,))
    cases: list[Path] = []
    unreadable: list[tuple[Path, str]] = []
    passed_over: list[Path] = []

    def refuse(error: OSError) -> None:
        unreadable.append((Path(error.filename), error.strerror or str(error)))

    entered = {path.resolve()}
    for name, folders, files in os.walk(path, onerror=refuse, followlinks=True):
        place = Path(name)
        left_out = [folder for folder in folders if _is_left_out(folder)]
        passed_over += [file for folder in left_out for file in _cases_in(place / folder)]
        folders[:] = list(_not_entered(place, set(folders) - set(left_out), entered))
        for file in map(place.joinpath, files):
            if file.name.startswith(".") or file.suffix.lower() not in SUFFIXES:
                passed_over += [file] if any(part in file.name.lower() for part in _ALIKE) else []
            elif file.is_file():
                cases.append(file)
            else:
                why = "a link to a file that is not there" if file.is_symlink() else "no plain file"
                unreadable.append((file, why))
    return FolderFiles(tuple(sorted(cases)), tuple(sorted(unreadable)), tuple(sorted(passed_over)))


def holds_cases(path: Path) -> bool:
    """Whether a folder is one of cases: a file of it is a case, or may be a broken one.

    A folder without a case file is none, and so is one of sound JSON of another kind.
    """
    found = files_below(path)
    return bool(found.unreadable) or any(map(_may_be_case, found.cases))


def _not_entered(place: Path, folders: set[str], entered: set[Path]) -> Iterator[str]:
    """The folders that were not entered by another way, folders before links."""
    for name in sorted(folders, key=lambda name: ((place / name).is_symlink(), name)):
        way = (place / name).resolve()
        if way not in entered:
            entered.add(way)
            yield name


def _is_left_out(folder: str) -> bool:
    return folder.startswith((".", "__"))


def _cases_in(folder: Path) -> Sequence[Path]:
    """Files that look like cases right in a folder that is not read."""
    if folder.name in _MADE_BY_TOOLS:
        return ()
    try:
        return [file for file in folder.iterdir() if file.suffix.lower() in SUFFIXES]
    except OSError:
        return ()


def _may_be_case(file: Path) -> bool:
    """Whether a file is a case or could be a broken one: not whole JSON without its keys."""
    if is_part(file):
        return True
    try:
        text = file.read_text("utf-8-sig")
        if any(f'"{key}"' in text for key in _KEYS):
            return True
        for part in text.splitlines() if is_lines(file) else [text]:
            if part.strip():
                json.loads(part)
    except (OSError, ValueError, RecursionError):
        return True
    return not text.strip()
