"""Sessions of Gemini CLI: its recorded chats (JSON lines, older ones JSON) and checkpoints.

A recorded chat repeats a message whenever it changes; the last version of each id counts.
When the history is compressed or masked, the chat rewrites it; this is a recorded
compaction, and the log keeps the messages as they were before.
A checkpoint is the history as it was sent, in the shape of the Gemini API.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

from pytest_compaction.importers.formats.gemini_cli.chat import ChatLog
from pytest_compaction.importers.formats.gemini_cli.parts import ContentReader
from pytest_compaction.importers.protocol import ImportFormatError, Tally, Transcript
from pytest_compaction.importers.reading.documents import head_values, json_values
from pytest_compaction.importers.reading.fields import mapping
from pytest_compaction.importers.reading.streamed import is_list

_HISTORIES: Final = ("clientHistory", "history", "contents")


class GeminiCliImporter:
    """Reads the files under ``~/.gemini/tmp/<project>``: ``chats`` and checkpoints."""

    name = "gemini-cli"
    description = "Gemini CLI: recorded chats, checkpoints, Gemini API contents (JSON, JSONL)"

    def recognises(self, head: str) -> bool:
        """Look for a session header or a message of Gemini CLI, or contents with lists of parts."""
        values = head_values(head)
        return any(_is_chat(value) or _contents(value) for value in values)

    def read(self, path: Path) -> Transcript:
        """The conversation of a chat or checkpoint."""
        log = ChatLog(str(path))
        contents: list[Sequence[Any]] = []
        tally = Tally()
        for _, value in json_values(path):
            found = _contents(value)
            if found:
                contents.append(found)
                if "toolCall" in mapping(value):
                    tally.left_out["call that was waiting for approval"] += 1
            else:
                log.add(value)
        if contents:
            return _checkpoint(chain.from_iterable(contents), path, tally)
        if not log.recognised:
            raise ImportFormatError(
                f"{path}: no message of Gemini CLI; expected messages of type user or "
                "gemini, or contents with parts. Name another format with --format"
            )
        return log.transcript(path.as_posix())


IMPORTER: Final = GeminiCliImporter


def _is_chat(value: Any) -> bool:
    data = mapping(value)
    if isinstance(data.get("sessionId"), str) and "projectHash" in data:
        return True
    return data.get("type") == "gemini" and "content" in data and "id" in data


def _contents(value: Any) -> Sequence[Any]:
    """The contents with parts in a value, which may be their list or hold it; else empty."""
    lists = [value, *(mapping(value).get(key) for key in _HISTORIES)]
    for found in lists:
        if is_list(found) and any(_is_content(item) for item in found[:5]):
            return found
    return [value] if _is_content(value) else []


def _is_content(value: Any) -> bool:
    given = mapping(value)
    return given.get("role") in ("user", "model", "function") and isinstance(
        given.get("parts"), list
    )


def _checkpoint(contents: Iterable[Any], path: Path, tally: Tally) -> Transcript:
    reading = ContentReader(tally)
    for number, content in enumerate(contents):
        tally.records += 1
        if not isinstance(content, Mapping):
            raise ImportFormatError(
                f"{path}, content {number}: {type(content).__name__}; expected a role and parts"
            )
        reading.content(content, number)
    messages = reading.finished()
    if not messages:
        raise ImportFormatError(f"{path}: no message in the contents of this checkpoint")
    return Transcript(messages, path.as_posix(), tally.counted(len(messages)))
