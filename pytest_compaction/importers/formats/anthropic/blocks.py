"""Content blocks of Anthropic's messages: text, thinking, tool use and tool results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_compaction.conversation.messages import (
    Opaque,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    canonical_json,
)
from pytest_compaction.importers.protocol import ImportFormatError, Tally
from pytest_compaction.importers.reading.contents import text_and_rest
from pytest_compaction.importers.reading.fields import (
    mapping,
    required_id,
    string,
    tool_call,
    unknown,
)
from pytest_compaction.importers.reading.images import anthropic_image, document
from pytest_compaction.importers.reading.streamed import is_list

_SERVER_SIDE: Final = (
    "server_tool_use",
    "mcp_tool_use",
    "mcp_tool_result",
    "container_upload",
    "search_result",
    "tool_reference",
    "fallback",
)
_SERVER_RESULT: Final = "_tool_result"
"""The ending of each provider-run result, such as ``web_search_tool_result``."""


@dataclass(slots=True)
class Blocks:
    """The content of one message: its own parts, its tool results, and summaries of compactions.

    Each result comes with the parts beside its text, such as images.
    """

    parts: list[Part] = field(default_factory=list)
    results: list[tuple[ToolResult, list[Part]]] = field(default_factory=list)
    compactions: list[str] = field(default_factory=list)


def read_blocks(content: Any, place: str, tally: Tally) -> Blocks:
    """Read the content of a message: a text, or a list of blocks.

    Thinking stays as it is. Tools that the provider ran itself become opaque parts.
    Raises :class:`ImportFormatError`, which names ``place``, for content of another type.
    """
    blocks = Blocks()
    if content is None:
        return blocks
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not is_list(content):
        raise ImportFormatError(
            f"{place}: content is {type(content).__name__}; expected text or a list of blocks"
        )
    for block in content:
        if isinstance(block, str):
            block = {"type": "text", "text": block}
        if isinstance(block, Mapping):
            _read(block, place, tally, blocks)
        else:
            tally.left_out[f"content block of the type {type(block).__name__}"] += 1
    return blocks


def leave_compactions(blocks: Blocks, tally: Tally) -> None:
    """Count the compactions in a message of a format that cannot place them."""
    if blocks.compactions:
        reason = "summary of a compaction by the provider, not recorded"
        tally.left_out[reason] += len(blocks.compactions)


def _read(block: Mapping[str, Any], place: str, tally: Tally, blocks: Blocks) -> None:
    kind = block.get("type")
    if kind == "tool_result":
        blocks.results.append(_result(block, place, tally))
    elif kind == "compaction":
        blocks.compactions.append(string(block.get("content")))
    else:
        part = _part(block, kind, place, tally)
        if part is not None:
            blocks.parts.append(part)


def _part(block: Mapping[str, Any], kind: Any, place: str, tally: Tally) -> Part | None:
    if kind == "text" and isinstance(block.get("text"), str):
        return Text(block["text"]) if block["text"] else None
    if kind in ("thinking", "redacted_thinking"):
        return Thinking(canonical_json(block))
    if kind == "tool_use":
        return _call(block, place)
    if kind == "image":
        return anthropic_image(tally, block)
    if kind == "document":
        return _document(block, tally)
    if isinstance(kind, str) and (kind in _SERVER_SIDE or kind.endswith(_SERVER_RESULT)):
        return Opaque(canonical_json(block))
    tally.left_out[unknown("content block", kind)] += 1
    return None


def _document(block: Mapping[str, Any], tally: Tally) -> Part:
    source = mapping(block.get("source"))
    if source.get("type") == "text" and isinstance(source.get("data"), str) and source["data"]:
        return Text(source["data"])
    return document(tally, source.get("media_type"), source.get("data"))


def _call(block: Mapping[str, Any], place: str) -> ToolCall:
    given = block.get("input")
    call_id = required_id(block.get("id"), "a tool_use without id", place)
    return tool_call(call_id, block.get("name"), given if isinstance(given, str) else given or {})


def _result(block: Mapping[str, Any], place: str, tally: Tally) -> tuple[ToolResult, list[Part]]:
    call_id = required_id(block.get("tool_use_id"), "a tool_result without tool_use_id", place)
    inner = read_blocks(block.get("content"), place, tally)
    text, others = text_and_rest(inner.parts)
    rest: list[Part] = [part for part in others if not isinstance(part, ToolCall)]
    nested = len(inner.results) + len(inner.compactions) + len(others) - len(rest)
    if nested:
        tally.left_out["tool block within a tool result"] += nested
    return ToolResult(call_id, text, block.get("is_error") is True), rest
