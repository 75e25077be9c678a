"""What an endpoint refuses, and how a request does without it.

Endpoints call themselves compatible but differ in what they take. If a reply refuses a
request and names a parameter, the parameter is left out or spelled otherwise; if it refuses the
roles of the messages, others say the same; if it has no room for the output, less is asked for. A
reply that only mentions a parameter is no reason to change a request. The parameters of a strategy
are never left out, because a request without them would measure something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.conversation import canonical_json
from pytest_compaction.conversation.formats.requests import IMAGE
from pytest_compaction.models.parameters import SET_BY_MODELS, parameter_names
from pytest_compaction.models.wire.call import Operation
from pytest_compaction.models.wire.complaint import (
    BROKEN_JSON,
    MORE_THAN_A_MINUTE,
    REFUSING,
    Complaint,
    any_of,
)

Chat = list[dict[str, Any]]

_SYSTEM_ROLES: Final = frozenset({"system", "developer"})
_JOINED: Final = frozenset({"system", "user", "assistant"})
_BEFORE: Final = "(The conversation goes on.)"
"""Said by the user before a conversation that begins with an assistant's message."""


def is_system(message: Mapping[str, Any]) -> bool:
    """Whether a message is one of the system, under either name of the role."""
    return message.get("role") in _SYSTEM_ROLES


def has_tools(message: Mapping[str, Any]) -> bool:
    """Whether a message holds calls of tools or the result of one."""
    return message.get("role") == "tool" or bool(message.get("tool_calls"))


def alternating(messages: Sequence[Mapping[str, Any]]) -> Chat:
    """One system message at the start, then user and assistant in turn; neighbours are joined."""
    found: Chat = []
    for message in messages:
        each = dict(message)
        if is_system(each):
            each["role"] = "system" if all(map(is_system, found)) else "user"
        elif each.get("role") == "assistant" and all(map(is_system, found)):
            found.append({"role": "user", "content": _BEFORE})
        if found and each.get("role") == found[-1].get("role") in _JOINED:
            found[-1] = _joined(found[-1], each)
        else:
            found.append(each)
    return found


def system_in_user(messages: Sequence[Mapping[str, Any]]) -> Chat:
    """The messages with all system text before that of the first user message."""
    said = [{**message, "role": "user"} for message in messages if is_system(message)]
    others = [dict(message) for message in messages if not is_system(message)]
    if others and others[0].get("role") == "user":
        said.append(others.pop(0))
    first = said[0]
    for message in said[1:]:
        first = _joined(first, message)
    return [first, *others]


def tools_as_text(messages: Sequence[Mapping[str, Any]]) -> Chat:
    """The messages with calls as text of the assistant and results as text of the user."""
    names: dict[Any, str] = {}
    found: Chat = []
    for message in messages:
        each = dict(message)
        if each.get("role") == "tool":
            name = names.get(each.pop("tool_call_id", None), "a tool")
            head = {"role": "user", "content": f"[result of {name}]"}
            each = _joined(head, {**each, "role": "user"}, "\n")
        for call in each.pop("tool_calls", None) or ():
            function = call.get("function") or {}
            names[call.get("id")] = str(function.get("name"))
            text = f"[called {function.get('name')} with {function.get('arguments')}]"
            each = _joined(each, {"role": "assistant", "content": text}, "\n")
        found.append(each)
    return alternating(found)


def _joined(one: Mapping[str, Any], other: Mapping[str, Any], between: str = "\n\n") -> Any:
    """One message of the first one's role with the content and the calls of both."""
    joined = dict(one)
    contents = [each for each in (one.get("content"), other.get("content")) if each]
    if all(isinstance(each, str) for each in contents):
        joined["content"] = between.join(contents)
    else:
        joined["content"] = [part for each in contents for part in _parts(each)]
    calls = [*(one.get("tool_calls") or ()), *(other.get("tool_calls") or ())]
    return {**joined, "tool_calls": calls} if calls else joined


def _parts(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


Body = dict[str, Any]

OUTPUT_KEYS: Final = ("max_completion_tokens", "max_tokens", "max_output_tokens")
"""Members of a request that bound its output."""
_LEAST_OUTPUT: Final = 16
"""The fewest tokens of output that are asked for."""
_LEAST_GUESS: Final = 256
"""The fewest that are asked for where a refusal gives no number to go by."""


@dataclass(frozen=True, slots=True)
class Adaptation:
    """One thing to do without: how to see it in a request and in a refusal, and what to send.

    One that is not ``kept`` is for the refused request alone.
    """

    name: str
    present: Callable[[Mapping[str, Any]], bool]
    refused: Callable[[Complaint], bool]
    without: Callable[[Body], Body]
    kept: bool = True

    def answers(self, complaint: Complaint, body: Body) -> bool:
        """Whether a complaint is about this part of the body."""
        return self.present(body) and self.refused(complaint)


def _says(*patterns: str) -> Callable[[Complaint], bool]:
    pattern = any_of(*patterns)
    return lambda complaint: bool(pattern.search(complaint.text))


_FILLER: Final = (
    r"(?:[\s:,.'\"`(\[]|\b(?:request|keyword|arguments?|parameters?|fields?|names?|property|values?|"
    r"inputs?|options?|key|supplied|for|of|in|on|with|the|this|model|is|are|was|do|does|number|type)\b){0,12}"
)
_REFUSED_BEFORE: Final = (
    r"unsupported|unknown|unrecogni[sz]ed|unexpected|invalid|illegal|deprecated|only|"
    r"not (?:support|allow|accept|take|permit|recogni[sz]e)(?:ed|d)?|n't (?:support|allow|accept)|"
    r"(?:extra|additional) (?:inputs|properties|fields)(?: are not (?:permitted|allowed))?"
)
_REFUSED_BEHIND: Final = (
    r"unsupported|not |n't |cannot|must|should|may only|deprecated|invalid|unexpected|unknown|"
    r"extra inputs|out of range"
)


def _names(name: str) -> Callable[[Complaint], bool]:
    """Whether a complaint refuses the parameter of that name, and does not only mention it."""
    said = any_of(
        rf"(?:{_REFUSED_BEFORE}){_FILLER}\b{name}\b", rf"\b{name}\b{_FILLER}(?:{_REFUSED_BEHIND})"
    )

    def refused(complaint: Complaint) -> bool:
        pointed = re.split(r"\W+", complaint.parameter.lower())
        if name in pointed and not {"messages", "input"} & set(pointed):
            return True
        return bool(said.search(complaint.text))

    return refused


def _drop(name: str) -> Adaptation:
    return Adaptation(
        f"without {name}",
        lambda body: name in body,
        _names(name),
        lambda body: {key: value for key, value in body.items() if key != name},
    )


def _format_of(body: Mapping[str, Any]) -> str:
    found = body.get("response_format")
    return str(found.get("type")) if isinstance(found, Mapping) else ""


def _has_images(body: Mapping[str, Any]) -> bool:
    contents = (message.get("content") for message in _messages(body))
    lists = (content for content in contents if isinstance(content, list))
    return any(part.get("type") in _IMAGE_TYPES for content in lists for part in content)


def _messages(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found = body.get("messages") or body.get("input") or []
    return [message for message in found if isinstance(message, Mapping)]


def _without_images(body: Body) -> Body:
    def imageless(message: Mapping[str, Any]) -> Mapping[str, Any]:
        content = message.get("content")
        if not isinstance(content, list):
            return message
        texts = (
            IMAGE if p.get("type") in _IMAGE_TYPES else str(p.get("text", "")) for p in content
        )
        return {**message, "content": "\n".join(texts)}

    name = "messages" if "messages" in body else "input"
    return {**body, name: [imageless(message) for message in body[name]]}


_IMAGE_TYPES: Final = frozenset({"image_url", "input_image"})
_STRUCTURED: Final = _says(
    r"response[_ ]?format|json[_ ]?schema|json[_ ]?object|structured[_ ]?output|grammar|guided"
)
_ALTERNATE: Final = (
    r"must alternate|alternat\w{1,4} between|should be alternating|roles? in a row|"
    r"consecutive (?:user|assistant|messages|roles)|(?:unexpected|expected(?: last)?) role|"
    r"only user(?:,| and) (?:assistant|tool)|(?:first|last) message must|"
    r"must (?:start|begin|end) with (?:a |the )?user|immediately after a user turn|"
    r"system messages? (?:must be|are only allowed) (?:first|at the (?:beginning|start))"
)
_SYSTEM: Final = (
    r"(?:system|developer)['\"`]? (?:role|message|prompt|instruction)s?\b.{0,40}?(?:not|n't|un) ?"
    r"(?:be )?(?:support|enabl|allow|permit|recogni|accept)|support ['\"`]?(?:system|developer)\b|"
    r"(?:unsupported|invalid|unknown|unexpected)\W{1,3}(?:message )?role\W{1,4}"
    r"(?:system|developer)|valid role: user|"
    r"['\"`](?:system|developer)['\"`] is not|role .{0,20}(?:system|developer).{0,20}\bnot\b|"
    r"should be 'user' or 'assistant'"
)
_TOOLS: Final = (
    r"(?:tool|function)s?['\"`]? (?:role|message|call|use|response|calling)s?\b.{0,40}?"
    r"(?:not|n't|un) ?(?:be )?(?:support|enabl|allow|permit|recogni|accept)|"
    r"support ['\"`]?(?:tool|function)|after role ['\"`]?tool|role:? ?['\"`]?tool\b|"
    r"function (?:call|response) turn"
)


_NEEDED: Final = r"\btools?\b.{0,20}? requires? "
"""Servers that take tools only with an option of theirs."""


def _of_messages(
    name: str, change: Callable[..., Any], *refused: str, to: Any = None
) -> Adaptation:
    """Other messages in place of those of a chat completion, if they hold one that is ``to``."""

    def present(body: Mapping[str, Any]) -> bool:
        messages = _messages(body) if "messages" in body else []
        return any(map(to, messages)) if to else change(messages) != messages

    return Adaptation(
        name, present, _says(*refused), lambda body: {**body, "messages": change(body["messages"])}
    )


ADAPTATIONS: Final = (
    _of_messages("tool calls as text", tools_as_text, _TOOLS, to=has_tools),
    Adaptation(
        "without tools",
        lambda body: "tools" in body,
        lambda complaint: _names("tools")(complaint) or _says(_TOOLS, _NEEDED)(complaint),
        lambda body: {key: value for key, value in body.items() if key != "tools"},
    ),
    _of_messages("alternating roles", alternating, _ALTERNATE),
    _of_messages(
        "system text in the first user message",
        system_in_user,
        _SYSTEM,
        _ALTERNATE,
        to=is_system,
    ),
    _of_messages("tool calls as text", tools_as_text, _ALTERNATE, to=has_tools),
    Adaptation(
        "a stream",
        lambda body: not body.get("stream"),
        _says(
            r"only supports? stream|stream(?:ing)? (?:mode|only|requests? only)|stream-only",
            r"(?:requires?|enable|set) (?:the )?['\"`]?stream|stream=['\"`]?false",
            r"only stream\w{0,3} (?:is|are|mode)|support non-?stream",
            r"stream(?:ing)?['\"`]?(?: parameter)? ?(?:=|must be|to|should be|is) ?(?:set to )?"
            r"(?:true|required|enabled)",
            r"non-?stream\w{0,3}\b.{0,40}?(?:not|n't|un)|for non-?stream|只支持流式|非流式",
        ),
        lambda body: {
            **body,
            "stream": True,
            **({"stream_options": {"include_usage": True}} if "messages" in body else {}),
        },
    ),
    _drop("stream_options"),
    Adaptation(
        "max_completion_tokens for max_tokens",
        lambda body: "max_tokens" in body,
        _names("max_tokens"),
        lambda body: {
            "max_completion_tokens" if key == "max_tokens" else key: value
            for key, value in body.items()
        },
    ),
    *map(_drop, ("max_completion_tokens", "max_output_tokens", "temperature", "seed", "store")),
    Adaptation(
        "json_object for json_schema",
        lambda body: _format_of(body) == "json_schema",
        _STRUCTURED,
        lambda body: {**body, "response_format": {"type": "json_object"}},
    ),
    Adaptation(
        "without response_format",
        lambda body: _format_of(body) == "json_object",
        _STRUCTURED,
        lambda body: {key: value for key, value in body.items() if key != "response_format"},
    ),
    Adaptation(
        "without images",
        _has_images,
        _says(
            r"(?:image|vision|multi-?modal|content (?:type|part)).{0,80}?"
            r"(?:\bnot\b|n't|unsupported|only|expected|must|unable)",
            r"(?:\bno[tn]?\b|n't|unsupported|invalid|unknown|only|at most 0|unable).{0,80}?"
            r"(?:image|vision|multi-?modal|mmproj|content (?:type|part))",
        ),
        _without_images,
    ),
)
"""In the order in which they are tried. Each removes what it is about, so that trying ends."""

_OF_OUTPUT: Final = any_of(
    r"max(?:imum)?[_ ]?(?:completion[_ ]?|output[_ ]?|new[_ ]?)?tokens?\b(?! allowed)",
    r"(?:completion|output) tokens|in the (?:completion|output)|(?:messages|prompt) or completion",
)
_TOO_MUCH: Final = any_of(
    r"too (?:large|high|big|many)|at most|less than|exceed|greater than|larger than|maximum|range|"
    r"reduce|lower|context|[<>]"
)
_NUMBER: Final = re.compile(r"(?<![\w.-])\d{1,12}(?![\w-])")
_GROUPED: Final = re.compile(r"(?<=\d),(?=\d{3}\b)")
_STATUS_TEXT: Final = re.compile(r"(?:code|status)\W{1,3}\d+", re.IGNORECASE)
_SUM: Final = re.compile(r"\b(\d{1,12}) \+ (\d{1,12}) > (\d{1,12})")
_RANGE: Final = re.compile(
    r"\[\s?\d{1,12}\s?,\s?(\d{1,12})\s?([\])])|to (\d{1,12}) (\(exclusive\))"
)
_CONTEXT: Final = any_of(
    r"(?:context (?:length|window|size|limit)|max_model_len|max_total_tokens|maximum length)"
    r"[^\d.]{0,20}(\d{1,12})|<= ?(\d{1,12})"
)
_AT_MOST: Final = re.compile(r"at most (\d+) tokens of output")


def _at_most(tokens: int, kept: bool = True) -> Adaptation:
    def key_of(body: Mapping[str, Any]) -> str:
        return next((key for key in OUTPUT_KEYS if isinstance(body.get(key), int)), "")

    return Adaptation(
        f"at most {tokens} tokens of output",
        lambda body: bool(key := key_of(body)) and body[key] > tokens,
        lambda complaint: False,
        lambda body: {**body, key_of(body): tokens},
        kept,
    )


def _less_output(complaint: Complaint, body: Mapping[str, Any]) -> Adaptation | None:
    """As much output as a refusal of a larger one leaves room for; ``None`` for another refusal.

    A bound on the output of the model is kept, one that follows from the length of the request
    is for that request. A refusal without numbers halves what was asked for.
    """
    text = _GROUPED.sub("", _STATUS_TEXT.sub("", complaint.text))
    wanted = next((body[key] for key in OUTPUT_KEYS if isinstance(body.get(key), int)), 0)
    if not wanted or not _OF_OUTPUT.search(text) or not _TOO_MUCH.search(text):
        return None
    span = _RANGE.search(text)
    if span:
        most = int(span[1] or span[3]) - (span[2] == ")" or bool(span[4]))
        return _at_most(most) if _LEAST_OUTPUT <= most < wanted else None
    numbers = {int(each) for each in _NUMBER.findall(text)} - {wanted}
    numbers = {each for each in numbers if each > 1 and each - wanted not in numbers}
    added_up, named = _SUM.search(text), _CONTEXT.search(text)
    context = int(added_up[3]) if added_up else int(named[1] or named[2]) if named else 0
    read = max(numbers - {context}, default=0)
    if context and read:
        room = context - read
        return _at_most(room, kept=False) if _LEAST_OUTPUT <= room < wanted else None
    if not numbers and not context:
        return _at_most(wanted // 2, kept=False) if wanted >= 2 * _LEAST_GUESS else None
    most = context or max(numbers)
    if most == wanted:
        most = wanted // 2
    return _at_most(most) if _LEAST_OUTPUT <= most < wanted else None


def adaptable(body: Mapping[str, Any]) -> frozenset[str]:
    """The names of what a request could do without."""
    return frozenset(a.name for a in ADAPTATIONS if a.present(body))


def adapted(body: Mapping[str, Any], names: frozenset[str]) -> Body:
    """The body without what was refused before."""
    result = dict(body)
    bounds = [_at_most(int(found[1])) for name in names if (found := _AT_MOST.fullmatch(name))]
    for adaptation in (*ADAPTATIONS, *bounds):
        if adaptation.name in names and adaptation.present(result):
            result = adaptation.without(result)
    return result


def adaptation_for(complaint: Complaint, body: Body) -> Adaptation | None:
    """The adaptation after a complaint; ``None`` if it is not about anything of ours."""
    if complaint.status not in REFUSING or _names_added(complaint, body):
        return None
    if BROKEN_JSON in complaint.text:
        return None
    less = _less_output(complaint, body)
    if less is not None or complaint.too_long:
        return less
    return next((a for a in ADAPTATIONS if a.answers(complaint, body)), None)


def is_lasting(complaint: Complaint, body: Mapping[str, Any]) -> bool:
    """Whether the same request would be refused again, although the status says otherwise."""
    if complaint.no_credit or complaint.too_long or MORE_THAN_A_MINUTE.search(complaint.text):
        return True
    return adaptation_for(complaint, dict(body)) is not None


def added(body: Mapping[str, Any]) -> Body:
    """The members of a request that a strategy added to it; none of them may be left out."""
    return {name: value for name, value in body.items() if name not in SET_BY_MODELS}


def added_text(body: Mapping[str, Any]) -> str:
    """The added members as text, empty if there are none; the key under which a refusal is kept."""
    found = added(body)
    return canonical_json(found) if found else ""


def refuses_added(complaint: Complaint, body: Mapping[str, Any]) -> bool:
    """Whether a complaint is about what a strategy added, by its name or by exclusion."""
    if complaint.status not in REFUSING or not added(body):
        return False
    if _names_added(complaint, body):
        return True
    other = any(adaptation.answers(complaint, dict(body)) for adaptation in ADAPTATIONS)
    return bool(_NOT_KNOWN.search(complaint.text)) and not other


def _names_added(complaint: Complaint, body: Mapping[str, Any]) -> bool:
    said = f"{complaint.parameter} {complaint.text}"
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said) for name in added(body))


_NOT_KNOWN: Final = re.compile(
    r"extra inputs|additional propert|(?:unknown|unrecogni[sz]ed|unexpected|unsupported) "
    r"(?:\w+ )?(?:argument|field|key|parameter|property)",
    re.IGNORECASE,
)
_ADVICE: Final[Mapping[int, str]] = {
    401: "; check OPENAI_API_KEY",
    403: "; the key may not use this model",
    404: "; check the model's name and OPENAI_BASE_URL",
    408: "; the endpoint gave up waiting; run again",
    413: "; the request is too large for the endpoint",
    429: "; lower --compaction-concurrency or run again later (what was answered is kept)",
}
_LASTING: Final = frozenset({401, 403, 404})
"""Statuses that end a model for the run: the key, its rights or the name are wrong and stay so."""
_MISSING: Final = re.compile(
    "not (?:be )?(?:support|found|available|implement)|unsupported|unknown|no such|invalid url",
    re.IGNORECASE,
)


def consequence(
    complaint: Complaint, operation: Operation, body: Mapping[str, Any], answered: bool = False
) -> tuple[bool, str]:
    """Whether every such request would be refused, and advice to the user.

    ``answered`` tells that the model has answered before. Then it exists and the key may
    use it, so that only this request is refused.
    """
    status = complaint.status
    if refuses_added(complaint, body):
        return True, (
            f"; it does not take {parameter_names(added(body))} as it was sent; take an endpoint "
            "that does, or mode=client"
        )
    if complaint.no_credit:
        return True, "; the account has no credit left"
    if answered and status in _LASTING:
        return False, "; it answered other requests, so this one alone is refused; run again later"
    lacks = status in {404, 405, 410, 501} or (status == 400 and _MISSING.search(complaint.text))
    if operation != "chat.completions" and not answered and lacks:
        return True, f"; it has no {operation}; take an endpoint or a model that has it"
    later = "; run again later" if status >= 500 else ""
    return status in _LASTING, _ADVICE.get(status, later)
