"""Events of OpenHands before its SDK: an ``action`` and the ``observation`` that follows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeGuard

from pytest_compaction.conversation.messages import Part, Text, ToolCall
from pytest_compaction.importers.formats.openhands.steps import (
    Called,
    Condensed,
    Contents,
    LeftOut,
    Observed,
    Spoken,
    Step,
    contents_of,
    images,
    note_tools,
    thinking_of,
)
from pytest_compaction.importers.protocol import Tally
from pytest_compaction.importers.reading.fields import as_arguments, mapping, string, tool_call
from pytest_compaction.text.words import printable

_PROGRAM: Final = (
    "change_agent_state",
    "condensation_request",
    "loop_recovery",
    "null",
    "pause",
    "resume",
    "start",
    "stop",
)
_ENDINGS: Final = ("finish", "reject")
# Fields of an action that are not arguments of the model's call.
_BOOKKEEPING: Final = (
    "thought",
    "blocking",
    "cwd",
    "confirmation_state",
    "hidden",
    "impl_source",
    "is_static",
    "keep_prompt",
    "security_risk",
)
_INSTRUCTIONS: Final = ("repo_instructions", "additional_agent_instructions")


def is_classic(event: Mapping[str, Any]) -> bool:
    """Whether this is an action with arguments or an observation with content."""
    acts = isinstance(event.get("action"), str) and isinstance(event.get("args"), Mapping)
    sees = isinstance(event.get("observation"), str) and "content" in event
    return (acts or sees) and any(key in event for key in ("source", "cause", "timestamp"))


class ClassicEvents:
    """Reads the events of one stream in order."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._responses: set[str] = set()
        self._delegated = False
        self._by_user: dict[str, str] = {}

    def steps(self, event: Mapping[str, Any]) -> Iterator[Step]:
        """The steps that the event consists of."""
        if self._delegated and event.get("observation") != "delegate":
            yield LeftOut("sub-agent event; its result is in the call that started it")
        elif isinstance(event.get("action"), str):
            yield from self._action(event, event["action"], mapping(event.get("args")))
        else:
            yield from self._observation(event, str(event.get("observation")))

    def _action(
        self, event: Mapping[str, Any], action: str, args: Mapping[str, Any]
    ) -> Iterator[Step]:
        source = event.get("source")
        if action == "system":
            note_tools(args.get("tools"), self._tally)
            yield Spoken("system", contents_of(args.get("content"), self._tally).parts)
        elif action == "message":
            parts = contents_of(args.get("content"), self._tally).parts
            parts += images(args.get("image_urls"), self._tally)
            yield Spoken("assistant" if source == "agent" else "user", parts)
        elif action == "condensation":
            yield _condensed(args)
        elif action == "recall":
            # Left out, but part of the view: condensations count such events in their offset.
            yield LeftOut("knowledge search by the program", viewed=True)
        elif action in _PROGRAM:
            yield LeftOut(f"program action: {action}")
        elif action in _ENDINGS:
            yield self._ending(event, args)
        elif source == "user":
            self._by_user[str(event.get("id"))] = str(args.get("command", action))
            yield LeftOut("user command, kept with its output", viewed=True)
        else:
            self._delegated = action == "delegate"
            yield self._call(event, action, args)

    def _call(self, event: Mapping[str, Any], action: str, args: Mapping[str, Any]) -> Step:
        response, message = _response_of(event)
        calls = message.get("tool_calls")
        if not isinstance(calls, list) or not calls:
            known = mapping(event.get("tool_call_metadata"))
            id = str(known.get("tool_call_id") or f"event-{event.get('id')}")
            given = {k: v for k, v in args.items() if k not in _BOOKKEEPING and v is not None}
            thought = [Text(args["thought"])] if _is_text(args.get("thought")) else []
            name = str(known.get("function_name") or action)
            return Called(id, thought, [ToolCall(id, name, as_arguments(given))])
        if response in self._responses:
            return LeftOut("further action of a response; its calls are kept together", True)
        self._responses.add(response)
        return Called(response, self._said(message), [_tool_call(mapping(c)) for c in calls])

    def _said(self, message: Mapping[str, Any]) -> list[Part]:
        return [*thinking_of(message), *contents_of(message.get("content"), self._tally).parts]

    def _ending(self, event: Mapping[str, Any], args: Mapping[str, Any]) -> Step:
        """The last words of the agent as text, because the program never answers this call."""
        _, message = _response_of(event)
        parts = self._said(message)
        if not parts and _is_text(args.get("thought")):
            parts = [Text(args["thought"])]
        outputs = mapping(args.get("outputs"))
        for words in (args.get("final_thought"), outputs.get("content"), outputs.get("reason")):
            if _is_text(words) and Text(words) not in parts:
                parts.append(Text(words))
        called = [mapping(call) for call in message.get("tool_calls") or []]
        final = [_tool_call(call).parsed().get("message") for call in called]
        parts += [Text(text) for text in final if _is_text(text) and Text(text) not in parts]
        self._tally.repaired["call that ends the run, given as text"] += 1
        return Spoken("assistant", parts)

    def _observation(self, event: Mapping[str, Any], kind: str) -> Iterator[Step]:
        extras = mapping(event.get("extras"))
        if kind == "recall":
            yield self._recalled(extras)
            return
        if kind in {"agent_state_changed", "null", "condense"}:
            yield LeftOut(f"program observation: {kind}")
            return
        self._delegated = False
        cause = str(event.get("cause"))
        found = contents_of(event.get("content"), self._tally)
        text = _shown(found, extras, event)
        if cause in self._by_user:
            yield Spoken("user", [Text(f"Ran `{self._by_user[cause]}`\n{text}")])
            return
        call_id = mapping(event.get("tool_call_metadata")).get("tool_call_id")
        if not isinstance(call_id, str) or not call_id:
            call_id = f"event-{cause}" if "cause" in event else ""
        if call_id:
            rest = [*found.rest, *images([extras.get("screenshot")], self._tally)]
            rest += images(extras.get("image_urls"), self._tally)
            yield Observed(call_id, text, rest, kind == "error")
        else:
            self._tally.repaired["program notice without a call, given as a system message"] += 1
            yield Spoken("system", found.parts)

    def _recalled(self, extras: Mapping[str, Any]) -> Step:
        knowledge = extras.get("microagent_knowledge")
        count = len(knowledge) if isinstance(knowledge, list) else 0
        if count:
            self._tally.left_out["knowledge added by the program"] += count
        texts = [extras[key] for key in _INSTRUCTIONS if _is_text(extras.get(key))]
        if texts:
            return Spoken("user", [Text(text) for text in texts])
        return LeftOut("workspace context added by the program", viewed=True)


def _is_text(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value.strip())


def _response_of(event: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The id and message of the model's response to which an event belongs, if recorded."""
    response = mapping(mapping(event.get("tool_call_metadata")).get("model_response"))
    choices = response.get("choices")
    first = mapping(choices[0]) if isinstance(choices, list) and choices else {}
    return str(response.get("id") or f"event-{event.get('id')}"), mapping(first.get("message"))


def _tool_call(call: Mapping[str, Any]) -> ToolCall:
    function = mapping(call.get("function"))
    return tool_call(str(call.get("id")), function.get("name"), function.get("arguments"))


def _shown(found: Contents, extras: Mapping[str, Any], event: Mapping[str, Any]) -> str:
    """The output as the model saw it, with the lines that the terminal added around it."""
    around = mapping(extras.get("metadata"))
    before, after = string(around.get("prefix")), string(around.get("suffix"))
    text = found.text
    if not text and isinstance(extras.get("outputs"), Mapping):
        text = as_arguments(extras["outputs"])
    if not text and not around.get("suffix"):
        text = printable(str(event.get("message") or ""), 2_000)
    return before + text + after


def _condensed(args: Mapping[str, Any]) -> Condensed:
    listed = args.get("forgotten_event_ids")
    first, last = args.get("forgotten_events_start_id"), args.get("forgotten_events_end_id")
    forgotten = {str(id) for id in listed} if isinstance(listed, list) else set()
    # A broken range must not fill the memory with ids.
    if isinstance(first, int) and isinstance(last, int) and 0 <= last - first < 1_000_000:
        forgotten |= {str(id) for id in range(first, last + 1)}
    summary, offset = args.get("summary"), args.get("summary_offset")
    return Condensed(
        frozenset(forgotten),
        string(summary),
        offset if isinstance(offset, int) else 0,
    )
