"""OpenAI Responses: request and response bodies, logs of them, lists of items.

A request that names an earlier response continues its conversation. So does a request
whose input begins with the input of an earlier one. Reasoning stays as it is. A compaction
item is a recorded compaction that only its provider can read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation import (
    Message,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    canonical_json,
    json_or_none,
)
from pytest_compaction.conversation.formats.parts import (
    Media,
    as_arguments,
    mapping,
    required_id,
    string,
)
from pytest_compaction.conversation.formats.requests import COMPACTIONS, ENCRYPTED
from pytest_compaction.conversation.formats.responses import kind_of, read_content, read_output
from pytest_compaction.importers.chat_messages import ROLES
from pytest_compaction.importers.exchanges import (
    Exchange,
    exchange_format,
    name_of,
    unwrapped,
)
from pytest_compaction.importers.json_files import PlacedValue, is_list
from pytest_compaction.importers.protocol import (
    BEFORE_FIRST_MESSAGE,
    ENCRYPTED_CONTENT,
    JOINED,
    SHAPED,
    Boundary,
    ImportFormatError,
    Tally,
    Transcript,
    unknown,
)
from pytest_compaction.importers.threads import ThreadBuilder, is_empty

UNDONE_COMPACTION: Final = "recorded compaction in a turn that the user undid"
_HOSTED: Final = (
    "web_search_call file_search_call code_interpreter_call image_generation_call mcp_call"
).split()
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
        kind = str(kind_of(item))
        if kind == "message":
            self._message(item, place)
        elif kind == "reasoning":
            if any(item.get(key) for key in ("summary", "content", "encrypted_content")):
                self._hold([Thinking(canonical_json(item))])
            else:
                self._tally.left_out["reasoning without content"] += 1
        elif kind in COMPACTIONS:
            self._compaction(item)
        elif kind.endswith(("_output", "_outputs")):
            self._output(item, kind, place)
        elif kind.endswith("_call"):
            self._call(item, kind, place)
        elif kind in _LEFT_OUT:
            self._tally.left_out[_LEFT_OUT[kind]] += 1
        else:
            self._tally.skip(unknown("item type", item.get("type")))

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
            self._tally.skip(unknown("message role", given))
            return
        self._tally.note_unread(item, ("content",))
        parts = read_content(item.get("content"), place, self._tally)
        if is_empty(parts):
            self._tally.left_out[f"empty {role} message"] += 1
        elif role == "assistant":
            self._hold(parts)
        else:
            self._flush()
            self._thread.add(role, parts)

    def _compaction(self, item: Mapping[str, Any]) -> None:
        if not self._tally.has_room(self.boundaries):
            return
        messages = self.messages
        if not messages:
            self._tally.left_out[BEFORE_FIRST_MESSAGE] += 1
            return
        text = string(item.get("summary") or item.get("content"))
        self.boundaries.append(Boundary(messages[-1].id, text, missing="" if text else ENCRYPTED))
        self._tally.left_out[ENCRYPTED_CONTENT] += bool(item.get("encrypted_content"))

    def _call(self, item: Mapping[str, Any], kind: str, place: str) -> None:
        self._calls += 1
        own = f"{kind}-{self._calls}" if kind in _HOSTED else None
        call_id = self._call_id(item, kind, place, own)
        name = string(item.get("name")) or kind.removesuffix("_call")
        self._hold([ToolCall(call_id, name, _arguments(item))])
        if kind == "image_generation_call":
            image = self._tally.placeholder(Media(True, "image/png", string(item.get("result"))))
            self._hosted.append((ToolResult(call_id, ""), [image]))
        elif kind in _HOSTED:
            given = next(filter(None, map(item.get, ("error", "output", "results", "outputs"))), "")
            failed = bool(item.get("error")) or item.get("status") == "failed"
            self._hosted.append((ToolResult(call_id, as_arguments(given), failed), []))

    def _call_id(
        self, item: Mapping[str, Any], kind: str, place: str, own: str | None = None
    ) -> str:
        """The id of a call; ``own`` stands in for it where no other item has to find the call."""
        given = item.get("call_id") or item.get("id") or own
        return required_id(given, f"a {kind} without call_id", place, self._tally)

    def _output(self, item: Mapping[str, Any], kind: str, place: str) -> None:
        call_id = self._call_id(item, kind, place)
        if any(isinstance(part, ToolCall) and part.id == call_id for part in self._pending):
            self._flush()
        if "output" not in item:
            item = {"output": _tool_names(item.get("tools"))}
        result, rest = read_output(item, call_id, place, self._tally)
        text, failed = result.text, _FAILED.search(result.text[:300]) is not None
        if text.startswith('{"output":') and '"metadata"' in text:  # as Codex wraps a command's
            wrapped = mapping(json_or_none(text))
            code = mapping(wrapped.get("metadata")).get("exit_code")
            failed = failed and not wrapped
            if isinstance(wrapped.get("output"), str):
                self._tally.repaired["command output, unwrapped from its JSON"] += 1
                text, failed = wrapped["output"], isinstance(code, int) and code != 0
        self._thread.add_result(ToolResult(call_id, text, failed or result.is_error), rest)

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
        name = string(tool.get("name"))
        within = map(mapping, tool["tools"] if isinstance(tool.get("tools"), list) else ())
        inner = filter(None, (string(each.get("name")) for each in within))
        found += [f"{name}.{each}" for each in inner] or [name]
    return "\n".join(filter(None, found))


_MARKS: Final = (
    *"function_call function_call_output custom_tool_call custom_tool_call_output".split(),
    *"local_shell_call local_shell_call_output reasoning web_search_call file_search_call".split(),
    *("code_interpreter_call", "mcp_call", *COMPACTIONS),
)
_PARTS: Final = ("input_text", "output_text")


def _recognised(value: Any) -> bool:
    if isinstance(value, list):
        return any(_is_item(item) for item in value) or any(
            _recognised(item) for item in value[:5] if isinstance(item, Mapping)
        )
    request, response = unwrapped(value)
    if response.get("object") == "response" or request.get("object") == "response":
        return True
    given = request.get("input")
    if isinstance(given, list) and any(_is_item(item) or "role" in mapping(item) for item in given):
        return True
    if isinstance(given, str) and "model" in request and isinstance(response.get("output"), list):
        return True
    return _is_item(value)


def _is_item(value: Any) -> bool:
    given = mapping(value)
    content = given.get("content")
    return given.get("type") in _MARKS or (
        isinstance(content, list) and any(mapping(part).get("type") in _PARTS for part in content)
    )


def _exchange(item: PlacedValue) -> Exchange | None:
    place, value = item
    if is_list(value):
        return Exchange(place, value) if value else None
    if _is_item(value):
        return None
    request, response = unwrapped(value)
    body = response if "output" in response else request
    given, output = request.get("input"), body.get("output")
    if given is None and mapping(value).get("object") == "list":
        given = mapping(value).get("data")
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    given = given if is_list(given) else []
    output = output if is_list(output) else []
    if not given and not output:
        return None
    return Exchange(
        place,
        given,
        output,
        request.get("instructions"),
        name_of(value) if "custom_id" in mapping(value) else "",
        string(request.get("model") or body.get("model")),
        string(body.get("id")),
        string(request.get("previous_response_id")),
        logged=True,
    )


def _transcript(exchange: Exchange, path: Path) -> Transcript:
    reading = ItemReader(exchange.tally)
    if exchange.system:
        reading.add({"role": "system", "content": exchange.system}, exchange.place)
    for number, item in enumerate(chain(exchange.request, exchange.response)):
        reading.add(item, f"{exchange.place}, item {number}")
    messages = reading.messages
    count_compactions(reading.boundaries, exchange.tally)
    return exchange.transcript(path, messages, reading.boundaries)


IMPORTER: Final = exchange_format(
    "openai-responses",
    "OpenAI Responses: bodies, logs, lists of items (JSON, JSONL)",
    _recognised,
    _exchange,
    _transcript,
    SHAPED,
)
