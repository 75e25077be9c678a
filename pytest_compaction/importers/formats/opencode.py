"""Sessions of OpenCode, as ``opencode export`` writes them, with their compactions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_compaction.conversation.formats.gemini import listed
from pytest_compaction.conversation.formats.parts import mapping, string
from pytest_compaction.importers.protocol import SUMMARY_IN_RECORD, amount
from pytest_compaction.importers.shapes import Shape, TurnReader, shaped, under

_SHAPE: Final = Shape(
    inner=("info",),
    content=("parts",),
    leave={
        "compaction": "mark of a compaction",
        "agent": "choice of an agent",
        "subtask": "call of a sub-agent by the user",
        "retry": "notice of a failed request, which the model never saw",
    },
)


class _SessionReader(TurnReader):
    _tail = _trigger = ""

    def __init__(self, shape: Shape, tally: Any) -> None:
        super().__init__(shape, tally)
        self._starts: dict[str, int] = {}

    def record(self, record: Mapping[str, Any]) -> None:
        parts = [mapping(part) for part in listed(record.get("parts"))]
        self._starts.setdefault(string(record.get("id")), len(self.turns))
        marks = [part for part in parts if part.get("type") == "compaction"]
        self._tail = string(marks[-1].get("tail_start_id")) if marks else self._tail
        if marks:
            asked = marks[-1].get("auto") is False
            self._trigger = "manual" if asked else "auto" * (marks[-1].get("auto") is True)
        if record.get("summary") is True and record.get("role") == "assistant":
            texts = [string(part.get("text")) for part in parts if part.get("type") == "text"]
            times = mapping(record.get("time"))
            self.compacted(
                "\n".join(texts),
                kept=self._starts.get(self._tail),
                trigger=self._trigger,
                seconds=_seconds(times.get("created"), times.get("completed")),
                usd=amount(record.get("cost")) or None,  # a subscription costs 0
            )
            self.tally.left_out[SUMMARY_IN_RECORD] += 1
            return
        written = [part for part in parts if part.get("synthetic") is True]
        if record.get("role") == "user" and written:
            self.say("system", written)
            parts = [part for part in parts if part.get("synthetic") is not True]
        super().record({**record, "parts": parts})


def _seconds(began: Any, ended: Any) -> float | None:
    """The seconds between two times in milliseconds."""
    times = amount(began, 10**15), amount(ended, 10**15)
    return amount((times[1] - times[0]) / 1000) if times[0] and times[1] else None


def _recognised(value: Any) -> bool:
    data = mapping(value)
    messages = data.get("messages")
    first = mapping(messages[0]) if isinstance(messages, list) and messages else data
    return "role" in mapping(first.get("info")) and isinstance(first.get("parts"), list)


IMPORTER: Final = shaped(
    "opencode",
    "OpenCode, exported session (JSON)",
    _SHAPE,
    _recognised,
    under("messages"),
    reader=_SessionReader,
    is_message=lambda value: "info" in mapping(value),
)
