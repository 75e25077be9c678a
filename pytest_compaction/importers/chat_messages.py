"""Messages with a role and a content, as in OpenAI's chat completions and many other formats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_compaction.conversation import (
    Part,
    Thinking,
    ToolCall,
    canonical_json,
)
from pytest_compaction.conversation.formats.chat import read_part
from pytest_compaction.conversation.formats.parts import (
    as_arguments,
    mapping,
    string,
)
from pytest_compaction.importers.json_files import is_list
from pytest_compaction.importers.protocol import (
    CALL_WITHOUT_ID,
    ImportFormatError,
    Tally,
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
