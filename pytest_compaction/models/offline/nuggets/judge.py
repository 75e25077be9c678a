"""Judges nuggets by rules: each is 0, ½ or 1, from evidence that its reasoning names.

A nugget is satisfied where the answer states it (see :mod:`~pytest_compaction.text.matching`:
numbers, dates and durations count as values, and what is negated is not stated), or where one
passage of the answer holds all its values and most of its words. It is satisfied in part where
that is so of some. Words of the question earn nothing: an answer that repeats it knows nothing.
"""

from __future__ import annotations

from pytest_compaction.case.nuggets import Nugget
from pytest_compaction.metrics.nugget_scores import ORDERING, NuggetScore
from pytest_compaction.models.offline.nuggets.answer import Answer
from pytest_compaction.models.offline.nuggets.contradiction import judge_contradiction
from pytest_compaction.models.offline.nuggets.event_list import events_of
from pytest_compaction.models.offline.nuggets.forms import form_of
from pytest_compaction.models.offline.nuggets.remarks import abstention, only_denied
from pytest_compaction.models.offline.nuggets.stated import own_words, stated
from pytest_compaction.models.protocol import JudgeReply, JudgeRequest
from pytest_compaction.text.claims import answer_proper


def judge_nuggets(request: JudgeRequest) -> JudgeReply:
    """Judge each nugget of a request; deterministic, and deaf to text addressed to the judge."""
    text, aside = answer_proper(request.response)
    answer = Answer(text.strip(), request.question)
    scores = _scores(request, answer)
    events = None
    if request.kind == ORDERING:
        events = events_of(text, [nugget.content for nugget in request.nuggets])
    flags = ("text addressed to the judge was left out",) if aside else ()
    return JudgeReply(flags=flags, nuggets=scores, events=events)


def _scores(request: JudgeRequest, answer: Answer) -> tuple[NuggetScore, ...]:
    kind, nuggets = request.kind, request.nuggets
    if kind != "contradiction_resolution" or not answer.text:
        return tuple(_score(nugget, kind, answer) for nugget in nuggets)
    apart = [nugget.abstains or nugget.forbids for nugget in nuggets]
    sides = [nugget for nugget, other in zip(nuggets, apart, strict=True) if not other]
    judged = iter(judge_contradiction(sides, answer))
    return tuple(
        _score(nugget, kind, answer) if other else next(judged)
        for nugget, other in zip(nuggets, apart, strict=True)
    )


def _score(nugget: Nugget, kind: str, answer: Answer) -> NuggetScore:
    if not answer.text:
        return NuggetScore(0.0, "the answer is empty")
    if nugget.abstains or kind == "abstention":
        return abstention(nugget, answer)
    if nugget.forbids:
        return _forbidden(nugget, answer)
    return form_of(nugget.content, kind, answer) or stated(nugget, answer, kind)


def _forbidden(nugget: Nugget, answer: Answer) -> NuggetScore:
    """An answer that says nothing keeps to no rule: it earns nothing."""
    if not answer.said:
        return NuggetScore(0.0, "says nothing that could keep to it")
    found = stated(nugget, answer)
    if found.score == 0:
        return NuggetScore(1.0, "does not say what it must not")
    if only_denied(own_words(nugget, answer), answer):
        return NuggetScore(1.0, "names it only to say that it is left out")
    return NuggetScore(1.0 - found.score, f"must not say it, but: {found.reasoning}")
