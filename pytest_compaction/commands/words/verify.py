"""Reads an archive of recorded words line by line and says what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pytest_compaction.case import CaseIndex
from pytest_compaction.models import Archive, ArchiveError, Manifest, RecordedVerdict, Words
from pytest_compaction.secrets import scrubbed
from pytest_compaction.session.named_files import find_named


def faults_in(archive: Archive) -> Iterator[str]:
    """What is wrong with an archive, as sentences; none if it is whole.

    Its hash, which reading it checks, tells whether the lines are as they were written.
    """
    try:
        manifest, words = archive.manifest, archive.words
    except ArchiveError as error:
        yield str(error)
        return
    for number, each in enumerate(words, 1):
        where = f"line {number} ({each.strategy} on {each.case} at {each.point})"
        if scrubbed(each.words) != each.words:
            yield f"{where}: it holds something that looks like a key or a password"
        if each.role == "verdict":
            try:
                RecordedVerdict.read(each.words)
            except ValueError as error:
                yield f"{where}: it is no verdict: {error}"
    yield from _manifest(manifest, words)
    yield from _cases(archive.path.parent, manifest.cases, words)


def _manifest(manifest: Manifest, words: Sequence[Words]) -> Iterator[str]:
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


def _cases(folder: Path, digests: Mapping[str, str], words: Sequence[Words]) -> Iterator[str]:
    found = find_named([folder], folder, CaseIndex(None), None).case_set
    entries = {entry.id: entry for entry in found.entries}
    for id, digest in digests.items():
        if id not in entries:
            yield f"there is no case {id} in {folder}"
        elif entries[id].digest != digest:
            yield (
                f"the case {id} has changed since its words were recorded: list what is stale "
                "with pytest-compaction words"
            )
    for id in sorted({each.case for each in words} & entries.keys()):
        messages = {message.id for message in found.case(id).messages}
        points = {point.id for point in entries[id].points} | messages
        for point in sorted({each.point for each in words if each.case == id} - points):
            yield f"the case {id} has no point {point}"
        probes = {"", *(probe.id for probe in entries[id].probes)}
        for probe in sorted({each.probe for each in words if each.case == id} - probes):
            yield f"the case {id} has no probe {probe}"
        found.forget(id)
