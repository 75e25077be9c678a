"""Traces and observations exported from Langfuse: each generation has the messages so far.

The form is known from documentation alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_compaction.conversation import json_or_none
from pytest_compaction.conversation.formats.gemini import listed
from pytest_compaction.conversation.formats.parts import mapping, string
from pytest_compaction.importers.exchanges import Exchange
from pytest_compaction.importers.json_files import PlacedValue, is_list
from pytest_compaction.importers.shapes import Shape, shaped

_SHAPE: Final = Shape(inner=("kwargs",))


def _observations(found: PlacedValue) -> Iterator[PlacedValue]:
    """The generations of a trace in the order of their beginning; a trace without one, itself."""
    place, value = found
    rows = mapping(value).get("data")
    for number, one in enumerate(rows if is_list(rows) else listed(value)):
        within = [mapping(each) for each in listed(mapping(one).get("observations"))]
        asked = [each for each in within if _request(each)]
        asked.sort(key=lambda each: string(each.get("startTime")))
        for each in asked or [one]:
            yield PlacedValue(f"{place}, item {number}", each)


def _exchange(item: PlacedValue) -> Exchange | None:
    place, value = item
    data = mapping(value)
    request = _request(data)
    if not request:
        return None
    answer = _read(data.get("output"))
    if isinstance(answer, str) and answer:
        answer = {"role": "assistant", "content": answer}
    answers = answer.get("messages") or answer if isinstance(answer, Mapping) else answer
    found = [one for one in listed(answers) if "role" in mapping(one)]
    return Exchange(place, request, found, model=string(data.get("model")), logged=True)


def _request(observation: Mapping[str, Any]) -> list[Any]:
    """The messages that a generation was given; a bare text is the user's."""
    given = _read(observation.get("input"))
    if isinstance(given, Mapping):
        given = given.get("messages") or given.get("input") or [given]
    if isinstance(given, str) and given and observation.get("type") == "GENERATION":
        return [{"role": "user", "content": given}]
    return [one for one in listed(given) if "role" in mapping(one)]


def _read(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in ("[", "{"):
        return json_or_none(value) or value
    return value


def _recognised(value: Any) -> bool:
    rows = mapping(value).get("data")
    for one in listed(rows if isinstance(rows, list) else value)[:5]:
        data = mapping(one)
        seen = [mapping(each) for each in listed(data.get("observations"))[:20]] or [data]
        if any("traceId" in each and "type" in each and _request(each) for each in seen):
            return True
    return False


IMPORTER: Final = shaped(
    "langfuse",
    "Langfuse, exported traces and observations (JSON, JSONL)",
    _SHAPE,
    _recognised,
    _exchange,
    is_message=lambda value: False,
    split=_observations,
    named_only=True,
)
