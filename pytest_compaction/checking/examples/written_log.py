"""A log that is written by hand, message by message, with texts of a given length."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from pytest_compaction.conversation.messages import (
    Image,
    Message,
    Part,
    Text,
    ToolCall,
    ToolResult,
    canonical_json,
)

_TALK: Final = (
    "the queue keeps its lease while the broker restarts and the worker waits for a reply"
).split()
_PICTURE: Final = Image(
    canonical_json(
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    )
)


@dataclass
class Log:
    """Writes messages m0, m1, …; sizes are in words."""

    messages: list[Message] = field(default_factory=list)

    def add(self, role: str, *parts: Part) -> None:
        """A message of these parts."""
        self.messages.append(Message(f"m{len(self.messages)}", role, parts))

    def says(self, role: str, count: int, pictured: bool = False) -> None:
        """A message of text, and of a picture if it is ``pictured``."""
        picture = (_PICTURE,) if pictured else ()
        self.add(role, Text(_words(len(self.messages), count)), *picture)

    def calls(self, *ids: str) -> None:
        """The assistant makes calls without a word."""
        made = (ToolCall(id, "bash", canonical_json({"command": f"cat {id}.log"})) for id in ids)
        self.add("assistant", *made)

    def result(self, id: str, count: int, pictured: bool = False) -> None:
        """The result of a call, with a picture if it is ``pictured``."""
        picture = (_PICTURE,) if pictured else ()
        self.add("tool", ToolResult(id, _words(len(self.messages), count)), *picture)

    def work(self, rounds: int, count: int) -> None:
        """Rounds of one call and its result each."""
        for _ in range(rounds):
            id = f"c{len(self.messages)}"
            self.calls(id)
            self.result(id, count)

    def batches(self, *cuts: int) -> tuple[tuple[Message, ...], ...]:
        """The messages, cut before these indices."""
        ends = [*cuts, len(self.messages)]
        return tuple(
            tuple(self.messages[begin:end]) for begin, end in zip([0, *cuts], ends, strict=True)
        )


def _words(number: int, count: int) -> str:
    """``count`` words, which are about as many tokens."""
    return f"Step {number}: " + " ".join(_TALK[(number + i) % len(_TALK)] for i in range(count))
