"""The files that a run names: cases and dialogues, told apart, and what is in the cases."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pytest_compaction.case import (
    CaseIndex,
    CaseSet,
    files_below,
    find_cases,
    has_questions,
    holds_cases,
    is_case_file,
    shorten,
)
from pytest_compaction.dialogues import is_dialogue_file
from pytest_compaction.session.session import BenchmarkSession, shipped_cases, shipped_digests
from pytest_compaction.settings import DEFAULT_CASES, SHIPPED
from pytest_compaction.text import printable

_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class CasePlaces:
    """The files and folders of the cases, and sentences on what is there and was not read."""

    paths: tuple[Path, ...]
    shipped: bool = False
    notes: tuple[str, ...] = ()


def case_places(named: Sequence[str], root: Path, use_shipped: bool) -> CasePlaces:
    """The places of the cases: ``named``, relative to ``root``, or found there.

    A file or folder of the project goes before the word for what the package has. Where a folder
    ``cases`` has no case in it, the shipped ones are taken, and a note says so.
    """
    by_word = tuple(named) == (SHIPPED,) and not (root / SHIPPED).exists()
    if by_word or (use_shipped and not named):
        return CasePlaces((shipped_cases(),), shipped=True)
    own = root / DEFAULT_CASES
    paths = tuple(root / path for path in named) or (own,)
    if not named and not (own.is_dir() and holds_cases(own)):
        notes = []
        if own.is_dir():
            notes = [f"the folder {DEFAULT_CASES} holds no case file"]
        elif own.exists():
            notes = [f"{DEFAULT_CASES} is no folder"]
        elif own.is_symlink():
            notes = [f"{DEFAULT_CASES} is a link to a folder that is not there"]
        return CasePlaces((shipped_cases(),), shipped=True, notes=tuple(notes))
    found = [file for path in paths if path.exists() for file in files_below(path).passed_over]
    names = ", ".join(printable(shorten(file, root), 60) for file in found[:_SHOWN])
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    note = f"not read as cases, hidden or without the suffix .json or .jsonl: {names}{more}"
    return CasePlaces(paths, notes=(note,) if found else ())


@dataclass(frozen=True, slots=True)
class NamedFiles:
    folders: tuple[Path, ...]
    dialogue_files: tuple[Path, ...]
    case_set: CaseSet


def find_named(
    named: Sequence[Path],
    root: Path,
    index: CaseIndex,
    sent: str | None,
    truncated: bool = False,
    all_points: bool = False,
) -> NamedFiles:
    """What is in the named files and folders.

    ``sent`` is what the controller of an xdist worker found in them, by
    :func:`to_workers`: with it no file is read. Otherwise the index has what earlier
    runs found. ``truncated`` and ``all_points`` are those of :func:`find_cases`.
    """
    if sent is not None:
        found = json.loads(sent)
        files = tuple(named[number] for number in found["dialogue_files"])
        folders = tuple(path for path in named if path not in files)
        return NamedFiles(folders, files, CaseSet.from_json(found, folders))
    # Turns with questions beside them are no dialogues, in any shape.
    cases = {path for path in named if has_questions(path) or is_case_file(path, index)}
    files = tuple(path for path in named if path not in cases and is_dialogue_file(path))
    folders = tuple(path for path in named if path not in files)
    found_cases = find_cases(folders, root, shipped_digests(), index, truncated, all_points)
    return NamedFiles(folders, files, found_cases)


def to_workers(session: BenchmarkSession) -> str:
    """What was found, for the workers of pytest-xdist, which read no case file to collect."""
    files = [number for number, path in enumerate(session.named) if path not in session.folders]
    return json.dumps({"dialogue_files": files, **session.case_set.as_json(session.folders)})
