"""Messages and their parts, tool-call pairing, and OpenAI chat dictionaries in and out.

A conversation is a sequence of messages. On disk and at the edge to other
people's code a message is an OpenAI chat dictionary; inside it is a frozen
:class:`Message` made of typed parts. Thinking and opaque parts carry their
source JSON, so that they travel byte-identical or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Role = Literal["system", "developer", "user", "assistant", "tool"]
ROLES: tuple[str, ...] = ("system", "developer", "user", "assistant", "tool")

ChatMessage = dict[str, Any]
"""One message in OpenAI chat shape."""


@dataclass(frozen=True, slots=True)
class Text:
    """Plain text."""

    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """An image; ``payload`` is the JSON of its chat content part."""

    payload: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the assistant asks for; ``arguments`` is the JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str

    def parsed(self) -> dict[str, Any]:
        """The arguments as a mapping; empty when they are not a JSON object."""
        try:
            value = json.loads(self.arguments)
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What the tool answered to the call ``call_id``."""

    call_id: str
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Thinking:
    """Reasoning of the model with its signature; ``payload`` is JSON, never edited."""

    payload: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """A part that only its provider can read; ``payload`` is JSON, never edited."""

    payload: str


Part = Text | Image | ToolCall | ToolResult | Thinking | Opaque


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation or of a view.

    ``origin`` is ``log`` for what was really said and ``synthetic`` for what a
    compactor wrote, such as a summary.
    """

    id: str
    role: str
    parts: tuple[Part, ...]
    origin: Literal["log", "synthetic"] = "log"

    @property
    def text(self) -> str:
        """All plain text of the message, parts joined by newlines."""
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls of the message."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """The tool results of the message."""
        return tuple(part for part in self.parts if isinstance(part, ToolResult))


class MessageShapeError(ValueError):
    """A dictionary is not an OpenAI chat message; the text says where and why."""


def readable(message: Message) -> str:
    """Everything that a reader of the message can see: text, tool calls, tool results.

    Tool arguments are decoded, so that text written to a file reads as it will
    stand in the file. Images, thinking and opaque parts are not readable.
    """
    lines: list[str] = []
    for part in message.parts:
        if isinstance(part, Text):
            lines.append(part.text)
        elif isinstance(part, ToolCall):
            lines.append(part.name)
            lines.extend(_strings(part.parsed()) if part.parsed() else [part.arguments])
        elif isinstance(part, ToolResult):
            lines.append(part.text)
    return "\n".join(lines)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif value is not None:
        yield str(value)


def text_message(
    id: str,
    role: str,
    text: str,
    origin: Literal["log", "synthetic"] = "log",
) -> Message:
    """A message that holds one text."""
    return Message(id, role, (Text(text),), origin)


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces: equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def from_chat(
    items: Iterable[Mapping[str, Any]],
    origin: Literal["log", "synthetic"] = "log",
    prefix: str = "m",
) -> tuple[Message, ...]:
    """Read OpenAI chat dictionaries; a message without ``id`` is named by its position.

    Raises :class:`MessageShapeError` that names the position and the key.
    """
    return tuple(
        message_from_chat(item, f"{prefix}{index}", f"message {index}", origin)
        for index, item in enumerate(items)
    )


def message_from_chat(
    item: Any,
    default_id: str,
    where: str,
    origin: Literal["log", "synthetic"] = "log",
) -> Message:
    """Read one OpenAI chat dictionary; ``where`` names it in the error."""
    if not isinstance(item, Mapping):
        raise MessageShapeError(
            f"{where} is {type(item).__name__}; expected a chat message, a dictionary"
        )
    role = item.get("role")
    if role not in ROLES:
        raise MessageShapeError(f"{where} has role {role!r}; expected one of {', '.join(ROLES)}")
    content = _content_parts(item.get("content"), where)
    parts: list[Part]
    if role == "tool":
        call_id = item.get("tool_call_id")
        if not isinstance(call_id, str) or not call_id:
            raise MessageShapeError(f"{where} has role 'tool' but no tool_call_id")
        text = "\n".join(part.text for part in content if isinstance(part, Text))
        rest = [part for part in content if not isinstance(part, Text)]
        parts = [ToolResult(call_id, text, bool(item.get("is_error", False))), *rest]
    else:
        parts = [*content, *_call_parts(item.get("tool_calls"), where)]
    return Message(str(item.get("id") or default_id), str(role), tuple(parts), origin)


def _content_parts(content: Any, where: str) -> list[Part]:
    if content is None:
        return []
    if isinstance(content, str):
        return [Text(content)] if content else []
    if not isinstance(content, Sequence):
        raise MessageShapeError(
            f"{where} has content of type {type(content).__name__}; expected text, a list or null"
        )
    return [_content_part(part, f"{where}, content part {i}") for i, part in enumerate(content)]


def _content_part(part: Any, where: str) -> Part:
    if isinstance(part, str):
        return Text(part)
    if not isinstance(part, Mapping) or not isinstance(part.get("type"), str):
        raise MessageShapeError(f"{where} is not a dictionary with a type")
    kind = part["type"]
    if kind in {"text", "input_text", "output_text"}:
        if not isinstance(part.get("text"), str):
            raise MessageShapeError(f"{where} has type {kind!r} but no text")
        return Text(part["text"])
    payload = canonical_json(part)
    if kind in {"image_url", "image", "input_image"}:
        return Image(payload)
    if kind in {"thinking", "redacted_thinking", "reasoning"}:
        return Thinking(payload)
    return Opaque(payload)


def _call_parts(calls: Any, where: str) -> list[Part]:
    if calls is None:
        return []
    if not isinstance(calls, Sequence) or isinstance(calls, str):
        raise MessageShapeError(f"{where} has tool_calls that are not a list")
    parts: list[Part] = []
    for index, call in enumerate(calls):
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(call.get("id"), str):
            raise MessageShapeError(
                f"{where}, tool call {index} needs an id and a function with name and arguments"
            )
        arguments = function.get("arguments", "")
        if not isinstance(arguments, str):
            arguments = canonical_json(arguments)
        parts.append(ToolCall(call["id"], str(function.get("name", "")), arguments))
    return parts


def to_chat(messages: Iterable[Message], ids: bool = False) -> list[ChatMessage]:
    """OpenAI chat dictionaries, freshly made; with ``ids`` each carries its message id."""
    return [message_to_chat(message, ids) for message in messages]


def message_to_chat(message: Message, ids: bool = False) -> ChatMessage:
    """One OpenAI chat dictionary."""
    result: ChatMessage = {"id": message.id} if ids else {}
    result["role"] = message.role
    calls: list[dict[str, Any]] = []
    content: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, ToolCall):
            function = {"name": part.name, "arguments": part.arguments}
            calls.append({"id": part.id, "type": "function", "function": function})
        elif isinstance(part, ToolResult):
            result["tool_call_id"] = part.call_id
            if part.is_error:
                result["is_error"] = True
            content.append({"type": "text", "text": part.text})
        elif isinstance(part, Text):
            content.append({"type": "text", "text": part.text})
        else:
            content.append(json.loads(part.payload))
    if not content:
        result["content"] = None
    elif len(content) == 1 and content[0].get("type") == "text":
        result["content"] = content[0]["text"]
    else:
        result["content"] = content
    if calls:
        result["tool_calls"] = calls
    return result


def groups(messages: Sequence[Message]) -> list[tuple[int, int]]:
    """Ranges ``[start, end)`` that may only be kept or removed whole.

    An assistant message with tool calls forms one group with the tool messages
    that follow it; every other message is a group of its own.
    """
    ranges: list[tuple[int, int]] = []
    index = 0
    while index < len(messages):
        end = index + 1
        if messages[index].calls:
            while end < len(messages) and messages[end].role == "tool":
                end += 1
        ranges.append((index, end))
        index = end
    return ranges


def pending_calls(messages: Sequence[Message]) -> tuple[str, ...]:
    """Ids of calls in the last group that have no result yet."""
    if not messages:
        return ()
    start, end = groups(messages)[-1]
    answered = {result.call_id for m in messages[start:end] for result in m.results}
    return tuple(call.id for call in messages[start].calls if call.id not in answered)


@dataclass(frozen=True, slots=True)
class StructureFault:
    """A broken rule of message structure: its name, what is wrong, and the message ids."""

    invariant: str
    sentence: str
    ids: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.invariant}: {self.sentence} (messages {', '.join(self.ids)})"


def structure_faults(messages: Sequence[Message]) -> list[StructureFault]:
    """What a chat endpoint would refuse in these messages, in order of occurrence.

    Checked: results follow their call, calls are answered (only those of the
    last group may be open), call ids are unique within a group, no message is
    empty.
    """
    faults: list[StructureFault] = []
    for start, end in groups(messages):
        faults.extend(_group_faults(messages[start:end], last=end == len(messages)))
    return faults


def _group_faults(group: Sequence[Message], last: bool) -> Iterator[StructureFault]:
    head = group[0]
    called = [call.id for call in head.calls]
    if len(set(called)) < len(called):
        yield StructureFault(
            "unique-call-ids", "one assistant message uses a tool-call id twice", (head.id,)
        )
    answered: set[str] = set()
    for message in group:
        if not (message.results or readable(message).strip() or _carries_payload(message)):
            yield StructureFault("no-empty-message", "a message has no content", (message.id,))
        for result in message.results:
            if result.call_id not in called:
                yield StructureFault(
                    "results-follow-calls",
                    f"the tool result for {result.call_id!r} does not follow "
                    "an assistant message that made this call",
                    (message.id,),
                )
            elif result.call_id in answered:
                yield StructureFault(
                    "one-result-a-call",
                    f"the tool call {result.call_id!r} is answered twice",
                    (message.id,),
                )
            answered.add(result.call_id)
    open_calls = [call for call in called if call not in answered]
    if open_calls and not last:
        yield StructureFault(
            "calls-answered",
            f"the tool call {open_calls[0]!r} has no result before the next message",
            (head.id,),
        )


def _carries_payload(message: Message) -> bool:
    return any(isinstance(part, Image | Thinking | Opaque) for part in message.parts)
