"""Reads what an endpoint answered: a text, a refusal, or why there is neither; the one JSON object
of a reply that is data; a compacted conversation; and the tokens that a call is charged for."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pytest_compaction.conversation import (
    Message,
    Opaque,
    TokenCounter,
    canonical_json,
    text_message,
)
from pytest_compaction.conversation.formats.parts import mapping
from pytest_compaction.conversation.formats.requests import NATIVE_ITEMS, clean
from pytest_compaction.conversation.formats.responses import responses_input
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Call, CallReply, Operation
from pytest_compaction.models.wire.complaint import Complaint, complaint_of
from pytest_compaction.models.wire.events import said_in
from pytest_compaction.models.wire.server_edits import Applied, compaction_usage, read_applied
from pytest_compaction.models.wire.thinking import closes_alone, without_thinking
from pytest_compaction.text import printable

MAX_TOKENS: Final = 10**9
"""The most tokens that one call can take; a larger figure is taken for an error."""
_TEXT_PARTS: Final = frozenset({None, "text", "output_text"})
"""Types of parts that the model says; it only thinks those of other types."""
_CUT: Final = frozenset({"length", "max_tokens"})
_CALLED: Final = "it called a tool instead of replying in text"
_FILTERED: Final = frozenset(
    {"blocklist", "content_filter", "prohibited_content", "refusal", "safety", "sensitive"}
)
_BROKEN: Final = frozenset({"cancelled", "error", "failed", "network_error"})
"""Ends of a reply, in lower case, by the names that OpenAI and servers like it give to them."""


MAX_CHARACTERS: Final = 400_000
"""The longest reply that is read as data: far more than a limit of tokens lets through."""
MAX_DEPTH: Final = 100
"""The most levels of a reply that is read as data: what goes through it or quotes it recurses."""


@dataclass(frozen=True, slots=True)
class WireReply:
    """What a model said. If ``text`` is empty, ``problem`` says why.

    ``cut`` tells that the model stopped at its limit of tokens, and ``refused`` that it
    would not answer. ``applied`` is what the server did to the context first.
    """

    text: str = ""
    problem: str = ""
    cut: bool = False
    refused: bool = False
    applied: Applied | None = None
    calls: tuple[Mapping[str, Any], ...] = ()
    """The functions that it called, with their ``name`` and ``arguments``."""


class UnusableReplyError(ValueError):
    """What came is not a reply; the text says why, as in "is not valid JSON"."""


def strict_json(data: bytes) -> Any:
    """The JSON value in these bytes; raises :class:`UnusableReplyError`, also for a NaN."""
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except RecursionError:
        raise UnusableReplyError("is nested too deep") from None
    except ValueError as error:
        raise UnusableReplyError(f"is not valid JSON ({printable(str(error), 80)})") from None


def reply_object(value: Any, data: bytes) -> dict[str, Any]:
    """The object that a reply must be, made from ``data``; raises :class:`UnusableReplyError`.

    Half surrogate pairs, which could neither be stored nor sent, are replaced.
    """
    if not isinstance(value, dict):
        raise UnusableReplyError(f"is not an object but a {type(value).__name__}")
    found: dict[str, Any] = _cleaned(value) if b"\\ud" in data.lower() else value
    return found


def error_in(body: Mapping[str, Any]) -> Complaint | None:
    """The error that a reply reports in place of an answer; ``None`` if it does not.

    Its status is the code in the error if that is one, else 200.
    """
    error = body.get("error")
    if not isinstance(error, Mapping) or {"choices", "output"} & body.keys():
        return None
    code = error.get("code")
    status = code if isinstance(code, int) and 400 <= code < 600 else 200
    return complaint_of(status, body, str(error))


def read_reply(operation: Operation, body: Mapping[str, Any]) -> WireReply:
    """The reply in an endpoint's JSON; never raises, whatever the JSON holds."""
    reply = _responses(body) if operation == "responses" else _chat(body)
    said = clean(reply.text).strip()
    text = without_thinking(said)
    problem = reply.problem
    if not text and not problem:
        problem = "its reply is empty"
        if said:
            problem = "its reply is thinking without an answer"
        if reply.cut:
            problem = "it reached its limit of tokens before it said anything"
    return replace(reply, text=text, problem=problem, applied=read_applied(body))


def thought_in(body: Mapping[str, Any]) -> bool:
    """Whether a reply ends what its model thought without a mark at the beginning."""
    return closes_alone(_chat(body).text)


def marked_as_thought(body: dict[str, Any]) -> dict[str, Any]:
    """A reply that was cut before such a model had ended its thought, with the mark that it lacks.

    Any other reply is returned as it is.
    """
    reply = _chat(body)
    if not reply.cut or not reply.text or without_thinking(reply.text) != reply.text.strip():
        return body
    choice, *others = body["choices"]
    message = {**choice["message"], "content": f"<think>{reply.text}"}
    return {**body, "choices": [{**choice, "message": message}, *others]}


def _chat(body: Mapping[str, Any]) -> WireReply:
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
        return WireReply(problem="its reply is JSON, but not a chat completion")
    end = str(choice.get("finish_reason") or "").lower()
    text = _text_of(message.get("content"))
    if isinstance(message.get("refusal"), str) and message["refusal"].strip():
        return _refusal(message["refusal"])
    stopped = _stopped(end, text)
    if stopped is not None:
        return stopped
    listed = message.get("tool_calls")
    made = listed if isinstance(listed, list) else []
    calls = tuple(mapping(mapping(call).get("function")) for call in made)
    if not text and (listed or message.get("function_call")):
        return WireReply(problem=_CALLED, calls=calls)
    return WireReply(text, cut=end in _CUT, calls=calls)


def _stopped(end: str, text: str) -> WireReply | None:
    """The reply that something other than the model or its limit ended; ``None`` if neither did.

    What was said by then is no reply: nobody knows what is missing.
    """
    if end in _FILTERED:
        held = "cut the reply off" if text else "held the reply back"
        return _refusal(f"the endpoint's content filter {held}")
    if end in _BROKEN:
        return WireReply(problem="the endpoint broke its reply off after an error")
    return None


def _responses(body: Mapping[str, Any]) -> WireReply:
    output = body.get("output")
    if not isinstance(output, list):
        return WireReply(problem="its reply is JSON, but not a response")
    items = [item for item in output if isinstance(item, Mapping)]
    parts = [
        part
        for item in items
        if item.get("type") == "message" and isinstance(item.get("content"), list)
        for part in item["content"]
        if isinstance(part, Mapping)
    ]
    text = _text_of(parts)
    refusals = [part["refusal"] for part in parts if isinstance(part.get("refusal"), str)]
    if refusals:
        return _refusal(refusals[0])
    calls = tuple(item for item in items if item.get("type") == "function_call")
    if calls and not text:
        return WireReply(problem=_CALLED, calls=calls)
    details, cut = body.get("incomplete_details"), body.get("status") == "incomplete"
    reason = details.get("reason") if isinstance(details, Mapping) else None
    # Why the reply ended before the model was done; empty if it did not.
    stopped = _stopped(str((reason if cut else body.get("status")) or ""), text)
    return stopped or WireReply(text, cut=cut, calls=calls)


def _refusal(text: str) -> WireReply:
    return WireReply(problem=f"it refused: {clean(text).strip()}", refused=True)


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, Iterable):
        return ""
    parts = (part for part in content if isinstance(part, Mapping) and not part.get("thought"))
    texts = (part.get("text") for part in parts if part.get("type") in _TEXT_PARTS)
    return "".join(text for text in texts if isinstance(text, str))


def usage_of(body: Mapping[str, Any]) -> Usage:
    """One call with the tokens that the reply charges for; a figure is 0 if it is not usable.

    ``input_tokens`` include ``cached_tokens``, as endpoints report them. The spellings of
    chat completions and of the responses API are read. The tokens that the server took to
    compact the context first are part of the call.
    """
    usage = body.get("usage")
    if not isinstance(usage, Mapping):
        return Usage(1)
    details = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    if cached is None:
        cached = usage.get("prompt_cache_hit_tokens")
    read, written = compaction_usage(body)
    return Usage(
        1,
        whole_tokens(whole_tokens(usage.get("prompt_tokens", usage.get("input_tokens"))) + read),
        whole_tokens(cached),
        whole_tokens(
            whole_tokens(usage.get("completion_tokens", usage.get("output_tokens"))) + written
        ),
    )


def whole_tokens(value: Any) -> int:
    """A number of tokens; 0 for any other value: a text, a fraction, a huge number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return int(value) if 0 < value <= MAX_TOKENS and value == int(value) else 0


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(name): _cleaned(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    return value


class NotCompactedError(ValueError):
    """The reply is not a compacted conversation; the text says what it is instead."""


def compacted(
    body: Mapping[str, Any], before: Sequence[Message], items_alone: bool = False
) -> tuple[Message, ...]:
    """The messages to go on with; raises :class:`NotCompactedError` for another reply.

    With ``items_alone`` they are those of the compaction items, whatever else the model said.

    A message that came back unchanged is the message that was sent, each used once. An
    item that only the endpoint can read becomes an opaque part. Its payload is the item's
    canonical JSON, which nothing here reads.
    """
    output = body.get("output")
    if not isinstance(output, list):
        raise NotCompactedError("its reply has no list of output items")
    sent: dict[tuple[str, str], list[Message]] = defaultdict(list)
    for message in before:
        for item in responses_input([message]):
            if item["type"] == "message":
                sent[_role_and_text(item)].append(message)
    messages: list[Message] = []
    for item in output:
        if not isinstance(item, Mapping):
            raise NotCompactedError(f"an output item is a {type(item).__name__}, not an object")
        kind, key = item.get("type"), _role_and_text(item)
        if kind in NATIVE_ITEMS:
            payload = canonical_json(item)
            id = f"compaction-{_short_hash(payload)}"
            messages.append(Message(id, "assistant", (Opaque(payload),), "synthetic"))
        elif items_alone:
            continue
        elif kind not in {"message", None} or not isinstance(item.get("role"), str):
            said = printable(str(kind), 40)
            raise NotCompactedError(f"an output item of type {said} is not known")
        elif sent.get(key):
            messages.append(sent[key].pop(0))
        else:
            id = f"returned-{_short_hash(canonical_json(key))}"
            messages.append(text_message(id, *key, "synthetic"))
    if not any(item.get("type") in NATIVE_ITEMS for item in output):
        raise NotCompactedError("its reply holds no compaction item")
    return tuple(messages)


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _role_and_text(item: Mapping[str, Any]) -> tuple[str, str]:
    """Role and text of a message item, whose content is a text or a list of parts."""
    content = item.get("content")
    if isinstance(content, str):
        return str(item.get("role")), content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, Mapping))
    return str(item.get("role")), "\n".join(text for text in texts if isinstance(text, str))


def counted(call: Call, reply: CallReply, tokens: TokenCounter) -> Usage:
    """The usage of a reply; figures that it lacks are counted by our own tokenizer.

    Thoughts that are not in the reply are not counted, nor are items that only the endpoint
    can read.
    """
    usage = reply.usage
    read, written = usage.input_tokens, usage.output_tokens
    if not read:
        read = sum(map(tokens.text, texts_of(call.body)))
    if not written:
        said = read_reply(call.operation, reply.body).text if call.is_ours else said_in(reply.body)
        written = tokens.text(said)
    return replace(usage, input_tokens=read, output_tokens=written)


def texts_of(body: Mapping[str, Any]) -> list[str]:
    """The texts of all messages or input items of a request."""
    said = body.get("messages") or body.get("input") or []
    if isinstance(said, str):
        return [said]
    return [text for message in said for text in _texts(message)]


def _texts(message: Any) -> list[str]:
    if not isinstance(message, Mapping):
        return [message] if isinstance(message, str) else []
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    found = [part.get("text") for part in parts if isinstance(part, Mapping)]
    found += [text for part in parts if isinstance(part, Mapping) for text in _texts(part)]
    found += [content, message.get("output"), message.get("arguments")]
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        named = call.get("function") if isinstance(call, Mapping) else None
        found += [named.get("arguments")] if isinstance(named, Mapping) else []
    return [text for text in found if isinstance(text, str)]


class NoObjectError(ValueError):
    """A reply is not one JSON object; the text says what is wrong, as in "it holds no …"."""


def only_object(text: str) -> dict[str, Any]:
    """The JSON object of a reply: alone, in a Markdown fence, or with words around it.

    Raises :class:`NoObjectError` if there is none or anything else in braces: whoever quotes
    one object and then writes another may mean either. No member may be given twice.
    """
    if len(text) > MAX_CHARACTERS:
        raise NoObjectError(f"it is longer than {MAX_CHARACTERS:,} characters")
    start = text.find("{")
    if start < 0:
        raise NoObjectError("it holds no JSON object")
    try:
        value, end = _DECODER.raw_decode(text, start)
    except RecursionError:
        raise NoObjectError("its JSON is nested too deep") from None
    except json.JSONDecodeError as error:
        raise NoObjectError(f"its JSON is broken ({error})") from None
    except NoObjectError:
        raise
    except ValueError:
        # Python refuses to read a whole number of more than 4,300 digits.
        raise NoObjectError("its JSON holds a number with too many digits") from None
    rest = text[end:]
    if "{" in rest:
        raise NoObjectError("it holds more than one JSON object")
    if "}" in rest or "}" in text[:start]:
        raise NoObjectError("it holds a brace that belongs to no JSON object")
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        inner = (one.values() if isinstance(one, dict) else one for one in level)
        level = [each for one in inner if not isinstance(one, _PLAIN) for each in one]
    if level:
        raise NoObjectError("its JSON is nested too deep")
    found: dict[str, Any] = value
    return found


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise NoObjectError(f"it gives {printable(name, 60)} twice")
        found[name] = value
    return found


def _no_number(name: str) -> Any:
    raise NoObjectError(f"it holds {name}, which is not a number")


_PLAIN: Final = (str, int, float, type(None))
_DECODER: Final = json.JSONDecoder(object_pairs_hook=_without_duplicates, parse_constant=_no_number)
