"""Conversations of gptme (``conversation.jsonl``): tools as code blocks, tags or calls in text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pytest_compaction.conversation import json_or_none
from pytest_compaction.conversation.formats.parts import mapping, string
from pytest_compaction.importers.shapes import Shape, TurnReader, shaped, under

_SHAPE: Final = Shape(role=("role",), read=("metadata", "files"))
_TOOLS: Final = "ipython|python|py|shell|bash|sh|save|append|patch|morph|browser|gh|tmux|vision|rag"
_BLOCK: Final = re.compile(
    rf"^```(?P<name>{_TOOLS})(?P<of>[ \t][^\n]{{0,500}})?\n"
    rf"(?P<code>(?:(?!^```(?:{_TOOLS})).)*?)^```[ \t]*$"
    r"|^@(?P<tool>\w{1,40})(?:\((?P<id>[^)\n]{1,100})\))?:\s*(?P<given>\{(?:(?!^@\w).)*?\})\s*$"
    rf"|<(?P<tag>{_TOOLS})(?P<with>[^>\n]{{0,500}})>(?P<within>(?:(?!<(?P=tag)).)*?)</(?P=tag)>",
    re.S | re.M,
)


class _TalkReader(TurnReader):
    def prepare(self, records: Iterable[Any]) -> Iterable[Any]:
        """Make calls of the blocks that were answered, and results of their answers."""
        held = [mapping(record) for record in records]
        following = [0]
        for record in reversed(held):
            answers = record.get("role") in ("system", "tool")
            following.append(following[-1] + 1 if answers else 0)
        waiting: list[str] = []
        for number, record in enumerate(held):
            role = record.get("role")
            if role == "assistant":
                text = string(record.get("content"))
                parts = [*self._parts(text, following[len(held) - number - 1])]
                waiting = [part["id"] for part in parts if "id" in part]
                yield {**record, "content": parts}
            elif role in ("system", "tool") and waiting:
                yield {**record, "role": "tool", "tool_call_id": waiting.pop(0)}
            else:
                waiting = []
                yield record

    def _parts(self, text: str, answers: int) -> Iterator[dict[str, Any]]:
        place = 0
        for block in _BLOCK.finditer(text):
            if not answers:
                break
            answers -= 1
            yield {"type": "text", "text": text[place : block.start()].strip()}
            place = block.end()
            self._number += 1
            self.tally.repaired["command written as text, given as a tool call"] += 1
            id = block["id"] or f"block-{self._number}"
            name = block["name"] or block["tool"] or block["tag"]
            yield {"type": "tool_call", "id": id, "name": name, "input": _arguments(block)}
        yield {"type": "text", "text": text[place:].strip()}

    _number = 0


def _arguments(block: re.Match[str]) -> Mapping[str, Any]:
    if block["tool"]:
        return mapping(json_or_none(block["given"])) or {"input": block["given"]}
    code = (block["code"] if block["name"] else block["within"]).strip("\n")
    of = (block["of"] or block["with"] or "").strip()
    if (block["name"] or block["tag"]) in ("save", "append", "patch", "morph"):
        return {"path": of, "content": code}
    return {"code": code}


def _recognised(value: Any) -> bool:
    line = mapping(value)
    told = line.get("role") == "system" and isinstance(line.get("content"), str)
    return told and "timestamp" in line and ("pinned" in line or "gptme" in line["content"][:200])


IMPORTER: Final = shaped(
    "gptme",
    "gptme, conversation (JSONL)",
    _SHAPE,
    _recognised,
    under("messages"),
    reader=_TalkReader,
)
