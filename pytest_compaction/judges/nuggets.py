"""The verdict on an answer that is judged by nuggets, by one judge or by several."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pytest_compaction.case.case import Probe
from pytest_compaction.judges.verdict import (
    FactOutcome,
    JudgeScores,
    Nuggets,
    Scores,
    Verdict,
)
from pytest_compaction.metrics.event_order import mean_order
from pytest_compaction.metrics.facts.survival import Readings
from pytest_compaction.metrics.nugget_scores import NuggetFigures, NuggetScore, nugget_figures
from pytest_compaction.models.protocol import JudgeReply
from pytest_compaction.models.usage import Usage
from pytest_compaction.rubric import MAX_SCORE
from pytest_compaction.text.statement import Outcome, Reading


def nugget_verdict(
    replies: Sequence[JudgeReply],
    judges: Sequence[tuple[str, str]],
    probe: Probe,
    response: str,
    view: Readings,
    pass_score: float,
    published_rounding: bool = False,
) -> Verdict:
    """The verdict from what the judges said; ``judges`` are their names and models, in order.

    The answer leads, whoever gave it. Several judges count the same: their scores are averaged,
    and each figure of the order of events. ``view`` is the second figure.
    """
    named = list(zip(judges, replies, strict=True))
    scored = [reply for _, reply in named if reply.unscored is None and reply.nuggets]
    nuggets = None if not scored else _combined(probe, scored, published_rounding)
    unscored = None if scored else _why(named)
    held = view.stated
    second = MAX_SCORE * sum(held) / len(held) if held else None
    return Verdict(
        criteria=(),
        dimensions={},
        overall=None if nuggets is None else nuggets.figures.overall,
        facts=_outcomes(probe, nuggets, view),
        traps=(),
        pass_score=pass_score,
        response=response,
        unscored=unscored,
        flags=tuple(dict.fromkeys(flag for reply in replies for flag in reply.flags)),
        usage=sum((reply.usage for reply in replies), Usage()),
        judges=_each(named, probe, published_rounding) if len(named) > 1 else (),
        unpaid=not scored and any(reply.unpaid for reply in replies),
        second=None if second is None or unscored else Scores((), {}, second),
        nuggets=nuggets,
    )


def _combined(probe: Probe, replies: Sequence[JudgeReply], rounding: bool) -> Nuggets:
    figures = [_figures(probe, reply, rounding) for reply in replies]
    score = math.fsum(each.score for each in figures) / len(figures)
    orders = [each.ordering for each in figures if each.ordering is not None]
    scored = tuple(
        (nugget.text, _mean([reply.nuggets[number] for reply in replies]))
        for number, nugget in enumerate(probe.nuggets)
    )
    return Nuggets(scored, NuggetFigures(score, mean_order(orders) if orders else None))


def _figures(probe: Probe, reply: JudgeReply, rounding: bool) -> NuggetFigures:
    return nugget_figures(probe.kind, reply.nuggets, reply.events, rounding)


def _mean(scores: Sequence[NuggetScore]) -> NuggetScore:
    mean = math.fsum(score.score for score in scores) / len(scores)
    return NuggetScore(mean, "; ".join(dict.fromkeys(score.reasoning for score in scores)))


def _outcomes(probe: Probe, nuggets: Nuggets | None, view: Readings) -> tuple[FactOutcome, ...]:
    """What the view and the answer do with the facts, each of which is the content of a nugget."""
    answered: dict[str, Reading] = {}
    for nugget, (_, found) in zip(probe.nuggets, nuggets.scored if nuggets else (), strict=False):
        outcome: Outcome = "stated" if found.score == 1 else "uncertain"
        answered[nugget.content] = Reading(
            outcome if found.score else "absent", why=found.reasoning
        )
    return tuple(
        FactOutcome(fact.text, fact.type, in_view, answered.get(fact.text, Reading("absent")))
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
