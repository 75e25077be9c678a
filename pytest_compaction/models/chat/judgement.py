"""Judgements by a chat model: the fields of the prompt, the form of the reply, and its reading.

A request is judged by the criteria of the rubric, or by its nuggets alone. Facts, stale claims and
nuggets are named by number, criteria by id. Each is a member of its own, so that a schema can
demand every one exactly once and nothing else. In each member the reasoning comes before the
score, so that a model reasons before it scores. For the order of events the reply also lists the
events of the answer by the numbers of the nuggets. All that others wrote stands in fences.

A view is read in the same form: for each claim, by number, the passage of the view that decides,
and then the outcome. A passage that does not stand in the view makes its claim unread, because the
model then decided by something else. Letters and digits alone are compared, as models change marks
and line breaks; a passage with a gap stands there if its parts do, in order.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, get_args

from pytest_compaction.case import Fact, Trap
from pytest_compaction.conversation.formats.requests import clean
from pytest_compaction.metrics import ORDERING, SCORES, NuggetScore
from pytest_compaction.models.chat.fences import Fences, fences_for, shown
from pytest_compaction.models.protocol import JudgeReply, JudgeRequest, ReadRequest
from pytest_compaction.models.wire.reply import NoObjectError, only_object
from pytest_compaction.rubric import MAX_SCORE, Criterion, CriterionScore
from pytest_compaction.text import Outcome, Reading, printable

JsonObject = dict[str, Any]
MAX_REASONING: Final = 400
"""Characters of a reasoning that are kept."""
MOST_EVENTS: Final = 100
"""The most events of an answer that are read."""
NONE: Final[Mapping[str, str]] = {"traps": "(none)", "response": "(empty)", "log": "(empty)"}
"""Shown in place of empty material. It is our own text, and so stands outside the fences."""
_TITLES: Final[Mapping[str, str]] = {
    "question": "question",
    "facts": "facts",
    "traps": "stale claims",
    "log": "session",
    "response": "answer",
    "nuggets": "items",
    "claims": "claims",
    "view": "note",
}
_PARTS: Final[Mapping[str, tuple[str, JsonObject, str]]] = {
    "facts": ("stated", {"type": "boolean"}, "true or false"),
    "stale_claims": ("hit", {"type": "boolean"}, "true or false"),
    "criteria": ("score", {"type": "integer", "enum": list(range(int(MAX_SCORE) + 1))}, "0 to 5"),
    "nuggets": ("score", {"type": "number", "enum": list(SCORES)}, "0, 0.5 or 1"),
}
"""By part of a reply: what each of its members holds beside the reasoning, its schema, in words."""
_ANY_SCORE: Final = {"type": "number", "minimum": 0, "maximum": MAX_SCORE}
"""Of a criterion, when it is read: what is asked for are whole scores."""
_EVENTS: Final = (
    'In "events", list the events that the answer names, in the order in which it names them: '
    "the number of the item that each is, and 0 for an event that is none of them. No number but "
    "0 stands there twice."
)
_WHOLE: Final = frozenset({"completeness_coverage", "completeness_depth"})
"""Criteria that are about all facts."""
_CLAIMS: Final = "accuracy"
"""The dimension that a false claim lowers, whatever else is stated."""
_NEAR: Final = 0.5
"""A score that is this near to 5 or to 0 may be meant as that."""
_MOST: Final = 3
"""The most for an answer that states no fact: of what was asked for, "most" is there."""
_LIMITS: Final = "instruction_constraints"
"""The criterion that an answer beyond the limits of its question can fail with every fact."""


class JudgementError(ValueError):
    """A reply is not a judgement; the text says what is wrong with it."""


def judge_fields(
    request: JudgeRequest, log: str, form: str, lines: Mapping[str, str]
) -> dict[str, str]:
    """The fields of the judge's template for a request; ``log`` is the excerpt to show.

    ``lines`` are criteria by id in words other than those of the default rubric.
    """
    facts = (f"{n}. {fact_line(fact)}" for n, fact in enumerate(request.facts, 1))
    traps = (f"{n}. {trap_line(trap)}" for n, trap in enumerate(request.traps, 1))
    materials = {
        "question": request.question,
        "facts": "\n".join(facts),
        "traps": "\n".join(traps),
        "log": log,
        "response": request.response,
    }
    fields, fences = fenced(materials, NONE, "(none)", form)
    fields["form"] = fences.around("form", form) if request.answer.forbid else form
    fields["criteria"] = "\n".join(lines.get(each.id, each.line) for each in request.criteria)
    return {**fields, "reply": reply_form(request)}


def nugget_fields(request: JudgeRequest) -> dict[str, str]:
    """The fields of the template for nuggets."""
    numbered = (f"{n}. {_one_line(nugget.text)}" for n, nugget in enumerate(request.nuggets, 1))
    materials = {
        "question": request.question,
        "nuggets": "\n".join(numbered),
        "response": request.response,
    }
    return {**fenced(materials, {}, "(empty)")[0], "reply": reply_form(request)}


def fenced(
    materials: Mapping[str, str], none: Mapping[str, str], empty: str, *besides: str
) -> tuple[dict[str, str], Fences]:
    """Texts of others in fences, and the fences; ``empty`` or ``none`` in place of nothing."""
    texts = {name: clean(text) for name, text in materials.items()}
    fences = fences_for([*texts.values(), *besides])
    fields = {
        name: fences.around(_TITLES[name], text) if text.strip() else none.get(name, empty)
        for name, text in texts.items()
    }
    return {**fields, "mark": fences.mark}, fences


def fact_line(fact: Fact) -> str:
    """A fact on one line: type, text and aliases."""
    type = f"{fact.type}, {fact.change or 'read'}" if fact.type == "path" else fact.type
    return f"[{type}] {_one_line(fact.text)}{_also(fact.aliases)}"


def trap_line(trap: Trap) -> str:
    """A stale claim on one line, with what stands now in its place."""
    now = trap.current or ((trap.of,) if trap.of else ())
    current = f" (now: {'; '.join(map(_one_line, now))})" if now else ""
    return f"[{trap.type}] {_one_line(trap.text)}{_also(trap.aliases)}{current}"


def _also(aliases: Iterable[str]) -> str:
    others = "; ".join(map(_one_line, aliases))
    return f" (or: {others})" if others else ""


def _one_line(text: str) -> str:
    """A numbered entry on one line, so that a part of it cannot look like another entry."""
    return " ".join(text.split())


def _keys(request: JudgeRequest) -> dict[str, list[str]]:
    if request.nuggets:
        return {"nuggets": _numbers(request.nuggets)}
    keys = {"facts": _numbers(request.facts), "stale_claims": _numbers(request.traps)}
    numbered = {name: numbers for name, numbers in keys.items() if numbers}
    return {**numbered, "criteria": [criterion.id for criterion in request.criteria]}


def _numbers(items: Sequence[Any]) -> list[str]:
    return [str(number) for number in range(1, len(items) + 1)]


def _orders(request: JudgeRequest) -> bool:
    return bool(request.nuggets) and request.kind == ORDERING


def reply_form(request: JudgeRequest) -> str:
    """The form of the reply for a reader: the object with every member and what it holds."""
    parts: list[str] = []
    for name, keys in _keys(request).items():
        said, _, words = _PARTS[name]
        members = [f'    "{key}": {{"reasoning": "…", "{said}": {words}}}' for key in keys]
        parts.append("\n".join([f'  "{name}": {{', ",\n".join(members), "  }"]))
    if not _orders(request):
        return "\n".join(["{", ",\n".join(parts), "}"])
    parts.append('  "events": [numbers of items]')
    return "\n".join(["{", ",\n".join(parts), "}", "", _EVENTS])


def schema(request: JudgeRequest, any_score: bool = False) -> JsonObject:
    """The schema that the endpoint is asked to enforce, in the subset that endpoints take.

    With ``any_score`` a criterion may also have a score that is not whole.
    """
    parts: JsonObject = {}
    for name, keys in _keys(request).items():
        said, form, _ = _PARTS[name]
        form = _ANY_SCORE if any_score and name == "criteria" else form
        member = object_of({"reasoning": {"type": "string"}, said: form})
        parts[name] = object_of(dict.fromkeys(keys, member))
    if _orders(request):
        numbers = {"type": "integer", "enum": list(range(len(request.nuggets) + 1))}
        parts["events"] = {"type": "array", "items": numbers}
    return object_of(parts)


def object_of(members: JsonObject) -> JsonObject:
    """The schema of an object that has these members, each exactly once, and no other."""
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


def response_format(request: JudgeRequest) -> JsonObject:
    """The schema as the parameter ``response_format`` of chat completions."""
    name = "nuggets" if request.nuggets else "judgement"
    made = {"name": name, "strict": True, "schema": schema(request)}
    return {"type": "json_schema", "json_schema": made}


def read_judgement(text: str, request: JudgeRequest) -> JudgeReply:
    """The judgement in a reply, or :class:`JudgementError` with what is wrong with it.

    The JSON may stand alone, in a Markdown fence, or with text around it, but not beside
    other JSON. Nothing is filled in: a member that is missing, given twice, out of range or of
    another type, or a score without a word of reasoning, makes the whole reply unusable. So
    does a judgement that contradicts itself.
    """
    try:
        data = only_object(text)
    except NoObjectError as error:
        raise JudgementError(str(error)) from None
    check_form(data, schema(request, any_score=True), not request.nuggets)
    if request.nuggets:
        return _nuggets(data, request)
    criteria = tuple(
        CriterionScore(id, given["score"] + 0.0, _reasoning(f"criteria.{id}", given))
        for id, given in data["criteria"].items()
    )
    stated = tuple(data["facts"][number]["stated"] for number in _numbers(request.facts))
    hit = tuple(data["stale_claims"][number]["hit"] for number in _numbers(request.traps))
    scores = {scored.id: scored.score for scored in criteria}
    contradicted = contradiction(request, scores, stated, hit)
    if contradicted is not None:
        raise JudgementError(contradicted)
    ids = _keys(request)["criteria"]
    return JudgeReply(tuple(sorted(criteria, key=lambda scored: ids.index(scored.id))), stated, hit)


def _nuggets(data: JsonObject, request: JudgeRequest) -> JudgeReply:
    scores: list[NuggetScore] = []
    for number in _numbers(request.nuggets):
        given = data["nuggets"][number]
        score = float(given["score"]) + 0.0  # -0.0 is 0.0
        scores.append(NuggetScore(score, _reasoning(f"nuggets.{number}", given)))
    if not _orders(request):
        return JudgeReply(nuggets=tuple(scores))
    events = tuple(n - 1 if n else None for n in data["events"][:MOST_EVENTS])
    return JudgeReply(nuggets=tuple(scores), events=events)


def _reasoning(place: str, given: Mapping[str, Any]) -> str:
    if not any(character.isalnum() for character in given["reasoning"]):
        raise JudgementError(f"{place} has a score without reasoning")
    return printable(given["reasoning"], MAX_REASONING)


def check_form(data: JsonObject, form: JsonObject, plainly: bool = True) -> None:
    """Raise :class:`JudgementError` with the first fault of a reply that is not of this schema.

    The sentence is ours, or that of the validator where it is not to be said ``plainly``.
    """
    from jsonschema import Draft202012Validator  # which takes long to load

    errors = Draft202012Validator(form).iter_errors(data)
    first = min(errors, key=lambda error: [str(part) for part in error.absolute_path], default=None)
    if first is not None:
        place = ".".join(map(str, first.absolute_path)) or "the object"
        said = printable(f"{place}: {first.message}", 160)
        raise JudgementError(_said(place, first) if plainly else said)


def _said(place: str, error: Any) -> str:
    """One sentence on a fault, with a short quotation of the reply."""
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


def contradiction(
    request: JudgeRequest,
    scores: Mapping[str, float],
    stated: Sequence[bool],
    hit: Sequence[bool],
) -> str | None:
    """The first contradiction of a judgement, as in "it contradicts itself: …"; else ``None``.

    The judge says which facts are stated and which stale claims are hit, and scores criteria.
    A score which the findings rule out is no measurement, because the judge did not read the
    answer that it scored, or followed something that stands in it. What an answer leaves out is
    no error of what it says, so that accuracy is ruled out by stale claims alone. ``scores``
    (0 to 5) are by criterion; ``stated`` and ``hit`` run parallel to the facts and the traps of
    the request.
    """
    said = next(_contradictions(request, scores, stated, hit), None)
    return None if said is None else f"it contradicts itself: {said}"


def _contradictions(
    request: JudgeRequest,
    scores: Mapping[str, float],
    stated: Sequence[bool],
    hit: Sequence[bool],
) -> Iterator[str]:
    criteria, facts = request.criteria, request.facts
    if facts and not any(stated):  # then most of what was asked for is missing
        for criterion in criteria:
            score = scores[criterion.id]
            if criterion.id in _WHOLE and score > _MOST:
                yield f"no fact is stated, but criteria.{criterion.id} is {score:g}, above {_MOST}"
    for criterion in criteria:  # one that is about facts is 5 only for all of them
        if criterion.dimension == _CLAIMS:
            continue
        reads = [criterion.id in _WHOLE or criterion.reads(f.type, f.change) for f in facts]
        if _is_full(scores[criterion.id], sum(reads)):
            for number, (read, so) in enumerate(zip(reads, stated, strict=True), 1):
                if read and not so:
                    yield (
                        f"facts.{number} is not stated, but criteria.{criterion.id} is "
                        f"{scores[criterion.id]:g}, and 5 is for all facts"
                    )
    for number, (trap, so) in enumerate(zip(request.traps, hit, strict=True), 1):
        about = _about(request, trap) if so else []  # what it is about, it lowers
        if about and all(_is_full(scores[each.id], len(facts) + 1) for each in about):
            names = ", ".join(criterion.id for criterion in about)
            yield f"stale_claims.{number} is hit, but nothing is taken from {names}"
    if facts and all(stated) and not any(hit):
        yield from _too_low(request, scores)


def _too_low(request: JudgeRequest, scores: Mapping[str, float]) -> Iterator[str]:
    """When all facts are stated, a criterion that is about some of them is not 0."""
    for criterion in request.criteria:
        reads = any(criterion.reads(fact.type, fact.change) for fact in request.facts)
        asks = reads and criterion.dimension != _CLAIMS
        score = scores[criterion.id]
        if score < _NEAR and criterion.id != _LIMITS and (asks or criterion.id in _WHOLE):
            yield (
                f"all facts are stated, but criteria.{criterion.id} is {score:g}, and 0 is for none"
            )


def _is_full(score: float, facts: int) -> bool:
    """Whether a score says that none of so many facts is missing.

    It is nearer to 5 than to the score of all facts but one, and would be rounded to 5.
    """
    return score > MAX_SCORE - min(_NEAR, MAX_SCORE / (2 * max(facts, 1)))


def _about(request: JudgeRequest, trap: Trap) -> list[Criterion]:
    """The criteria of a request of which a stale claim lowers one.

    They are the accuracy, the coverage, and those that are about its fact, or about its type if
    it is the counterpart of none.
    """
    facts = [fact for fact in request.facts if fact.text == trap.of]
    return [
        criterion
        for criterion in request.criteria
        if criterion.dimension == _CLAIMS
        or criterion.id == "completeness_coverage"
        or any(criterion.reads(fact.type, fact.change) for fact in facts)
        or (not facts and trap.type in criterion.types)
    ]


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
    members = ",\n".join(f'  "{number}": {form}' for number in _numbers(request.claims))
    return {**fenced(materials, {}, "(empty)")[0], "reply": f"{{\n{members}\n}}"}


def reading_format(request: ReadRequest) -> JsonObject:
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
    return tuple(_reading(data[number], view) for number in _numbers(request.claims))


def _reading(given: JsonObject, view: str) -> Reading:
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


def _schema(request: ReadRequest) -> JsonObject:
    outcome = {"type": "string", "enum": list(OUTCOMES)}
    member = object_of({"passage": {"type": "string"}, "outcome": outcome})
    return object_of(dict.fromkeys(_numbers(request.claims), member))
