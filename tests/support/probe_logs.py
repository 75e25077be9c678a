"""Logs to derive probes from, and the parts of the probes that tests look at."""

from __future__ import annotations

import json
from typing import Any

from pytest_compaction.case_making import DerivedProbes, derive_probes
from pytest_compaction.conversation import Message, Text, ToolCall, ToolResult


class Log:
    """A log under construction."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.points: list[int] = []

    def say(self, role: str, text: str) -> Log:
        self.messages.append(Message(f"m{len(self.messages)}", role, (Text(text),)))
        return self

    def call(self, name: str, output: str = "ok", is_error: bool = False, **arguments: Any) -> Log:
        id = f"c{len(self.messages)}"
        parts = (ToolCall(id, name, json.dumps(arguments)),)
        self.messages.append(Message(f"m{len(self.messages)}", "assistant", parts))
        answer = (ToolResult(id, output, is_error),)
        self.messages.append(Message(f"m{len(self.messages)}", "tool", answer))
        return self

    def chatter(self, turns: int = 30) -> Log:
        """Add turns that state nothing, so that earlier messages are no longer the tail."""
        for _ in range(turns):
            self.say("assistant", "Understood.").say("user", "go on")
        return self

    def point(self, turns: int = 30) -> Log:
        """A compaction point, after turns by which the messages before it have left the tail."""
        self.chatter(turns)
        self.points.append(len(self.messages) - 1)
        return self

    def derived(self, recorded: bool = False) -> DerivedProbes:
        """What the rules give at the points; at the end of the log if there are none."""
        points = self.points or [len(self.messages) - 1]
        return derive_probes(self.messages, points, recorded=points if recorded else ())

    def probes(self) -> list[dict[str, Any]]:
        """All probes that the rules give."""
        return self.derived().probes


def named(probes: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [probe for probe in probes if probe["id"].endswith(f"-{name}")]


def facts(probe: dict[str, Any]) -> list[str]:
    return [fact["text"] for fact in probe["facts"]]


def plan(*states: str) -> dict[str, Any]:
    steps = ["Write src/upload.py", "Move the loop of retry.ts", "Document RETRY_LIMITS"]
    return {"todos": [{"content": s, "status": t} for s, t in zip(steps, states, strict=True)]}


def filler(log: Log, number: int) -> Log:
    row = " ".join(f"The scheduler keeps item {number * 9 + n} in its table." for n in range(9))
    return log.say("assistant", row)
