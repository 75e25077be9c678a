"""The content of a message: nothing, a text, or a list of parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pytest_compaction.conversation.messages import Part, Text, Thinking, canonical_json
from pytest_compaction.importers.protocol import ImportFormatError
from pytest_compaction.importers.reading.fields import mapping
from pytest_compaction.importers.reading.streamed import is_list


def as_message(value: Any, place: str) -> Mapping[str, Any]:
    """The value if it is an object; otherwise :class:`ImportFormatError` names ``place``."""
    if not isinstance(value, Mapping):
        raise ImportFormatError(
            f"{place}: the message is {type(value).__name__}; expected an object with role "
            "and content"
        )
    return value


def content_parts(content: Any, place: str, read: Callable[[Any], Part | None]) -> list[Part]:
    """The parts of a content; ``read`` turns one item of a list into a part, or ``None``.

    Raises :class:`ImportFormatError`, which names ``place``, for a value of another type.
    """
    if content is None:
        return []
    if isinstance(content, str):
        return [Text(content)] if content else []
    if not is_list(content):
        raise ImportFormatError(
            f"{place}: content is {type(content).__name__}; expected text or a list of parts"
        )
    return [part for part in map(read, content) if part is not None]


def thinking_blocks(message: Mapping[str, Any]) -> list[Thinking]:
    """Thinking that OpenHands and SWE-agent (both by LiteLLM) record beside the content."""
    blocks = message.get("thinking_blocks")
    return [
        Thinking(canonical_json(block))
        for block in (blocks if isinstance(blocks, list) else [])
        if mapping(block).get("type") in ("thinking", "redacted_thinking")
    ]


def text_and_rest(parts: Iterable[Part]) -> tuple[str, list[Part]]:
    """The texts joined by newlines, and the other parts; a tool result takes both apart."""
    texts: list[str] = []
    rest: list[Part] = []
    for part in parts:
        if isinstance(part, Text):
            texts.append(part.text)
        else:
            rest.append(part)
    return "\n".join(texts), rest
