"""The file of a run: a header line, then one JSON line for each record."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

from pytest_compaction.conversation.messages import canonical_json
from pytest_compaction.folders import make_folder
from pytest_compaction.metrics.budgets import is_over_budget
from pytest_compaction.metrics.nuggets import ORDER_FIGURES
from pytest_compaction.records.record import Record, type_of
from pytest_compaction.rubric import DIMENSIONS, MAX_SCORE, dimension_scores, overall_score
from pytest_compaction.secrets.keys import scrubbed_json
from pytest_compaction.text import Range

_SCORE: Final = Range(0, MAX_SCORE)
_SHARE: Final = Range(0, 1)
_ROUNDED: Final = 2e-4
"""Points by which a score may differ from its parts: all are rounded to four digits."""
_SCORED: Final = frozenset({"passed", "failed"})


def score_fault(record: Record, header: Mapping[str, Any]) -> str | None:
    """What is wrong with the scores of a record of the run with this header; ``None`` if nothing.

    Its shape must have been accepted.
    """
    faults = _of_dialogue(record) if type_of(record) == "dialogue" else _of_probe(record, header)
    return next(faults, None)


def _of_dialogue(record: Record) -> Iterator[str]:
    for key in ("consistency", "retention"):
        yield from _outside(key, record.get(key), _SHARE)


def _of_probe(record: Record, header: Mapping[str, Any]) -> Iterator[str]:
    yield from _of_scores("", record)
    for key in ("view", "answer"):
        if isinstance(record.get(key), dict):
            yield from _of_scores(f"{key} ", record[key])
    for judge in _mappings(record.get("judges")):
        yield from _outside("judges' overall", judge.get("overall"), _SCORE)
    nulls = record.get("nulls")
    for name, null in nulls.items() if isinstance(nulls, dict) else ():
        if isinstance(null, dict):
            yield from _outside(f"{name} overall", null.get("overall"), _SCORE)
            yield from _outside(f"{name} stated", null.get("stated"), _SHARE)
    yield from _of_status(record, header)


def _of_scores(where: str, scores: Mapping[str, Any]) -> Iterator[str]:
    """The faults of an overall score, its dimensions and their criteria."""
    overall, given = scores.get("overall"), scores.get("dimensions") or {}
    yield from _outside(f"{where}overall", overall, _SCORE)
    for name, score in given.items():
        yield from _outside(f"{where}{name}", score, _SCORE)
    dimensions = {name: given[name] for name in DIMENSIONS if given.get(name) is not None}
    criteria: dict[Any, Any] = {
        c["id"]: c.get("score") for c in _mappings(scores.get("criteria")) if "id" in c
    }
    for name, score in criteria.items():
        yield from _outside(f"{where}{name}", score, _SCORE, or_none=False)
    if criteria and overall is not None:
        for name, made in dimension_scores(criteria).items():
            if not _equal(dimensions.get(name), made):
                yield _differs(f"{where}{name}", dimensions.get(name), "criteria", made)
    if "nuggets" in scores:
        score = scores.get("score")
        expected, parts = None if score is None else MAX_SCORE * score, "nuggets"
    elif not where or dimensions:
        expected, parts = overall_score(dimensions), "dimensions"
    else:
        return
    tolerance = MAX_SCORE * _ROUNDED if parts == "nuggets" else _ROUNDED
    if not _equal(overall, expected, tolerance):
        yield _differs(f"{where}overall", overall, parts, expected)


def _of_status(record: Record, header: Mapping[str, Any]) -> Iterator[str]:
    """The faults of a status beside an overall score and the pass score of the run."""
    status, overall = record["status"], record["overall"]
    if (overall is None) is (status in _SCORED):
        yield f"status {status} does not fit the overall {_shown(overall)}"
    settings = header.get("settings")
    needed: Any = settings.get("pass_score") if isinstance(settings, dict) else None
    if overall is None or needed not in _SCORE:
        return
    too_low = status == "passed" and overall < needed - _ROUNDED
    too_high = status == "failed" and overall > needed + _ROUNDED and not is_over_budget(record)
    if too_low or too_high:
        yield (
            f"status {status} does not fit the overall {_shown(overall)} and the run's pass score "
            f"{needed:g}"
        )


def _outside(name: str, value: Any, range: Range, or_none: bool = True) -> Iterator[str]:
    if not (or_none and value is None) and value not in range:
        yield f"{name} {_shown(value)} is not {range}"


def _equal(value: float | None, expected: float | None, tolerance: float = _ROUNDED) -> bool:
    if value is None or expected is None:
        return value is expected
    return abs(value - expected) <= tolerance


def _differs(name: str, value: Any, parts: str, expected: float | None) -> str:
    return f"{name} {_shown(value)} is not what its {parts} make, {_shown(expected)}"


def _shown(value: Any) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:.4g}" if number else str(value)[:40]


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def unreadable_keys(record: Mapping[str, Any]) -> list[str]:
    """The keys of nuggets that a record has and that no report can read."""
    return [key for key, is_sound in _SOUND.items() if key in record and not is_sound(record[key])]


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _are_tenths(value: Any) -> bool:
    return isinstance(value, list) and all(type(tenth) is int for tenth in value)


def _are_nuggets(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(nugget, dict)
        and isinstance(nugget.get("text"), str)
        and (nugget.get("score") is None or _is_share(nugget["score"]))
        for nugget in value
    )


def _is_ordering(value: Any) -> bool:
    return isinstance(value, dict) and all(_is_share(value.get(name)) for name in ORDER_FIGURES)


_SOUND: Final[Mapping[str, Callable[[Any], bool]]] = {
    "size": lambda value: isinstance(value, str),
    "score": lambda value: value is None or _is_share(value),
    "tenths": _are_tenths,
    "nuggets": _are_nuggets,
    "ordering": _is_ordering,
}

FORMAT: Final = 1
_KEYS: Final = frozenset({"item", "compactor", "case", "probe", "trial"})
_SHAPES: Final[Mapping[str, tuple[type, ...]]] = {
    "trial": (int,),
    "status": (str,),
    "overall": (int, float, type(None)),
    "dimensions": (dict,),
    "facts": (list,),
    "traps": (list,),
    "tokens": (dict,),
    "compaction": (dict,),
}
"""What every report reads of the record of a probe, and of which type it is."""


class RunFileError(Exception):
    """A run file cannot be read; the text says where and why."""


@dataclass
class Run:
    """The records of a run. An item that ran twice counts once, with its last record.

    ``problems`` are sentences on what of its file could not be used.
    """

    header: dict[str, Any] = field(default_factory=dict)
    by_item: dict[str, Record] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    def add(self, record: Record) -> None:
        """Add or replace the record of an item."""
        self.by_item[record["item"]] = record

    @property
    def records(self) -> list[Record]:
        """All records in a fixed order: compactor, budget, case, probe, trial, item."""
        return sorted(
            self.by_item.values(),
            key=lambda r: (
                r["compactor"],
                isinstance(r.get("budget"), str),  # one of another kind comes after the numbers
                r.get("budget") or 0,
                r["case"],
                r["probe"],
                r["trial"],
                r["item"],
            ),
        )


class RunWriter:
    """Writes each record as a whole line when it comes, and all in a fixed order at the end.

    A killed run leaves complete lines and at most one torn line, which loading ignores. A file that
    cannot be written costs no record of ``run``: ``problem`` is what went wrong last, ``missing``
    how many records the file lacks, and :meth:`close` tries once more to write it. ``path`` is
    ``None`` until there is a file.
    """

    def __init__(self, folder: Path, name: str, header: Mapping[str, Any]) -> None:
        self.run = Run({"format": FORMAT, **scrubbed_json(header)})
        self.path: Path | None = None
        self.problem: OSError | None = None
        self._folder = folder
        self._name = name
        self._lines: dict[str, bytes] = {}
        """The line of each item."""
        self._missing: set[str] = set()
        self._attempt(self._make)

    @property
    def missing(self) -> int:
        """How many records the file lacks."""
        return len(self._missing)

    def add(self, record: Record) -> None:
        """Keep a record and append its line; API keys in its texts are replaced."""
        record = scrubbed_json(record)
        line = self._lines[record["item"]] = _line(record)
        self.run.add(record)  # after its line: Ctrl-C may come between the two
        path = self.path
        if path is not None and self.problem is None:
            self._attempt(lambda: _append(path, line))
        if self.problem is not None:
            self._missing.add(record["item"])

    def close(
        self, figures: Mapping[str, Any] | None = None, part: Mapping[str, Any] | None = None
    ) -> None:
        """Rewrite the file atomically, with one line for each item in the fixed order.

        ``figures`` of the whole run go to the header, and so does what is known of a shard
        when it has ended: its ``part`` of the run, in place of what was known at its start.
        """
        if figures:
            self.run.header["figures"] = scrubbed_json(figures)
        if part is not None:
            self.run.header["shard"] = scrubbed_json(part)
        self._attempt(self._rewrite)
        if self.problem is None:
            self._missing.clear()

    def _attempt(self, write: Callable[[], object]) -> None:
        try:
            write()
        except OSError as error:
            self.problem = error
        else:
            self.problem = None

    def _make(self) -> Path:
        make_folder(self._folder)
        self.path = _new_file(self._folder, self._name, _line(self.run.header))
        return self.path

    def _rewrite(self) -> None:
        lines = (self._lines[record["item"]] for record in self.run.records)
        write_whole(self.path or self._make(), (_line(self.run.header), *lines))


def write_run(path: Path, run: Run) -> None:
    """Write the file of a run atomically: its header, then all records in the fixed order."""
    write_whole(path, map(_line, [run.header, *run.records]))


def write_whole(path: Path, lines: Iterable[bytes]) -> None:
    """Write a file atomically: it is there whole, or as it was before."""
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        temporary.write_bytes(b"".join(lines))
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def _append(path: Path, line: bytes) -> None:
    """Append a line, or nothing of it: what follows half a line could not be read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        before = os.fstat(descriptor).st_size
        try:
            while line:
                line = line[os.write(descriptor, line) :]
        except OSError:
            os.ftruncate(descriptor, before)
            raise
    finally:
        os.close(descriptor)


def _line(data: Mapping[str, Any]) -> bytes:
    return f"{canonical_json(data)}\n".encode()


def _new_file(folder: Path, name: str, header: bytes) -> Path:
    """A new file with the next number; made exclusively, so that two runs never share one.

    It appears together with its header, so that a killed run leaves none without.
    """
    numbers = (path.name.partition("-")[0] for path in folder.glob("*-*.jsonl"))
    taken = [int(number) for number in numbers if number.isdecimal()]
    number = max(taken, default=0) + 1
    temporary = folder / f".header.{os.getpid()}.{threading.get_ident()}.tmp"
    try:
        temporary.write_bytes(header)
        while True:
            path = folder / f"{number:04d}-{name}.jsonl"
            try:
                _place(temporary, path, header)
            except FileExistsError:
                number += 1
            else:
                return path
    finally:
        temporary.unlink(missing_ok=True)


def _place(temporary: Path, path: Path, header: bytes) -> None:
    """Give a written file its name, unless that is taken."""
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        raise
    except OSError:  # some file systems have no hard links
        with path.open("xb") as file:
            file.write(header)


def load_run(path: Path) -> Run:
    """Read a run file: every whole line that is sound; ``problems`` of the run says the rest.

    A torn last line of a killed run is passed over, and so is a line that is no record of this
    format. Raises :class:`RunFileError` for a file without a header of this format.
    """
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise RunFileError(f"cannot read the run {path}: {error.strerror or error}") from None
    *lines, torn = text.split("\n")
    run = Run()
    problems: list[str] = []
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        where = f"{path}:{number}"
        try:
            data = _parsed(line)
            if not run.header:
                run.header = _header(data)
            else:
                run.add(_record(data, run.header))
        except _UnsoundLineError as error:
            if not run.header:
                raise RunFileError(f"{where} {error}") from None
            problems.append(f"{where} {error}; it is left out")
    if not run.header:
        raise RunFileError(f"{path} has no header line of format {FORMAT}; is it a run file?")
    if torn:
        problems.append(f"{path}:{len(lines) + 1} is cut short; the whole lines before it are used")
    run.problems = tuple(problems)
    return run


class _UnsoundLineError(ValueError):
    """A line cannot be used; the text goes on after its place."""


def _parsed(line: str) -> Any:
    try:
        return _decoder().decode(line)
    except _UnsoundLineError:
        raise
    except (ValueError, RecursionError) as error:
        raise _UnsoundLineError(f"is not JSON: {error}") from None


@cache
def _decoder() -> json.JSONDecoder:
    return json.JSONDecoder(parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> Any:
    raise _UnsoundLineError(f"holds {name}, which is no figure")


def _header(data: Any) -> dict[str, Any]:
    if isinstance(data, dict) and data.get("format") == FORMAT:
        return data
    raise _UnsoundLineError(f"is not a record of this format ({FORMAT})")


def _record(data: Any, header: Mapping[str, Any]) -> Record:
    """The record of a line, with everything that every report reads and scores that fit."""
    if not (isinstance(data, dict) and data.keys() >= _KEYS and isinstance(data["item"], str)):
        raise _UnsoundLineError(f"is not a record of this format ({FORMAT})")
    if type_of(data) == "probe":
        wrong = [key for key, types in _SHAPES.items() if not isinstance(data.get(key, ...), types)]
        wrong += unreadable_keys(data)
        if wrong:
            raise _UnsoundLineError(f"is a record whose {', '.join(wrong)} cannot be read")
    record = cast(Record, data)
    fault = score_fault(record, header)
    if fault is not None:
        raise _UnsoundLineError(f"is the record of {data['item']}, whose {fault}")
    return record
