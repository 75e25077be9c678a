"""Evaluation logs of Inspect (inspect_ai): ``.eval`` archives and JSON. A sample is a conversation.

The input of the first model call after a compaction is the recorded compaction. Archives may be
compressed with Zstandard, which Python reads since 3.14 and ``zipfile-zstd`` before. A few bytes
can unpack to gigabytes, so what a member says of itself is looked at first.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation import Message
from pytest_compaction.conversation.formats.gemini import listed
from pytest_compaction.conversation.formats.parts import mapping, string
from pytest_compaction.importers.exchanges import numbered
from pytest_compaction.importers.json_files import (
    PlacedValue,
    head_values,
    is_list,
    parsed,
    read_document,
)
from pytest_compaction.importers.protocol import (
    SUMMARY_IN_RECORD,
    Boundary,
    ImportFormatError,
    Tally,
    Transcript,
)
from pytest_compaction.importers.registry import Format
from pytest_compaction.importers.shapes import Shape, TurnReader
from pytest_compaction.importers.threads import in_terms_of
from pytest_compaction.text import printable

MAX_HELD_BYTES: Final = 256 * 1024 * 1024
"""The most of a sample that is held at once."""
_ATTACHED: Final = re.compile(r"attachment://([0-9a-f]{32})\b")


_SHAPE: Final = Shape(
    role=("role",), content=("content",), read=("error", "metadata", "working_start", "internal")
)


class _SampleReader(TurnReader):
    def record(self, record: Mapping[str, Any]) -> None:
        """Read a message; a call names its function, and a result may have an error instead."""
        error = mapping(record.get("error"))
        if error:
            content = record.get("content") or str(error.get("message", ""))
            record = {**record, "isError": True, "content": content, "error": None}
        calls = map(mapping, listed(record.get("tool_calls")))
        named = [{**call, "name": call.get("function")} for call in calls]
        super().record({**record, "tool_calls": named})


def _read(items: Sequence[Any], tally: Tally) -> tuple[Message, ...]:
    reading = _SampleReader(_SHAPE, tally)
    for item in items:
        reading.add(item)
    return reading.messages()


def _list(value: Any) -> Sequence[Any]:
    return value if is_list(value) else []


class _Sample:
    """A sample with its attachments: texts that it stores apart from where they are used."""

    def __init__(self, found: PlacedValue) -> None:
        self.place, self.data = found.place, mapping(found.value)
        self._texts = mapping(self.data.get("attachments"))
        self._left = MAX_HELD_BYTES
        items = [self._resolved(item) for item in _list(self.data.get("messages"))]
        self.log = [
            m for m in items if mapping(mapping(m).get("metadata")).get("summary") is not True
        ]
        self.tally = Tally(records=len(items))
        self.tally.left_out[SUMMARY_IN_RECORD] += len(items) - len(self.log)

    def transcript(self, path: Path, model: str, name: str) -> Transcript:
        for key in ("error", "limit"):
            if given := mapping(self.data.get(key)):
                said = printable(str(given.get("message") or given.get("type")), 100)
                self.tally.left_out[f"sample ended by {key}: {said}"] += 1
        messages = _read(self.log, self.tally)
        empty = f"{self.place}: a sample without a message; remove it"
        return self.tally.transcript(messages, path, empty, model, self._boundaries(messages), name)

    def _resolved(self, value: Any) -> Any:
        """The value with the text of every reference."""
        if isinstance(value, str) and "attachment://" in value:
            return _ATTACHED.sub(self._text, value)
        if is_list(value):
            return [self._resolved(item) for item in value]
        if isinstance(value, Mapping):
            return {key: self._resolved(item) for key, item in value.items()}
        return value

    def _text(self, match: re.Match[str]) -> str:
        text = str(self._texts.get(match[1], match[0]))
        self._left -= len(text)
        if self._left < 0:
            raise ImportFormatError(
                f"{self.place}: its attachments take more than {MAX_HELD_BYTES // 1024**2} "
                "million characters where they are used; remove the sample"
            )
        return text

    def _boundaries(self, messages: Sequence[Message]) -> Iterator[Boundary]:
        """One boundary per compaction, with the input of the next model call as its view."""
        places = {str(mapping(item).get("id")): number for number, item in enumerate(self.log)}
        pool = list(_list(mapping(self.data.get("events_data")).get("messages")))
        waiting: Mapping[str, Any] | None = None
        number = unused = 0
        for event in map(mapping, _list(self.data.get("events"))):
            if event.get("event") == "compaction":
                unused += waiting is not None
                waiting = event
            elif event.get("event") == "model" and waiting is not None:
                choices = _list(mapping(event.get("output")).get("choices"))
                answer = mapping(mapping(choices[0]).get("message")) if choices else {}
                after = places.get(str(answer.get("id")), 0)
                if not after:
                    continue
                number += 1
                given = list(_list(event.get("input")))
                for span in _list(event.get("input_refs")):  # newer logs share a pool
                    if isinstance(span, list) and [*map(type, span)] == [int, int]:
                        given += pool[max(span[0], 0) : max(span[1], 0)]
                view = _read([self._resolved(item) for item in given], Tally())
                before = messages[: len(_read(self.log[:after], Tally()))]
                tokens = waiting.get("tokens_before")
                waiting = None
                yield Boundary(
                    (before or messages)[-1].id,
                    tokens_before=tokens if isinstance(tokens, int) else None,
                    messages=in_terms_of(before, view, f"recorded-{number}"),
                    missing="" if view else "the log does not hold what the model was sent",
                )
        unused += waiting is not None
        self.tally.left_out["compaction after which the model was not called"] += unused


# --- archives ----------------------------------------------------------------------------
MAX_VALUES: Final = 3_000_000
"""Values in the JSON of a sample: each takes up to a hundred bytes, however short it is."""
MAX_RATIO: Final = 200
"""A sample that unpacks to more than so many times its size was not written by Inspect: its
texts come to a tenth or a fiftieth."""
_SMALL: Final = 4 * 1024 * 1024
"""Bytes that may be unpacked whatever they were packed to."""
_PIECE: Final = 4096
"""Bytes read at once; what one piece unpacks to is not bounded for every compression."""
_ZSTANDARD: Final = 93
_COMPRESSIONS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, _ZSTANDARD})
_BROKEN: Final = (
    zipfile.BadZipFile, zlib.error, struct.error, OSError, RuntimeError, EOFError, ValueError
)  # fmt: skip
"""What reading a damaged archive raises, an encrypted one included."""
_STRUCTURE: Final = re.compile(rb"[\[{,]")
_TEXT: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.S)


def _opened(path: Path) -> zipfile.ZipFile:
    # Importing it teaches zipfile to read Zstandard; most archives do without.
    with contextlib.suppress(ImportError):
        importlib.import_module("zipfile_zstd")
    try:
        return zipfile.ZipFile(path)
    except (*_BROKEN, NotImplementedError) as error:
        raise ImportFormatError(f"{path}: a broken archive ({error}); copy it again") from None


def _member(archive: zipfile.ZipFile, name: str, path: Path) -> Any:
    place = f"{path}, {printable(name)}"
    info = archive.getinfo(name)
    if fault := _fault_of_member(info):
        raise ImportFormatError(f"{place}: {fault}")
    raw = bytearray()
    try:
        with archive.open(info) as file:
            while len(raw) <= info.file_size and (piece := file.read(_PIECE)):
                raw += piece
    except NotImplementedError:
        raise ImportFormatError(
            f"{path}: compressed with Zstandard, which needs the package zipfile-zstd here; "
            "install it (it comes with inspect-ai), or write the log as JSON with "
            "'inspect log convert --to json'"
        ) from None
    except _BROKEN as error:
        raise ImportFormatError(
            f"{place}: cannot be unpacked ({type(error).__name__}: {printable(str(error))}); "
            "copy it again"
        ) from None
    if len(raw) > info.file_size:
        raise ImportFormatError(
            f"{place}: unpacks to more than the {info.file_size:,} bytes that it declares; copy "
            "it again"
        )
    if sum(map(raw.count, (b"[", b"{", b","))) > MAX_VALUES:
        values = sum(1 for _ in _STRUCTURE.finditer(_TEXT.sub(b"", raw)))
        if values > MAX_VALUES:
            raise ImportFormatError(
                f"{place}: {values:,} values in {len(raw) / 1024**2:.0f} MB of JSON; a sample may "
                f"have at most {MAX_VALUES:,}; remove it from the archive"
            )
    return parsed(bytes(raw), place, "write the log again")


def _fault_of_member(info: zipfile.ZipInfo) -> str:
    """Why a member is not unpacked: by what it says of itself."""
    size, packed = info.file_size, info.compress_size
    if size > MAX_HELD_BYTES:
        return (
            f"{size / 1024**2:.0f} MB; a sample may have at most {MAX_HELD_BYTES // 1024**2} MB; "
            "remove it from the archive"
        )
    if size > max(_SMALL, packed * MAX_RATIO):
        return (
            f"{packed:,} bytes that would unpack to {size / 1024**2:.0f} MB; no log is packed to "
            f"less than a {MAX_RATIO}th of its size; remove it from the archive"
        )
    if info.compress_type not in _COMPRESSIONS:
        return (
            f"compressed in a way that Inspect does not use (method {info.compress_type}); write "
            "the log again with Inspect"
        )
    return ""


_ARCHIVE: Final = "PK\x03\x04"
_MEMBERS: Final = ("_journal/", "samples/", "header.json", "summaries.json")
_HEADERS: Final = ("header.json", "_journal/start.json")


def _recognises(head: str) -> bool:
    if head.startswith(_ARCHIVE):
        return any(name in head[:300] for name in _MEMBERS)
    return any(
        {"task", "model"} <= mapping(data.get("eval")).keys() and "version" in data
        for data in map(mapping, head_values(head))
    )


def _transcripts(path: Path) -> Iterator[Transcript]:
    found = False
    for number, (model, sample), _ in numbered(_samples(path)):
        found = True
        given = mapping(sample.value)
        name = f"{given.get('id', 'sample')}-epoch{given.get('epoch', 1)}" if number else ""
        yield _Sample(sample).transcript(path, model, name)
    if not found:
        raise ImportFormatError(f"{path}: an Inspect log without a sample; nothing to import")


def _samples(path: Path) -> Iterator[tuple[str, PlacedValue]]:
    if not zipfile.is_zipfile(path):
        data = mapping(read_document(path))
        for number, sample in enumerate(_list(data.get("samples"))):
            yield _model(data), PlacedValue(f"{path}, sample {number}", sample)
        return
    with _opened(path) as archive:
        names = sorted(archive.namelist())
        header = next((name for name in _HEADERS if name in names), "")
        model = _model(mapping(_member(archive, header, path))) if header else ""
        for name in names:
            if name.startswith("samples/") and name.endswith(".json"):
                place = f"{path}, {printable(name)}"
                yield model, PlacedValue(place, _member(archive, name, path))


def _model(header: Mapping[str, Any]) -> str:
    return string(mapping(header.get("eval")).get("model"))


IMPORTER: Final = Format(
    "inspect",
    "Inspect (inspect_ai), evaluation log: .eval archive or JSON",
    _recognises,
    _transcripts,
)
