"""Judgements as JSON: the schema that a judge must keep to, and how its reply is read.

Facts and stale claims are named by number, criteria by id. Each is a member of its own,
so that a schema can demand every one exactly once and nothing else. In each member the
reasoning comes before the score, so that a model reasons before it scores.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from pytest_compaction.models.chat.contradictions import contradiction
from pytest_compaction.models.protocol import JudgeRequest
from pytest_compaction.models.wire.only_object import NoObjectError, only_object
from pytest_compaction.rubric import MAX_SCORE, CriterionScore
from pytest_compaction.text import printable

Json = dict[str, Any]
SCHEMA_NAME: Final = "judgement"
MAX_REASONING: Final = 400
"""Characters of a reasoning that are kept."""
_WHOLE_SCORES: Final = {"type": "integer", "enum": list(range(int(MAX_SCORE) + 1))}
_ANY_SCORE: Final = {"type": "number", "minimum": 0, "maximum": MAX_SCORE}


class JudgementError(ValueError):
    """A reply is not a judgement; the text says what is wrong with it."""


def schema(request: JudgeRequest) -> Json:
    """The schema that the endpoint is asked to enforce, in the subset that endpoints take."""
    return _schema(*_size(request), _WHOLE_SCORES)


def response_format(request: JudgeRequest) -> Json:
    """The schema as the parameter ``response_format`` of chat completions."""
    made = {"name": SCHEMA_NAME, "strict": True, "schema": schema(request)}
    return {"type": "json_schema", "json_schema": made}


def reply_form(request: JudgeRequest) -> str:
    """The same form for a reader: the object with every member and what it holds."""
    ids, facts, traps = _size(request)
    lines = [
        *_members("facts", _numbers(facts), '{"reasoning": "…", "stated": true or false}'),
        *_members("stale_claims", _numbers(traps), '{"reasoning": "…", "hit": true or false}'),
        *_members("criteria", list(ids), '{"reasoning": "…", "score": 0 to 5}', last=True),
    ]
    return "\n".join(["{", *lines, "}"])


def _size(request: JudgeRequest) -> tuple[tuple[str, ...], int, int]:
    """The ids of the criteria, and how many facts and stale claims there are."""
    ids = tuple(criterion.id for criterion in request.criteria)
    return ids, len(request.facts), len(request.traps)


def _members(name: str, keys: list[str], value: str, last: bool = False) -> list[str]:
    if not keys:
        return []
    ends = [*[","] * (len(keys) - 1), ""]
    inner = [f'    "{key}": {value}{end}' for key, end in zip(keys, ends, strict=True)]
    return [f'  "{name}": {{', *inner, "  }" if last else "  },"]


def _schema(ids: tuple[str, ...], facts: int, traps: int, score: Json) -> Json:
    stated = _object({"reasoning": {"type": "string"}, "stated": {"type": "boolean"}})
    hit = _object({"reasoning": {"type": "string"}, "hit": {"type": "boolean"}})
    scored = _object({"reasoning": {"type": "string"}, "score": score})
    parts: Json = {}
    if facts:
        parts["facts"] = _object(dict.fromkeys(_numbers(facts), stated))
    if traps:
        parts["stale_claims"] = _object(dict.fromkeys(_numbers(traps), hit))
    parts["criteria"] = _object(dict.fromkeys(ids, scored))
    return _object(parts)


def _object(members: Mapping[str, Any]) -> Json:
    return {
        "type": "object",
        "properties": dict(members),
        "required": list(members),
        "additionalProperties": False,
    }


def _numbers(count: int) -> list[str]:
    return [str(number) for number in range(1, count + 1)]


@lru_cache(maxsize=64)
def _validator(ids: tuple[str, ...], facts: int, traps: int) -> Any:
    """Checks a reply; unlike the schema that is asked for, it allows fractional scores."""
    from jsonschema import Draft202012Validator

    return Draft202012Validator(_schema(ids, facts, traps, _ANY_SCORE))


def read_judgement(
    text: str, request: JudgeRequest
) -> tuple[tuple[CriterionScore, ...], tuple[bool, ...], tuple[bool, ...]]:
    """Scores, facts stated and stale claims hit, or :class:`JudgementError` with the reason.

    The JSON may stand alone, in a Markdown fence, or with text around it, but not beside
    other JSON. Nothing is filled in: a member that is missing, given twice, out of range or of
    another type, or a score without a word of reasoning, makes the whole reply unusable. So
    does a judgement that contradicts itself.
    """
    try:
        data = only_object(text)
    except NoObjectError as error:
        raise JudgementError(str(error)) from None
    ids, facts, traps = _size(request)
    if not _fits(data, ids, facts, traps):
        _check(data, ids, facts, traps)
    for id, given in data["criteria"].items():
        if not any(character.isalnum() for character in given["reasoning"]):
            raise JudgementError(f"criteria.{id} has a score without reasoning")
    criteria = tuple(
        CriterionScore(id, given["score"] + 0.0, printable(given["reasoning"], MAX_REASONING))
        for id, given in data["criteria"].items()
    )
    stated = tuple(data["facts"][number]["stated"] for number in _numbers(facts))
    hit = tuple(data["stale_claims"][number]["hit"] for number in _numbers(traps))
    scores = {scored.id: scored.score for scored in criteria}
    contradicted = contradiction(request, scores, stated, hit)
    if contradicted is not None:
        raise JudgementError(contradicted)
    return tuple(sorted(criteria, key=lambda scored: ids.index(scored.id))), stated, hit


def _fits(data: Json, ids: tuple[str, ...], facts: int, traps: int) -> bool:
    """Whether a reply is as it was asked for, which takes much less time than the schema."""
    parts: dict[str, tuple[Iterable[str], str]] = {"criteria": (ids, "score")}
    if facts:
        parts["facts"] = (_numbers(facts), "stated")
    if traps:
        parts["stale_claims"] = (_numbers(traps), "hit")
    if data.keys() != parts.keys():
        return False
    for name, (keys, said) in parts.items():
        given, members = data[name], {"reasoning", said}
        if not isinstance(given, dict) or given.keys() != set(keys):
            return False
        for one in given.values():
            if not isinstance(one, dict) or one.keys() != members:
                return False
            value = one[said]
            right = _is_score(value) if said == "score" else isinstance(value, bool)
            if not right or not isinstance(one["reasoning"], str):
                return False
    return True


def _is_score(value: object) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return 0 <= value <= MAX_SCORE


def _check(data: Json, ids: tuple[str, ...], facts: int, traps: int) -> None:
    """Raise :class:`JudgementError` with the first fault that the schema finds."""
    errors = sorted(
        _validator(ids, facts, traps).iter_errors(data),
        key=lambda error: [str(part) for part in error.absolute_path],
    )
    if errors:
        raise JudgementError(_said(errors[0]))


def _said(error: Any) -> str:
    """One sentence on the first fault, with a short quotation of the reply."""
    place = ".".join(str(part) for part in error.absolute_path) or "the object"
    if error.validator == "required":
        missing = [name for name in error.validator_value if name not in error.instance]
        return f"{place} lacks {', '.join(missing)}"
    if error.validator == "additionalProperties":
        allowed = error.schema["properties"]
        extra = sorted(name for name in error.instance if name not in allowed)
        return f"{place} has {printable(', '.join(extra), 80)}, which was not asked for"
    found = printable(json.dumps(error.instance, ensure_ascii=False, default=str), 60)
    if error.validator in {"minimum", "maximum"}:
        return f"{place} is {found}, outside 0 to 5"
    article = "an" if error.validator_value == "object" else "a"
    return f"{place} is {found}, expected {article} {error.validator_value}"
