"""Case files: finding, reading, validating. A broken file never hides another one."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case.case import (
    NOT_MEASURED,
    Case,
    RecordShapeError,
    case_from_json,
    digest_of,
)
from pytest_compaction.case.long_memory.beam import read_conversation
from pytest_compaction.case.long_memory.locomo import is_locomo, read_locomo
from pytest_compaction.case.long_memory.published import (
    FILES,
    TOPICS,
    TRUNCATED,
    FileFaults,
    conversation_files,
    conversation_named_by,
    folder_of,
    is_part,
    is_whole,
)
from pytest_compaction.case.validation import (
    CaseFault,
    decoded,
    evidence_faults,
    message_faults,
    read_json,
    reference_faults,
    schema_faults,
)
from pytest_compaction.conversation.formats.parts import MessageShapeError

SUFFIXES: Final = (".json", ".jsonl")
"""How the name of a case file ends, in small or capital letters."""
_ALIKE: Final = (".json", ".ndjson")
"""Words in the name of a file that may have been meant as a case file."""
_MADE_BY_TOOLS: Final = frozenset({"__pycache__", "__snapshots__"})
_KEYS: Final = ("messages", "probes", "source_chat_ids", "dia_id")
"""A file with one of these words is taken for a case or a part of one, sound or broken: also the
questions of BEAM and the turns of LoCoMo."""


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """The case files and folders below a path.

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
    """The files of a folder and of those in it, links followed; or the file that was named."""
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
        left_out = [folder for folder in folders if folder.startswith((".", "__"))]
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
    """Whether a folder is one of cases: a file of it is a case, or may be a broken one."""
    found = files_below(path)
    return bool(found.unreadable) or any(map(_may_be_case, found.cases))


def _not_entered(place: Path, folders: set[str], entered: set[Path]) -> Iterator[str]:
    """The folders that were not entered by another way, folders before links."""
    for name in sorted(folders, key=lambda name: ((place / name).is_symlink(), name)):
        way = (place / name).resolve()
        if way not in entered:
            entered.add(way)
            yield name


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


_BLOCK: Final = 1024 * 1024


def with_conversations(files: Iterable[Path]) -> list[Path]:
    """The files, with the folder of a conversation in place of all files below it.

    One that stands whole below another is read, too, and so is what lies beside turns without
    questions or the other way round. The topics of a set are left out. A single file stays: it
    was named, and may be the cut variant.
    """
    found = list(files)
    if len(found) == 1:
        return found
    folders = {folder_of(file) for file in found if is_part(file)}
    whole = {each for each in folders if is_whole(each)}
    own = {each for each in folders if each in whole or not folders.intersection(each.parents)}
    beside = {folder.parent / TOPICS for folder in own}

    def is_other(file: Path) -> bool:
        taken = own if file.name in FILES else whole
        return file not in beside and not taken.intersection(file.parents)

    return sorted([*filter(is_other, found), *own])


def stands_for(path: Path) -> Path:
    """The path to read where a path is named: the whole conversation for a part of it."""
    is_other = path.is_dir() or path.name == TRUNCATED or not is_part(path)
    return path if is_other else folder_of(path)


def is_conversation(path: Path) -> bool:
    """Whether a path is a conversation, or a file of conversations."""
    return path.is_dir() or is_part(path) or is_locomo(path)


def conversations(
    path: Path, source: str, truncated: bool = False
) -> Iterator[tuple[int, Case | FileFaults]]:
    """The cases of a path, numbered from 1 if it is a file with several, and the faults."""
    if not path.is_dir() and not is_part(path):
        yield from read_locomo(path, source)
        return
    found = read_conversation(path, source, truncated)
    if isinstance(found, Case):
        yield 0, found
    else:
        yield from ((0, faults) for faults in found)


def content_hash(path: Path, truncated: bool = False) -> str:
    """A hash of all that the cases of a path are made of; the text is not held."""
    parts = [path]
    name = ""
    if path.is_dir() or is_part(path):
        files = conversation_files(path, truncated)
        parts, name = [*files.chats, files.questions], f"{files.id} {files.size}"
    digest = hashlib.sha256(name.encode("utf-8", "replace"))
    for part in parts:
        digest.update(b"\n" + part.name.encode("utf-8", "replace") + b"\n")
        if part.is_file():
            with part.open("rb") as opened:
                while block := opened.read(_BLOCK):
                    digest.update(block)
    return digest.hexdigest()


MAX_FILE_BYTES: Final = 50 * 1024 * 1024
MAX_SHOWN_FAULTS: Final = 20


class CaseFileError(Exception):
    """A case file cannot be used. ``source`` names the file (and line), ``faults`` say why."""

    what = "case file"

    def __init__(self, source: str, faults: Sequence[CaseFault]) -> None:
        self.source = source
        self.faults = tuple(faults)
        shown = [f"  {fault}" for fault in self.faults[:MAX_SHOWN_FAULTS]]
        if len(self.faults) > MAX_SHOWN_FAULTS:
            shown.append(f"  … and {len(self.faults) - MAX_SHOWN_FAULTS} more")
        super().__init__("\n".join([f"{self.what} {source} cannot be used:", *shown]))

    @property
    def id(self) -> str:
        """The file name with every character replaced that an item id cannot carry.

        The files of long conversations share their names, so the conversation stands before it.
        """
        file = Path(self.source.replace(":", "_"))
        name = "".join(ch if ch.isalnum() or ch in "._" else "_" for ch in file.name)
        conversation = conversation_named_by(file)
        return f"{conversation}-{name}" if conversation else name


@dataclass(frozen=True, slots=True)
class Place:
    """Where a case stands in its file, in bytes; ``line`` is 0 if it is all of the file."""

    start: int
    size: int
    line: int = 0

    def source(self, file: str) -> str:
        """The name of the file, with the line."""
        return f"{file}:{self.line}" if self.line else file


def shorten(path: Path, root: Path | None) -> str:
    """The path relative to ``root`` if it lies below it."""
    if root is not None and path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    return path.as_posix()


def read_bytes(path: Path) -> bytes | CaseFault:
    """The content of a file, or why it cannot be read."""
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            limit = f"at most {MAX_FILE_BYTES // 1024**2} MB; split it into several files"
            return CaseFault("", f"{size / 1024**2:.1f} MB", limit)
        return path.read_bytes()
    except OSError as error:
        return CaseFault("", f"{error.strerror or error}", "a readable file")


def read_text(path: Path) -> str | CaseFault:
    """The text of a file, or why it cannot be read."""
    content = read_bytes(path)
    return content if isinstance(content, CaseFault) else decoded(content)


def parsed(
    content: bytes, lines: bool, source: str, checked: Container[str] = (), bare: bool = False
) -> Iterator[tuple[Place, Case | tuple[CaseFault, ...]]]:
    """Each case of a file with its place; in place of a broken one its faults."""
    text = decoded(content)
    if isinstance(text, CaseFault):
        yield Place(0, len(content)), (text,)
        return
    if not lines:
        yield Place(0, len(content)), _parse(text, source, checked, bare)
        return
    start, empty = 0, True
    for number, line in enumerate(content.split(b"\n"), start=1):
        place = Place(start, len(line), number)
        start += len(line) + 1
        words = decoded(line, place.start == 0)
        if isinstance(words, str) and words.strip():
            empty = False
            yield place, _parse(words, place.source(source), checked, bare)
    if empty:
        yield Place(0, len(content)), (CaseFault("", "no line", "one case per line"),)


def _parse(
    text: str, source: str, checked: Container[str], bare: bool
) -> Case | tuple[CaseFault, ...]:
    data = read_json(text)
    if isinstance(data, CaseFault):
        return (data,)
    if not isinstance(data, dict):
        found = f"a {type(data).__name__}"
        return (CaseFault("", found, "an object that describes a case"),)
    return checked_case(data, source, checked, bare)


def checked_case(
    data: dict[str, Any], source: str = "", checked: Container[str] = (), bare: bool = False
) -> Case | tuple[CaseFault, ...]:
    """The case that JSON data describe, or all their faults; a ``bare`` one may lack probes."""
    digest = digest_of(data)
    known = digest in checked and NOT_MEASURED.isdisjoint(data)
    faults = [] if known else schema_faults(data)
    if bare and data.get("probes") == []:
        faults = [fault for fault in faults if fault.pointer != "/probes"]
    if not (known or faults):
        faults = [*reference_faults(data)]
    if faults:
        return tuple(faults)
    try:
        case = case_from_json(data, source, digest)
    except MessageShapeError as error:
        return (CaseFault("/messages", str(error), "OpenAI chat messages"),)
    except RecordShapeError as error:
        return (CaseFault(error.pointer, str(error), "chat messages"),)
    if known:
        return case
    return (*message_faults(case), *evidence_faults(case)) or case
