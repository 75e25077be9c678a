"""Case files: finding, reading, validating. A broken file never hides another one."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case.case import Case, RecordShapeError, case_from_json
from pytest_compaction.case.validation import (
    CaseFault,
    evidence_faults,
    message_faults,
    reference_faults,
    schema_faults,
)
from pytest_compaction.conversation.chat_format import MessageShapeError
from pytest_compaction.text.words import printable

MAX_FILE_BYTES: Final = 50 * 1024 * 1024
MAX_SHOWN_FAULTS: Final = 20
SUFFIXES: Final = (".json", ".jsonl")


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
class CaseSet:
    """The content of a list of paths: the usable cases by id, and the errors of the others.

    ``uncovered`` is the number of usable cases that the reference run does not have.
    """

    cases: tuple[Case, ...]
    errors: tuple[CaseFileError, ...]
    uncovered: int = 0


def case_paths(path: Path) -> list[Path]:
    """The case files of a folder, sorted, without hidden and ``__…__`` folders; or the file."""
    if path.is_file():
        return [path]
    return sorted(
        found
        for found in path.rglob("*")
        if found.suffix in SUFFIXES
        and found.is_file()
        and not any(part.startswith((".", "__")) for part in found.relative_to(path).parts)
    )


def load_cases(
    paths: Iterable[Path], root: Path | None = None, checked: Container[str] = ()
) -> CaseSet:
    """Load every case below the paths; ids must be unique among all of them.

    ``root`` shortens the file names in messages. A missing or empty folder is an
    error of its own. ``checked`` are the digests of cases whose evidence another process
    has found sound, which takes most of the time.
    """
    cases: dict[str, Case] = {}
    errors: list[CaseFileError] = []
    seen: set[Path] = set()
    for path in paths:
        found = case_paths(path) if path.exists() else []
        if not found:
            what = "no such file or folder" if not path.exists() else "a folder without case files"
            expected = "a case file (.json, .jsonl) or a folder of case files"
            errors.append(CaseFileError(shorten(path, root), [CaseFault("", what, expected)]))
        for file in found:
            if file.resolve() in seen:
                continue
            seen.add(file.resolve())
            for item in read_case_file(file, root, checked):
                if isinstance(item, CaseFileError):
                    errors.append(item)
                elif item.id in cases:
                    found_id = f"the id {item.id!r}, which {cases[item.id].source} has too"
                    fault = CaseFault("/id", found_id, "an id that no other case has")
                    errors.append(CaseFileError(item.source, [fault]))
                else:
                    cases[item.id] = item
    ordered = sorted(cases.values(), key=lambda case: case.id)
    return CaseSet(tuple(ordered), tuple(errors))


def shorten(path: Path, root: Path | None) -> str:
    """The path relative to ``root`` if it lies below it."""
    if root is not None and path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    return path.as_posix()


def read_text(path: Path) -> str | CaseFault:
    """The text of a file, or why it cannot be read."""
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            limit = f"at most {MAX_FILE_BYTES // 1024**2} MB; split it into several files"
            return CaseFault("", f"{size / 1024**2:.1f} MB", limit)
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return CaseFault("", f"a byte at offset {error.start} that is not UTF-8", "UTF-8 text")
    except OSError as error:
        return CaseFault("", f"{error.strerror or error}", "a readable file")


def read_case_file(
    path: Path, root: Path | None = None, checked: Container[str] = ()
) -> Iterator[Case | CaseFileError]:
    """The cases of one file: one for ``.json``, one per line for ``.jsonl``.

    ``checked`` is that of :func:`load_cases`.
    """
    source = shorten(path, root)
    text = read_text(path)
    if isinstance(text, CaseFault):
        yield CaseFileError(source, [text])
        return
    if path.suffix != ".jsonl":
        yield _parse(text, source, checked)
        return
    lines = [(n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        yield CaseFileError(source, [CaseFault("", "no line", "one case per line")])
    for number, line in lines:
        yield _parse(line, f"{source}:{number}", checked)


def read_json(text: str, what: str = "a case") -> Any:
    """The value of a JSON text, or a :class:`CaseFault` if it is not sound JSON."""
    try:
        return json.loads(
            text, object_pairs_hook=_without_duplicates, parse_constant=_refuse_constant
        )
    except json.JSONDecodeError as error:
        found = f"{error.msg} at line {error.lineno}, column {error.colno}"
        return CaseFault("", found, "valid JSON")
    except RecursionError:
        return CaseFault("", "nesting too deep", what)
    except ValueError as error:
        return CaseFault("", str(error), "valid JSON")


def _parse(text: str, source: str, checked: Container[str]) -> Case | CaseFileError:
    data = read_json(text)
    if isinstance(data, CaseFault):
        return CaseFileError(source, [data])
    if not isinstance(data, dict):
        found = f"a {type(data).__name__}"
        return CaseFileError(source, [CaseFault("", found, "an object that describes a case")])
    faults = schema_faults(data)
    if faults:
        return CaseFileError(source, faults)
    faults = reference_faults(data)
    if faults:
        return CaseFileError(source, faults)
    try:
        case = case_from_json(data, source)
    except MessageShapeError as error:
        return CaseFileError(source, [CaseFault("/messages", str(error), "OpenAI chat messages")])
    except RecordShapeError as error:
        return CaseFileError(source, [CaseFault(error.pointer, str(error), "chat messages")])
    if case.digest in checked:
        return case
    faults = [*message_faults(case), *evidence_faults(case)]
    return CaseFileError(source, faults) if faults else case


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f"the key {printable(key, 60)!r} twice in one object")
        result[_clean(key)] = _clean(value)
    return result


def _clean(value: Any) -> Any:
    """Replace lone surrogates, which cannot be written as UTF-8, by ``?``."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return value


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"the number {name}")
