"""Messages, their parts, and the pairing of tool calls with their results."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, Literal

ROLES: tuple[str, ...] = ("system", "developer", "user", "assistant", "tool")


_HEAD_ARGUMENTS = frozenset(
    """path paths file file_path filepath filename file_name target target_file old_path new_path
    source destination src dest dst from to directory dir cmd command""".split()
)
"""Arguments of tools that say what happens to which file."""
_HEAD_CHARACTERS = 200
_REMEMBERED_CHARACTERS = 2000
"""Characters of the arguments of a call whose readable form is remembered."""


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
        value = json_or_none(self.arguments)
        return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of the tool call ``call_id``."""

    call_id: str
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Thinking:
    """Reasoning of the model with its signature; ``payload`` is JSON, never edited."""

    payload: str

    @property
    def thought(self) -> str:
        """What the model thought; empty where only its provider can read it."""
        value = json_or_none(self.payload)
        given = value if isinstance(value, dict) else {}
        said = (given.get(key) for key in ("thinking", "text", "reasoning_content", "reasoning"))
        return next((text for text in said if isinstance(text, str)), "")


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
    def content_hash(self) -> str:
        """A hash of everything in the message, computed once."""
        return _message_hash(self)

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


def readable(message: Message) -> str:
    """All text of a message that can be read: text, tool calls, tool results.

    A tool call is a line of its name and its short place or command; the other arguments follow,
    decoded, so that text written to a file reads as it will stand there.
    """
    lines: list[str] = []
    for part in message.parts:
        if isinstance(part, Text | ToolResult):
            lines.append(part.text)
        elif isinstance(part, ToolCall):
            short = len(part.arguments) <= _REMEMBERED_CHARACTERS
            lines.append(_call_text_once(part) if short else "\n".join(_call_lines(part)))
    return "\n".join(lines)


@lru_cache(maxsize=10_000)
def _call_text_once(call: ToolCall) -> str:
    return "\n".join(_call_lines(call))


def _call_lines(call: ToolCall) -> Iterator[str]:
    arguments = call.parsed()
    if not arguments:
        yield call.name
        yield call.arguments
        return
    head = [
        name
        for name, value in arguments.items()
        if name in _HEAD_ARGUMENTS
        and isinstance(value, str)
        and len(value) <= _HEAD_CHARACTERS
        and "\n" not in value
    ]
    yield " ".join([call.name, *(arguments[name] for name in head)])
    for name, value in arguments.items():
        if name not in head:
            yield from _strings(value)


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


@lru_cache(maxsize=10_000)
def _message_hash(message: Message) -> str:
    said = identity([message.id, message.role, message.parts, message.origin])
    return hashlib.sha256(said.encode()).hexdigest()


def json_or_none(text: str) -> Any:
    """The value of a JSON text; ``None`` if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def short_hash(text: str) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def groups(messages: Sequence[Message]) -> list[tuple[int, int]]:
    """Ranges ``[start, end)`` that may only be kept or removed whole."""
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


def leading_system(messages: Sequence[Message]) -> int:
    """The number of messages at the start that are instructions of the system or developer."""
    count = 0
    while count < len(messages) and messages[count].role in {"system", "developer"}:
        count += 1
    return count


def last_user(messages: Sequence[Message]) -> Message | None:
    """The last message that a user really wrote."""
    return next((m for m in reversed(messages) if m.role == "user" and m.origin == "log"), None)


@dataclass(frozen=True, slots=True)
class StructureFault:
    """A broken rule of message structure: its name, what is wrong, and the message ids."""

    invariant: str
    sentence: str
    ids: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.invariant}: {self.sentence} (messages {', '.join(self.ids)})"


def structure_faults(messages: Sequence[Message]) -> list[StructureFault]:
    """The faults for which a chat endpoint would refuse these messages, in order.

    Results must follow their call, calls must be answered (those of the last group may
    be open), call ids must be unique within a group, and no message may be empty.
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
        if not _has_content(message):
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


def _has_content(message: Message) -> bool:
    kinds = Image | ToolResult | Thinking | Opaque
    named = any(isinstance(p, ToolCall) and p.name.strip() for p in message.parts)
    other = any(isinstance(part, kinds) for part in message.parts)
    return other or named or bool(readable(message).strip())


def newest_that_fit(sizes: Sequence[int], room: int, least: int = 0) -> int:
    """Index of the first of the newest items that together take at most ``room``.

    ``sizes`` are those of messages, or of groups of them, oldest first, in the unit of
    ``room``. The last ``least`` items belong to the tail whatever they take.
    ``len(sizes)`` means that the tail is empty.
    """
    start = len(sizes)
    while start > 0 and (len(sizes) - start < least or sizes[start - 1] <= room):
        start -= 1
        room -= sizes[start]
    return start


def identity(value: Any) -> str:
    """A text that is equal for equal values; made of dataclasses and what JSON can hold."""
    return json.dumps(value, default=_parts_of, sort_keys=True, separators=(",", ":"))


def _parts_of(value: Any) -> Any:
    found = getattr(value, "content_hash", None)
    if found is not None:
        return found
    made: Any = type(value)
    return [made.__name__, *[getattr(value, name) for name in _names_of(made)]]


@lru_cache(maxsize=256)
def _names_of(made: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(made))
