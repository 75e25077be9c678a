"""What Claude Code records about a compaction, and the view that it continued with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_compaction.conversation.messages import Message, text_message
from pytest_compaction.importers.formats.claude_code.thread import Thread
from pytest_compaction.importers.reading.fields import mapping, string


@dataclass(slots=True)
class CompactionRecord:
    """A compaction after ``entries`` entries of the conversation.

    While it is ``open``, until the next message, attached files belong to it. ``marked``
    tells whether it has a boundary line of its own.
    """

    entries: int
    metadata: Mapping[str, Any]
    summary: str = ""
    attached: list[str] = field(default_factory=list)
    open: bool = True
    marked: bool = True


def metadata_of(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a boundary line says about its compaction."""
    return mapping(record.get("compactMetadata"))


def preserved(metadata: Mapping[str, Any], thread: Thread) -> set[str]:
    """The uuids of the lines that stayed verbatim: some versions list them, some name a segment."""
    listed = metadata.get("preservedMessages")
    if isinstance(listed, dict):
        uuids = listed.get("allUuids") or listed.get("uuids")
        if isinstance(uuids, list):
            return {uuid for uuid in uuids if isinstance(uuid, str)}
    segment = metadata.get("preservedSegment")
    if isinstance(segment, dict):
        return set(thread.between(str(segment.get("headUuid")), str(segment.get("tailUuid"))))
    return set()


def attached_text(attachment: Mapping[str, Any]) -> str:
    """The name and text of an attached file; empty for any other attachment."""
    file = mapping(mapping(attachment.get("content")).get("file"))
    text = string(file.get("content"))
    if attachment.get("type") != "file" or not text:
        return ""
    return f"{attachment.get('filename', '')}\n{text}"


def view_of(number: int, compaction: CompactionRecord, kept: list[Message]) -> tuple[Message, ...]:
    """The view that the agent continued with: summary, kept messages, attached files."""
    texts = [compaction.summary, *compaction.attached]
    made = [
        text_message(f"recorded-{number + 1}-{place}", "user", text, "synthetic")
        for place, text in enumerate(texts)
    ]
    return (made[0], *kept, *made[1:])
