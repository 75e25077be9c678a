"""Turn Cline's message content into Anthropic's blocks."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from pytest_compaction.conversation.messages import json_or_none
from pytest_compaction.importers.protocol import Tally
from pytest_compaction.importers.reading.fields import mapping

_WRAPPER: Final = re.compile(
    r"\A\s*<(?P<tag>user_input|task|feedback|answer|user_message)\b[^>\n]{0,200}>\s*"
    r"(?P<text>.*?)\s*</(?P=tag)>\s*\Z",
    re.S,
)


def anthropic_blocks(content: Any, tally: Tally) -> Any:
    """The content as Anthropic's blocks: files and query results as text, no tags around text."""
    if isinstance(content, str):
        return _unwrapped(content, tally)
    blocks = plain_blocks(content, tally)
    if not isinstance(blocks, list):
        return blocks
    return [_without_tag(block, tally) if isinstance(block, Mapping) else block for block in blocks]


def plain_blocks(content: Any, tally: Tally) -> Any:
    """The content as Anthropic's blocks, with its texts as they are."""
    if not isinstance(content, list):
        return content
    return [_block(block, tally) if isinstance(block, Mapping) else block for block in content]


def _without_tag(block: Mapping[str, Any], tally: Tally) -> Mapping[str, Any]:
    if block.get("type") == "text" and isinstance(block.get("text"), str):
        return {**block, "text": _unwrapped(block["text"], tally)}
    return block


def _unwrapped(text: str, tally: Tally) -> str:
    """What the user typed, without the tag that Cline puts around it."""
    match = _WRAPPER.match(text)
    if match is None:
        return text
    tally.repaired["tag around the user's text, removed"] += 1
    return match["text"]


def _block(block: Mapping[str, Any], tally: Tally) -> Mapping[str, Any]:
    kind = block.get("type")
    if kind == "file":
        tally.repaired["attached file, given as text under its path"] += 1
        return {"type": "text", "text": f"{block.get('path', '')}\n{block.get('content', '')}"}
    if kind == "tool_result":
        return _result(block)
    return block


def _result(block: Mapping[str, Any]) -> Mapping[str, Any]:
    """A result as text, if its content is a list of queries with results, or one as JSON text."""
    content = block.get("content")
    queries = content if isinstance(content, list) else [_loaded(content)]
    if not queries or not all(_is_query(query) for query in queries):
        return block
    texts = [_query_text(mapping(query)) for query in queries]
    failed = all(mapping(query).get("success") is False for query in queries)
    given = {**block, "content": "\n".join(text for text in texts if text)}
    return {**given, "is_error": True} if failed else given


def _loaded(content: Any) -> Any:
    if not isinstance(content, str) or not content.startswith('{"query"'):
        return None
    return json_or_none(content)


def _is_query(value: Any) -> bool:
    given = mapping(value)
    return "type" not in given and "query" in given and ("result" in given or "error" in given)


def _query_text(query: Mapping[str, Any]) -> str:
    found = [query.get(key) for key in ("query", "result", "error")]
    return "\n".join(
        text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
        for text in found
        if text
    )
