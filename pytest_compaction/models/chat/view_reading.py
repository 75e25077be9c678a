"""Views read by a chat model: the outcomes of facts and stale claims, each with its passage.

A request names some claims by number. The reply gives for each the passage of the view that
decides, and then the outcome. A passage that does not stand in the view makes its claim unread,
because the model then decided by something else. Letters and digits alone are compared, as models
change marks, quotation marks and line breaks; a passage with a gap stands there if its parts do, in
order.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, get_args

from pytest_compaction.case import Fact, Trap
from pytest_compaction.conversation.formats.requests import clean
from pytest_compaction.models.chat.fences import shown
from pytest_compaction.models.chat.judgement import (
    Json,
    check_form,
    fact_line,
    fenced,
    object_of,
    trap_line,
)
from pytest_compaction.models.protocol import ReadRequest
from pytest_compaction.models.wire.reply import only_object
from pytest_compaction.text import Outcome, Reading, printable

CLAIMS: Final = 10
"""The most claims of one request."""
OUTCOMES: Final = tuple(each for each in get_args(Outcome) if each != "unread")
MOST_PASSAGE: Final = 400
"""Characters of a passage that are kept."""
MADE_UP: Final = "the passage that the reader quotes does not stand in the view"
NO_PASSAGE: Final = "the reader quotes no passage of the view"
_GAP: Final = re.compile(r"\.{3}|…")
_MARKS: Final = re.compile(r"[\W_]+")


def claim_line(claim: Fact | Trap) -> str:
    """A claim as it is shown to the model; claims with one line are read as one."""
    return fact_line(claim) if isinstance(claim, Fact) else trap_line(claim)


def read_fields(request: ReadRequest) -> dict[str, str]:
    """The fields of the template for a request."""
    claims = (f"{n}. {claim_line(claim)}" for n, claim in enumerate(request.claims, 1))
    texts = (f"[{role}]\n{text}" for role, text in request.view)
    materials = {"claims": "\n".join(claims), "view": "\n\n".join(texts)}
    form = f'{{"passage": "…", "outcome": "{" | ".join(OUTCOMES)}"}}'
    members = ",\n".join(f'  "{number}": {form}' for number in _numbers(request))
    return {**fenced(materials, {}, "(empty)")[0], "reply": f"{{\n{members}\n}}"}


def reading_format(request: ReadRequest) -> Json:
    """The schema as the parameter ``response_format`` of chat completions."""
    made = {"name": "readings", "strict": True, "schema": _schema(request)}
    return {"type": "json_schema", "json_schema": made}


def read_readings(text: str, request: ReadRequest) -> tuple[Reading, ...]:
    """The reading of each claim in a reply.

    Raises ``ValueError`` with its fault; nothing is filled in.
    """
    data = only_object(text)
    check_form(data, _schema(request))
    view = _plain("\n".join(text for _, text in request.view))
    return tuple(_reading(data[number], view) for number in _numbers(request))


def _reading(given: Json, view: str) -> Reading:
    outcome: Outcome = given["outcome"]
    if outcome == "absent":
        return Reading("absent", why="the reader finds it nowhere")
    passage = printable(given["passage"], MOST_PASSAGE)
    parts = [part for part in map(_plain, _GAP.split(given["passage"])) if part]
    if not parts:
        return Reading("unread", why=NO_PASSAGE)
    end = 0
    for part in parts:
        start = view.find(part, end)
        if start < 0:
            return Reading("unread", passage, why=f"{MADE_UP}: {printable(passage, 120)}")
        end = start + len(part)
    return Reading(outcome, passage)


def _plain(text: str) -> str:
    """The letters and digits of a text as the model is shown it, whatever their case and width."""
    return _MARKS.sub("", unicodedata.normalize("NFKC", shown(clean(text))).casefold())


def _numbers(request: ReadRequest) -> list[str]:
    return [str(number) for number in range(1, len(request.claims) + 1)]


def _schema(request: ReadRequest) -> Json:
    outcome = {"type": "string", "enum": list(OUTCOMES)}
    member = object_of({"passage": {"type": "string"}, "outcome": outcome})
    return object_of(dict.fromkeys(_numbers(request), member))
