"""The view that an agent had after its own compaction, as a case file describes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_compaction.conversation.formats.chat import message_from_chat
from pytest_compaction.conversation.messages import Message, leading_system, text_message


def recorded_view(
    record: Mapping[str, Any], point: str, log: tuple[Message, ...], position: Mapping[str, int]
) -> tuple[Message, ...]:
    """The view that a record describes; ``position`` holds the index of each id of the log.

    System messages at the start of the log stand before a summary. Raises
    :class:`~pytest_compaction.conversation.formats.parts.MessageShapeError`.
    """
    if "messages" in record:
        return tuple(
            log[position[item["log"]]]
            if "log" in item
            else message_from_chat(
                item, f"recorded-{point}-{number}", f"recorded message {number}", "synthetic"
            )
            for number, item in enumerate(record["messages"])
        )
    kept = {position[id] for id in record.get("kept", ())}
    head = log[: leading_system(log)]
    summary = text_message(f"recorded-{point}", "user", record["summary"], "synthetic")
    return (*head, summary, *(log[index] for index in sorted(kept) if index >= len(head)))
