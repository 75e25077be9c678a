"""Find the importers, and choose one for a file: by its content, or by the name that users give.

Every module below ``formats`` with an ``IMPORTER`` is registered. Of several that recognise a file,
the one with the highest ``specificity`` reads it; of equals, the first by name.
"""

from __future__ import annotations

import contextlib
import difflib
import gzip
import importlib
import lzma
import pkgutil
import re
import struct
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import entry_points
from itertools import chain
from pathlib import Path
from typing import Any, Final

from pytest_compaction.importers.json_files import head_values, outline
from pytest_compaction.importers.protocol import (
    MARKED,
    SHAPED,
    Importer,
    ImportFormatError,
    OtherFileError,
    Transcript,
    reasons_of,
)
from pytest_compaction.text import printable

_PACKED: Final = (
    zipfile.BadZipFile, zipfile.LargeZipFile, tarfile.TarError, gzip.BadGzipFile, zlib.error,
    lzma.LZMAError, EOFError, struct.error,
)  # fmt: skip


def fault_of_file(error: BaseException) -> str | None:
    """What is wrong with the file and what to do; ``None`` if it is the importer that failed."""
    # Zstandard's class is in the standard library since 3.14, and in several packages before.
    if isinstance(error, _PACKED) or type(error).__name__ == "ZstdError":
        return (
            f"a broken archive or compressed file ({error or type(error).__name__}); copy it again"
        )
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} is not {error.encoding.upper()}; write the file again"
    if isinstance(error, RecursionError):
        return "nested too deeply; fix the file"
    if isinstance(error, MemoryError):
        return "too large for the memory of this machine; import a part of it"
    return None


@dataclass(frozen=True, slots=True)
class Format:
    """An importer of this package: how a file shows its format, and how it is read."""

    name: str
    description: str
    recognises: Callable[[str], bool]
    read: Callable[[Path], Transcript | Iterable[Transcript]]
    specificity: int = MARKED
    recognises_folder: Callable[[Path], bool] | None = None
    named_only: bool = False
    """Known from documentation alone, with no real file: read only when it is named."""


def shown_by(is_ours: Callable[[Any], bool]) -> Callable[[str], bool]:
    """Recognise a file by any JSON value in its beginning."""
    return lambda head: any(map(is_ours, head_values(head)))


ENTRY_POINT_GROUP: Final = "pytest_compaction.importers"
HEAD_BYTES: Final = 64 * 1024
"""What importers see to recognise a file; a system prompt often takes the first 20 kB."""


@dataclass(frozen=True, slots=True)
class ImporterSet:
    """The importers by name, and a sentence for each entry point that could not be loaded."""

    importers: Mapping[str, Importer]
    problems: tuple[str, ...] = ()


def load_importers() -> ImporterSet:
    """The built-in importers and those of the entry point group ``pytest_compaction.importers``."""
    found: dict[str, Importer] = {}
    problems: list[str] = []
    package = importlib.import_module(f"{__package__}.formats")
    candidates: list[tuple[str, str, Callable[[], Any]]] = [
        (module.name.rpartition(".")[2].replace("_", "-"), module.name, partial(_shipped, module))
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    ]
    entries = sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda entry: entry.name)
    candidates += [(entry.name, entry.value, entry.load) for entry in entries]
    for name, place, load in candidates:
        try:
            loaded = load()
            importer = loaded() if isinstance(loaded, type) else loaded
        except Exception as error:
            problems.append(
                f"the importer {name!r} ({place}) cannot be loaded: "
                f"{printable(str(error), 200)} ({type(error).__name__})"
            )
            continue
        if isinstance(importer, Importer):
            found[name] = importer
        elif importer is not None:
            problems.append(
                f"the importer {name!r} ({place}) lacks a name, description, "
                "recognises or read; see pytest_compaction.importers.protocol"
            )
    return ImporterSet(dict(sorted(found.items())), tuple(problems))


def _shipped(module: pkgutil.ModuleInfo) -> Any:
    return getattr(importlib.import_module(module.name), "IMPORTER", None)


def importer_named(name: str, importers: Mapping[str, Importer]) -> Importer:
    """The importer with this name, or :class:`ImportFormatError` with all names and the nearest."""
    if name in importers:
        return importers[name]
    near = difflib.get_close_matches(name.lower(), importers, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ImportFormatError(
        f"unknown transcript format {printable(name, 60)!r}: there is {', '.join(importers)}{hint}"
    )


def importer_for(path: Path, importers: Mapping[str, Importer]) -> Importer:
    """The most specific importer that recognises the file; see :func:`fitting_importers`."""
    return fitting_importers(path, importers)[0]


def fitting_importers(path: Path, importers: Mapping[str, Importer]) -> list[Importer]:
    """The importers that recognise the file, the most specific first."""
    if path.is_dir():
        for importer in importers.values():
            recognises = getattr(importer, "recognises_folder", None)
            if recognises is not None and recognises(path):
                return [importer]
        raise ImportFormatError(f"{path}: this is a folder; name the transcript files in it")
    try:
        with path.open("rb") as file:
            beginning = file.read(HEAD_BYTES)
    except OSError as error:
        raise ImportFormatError(f"{path}: {error.strerror or error}") from None
    head = beginning.decode("utf-8-sig", "replace")
    if not head.strip():
        raise ImportFormatError(f"{path}: the file is empty; expected a transcript")
    fitting = _recognising(head, importers)
    certain = any(_specificity(importer) >= MARKED for importer in fitting)
    if len(beginning) == HEAD_BYTES and not certain and (shown := outline(path)):
        fitting += [one for one in _recognising(shown, importers) if one not in fitting]
    if not fitting:
        raise ImportFormatError(
            f"{path}: its content matches no known transcript format "
            f"(known: {', '.join(importers)}); name one with --format if it is one of these"
        )
    usable = [importer for importer in fitting if not _named_only(importer)]
    if not usable:
        raise ImportFormatError(f"{path}: {_hint(fitting[0])}")
    return sorted(usable, key=lambda importer: (-_specificity(importer), importer.name))


def _recognising(head: str, importers: Mapping[str, Importer]) -> list[Importer]:
    found: list[Importer] = []
    for importer in importers.values():
        # What is nested too deep to be looked through is no transcript of any format.
        with contextlib.suppress(RecursionError):
            found += [importer] if importer.recognises(head) else []
    return found


def _named_only(importer: Importer) -> bool:
    return bool(getattr(importer, "named_only", False))


def _hint(importer: Importer) -> str:
    name = importer.name
    return f"it looks like {name!r}, which is read only when it is named: --format={name}"


def _specificity(importer: Importer) -> int:
    return int(getattr(importer, "specificity", MARKED))


SAMPLE: Final = 2_000
"""Records by which a reading is judged; of a file with many conversations, those of the first."""
LEAST_READ: Final = 0.9
"""Share of the records that an importer must know, or the next one reads the file."""
_ADVICE: Final = re.compile(r"[;.] (?:fix|remove|name another)\b.*", re.I | re.S)


def read_by_best(
    path: Path, importers: Mapping[str, Importer]
) -> tuple[Importer, Iterator[Transcript]]:
    """The first fitting importer that reads at least nine tenths of the records, and its reading.

    Raises :class:`ImportFormatError` if none does: with the fault of the line if the file is
    surely of the format of one program, else with the nearest format and what it cannot read.
    """
    failed: list[tuple[float, int, Importer, ImportFormatError]] = []
    only = {name: importer for name, importer in importers.items() if _named_only(importer)}
    shown = "" if path.is_dir() else outline(path)
    named = next(iter(_recognising(shown, only) if shown else ()), None)
    for importer in fitting_importers(path, importers):
        rank = _specificity(importer)
        if named and rank < SHAPED:
            continue  # it would be taken for something simpler than it is
        transcripts = conversations(importer, path)
        begun: list[Transcript] = []
        try:
            for transcript in transcripts:
                begun.append(transcript)
                if sum(one.tally.records for one in begun) >= SAMPLE:
                    break
        except OtherFileError:
            raise
        except ImportFormatError as error:
            if not begun:
                failed.append((0.0, rank, importer, error))
                continue
            transcripts = _raising(error)
        records = sum(one.tally.records for one in begun)
        missed = sum((Counter(one.tally.unread) for one in begun), Counter[str]())
        unread = missed.total()
        share = 1 - unread / max(records, unread, 1)
        if share >= LEAST_READ:
            return importer, chain(begun, transcripts)
        known = f"it reads {max(records - unread, 0)} of {records} records"
        fault = ImportFormatError(f"{known} and does not know {reasons_of(missed)}")
        failed.append((share, rank, importer, fault))
    share, rank, nearest, fault = max(failed, key=lambda attempt: attempt[:2])
    if len(failed) == 1 and not share and rank >= MARKED:
        raise fault
    why = _ADVICE.sub("", str(fault).removeprefix(f"{path}: ").removeprefix(f"{path}, "))
    advice = _hint(named) if named else "if you know its format, name it with --format"
    raise ImportFormatError(
        f"{path}: no known format reads this file; the nearest is {nearest.name!r}: {why}; {advice}"
    )


def _raising(error: ImportFormatError) -> Iterator[Transcript]:
    """A reading that fails where the first one did."""
    yield from ()
    raise error


def conversations(importer: Importer, path: Path) -> Iterator[Transcript]:
    """The conversations of a file, one by one; a fault of the file is an ImportFormatError."""
    try:
        read = importer.read(path)
        yield from (read,) if isinstance(read, Transcript) else read
    except ImportFormatError:
        raise
    except Exception as error:
        if fault := fault_of_file(error):
            raise ImportFormatError(f"{path}: {fault}") from error
        if isinstance(error, OSError):
            raise
        raise ImportFormatError(
            f"{path}: the importer {importer.name!r} failed with {type(error).__name__}: {error}; "
            "this is a fault of the importer, please report it"
        ) from error
