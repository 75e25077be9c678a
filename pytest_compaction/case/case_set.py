"""The cases of a run: entries at once, and each case when it is first asked for."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Self

from pytest_compaction.case.case import Case, Probe, case_from_json, digest_of
from pytest_compaction.case.files import (
    MAX_FILE_BYTES,
    CaseFileError,
    FolderFiles,
    Place,
    content_hash,
    conversations,
    files_below,
    is_conversation,
    is_lines,
    parsed,
    read_bytes,
    shorten,
    stands_for,
    with_conversations,
)
from pytest_compaction.case.index import (
    ENTRIES,
    CaseEntry,
    CaseIndex,
    IndexedCase,
    entry_of,
    key_of,
    with_all_points,
)
from pytest_compaction.case.validation import CaseFault, decoded, read_json

_KEPT_BYTES: Final = 32 * 1024 * 1024
"""Cases that collection had to parse are kept as long as their files are not larger together."""
_CHANGED: Final = CaseFault(
    "",
    "another content than when the items were collected",
    "a file that stays as it is while a run lasts; start the run again",
)


@dataclass(frozen=True, slots=True)
class _Located:
    """A case that can be parsed: its entry, its file, and which of the named paths holds that."""

    entry: CaseEntry
    file: Path
    place: Place
    named: int
    truncated: bool = False

    @property
    def id(self) -> str:
        return self.entry.id

    @property
    def source(self) -> str:
        return self.entry.source

    def holds(self, case: Case) -> bool:
        return (case.source, case.digest) == (self.entry.source, self.entry.digest)


class CaseSet:
    """The usable cases by id and the errors of the others. Threads may share it."""

    def __init__(
        self,
        located: Sequence[_Located] = (),
        errors: Sequence[CaseFileError] = (),
        kept: Mapping[str, Case] | None = None,
    ) -> None:
        self._located = {each.id: each for each in located}
        self.entries = tuple(each.entry for each in located)
        self.errors = tuple(errors)
        self._lock = threading.RLock()
        self._cases = {
            id: _with_probes(case, self._located[id].entry)
            for id, case in (kept or {}).items()
            if id in self._located and self._located[id].holds(case)
        }
        self._faults: dict[str, tuple[CaseFault, ...]] = {}
        self._probes: dict[str, dict[str, Probe]] = {}

    @property
    def cases(self) -> tuple[Case, ...]:
        """All cases by id, parsed. Raises what :meth:`case` raises."""
        return tuple(map(self.case, self._located))

    def case(self, id: str) -> Case:
        """The case with this id, parsed once until it is forgotten.

        Raises :class:`CaseFileError` if its file changed since the items were collected.
        """
        with self._lock:
            if id not in self._cases and id not in self._faults:
                located = self._located[id]
                found = _parsed_again(located)
                if isinstance(found, Case):
                    self._cases[id] = _with_probes(found, located.entry)
                else:
                    self._faults[id] = found
            if id in self._faults:
                raise CaseFileError(self._located[id].source, self._faults[id])
            return self._cases[id]

    def file(self, id: str) -> Path:
        """The file of a case."""
        return self._located[id].file

    def probe(self, case: str, id: str) -> Probe:
        """A probe of a case, by their ids. Raises what :meth:`case` raises."""
        with self._lock:
            if case not in self._probes:
                self._probes[case] = {probe.id: probe for probe in self.case(case).probes}
            return self._probes[case][id]

    def forget(self, id: str) -> None:
        """Give the memory of a case back; it is parsed again if it is asked for again."""
        with self._lock:
            self._cases.pop(id, None)
            self._probes.pop(id, None)

    def only(self, wanted: Callable[[CaseEntry], bool]) -> CaseSet:
        """The set with the wanted cases alone."""
        located = [each for each in self._located.values() if wanted(each.entry)]
        return CaseSet(located, self.errors, self._cases)

    def as_json(self, paths: Sequence[Path]) -> dict[str, Any]:
        """The set for another process, where the ``paths`` that were searched may be others."""
        cases = [
            [
                each.named,
                Path(os.path.relpath(each.file, paths[each.named])).as_posix(),
                each.place,
                each.entry,
                each.truncated,
            ]
            for each in self._located.values()
        ]
        errors = [[error.source, error.faults] for error in self.errors]
        return {"cases": ENTRIES.as_json(cases), "errors": ENTRIES.as_json(errors)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any], paths: Sequence[Path]) -> Self:
        """The set that :meth:`as_json` described; reads no case file."""
        located = [
            _Located(entry, _from(paths[named], file), place, named, truncated)
            for named, file, place, entry, truncated in ENTRIES.from_json(data["cases"])
        ]
        errors = [CaseFileError(*error) for error in ENTRIES.from_json(data["errors"])]
        return cls(located, errors)


def find_cases(
    paths: Iterable[Path],
    root: Path | None = None,
    checked: Container[str] = (),
    index: CaseIndex | None = None,
    truncated: bool = False,
    all_points: bool = False,
) -> CaseSet:
    """The cases below the paths, whose ids must be unique among all of them.

    ``root`` shortens the file names in messages. A missing or empty folder is an error of its own.
    ``checked`` are the digests of cases whose evidence is known to be sound, which takes most of
    the time. A content that the index has is not parsed; what the index lacks is added to it and
    is there for later runs once it is saved. With ``truncated`` the cut variant of a long
    conversation is taken where there is one. With ``all_points`` each point without a probe gets
    one without a question, and a case may have no other.
    """
    index = index or CaseIndex(None)
    kept = _Kept(room=_KEPT_BYTES)
    found: dict[str, _Located] = {}
    errors: list[CaseFileError] = []
    seen: set[Path] = set()

    def refuse(path: Path, what: str, expected: str) -> None:
        errors.append(CaseFileError(shorten(path, root), [CaseFault("", what, expected)]))

    for number, path in enumerate(paths):
        here = files_below(path) if path.exists() else FolderFiles(())
        for place, why in here.unreadable:
            refuse(place, why, "a file or folder that can be read")
        if not here.cases and not here.unreadable:
            what = "no such file or folder" if not path.exists() else "a folder without case files"
            refuse(path, what, "a case file (.json, .jsonl) or a folder of case files")
        for file in with_conversations(here.cases):
            stands = stands_for(file).resolve()
            if stands in seen:
                continue
            seen.add(stands)
            if is_conversation(file):
                read = _conversations(number, file, root, index, truncated)
            else:
                read = _cases(number, file, root, index, checked, kept, all_points)
            for item in read:
                if isinstance(item, CaseFileError):
                    errors.append(item)
                elif item.id in found:
                    what = f"the id {item.id!r}, which {found[item.id].source} has too"
                    fault = CaseFault("/id", what, "an id that no other case has")
                    errors.append(CaseFileError(item.source, [fault]))
                else:
                    entry = with_all_points(item.entry) if all_points else item.entry
                    found[item.id] = replace(item, entry=entry)
    located = sorted(found.values(), key=lambda item: item.id)
    return CaseSet(located, errors, kept.cases)


@dataclass(slots=True)
class _Kept:
    """Cases that were parsed; ``room`` is how many bytes their files may still have."""

    cases: dict[str, Case] = field(default_factory=dict)
    room: int = 0


def _cases(
    named: int,
    file: Path,
    root: Path | None,
    index: CaseIndex,
    checked: Container[str],
    kept: _Kept,
    bare: bool,
) -> Iterator[_Located | CaseFileError]:
    """The cases of a file, from the index if it has its content."""
    source = shorten(file, root)
    content = read_bytes(file)
    if isinstance(content, CaseFault):
        yield CaseFileError(source, [content])
        return
    lines = is_lines(file)
    key = key_of(content, lines, bare)
    found = index.find(key, source)
    if found is None:
        fresh = list(parsed(content, lines, source, checked, bare))
        found = tuple(_indexed(place, case) for place, case in fresh)
        index.add(key, found)
        if kept.room >= len(content):
            kept.room -= len(content)
            for _, case in fresh:
                if isinstance(case, Case):
                    kept.cases.setdefault(case.id, case)
    for each in found:
        if isinstance(each.found, CaseEntry):
            yield _Located(each.found, file, each.place, named)
        else:
            yield CaseFileError(each.place.source(source), each.found)


def _conversations(
    named: int, path: Path, root: Path | None, index: CaseIndex, truncated: bool
) -> Iterator[_Located | CaseFileError]:
    """The long conversations of a path. What is wrong with one is found anew each time."""
    source = shorten(path, root)
    key = key_of(content_hash(path, truncated).encode(), lines=False)
    found = index.find(key, source)
    if found is None:
        read = list(conversations(path, source, truncated))
        for _, each in read:
            if not isinstance(each, Case):
                yield CaseFileError(shorten(each.path, root), each.faults)
        sound = [(number, each) for number, each in read if isinstance(each, Case)]
        found = tuple(_indexed(Place(0, 0, number), case) for number, case in sound)
        if len(sound) == len(read):
            index.add(key, found)
    for indexed in found:
        if isinstance(indexed.found, CaseEntry):
            yield _Located(indexed.found, path, indexed.place, named, truncated)


def _from(path: Path, way: str) -> Path:
    """The file to which a way leads; it leads up where a part of a conversation was named."""
    for step in way.split("/"):
        path = path.parent if step == ".." else path / step
    return path


def is_case_file(path: Path, index: CaseIndex) -> bool:
    """Whether the index knows that a file holds sound cases and nothing else."""
    content = read_bytes(path) if path.is_file() else b""
    if not content or isinstance(content, CaseFault):
        return False
    found = index.find(key_of(content, is_lines(path)), "")
    return bool(found) and all(isinstance(each.found, CaseEntry) for each in found or ())


def _indexed(place: Place, found: Case | tuple[CaseFault, ...]) -> IndexedCase:
    return IndexedCase(place, entry_of(found) if isinstance(found, Case) else found)


def _with_probes(case: Case, entry: CaseEntry) -> Case:
    """The case with the probes of its entry that its file has not."""
    added = entry.probes[len(case.probes) :]
    probes = (Probe(each.id, each.kind, "", (), point=each.point) for each in added)
    return replace(case, probes=(*case.probes, *probes)) if added else case


def _parsed_again(located: _Located) -> Case | tuple[CaseFault, ...]:
    """The case of an entry, or why its file does not have it any more."""
    if is_conversation(located.file):
        for _, found in conversations(located.file, located.source, located.truncated):
            if isinstance(found, Case) and found.id == located.id and located.holds(found):
                return found
        return (_CHANGED,)
    content = _read_part(located.file, located.place)
    if isinstance(content, CaseFault):
        return (content,)
    text = decoded(content, located.place.start == 0)
    data = read_json(text) if isinstance(text, str) else text
    if not isinstance(data, dict) or digest_of(data) != located.entry.digest:
        return (_CHANGED,)
    return case_from_json(data, located.source, located.entry.digest)


def _read_part(file: Path, place: Place) -> bytes | CaseFault:
    if not place.line:
        return read_bytes(file)
    try:
        with file.open("rb") as opened:
            opened.seek(place.start)
            return opened.read(min(place.size, MAX_FILE_BYTES))
    except OSError as error:
        return CaseFault("", f"{error.strerror or error}", "a readable file")
