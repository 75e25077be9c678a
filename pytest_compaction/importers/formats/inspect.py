"""Evaluation logs of Inspect (inspect_ai) in JSON. A sample is a conversation.

The input of the first model call after a compaction is the recorded compaction.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation import Message
from pytest_compaction.conversation.formats.gemini import listed
from pytest_compaction.conversation.formats.parts import mapping, string
from pytest_compaction.importers.json_files import (
    PlacedValue,
    head_values,
    is_list,
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


_ARCHIVE: Final = "PK\x03\x04"
_MEMBERS: Final = ("_journal/", "samples/", "header.json", "summaries.json")


def _recognises(head: str) -> bool:
    if head.startswith(_ARCHIVE):
        return any(name in head[:300] for name in _MEMBERS)
    return any(
        {"task", "model"} <= mapping(data.get("eval")).keys() and "version" in data
        for data in map(mapping, head_values(head))
    )


def _transcripts(path: Path) -> Iterator[Transcript]:
    if zipfile.is_zipfile(path):
        raise ImportFormatError(
            f"{path}: an archive of Inspect; write it as JSON with 'inspect log convert --to json' "
            "and import that"
        )
    data = mapping(read_document(path))
    samples = _list(data.get("samples"))
    model = string(mapping(data.get("eval")).get("model"))
    for number, value in enumerate(samples):
        given = mapping(value)
        name = f"{given.get('id', 'sample')}-epoch{given.get('epoch', 1)}"
        sample = _Sample(PlacedValue(f"{path}, sample {number}", value))
        yield sample.transcript(path, model, name if len(samples) > 1 else "")
    if not samples:
        raise ImportFormatError(f"{path}: an Inspect log without a sample; nothing to import")


IMPORTER: Final = Format(
    "inspect",
    "Inspect (inspect_ai), evaluation log (JSON)",
    _recognises,
    _transcripts,
)
