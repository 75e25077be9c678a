"""Spans of OpenTelemetry with the messages of calls to models, of which each has all so far.

Instrumentations write them as ``gen_ai.input.messages`` or as events. Spans that continue one
another are one conversation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_compaction.conversation import json_or_none
from pytest_compaction.conversation.formats.gemini import listed
from pytest_compaction.conversation.formats.parts import mapping, string
from pytest_compaction.importers.exchanges import Exchange
from pytest_compaction.importers.json_files import PlacedValue
from pytest_compaction.importers.shapes import Shape, shaped

_SHAPE: Final = Shape(inner=("message",), content=("parts", "content", "contents"))
_INPUTS: Final = ("gen_ai.input.messages", "ai.prompt.messages", "gen_ai.input_messages")
_OUTPUTS: Final = ("gen_ai.output.messages", "gen_ai.output_messages")
_SAID: Final = re.compile(r"gen_ai\.(?P<role>system|user|assistant|tool)\.message|gen_ai\.choice")
_MARKS: Final = (*_INPUTS, *_OUTPUTS, "gen_ai.operation.name", "gen_ai.system")


def _spans(found: PlacedValue) -> Iterator[PlacedValue]:
    """The spans in a value, in the order of their beginning."""
    place, value = found
    spans = [span for one in listed(value) for span in _within(mapping(one))]
    order = sorted(spans, key=lambda span: str(_start(span)).zfill(40))
    for number, span in enumerate(order):
        yield PlacedValue(f"{place}, span {number}", span)


def _within(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    inner = [
        mapping(one)
        for key in ("resourceSpans", "scopeSpans", "instrumentationLibrarySpans", "spans", "data")
        if isinstance(value.get(key), list)
        for one in value[key]
    ]
    if inner:
        for one in inner:
            yield from _within(one)
    else:
        yield value


def _start(span: Mapping[str, Any]) -> Any:
    keys = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime")
    return next((span[key] for key in keys if span.get(key)), "")


def _attributes(given: Any) -> dict[str, Any]:
    """The attributes by their full names, whether listed with typed values, nested or flat."""
    if isinstance(given, list):
        pairs = ((str(mapping(one).get("key")), _value(mapping(one).get("value"))) for one in given)
        return dict(pairs)
    flat: dict[str, Any] = {}
    waiting = [("", mapping(given))]
    while waiting:
        prefix, within = waiting.pop()
        for key, value in within.items():
            if isinstance(value, Mapping) and prefix.count(".") < 8:
                waiting.append((f"{prefix}{key}.", value))
            else:
                flat[f"{prefix}{key}"] = value
    return flat


def _value(given: Any) -> Any:
    kind, value = next(iter(mapping(given).items()), ("", given))
    if kind == "arrayValue":
        return [_value(one) for one in listed(mapping(value).get("values"))]
    if kind == "kvlistValue":
        return _attributes(mapping(value).get("values"))
    return value


def _exchange(item: PlacedValue) -> Exchange | None:
    place, span = item
    attributes = _attributes(mapping(span).get("attributes") or mapping(span).get("tags"))
    request: list[Any] = []
    response: list[Any] = []
    for event in map(mapping, listed(mapping(span).get("events"))):
        more = _attributes(event.get("attributes"))
        attributes = {**more, **attributes}
        if said := _SAID.fullmatch(string(event.get("name"))):
            message = {"role": said["role"] or "assistant", **_read(more)}
            (request if said["role"] else response).append(message)
    request = _messages(attributes, _INPUTS) or request
    response = _messages(attributes, _OUTPUTS) or response
    if not request:
        return None
    system = _json(attributes.get("gen_ai.system_instructions"))
    model = attributes.get("gen_ai.response.model") or attributes.get("gen_ai.request.model")
    return Exchange(place, request, response, system, model=string(model), logged=True)


def _read(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {key.rpartition(".")[2]: _json(value) for key, value in attributes.items()}


def _json(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in ("[", "{"):
        found = json_or_none(value)
        return value if found is None else found
    return value


def _messages(attributes: Mapping[str, Any], keys: tuple[str, ...]) -> list[Any]:
    found = (_json(attributes.get(key)) for key in keys)
    return next(([*one] for one in found if isinstance(one, list) and one), [])


_ASKING: Final = ("chat", "text_completion", "generate_content")
"""The kinds of spans that are calls of a model."""


def _beside(span: Any) -> str:
    """Why a span without messages is left out: a trace has spans of agents, tools and programs."""
    attributes = _attributes(mapping(span).get("attributes") or mapping(span).get("tags"))
    kind = attributes.get("gen_ai.operation.name")
    marked = any(key.startswith("gen_ai.") for key in attributes)
    asked = kind in _ASKING or (marked and not kind)
    return "" if asked else "span that is no call of a model"


def _recognised(value: Any) -> bool:
    spans = [span for one in listed(value)[:5] for span in _within(mapping(one))][:50]
    return any(
        key in _MARKS
        for span in spans
        for key in _attributes(span.get("attributes") or span.get("tags"))
    )


IMPORTER: Final = shaped(
    "otel",
    "OpenTelemetry spans of model calls (OTLP or JSON lines)",
    _SHAPE,
    _recognised,
    _exchange,
    is_message=lambda value: False,
    split=_spans,
    beside=_beside,
)
