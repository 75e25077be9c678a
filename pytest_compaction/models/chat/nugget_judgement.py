"""Judgements by nuggets as a request to a chat model, and how its reply is read.

Each nugget is a member of its own, with its reasoning before its score. For the order of events
the reply also lists the events of the answer by the numbers of the nuggets.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from pytest_compaction.conversation.formats.requests import clean
from pytest_compaction.metrics.nugget_scores import ORDERING, SCORES, NuggetScore
from pytest_compaction.models.chat.fences import fences_for
from pytest_compaction.models.chat.judge_reply import MAX_REASONING, Json, JudgementError
from pytest_compaction.models.protocol import JudgeReply, JudgeRequest
from pytest_compaction.models.wire.only_object import NoObjectError, only_object
from pytest_compaction.text import printable

SCHEMA_NAME: Final = "nuggets"
MOST_EVENTS: Final = 100
"""The most events of an answer that are read."""
_EVENTS: Final = (
    'In "events", list the events that the answer names, in the order in which it names them: '
    "the number of the item that each is, and 0 for an event that is none of them. No number but "
    "0 stands there twice."
)


def nugget_fields(request: JudgeRequest) -> dict[str, str]:
    """The fields of the template for a request."""
    numbered = (f"{n}. {_line(nugget.text)}" for n, nugget in enumerate(request.nuggets, 1))
    materials = {
        "question": clean(request.question),
        "nuggets": clean("\n".join(numbered)),
        "response": clean(request.response),
    }
    fences = fences_for(list(materials.values()))
    names = {"question": "question", "nuggets": "items", "response": "answer"}
    fields = {
        name: fences.around(names[name], text) if text.strip() else "(empty)"
        for name, text in materials.items()
    }
    return {**fields, "mark": fences.mark, "reply": _form(request)}


def _line(text: str) -> str:
    return " ".join(text.split())


def _orders(request: JudgeRequest) -> bool:
    return request.kind == ORDERING


def _form(request: JudgeRequest) -> str:
    count = len(request.nuggets)
    lines = [
        f'    "{n}": {{"reasoning": "…", "score": 0, 0.5 or 1}}{"," if n < count else ""}'
        for n in range(1, count + 1)
    ]
    if not _orders(request):
        return "\n".join(["{", '  "nuggets": {', *lines, "  }", "}"])
    events = '  "events": [numbers of items]'
    return "\n".join(["{", '  "nuggets": {', *lines, "  },", events, "}", "", _EVENTS])


def response_format(request: JudgeRequest) -> Json:
    """The form of the reply as the parameter ``response_format`` of chat completions."""
    made = _schema(len(request.nuggets), _orders(request))
    json_schema = {"name": SCHEMA_NAME, "strict": True, "schema": made}
    return {"type": "json_schema", "json_schema": json_schema}


def _schema(count: int, orders: bool) -> Json:
    scored = _object(
        {"reasoning": {"type": "string"}, "score": {"type": "number", "enum": list(SCORES)}}
    )
    parts: Json = {"nuggets": _object({str(n): scored for n in range(1, count + 1)})}
    if orders:
        numbers = {"type": "integer", "enum": list(range(count + 1))}
        parts["events"] = {"type": "array", "items": numbers}
    return _object(parts)


def _object(members: Json) -> Json:
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


@lru_cache(maxsize=64)
def _validator(count: int, orders: bool) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(_schema(count, orders))


def read_nuggets(text: str, request: JudgeRequest) -> JudgeReply:
    """The scores of the nuggets, or :class:`JudgementError` with what is wrong with the reply.

    Nothing is filled in: a nugget that is missing, another score than 0, ½ or 1, or a score without
    a word of reasoning makes the whole reply unusable.
    """
    try:
        data = only_object(text)
    except NoObjectError as error:
        raise JudgementError(str(error)) from None
    errors = sorted(
        _validator(len(request.nuggets), _orders(request)).iter_errors(data),
        key=lambda error: [str(part) for part in error.absolute_path],
    )
    if errors:
        place = ".".join(map(str, errors[0].absolute_path)) or "the object"
        raise JudgementError(printable(f"{place}: {errors[0].message}", 160))
    scores: list[NuggetScore] = []
    for number in range(1, len(request.nuggets) + 1):
        given = data["nuggets"][str(number)]
        reasoning = given["reasoning"]
        if not any(character.isalnum() for character in reasoning):
            raise JudgementError(f"nuggets.{number} has a score without reasoning")
        score = float(given["score"]) + 0.0  # -0.0 is 0.0
        scores.append(NuggetScore(score, printable(reasoning, MAX_REASONING)))
    events = tuple(n - 1 if n else None for n in data["events"]) if _orders(request) else None
    return JudgeReply(
        nuggets=tuple(scores), events=None if events is None else events[:MOST_EVENTS]
    )
