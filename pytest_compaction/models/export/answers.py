"""Puts replies that came in files into the store, as if an endpoint had given them.

A reply that cannot be used costs a sentence and nothing else: its request stays missing,
and all other replies are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pytest_compaction.folders import temporary_folder
from pytest_compaction.models.calls.accounts import Accounts
from pytest_compaction.models.calls.endpoint import MAX_REPLY_BYTES, excerpt_of
from pytest_compaction.models.calls.store import Store
from pytest_compaction.models.export.folder import (
    REPLIES,
    Exported,
    ExportFolder,
    Result,
    can_be_plain,
    lines_of,
    read_result,
    reply_body,
)
from pytest_compaction.models.wire.call import CallReply
from pytest_compaction.models.wire.refusals import Complaint, adaptation_for, adapted
from pytest_compaction.models.wire.reply import UnusableReplyError, usage_of
from pytest_compaction.text import printable

_SHOWN_ID: Final = 16


@dataclass
class Taken:
    """What became of the replies: how many were kept, and a sentence for each that was not.

    ``known`` replies were in the store before and stay as they were. ``advice`` says what
    the next export will do otherwise.
    """

    kept: int = 0
    known: int = 0
    problems: list[str] = field(default_factory=list)
    advice: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Row:
    """A result and where it stands, as a problem names it; or the problem of reading it."""

    where: str
    result: Result | None = None
    problem: str = ""


def take_batch(folder: ExportFolder, paths: Iterable[Path]) -> Taken:
    """Take the results of batch files."""
    return _taken(folder, _batch_rows(paths))


def take_plain(folder: ExportFolder, paths: Iterable[Path] = ()) -> Taken:
    """Take the plain replies of these folders, or of the folder of the export."""
    return _taken(folder, _plain_rows(folder, tuple(paths) or (folder.path / REPLIES,)))


def missing_replies(folder: ExportFolder) -> int:
    """The number of exported calls that the store does not hold."""
    store = Store(folder.store, None, "replay")
    return sum(store.read(call) is None for call in folder.calls())


def _taken(folder: ExportFolder, rows: Iterable[_Row]) -> Taken:
    with temporary_folder() as scratch:
        accounts = Accounts(scratch / "accounts.sqlite")
        intake = _Intake(folder, accounts)
        taken = intake.taken
        for row in rows:
            try:
                intake.take(row)
            except UnusableReplyError as error:
                taken.problems.append(f"{row.where} {error}")
        taken.problems += accounts.notes
    taken.advice += [
        f"{printable(model, 80)} refused {count:,} request{'s' if count > 1 else ''}; export "
        f"again: they are then sent {_in_words(name)}"
        for (model, name), count in sorted(intake.refusals.items())
    ]
    return taken


class _Intake:
    """Takes results one by one; ``refusals`` counts those that the next export will avoid."""

    def __init__(self, folder: ExportFolder, accounts: Accounts) -> None:
        self.taken = Taken()
        self.refusals: Counter[tuple[str, str]] = Counter()
        self._folder = folder
        self._store = Store(folder.store, None, "normal", accounts)

    def take(self, row: _Row) -> None:
        """Keep the reply of a row; raises :class:`UnusableReplyError` if it is of no use."""
        if row.result is None:
            raise UnusableReplyError(row.problem)
        exported = self._folder.exported(row.result.custom_id)
        if exported is None:
            shown = printable(row.result.custom_id, _SHOWN_ID)
            raise UnusableReplyError(f"answers {shown!r}, which is no request of this export")
        call = exported.call
        if self._store.read(call) is not None:
            self.taken.known += 1
            return
        if row.result.complaint is not None:
            self._refused(exported, row.result.complaint)
            return
        member = "choices" if call.operation == "chat.completions" else "output"
        if not isinstance(row.result.body.get(member), list):
            raise UnusableReplyError(
                f"is not a reply of {call.operation}: it has no list {member!r}"
            )
        body = row.result.body
        self._store.adopt(call, call.digest, CallReply(body, usage_of(body)))
        if self._store.read(call) is None:
            raise UnusableReplyError("could not be kept in the store")
        self.taken.kept += 1

    def _refused(self, exported: Exported, complaint: Complaint) -> None:
        """Have the request sent otherwise from now on; raises if that is no way out."""
        call = exported.call
        step = adaptation_for(complaint, adapted(call.body, exported.adaptations))
        if step is None:
            status = f" with status {complaint.status}" if complaint.status else ""
            raise UnusableReplyError(f"was refused{status}: {excerpt_of(complaint.text)}")
        self._folder.refuse(call, step.name)
        self.refusals[call.model, step.name] += 1


def _in_words(adaptation: str) -> str:
    return adaptation if adaptation.startswith("without") else f"with {adaptation}"


def _batch_rows(paths: Iterable[Path]) -> Iterator[_Row]:
    for path in paths:
        try:
            with path.open("rb") as file:
                for number, line in lines_of(file):
                    yield _batch_row(f"{path}:{number}", line)
        except OSError as error:
            yield _Row(f"{path}:", problem=f"cannot be read: {error.strerror or error}")


def _batch_row(where: str, line: bytes | None) -> _Row:
    if line is None:
        return _Row(where, problem=_too_long())
    try:
        return _Row(where, read_result(line))
    except UnusableReplyError as error:
        return _Row(where, problem=str(error))


def _plain_rows(folder: ExportFolder, places: Iterable[Path]) -> Iterator[_Row]:
    for place in places:
        try:
            found = sorted(path for path in place.iterdir() if not path.name.startswith("."))
        except OSError as error:
            yield _Row(f"{place}:", problem=f"cannot be read: {error.strerror or error}")
            continue
        for path in found:
            yield _plain_row(folder, path)


def _plain_row(folder: ExportFolder, path: Path) -> _Row:
    where = str(path)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_REPLY_BYTES + 1)
    except OSError as error:
        return _Row(where, problem=f"cannot be read: {error.strerror or error}")
    if len(data) > MAX_REPLY_BYTES:
        return _Row(where, problem=_too_long())
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _Row(where, problem="is not UTF-8 text")
    if not text.strip():
        return _Row(where, problem="is empty")
    exported = folder.exported(path.stem)
    if exported is not None and not can_be_plain(exported.call):
        return _Row(where, problem="answers a request that cannot be answered in plain text")
    return _Row(where, Result(path.stem, reply_body(text)))


def _too_long() -> str:
    return f"is longer than {MAX_REPLY_BYTES // 1024**2} MB, which is not read"
