"""Parts that each provider writes in its own way, and what readers make of those."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from pytest_compaction.conversation.messages import Image, Opaque, Part, Text, canonical_json

Json = dict[str, Any]

TEXTS: Final = ("text", "input_text", "output_text")
THOUGHTS: Final = ("thinking", "redacted_thinking", "reasoning")
IMAGES: Final = ("image_url", "input_image", "computer_screenshot")
"""Types of OpenAI's parts: texts, reasoning, and images by their address."""


def first_of(given: Mapping[str, Any], keys: Sequence[str]) -> Any:
    """The value of the first key that has one."""
    return next((given[key] for key in keys if given.get(key) is not None), None)


class MessageShapeError(ValueError):
    """A value is not a message of its format; the text says where and why."""


@dataclass(frozen=True, slots=True)
class Media:
    """An image, or another file: its address, or its ``data`` in base64; ``None`` if not given."""

    is_image: bool
    media_type: str = ""
    data: str | None = None
    url: str | None = None

    @property
    def address(self) -> str | None:
        """The address; data as a ``data:`` address."""
        if self.data is None or self.url is not None:
            return self.url
        return f"data:{self.media_type or 'image/png'};base64,{self.data}"


class PartRules(Protocol):
    """How a reader replaces parts that a message cannot hold as they are."""

    def text(self, text: str) -> Part | None:
        """A text, which may be empty."""

    def media(self, part: Mapping[str, Any], found: Media) -> Part:
        """The image or file that ``part`` is."""

    def unknown(self, what: str, part: Any, place: str) -> Part | None:
        """A part of no known kind; ``what`` is what the format calls it. ``None`` leaves it out."""

    def wrong(self, sentence: str) -> ValueError:
        """The error for a message that cannot be read."""


class Verbatim:
    """Keeps every part as it is, and refuses what is not one."""

    def text(self, text: str) -> Part | None:
        """The text, also an empty one."""
        return Text(text)

    def media(self, part: Mapping[str, Any], found: Media) -> Part:
        """An image; any other file is for its provider alone."""
        is_image = found.is_image and part.get("type") != "computer_screenshot"
        return (Image if is_image else Opaque)(canonical_json(part))

    def unknown(self, what: str, part: Any, place: str) -> Part | None:
        """An opaque part."""
        kind = part.get("type") if isinstance(part, Mapping) else None
        if not isinstance(kind, str):
            raise MessageShapeError(f"{place} is not a dictionary with a type")
        if kind in TEXTS:
            raise MessageShapeError(f"{place} has type {kind!r} but no text")
        return Opaque(canonical_json(part))

    def wrong(self, sentence: str) -> ValueError:
        """The error of functions and case files."""
        return MessageShapeError(sentence)


VERBATIM: Final = Verbatim()


def media_of(part: Mapping[str, Any]) -> Media | None:
    """The image or file that a part of any provider is; ``None`` if it is neither."""
    kind, given = part.get("type"), part.get("image_url")
    source = mapping(part.get("source"))
    data, media_type = source.get("data"), string(source.get("media_type"))
    if kind in IMAGES or kind == "image":
        url = given.get("url") if isinstance(given, Mapping) else given
        if not isinstance(url, str) and (source.get("type") == "url" or not isinstance(data, str)):
            url = source.get("url")
        if isinstance(url, str):
            return Media(True, url=url)
        return Media(True, media_type, data if isinstance(data, str) else None)
    if kind == "document":
        return Media(False, media_type, string(data))
    if kind == "input_audio":
        sound = mapping(part.get("input_audio"))
        media_type = f"audio/{sound.get('format', 'unknown')}"
        return Media(False, media_type, string(sound.get("data")))
    if kind in ("file", "input_file"):
        file = mapping(part.get("file")) or part
        return Media(False, string(file.get("filename")), string(file.get("file_data")))
    inline, stored = mapping(part.get("inlineData")), mapping(part.get("fileData"))
    if inline:
        media_type = str(inline.get("mimeType", ""))
        return Media(media_type.startswith("image/"), media_type, string(inline.get("data")))
    return Media(True, url=string(stored.get("fileUri"))) if stored else None


def image_url(image: Image) -> str | None:
    """The address of an image, or its data as one; ``None`` if a message does not hold it."""
    found = media_of(json.loads(image.payload))
    return None if found is None else found.address


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


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is a mapping, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def string(value: Any) -> str:
    """The value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def required_id(value: Any, what: str, place: str, rules: PartRules) -> str:
    """The id of a call or result, by which they find each other; raises if it is missing."""
    if not isinstance(value, str) or not value:
        raise rules.wrong(f"{place}: {what}; fix or remove it")
    return value


def as_arguments(given: Any) -> str:
    """The arguments of a call as JSON text; a text stays as the model wrote it."""
    if isinstance(given, str):
        return given
    return json.dumps({} if given is None else given, ensure_ascii=False)
