"""What an endpoint refuses, and how a request does without it.

Endpoints call themselves compatible but differ in what they take. If a reply refuses a
request and names a parameter, the parameter is left out or spelled otherwise. A reply
that names no parameter is no reason to change a request. The parameters of a strategy are
never left out, because a request without them would measure something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_compaction.conversation import canonical_json
from pytest_compaction.conversation.formats.requests import IMAGE
from pytest_compaction.models.parameters import SET_BY_MODELS, parameter_names
from pytest_compaction.models.wire.call import Operation

Body = dict[str, Any]

_TOO_LONG: Final = re.compile(
    r"context_length_exceeded|context (?:length|window|size)|maximum (?:context|prompt)|"
    r"(?:prompt|input|request) is too (?:long|large)|too many (?:input )?tokens|"
    r"exceed\w{0,20}.{0,40}\bcontext\b",
    re.IGNORECASE,
)
REFUSING: Final = frozenset({400, 404, 415, 422, 500, 501})
"""Statuses with which endpoints refuse a request because of what is in it."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """A reply that refuses a request: its status, its message and the parameter that it names."""

    status: int
    text: str
    parameter: str = ""
    body: Any = field(default=None, repr=False, compare=False)
    """The JSON of the reply, for a client that reads it."""

    @property
    def too_long(self) -> bool:
        """Whether the request was too long for the model's context."""
        return self.status in {400, 413, 422} and bool(_TOO_LONG.search(self.text))


@dataclass(frozen=True, slots=True)
class Adaptation:
    """One thing to do without: how to see it in a request, its names, and what to send instead."""

    name: str
    present: Callable[[Mapping[str, Any]], bool]
    named: re.Pattern[str]
    without: Callable[[Body], Body]

    def answers(self, complaint: Complaint, body: Body) -> bool:
        """Whether a complaint is about this part of the body."""
        if complaint.status not in REFUSING or complaint.too_long or not self.present(body):
            return False
        return bool(self.named.search(complaint.parameter) or self.named.search(complaint.text))


def _drop(name: str) -> Adaptation:
    return Adaptation(
        f"without {name}",
        lambda body: name in body,
        re.compile(rf"\b{name}\b", re.IGNORECASE),
        lambda body: {key: value for key, value in body.items() if key != name},
    )


def _format_of(body: Mapping[str, Any]) -> str:
    found = body.get("response_format")
    return str(found.get("type")) if isinstance(found, Mapping) else ""


def _has_images(body: Mapping[str, Any]) -> bool:
    messages = body.get("messages") or body.get("input") or []
    contents = (message.get("content") for message in messages if isinstance(message, Mapping))
    lists = (content for content in contents if isinstance(content, list))
    return any(part.get("type") in _IMAGE_TYPES for content in lists for part in content)


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
_STRUCTURED: Final = re.compile(
    r"response[_ ]?format|json[_ ]?schema|json[_ ]?object|structured[_ ]?output|grammar|guided",
    re.IGNORECASE,
)

ADAPTATIONS: Final = (
    Adaptation(
        "max_completion_tokens for max_tokens",
        lambda body: "max_tokens" in body,
        re.compile(r"\bmax_tokens\b", re.IGNORECASE),
        lambda body: {
            "max_completion_tokens" if key == "max_tokens" else key: value
            for key, value in body.items()
        },
    ),
    _drop("max_completion_tokens"),
    _drop("max_output_tokens"),
    _drop("temperature"),
    _drop("seed"),
    _drop("store"),
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
        re.compile(r"image|vision|multi-?modal|mmproj|content (?:type|part)", re.IGNORECASE),
        _without_images,
    ),
)
"""In the order in which they are tried. Each removes what it is about, so that trying ends."""


def adaptable(body: Mapping[str, Any]) -> frozenset[str]:
    """The names of what a request could do without."""
    return frozenset(a.name for a in ADAPTATIONS if a.present(body))


def adapted(body: Mapping[str, Any], names: frozenset[str]) -> Body:
    """The body without what was refused before."""
    result = dict(body)
    for adaptation in ADAPTATIONS:
        if adaptation.name in names and adaptation.present(result):
            result = adaptation.without(result)
    return result


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


def adaptation_for(complaint: Complaint, body: Body) -> Adaptation | None:
    """What to do without after a complaint; ``None`` if it is not about anything of ours."""
    if _names_added(complaint, body):
        return None
    return next((a for a in ADAPTATIONS if a.answers(complaint, body)), None)


def complaint_of(status: int, body: Any, text: str) -> Complaint:
    """Read an error reply in any shape that servers use; ``text`` is the body as it came."""
    error = body.get("error", body) if isinstance(body, Mapping) else None
    if isinstance(error, str):
        return Complaint(status, error)
    if not isinstance(error, Mapping):
        return Complaint(status, text)
    detail = error.get("detail")
    if isinstance(detail, list):
        places = [d.get("loc", ()) for d in detail if isinstance(d, Mapping)]
        named = " ".join(str(part) for place in places for part in place)
        said = "; ".join(str(d.get("msg", "")) for d in detail if isinstance(d, Mapping))
        return Complaint(status, f"{named}: {said}", named)
    said = next(
        (str(error[name]) for name in ("message", "detail", "error", "msg") if error.get(name)),
        text,
    )
    code = error.get("code")
    if isinstance(code, str) and code not in said:
        said = f"{said} ({code})"
    return Complaint(status, said, str(error.get("param") or ""))


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
_NO_CREDIT: Final = re.compile("insufficient_quota|credit balance|billing", re.IGNORECASE)
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
    if _NO_CREDIT.search(complaint.text):
        return True, "; the account has no credit left"
    if answered and status in _LASTING:
        return False, "; it answered other requests, so this one alone is refused; run again later"
    lacks = status in {404, 405, 410, 501} or (status == 400 and _MISSING.search(complaint.text))
    if operation != "chat.completions" and not answered and lacks:
        return True, f"; it has no {operation}; take an endpoint or a model that has it"
    later = "; run again later" if status >= 500 else ""
    return status in _LASTING, _ADVICE.get(status, later)
