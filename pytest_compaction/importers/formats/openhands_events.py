"""Events of both generations of OpenHands, and the conversation that they make.

Before the SDK they are an ``action`` and the ``observation`` that follows it; those of the SDK are
distinguished by their ``kind``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeGuard

from pytest_compaction.conversation import (
    Message,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    canonical_json,
    text_message,
)
from pytest_compaction.conversation.formats.chat import read_part
from pytest_compaction.conversation.formats.gemini import listed
from pytest_compaction.conversation.formats.parts import Media, as_arguments, mapping, string
from pytest_compaction.importers.chat_messages import thinking_blocks
from pytest_compaction.importers.protocol import (
    Boundary,
    Tally,
    Transcript,
    counted_tokens,
    seconds_between,
    unknown,
)
from pytest_compaction.importers.threads import ThreadBuilder
from pytest_compaction.text import printable

_ROLES: Final = ("system", "user", "assistant")
_PROGRAM: Final = (
    "change_agent_state condensation_request loop_recovery null pause resume start stop"
).split()
_BOOKKEEPING: Final = (
    "thought blocking cwd confirmation_state hidden impl_source is_static keep_prompt security_risk"
).split()
"""Fields of an action that are not arguments of the model's call."""


def is_classic(event: Mapping[str, Any]) -> bool:
    """Whether this is an action with arguments or an observation with content."""
    acts = isinstance(event.get("action"), str) and isinstance(event.get("args"), Mapping)
    sees = isinstance(event.get("observation"), str) and "content" in event
    return (acts or sees) and any(key in event for key in ("source", "cause", "timestamp"))


def is_sdk(event: Mapping[str, Any]) -> bool:
    """Whether this is an event with a kind, a source, and an id or a time."""
    named = isinstance(event.get("kind"), str) and isinstance(event.get("source"), str)
    return named and ("timestamp" in event or "id" in event)


class EventReader:
    """Reads the events of one stream in order into one conversation."""

    def __init__(self, place: str, tally: Tally) -> None:
        self._place = place
        self._tally = tally
        self._thread = ThreadBuilder(self._tally)
        self._model = ""
        self._ids: list[str] = []
        self._viewed: list[bool] = []
        """Whether OpenHands counts each event as part of its view."""
        self._held: tuple[str, list[Part], int] | None = None
        """A response whose calls are being collected."""
        self._condensations: list[tuple[int, Mapping[str, Any], float | None]] = []
        """Each with the number of events before it, and its seconds."""
        self._asked: Mapping[str, Any] = {}
        """The request that the next condensation answers, if one was made."""
        self._sent: list[tuple[int, int]] = []
        """Places of events with the tokens of the request that made them."""
        self._responses: set[str] = set()
        self._delegated = False
        self._by_user: dict[str, str] = {}

    def add(self, event: Any) -> None:
        """Read one event; count anything else as left out."""
        self._tally.records += 1
        given = mapping(event)
        self._ids.append(str(given.get("id", "")))
        self._viewed.append(False)
        if is_classic(given):
            response = mapping(mapping(given.get("tool_call_metadata")).get("model_response"))
            self._model = string(response.get("model")) or self._model
            sent = counted_tokens(mapping(response.get("usage")).get("prompt_tokens"))
            if sent and "action" in given:  # an observation has the response of its action
                self._sent.append((len(self._ids) - 1, sent))
            self._classic(given)
        elif is_sdk(given):
            self._sdk(given, str(given["kind"]))
        else:
            self._tally.skip("value that is not an event")

    def transcript(self, path: Path, name: str) -> Transcript:
        """The conversation; call this once, at the end. Raises :class:`ImportFormatError`."""
        self._settle()
        messages = self._thread.finished()
        empty = f"{self._place}: no message among {len(self._ids)} events"
        boundaries = self._boundaries(messages)
        return self._tally.transcript(messages, path, empty, self._model, boundaries, name)

    # --- what an event adds to the conversation ---

    def _said(self, role: str, parts: Sequence[Part]) -> None:
        self._settle(viewed=True)
        self._thread.add_unless_empty(role, parts, len(self._ids) - 1)

    def _called(self, response: str, parts: Sequence[Part], calls: Sequence[ToolCall]) -> None:
        if self._held is None or self._held[0] != response:
            self._settle()
            self._held = (response, list(parts), len(self._ids) - 1)
        self._held[1].extend(calls)
        self._viewed[-1] = True

    def _observed(self, result: ToolResult, rest: Sequence[Part] = ()) -> None:
        self._settle(viewed=True)
        self._thread.add_result(result, rest)

    def _left(self, reason: str, viewed: bool = False) -> None:
        self._settle(viewed)
        self._tally.left_out[reason] += 1

    def _condensed(self, given: Mapping[str, Any], event: Mapping[str, Any]) -> None:
        self._settle()
        seconds = seconds_between(self._asked, event)
        self._condensations.append((len(self._ids) - 1, given, seconds))
        self._asked = {}

    def _settle(self, viewed: bool = False) -> None:
        if self._held is not None:
            _, parts, number = self._held
            self._held = None
            self._thread.add(
                "assistant", sorted(parts, key=lambda part: isinstance(part, ToolCall)), number
            )
        if self._viewed:
            self._viewed[-1] = viewed or self._viewed[-1]

    def _boundaries(self, messages: Sequence[Message]) -> Iterator[Boundary]:
        forgotten: set[str] = set()
        compactions = self._tally.bounded(self._condensations)
        places = [place for place, _ in self._sent]
        for number, (end, given, seconds) in enumerate(compactions, start=1):
            forgotten |= _forgotten(given)
            count = sum(origin < end for origin in self._thread.origins)
            if not count:
                self._tally.left_out["condensation before the first message"] += 1
                continue
            # The summary stands behind as many events as the condensation says.
            summary, offset = string(given.get("summary")), given.get("summary_offset")
            offset = offset if isinstance(offset, int) else 0
            events = [n for n in range(end) if self._viewed[n] and self._ids[n] not in forgotten]
            first = events[offset] if offset < len(events) else len(self._ids)
            origins = zip(self._thread.origins, messages[:count], strict=False)
            kept = [(n, message) for n, message in origins if self._ids[n] not in forgotten]
            made = [text_message(f"recorded-{number}", "user", summary, "synthetic")]
            before = [message for n, message in kept if n < first]
            after = [message for n, message in kept if n >= first]
            view = (*before, *(made if summary else ()), *after)
            missing = "" if view else "everything was forgotten and nothing put in its place"
            later = bisect_left(places, end)
            yield Boundary(
                messages[count - 1].id,
                tokens_before=self._sent[later - 1][1] if later else None,
                tokens_after=self._sent[later][1] if later < len(places) else None,
                messages=view,
                missing=missing,
                seconds=seconds,
            )

    # --- the SDK ---

    def _sdk(self, event: Mapping[str, Any], kind: str) -> None:
        if kind == "SystemPromptEvent":
            self._note_tools(event.get("tools"))
            texts = [event.get("system_prompt"), event.get("dynamic_context")]
            self._said("system", self._parts([text for text in texts if text]))
        elif kind == "MessageEvent":
            message = mapping(event.get("llm_message"))
            role = message.get("role")
            if role in _ROLES:
                extended = self._parts(event.get("extended_content") or [])
                self._said(str(role), [*self._message(message), *extended])
            else:
                self._left(unknown("message role", role))
        elif kind == "ActionEvent":
            call = mapping(event.get("tool_call"))
            function = mapping(call.get("function")) or call
            id = str(event.get("tool_call_id") or call.get("id") or f"event-{event.get('id')}")
            name = str(event.get("tool_name") or function.get("name") or "unknown")
            parts = [*_thinking_of(event), *self._parts(event.get("thought") or [])]
            made = ToolCall(id, name, as_arguments(function.get("arguments")))
            self._called(str(event.get("llm_response_id") or id), parts, [made])
        elif kind == "AgentErrorEvent":
            error = str(event.get("error", ""))
            self._observed(ToolResult(str(event.get("tool_call_id")), error, True))
        elif kind == "UserRejectObservation":
            text = f"Action rejected: {event.get('rejection_reason', '')}"
            self._observed(ToolResult(str(event.get("tool_call_id")), text))
        elif kind == "ObservationEvent":
            self._result(event, mapping(event.get("observation")))
        elif kind == "Condensation":
            self._condensed(event, event)
        else:
            self._asked = event if kind == "CondensationRequest" else self._asked
            self._left(f"program event: {printable(kind, 60)}")

    def _result(self, event: Mapping[str, Any], observation: Mapping[str, Any]) -> None:
        texts, rest = self._contents(observation.get("content") or [])
        if not texts:
            keys = ("output", "error", "message", "result")
            texts += [observation[k] for k in keys if isinstance(observation.get(k), str)]
        text = "\n".join(texts)
        suffix = string(mapping(observation.get("metadata")).get("suffix"))
        text += "" if suffix in text else suffix
        extended = "\n".join(self._contents(event.get("extended_content") or [])[0])
        text = f"{text}\n{extended}" if extended else text
        failed = observation.get("is_error") is True
        self._observed(ToolResult(str(event.get("tool_call_id")), text, failed), rest)

    # --- before the SDK ---

    def _classic(self, event: Mapping[str, Any]) -> None:
        if self._delegated and event.get("observation") != "delegate":
            self._left("sub-agent event; its result is in the call that started it")
        elif isinstance(event.get("action"), str):
            self._action(event, event["action"], mapping(event.get("args")))
        else:
            self._observation(event, str(event.get("observation")), mapping(event.get("extras")))

    def _action(self, event: Mapping[str, Any], action: str, args: Mapping[str, Any]) -> None:
        source = event.get("source")
        if action == "system":
            self._note_tools(args.get("tools"))
            self._said("system", self._parts(args.get("content")))
        elif action == "message":
            parts = [*self._parts(args.get("content")), *self._images(args.get("image_urls"))]
            self._said("assistant" if source == "agent" else "user", parts)
        elif action == "condensation":
            self._condensed(args, event)
        elif action == "recall":
            # Left out, but part of the view: condensations count such events in their offset.
            self._left("knowledge search by the program", viewed=True)
        elif action in _PROGRAM:
            self._asked = event if action == "condensation_request" else self._asked
            self._left(f"program action: {action}")
        elif action in ("finish", "reject"):
            self._ending(event, args)
        elif source == "user":
            self._by_user[str(event.get("id"))] = str(args.get("command", action))
            self._left("user command, kept with its output", viewed=True)
        else:
            self._delegated = action == "delegate"
            self._call(event, action, args)

    def _call(self, event: Mapping[str, Any], action: str, args: Mapping[str, Any]) -> None:
        response, message = _response_of(event)
        calls = message.get("tool_calls")
        if not isinstance(calls, list) or not calls:
            known = mapping(event.get("tool_call_metadata"))
            id = str(known.get("tool_call_id") or f"event-{event.get('id')}")
            given = {k: v for k, v in args.items() if k not in _BOOKKEEPING and v is not None}
            thought = [Text(args["thought"])] if _is_text(args.get("thought")) else []
            name = str(known.get("function_name") or action)
            self._called(id, thought, [ToolCall(id, name, as_arguments(given))])
        elif response in self._responses:
            self._left("further action of a response; its calls are kept together", viewed=True)
        else:
            self._responses.add(response)
            self._called(response, self._message(message), [*map(_read_call, calls)])

    def _ending(self, event: Mapping[str, Any], args: Mapping[str, Any]) -> None:
        """The last words of the agent as text, because the program never answers this call."""
        _, message = _response_of(event)
        parts = self._message(message)
        if not parts and _is_text(args.get("thought")):
            parts = [Text(args["thought"])]
        outputs = mapping(args.get("outputs"))
        final = [
            _read_call(call).parsed().get("message") for call in message.get("tool_calls") or ()
        ]
        last = (args.get("final_thought"), outputs.get("content"), outputs.get("reason"), *final)
        for words in last:
            if _is_text(words) and Text(words) not in parts:
                parts.append(Text(words))
        self._tally.repaired["call that ends the run, given as text"] += 1
        self._said("assistant", parts)

    def _observation(self, event: Mapping[str, Any], kind: str, extras: Mapping[str, Any]) -> None:
        if kind == "recall":
            self._tally.left_out["knowledge added by the program"] += len(
                listed(extras.get("microagent_knowledge"))
            )
            keys = ("repo_instructions", "additional_agent_instructions")
            texts = [extras[key] for key in keys if _is_text(extras.get(key))]
            if texts:
                self._said("user", [Text(text) for text in texts])
            else:
                self._left("workspace context added by the program", viewed=True)
            return
        if kind in {"agent_state_changed", "null", "condense"}:
            self._left(f"program observation: {kind}")
            return
        self._delegated = False
        cause = str(event.get("cause"))
        texts, rest = self._contents(event.get("content"))
        text = "\n".join(texts)
        around = mapping(extras.get("metadata"))
        if not text and isinstance(extras.get("outputs"), Mapping):
            text = as_arguments(extras["outputs"])
        if not text and not around.get("suffix"):
            text = printable(str(event.get("message") or ""), 2_000)
        # As the model saw it, with the lines that the terminal added around it.
        text = string(around.get("prefix")) + text + string(around.get("suffix"))
        if cause in self._by_user:
            self._said("user", [Text(f"Ran `{self._by_user[cause]}`\n{text}")])
            return
        call_id = string(mapping(event.get("tool_call_metadata")).get("tool_call_id"))
        call_id = call_id or (f"event-{cause}" if "cause" in event else "")
        if call_id:
            rest += self._images([extras.get("screenshot")])
            rest += self._images(extras.get("image_urls"))
            self._observed(ToolResult(call_id, text, kind == "error"), rest)
        else:
            self._tally.repaired["program notice without a call, given as a system message"] += 1
            self._said("system", [*(Text(text) for text in texts if text), *rest])

    # --- contents ---

    def _contents(self, value: Any) -> tuple[list[str], list[Part]]:
        """The texts and images of a text, or of a list as both generations write them."""
        texts: list[str] = []
        rest: list[Part] = []
        for part in value if isinstance(value, list) else [value]:
            given = mapping(part)
            if isinstance(part, str):
                texts.append(part)
            elif isinstance(given.get("text"), str):
                texts.append(given["text"])
            elif isinstance(given.get("image_urls"), list):
                rest += self._images(given["image_urls"])
            elif given:
                other = read_part(given, "", self._tally)
                rest += [other] if other else []
        return texts, rest

    def _parts(self, value: Any) -> list[Part]:
        texts, rest = self._contents(value)
        return [*(Text(text) for text in texts if text), *rest]

    def _message(self, message: Mapping[str, Any]) -> list[Part]:
        return [*_thinking_of(message), *self._parts(message.get("content"))]

    def _images(self, urls: Any) -> list[Part]:
        named = filter(None, map(string, urls if isinstance(urls, list) else ()))
        return [self._tally.placeholder(Media(True, url=url)) for url in named]

    def _note_tools(self, tools: Any) -> None:
        if isinstance(tools, list) and tools:
            self._tally.left_out["tool definition"] += len(tools)


def _read_call(call: Any) -> ToolCall:
    """A call of a function or custom tool."""
    given = mapping(call)
    custom = mapping(given.get("custom"))
    function = mapping(given.get("function")) or custom
    arguments = {"input": custom.get("input")} if custom else function.get("arguments")
    return ToolCall(string(given.get("id")), string(function.get("name")), as_arguments(arguments))


def _thinking_of(message: Mapping[str, Any]) -> Iterator[Thinking]:
    """The reasoning beside the content of a message, unchanged."""
    yield from (Thinking(canonical_json(block)) for block in thinking_blocks(message))
    for key in ("responses_reasoning_item", "reasoning_content"):
        if message.get(key) and not message.get("thinking_blocks"):
            yield Thinking(canonical_json({"type": "reasoning", key: message[key]}))


def _forgotten(given: Mapping[str, Any]) -> set[str]:
    """The ids of the events that a condensation forgot; the older ones may name a range."""
    listed = given.get("forgotten_event_ids")
    first, last = given.get("forgotten_events_start_id"), given.get("forgotten_events_end_id")
    forgotten = {str(id) for id in listed} if isinstance(listed, list) else set()
    # A broken range must not fill the memory with ids.
    if isinstance(first, int) and isinstance(last, int) and 0 <= last - first < 1_000_000:
        forgotten |= {str(id) for id in range(first, last + 1)}
    return forgotten


def _is_text(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value.strip())


def _response_of(event: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The id and message of the model's response to which an event belongs, if recorded."""
    response = mapping(mapping(event.get("tool_call_metadata")).get("model_response"))
    choices = response.get("choices")
    first = mapping(choices[0]) if isinstance(choices, list) and choices else {}
    return str(response.get("id") or f"event-{event.get('id')}"), mapping(first.get("message"))
