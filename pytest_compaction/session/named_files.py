"""The files that a run names: cases and dialogues, told apart, and what is in the cases."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_compaction.case.case_set import CaseSet, find_cases, is_case_file
from pytest_compaction.case.index import CaseIndex
from pytest_compaction.case.long_memory.beam.folder import has_questions
from pytest_compaction.dialogues.files import is_dialogue_file
from pytest_compaction.session.session import BenchmarkSession, shipped_digests


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """The case files and folders of a run, its dialogue files, and the cases."""

    folders: tuple[Path, ...]
    dialogue_files: tuple[Path, ...]
    case_set: CaseSet


def find_named(
    named: Sequence[Path],
    root: Path,
    index: CaseIndex,
    sent: str | None,
    truncated: bool = False,
) -> NamedFiles:
    """What is in the named files and folders.

    ``sent`` is what the controller of an xdist worker found in them, by
    :func:`to_workers`: with it no file is read. Otherwise the index has what earlier
    runs found. ``truncated`` is that of :func:`find_cases`.
    """
    if sent is not None:
        found = json.loads(sent)
        files = tuple(named[number] for number in found["dialogue_files"])
        folders = tuple(path for path in named if path not in files)
        return NamedFiles(folders, files, CaseSet.from_json(found, folders))
    files = tuple(path for path in named if _holds_dialogues(path, index))
    folders = tuple(path for path in named if path not in files)
    found_cases = find_cases(folders, root, shipped_digests(), index, truncated)
    return NamedFiles(folders, files, found_cases)


def _holds_dialogues(path: Path, index: CaseIndex) -> bool:
    """Whether a file holds dialogues; turns with questions beside them are none, in any shape."""
    return not (has_questions(path) or is_case_file(path, index)) and is_dialogue_file(path)


def to_workers(session: BenchmarkSession) -> str:
    """What was found, for the workers of pytest-xdist, which read no case file to collect."""
    files = [number for number, path in enumerate(session.named) if path not in session.folders]
    return json.dumps({"dialogue_files": files, **session.case_set.as_json(session.folders)})
