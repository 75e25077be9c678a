"""The verdict on an answer that is judged by nuggets, by one judge or by several."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.case.case import Probe
from pytest_compaction.judges.verdict import (
    FactOutcome,
    JudgeScores,
    Nuggets,
    Scores,
    Verdict,
)
from pytest_compaction.metrics.event_order import mean_order
from pytest_compaction.metrics.facts.survival import Readings, Source
from pytest_compaction.metrics.nugget_scores import NuggetFigures, NuggetScore, nugget_figures
from pytest_compaction.models.offline.model import NAME as RULES
from pytest_compaction.models.protocol import JudgeReply
from pytest_compaction.models.usage import Usage
from pytest_compaction.rubric import MAX_SCORE
from pytest_compaction.text import Outcome, Reading, printable

_ONLY_AN_ANSWER: Final = "only an answer can satisfy it, and rules do not judge answers"
_SHOWN: Final = 80
"""Characters of a text in a reasoning."""


def nugget_verdict(
    replies: Sequence[JudgeReply],
    judges: Sequence[tuple[str, str]],
    probe: Probe,
    response: str,
    view: Readings,
    pass_score: float,
    published_rounding: bool = False,
    leads: Source = "answer",
) -> Verdict:
    """The verdict from what the judges said; ``judges`` are their names and models, in order.

    Models judge the answer, which leads. Where rules alone judge, a nugget is satisfied if the
    reading that ``leads`` states it; one that neither a view nor a reader of facts can satisfy
    has no score. Several judges count the same: their scores are averaged, and each figure of
    the order of events. The reading that does not lead is the second figure.
    """
    if any(reply.nuggets for reply in replies):
        leads = "answer"
    read = next((r.readings for r in replies if r.readings), ())
    named = [
        (judge, _with_readings(reply, probe, view, leads) if judge[1] == RULES else reply)
        for judge, reply in zip(judges, replies, strict=True)
    ]
    scored = [reply for _, reply in named if reply.unscored is None and reply.nuggets]
    nuggets = None if not scored else _combined(probe, scored, published_rounding)
    unscored = None if scored else _why(named)
    held = Readings(read).stated if leads == "view" else view.stated
    second = MAX_SCORE * sum(held) / len(held) if held else None
    return Verdict(
        criteria=(),
        dimensions={},
        overall=None if nuggets is None else nuggets.figures.overall,
        facts=_outcomes(probe, nuggets, view, read, leads),
        traps=(),
        pass_score=pass_score,
        response=response,
        unscored=unscored,
        flags=tuple(dict.fromkeys(flag for reply in replies for flag in reply.flags)),
        usage=sum((reply.usage for reply in replies), Usage()),
        judges=_each(named, probe, published_rounding) if len(named) > 1 else (),
        unpaid=not scored and any(reply.unpaid for reply in replies),
        reading=leads,
        second=None if second is None or unscored else Scores((), {}, second),
        nuggets=nuggets,
    )


def _with_readings(reply: JudgeReply, probe: Probe, view: Readings, leads: Source) -> JudgeReply:
    """The reply of rules with a score for each nugget that is a fact of the probe."""
    if reply.nuggets or reply.unscored is not None:
        return reply
    decisive = view.facts if leads == "view" else reply.readings
    found = {fact.text: read for fact, read in zip(probe.facts, decisive, strict=True)}
    return replace(reply, nuggets=tuple(_read(found.get(n.content)) for n in probe.nuggets))


def _read(reading: Reading | None) -> NuggetScore:
    if reading is None:
        return NuggetScore(None, _ONLY_AN_ANSWER)
    if reading.outcome == "stated":
        return NuggetScore(1.0, f"stated: {printable(reading.clause, _SHOWN)}")
    return NuggetScore(0.0, printable(reading.why, _SHOWN) or reading.outcome)


def _combined(probe: Probe, replies: Sequence[JudgeReply], rounding: bool) -> Nuggets:
    figures = [_figures(probe, reply, rounding) for reply in replies]
    score = _mean_of([each.score for each in figures])
    orders = [each.ordering for each in figures if each.ordering is not None]
    scored = tuple(
        (nugget.text, _common([reply.nuggets[number] for reply in replies]))
        for number, nugget in enumerate(probe.nuggets)
    )
    return Nuggets(scored, NuggetFigures(score, mean_order(orders) if orders else None))


def _figures(probe: Probe, reply: JudgeReply, rounding: bool) -> NuggetFigures:
    return nugget_figures(probe.kind, reply.nuggets, reply.events, rounding)


def _mean_of(scores: Sequence[float | None]) -> float | None:
    found = [score for score in scores if score is not None]
    return math.fsum(found) / len(found) if found else None


def _common(scores: Sequence[NuggetScore]) -> NuggetScore:
    said = "; ".join(dict.fromkeys(score.reasoning for score in scores))
    return NuggetScore(_mean_of([score.score for score in scores]), said)


def _outcomes(
    probe: Probe,
    nuggets: Nuggets | None,
    view: Readings,
    read: Sequence[Reading],
    leads: Source,
) -> tuple[FactOutcome, ...]:
    """What the view and the answer do with the facts, each of which is the content of a nugget.

    ``read`` is what rules read in the answer; without it the scores of its nuggets say so.
    """
    answered = {fact.text: each for fact, each in zip(probe.facts, read, strict=False)}
    scored = nuggets.scored if nuggets and not answered else ()
    for nugget, (_, found) in zip(probe.nuggets, scored, strict=False):
        outcome: Outcome = "stated" if found.score == 1 else "uncertain"
        answered[nugget.content] = Reading(
            outcome if found.score else "absent", why=found.reasoning
        )
    return tuple(
        FactOutcome(
            fact.text, fact.type, in_view, answered.get(fact.text, Reading("absent")), leads
        )
        for fact, in_view in zip(probe.facts, view.facts, strict=True)
    )


def _each(
    named: Sequence[tuple[tuple[str, str], JudgeReply]], probe: Probe, rounding: bool
) -> tuple[JudgeScores, ...]:
    """What each of several judges said."""
    found: list[JudgeScores] = []
    for (name, model), reply in named:
        overall, why = None, reply.unscored or "no nugget was scored"
        if reply.unscored is None and reply.nuggets:
            overall, why = _figures(probe, reply, rounding).overall, ""
        found.append(JudgeScores(name, model, overall, (), why or None, reply.usage))
    return tuple(found)


def _why(named: Sequence[tuple[tuple[str, str], JudgeReply]]) -> str:
    """Why no judge gave a score."""
    reasons: dict[str, list[str]] = {}
    for (name, _), reply in named:
        reasons.setdefault(reply.unscored or "no nugget was scored", []).append(name)
    if len(named) == 1:
        return next(iter(reasons))
    return "; ".join(f"{', '.join(names)}: {reason}" for reason, names in reasons.items())
