"""The importers by name, and which one reads a file: by content, or as the user says."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

from pytest_compaction.importers.pi import PiImporter
from pytest_compaction.importers.protocol import Importer, ImportFormatError
from pytest_compaction.text import printable

ENTRY_POINT_GROUP: Final = "pytest_compaction.importers"
HEAD_BYTES: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class ImporterSet:
    """The importers by name, and a sentence for each entry point that could not be loaded."""

    importers: Mapping[str, Importer]
    problems: tuple[str, ...] = ()


def load_importers() -> ImporterSet:
    """The built-in importers and those of the entry point group ``pytest_compaction.importers``."""
    found: dict[str, Importer] = {"pi": PiImporter()}
    problems: list[str] = []
    for entry in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda entry: entry.name):
        try:
            loaded = entry.load()
            importer = loaded() if isinstance(loaded, type) else loaded
        except Exception as error:
            problems.append(
                f"the importer {entry.name!r} ({entry.value}) cannot be loaded: "
                f"{printable(str(error), 200)} ({type(error).__name__})"
            )
            continue
        if isinstance(importer, Importer):
            found[entry.name] = importer
        else:
            problems.append(
                f"the importer {entry.name!r} ({entry.value}) has no name, description, "
                "recognises and read; see pytest_compaction.importers.protocol"
            )
    return ImporterSet(dict(sorted(found.items())), tuple(problems))


def importer_named(name: str, importers: Mapping[str, Importer]) -> Importer:
    """The importer with this name; :class:`ImportFormatError` says what exists and the nearest."""
    if name in importers:
        return importers[name]
    near = difflib.get_close_matches(name.lower(), importers, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ImportFormatError(
        f"unknown transcript format {printable(name, 60)!r}: there is {', '.join(importers)}{hint}"
    )


def importer_for(path: Path, importers: Mapping[str, Importer]) -> Importer:
    """The importer that recognises the first 64 kB of the file.

    Raises :class:`ImportFormatError` when the file cannot be read or nothing
    recognises it.
    """
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES).decode("utf-8-sig", "replace")
    except OSError as error:
        raise ImportFormatError(f"{path}: {error.strerror or error}") from None
    if not head.strip():
        raise ImportFormatError(f"{path}: the file is empty; expected a transcript")
    for importer in importers.values():
        if importer.recognises(head):
            return importer
    raise ImportFormatError(
        f"{path}: no known transcript format was recognised in its content "
        f"(known: {', '.join(importers)}); name one with --format if it is one of these"
    )
