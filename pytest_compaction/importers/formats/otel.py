"""Spans of OpenTelemetry with the messages of calls to models, of which each has all so far.

Instrumentations write them as ``gen_ai.input.messages``, as events, or under numbered keys
(OpenLLMetry, OpenInference). Spans that continue one another are one conversation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_compaction.conversation import json_or_none
from pytest_compaction.conversation.formats.gemini import listed
from pytest_compaction.conversation.formats.parts import first_of, mapping, string
from pytest_compaction.importers.exchanges import Exchange
from pytest_compaction.importers.json_files import PlacedValue, is_list
from pytest_compaction.importers.shapes import Shape, shaped

_SHAPE: Final = Shape(inner=("message",), content=("parts", "content", "contents"))
_NUMBERED: Final = re.compile(
    r"(?:gen_ai|llm)\.(?P<side>prompt|completion|input_messages|output_messages)"
    r"\.(?P<number>\d{1,5})\.(?P<rest>.+)"
)
_INPUTS: Final = ("gen_ai.input.messages", "ai.prompt.messages", "gen_ai.input_messages")
_OUTPUTS: Final = ("gen_ai.output.messages", "gen_ai.output_messages")
_SAID: Final = re.compile(r"gen_ai\.(?P<role>system|user|assistant|tool)\.message|gen_ai\.choice")
_MARKS: Final = (*_INPUTS, *_OUTPUTS, "gen_ai.operation.name", "gen_ai.system", "llm.model_name")


def _spans(found: PlacedValue) -> Iterator[PlacedValue]:
    """The spans in a value, in the order of their beginning."""
    place, value = found
    spans = [span for one in listed(value) for span in _within(mapping(one))]
    keys = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime")
    order = sorted(spans, key=lambda span: str(first_of(span, keys) or "").zfill(40))
    for number, span in enumerate(order):
        yield PlacedValue(f"{place}, span {number}", span)


def _within(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    inner = [
        mapping(one)
        for key in ("resourceSpans", "scopeSpans", "instrumentationLibrarySpans", "spans", "data")
        if is_list(value.get(key))
        for one in value[key]
    ]
    if inner:
        for one in inner:
            yield from _within(one)
    else:
        yield value


def _attributes(given: Any) -> dict[str, Any]:
    """The attributes by their full names, whether listed with typed values, nested or flat."""
    if is_list(given):
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


_ASKING: Final = ("chat", "text_completion", "generate_content", "LLM")
"""The kinds of spans that are calls of a model."""


def _exchange(item: PlacedValue) -> Exchange | str | None:
    """A call of a model; a trace has spans of agents, tools and programs too."""
    place, span = item
    own = attributes = _attributes(mapping(span).get("attributes") or mapping(span).get("tags"))
    request, response = _numbered(attributes)
    for event in map(mapping, listed(mapping(span).get("events"))):
        more = _attributes(event.get("attributes"))
        attributes = {**more, **attributes}
        if said := _SAID.fullmatch(string(event.get("name"))):
            members = {key.rpartition(".")[2]: _json(value) for key, value in more.items()}
            message = {"role": said["role"] or "assistant", **members}
            (request if said["role"] else response).append(message)
    request = _messages(attributes, _INPUTS) or request
    response = _messages(attributes, _OUTPUTS) or response
    if not request:
        kinds = [own.get(key) for key in ("gen_ai.operation.name", "openinference.span.kind")]
        marked = any(key.startswith(("gen_ai.", "llm.")) for key in own)
        asked = any(kind in _ASKING for kind in kinds) or (marked and not any(kinds))
        return None if asked else "span that is no call of a model"
    system = _json(attributes.get("gen_ai.system_instructions"))
    model = attributes.get("gen_ai.response.model") or attributes.get("gen_ai.request.model")
    return Exchange(place, request, response, system, model=string(model), logged=True)


def _json(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in ("[", "{"):
        found = json_or_none(value)
        return value if found is None else found
    return value


def _messages(attributes: Mapping[str, Any], keys: tuple[str, ...]) -> list[Any]:
    found = (_json(attributes.get(key)) for key in keys)
    return next(([*one] for one in found if is_list(one) and one), [])


def _numbered(attributes: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """Request and response from numbered keys, such as ``gen_ai.prompt.0.role``."""
    sides: dict[bool, dict[int, dict[str, Any]]] = {True: {}, False: {}}
    for key, value in attributes.items():
        if match := _NUMBERED.fullmatch(key):
            asked = match["side"] in ("prompt", "input_messages")
            inner: Any = sides[asked].setdefault(int(match["number"]), {})
            *steps, last = match["rest"].split(".")
            for step in steps:
                inner = inner.setdefault(step, {}) if isinstance(inner, dict) else None
            if isinstance(inner, dict):
                inner[last] = _json(value)
    made = [[side[number] for number in sorted(side)] for side in sides.values()]
    answers = [{"role": "assistant", **_lists(message)} for message in made[1]]
    return [_lists(message) for message in made[0]], answers


def _lists(value: Any) -> Any:
    """Objects whose keys are numbers as lists, without the name that OpenInference puts around."""
    if not isinstance(value, dict):
        return value
    if value and all(key.isdigit() for key in value):
        return [_lists(value[key]) for key in sorted(value, key=int)]
    inner = next(iter(value.values())) if len(value) == 1 else None
    if isinstance(inner, dict) and next(iter(value)) in ("message", "tool_call", "message_content"):
        return _lists(inner)
    return {key: _lists(one) for key, one in value.items()}


def _recognised(value: Any) -> bool:
    spans = [span for one in listed(value)[:5] for span in _within(mapping(one))][:50]
    return any(
        key in _MARKS or _NUMBERED.fullmatch(key) is not None
        for span in spans
        for key in _attributes(span.get("attributes") or span.get("tags"))
    )


IMPORTER: Final = shaped(
    "otel",
    "OpenTelemetry spans of model calls: OTLP, OpenLLMetry, OpenInference (JSON, JSONL)",
    _SHAPE,
    _recognised,
    _exchange,
    is_message=lambda value: False,
    split=_spans,
)
