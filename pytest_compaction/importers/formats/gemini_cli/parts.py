"""Turn parts of the Gemini API into parts of messages: text, thoughts, calls and responses."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
from pytest_compaction.importers.protocol import Tally
from pytest_compaction.importers.reading.fields import mapping, string, tool_call
from pytest_compaction.importers.reading.images import document, image, image_at
from pytest_compaction.importers.reading.streamed import is_list
from pytest_compaction.importers.reading.threads import ThreadBuilder
from pytest_compaction.text.words import printable

_CONTEXT: Final = re.compile(
    r"\s*(?:This is the Gemini CLI\. We are setting up the context|<session_context>)"
)
SNAPSHOT: Final = re.compile(r"\s*<(?:state_snapshot|compressed_history)\b")


@dataclass(slots=True)
class Parts:
    """The parts of one content, and its responses to calls of the content before."""

    own: list[Part] = field(default_factory=list)
    responses: list[tuple[str, ToolResult, list[Part]]] = field(default_factory=list)


def listed(parts: Any) -> Sequence[Any]:
    """A list of parts from a text, one part or a list."""
    if is_list(parts):
        return parts
    return [] if parts is None or parts == "" else [parts]


def read_parts(parts: Any, tally: Tally, made: str) -> Parts:
    """Read the parts of one content; calls without an id get the id ``<made>-<number>``."""
    found = Parts()
    for number, part in enumerate(listed(parts)):
        if isinstance(part, str):
            found.own += [Text(part)] if part else []
            continue
        _read(mapping(part), tally, f"{made}-{number}", found)
    return found


def _read(part: Mapping[str, Any], tally: Tally, made: str, found: Parts) -> None:
    # Gemini signs parts of any type; a signature travels as thinking of its own.
    signature = part.get("thoughtSignature")
    if part.get("thought") is True or ("text" not in part and set(part) == {"thoughtSignature"}):
        found.own.append(Thinking(canonical_json({"type": "thinking", "part": part})))
        return
    if isinstance(signature, str) and signature:
        found.own.append(Thinking(canonical_json({"type": "thinking", "signature": signature})))
    if isinstance(part.get("text"), str):
        found.own += [Text(part["text"])] if part["text"] else []
    elif isinstance(part.get("functionCall"), Mapping):
        found.own.append(function_call(part["functionCall"], made))
    elif isinstance(part.get("functionResponse"), Mapping):
        found.responses.append(function_response(part["functionResponse"], tally))
    else:
        found.own += _media(part, tally)


def function_call(call: Mapping[str, Any], made: str) -> ToolCall:
    """A tool call; ``made`` is its id if the API gave none."""
    return tool_call(string(call.get("id")) or made, call.get("name"), call.get("args"))


def function_response(
    response: Mapping[str, Any], tally: Tally
) -> tuple[str, ToolResult, list[Part]]:
    """The name of the function, its result (whose call id may be empty), and its other parts."""
    given = response.get("response")
    body = mapping(given)
    failed = "error" in body and "output" not in body
    keys = [key for key in ("output", "error", "result") if key in body]
    value = body[keys[0]] if len(keys) == 1 and len(body) == 1 else given
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    rest = read_parts(response.get("parts"), tally, "").own
    result = ToolResult(string(response.get("id")), text, failed)
    return str(response.get("name", "")), result, [p for p in rest if not isinstance(p, ToolCall)]


def _media(part: Mapping[str, Any], tally: Tally) -> list[Part]:
    data, file = mapping(part.get("inlineData")), mapping(part.get("fileData"))
    if data:
        media = str(data.get("mimeType", ""))
        make = image if media.startswith("image/") else document
        return [make(tally, media, data.get("data"))]
    if file:
        return [image_at(tally, file.get("fileUri"))]
    code, result = mapping(part.get("executableCode")), mapping(part.get("codeExecutionResult"))
    if code or result:
        text = code.get("code") or result.get("output")
        return [Text(text)] if isinstance(text, str) and text else []
    shown = printable(", ".join(sorted(map(str, part)))[:60], 60)
    tally.left_out[f"unknown part {shown!r}"] += 1
    return []


class ContentReader:
    """Reads contents, each with a role and parts, into messages."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._thread = ThreadBuilder(tally)
        self._open: list[tuple[str, str]] = []
        self._begun = False

    @property
    def origins(self) -> list[int]:
        """For each message, the number of its content."""
        return self._thread.origins

    def finished(self) -> tuple[Message, ...]:
        """All messages; call this once, at the end."""
        self._thread.close()
        return tuple(self._thread.messages)

    def content(self, content: Mapping[str, Any], number: int) -> None:
        """Read one content."""
        role = "assistant" if content.get("role") == "model" else "user"
        self.turn(role, read_parts(content.get("parts"), self._tally, f"call-{number}"), number)

    def turn(self, role: str, parts: Parts, number: int) -> None:
        """Add the parts that were read from one content."""
        for name, result, rest in parts.responses:
            self._respond(name, result, rest)
        spoken = [part for part in parts.own if not isinstance(part, Text) or part.text.strip()]
        if not spoken:
            if not parts.responses:
                self._tally.left_out[f"empty {role} message"] += 1
            return
        if role == "assistant":
            self._open = [(part.id, part.name) for part in spoken if isinstance(part, ToolCall)]
        text = next((part.text for part in spoken if isinstance(part, Text)), "")
        if role == "user" and _CONTEXT.match(text):
            self._tally.repaired["context set up by the program, given as a system message"] += 1
            role = "system"
        elif role == "user" and not self._begun and SNAPSHOT.match(text):
            self._tally.repaired["summary of messages not in the file, kept as a message"] += 1
        self._begun = self._begun or role != "system"
        self._thread.add(role, spoken, number)

    def _respond(self, name: str, result: ToolResult, rest: Sequence[Part]) -> None:
        id = result.call_id
        if not any(id == open for open, _ in self._open):
            fitting = [open for open, called in self._open if not name or called == name]
            id = fitting[0] if fitting and not id else id
        self._open = [(open, called) for open, called in self._open if open != id]
        self._thread.add_result(ToolResult(id, result.text, result.is_error), rest)
