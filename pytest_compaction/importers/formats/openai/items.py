"""Items of OpenAI's Responses interface, which Codex writes too: messages, calls, outputs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from pytest_compaction.conversation.messages import (
    Message,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    canonical_json,
    json_or_none,
)
from pytest_compaction.importers.protocol import Boundary, ImportFormatError, Tally
from pytest_compaction.importers.reading.chat_messages import IMAGES, ROLES, media_part
from pytest_compaction.importers.reading.contents import content_parts, text_and_rest
from pytest_compaction.importers.reading.fields import (
    as_arguments,
    mapping,
    required_id,
    string,
    unknown,
)
from pytest_compaction.importers.reading.images import image
from pytest_compaction.importers.reading.threads import ThreadBuilder, is_empty
from pytest_compaction.importers.reasons import BEFORE_FIRST_MESSAGE, ENCRYPTED_CONTENT, JOINED

COMPACTIONS: Final = ("compaction", "compaction_summary", "context_compaction")
UNDONE_COMPACTION: Final = "recorded compaction in a turn that the user undid"
ENCRYPTED: Final = "its summary is encrypted: only its provider can read it"
_TEXTS: Final = ("text", "input_text", "output_text", "summary_text", "reasoning_text")
_HOSTED: Final = (
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_call",
)
"""Calls that the provider runs itself; their result is in the same item, which may lack an id."""
_LEFT_OUT: Final = {
    "item_reference": "reference to an item that is not in the file",
    "mcp_list_tools": "list of tools",
    "additional_tools": "list of tools",
    "mcp_approval_request": "approval of a tool",
    "mcp_approval_response": "approval of a tool",
    "compaction_trigger": "request to compact",
    "ghost_snapshot": "file snapshot for undo",
}
# How Codex reports a failed command; most of its outputs have no error flag.
_FAILED: Final = re.compile(r"(?:Exit code:|Process exited with code) *[1-9]")


class ItemReader:
    """Reads items one by one; consecutive items of the assistant become one message."""

    def __init__(self, tally: Tally) -> None:
        self.boundaries: list[Boundary] = []
        self._tally = tally
        self._thread = ThreadBuilder(tally)
        self._pending: list[Part] = []
        self._hosted: list[tuple[ToolResult, list[Part]]] = []
        self._calls = 0

    @property
    def messages(self) -> list[Message]:
        """The messages so far; closes all open calls."""
        self._flush()
        self._thread.close()
        return self._thread.messages

    def add(self, item: Any, place: str) -> None:
        """Read one item; :class:`ImportFormatError` names the place of a broken one."""
        if not isinstance(item, Mapping):
            raise ImportFormatError(
                f"{place}: the item is {type(item).__name__}; expected an object with a type"
            )
        kind = item.get("type") or ("message" if "role" in item else None)
        if kind == "message":
            self._message(item, place)
        elif kind == "reasoning":
            self._reasoning(item)
        elif kind in COMPACTIONS:
            self._compaction(item)
        elif isinstance(kind, str) and kind.endswith(("_output", "_outputs")):
            self._output(item, kind, place)
        elif isinstance(kind, str) and kind.endswith("_call"):
            self._call(item, kind, place)
        else:
            reason = _LEFT_OUT.get(str(kind), unknown("item type", kind))
            self._tally.left_out[reason] += 1

    def take_back(self, text: str) -> bool:
        """Remove the assistant's last text if it is the end of ``text``, and return whether it was.

        Codex records a summary as a message and again with a preface in its compaction.
        The message must be at least half of ``text``, so that a short one does not match
        by chance.
        """
        last = self._pending[-1] if self._pending else None
        said = last.text.strip() if isinstance(last, Text) else ""
        if not said or not text.endswith(said) or 2 * len(said) < len(text):
            return False
        self._pending.pop()
        if self._pending:
            self._tally.repaired[JOINED] -= 1
        return True

    def cut(self, place: int) -> int:
        """Remove the messages from ``place`` on, with their compactions; return their number."""
        lost = {message.id for message in self.messages[place:]}
        for boundary in self.boundaries:
            self._tally.left_out[UNDONE_COMPACTION] += boundary.after in lost
        self.boundaries = [one for one in self.boundaries if one.after not in lost]
        return self._thread.cut(place)

    def _message(self, item: Mapping[str, Any], place: str) -> None:
        given = str(item.get("role"))
        role = ROLES.get(given.lower())
        if role is None or role == "tool":
            self._tally.left_out[unknown("message role", given)] += 1
            return
        parts = content_parts(item.get("content"), place, self._part)
        if is_empty(parts):
            self._tally.left_out[f"empty {role} message"] += 1
        elif role == "assistant":
            self._hold(parts)
        else:
            self._flush()
            self._thread.add(role, parts)

    def _reasoning(self, item: Mapping[str, Any]) -> None:
        if any(item.get(key) for key in ("summary", "content", "encrypted_content")):
            self._hold([Thinking(canonical_json(item))])
        else:
            self._tally.left_out["reasoning without content"] += 1

    def _compaction(self, item: Mapping[str, Any]) -> None:
        messages = self.messages
        if not messages:
            self._tally.left_out[BEFORE_FIRST_MESSAGE] += 1
            return
        text = string(item.get("summary") or item.get("content"))
        missing = "" if text else ENCRYPTED
        boundary = Boundary(messages[-1].id, text, missing=missing)
        if item.get("encrypted_content"):
            self._tally.left_out[ENCRYPTED_CONTENT] += 1
        self.boundaries.append(boundary)

    def _call(self, item: Mapping[str, Any], kind: str, place: str) -> None:
        self._calls += 1
        own = f"{kind}-{self._calls}" if kind in _HOSTED else None
        call_id = _call_id(item, kind, place, own)
        name = string(item.get("name")) or kind.removesuffix("_call")
        self._hold([ToolCall(call_id, name, _arguments(item))])
        if kind in _HOSTED:
            self._hosted.append(self._hosted_result(item, kind, call_id))

    def _hosted_result(
        self, item: Mapping[str, Any], kind: str, call_id: str
    ) -> tuple[ToolResult, list[Part]]:
        if kind == "image_generation_call":
            return ToolResult(call_id, ""), [image(self._tally, "image/png", item.get("result"))]
        given = (
            item.get("error") or item.get("output") or item.get("results") or item.get("outputs")
        )
        failed = bool(item.get("error")) or item.get("status") == "failed"
        return ToolResult(call_id, _as_text(given), failed), []

    def _output(self, item: Mapping[str, Any], kind: str, place: str) -> None:
        call_id = _call_id(item, kind, place)
        if any(isinstance(part, ToolCall) and part.id == call_id for part in self._pending):
            self._flush()
        given = item["output"] if "output" in item else _tool_names(item.get("tools"))
        success = True
        if mapping(given).get("type") in IMAGES:
            given = [given]
        if isinstance(given, Mapping):
            success = given.get("success") is not False
            given = given.get("content", given)
        rest: list[Part] = []
        if isinstance(given, list) and all("type" in mapping(part) for part in given):
            text, rest = text_and_rest(content_parts(given, place, self._part))
        else:
            text = _as_text(given)
        text, failed = self._unpacked(text)
        self._thread.add_result(ToolResult(call_id, text, failed or not success), rest)

    def _unpacked(self, text: str) -> tuple[str, bool]:
        """The output of a command without the JSON around it, and whether the command failed."""
        if text.startswith('{"output":') and '"metadata"' in text:
            wrapped = json_or_none(text)
            if wrapped is None:
                return text, False
            output, code = wrapped.get("output"), mapping(wrapped.get("metadata")).get("exit_code")
            if isinstance(output, str):
                self._tally.repaired["command output, unwrapped from its JSON"] += 1
                return output, isinstance(code, int) and code != 0
        return text, _FAILED.search(text[:300]) is not None

    def _part(self, value: Any) -> Part | None:
        part = mapping(value)
        kind = part.get("type")
        key = "refusal" if kind == "refusal" else "text"
        if kind in (*_TEXTS, "refusal") and isinstance(part.get(key), str):
            return Text(part[key]) if part[key] else None
        return media_part(part, self._tally)

    def _hold(self, parts: list[Part]) -> None:
        if self._pending:
            self._tally.repaired[JOINED] += 1
        self._pending.extend(parts)

    def _flush(self) -> None:
        if not self._pending:
            return
        parts, self._pending = self._pending, []
        self._thread.add("assistant", parts)
        for result, rest in self._hosted:
            self._thread.add_result(result, rest)
        self._hosted = []


def count_compactions(boundaries: Iterable[Boundary], tally: Tally) -> None:
    """Count the compactions, except encrypted ones, which are counted when they are read."""
    for boundary in boundaries:
        if boundary.missing != ENCRYPTED:
            tally.compacted(boundary)


def _call_id(item: Mapping[str, Any], kind: str, place: str, own: str | None = None) -> str:
    """The id of a call; ``own`` stands in for it where no other item has to find the call."""
    given = item.get("call_id") or item.get("id") or own
    return required_id(given, f"a {kind} without call_id", place)


def _arguments(item: Mapping[str, Any]) -> str:
    for key in ("arguments", "action", "operation"):
        if key in item:
            return as_arguments(item[key])
    given = {key: item[key] for key in ("input", "queries", "code") if item.get(key) is not None}
    return as_arguments(given)


def _tool_names(tools: Any) -> str:
    """The names of the tools that a search for tools found, one a line."""
    found: list[str] = []
    for tool in map(mapping, tools if isinstance(tools, list) else ()):
        inner = tool.get("tools")
        names = (
            [string(mapping(each).get("name")) for each in inner] if isinstance(inner, list) else []
        )
        name = string(tool.get("name"))
        found += [f"{name}.{each}" for each in names if each] or [name]
    return "\n".join(filter(None, found))


def _as_text(given: Any) -> str:
    if given is None:
        return ""
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
