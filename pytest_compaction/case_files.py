"""Case files: finding, reading, validating. A broken file never hides another one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case import Case, case_from_json
from pytest_compaction.chat_format import MessageShapeError
from pytest_compaction.conversation import readable, structure_faults
from pytest_compaction.matching import TextIndex
from pytest_compaction.text import printable

MAX_FILE_BYTES: Final = 50 * 1024 * 1024
MAX_SHOWN_FAULTS: Final = 20
SUFFIXES: Final = (".json", ".jsonl")


@dataclass(frozen=True, slots=True)
class CaseFault:
    """One thing wrong with a case file: where (JSON pointer), what was found, what was expected."""

    pointer: str
    found: str
    expected: str

    def __str__(self) -> str:
        return f"{self.pointer or '/'}: found {self.found}; expected {self.expected}"


class CaseFileError(Exception):
    """A case file cannot be used. ``source`` names the file (and line), ``faults`` say why."""

    def __init__(self, source: str, faults: Sequence[CaseFault]) -> None:
        self.source = source
        self.faults = tuple(faults)
        shown = [f"  {fault}" for fault in self.faults[:MAX_SHOWN_FAULTS]]
        if len(self.faults) > MAX_SHOWN_FAULTS:
            shown.append(f"  … and {len(self.faults) - MAX_SHOWN_FAULTS} more")
        super().__init__("\n".join([f"case file {source} cannot be used:", *shown]))


@dataclass(frozen=True, slots=True)
class CaseSet:
    """What a list of paths held: the usable cases by id, and the errors of the others."""

    cases: tuple[Case, ...]
    errors: tuple[CaseFileError, ...]


def case_paths(path: Path) -> list[Path]:
    """The case files of a folder, sorted, hidden and ``__…__`` folders left out; or the file."""
    if path.is_file():
        return [path]
    return sorted(
        found
        for found in path.rglob("*")
        if found.suffix in SUFFIXES
        and found.is_file()
        and not any(part.startswith((".", "__")) for part in found.relative_to(path).parts)
    )


def load_cases(paths: Iterable[Path], root: Path | None = None) -> CaseSet:
    """Load every case below the paths; ids must be unique over all of them.

    ``root`` shortens the file names in messages. A missing or empty folder is an
    error of its own.
    """
    cases: dict[str, Case] = {}
    errors: list[CaseFileError] = []
    seen: set[Path] = set()
    for path in paths:
        found = case_paths(path) if path.exists() else []
        if not found:
            what = "no such file or folder" if not path.exists() else "a folder without case files"
            expected = "a case file (.json, .jsonl) or a folder that holds some"
            errors.append(CaseFileError(shorten(path, root), [CaseFault("", what, expected)]))
        for file in found:
            if file.resolve() in seen:
                continue
            seen.add(file.resolve())
            for item in read_case_file(file, root):
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
    """The path relative to ``root`` where it lies below it."""
    if root is not None and path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    return path.as_posix()


def read_case_file(path: Path, root: Path | None = None) -> Iterator[Case | CaseFileError]:
    """The cases of one file: one for ``.json``, one a line for ``.jsonl``."""
    source = shorten(path, root)
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            limit = f"at most {MAX_FILE_BYTES // 1024**2} MB; split it into several files"
            yield CaseFileError(source, [CaseFault("", f"{size / 1024**2:.1f} MB", limit)])
            return
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"a byte at offset {error.start} that is not UTF-8"
        yield CaseFileError(source, [CaseFault("", found, "UTF-8 text")])
        return
    except OSError as error:
        found = f"{error.strerror or error}"
        yield CaseFileError(source, [CaseFault("", found, "a readable file")])
        return
    if path.suffix != ".jsonl":
        yield _parse(text, source)
        return
    lines = [(n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        yield CaseFileError(source, [CaseFault("", "no line", "one case a line")])
    for number, line in lines:
        yield _parse(line, f"{source}:{number}")


def _parse(text: str, source: str) -> Case | CaseFileError:
    try:
        data = json.loads(
            text, object_pairs_hook=_without_duplicates, parse_constant=_refuse_constant
        )
    except json.JSONDecodeError as error:
        found = f"{error.msg} at line {error.lineno}, column {error.colno}"
        return CaseFileError(source, [CaseFault("", found, "valid JSON")])
    except RecursionError:
        return CaseFileError(source, [CaseFault("", "nesting too deep", "a case")])
    except ValueError as error:
        return CaseFileError(source, [CaseFault("", str(error), "valid JSON")])
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
    """Lone surrogates cannot be written as UTF-8 again; they become U+FFFD."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return value


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"the number {name}")


@lru_cache(maxsize=1)
def _validator() -> Any:
    from jsonschema import Draft202012Validator

    schema = json.loads(
        resources.files("pytest_compaction").joinpath("case.schema.json").read_text("utf-8")
    )
    return Draft202012Validator(schema)


def schema_faults(data: Any) -> list[CaseFault]:
    """Where the data departs from the JSON Schema, by place; indices in numerical order."""
    try:
        errors = sorted(
            _validator().iter_errors(data),
            key=lambda error: [f"{p:09d}" if isinstance(p, int) else p for p in error.path],
        )
    except RecursionError:
        return [CaseFault("", "nesting too deep", "a case")]
    return list(dict.fromkeys(_schema_fault(error) for error in errors))


def _schema_fault(error: Any) -> CaseFault:
    pointer = "".join(
        "/" + str(part).replace("~", "~0").replace("/", "~1") for part in error.absolute_path
    )
    value = error.instance
    found = f"{type(value).__name__} {printable(json.dumps(value, default=str), 80)}"
    rule, expected = error.validator, error.validator_value
    if rule == "required":
        missing = [key for key in expected if key not in value]
        return CaseFault(pointer, f"no {', '.join(map(repr, missing))}", "these keys")
    if rule == "additionalProperties":
        known = sorted(error.schema.get("properties", {}))
        extra = sorted(key for key in value if key not in known)
        return CaseFault(
            pointer,
            f"the unknown key {printable(extra[0], 60)!r}",
            f"one of {', '.join(known)}",
        )
    phrases = {
        "type": f"the type {expected if isinstance(expected, str) else ' or '.join(expected)}"
        if rule == "type"
        else "",
        "enum": f"one of {', '.join(map(str, expected))}" if rule == "enum" else "",
        "pattern": f"text that matches {expected}",
        "minItems": f"at least {expected} item",
        "minLength": "text that is not empty",
        "maxLength": f"at most {expected} characters",
        "minimum": f"at least {expected}",
        "maximum": f"at most {expected}",
    }
    return CaseFault(pointer, found, phrases.get(rule, printable(error.message, 160)))


def reference_faults(data: dict[str, Any]) -> list[CaseFault]:
    """Duplicate ids, and ids that nothing has: what must hold before a case can be built."""
    faults: list[CaseFault] = []
    ids = [str(message.get("id") or f"m{i}") for i, message in enumerate(data["messages"])]
    faults += _duplicates("/messages", ids)
    known = {id: index for index, id in enumerate(ids)}
    points = data["compaction_points"]
    names = [str(point.get("id", f"p{i + 1}")) for i, point in enumerate(points)]
    faults += _duplicates("/compaction_points", names)
    before = -1
    for number, point in enumerate(points):
        pointer = f"/compaction_points/{number}/after"
        if point["after"] not in known:
            faults.append(CaseFault(pointer, repr(point["after"]), "the id of a message"))
            continue
        if known[point["after"]] <= before:
            found = f"{point['after']!r}, which does not come after the previous point"
            faults.append(CaseFault(pointer, found, "points in the order of the log"))
        before = known[point["after"]]
    probes = data["probes"]
    faults += _duplicates("/probes", [probe["id"] for probe in probes])
    for number, probe in enumerate(probes):
        if "point" in probe and probe["point"] not in names:
            expected = f"the id of a compaction point: {', '.join(names)}"
            faults.append(CaseFault(f"/probes/{number}/point", repr(probe["point"]), expected))
        for place, fact in enumerate(probe["facts"]):
            faults += [
                CaseFault(
                    f"/probes/{number}/facts/{place}/evidence/{index}",
                    repr(id),
                    "the id of a message",
                )
                for index, id in enumerate(fact["evidence"])
                if id not in known
            ]
    return faults


def _duplicates(pointer: str, ids: Sequence[str]) -> list[CaseFault]:
    first: dict[str, int] = {}
    faults: list[CaseFault] = []
    for index, id in enumerate(ids):
        if id in first:
            found = f"the id {id!r}, which {pointer}/{first[id]} has too"
            faults.append(CaseFault(f"{pointer}/{index}/id", found, "an id of its own"))
        first.setdefault(id, index)
    return faults


def message_faults(case: Case) -> list[CaseFault]:
    """Broken message structure: orphan or unanswered tool calls, empty messages."""
    place = {message.id: index for index, message in enumerate(case.messages)}
    return [
        CaseFault(f"/messages/{place[fault.ids[0]]}", fault.sentence, f"{fault.invariant} to hold")
        for fault in structure_faults(case.messages)
    ]


def evidence_faults(case: Case) -> list[CaseFault]:
    """Facts that their evidence does not state, or that the log states only later."""
    place = {message.id: index for index, message in enumerate(case.messages)}
    indexes: dict[str, TextIndex] = {}
    faults: list[CaseFault] = []
    for number, probe in enumerate(case.probes):
        asked = case.points[probe.point].index
        for position, fact in enumerate(probe.facts):
            for index, id in enumerate(fact.evidence):
                pointer = f"/probes/{number}/facts/{position}/evidence/{index}"
                if id not in indexes:
                    indexes[id] = TextIndex(readable(case.messages[place[id]]))
                if not indexes[id].states(fact.forms):
                    found = f"message {id!r}, which does not state {printable(fact.text, 80)!r}"
                    faults.append(CaseFault(pointer, found, "a message that states the fact"))
                elif place[id] > asked:
                    found = f"message {id!r}, which comes after the probe is asked"
                    faults.append(CaseFault(pointer, found, "a message before that point"))
    return faults
