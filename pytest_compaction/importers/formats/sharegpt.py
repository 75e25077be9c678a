"""ShareGPT: conversations of ``{from, value}``, with calls as turns of their own or as tags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_compaction.conversation import json_or_none
from pytest_compaction.conversation.formats.gemini import listed
from pytest_compaction.conversation.formats.parts import mapping, string
from pytest_compaction.importers.exchanges import Exchange, name_of
from pytest_compaction.importers.json_files import PlacedValue, is_list
from pytest_compaction.importers.protocol import SHAPED
from pytest_compaction.importers.shapes import Shape, TurnReader, shaped

_ROLES: Final = {
    **dict.fromkeys("gpt chatgpt bing bard function_call tool_call".split(), "assistant"),
    **dict.fromkeys("observation function_response tool_response".split(), "tool"),
}
_SHAPE: Final = Shape(role=("from",), roles=_ROLES, content=("value",))
_CALLED: Final = re.compile(
    r"<tool_call>\s*(?P<call>\{(?:(?!<tool_call>).)*?\})\s*</tool_call>", re.S
)
_ANSWER: Final = ("<tool_response>", "</tool_response>")


class _TalkReader(TurnReader):
    def record(self, record: Mapping[str, Any]) -> None:
        who, text = string(record.get("from")), string(record.get("value"))
        if who in ("function_call", "tool_call"):
            calls = [*_calls(json_or_none(text))]
            record = {**record, "value": calls or text}
        elif self.shape.roles.get(who) == "assistant" and _CALLED.search(text):
            found = [json_or_none(match["call"]) for match in _CALLED.finditer(text)]
            calls = [call for one in found for call in _calls(one)]
            said = _CALLED.sub("", text).strip()
            record = {**record, "value": [*([said] if said else []), *calls]} if calls else record
        elif (said := text.strip()).startswith(_ANSWER[0]) and said.endswith(_ANSWER[1]):
            answer = said.removeprefix(_ANSWER[0]).removesuffix(_ANSWER[1]).strip()
            record = {**record, "from": "tool", "value": answer}
        super().record(record)


def _calls(value: Any) -> Iterator[Mapping[str, Any]]:
    for call in listed(value):
        if "name" in mapping(call):
            yield {"type": "tool_call", **call}


def _exchange(item: PlacedValue) -> Exchange | None:
    place, value = item
    turns = value if is_list(value) else _listed(value)
    if not is_list(turns) or not any("from" in mapping(turn) for turn in turns):
        return None
    return Exchange(place, turns, system=mapping(value).get("system"), name=name_of(value))


def _listed(value: Any) -> Any:
    given = mapping(value)
    return given.get("conversations") or given.get("conversation") or given.get("items")


def _recognised(value: Any) -> bool:
    for one in value[:3] if isinstance(value, list) else [value]:
        turns = one if isinstance(one, list) else _listed(one) or [one]
        first = mapping(turns[0]) if isinstance(turns, list) and turns else {}
        if isinstance(first.get("from"), str) and "value" in first:
            return True
    return False


IMPORTER: Final = shaped(
    "sharegpt",
    "ShareGPT: conversations of {from, value} (JSON, JSONL)",
    _SHAPE,
    _recognised,
    _exchange,
    reader=_TalkReader,
    is_message=lambda value: "from" in mapping(value) and "value" in mapping(value),
    specificity=SHAPED,
)
