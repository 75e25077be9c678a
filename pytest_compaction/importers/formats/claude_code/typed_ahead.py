"""What the user typed while the agent worked: a queue, whose operations are lines of the file.

A queued text is sent after the turn (``dequeue``), and then stands in the file as a message;
or the agent reads it within the turn (``remove``), which some versions do not write down.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_compaction.importers.reading.fields import string

QUEUE = "queue-operation"


class TypedAhead:
    """The texts that wait at the line that was read last."""

    def __init__(self) -> None:
        self._waiting: list[str] = []

    def read_within_turn(self, record: Mapping[str, Any]) -> str:
        """Follow an operation; returns the text that the agent read with it, or nothing."""
        operation, content = record.get("operation"), string(record.get("content"))
        if operation == "enqueue":
            self._waiting.append(content)
        elif operation == "popAll":
            self._waiting.clear()
        elif operation in ("dequeue", "remove") and self._waiting:
            place = self._waiting.index(content) if content in self._waiting else 0
            text = self._waiting.pop(place)
            return text if operation == "remove" else ""
        return ""
