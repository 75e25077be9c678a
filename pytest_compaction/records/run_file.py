"""The file of a run: a header line, then one JSON line for each record."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, cast

from pytest_compaction.conversation import canonical_json
from pytest_compaction.folders import make_folder, write_whole
from pytest_compaction.records.items import row_of
from pytest_compaction.records.record import Record, type_of
from pytest_compaction.records.run import Run
from pytest_compaction.records.run_folder import RunFileError, find_run
from pytest_compaction.rubric import MAX_SCORE
from pytest_compaction.secrets import scrubbed_json
from pytest_compaction.text import Range

FORMAT: Final = 1
_SCORE: Final = Range(0, MAX_SCORE)
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
"""The keys that every report reads of the record of a probe, and their types."""
_OF_OBJECTS: Final = ("facts", "traps")
_SHAPES_OF_NUGGETS: Final[Mapping[str, tuple[type, ...]]] = {
    "size": (str,),
    "score": (int, float, type(None)),
    "tenths": (list,),
    "nuggets": (list,),
    "ordering": (dict,),
}
"""The keys of a question about a long conversation, which other records lack."""

_NAMES: Final = frozenset({"item", "case", "probe", "compactor"})
"""Members that tell items apart. One that looks like a key by chance stays as it is, because two
items of one name would count as one."""


class RunWriter:
    """Writes each record as a whole line when it comes, and all in a fixed order at the end.

    A killed run leaves complete lines and at most one torn line, which loading ignores. A file that
    cannot be written costs no record of ``run``: ``problem`` is what went wrong last, ``missing``
    are the items that the file lacks, and :meth:`close` tries once more to write it. ``path`` is
    ``None`` until there is a file.
    """

    def __init__(self, folder: Path, name: str, header: Mapping[str, Any]) -> None:
        self.run = Run({"format": FORMAT, **scrubbed_json(header)})
        self.path: Path | None = None
        self.problem: OSError | None = None
        self.missing: set[str] = set()
        self._folder = folder
        self._name = name
        self._lines: dict[str, bytes] = {}
        """The line of each item."""
        self._attempt(self._make)

    def add(self, record: Record) -> None:
        """Keep a record and append its line; API keys in its texts are replaced."""
        record = scrubbed_json(record, _NAMES)
        line = self._lines[record["item"]] = _line(record)
        self.run.add(record)  # after its line: Ctrl-C may come between the two
        path = self.path
        if path is not None and self.problem is None:
            self._attempt(lambda: _append(path, line))
        if self.problem is not None:
            self.missing.add(record["item"])

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
            self.missing.clear()

    def _attempt(self, write: Callable[[], object]) -> None:
        self.problem = None
        try:
            write()
        except OSError as error:
            self.problem = error

    def _make(self) -> Path:
        make_folder(self._folder)
        self.path = _new_file(self._folder, self._name, _line(self.run.header))
        return self.path

    def _rewrite(self) -> None:
        lines = (self._lines[record["item"]] for record in self.run.records)
        write_whole(self.path or self._make(), _line(self.run.header), *lines)


def write_run(path: Path, run: Run) -> None:
    write_whole(path, *map(_line, [run.header, *run.records]))


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
                try:
                    path.hardlink_to(temporary)
                except FileExistsError:
                    raise
                except OSError:  # some file systems have no hard links
                    with path.open("xb") as file:
                        file.write(header)
            except FileExistsError:
                number += 1
            else:
                return path
    finally:
        temporary.unlink(missing_ok=True)


def load_run(path: Path | str) -> Run:
    """Read a run: every whole line that is sound; ``problems`` of the run says the rest.

    ``"last"`` is the newest run below the current folder, as in the commands. A torn last line of
    a killed run is passed over, and so is a line that is no record of this format. Raises
    :class:`RunFileError` with a sentence for a file that is not a run.
    """
    path = find_run(path) if isinstance(path, str) else path
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise RunFileError(f"cannot read the run {path}: {error.strerror or error}") from None
    *lines, torn = text.split("\n")
    run = Run(name=path.name)
    problems: list[str] = []
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            data = _parsed(line)
            if run.header:
                run.add(_record(data))
            elif isinstance(data, dict) and data.get("format") == FORMAT:
                run.header = data
            else:
                raise _UnsoundLineError(_NOT_OURS)
        except _UnsoundLineError as error:
            if not run.header:
                raise RunFileError(f"{path}:{number} {error}") from None
            problems.append(f"{path}:{number} {error}; it is left out")
    if not run.header:
        raise RunFileError(f"{path} has no header line of format {FORMAT}; is it a run file?")
    if torn:
        problems.append(f"{path}:{len(lines) + 1} is cut short; the whole lines before it are used")
    run.problems = tuple(problems)
    return run


class _UnsoundLineError(ValueError):
    """A line cannot be used; the text goes on after its place."""


_NOT_OURS: Final = f"is not a record of this format ({FORMAT})"


def _parsed(line: str) -> Any:
    def refuse(name: str) -> Any:
        raise _UnsoundLineError(f"holds {name}, which is no figure")

    try:
        return json.loads(line, parse_constant=refuse)
    except _UnsoundLineError:
        raise
    except (ValueError, RecursionError) as error:
        raise _UnsoundLineError(f"is not JSON: {error}") from None


def _record(data: Any) -> Record:
    """The record of a line, with everything that every report reads."""
    if not (isinstance(data, dict) and data.keys() >= _KEYS and isinstance(data["item"], str)):
        raise _UnsoundLineError(_NOT_OURS)
    if type_of(data) == "probe":
        shapes = {**_SHAPES, **{k: v for k, v in _SHAPES_OF_NUGGETS.items() if k in data}}
        wrong = [key for key, types in shapes.items() if not isinstance(data.get(key, ...), types)]
        wrong = wrong or [
            key for key in _OF_OBJECTS if not all(isinstance(each, dict) for each in data[key])
        ]
        if wrong:
            raise _UnsoundLineError(f"is a record whose {', '.join(wrong)} cannot be read")
        for key, score in {"overall": data["overall"], **data["dimensions"]}.items():
            if score is not None and score not in _SCORE:
                found = f"{key} {str(score)[:40]} is not {_SCORE}"
                raise _UnsoundLineError(f"is the record of {data['item']}, whose {found}")
    try:
        row_of(cast(Record, data))
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise _UnsoundLineError(
            f"is the record of {data['item']}, of which a part cannot be read ({error!r:.80})"
        ) from None
    return cast(Record, data)
