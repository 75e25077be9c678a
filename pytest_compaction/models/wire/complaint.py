"""Reads what an endpoint says against a request: too long, no credit left, or another refusal."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final


def any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_TOO_LONG: Final = any_of(
    r"context_length_exceeded|string_above_max_length|request_too_large",
    r"context[ _](?:length|window|size|limit)",
    r"(?:maximum|max) (?:context|prompt|input|sequence|model|message)",
    r"(?:prompt|input|inputs|request|messages?|conversation)\b.{0,60}?(?:too (?:long|large)|"
    r"longer than|exceed\w{0,3} (?:model )?(?:max|limit|(?:the |your )?maximum|the limit|token))",
    r"too many (?:input |prompt )?tokens|tokens?\b.{0,60}?exceed\w{0,3}\b.{0,30}?(?:max|limit)",
    r"exceed\w{0,20}.{0,40}\bcontext\b|exceed\w{0,3} model token limit",
    r"range of input length|reduce the length of|shorter prompt|must have less than \d+ tokens",
    r"only supports up to \d+|expected maxLength: \d+|too large for model with \d+",
    "(?:输入|上下文|长度|tokens?).{0,20}(?:超过|超出|超长|过长)|(?:超过|超出).{0,20}长度|超长",
)
_NO_CREDIT: Final = any_of(
    r"insufficient[_ ](?:quota|balance|credits?|funds)|credit balance|billing|payment required",
    r"(?:exceeded|reached)[^.]{0,40}(?:current quota|spending limit|credit limit|monthly)",
    r"used all available credits|out of credits|no credits? left|not enough credits",
    r"arrearage|account is in good standing|quota.{0,40}per ?day|tokens per day|余额不足|欠费",
)
_COMES_BACK: Final = any_of(
    r"(?:retry|try again) (?:in|after) \d|per[ _-]?(?:second|minute)|rate limit"
)
"""Words of a refusal after which there is quota again, whatever else it says of quota."""
MORE_THAN_A_MINUTE: Final = any_of(r"request too large for .{0,200}?(?:per min|\btpm\b)")
BROKEN_JSON: Final = "json_validate_failed"
"""The code with which Groq refuses its own reply; the next one may be as asked."""
REFUSING: Final = frozenset({400, 404, 413, 415, 416, 422, 500, 501})
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
        return self.status in {400, 413, 422, 500} and bool(_TOO_LONG.search(self.text))

    @property
    def no_credit(self) -> bool:
        """Whether the account has nothing left to pay with, so that waiting does not help."""
        if self.status == 402:
            return True
        return bool(_NO_CREDIT.search(self.text) and not _COMES_BACK.search(self.text))


def complaint_of(status: int, body: Any, text: str) -> Complaint:
    """Read an error reply in any shape that servers use; ``text`` is the body as it came."""
    if isinstance(body, list) and body:
        body = body[0]
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
