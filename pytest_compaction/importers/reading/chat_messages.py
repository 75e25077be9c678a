"""Messages with a role and a content, as in OpenAI's chat completions and many other formats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_compaction.conversation.messages import (
    Message,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    canonical_json,
)
from pytest_compaction.importers.protocol import ImportFormatError, Tally
from pytest_compaction.importers.reading.contents import as_message, content_parts, text_and_rest
from pytest_compaction.importers.reading.fields import mapping, tool_call, unknown
from pytest_compaction.importers.reading.images import anthropic_image, document, image_at
from pytest_compaction.importers.reading.threads import ThreadBuilder
from pytest_compaction.importers.reasons import CALL_WITHOUT_ID

ROLES: Final[Mapping[str, str]] = {
    "system": "system",
    "developer": "developer",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}
"""The role of a message for each name that formats use."""

IMAGES: Final = ("image_url", "input_image", "computer_screenshot")
"""Types of parts that refer to an image by its address."""
_TEXTS: Final = ("text", "input_text", "output_text")
_THINKING: Final = ("thinking", "redacted_thinking", "reasoning")
_WITHOUT_CALL: Final = "tool output without a call, kept as a user message"


class ChatReader:
    """Reads messages one by one into a thread.

    A call without an id gets a new one. A result without an id answers the oldest open
    call, because some servers and OpenAI's legacy ``function_call`` have no ids.
    """

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._thread = ThreadBuilder(tally)
        self._open: list[tuple[str, str]] = []
        self._made = 0

    def finished(self) -> tuple[Message, ...]:
        """All messages; call this once, at the end."""
        self._thread.close()
        return tuple(self._thread.messages)

    def add(self, item: Any, place: str) -> None:
        """Read one message; :class:`ImportFormatError` names the place of a broken one."""
        item = as_message(item, place)
        given = str(item.get("role"))
        role = ROLES.get(given.lower())
        if role is None:
            self._tally.left_out[unknown("message role", given)] += 1
            return
        parts = content_parts(item.get("content"), place, self._part)
        if role == "tool":
            self._result(item, parts)
            return
        if role == "assistant":
            parts = [*_reasoning(item), *parts, *self._refusal(item), *self._calls(item, place)]
            self._open = [(part.id, part.name) for part in parts if isinstance(part, ToolCall)]
        self._thread.add_unless_empty(role, parts)

    def _result(self, item: Mapping[str, Any], parts: list[Part]) -> None:
        call_id = item.get("tool_call_id")
        if not isinstance(call_id, str) or not call_id:
            name = item.get("name") or item.get("tool_name")
            fitting = [id for id, called in self._open if not name or called == name]
            if not fitting:
                self._tally.repaired[_WITHOUT_CALL] += 1
                self._thread.add("user", parts or [Text("(no output)")])
                return
            call_id = fitting[0]
        self._open = [(id, name) for id, name in self._open if id != call_id]
        text, rest = text_and_rest(parts)
        self._thread.add_result(ToolResult(call_id, text, item.get("is_error") is True), rest)

    def _refusal(self, item: Mapping[str, Any]) -> list[Part]:
        refusal = item.get("refusal")
        return [Text(refusal)] if isinstance(refusal, str) and refusal else []

    def _calls(self, item: Mapping[str, Any], place: str) -> list[Part]:
        calls = item.get("tool_calls") or []
        if not isinstance(calls, list):
            raise ImportFormatError(f"{place}: tool_calls is not a list; fix the message")
        if isinstance(item.get("function_call"), Mapping):
            calls = [*calls, {"function": item["function_call"]}]
        return [self._call(mapping(call)) for call in calls]

    def _call(self, call: Mapping[str, Any]) -> ToolCall:
        custom = mapping(call.get("custom"))
        function = mapping(call.get("function")) or custom
        call_id = call.get("id")
        if not isinstance(call_id, str) or not call_id:
            self._made += 1
            call_id = f"call-{self._made}"
            self._tally.repaired[CALL_WITHOUT_ID] += 1
        arguments = {"input": custom.get("input")} if custom else function.get("arguments")
        return tool_call(call_id, function.get("name"), arguments)

    def _part(self, part: Any) -> Part | None:
        if isinstance(part, str):
            return Text(part) if part else None
        given = mapping(part)
        kind = given.get("type")
        if kind in _TEXTS and isinstance(given.get("text"), str):
            return Text(given["text"]) if given["text"] else None
        if kind == "refusal" and isinstance(given.get("refusal"), str):
            return Text(given["refusal"]) if given["refusal"] else None
        if kind in _THINKING:
            return Thinking(canonical_json(part))
        return media_part(given, self._tally)


def media_part(part: Mapping[str, Any], tally: Tally) -> Part | None:
    """The placeholder of an image, sound or file in OpenAI's shapes; count any other part."""
    kind = part.get("type")
    if kind in IMAGES:
        url = part.get("image_url")
        return image_at(tally, url.get("url") if isinstance(url, Mapping) else url)
    if kind == "image":
        return anthropic_image(tally, part)
    if kind == "input_audio":
        sound = mapping(part.get("input_audio"))
        return document(tally, f"audio/{sound.get('format', 'unknown')}", sound.get("data"))
    if kind in ("file", "input_file"):
        file = mapping(part.get("file")) or part
        return document(tally, file.get("filename"), file.get("file_data"))
    tally.left_out[unknown("message part", kind)] += 1
    return None


def _reasoning(item: Mapping[str, Any]) -> list[Part]:
    """Reasoning in a field beside the content, as OpenRouter, vLLM and others write it."""
    details = item.get("reasoning_details")
    if isinstance(details, list) and details:
        return [Thinking(canonical_json({"type": "reasoning", "details": details}))]
    text = item.get("reasoning_content") or item.get("reasoning")
    if isinstance(text, str) and text:
        return [Thinking(canonical_json({"type": "reasoning", "text": text}))]
    return []
