"""One reader for formats that are lists of messages with parts; data describes each format.

Formats differ in names more than in structure. The names in use are tables here; a :class:`Shape`
says what a format has of its own, and a :class:`TurnReader` reads by it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation import (
    Message,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    canonical_json,
)
from pytest_compaction.conversation.formats.gemini import listed
from pytest_compaction.conversation.formats.parts import (
    Media,
    as_arguments,
    first_of,
    mapping,
    media_of,
    string,
    text_and_rest,
)
from pytest_compaction.importers.chat_messages import ROLES
from pytest_compaction.importers.exchanges import Exchange, exchange_format, name_of
from pytest_compaction.importers.json_files import PlacedValue, is_list
from pytest_compaction.importers.protocol import (
    BEFORE_FIRST_MESSAGE,
    CALL_WITHOUT_ID,
    JOINED,
    MARKED,
    RESULT_WITHOUT_CALL,
    SECOND_RESULT,
    SPLIT,
    Boundary,
    Tally,
    Transcript,
    unknown,
)
from pytest_compaction.importers.registry import Format
from pytest_compaction.importers.threads import ThreadBuilder, is_empty

TEXT, THOUGHT, CALL, RESULT, MEDIA = "text", "thought", "call", "result", "media"

_KINDS: Final[Mapping[str, str]] = {
    name: kind
    for kind, names in {
        TEXT: "text inputtext outputtext markdown",
        THOUGHT: "thinking reasoning think thought redactedthinking",
        CALL: "tooluse toolcall functioncall toolrequest toolinvocation dynamictool tool "
        "builtintoolcall servertoolcall servertooluse",
        RESULT: "toolresult toolresponse toolcallresponse toolreturn functioncalloutput "
        "builtintoolreturn toolresults functionresponse",
        MEDIA: "image imageurl file audio document blob inputimage inputaudio inputfile video",
    }.items()
    for name in names.split()
}
"""The kind of a part for each type in use, without signs between its words."""
_LEFT_OUT: Final[Mapping[str, str]] = {
    **dict.fromkeys(("stepstart", "stepfinish"), "mark of a step"),
    **dict.fromkeys(("sourceurl", "sourcedocument", "source"), "source of an answer"),
    **dict.fromkeys(("snapshot", "patch"), "file snapshot for undo"),
}
_TYPES: Final = ("type", "kind", "part_kind")
_IDS: Final = (
    "toolCallId tool_call_id toolUseId tool_use_id toolUseID callID callId call_id tool_id id"
).split()
_NAMES: Final = ("toolName", "tool_name", "tool", "name")
_ARGUMENTS: Final = ("input", "args", "arguments", "parameters", "rawInput")
_OUTPUTS: Final = ("output", "result", "response", "errorText", "rawOutput", "error")
"""Members in which a call may have its result."""
_CONTENTS: Final = ("content", "text", "value", "data", "message")
_INNER: Final = (
    "toolInvocation function functionCall functionResponse toolCall toolResult toolUse state run "
    "data value"
).split()
"""Members of a part whose own members are the part's, where they are objects."""
_BESIDE: Final = ("tool_calls", "toolInvocations", "toolRequests", "tool_uses", "toolCalls")
"""Lists of calls beside the content of a message."""
_THOUGHTS: Final = (
    "reasoning_details reasoning_content reasoning reasoningText thinking thoughts"
).split()
_TAGS: Final = ("type", "kind", "status", "state", "isError", "is_error", "id", "code", "role")
"""Members that say nothing beside the text of an output."""
_FAILED: Final = ("error failed failure output-error output-denied error-text error-json").split()
_READ: Final = frozenset(
    (*_TYPES, *_IDS, *_NAMES, *_ARGUMENTS, *_CONTENTS, *_INNER, *_BESIDE, *_THOUGHTS, *_TAGS)
)
_PLAIN: Final = re.compile(r"[^a-z]")


@dataclass(frozen=True, slots=True)
class Shape:
    """The properties of one format.

    ``inner`` are members of a record whose members are the record's. ``role`` are the keys
    that tell the role, or that the record is itself a part, by names in ``roles`` and
    ``kinds``. The first key of ``content`` that holds a list or a text has the parts, and
    ``beside`` are further lists of calls. ``leave`` are records and parts that are left out,
    by type, with the reason. If ``joined``, records of one role that follow one another are
    one message, and their texts pieces of one text. ``read`` are other members that are
    read or repeat what is.
    """

    inner: tuple[str, ...] = ()
    role: tuple[str, ...] = ("role", "type")
    roles: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    content: tuple[str, ...] = ("parts", "content")
    leave: Mapping[str, str] = field(default_factory=dict)
    joined: bool = False
    read: tuple[str, ...] = ()


def merged(record: Mapping[str, Any], inner: Sequence[str]) -> Mapping[str, Any]:
    """The record with the members of its inner objects as its own."""
    for key in inner:
        within = record.get(key)
        if isinstance(within, Mapping):
            record = {**{k: v for k, v in record.items() if k != key}, **within}
    return record


@dataclass(slots=True)
class _Call:
    call: ToolCall
    answer: tuple[ToolResult, list[Part]] | None = None


@dataclass(slots=True)
class _Turn:
    role: str
    parts: list[Part]
    calls: list[_Call] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Compaction:
    turns: int
    summary: str
    tokens: int | None
    kept: int | None
    view: Sequence[Any]
    stated: Mapping[str, Any]


class TurnReader:
    """Reads the records of one conversation; each result goes to its call, wherever it is."""

    def __init__(self, shape: Shape, tally: Tally) -> None:
        self.shape = shape
        self.tally = tally
        self.turns: list[_Turn] = []
        self.model = ""
        self.open: dict[int, _Call] = {}
        """The calls without a result, by their number."""
        self._made = 0
        self._by_id: dict[str, list[int]] = defaultdict(list)
        """The numbers of the open calls of each id that was called."""
        self._answered: list[_Call] = []
        self._early: dict[str, tuple[ToolResult, list[Part]]] = {}
        self._compactions: list[_Compaction] = []
        self._settled = True

    def prepare(self, records: Iterable[Any]) -> Iterable[Any]:
        """The records in the order of the conversation; formats with a tree or with text override.

        They may also make records of what is only text.
        """
        return records

    def add(self, value: Any) -> None:
        """Read one record."""
        if not isinstance(value, Mapping):
            self.tally.skip(f"{type(value).__name__} instead of a message")
            return
        record = merged(value, self.shape.inner)
        self.model = string(first_of(record, ("model", "modelID", "model_name"))) or self.model
        self.record(record)

    def record(self, record: Mapping[str, Any]) -> None:
        """Read a record whose inner objects are merged; readers with more than names extend it."""
        named = next((record[k] for k in self.shape.role if isinstance(record.get(k), str)), "")
        role = self.shape.roles.get(named) or ROLES.get(named.lower())
        kind = self.shape.kinds.get(named) or _KINDS.get(_PLAIN.sub("", named.lower()))
        if reason := self.shape.leave.get(named):
            self.tally.left_out[reason] += 1
        elif role is None and kind:
            self.say("tool" if kind == RESULT else "assistant", [record])
        elif role is None:
            self.tally.skip(unknown("message role", named or None), record)
        else:
            self.tally.note_unread(record, {*_READ, *self.shape.content, *self.shape.read})
            self.say(role, *self._contents(record, role), record=record)

    def _contents(self, record: Mapping[str, Any], role: str) -> tuple[list[Any], list[Any]]:
        """The parts of a record, and the calls beside them that are not among the parts."""
        given = [record[key] for key in self.shape.content if record.get(key) not in (None, "", [])]
        parts: list[Any] = list(listed(given[0])) if given else []
        texts = [text for text in given[1:] if isinstance(text, str)]
        if texts and not any(self.kind(part) == TEXT for part in parts):
            parts = [*texts[:1], *parts]
        if role != "assistant":
            return parts, []
        thought = first_of(record, _THOUGHTS)
        if thought and not any(self.kind(part) == THOUGHT for part in parts):
            key = "text" if isinstance(thought, str) else "details"
            parts.insert(0, {"type": "reasoning", key: thought})
        known = {string(first_of(merged(mapping(part), _INNER), _IDS)) for part in parts} - {""}
        beside = [call for key in _BESIDE for call in listed(record.get(key))]
        function = record.get("function_call")
        beside += [{"function": function}] if isinstance(function, Mapping) else []
        return parts, [c for c in beside if string(first_of(mapping(c), _IDS)) not in known]

    def say(
        self,
        role: str,
        parts: Sequence[Any],
        calls: Sequence[Any] = (),
        record: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a message of these raw parts; results among them go to their calls."""
        self.tally.strange = False
        kinds = [self.kind(part) for part in parts]
        if role == "tool" and record is not None and RESULT not in kinds:
            self._answer(record)
            return
        turn = _Turn(role, [])
        self._answered = []
        for part, kind in zip(parts, kinds, strict=True):
            if self._answered and kind in (TEXT, THOUGHT) and turn.calls:
                self.tally.repaired[SPLIT] += 1
                self.turns.append(turn)
                turn = _Turn(role, [])
            self._part(part, kind, turn)
        if role == "tool":
            self._beside_results(turn.parts)
            return
        for call in calls:
            if isinstance(call, Mapping):
                self._call(merged(call, _INNER), turn)
            else:
                self.tally.unknown("tool call", call)
        if is_empty(turn.parts):
            if not {RESULT, CALL}.intersection(kinds):
                self.tally.left_out[f"empty {role} message"] += 1
                self.tally.unread[f"empty {role} message"] += self.tally.strange
            return
        last = self.turns[-1] if self.turns else None
        if self.shape.joined and last and last.role == role and self._settled:
            self.tally.repaired[JOINED] += 1
            last.parts += turn.parts
            last.calls += turn.calls
        else:
            self.turns.append(turn)
        self._settled = True

    def _beside_results(self, parts: Sequence[Part]) -> None:
        """Give texts and images beside the results of a message to the last of them."""
        text, rest = text_and_rest(parts)
        if parts and self._answered:
            last = self._answered[-1]
            result, more = last.answer or (ToolResult("", ""), [])
            whole = replace(result, text="\n".join(filter(None, (result.text, text))))
            last.answer = whole, [*more, *rest]
        elif parts:
            self._without_call(text, rest)

    def kind(self, part: Any) -> str:
        """The kind of a part: of its type, or of the members that it has; empty if unknown."""
        given = mapping(part)
        named = string(first_of(given, _TYPES))
        known = self.shape.kinds.get(named) or _KINDS.get(_PLAIN.sub("", named.lower()))
        if known:
            return known
        if named.startswith("tool-") or "functionCall" in given or "toolUse" in given:
            return CALL
        if "functionResponse" in given or "toolResult" in given:
            return RESULT
        if "inlineData" in given or "fileData" in given:
            return MEDIA
        if isinstance(part, str) or (not named and isinstance(given.get("text"), str)):
            return THOUGHT if given.get("thought") is True else TEXT
        return ""

    def _part(self, part: Any, kind: str, turn: _Turn) -> None:
        given = mapping(part)
        named = string(first_of(given, _TYPES))
        reason = self.shape.leave.get(named) or _LEFT_OUT.get(_PLAIN.sub("", named.lower()))
        if reason:
            self.tally.left_out[reason] += 1
        elif kind == TEXT:
            text = part if isinstance(part, str) else first_of(given, ("text", *_CONTENTS))
            turn.parts += [Text(text)] if isinstance(text, str) and text else []
        elif kind == THOUGHT:
            turn.parts.append(Thinking(canonical_json({"type": "reasoning", **given})))
        elif kind == CALL and turn.role != "user":
            self._call(merged(given, _INNER), turn)
        elif kind == RESULT:
            self._answer(merged(given, _INNER))
        elif kind == MEDIA:
            turn.parts.append(self._media(given))
        else:
            self.tally.unknown("message part", part)

    def _media(self, part: Mapping[str, Any]) -> Part:
        known = media_of(part)
        if known and (known.url or known.data or "input_audio" in part):
            return self.tally.media(part, known)
        given = merged(part, ("inlineData", "fileData", "source", "image_url", "file", "blob"))
        media_type = string(first_of(given, ("mediaType", "mimeType", "media_type", "mime")))
        is_image = "image" in str(part.get("type")) or media_type.startswith("image/")
        url = string(first_of(given, ("url", "image", "fileUri", "uri", "image_url")))
        found = Media(is_image, media_type, string(given.get("data")), url or None)
        return self.tally.placeholder(found)

    def _call(self, given: Mapping[str, Any], turn: _Turn) -> None:
        named = string(given.get("type"))
        suffix = named.removeprefix("tool-") if named.startswith("tool-") else ""
        name = string(first_of(given, _NAMES)) or suffix or "unknown"
        id = string(first_of(given, _IDS))
        answered = first_of(given, _OUTPUTS) is not None
        if any(self.open[n].call.name == name for n in self._by_id.get(id, ()) if id):
            self.tally.left_out["tool call repeated in a later record"] += 1
        else:
            self._made += 1
            if not id:
                self.tally.repaired[CALL_WITHOUT_ID] += 1
                id = f"call-{self._made}"
            elif answered and any(one.call.id == id for one in turn.calls):
                self.tally.repaired["tool call with the id of another, given a new one"] += 1
                id = f"{id}-{self._made}"
            made = _Call(ToolCall(id, name, as_arguments(first_of(given, _ARGUMENTS))))
            turn.parts.append(made.call)
            turn.calls.append(made)
            self.open[self._made] = made
            self._by_id[id].append(self._made)
            if early := self._early.pop(id, None):
                self._give(self._made, *early)
        if answered:
            self._answer({**given, "tool_call_id": id})

    @property
    def waiting(self) -> list[str]:
        """The ids of the calls of the last message that have no result."""
        return [one.call.id for turn in self.turns[-1:] for one in turn.calls if not one.answer]

    def knows(self, id: str) -> bool:
        """Whether there was a call of this id."""
        return id in self._by_id

    def _answer(self, given: Mapping[str, Any]) -> None:
        """Give a result to the last open call of its id; without one, to the oldest of its name."""
        named = first_of(given, _IDS[:-1])
        id = string(named) or string(given.get("id"))
        output = first_of(given, (*_OUTPUTS, *_CONTENTS, *self.shape.content))
        text, rest, failed = self.output(output)
        result = ToolResult(id, text, failed or self.failed(given))
        if id not in self._by_id and not named:
            name = string(first_of(given, _NAMES))
            fitting = (n for n, one in self.open.items() if not name or one.call.name == name)
            number = next(fitting, None)
            if number is not None:
                self._give(number, replace(result, call_id=self.open[number].call.id), rest)
                return
            if not id:
                self._without_call(text, rest)
                return
        if self._by_id.get(id):
            self._give(self._by_id[id][-1], result, rest)
        elif id in self._by_id:
            self.tally.left_out[SECOND_RESULT] += 1
        else:
            self._early.setdefault(id, (result, rest))

    def _give(self, number: int, result: ToolResult, rest: list[Part]) -> None:
        answered = self.open.pop(number)
        self._by_id[answered.call.id].remove(number)
        answered.answer = result, rest
        self._answered.append(answered)
        self._settled = False

    def _without_call(self, text: str, rest: list[Part]) -> None:
        self.tally.repaired["tool output without a call, given as a system message"] += 1
        self.turns.append(_Turn("system", [Text(text if text.strip() else "(no output)"), *rest]))

    def output(self, value: Any) -> tuple[str, list[Part], bool]:
        """The text of an output, its images, and whether it is marked as an error."""
        if isinstance(value, str):
            return value, [], False
        if is_list(value):
            texts: list[str] = []
            rest: list[Part] = []
            failed = False
            for item in value:
                if self.kind(item) == MEDIA:
                    rest.append(self._media(mapping(item)))
                    continue
                text, more, wrong = self.output(item)
                texts.append(text)
                rest += more
                failed = failed or wrong
            return "\n".join(texts), rest, failed
        given = mapping(value)
        keys = [key for key in given if key not in _TAGS and given[key] is not None]
        if len(keys) == 1 and keys[0] in (*_OUTPUTS, *_CONTENTS, "parts", "Text", "Json"):
            text, rest, failed = self.output(given[keys[0]])
            return text, rest, failed or keys[0] == "error" or self.failed(given)
        return ("" if value is None else as_arguments(value)), [], self.failed(given)

    def failed(self, given: Mapping[str, Any]) -> bool:
        """Whether the members of a result say that the call failed."""
        return (
            any(given.get(key) is True for key in ("isError", "is_error", "error"))
            or given.get("success") is False
            or any(string(given.get(k)).lower() in _FAILED for k in ("status", "state", "type"))
            or bool(given.get("errorText"))
        )

    def compacted(
        self,
        summary: str,
        tokens: Any = None,
        kept: int | None = None,
        view: Sequence[Any] = (),
        **stated: Any,
    ) -> None:
        """Note a compaction here: its summary and the first turn that it kept, or its view.

        ``stated`` are further members of its :class:`Boundary`.
        """
        before = tokens if isinstance(tokens, int) else None
        self._compactions.append(
            _Compaction(len(self.turns), summary.strip(), before, kept, view, stated)
        )
        self._settled = False

    def transcript(self, exchange: Exchange, path: Path) -> Transcript:
        """The conversation; raises :class:`ImportFormatError` if it has no message."""
        messages, places = self._assembled()
        boundaries = self._boundaries(messages, places)
        return exchange.transcript(path, messages, boundaries, self.model)

    def messages(self) -> tuple[Message, ...]:
        """The messages that were read."""
        return tuple(self._assembled()[0])

    def _assembled(self) -> tuple[Sequence[Message], list[int]]:
        thread = ThreadBuilder(self.tally)
        places = [0]
        for turn in self.turns:
            parts = turn.parts
            if self.shape.joined:  # texts in a row are pieces of one
                runs = groupby(parts, lambda part: isinstance(part, Text))
                parts = [p for is_text, run in runs for p in (_one_text(run) if is_text else run)]
            thread.add(turn.role, parts)
            for one in turn.calls:
                if one.answer is not None:
                    thread.add_result(*one.answer)
            thread.close()
            places.append(len(thread.messages))
        self.tally.left_out[RESULT_WITHOUT_CALL] += len(self._early)
        return thread.messages, places

    def _boundaries(self, messages: Sequence[Message], places: Sequence[int]) -> Iterator[Boundary]:
        for number, one in enumerate(self.tally.bounded(self._compactions), start=1):
            end = places[one.turns]
            if not end:
                self.tally.left_out[BEFORE_FIRST_MESSAGE] += 1
                continue
            after = messages[end - 1].id
            if one.view:
                reading = type(self)(self.shape, Tally())
                for value in one.view:
                    reading.add(value)
                view = tuple(
                    replace(message, id=f"recorded-{number}-{place}", origin="synthetic")
                    for place, message in enumerate(reading.messages())
                )
                boundary = Boundary(after, "", one.tokens, messages=view, **one.stated)
            else:
                kept = messages[places[one.kept] : end] if one.kept is not None else ()
                missing = "" if one.summary else "its record has no summary"
                ids = tuple(message.id for message in kept)
                boundary = Boundary(
                    after, one.summary, one.tokens, ids, missing=missing, **one.stated
                )
            self.tally.compacted(boundary)
            yield boundary


def _one_text(run: Iterable[Any]) -> list[Part]:
    return [Text("".join(part.text for part in run))]


def under(*keys: str) -> Callable[[PlacedValue], Exchange | None]:
    """Read a list of messages, or one below the first of the keys (with dots between)."""

    def read(item: PlacedValue) -> Exchange | None:
        place, value = item
        if is_list(value):
            return Exchange(place, value) if value else None
        for key in keys:
            found: Any = value
            for step in key.split("."):
                found = mapping(found).get(step)
            if is_list(found) and found:
                return Exchange(place, found, name=name_of(value))
        return None

    return read


def has_role(value: Any) -> bool:
    """Whether a value is a message by a role or a type."""
    given = mapping(value)
    return isinstance(given.get("role"), str) or isinstance(given.get("type"), str)


def shaped(
    name: str,
    description: str,
    shape: Shape,
    recognises: Callable[[Any], bool],
    read: Callable[[PlacedValue], Exchange | str | None],
    *,
    reader: type[TurnReader] = TurnReader,
    is_message: Callable[[Any], bool] = has_role,
    split: Callable[[PlacedValue], Iterable[PlacedValue]] | None = None,
    specificity: int = MARKED,
    named_only: bool = False,
) -> Format:
    """A format that is read by its shape: ``read`` finds the messages in a value of the file."""

    def make(exchange: Exchange, path: Path) -> Transcript:
        reading = reader(shape, exchange.tally)
        if exchange.system:
            reading.say("system", listed(exchange.system))
        for value in reading.prepare(chain(exchange.request, exchange.response)):
            reading.add(value)
        return reading.transcript(exchange, path)

    return exchange_format(
        name,
        description,
        recognises,
        read,
        make,
        specificity,
        is_message=is_message,
        split=split,
        named_only=named_only,
    )


def any_part(value: Any, fits: Callable[[Mapping[str, Any]], bool], *content: str) -> bool:
    """Whether one of the first messages in a list has a part that fits."""
    messages = value if isinstance(value, list) else [value]
    return any(
        fits(mapping(part))
        for message in messages[:20]
        for key in content or ("content", "parts")
        for part in listed(mapping(message).get(key))
    )
