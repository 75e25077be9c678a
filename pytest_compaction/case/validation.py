"""Validation of a case: sound JSON, the schema, references, messages and evidence."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_compaction.case.case import Case
from pytest_compaction.case.kinds import CHOICE_KIND
from pytest_compaction.conversation import readable, structure_faults
from pytest_compaction.text import is_read, printable

if TYPE_CHECKING:
    from pytest_compaction.text import TextIndex


@dataclass(frozen=True, slots=True)
class CaseFault:
    """One fault of a case file: its place (JSON pointer), what was found and what was expected."""

    pointer: str
    found: str
    expected: str

    def __str__(self) -> str:
        return f"{self.pointer or '/'}: found {self.found}; expected {self.expected}"


_EXPECTED: Final = {
    "type": "the type {}",
    "enum": "one of {}",
    "pattern": "text that matches {}",
    "minItems": "at least {} item",
    "maxItems": "at most {} items",
    "minLength": "text that is not empty",
    "maxLength": "at most {} characters",
    "minimum": "at least {}",
    "maximum": "at most {}",
}
"""The expectation of a rule of a schema; other rules use the validator's message."""


@lru_cache(maxsize=16)
def _validator(package: str, schema: str, shape: str) -> Any:
    from jsonschema import Draft202012Validator, validators

    extend: Any = validators.extend
    text = resources.files(package).joinpath(schema).read_text("utf-8")
    validator = extend(Draft202012Validator, {"pattern": _pattern_errors})
    return validator(json.loads(text) | ({"$ref": shape} if shape else {}))


def _pattern_errors(validator: Any, pattern: str, value: Any, schema: Any) -> Iterator[Any]:
    """The rule ``pattern`` as JSON Schema means it, for patterns with ``$`` at their end alone.

    There ``$`` is the end of the text. In Python it also stands before a last line break.
    """
    from jsonschema import ValidationError

    strict = pattern.removesuffix("$") + (r"\Z" if pattern.endswith("$") else "")
    if isinstance(value, str) and re.search(strict, value) is None:
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def schema_faults(
    data: Any, package: str = __package__, schema: str = "case.schema.json", shape: str = ""
) -> list[CaseFault]:
    """Where the data breaks a JSON Schema (by default that of cases), ordered by place."""
    try:
        errors = sorted(
            _validator(package, schema, shape).iter_errors(data),
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
        found = f"the unknown key {printable(extra[0], 60)!r}"
        return CaseFault(pointer, found, f"one of {', '.join(known)}")
    named = ", ".join(map(str, expected)) if isinstance(expected, list) else expected
    said = _EXPECTED[rule].format(named) if rule in _EXPECTED else printable(error.message, 160)
    return CaseFault(pointer, found, said)


def reference_faults(data: dict[str, Any]) -> Iterator[CaseFault]:
    """Duplicate and unknown ids, which would keep a case from being built."""
    ids = [str(message.get("id") or f"m{i}") for i, message in enumerate(data["messages"])]
    yield from _duplicates([(f"/messages/{i}", id) for i, id in enumerate(ids)])
    known = {id: index for index, id in enumerate(ids)}
    points = data["compaction_points"]
    names = [str(point.get("id", f"p{i + 1}")) for i, point in enumerate(points)]
    yield from _duplicates([(f"/compaction_points/{i}", id) for i, id in enumerate(names)])
    before = -1
    for number, point in enumerate(points):
        pointer, after = f"/compaction_points/{number}", point["after"]
        if after not in known:
            yield CaseFault(f"{pointer}/after", repr(after), "the id of a message")
            continue
        if known[after] <= before:
            found = f"{after!r}, which does not come after the previous point"
            yield CaseFault(f"{pointer}/after", found, "points in the order of the log")
        before = known[after]
        yield from _record_faults(f"{pointer}/recorded", point, known)
    placed = [(f"/probes/{number}", probe) for number, probe in enumerate(data["probes"])]
    placed += [(f"/proposed/{i}", probe) for i, probe in enumerate(data.get("proposed", ()))]
    yield from _duplicates([(pointer, probe["id"]) for pointer, probe in placed])
    for pointer, probe in placed:
        if "point" in probe and probe["point"] not in names:
            expected = f"the id of a compaction point: {', '.join(names)}"
            yield CaseFault(f"{pointer}/point", repr(probe["point"]), expected)
        yield from _choice_faults(pointer, probe)
        texts = {fact["text"] for fact in probe["facts"]}
        for place, trap in enumerate(probe.get("traps", ())):
            if "of" in trap and trap["of"] not in texts:
                found = printable(repr(trap["of"]), 80)
                expected = "the text of a fact of the same probe"
                yield CaseFault(f"{pointer}/traps/{place}/of", found, expected)
        for place, fact in enumerate(probe["facts"]):
            for index, id in enumerate(fact["evidence"]):
                if id not in known:
                    at = f"{pointer}/facts/{place}/evidence/{index}"
                    yield CaseFault(at, repr(id), "the id of a message")


def _choice_faults(pointer: str, probe: dict[str, Any]) -> Iterator[CaseFault]:
    """Faults of a compliance probe, and options of any other probe."""
    if probe["kind"] != CHOICE_KIND:
        if "options" in probe:
            found = f"options of a probe of kind {probe['kind']!r}"
            yield CaseFault(f"{pointer}/options", found, f"them only where kind is {CHOICE_KIND}")
        return
    if "options" not in probe:
        yield CaseFault(pointer, "a compliance probe without 'options'", "complying and other")
    if "answer" in probe:
        expected = "none: a compliance probe is answered with one letter"
        yield CaseFault(f"{pointer}/answer", "a form of the answer", expected)
    for place, fact in enumerate(probe["facts"]):
        type = fact.get("type", "constraint")
        if type != "constraint":
            found = f"a fact of type {type!r} in a compliance probe"
            yield CaseFault(f"{pointer}/facts/{place}/type", found, "constraint")


def _record_faults(
    pointer: str, point: dict[str, Any], known: dict[str, int]
) -> Iterator[CaseFault]:
    """Messages that a recorded view names but the log lacks, or has only after the point."""
    record = point.get("recorded", {})
    named = [(f"/kept/{i}", id) for i, id in enumerate(record.get("kept", ()))]
    named += [
        (f"/messages/{i}/log", item["log"])
        for i, item in enumerate(record.get("messages", ()))
        if "log" in item
    ]
    seen: set[str] = set()
    for place, id in named:
        if id not in known or known[id] > known[point["after"]]:
            yield CaseFault(pointer + place, repr(id), "the id of a message up to the point")
        elif id in seen:
            yield CaseFault(pointer + place, f"{id!r} a second time", "each message once")
        seen.add(id)


def _duplicates(placed: Sequence[tuple[str, str]]) -> Iterator[CaseFault]:
    """The second place of an id; ``placed`` holds pointers and their ids."""
    first: dict[str, str] = {}
    for pointer, id in placed:
        if first.setdefault(id, pointer) != pointer:
            found = f"the id {id!r}, which {first[id]} has too"
            yield CaseFault(f"{pointer}/id", found, "an id of its own")


def message_faults(case: Case) -> Iterator[CaseFault]:
    """Broken message structure: orphan or unanswered tool calls, empty messages."""
    place = {message.id: index for index, message in enumerate(case.messages)}
    for fault in structure_faults(case.messages):
        pointer = f"/messages/{place[fault.ids[0]]}"
        yield CaseFault(pointer, fault.sentence, f"{fault.invariant} to hold")
    for number, point in enumerate(case.points):
        for fault in structure_faults(point.recorded):
            pointer = f"/compaction_points/{number}/recorded"
            yield CaseFault(pointer, fault.sentence, f"{fault.invariant} to hold")


@lru_cache(maxsize=64)
def evidence_faults(case: Case) -> tuple[CaseFault, ...]:
    """Facts that their evidence does not state, or states only after the probe is asked."""
    from pytest_compaction.text import TextIndex  # takes long to import

    if not is_read(case.language):
        return ()  # nor is any of its facts scored
    place = {message.id: index for index, message in enumerate(case.messages)}
    indexes: dict[str, TextIndex] = {}
    faults: list[CaseFault] = []
    placed = [(f"/probes/{number}", probe) for number, probe in enumerate(case.probes)]
    placed += [(f"/proposed/{number}", probe) for number, probe in enumerate(case.proposed)]
    for place_of_probe, probe in placed:
        asked = case.points[probe.point].index
        for position, fact in enumerate(probe.facts):
            for index, id in enumerate(fact.evidence):
                pointer = f"{place_of_probe}/facts/{position}/evidence/{index}"
                if id not in indexes:
                    indexes[id] = TextIndex(readable(case.messages[place[id]]))
                if indexes[id].read(fact.statement).outcome != "stated":
                    found = f"message {id!r}, which does not state {printable(fact.text, 80)!r}"
                    faults.append(CaseFault(pointer, found, "a message that states the fact"))
                elif place[id] > asked:
                    found = f"message {id!r}, which comes after the probe is asked"
                    faults.append(CaseFault(pointer, found, "a message before that point"))
    return tuple(faults)


def decoded(content: bytes, from_start: bool = True) -> str | CaseFault:
    """The text of a file, or of a part of it, which cannot start with a byte order mark."""
    try:
        return content.decode("utf-8-sig" if from_start else "utf-8")
    except UnicodeDecodeError as error:
        return CaseFault("", f"a byte at offset {error.start} that is not UTF-8", "UTF-8 text")


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


def read_checked(path: Path, schema: tuple[str, str], refused: Callable[[str], Exception]) -> Any:
    """The content of a JSON file that a user names, checked against the schema of a package.

    For a file that cannot be used it raises what ``refused`` makes of the reason.
    """
    try:
        data = json.loads(path.read_text("utf-8"), parse_constant=_refuse_constant)
    except OSError as error:
        raise refused(f"cannot be read: {error.strerror or error}") from None
    except RecursionError:
        raise refused("is not valid JSON: it is nested too deep") from None
    except ValueError as error:
        raise refused(f"is not valid JSON: {error}") from None
    refuse_faults(schema_faults(data, *schema), refused)
    return data


def refuse_faults(faults: Sequence[CaseFault], refused: Callable[[str], Exception]) -> None:
    """Raise what ``refused`` makes of the first fault, if there is one."""
    if faults:
        more = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
        raise refused(f"{faults[0]}{more}")


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f"the key {printable(key, 60)!r} twice in one object")
        result[_clean(key)] = _clean(value)
    return result


def _clean(value: Any) -> Any:
    """Replace lone surrogates, which cannot be written as UTF-8, by ``?``."""
    if isinstance(value, list):
        return [_clean(item) for item in value]
    ascii_only = not isinstance(value, str) or value.isascii()
    return value if ascii_only else value.encode("utf-8", "replace").decode("utf-8")


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"the number {name}")
