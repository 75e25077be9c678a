"""Case files: finding, reading, validating. A broken file never hides another one."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, TypeVar

from pytest_compaction.case.case import Case, RecordShapeError, case_from_json, digest_of
from pytest_compaction.case.folder import FolderFiles, files_below, is_lines
from pytest_compaction.case.json_text import decoded, read_json
from pytest_compaction.case.long_memory.places import (
    conversations,
    is_conversation,
    stands_for,
    with_conversations,
)
from pytest_compaction.case.long_memory.shapes import FileFaults
from pytest_compaction.case.validation import (
    CaseFault,
    evidence_faults,
    message_faults,
    reference_faults,
    schema_faults,
)
from pytest_compaction.conversation.formats.parts import MessageShapeError

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


@dataclass(frozen=True, slots=True)
class LoadedCases:
    """The content of a list of paths: the usable cases by id, and the errors of the others."""

    cases: tuple[Case, ...]
    errors: tuple[CaseFileError, ...]


class Identified(Protocol):
    """Something with an id that it shares with nothing else, read from ``source``."""

    @property
    def id(self) -> str:
        """The id."""
        ...

    @property
    def source(self) -> str:
        """The file, and the line if it has several."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where a case stands in its file, in bytes; ``line`` is 0 if it is all of the file."""

    start: int
    size: int
    line: int = 0

    def source(self, file: str) -> str:
        """The name of the file, with the line."""
        return f"{file}:{self.line}" if self.line else file


def load_cases(
    paths: Iterable[Path], root: Path | None = None, checked: Container[str] = ()
) -> LoadedCases:
    """Load every case below the paths at once; ids must be unique among all of them.

    ``root`` shortens the file names in messages. A missing or empty folder is an
    error of its own. ``checked`` are the digests of cases whose evidence is known to be
    sound, which takes most of the time.
    """
    cases, errors = with_ids_of_their_own(
        paths, root, lambda _, file: read_case_file(file, root, checked)
    )
    return LoadedCases(tuple(cases), tuple(errors))


_Read = TypeVar("_Read", bound=Identified)


def with_ids_of_their_own(
    paths: Iterable[Path],
    root: Path | None,
    read: Callable[[int, Path], Iterable[_Read | CaseFileError]],
) -> tuple[list[_Read], list[CaseFileError]]:
    """What ``read`` makes of every case file below the paths, by id, and the errors.

    ``read`` gets the number of the path below which a file was found, and the file, or the
    folder of a long conversation. The second of two with the same id is an error.
    """
    found: dict[str, _Read] = {}
    errors: list[CaseFileError] = []
    seen: set[Path] = set()
    for number, path in enumerate(paths):
        found_here = files_below(path) if path.exists() else FolderFiles(())
        for place, why in found_here.unreadable:
            fault = CaseFault("", why, "a file or folder that can be read")
            errors.append(CaseFileError(shorten(place, root), [fault]))
        if not found_here.cases and not found_here.unreadable:
            what = "no such file or folder" if not path.exists() else "a folder without case files"
            expected = "a case file (.json, .jsonl) or a folder of case files"
            errors.append(CaseFileError(shorten(path, root), [CaseFault("", what, expected)]))
        for file in with_conversations(found_here.cases):
            stands = stands_for(file).resolve()
            if stands in seen:
                continue
            seen.add(stands)
            for item in read(number, file):
                if isinstance(item, CaseFileError):
                    errors.append(item)
                elif item.id in found:
                    found_id = f"the id {item.id!r}, which {found[item.id].source} has too"
                    fault = CaseFault("/id", found_id, "an id that no other case has")
                    errors.append(CaseFileError(item.source, [fault]))
                else:
                    found[item.id] = item
    return sorted(found.values(), key=lambda item: item.id), errors


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


def read_case_file(
    path: Path, root: Path | None = None, checked: Container[str] = ()
) -> Iterator[Case | CaseFileError]:
    """The cases of one file: one for ``.json``, one per line for ``.jsonl``.

    ``checked`` is that of :func:`load_cases`.
    """
    source = shorten(path, root)
    if is_conversation(path):
        for _, found in conversations(path, source):
            yield found if isinstance(found, Case) else faults_in(found, root)
        return
    content = read_bytes(path)
    if isinstance(content, CaseFault):
        yield CaseFileError(source, [content])
        return
    for place, read in parsed(content, is_lines(path), source, checked):
        yield CaseFileError(place.source(source), read) if isinstance(read, tuple) else read


def faults_in(found: FileFaults, root: Path | None) -> CaseFileError:
    """The error of a file of a long conversation."""
    return CaseFileError(shorten(found.path, root), found.faults)


def parsed(
    content: bytes, lines: bool, source: str, checked: Container[str] = ()
) -> Iterator[tuple[Place, Case | tuple[CaseFault, ...]]]:
    """Each case of a file with its place; in place of a broken one its faults.

    ``lines`` says that each line is a case.
    """
    text = decoded(content)
    if isinstance(text, CaseFault):
        yield Place(0, len(content)), (text,)
        return
    if not lines:
        yield Place(0, len(content)), _parse(text, source, checked)
        return
    start, empty = 0, True
    for number, line in enumerate(content.split(b"\n"), start=1):
        place = Place(start, len(line), number)
        start += len(line) + 1
        words = decoded(line, place.start == 0)
        if isinstance(words, str) and words.strip():
            empty = False
            yield place, _parse(words, place.source(source), checked)
    if empty:
        yield Place(0, len(content)), (CaseFault("", "no line", "one case per line"),)


def _parse(text: str, source: str, checked: Container[str]) -> Case | tuple[CaseFault, ...]:
    data = read_json(text)
    if isinstance(data, CaseFault):
        return (data,)
    if not isinstance(data, dict):
        found = f"a {type(data).__name__}"
        return (CaseFault("", found, "an object that describes a case"),)
    digest = digest_of(data)
    known = digest in checked
    faults = [] if known else schema_faults(data) or reference_faults(data)
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
