"""Events of both generations of OpenHands, and the steps of a conversation that each consists of.

Before the SDK they are an ``action`` and the ``observation`` that follows it; those of the SDK are
distinguished by their ``kind``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeGuard

from pytest_compaction.conversation import (
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    canonical_json,
)
from pytest_compaction.conversation.formats.chat import read_part
from pytest_compaction.conversation.formats.parts import Media, as_arguments, mapping, string
from pytest_compaction.importers.chat_messages import read_call, thinking_blocks
from pytest_compaction.importers.protocol import Tally, unknown
from pytest_compaction.text import printable


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message without tool calls."""

    role: str
    parts: Sequence[Part]


@dataclass(frozen=True, slots=True)
class Called:
    """All or some calls of one response of the model; ``response`` is the id of the response."""

    response: str
    parts: Sequence[Part]
    calls: Sequence[ToolCall]


@dataclass(frozen=True, slots=True)
class Observed:
    """The result of one call."""

    result: ToolResult
    rest: Sequence[Part] = ()


@dataclass(frozen=True, slots=True)
class Condensed:
    """A compaction: the ids of the forgotten events, and the summary that replaces them.

    ``offset`` is the number of events in the view before the summary.
    """

    forgotten: frozenset[str]
    summary: str = ""
    offset: int = 0


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An event that is not a message; ``viewed`` if OpenHands counts it as part of its view."""

    reason: str
    viewed: bool = False


Step = Spoken | Called | Observed | Condensed | LeftOut


@dataclass(slots=True)
class _Contents:
    """The texts and images of a list of contents."""

    texts: list[str] = field(default_factory=list)
    rest: list[Part] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All texts, joined by newlines."""
        return "\n".join(self.texts)

    @property
    def parts(self) -> list[Part]:
        """The texts and images as parts."""
        return [*(Text(text) for text in self.texts if text), *self.rest]


def _contents_of(value: Any, tally: Tally) -> _Contents:
    """Read a text, or a list of texts and images as both generations write them."""
    found = _Contents()
    for part in value if isinstance(value, list) else [value]:
        given = mapping(part)
        if isinstance(part, str):
            found.texts.append(part)
        elif isinstance(given.get("text"), str):
            found.texts.append(given["text"])
        elif isinstance(given.get("image_urls"), list):
            found.rest += _images(given["image_urls"], tally)
        elif given:
            other = read_part(given, "", tally)
            found.rest += [other] if other else []
    return found


def _images(urls: Any, tally: Tally) -> list[Part]:
    """Placeholders of images by their addresses."""
    given = urls if isinstance(urls, list) else []
    return [
        tally.placeholder(Media(True, url=url)) for url in given if isinstance(url, str) and url
    ]


def _thinking_of(message: Mapping[str, Any]) -> Iterator[Thinking]:
    """The reasoning beside the content of a message, unchanged."""
    yield from thinking_blocks(message)
    for key in ("responses_reasoning_item", "reasoning_content"):
        if message.get(key) and not message.get("thinking_blocks"):
            yield Thinking(canonical_json({"type": "reasoning", key: message[key]}))


def _note_tools(tools: Any, tally: Tally) -> None:
    if isinstance(tools, list) and tools:
        tally.left_out["tool definition"] += len(tools)


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
        _note_tools(event.get("tools"), tally)
        texts = [event.get("system_prompt"), event.get("dynamic_context")]
        yield Spoken("system", _contents_of([text for text in texts if text], tally).parts)
    elif kind == "MessageEvent":
        yield _message(event, tally)
    elif kind == "ActionEvent":
        yield _action(event, tally)
    elif kind in _RESULTS:
        yield _result(event, kind, tally)
    elif kind == "Condensation":
        yield _condensed(event)
    else:
        yield LeftOut(f"program event: {printable(kind, 60)}")


def _message(event: Mapping[str, Any], tally: Tally) -> Step:
    message = mapping(event.get("llm_message"))
    role = message.get("role")
    if role not in _ROLES:
        return LeftOut(unknown("message role", role))
    parts: list[Part] = [*_thinking_of(message), *_contents_of(message.get("content"), tally).parts]
    parts += _contents_of(event.get("extended_content") or [], tally).parts
    return Spoken(str(role), parts)


def _action(event: Mapping[str, Any], tally: Tally) -> Step:
    call = mapping(event.get("tool_call"))
    function = mapping(call.get("function")) or call
    id = event.get("tool_call_id") or call.get("id") or f"event-{event.get('id')}"
    name = event.get("tool_name") or function.get("name") or "unknown"
    parts = [*_thinking_of(event), *_contents_of(event.get("thought") or [], tally).parts]
    response = str(event.get("llm_response_id") or id)
    return Called(
        response, parts, [ToolCall(str(id), str(name), as_arguments(function.get("arguments")))]
    )


def _result(event: Mapping[str, Any], kind: str, tally: Tally) -> Step:
    id = str(event.get("tool_call_id"))
    if kind == "AgentErrorEvent":
        return Observed(ToolResult(id, str(event.get("error", "")), True))
    if kind == "UserRejectObservation":
        return Observed(ToolResult(id, f"Action rejected: {event.get('rejection_reason', '')}"))
    observation = mapping(event.get("observation"))
    found = _contents_of(observation.get("content") or [], tally)
    if not found.texts:
        keys = ("output", "error", "message", "result")
        found.texts += [observation[k] for k in keys if isinstance(observation.get(k), str)]
    suffix = mapping(observation.get("metadata")).get("suffix")
    text = found.text
    if isinstance(suffix, str) and suffix not in text:
        text += suffix
    extended = _contents_of(event.get("extended_content") or [], tally).text
    text = f"{text}\n{extended}" if extended else text
    return Observed(ToolResult(id, text, observation.get("is_error") is True), found.rest)


def _condensed(event: Mapping[str, Any]) -> Condensed:
    """A condensation of either generation; the older one may name a range of events."""
    listed = event.get("forgotten_event_ids")
    first, last = event.get("forgotten_events_start_id"), event.get("forgotten_events_end_id")
    forgotten = {str(id) for id in listed} if isinstance(listed, list) else set()
    # A broken range must not fill the memory with ids.
    if isinstance(first, int) and isinstance(last, int) and 0 <= last - first < 1_000_000:
        forgotten |= {str(id) for id in range(first, last + 1)}
    summary, offset = event.get("summary"), event.get("summary_offset")
    return Condensed(
        frozenset(forgotten), string(summary), offset if isinstance(offset, int) else 0
    )


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
            _note_tools(args.get("tools"), self._tally)
            yield Spoken("system", _contents_of(args.get("content"), self._tally).parts)
        elif action == "message":
            parts = _contents_of(args.get("content"), self._tally).parts
            parts += _images(args.get("image_urls"), self._tally)
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
        return Called(
            response, self._said(message), [read_call(mapping(call), self._tally) for call in calls]
        )

    def _said(self, message: Mapping[str, Any]) -> list[Part]:
        return [*_thinking_of(message), *_contents_of(message.get("content"), self._tally).parts]

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
        final = [read_call(call, self._tally).parsed().get("message") for call in called]
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
        found = _contents_of(event.get("content"), self._tally)
        text = _shown(found, extras, event)
        if cause in self._by_user:
            yield Spoken("user", [Text(f"Ran `{self._by_user[cause]}`\n{text}")])
            return
        call_id = mapping(event.get("tool_call_metadata")).get("tool_call_id")
        if not isinstance(call_id, str) or not call_id:
            call_id = f"event-{cause}" if "cause" in event else ""
        if call_id:
            rest = [*found.rest, *_images([extras.get("screenshot")], self._tally)]
            rest += _images(extras.get("image_urls"), self._tally)
            yield Observed(ToolResult(call_id, text, kind == "error"), rest)
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


def _shown(found: _Contents, extras: Mapping[str, Any], event: Mapping[str, Any]) -> str:
    """The output as the model saw it, with the lines that the terminal added around it."""
    around = mapping(extras.get("metadata"))
    before, after = string(around.get("prefix")), string(around.get("suffix"))
    text = found.text
    if not text and isinstance(extras.get("outputs"), Mapping):
        text = as_arguments(extras["outputs"])
    if not text and not around.get("suffix"):
        text = printable(str(event.get("message") or ""), 2_000)
    return before + text + after
