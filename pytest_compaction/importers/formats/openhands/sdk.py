"""Events of the OpenHands SDK, distinguished by their ``kind``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_compaction.conversation.messages import Part, ToolCall
from pytest_compaction.importers.formats.openhands.steps import (
    Called,
    Condensed,
    LeftOut,
    Observed,
    Spoken,
    Step,
    contents_of,
    note_tools,
    thinking_of,
)
from pytest_compaction.importers.protocol import Tally
from pytest_compaction.importers.reading.fields import as_arguments, mapping, string, unknown
from pytest_compaction.text.words import printable

_RESULTS: Final = ("ObservationEvent", "UserRejectObservation", "AgentErrorEvent")
_ROLES: Final = ("system", "user", "assistant")


def is_sdk(event: Mapping[str, Any]) -> bool:
    """Whether this is an event with a kind, a source, and an id or a time."""
    named = isinstance(event.get("kind"), str) and isinstance(event.get("source"), str)
    return named and ("timestamp" in event or "id" in event)


def sdk_steps(event: Mapping[str, Any], tally: Tally) -> Iterator[Step]:
    """The steps that the event consists of."""
    kind = str(event["kind"])
    if kind == "SystemPromptEvent":
        note_tools(event.get("tools"), tally)
        texts = [event.get("system_prompt"), event.get("dynamic_context")]
        yield Spoken("system", contents_of([text for text in texts if text], tally).parts)
    elif kind == "MessageEvent":
        yield _message(event, tally)
    elif kind == "ActionEvent":
        yield _action(event, tally)
    elif kind in _RESULTS:
        yield _result(event, kind, tally)
    elif kind == "Condensation":
        yield _condensation(event)
    else:
        yield LeftOut(f"program event: {printable(kind, 60)}")


def _message(event: Mapping[str, Any], tally: Tally) -> Step:
    message = mapping(event.get("llm_message"))
    role = message.get("role")
    if role not in _ROLES:
        return LeftOut(unknown("message role", role))
    parts: list[Part] = [*thinking_of(message), *contents_of(message.get("content"), tally).parts]
    parts += contents_of(event.get("extended_content") or [], tally).parts
    return Spoken(str(role), parts)


def _action(event: Mapping[str, Any], tally: Tally) -> Step:
    call = mapping(event.get("tool_call"))
    function = mapping(call.get("function")) or call
    id = event.get("tool_call_id") or call.get("id") or f"event-{event.get('id')}"
    name = event.get("tool_name") or function.get("name") or "unknown"
    parts = [*thinking_of(event), *contents_of(event.get("thought") or [], tally).parts]
    response = str(event.get("llm_response_id") or id)
    return Called(
        response, parts, [ToolCall(str(id), str(name), as_arguments(function.get("arguments")))]
    )


def _result(event: Mapping[str, Any], kind: str, tally: Tally) -> Step:
    id = str(event.get("tool_call_id"))
    if kind == "AgentErrorEvent":
        return Observed(id, str(event.get("error", "")), is_error=True)
    if kind == "UserRejectObservation":
        return Observed(id, f"Action rejected: {event.get('rejection_reason', '')}")
    observation = mapping(event.get("observation"))
    found = contents_of(observation.get("content") or [], tally)
    if not found.texts:
        keys = ("output", "error", "message", "result")
        found.texts += [observation[k] for k in keys if isinstance(observation.get(k), str)]
    suffix = mapping(observation.get("metadata")).get("suffix")
    text = found.text
    if isinstance(suffix, str) and suffix not in text:
        text += suffix
    extended = contents_of(event.get("extended_content") or [], tally).text
    return Observed(
        id,
        f"{text}\n{extended}" if extended else text,
        found.rest,
        observation.get("is_error") is True,
    )


def _condensation(event: Mapping[str, Any]) -> Step:
    forgotten = event.get("forgotten_event_ids")
    summary, offset = event.get("summary"), event.get("summary_offset")
    return Condensed(
        frozenset(str(id) for id in forgotten) if isinstance(forgotten, list) else frozenset(),
        string(summary),
        offset if isinstance(offset, int) else 0,
    )
