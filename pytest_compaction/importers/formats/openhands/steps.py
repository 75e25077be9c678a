"""The steps of a conversation, from the events of either generation of OpenHands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_compaction.conversation.messages import (
    Image,
    Part,
    Text,
    Thinking,
    ToolCall,
    canonical_json,
)
from pytest_compaction.importers.protocol import Tally
from pytest_compaction.importers.reading.chat_messages import media_part
from pytest_compaction.importers.reading.contents import thinking_blocks
from pytest_compaction.importers.reading.fields import mapping
from pytest_compaction.importers.reading.images import image_at


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message without tool calls."""

    role: str
    parts: Sequence[Part]


@dataclass(frozen=True, slots=True)
class Called:
    """All or some calls of one response of the model; ``response`` is the id of the response."""

    response: str
    parts: Sequence[Part]
    calls: Sequence[ToolCall]


@dataclass(frozen=True, slots=True)
class Observed:
    """The result of one call."""

    call_id: str
    text: str
    rest: Sequence[Part] = ()
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Condensed:
    """A compaction: the ids of the forgotten events, and the summary that replaces them.

    ``offset`` is the number of events in the view before the summary.
    """

    forgotten: frozenset[str]
    summary: str = ""
    offset: int = 0


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An event that is not a message; ``viewed`` if OpenHands counts it as part of its view."""

    reason: str
    viewed: bool = False


Step = Spoken | Called | Observed | Condensed | LeftOut


@dataclass(slots=True)
class Contents:
    """The texts and images of a list of contents."""

    texts: list[str] = field(default_factory=list)
    rest: list[Part] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All texts, joined by newlines."""
        return "\n".join(self.texts)

    @property
    def parts(self) -> list[Part]:
        """The texts and images as parts."""
        return [*(Text(text) for text in self.texts if text), *self.rest]


def contents_of(value: Any, tally: Tally) -> Contents:
    """Read a text, or a list of texts and images as both generations write them."""
    found = Contents()
    for part in value if isinstance(value, list) else [value]:
        given = mapping(part)
        if isinstance(part, str):
            found.texts.append(part)
        elif isinstance(given.get("text"), str):
            found.texts.append(given["text"])
        elif isinstance(given.get("image_urls"), list):
            found.rest += images(given["image_urls"], tally)
        elif given:
            other = media_part(given, tally)
            found.rest += [other] if other else []
    return found


def images(urls: Any, tally: Tally) -> list[Image]:
    """Placeholders of images by their addresses."""
    given = urls if isinstance(urls, list) else []
    return [image_at(tally, url) for url in given if isinstance(url, str) and url]


def thinking_of(message: Mapping[str, Any]) -> Iterator[Thinking]:
    """The reasoning beside the content of a message, unchanged."""
    yield from thinking_blocks(message)
    for key in ("responses_reasoning_item", "reasoning_content"):
        if message.get(key) and not message.get("thinking_blocks"):
            yield Thinking(canonical_json({"type": "reasoning", key: message[key]}))


def note_tools(tools: Any, tally: Tally) -> None:
    """Count the tool definitions beside a system prompt as left out."""
    if isinstance(tools, list) and tools:
        tally.left_out["tool definition"] += len(tools)
