"""Evaluation logs of Inspect (inspect_ai): ``.eval`` archives and JSON. A sample is a conversation.

Logs are read by their shape and not with inspect_ai, so the result does not depend on what
is installed. The input of the first model call after a compaction is the recorded compaction.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pytest_compaction.importers.formats.inspect.archive import member, opened
from pytest_compaction.importers.formats.inspect.sample import transcript_of
from pytest_compaction.importers.protocol import ImportFormatError, Transcript
from pytest_compaction.importers.reading.documents import PlacedValue, head_values, read_document
from pytest_compaction.importers.reading.fields import mapping, string
from pytest_compaction.importers.reading.numbered import numbered
from pytest_compaction.importers.reading.streamed import is_list
from pytest_compaction.text.words import printable

_ARCHIVE: Final = "PK\x03\x04"
_MEMBERS: Final = ("_journal/", "samples/", "header.json", "summaries.json")
_SAMPLES: Final = "samples/"
_HEADERS: Final = ("header.json", "_journal/start.json")


class InspectImporter:
    """Reads the logs that ``inspect eval`` writes."""

    name = "inspect"
    description = "Inspect (inspect_ai), evaluation log: .eval archive or JSON"

    def recognises(self, head: str) -> bool:
        """Look for the first member of an archive, or the description of the evaluation."""
        if head.startswith(_ARCHIVE):
            return any(name in head[:300] for name in _MEMBERS)
        return any(_is_log(mapping(value)) for value in head_values(head))

    def read(self, path: Path) -> Iterator[Transcript]:
        """The samples of the log, one by one."""
        found = False
        for number, (model, sample), _ in numbered(_samples(path)):
            found = True
            yield transcript_of(sample, path, model, _name(sample.value) if number else "")
        if not found:
            raise ImportFormatError(f"{path}: an Inspect log without a sample; nothing to import")


IMPORTER: Final = InspectImporter


def _is_log(data: Mapping[str, Any]) -> bool:
    evaluation = mapping(data.get("eval"))
    return "task" in evaluation and "model" in evaluation and "version" in data


def _name(sample: Any) -> str:
    given = mapping(sample)
    return f"{given.get('id', 'sample')}-epoch{given.get('epoch', 1)}"


def _samples(path: Path) -> Iterator[tuple[str, PlacedValue]]:
    """Each sample with the model of the evaluation."""
    if not zipfile.is_zipfile(path):
        data = mapping(read_document(path))
        samples = data.get("samples")
        for number, sample in enumerate(samples if is_list(samples) else []):
            yield _model(data), PlacedValue(f"{path}, sample {number}", sample)
        return
    with opened(path) as archive:
        names = sorted(archive.namelist())
        header = next((name for name in _HEADERS if name in names), "")
        model = _model(mapping(member(archive, header, path))) if header else ""
        for name in names:
            if name.startswith(_SAMPLES) and name.endswith(".json"):
                place = f"{path}, {printable(name)}"
                yield model, PlacedValue(place, member(archive, name, path))


def _model(header: Mapping[str, Any]) -> str:
    return string(mapping(header.get("eval")).get("model"))
