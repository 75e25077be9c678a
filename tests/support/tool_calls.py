"""Conversations made of tool calls, and the file operations found in them."""

from __future__ import annotations

import json
from typing import Any

from pytest_compaction.artifacts import file_operations
from pytest_compaction.conversation import Message, ToolCall, ToolResult


def call(
    name: str,
    arguments: Any,
    output: str = "ok",
    *,
    is_error: bool = False,
    number: int = 0,
) -> list[Message]:
    """An assistant message with one call, and its result."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    id = f"call-{number}"
    return [
        Message(f"m{2 * number}", "assistant", (ToolCall(id, name, text),)),
        Message(f"m{2 * number + 1}", "tool", (ToolResult(id, output, is_error),)),
    ]


def conversation(*calls: tuple[str, Any] | tuple[str, Any, str]) -> list[Message]:
    messages: list[Message] = []
    for number, entry in enumerate(calls):
        messages += call(*entry, number=number)
    return messages


def done(*calls: tuple[str, Any] | tuple[str, Any, str]) -> list[tuple[str, str]]:
    return [(op.operation, op.path) for op in file_operations(conversation(*calls))]


def shell(command: str) -> list[tuple[str, str]]:
    return done(("bash", {"command": command}))
