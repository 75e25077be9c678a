"""Export of ChatGPT (``conversations.json``): each conversation is a tree of messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_compaction.conversation.formats.gemini import listed
from pytest_compaction.conversation.formats.parts import mapping, string
from pytest_compaction.importers.exchanges import Exchange
from pytest_compaction.importers.json_files import PlacedValue
from pytest_compaction.importers.protocol import Tally
from pytest_compaction.importers.shapes import MEDIA, TEXT, THOUGHT, Shape, shaped

_SHAPE: Final = Shape(
    role=("role",),
    kinds={"image_asset_pointer": MEDIA, "audio_transcription": TEXT, "thoughts": THOUGHT},
    content=("content",),
)


def _exchange(item: PlacedValue) -> Exchange | None:
    place, value = item
    nodes = mapping(mapping(value).get("mapping"))
    if not nodes:
        return None
    tally = Tally()
    current = string(mapping(value).get("current_node")) or next(iter([*nodes][::-1]), "")
    way: list[Mapping[str, Any]] = []
    seen: set[str] = set()
    while current in nodes and current not in seen:
        seen.add(current)
        node = mapping(nodes[current])
        way.append(mapping(node.get("message")))
        current = string(node.get("parent"))
    left = sum(bool(mapping(node).get("message")) for id, node in nodes.items() if id not in seen)
    if left:
        tally.records += left
        tally.left_out["message on a branch that the user left"] += left
    records = [record for message in reversed(way) for record in _records(message, tally)]
    title = string(mapping(value).get("title"))
    id = string(mapping(value).get("conversation_id") or mapping(value).get("id"))
    model = string(mapping(value).get("default_model_slug"))
    return Exchange(place, records, name=id or title, model=model, tally=tally)


def _records(message: Mapping[str, Any], tally: Tally) -> Iterator[Mapping[str, Any]]:
    content = mapping(message.get("content"))
    author = mapping(message.get("author"))
    role, kind = string(author.get("role")), string(content.get("content_type"))
    if not role:
        return
    text = content.get("text") or content.get("result")
    parts = [*listed(content.get("parts")), *([text] if isinstance(text, str) else [])]
    if kind in ("thoughts", "reasoning_recap"):
        thoughts = content.get("thoughts") or content.get("content")
        parts = [] if thoughts is None else [{"type": "thoughts", "content": thoughts}]
    elif kind == "user_editable_context":
        keys = ("user_profile", "user_instructions")
        parts, role = [string(content.get(key)) for key in keys], "system"
    if mapping(message.get("metadata")).get("is_visually_hidden_from_conversation") is True:
        role = "system" if role == "user" else role
    parts = [part for part in parts if part]
    if not parts:
        tally.records += 1
        tally.left_out["empty message of the program"] += 1
        return
    to = string(message.get("recipient")) or "all"
    if role == "assistant" and to != "all" and not kind.startswith("thought"):
        given = parts[0] if isinstance(parts[0], str) else parts
        yield {"role": role, "content": [{"type": "tool_call", "name": to, "input": given}]}
    elif role == "tool":
        yield {"role": role, "name": author.get("name"), "content": parts}
    else:
        yield {"role": role, "content": parts}


def _recognised(value: Any) -> bool:
    first = value[0] if isinstance(value, list) and value else value
    nodes = mapping(mapping(first).get("mapping"))
    return any("message" in mapping(node) for node in nodes.values())


IMPORTER: Final = shaped(
    "chatgpt",
    "ChatGPT, exported conversations (JSON)",
    _SHAPE,
    _recognised,
    _exchange,
)
