"""Reads an archive of recorded words line by line and says what is wrong with it."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case import CaseIndex
from pytest_compaction.models import (
    Archive,
    ArchiveError,
    Manifest,
    RecordedVerdict,
    Words,
    record_command,
)
from pytest_compaction.secrets import scrubbed
from pytest_compaction.session.named_files import find_named

MAX_BYTES: Final = 6_000_000
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_MEMBERS: Final = ["manifest.json", "words.jsonl"]
_ROLES: Final = frozenset({"summary", "answer", "verdict"})
_FLAWS: Final = frozenset({"cut", "empty", "misformed", "refused"})
_FINISHES: Final = frozenset({"stop", "length", "content_filter"})


def faults_in(archive: Archive) -> Iterator[str]:
    """What is wrong with an archive, as sentences; none if it is whole."""
    try:
        manifest, words = archive.manifest, archive.words
    except ArchiveError as error:
        yield str(error)
        return
    if (size := archive.path.stat().st_size) > MAX_BYTES:
        yield f"it has {size:,} bytes, more than {MAX_BYTES:,}"
    with zipfile.ZipFile(archive.path) as file:
        if (members := sorted(file.namelist())) != _MEMBERS:
            yield f"it holds {', '.join(members)}, and not {' and '.join(_MEMBERS)}"
    wrong = [
        f"line {number} ({each.strategy} on {each.case} at {each.point}): {fault}"
        for number, each in enumerate(words, 1)
        for fault in _line(each)
    ]
    yield from wrong
    if not wrong:
        yield from _manifest(manifest, words)
        yield from _order(words)
        asked = [
            {_place(each)[:-2] for each in words if each.role == role}
            for role in ("answer", "verdict")
        ]
        for strategy, case, _, _, probe, _ in sorted(asked[0] ^ asked[1]):
            yield f"{strategy} on {case}: {probe} has an answer or a verdict without the other"
        yield from _cases(archive.path.parent, manifest, words)


def _place(words: Words) -> tuple[Any, ...]:
    """What a text is about, its number, and at which budget and trigger."""
    about = (words.strategy, words.case, words.point, words.trial, words.probe, words.number)
    return (*about, words.budget, words.trigger)


def _line(words: Words) -> Iterator[str]:
    """What is wrong with the form of one line."""
    may_be_empty = {"words"} if words.finish != "stop" else set[str]()
    for name in ("case", "strategy", "point", "words", "trigger"):
        text = getattr(words, name)
        if not isinstance(text, str) or not (text.strip() or name in may_be_empty):
            yield f"{name} is no text"
    yield from _role(words)
    if not _DIGEST.fullmatch(str(words.digest)):
        yield "its digest is not one of 64 hexadecimal digits"
    for name in ("trial", "number", "budget"):
        value = getattr(words, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            yield f"{name} is {value!r}"
    if words.finish not in _FINISHES:
        yield f"finish is {words.finish!r}"
    if not set(words.flaws) <= _FLAWS:
        yield f"flaws are {words.flaws!r}"
    if len(words.covers) > 2 or not all(isinstance(id, str) for id in words.covers):
        yield "covers is not the first and the last message"
    if isinstance(words.words, str) and scrubbed(words.words) != words.words:
        yield "it holds something that looks like a key or a password"


def _role(words: Words) -> Iterator[str]:
    """What a text of this role lacks."""
    if words.role not in _ROLES or bool(words.probe) == (words.role == "summary"):
        yield f"role {words.role!r} and probe {words.probe!r} do not go together"
    elif words.role == "verdict":
        try:
            RecordedVerdict.read(words.words)
        except ValueError as error:
            yield f"it is no verdict: {error}"


def _manifest(manifest: Manifest, words: Sequence[Words]) -> Iterator[str]:
    """Where the manifest says other things than the lines."""
    if manifest.replies != len(words):
        yield f"the manifest counts {manifest.replies:,} texts, and there are {len(words):,}"
    for name in ("model", "dates", "sampling", "licence"):
        if not getattr(manifest, name):
            yield f"the manifest does not say {name}"
    for said, held in (
        (set(manifest.cases), {each.case for each in words}),
        (set(manifest.strategies), {each.strategy for each in words}),
    ):
        yield from (f"{name} is in the manifest and has no line" for name in sorted(said - held))
        yield from (f"{name} has lines and is not in the manifest" for name in sorted(held - said))


def _order(words: Sequence[Words]) -> Iterator[str]:
    """Lines out of order, or with one key, and numbers missing before a higher one."""
    keys = [each.key for each in words]
    if keys != sorted(keys):
        yield "its lines are not in the order of their keys"
    numbers: dict[tuple[Any, ...], list[int]] = {}
    for each in words:
        *about, number, budget, trigger = _place(each)
        numbers.setdefault((*about, each.role, budget, trigger), []).append(number)
    for (strategy, case, point, trial, *_), found in numbers.items():
        if sorted(found) != list(range(1, len(found) + 1)):
            where = f"{strategy} on {case} at {point}, trial {trial}"
            yield f"{where} has the numbers {sorted(found)} in place of 1 to {len(found)}"


def _cases(folder: Path, manifest: Manifest, words: Sequence[Words]) -> Iterator[str]:
    found = find_named([folder], folder, CaseIndex(None), None).case_set
    entries = {entry.id: entry for entry in found.entries}
    listing = "its words were recorded: list what is stale with pytest-compaction words"
    noted = [(listing, manifest.cases)]
    for name, cases in manifest.silent.items():
        noted.append((f"{name} asked no model in it; {record_command(name)}", cases))
    for what, digests in noted:
        for id, digest in digests.items():
            if id not in entries:
                yield f"there is no case {id} in {folder}"
            elif entries[id].digest != digest:
                yield f"the case {id} has changed since {what}"
    for id in sorted({each.case for each in words} & entries.keys()):
        messages = {message.id for message in found.case(id).messages}
        points = {point.id for point in entries[id].points} | messages
        for point in sorted({each.point for each in words if each.case == id} - points):
            yield f"the case {id} has no point {point}"
        probes = {"", *(probe.id for probe in entries[id].probes)}
        for probe in sorted({each.probe for each in words if each.case == id} - probes):
            yield f"the case {id} has no probe {probe}"
        found.forget(id)
