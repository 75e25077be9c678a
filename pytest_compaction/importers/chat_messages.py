"""Messages with a role and a content, as in OpenAI's chat completions and many other formats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_compaction.conversation import (
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    canonical_json,
)
from pytest_compaction.conversation.formats.chat import read_part
from pytest_compaction.conversation.formats.parts import (
    as_arguments,
    mapping,
    string,
    text_and_rest,
)
from pytest_compaction.conversation.formats.responses import read_content
from pytest_compaction.importers.json_files import is_list
from pytest_compaction.importers.protocol import (
    CALL_WITHOUT_ID,
    ImportFormatError,
    Tally,
    unknown,
)
from pytest_compaction.importers.threads import ThreadBuilder
from pytest_compaction.text import printable

NESTED_LISTS: Final = 3
"""How deep conversations may lie in lists of lists to be looked for."""
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


READ: Final = frozenset(
    "role content name refusal tool_calls tool_call_id function_call reasoning reasoning_content "
    "reasoning_details usage logprobs".split()
)
"""Members of a message that are read, or of no matter to the conversation."""


class ChatReader:
    """Reads messages one by one into a thread.

    A call without an id gets a new one. A result without an id answers the oldest open
    call, because some servers and OpenAI's legacy ``function_call`` have no ids.
    """

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self.thread = ThreadBuilder(tally)

    def add(self, item: Any, place: str) -> None:
        """Read one message; :class:`ImportFormatError` names the place of a broken one."""
        item = as_message(item, place)
        given = str(item.get("role"))
        role = ROLES.get(given.lower())
        if role is None:
            self._tally.skip(unknown("message role", given), item)
            return
        self._tally.note_unread(item, READ)
        parts = read_content(item.get("content"), place, self._tally)
        if role == "tool":
            self._result(item, parts)
            return
        if role == "assistant":
            refusal = [Text(item["refusal"])] if string(item.get("refusal")) else []
            parts = [*_reasoning(item), *parts, *refusal, *self._calls(item, place)]
        self.thread.add_unless_empty(role, parts)

    def _result(self, item: Mapping[str, Any], parts: list[Part]) -> None:
        call_id = item.get("tool_call_id")
        if not isinstance(call_id, str) or not call_id:
            fitting = self.thread.open_calls(item.get("name") or item.get("tool_name") or "")
            if not fitting:
                self._tally.repaired["tool output without a call, kept as a user message"] += 1
                self.thread.add("user", parts or [Text("(no output)")])
                return
            call_id = fitting[0]
        text, rest = text_and_rest(parts)
        self.thread.add_result(ToolResult(call_id, text, item.get("is_error") is True), rest)

    def _calls(self, item: Mapping[str, Any], place: str) -> list[ToolCall]:
        calls = item.get("tool_calls") or []
        if not isinstance(calls, list):
            raise ImportFormatError(f"{place}: tool_calls is not a list; fix the message")
        if isinstance(item.get("function_call"), Mapping):
            calls = [*calls, {"function": item["function_call"]}]
        return read_calls(calls, self._tally, self.thread)


def read_calls(calls: Any, tally: Tally, thread: ThreadBuilder) -> list[ToolCall]:
    """The calls of a message; those without an id get one."""
    return [
        read_call(mapping(c), tally, thread) for c in (calls if isinstance(calls, list) else ())
    ]


def read_call(
    call: Mapping[str, Any], tally: Tally, thread: ThreadBuilder | None = None
) -> ToolCall:
    """A call of a function or custom tool; within a thread, one without an id gets one."""
    custom = mapping(call.get("custom"))
    function = mapping(call.get("function")) or custom
    id = string(call.get("id"))
    if not id and thread is not None:
        id = thread.new_id()
        tally.repaired[CALL_WITHOUT_ID] += 1
    arguments = {"input": custom.get("input")} if custom else function.get("arguments")
    return ToolCall(id, string(function.get("name")), as_arguments(arguments))


def as_message(value: Any, place: str) -> Mapping[str, Any]:
    """The value if it is an object; otherwise :class:`ImportFormatError` names ``place``."""
    if not isinstance(value, Mapping):
        raise ImportFormatError(
            f"{place}: the message is {type(value).__name__}; expected an object with role "
            "and content"
        )
    return value


def loose_parts(content: Any, tally: Tally) -> list[Part]:
    """Texts of whatever type, images and files, as agents by LiteLLM write a content."""
    found: list[Part | None] = []
    for part in content if is_list(content) else [content]:
        text = part if isinstance(part, str) else mapping(part).get("text")
        if isinstance(text, str):
            found.append(tally.text(text))
        elif mapping(part):
            found.append(read_part(part, "", tally))
    return [part for part in found if part is not None]


def thinking_blocks(message: Mapping[str, Any]) -> list[Thinking]:
    """Thinking that OpenHands and SWE-agent (both by LiteLLM) record beside the content."""
    blocks = message.get("thinking_blocks")
    return [
        Thinking(canonical_json(block))
        for block in (blocks if isinstance(blocks, list) else [])
        if mapping(block).get("type") in ("thinking", "redacted_thinking")
    ]


def note_end(info: Mapping[str, Any], tally: Tally) -> None:
    """Count what SWE-agent and mini-swe-agent write about the end of a run."""
    if info:
        status = printable(str(info.get("exit_status")), 60)
        tally.records += 1
        tally.left_out[f"statistics and patch of a run that ended with: {status}"] += 1


def _reasoning(item: Mapping[str, Any]) -> list[Part]:
    """Reasoning in a field beside the content, as OpenRouter, vLLM and others write it."""
    details = item.get("reasoning_details")
    if isinstance(details, list) and details:
        return [Thinking(canonical_json({"type": "reasoning", "details": details}))]
    text = item.get("reasoning_content") or item.get("reasoning")
    if isinstance(text, str) and text:
        return [Thinking(canonical_json({"type": "reasoning", "text": text}))]
    return []
