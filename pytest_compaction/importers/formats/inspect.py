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
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation import Message
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


def _transcript(found: PlacedValue, path: Path, model: str, name: str) -> Transcript:
    sample = mapping(found.value)
    attachments = _Attachments(mapping(sample.get("attachments")), found.place, MAX_HELD_BYTES)
    items = [attachments.resolved(item) for item in _list(sample.get("messages"))]
    tally = Tally(records=len(items))
    for key in ("error", "limit"):
        given = mapping(sample.get(key))
        if given:
            said = printable(str(given.get("message") or given.get("type")), 100)
            tally.left_out[f"sample ended by {key}: {said}"] += 1
    log = [item for item in items if not _is_summary(item)]
    if len(log) < len(items):
        tally.left_out[SUMMARY_IN_RECORD] += len(items) - len(log)
    messages = _read(log, tally)
    empty = f"{found.place}: a sample without a message; remove it"
    boundaries = _boundaries(sample, log, messages, attachments, tally)
    return tally.transcript(messages, path, empty, model, boundaries, name)


def _list(value: Any) -> Sequence[Any]:
    return value if is_list(value) else []


def _is_summary(item: Any) -> bool:
    return mapping(mapping(item).get("metadata")).get("summary") is True


@dataclass(slots=True)
class _Attachments:
    """Texts that a sample stores apart, put back where they are referenced."""

    texts: Mapping[str, Any]
    place: str
    left: int

    def resolved(self, value: Any) -> Any:
        """The value with the text of every reference."""
        if isinstance(value, str) and "attachment://" in value:
            return _ATTACHED.sub(self._text, value)
        if is_list(value):
            return [self.resolved(item) for item in value]
        if isinstance(value, Mapping):
            return {key: self.resolved(item) for key, item in value.items()}
        return value

    def _text(self, match: re.Match[str]) -> str:
        text = str(self.texts.get(match[1], match[0]))
        self.left -= len(text)
        if self.left < 0:
            raise ImportFormatError(
                f"{self.place}: its attachments take more than {MAX_HELD_BYTES // 1024**2} "
                "million characters where they are used; remove the sample"
            )
        return text


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
        calls = [{**call, "name": call.get("function")} for call in _objects(record, "tool_calls")]
        super().record({**record, "tool_calls": calls})


def _objects(record: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    given = record.get(key)
    return [mapping(one) for one in given] if isinstance(given, list) else []


def _read(items: Sequence[Any], tally: Tally) -> tuple[Message, ...]:
    reading = _SampleReader(_SHAPE, tally)
    for item in items:
        reading.add(item)
    return reading.messages()


def _boundaries(
    sample: Mapping[str, Any],
    log: Sequence[Any],
    messages: Sequence[Message],
    attachments: _Attachments,
    tally: Tally,
) -> Iterator[Boundary]:
    """One boundary per compaction, with the input of the next model call as its view."""
    places = {str(mapping(item).get("id")): number for number, item in enumerate(log)}
    pool = list(_list(mapping(sample.get("events_data")).get("messages")))
    waiting: Mapping[str, Any] | None = None
    number = 0
    for event in map(mapping, _list(sample.get("events"))):
        if event.get("event") == "compaction":
            if waiting is not None:
                tally.left_out["compaction after which the model was not called"] += 1
            waiting = event
        elif event.get("event") == "model" and waiting is not None:
            after = places.get(_answer_id(event), 0)
            if not after:
                continue
            number += 1
            before = _read(log[:after], Tally())
            sent = [attachments.resolved(item) for item in _input(event, pool)]
            view = _read(sent, Tally())
            tokens = waiting.get("tokens_before")
            waiting = None
            yield Boundary(
                messages[len(before) - 1].id,
                tokens_before=tokens if isinstance(tokens, int) else None,
                messages=in_terms_of(messages[: len(before)], view, f"recorded-{number}"),
                missing="" if view else "the log does not hold what the model was sent",
            )
    if waiting is not None:
        tally.left_out["compaction after which the model was not called"] += 1


def _answer_id(event: Mapping[str, Any]) -> str:
    choices = _list(mapping(event.get("output")).get("choices"))
    return str(mapping(mapping(choices[0]).get("message")).get("id")) if choices else ""


def _input(event: Mapping[str, Any], pool: Sequence[Any]) -> list[Any]:
    """The messages of a model call; newer logs refer to ranges of a shared pool."""
    given = list(_list(event.get("input")))
    for span in _list(event.get("input_refs")):
        if isinstance(span, list) and len(span) == 2 and all(isinstance(n, int) for n in span):
            given = [*given, *pool[max(span[0], 0) : max(span[1], 0)]]
    return given


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


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    # Importing it teaches zipfile to read Zstandard; most archives do without.
    with contextlib.suppress(ImportError):
        importlib.import_module("zipfile_zstd")
    try:
        archive = zipfile.ZipFile(path)
    except (*_BROKEN, NotImplementedError) as error:
        raise ImportFormatError(f"{path}: a broken archive ({error}); copy it again") from None
    with archive:
        yield archive


def _member(archive: zipfile.ZipFile, name: str, path: Path) -> Any:
    place = f"{path}, {printable(name)}"
    info = archive.getinfo(name)
    _refuse_large(info, place)
    try:
        with archive.open(info) as file:
            pieces = iter(lambda: file.read(_PIECE), b"")
            raw = _joined(pieces, info.file_size, place)
    except NotImplementedError:
        raise ImportFormatError(
            f"{path}: compressed with Zstandard, which needs the package zipfile-zstd here; "
            "install it (it comes with inspect-ai), or write the log as JSON with "
            "'inspect log convert --to json'"
        ) from None
    except ImportFormatError:
        raise
    except _BROKEN as error:
        raise ImportFormatError(
            f"{place}: cannot be unpacked ({type(error).__name__}: {printable(str(error))}); "
            "copy it again"
        ) from None
    _refuse_many_values(raw, place)
    return parsed(raw, place, "write the log again")


def _refuse_large(info: zipfile.ZipInfo, place: str) -> None:
    """Raise for a member that says itself that it is too large, or of an unknown compression."""
    size, packed = info.file_size, info.compress_size
    if size > MAX_HELD_BYTES:
        raise ImportFormatError(
            f"{place}: {size / 1024**2:.0f} MB; a sample may have at most "
            f"{MAX_HELD_BYTES // 1024**2} MB; remove it from the archive"
        )
    if size > max(_SMALL, packed * MAX_RATIO):
        raise ImportFormatError(
            f"{place}: {packed:,} bytes that would unpack to {size / 1024**2:.0f} MB; no log is "
            f"packed to less than a {MAX_RATIO}th of its size; remove it from the archive"
        )
    if info.compress_type not in _COMPRESSIONS:
        raise ImportFormatError(
            f"{place}: compressed in a way that Inspect does not use (method "
            f"{info.compress_type}); write the log again with Inspect"
        )


def _joined(pieces: Iterator[bytes], size: int, place: str) -> bytes:
    """The pieces of a member in one, as long as they come to no more than it declares."""
    raw = bytearray()
    for piece in pieces:
        raw += piece
        if len(raw) > size:
            raise ImportFormatError(
                f"{place}: unpacks to more than the {size:,} bytes that it declares; copy it again"
            )
    return bytes(raw)


def _refuse_many_values(raw: bytes, place: str) -> None:
    """Raise for JSON of so many values that they would take many times its length."""
    if sum(map(raw.count, (b"[", b"{", b","))) <= MAX_VALUES:
        return
    values = sum(1 for _ in _STRUCTURE.finditer(_TEXT.sub(b"", raw)))
    if values > MAX_VALUES:
        raise ImportFormatError(
            f"{place}: {values:,} values in {len(raw) / 1024**2:.0f} MB of JSON; a sample may "
            f"have at most {MAX_VALUES:,}; remove it from the archive"
        )


_ARCHIVE: Final = "PK\x03\x04"
_MEMBERS: Final = ("_journal/", "samples/", "header.json", "summaries.json")
_SAMPLES: Final = "samples/"
_HEADERS: Final = ("header.json", "_journal/start.json")


def _recognises(head: str) -> bool:
    if head.startswith(_ARCHIVE):
        return any(name in head[:300] for name in _MEMBERS)
    return any(_is_log(mapping(value)) for value in head_values(head))


def _transcripts(path: Path) -> Iterator[Transcript]:
    found = False
    for number, (model, sample), _ in numbered(_samples(path)):
        found = True
        given = mapping(sample.value)
        name = f"{given.get('id', 'sample')}-epoch{given.get('epoch', 1)}" if number else ""
        yield _transcript(sample, path, model, name)
    if not found:
        raise ImportFormatError(f"{path}: an Inspect log without a sample; nothing to import")


def _is_log(data: Mapping[str, Any]) -> bool:
    evaluation = mapping(data.get("eval"))
    return "task" in evaluation and "model" in evaluation and "version" in data


def _samples(path: Path) -> Iterator[tuple[str, PlacedValue]]:
    if not zipfile.is_zipfile(path):
        data = mapping(read_document(path))
        samples = data.get("samples")
        for number, sample in enumerate(samples if is_list(samples) else []):
            yield _model(data), PlacedValue(f"{path}, sample {number}", sample)
        return
    with _opened(path) as archive:
        names = sorted(archive.namelist())
        header = next((name for name in _HEADERS if name in names), "")
        model = _model(mapping(_member(archive, header, path))) if header else ""
        for name in names:
            if name.startswith(_SAMPLES) and name.endswith(".json"):
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
