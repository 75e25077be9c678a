"""Which records of a Claude Code session are left out of its conversation, and why."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from pytest_compaction.importers.formats.claude_code.thread import (
    BOUNDARY,
    SPOKEN,
    Thread,
    in_sidechain,
)
from pytest_compaction.importers.reading.fields import unknown
from pytest_compaction.text.words import printable

_LEFT_OUT: Final = {
    "summary": "session title",
    "progress": "progress of a tool or sub-agent",
    "file-history-snapshot": "file snapshot for undo",
    "pr-link": "link to a pull request",
    "queue-operation": "queue of typed messages, which appear when they are sent",
    "result": "run statistics",
}


def why_left_out(
    record: Mapping[str, Any], uuid: str | None, thread: Thread, seen: Collection[str]
) -> str | None:
    """The reason why a record is no message, or ``None``; ``seen`` holds the uuids before it."""
    kind = record.get("type")
    if kind == "system":
        subtype = record.get("subtype")
        if subtype != BOUNDARY:
            return f"notice of the program: {printable(str(subtype), 40).replace('_', ' ')}"
        before = record.get("logicalParentUuid")
        known = isinstance(before, str) and before in thread.parents
        lost = known and not thread.holds(before)
        return "compaction on a branch that the user left" if lost else None
    if kind not in (*SPOKEN, "attachment"):
        return _LEFT_OUT.get(str(kind), unknown("record type", kind))
    if in_sidechain(record) != thread.sidechain:
        return "sub-agent message; its result is in the call that started it"
    if uuid is not None and uuid in seen:
        return "repeated line with the same uuid"
    if record.get("isApiErrorMessage") is True:
        return "notice of a failed request, which the model never saw"
    if record.get("isCompactSummary") is True:
        return None
    if record.get("isVisibleInTranscriptOnly") is True:
        return "notice shown only to the user"
    if not thread.holds(uuid):
        return f"{kind} on a branch that the user left"
    return None
