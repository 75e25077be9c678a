"""LangChain: messages of ``messages_to_dict`` and of ``dumps``, states, and runs of LangSmith."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_compaction.conversation.formats.gemini import listed
from pytest_compaction.conversation.formats.parts import mapping, string
from pytest_compaction.importers.exchanges import Exchange, name_of
from pytest_compaction.importers.json_files import PlacedValue, is_list
from pytest_compaction.importers.shapes import Shape, TurnReader, shaped

_SHAPE: Final = Shape(
    inner=("data", "kwargs"),
    role=("type", "role"),
    roles={"AIMessageChunk": "assistant"},
    content=("content",),
    leave={"remove": "record that a message was removed"},
    read=("additional_kwargs", "response_metadata", "usage_metadata", "lc_kwargs"),
)
_CLASSES: Final = {
    f"{kind.capitalize()}Message": kind for kind in ("human", "system", "tool", "function")
} | {"AIMessage": "ai", "AIMessageChunk": "ai"}
_HOLDERS: Final = ("messages", "history", "values", "generations", "message", "output", "input")
_TYPES: Final = ("human", "ai", "system", "tool", "function", "chat", "AIMessageChunk")


class _MessageReader(TurnReader):
    def record(self, record: Mapping[str, Any]) -> None:
        """Read a message; older ones keep calls as the provider wrote them."""
        names = listed(record.get("id"))
        if record.get("type") == "chat":  # a message of any role
            record = {**record, "type": None}
        if record.get("lc") is not None and names and not isinstance(record["id"], str):
            kind = _CLASSES.get(str(names[-1]), record.get("type"))
            record = {**record, "type": kind, "id": None}
        beside = mapping(record.get("additional_kwargs"))
        if not record.get("tool_calls"):
            beside_calls = ("tool_calls", "function_call")
            record = {**record, **{key: beside[key] for key in beside_calls if beside.get(key)}}
        # Calls that the message has in its list of calls as well.
        twice = ("tool_use", "function_call", "tool_call") if record.get("tool_calls") else ()
        parts = listed(record.get("content"))
        content = [part for part in parts if mapping(part).get("type") not in twice]
        super().record({**record, "content": content})


def _is_ours(value: Any) -> bool:
    given = mapping(value)
    if given.get("type") == "constructor" and is_list(given.get("id")):
        return string(given["id"][-1]) in _CLASSES
    if given.get("type") not in _TYPES:
        return False
    return isinstance(given.get("data"), Mapping) or ("content" in given and "role" not in given)


def _messages(value: Any) -> Sequence[Any]:
    """The messages in a value, or below the members that states and runs keep them in."""
    if is_list(value):
        if any(_is_ours(one) for one in value):
            return value
        return _messages(value[0]) if len(value) else []
    given = mapping(value)
    if _is_ours(given):
        return [given]
    inner = (given[key] for key in _HOLDERS if isinstance(given.get(key), Mapping | list))
    return next(filter(None, map(_messages, inner)), [])


def _exchange(item: PlacedValue) -> Exchange | None:
    place, value = item
    given = mapping(value)
    if _is_ours(given):
        return None
    request = _messages(given.get("inputs") if "inputs" in given else value)
    answers = _messages(given.get("outputs"))
    if len(answers) > len(request) > 0:
        request, answers = answers, []
    if not request and not answers:
        return None
    run = "run_type" in given or "inputs" in given
    name = "" if run else name_of(given)
    return Exchange(place, request, answers, name=name, logged=run)


def _recognised(value: Any) -> bool:
    if isinstance(value, list) and value and not any(map(_is_ours, value[:5])):
        return any(_recognised(one) for one in value[:5] if isinstance(one, Mapping | list))
    found = _messages(value)
    inputs = mapping(value).get("inputs") or mapping(value).get("outputs")
    return bool(found) or bool(_messages(inputs))


IMPORTER: Final = shaped(
    "langchain",
    "LangChain messages and states, LangSmith runs (JSON, JSONL)",
    _SHAPE,
    _recognised,
    _exchange,
    reader=_MessageReader,
    is_message=_is_ours,
)
