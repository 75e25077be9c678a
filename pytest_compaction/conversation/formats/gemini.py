"""Contents of the Gemini API: text, thoughts, calls and their responses, each a part."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_compaction.conversation.formats.parts import (
    PartRules,
    as_arguments,
    mapping,
    media_of,
    string,
)
from pytest_compaction.conversation.messages import (
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    canonical_json,
)

_BODY: Final = ("output", "error", "result")
"""Keys under which a response holds what a function gave."""


@dataclass(slots=True)
class Parts:
    """The parts of one content, and its responses to calls of the content before."""

    own: list[Part] = field(default_factory=list)
    responses: list[tuple[str, ToolResult, list[Part]]] = field(default_factory=list)


def listed(parts: Any) -> Sequence[Any]:
    """A list of parts from a text, one part or a list."""
    if isinstance(parts, Sequence) and not isinstance(parts, str):
        return parts
    return [] if parts is None or parts == "" else [parts]


def read_parts(parts: Any, rules: PartRules, made: str) -> Parts:
    """Read the parts of one content; calls without an id get the id ``<made>-<number>``."""
    found = Parts()
    for number, part in enumerate(listed(parts)):
        given = mapping(part)
        # Gemini signs parts of any type; a signature travels as thinking of its own.
        signature = given.get("thoughtSignature")
        if given.get("thought") is True or set(given) == {"thoughtSignature"}:
            found.own.append(Thinking(canonical_json({"type": "thinking", "part": part})))
            continue
        if isinstance(signature, str) and signature:
            payload = {"type": "thinking", "signature": signature}
            found.own.append(Thinking(canonical_json(payload)))
        response = given.get("functionResponse")
        if isinstance(response, Mapping) and not isinstance(given.get("text"), str):
            found.responses.append(read_response(response, rules))
            continue
        own = _read_part(part, rules, f"{made}-{number}")
        found.own += [] if own is None else [own]
    return found


def _read_part(part: Any, rules: PartRules, made: str) -> Part | None:
    given = mapping(part)
    text = part if isinstance(part, str) else given.get("text")
    if isinstance(text, str):
        return rules.text(text)
    if isinstance(given.get("functionCall"), Mapping):
        return read_call(given["functionCall"], made)
    media = media_of(given)
    if media is not None:
        return rules.media(given, media)
    code, result = mapping(given.get("executableCode")), mapping(given.get("codeExecutionResult"))
    text = code.get("code") or result.get("output")
    if code or result:
        return Text(text) if isinstance(text, str) and text else None
    return rules.unknown("part", part, made)


def read_call(call: Mapping[str, Any], made: str) -> ToolCall:
    """A tool call; ``made`` is its id if the API gave none."""
    name, arguments = string(call.get("name")), as_arguments(call.get("args"))
    return ToolCall(string(call.get("id")) or made, name, arguments)


def read_response(
    response: Mapping[str, Any], rules: PartRules
) -> tuple[str, ToolResult, list[Part]]:
    """The name of the function, its result (whose call id may be empty), and its other parts."""
    given = response.get("response")
    body = mapping(given)
    failed = "error" in body and "output" not in body
    keys = [key for key in _BODY if key in body]
    value = body[keys[0]] if len(keys) == 1 and len(body) == 1 else given
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    rest = read_parts(response.get("parts"), rules, "").own
    result = ToolResult(string(response.get("id")), text, failed)
    return str(response.get("name", "")), result, [p for p in rest if not isinstance(p, ToolCall)]
