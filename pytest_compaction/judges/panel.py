"""Verdicts of several judges, on nuggets, and on a view that nobody answered from.

The scores of judges are averaged, and their votes on facts counted.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.case.case import Case, Probe
from pytest_compaction.judges.model_judge import ModelJudge
from pytest_compaction.judges.verdict import (
    FactOutcome,
    JudgeScores,
    Nuggets,
    Scores,
    Verdict,
    choice_verdict,
    verdict_from_reply,
)
from pytest_compaction.metrics import (
    NuggetFigures,
    NuggetScore,
    Readings,
    Source,
    mean_order,
    nugget_figures,
    probe_scores,
)
from pytest_compaction.models.calls.in_flight import RequestSlot, requests_in
from pytest_compaction.models.offline.model import NAME as RULES
from pytest_compaction.models.protocol import JudgeReply
from pytest_compaction.models.usage import Usage
from pytest_compaction.rubric import (
    CRITERIA,
    MAX_SCORE,
    CriterionScore,
    dimension_scores,
    overall_score,
)
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


class PanelJudge:
    """Asks every judge and combines what they say; a panel of one is that judge.

    The score of a criterion is the mean over the judges that scored it. The majority of
    the judges that looked decides whether a fact is stated and a trap hit. A tie goes
    against the answer: the fact counts as missing, the trap as hit. The response is
    unscored only if no judge could score it. The record also holds every judge's own scores.
    """

    def __init__(
        self,
        judges: Sequence[ModelJudge],
        pass_score: float,
        turn: RequestSlot,
        published_rounding: bool = False,
    ) -> None:
        self._published_rounding = published_rounding
        self._judges = tuple(judges)
        self._pass_score = pass_score
        self._turn = turn

    def verdict(
        self,
        replies: Sequence[JudgeReply],
        probe: Probe,
        response: str,
        view: Readings,
        leads: Source = "answer",
    ) -> Verdict:
        """The common verdict on one response, on which the judges said ``replies``.

        ``view`` is what the view does with the facts, and ``leads`` whether it or the answer
        makes the score. No judge learns of either.
        """
        if probe.choice is not None:
            return choice_verdict(probe, probe.choice, response, view, self._pass_score, leads)
        if probe.nuggets:
            named_judges = [(judge.name, judge.model) for judge in self._judges]
            rounding = self._published_rounding
            return nugget_verdict(
                replies, named_judges, probe, response, view, self._pass_score, rounding, leads
            )
        named = [(judge.name, reply) for judge, reply in zip(self._judges, replies, strict=True)]
        several = len(named) > 1
        return verdict_from_reply(
            combined(named) if several else named[0][1],
            probe,
            view,
            response,
            self._pass_score,
            tuple(map(scores_of, self._judges, replies)) if several else (),
            leads,
        )

    async def replies(self, case: Case, probe: Probe, response: str) -> list[JudgeReply]:
        """The replies of all judges; none to a forced choice, about which no judge is asked.

        Each is waited for, also if one before it was not asked; requests are sent in the ``turn``.
        """
        if probe.choice is not None:
            return []
        asked = (self._reply(judge, case, probe, response) for judge in self._judges)
        replies: list[JudgeReply] = []
        for reply in await asyncio.gather(*asked, return_exceptions=True):
            if isinstance(reply, BaseException):
                raise reply
            replies.append(reply)
        return replies

    async def _reply(
        self, judge: ModelJudge, case: Case, probe: Probe, response: str
    ) -> JudgeReply:
        with requests_in(self._turn):
            return await judge.reply(case, probe, response)


def combined(replies: Sequence[tuple[str, JudgeReply]]) -> JudgeReply:
    """One reply of several; see :class:`PanelJudge` for the rules."""
    usage = sum((reply.usage for _, reply in replies), Usage())
    flags = tuple(dict.fromkeys(flag for _, reply in replies for flag in reply.flags))
    scored = [(name, reply) for name, reply in replies if _has_scores(reply)]
    if not scored:
        reasons: dict[str, list[str]] = {}
        for name, reply in replies:
            reasons.setdefault(reply.unscored or "no criterion was scored", []).append(name)
        listed = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in reasons.items())
        unpaid = any(reply.unpaid for _, reply in replies)
        return JudgeReply(unscored=listed, flags=flags, usage=usage, unpaid=unpaid)
    return JudgeReply(
        criteria=tuple(_means(scored)),
        stated=_votes([reply.stated for _, reply in scored if reply.stated], tie=False),
        hit=_votes([reply.hit for _, reply in scored if reply.hit], tie=True),
        flags=flags,
        usage=usage,
    )


def scores_of(judge: ModelJudge, reply: JudgeReply) -> JudgeScores:
    """What one judge of a panel said."""
    criteria = reply.criteria if _has_scores(reply) else ()
    dimensions = dimension_scores({c.id: c.score for c in criteria})
    unscored = None if criteria else reply.unscored or "no criterion was scored"
    overall = overall_score(dimensions)
    return JudgeScores(judge.name, judge.model, overall, criteria, unscored, reply.usage)


def _has_scores(reply: JudgeReply) -> bool:
    return reply.unscored is None and bool(reply.criteria)


def _means(scored: Sequence[tuple[str, JudgeReply]]) -> list[CriterionScore]:
    means: list[CriterionScore] = []
    for criterion in CRITERIA:
        given = [
            (name, score)
            for name, reply in scored
            for score in reply.criteria
            if score.id == criterion.id
        ]
        if given:
            mean = sum(score.score for _, score in given) / len(given)
            said = "; ".join(f"{name} {score.score:g}: {score.reasoning}" for name, score in given)
            means.append(CriterionScore(criterion.id, mean, said))
    return means


def _votes(ballots: Sequence[tuple[bool, ...]], tie: bool) -> tuple[bool, ...]:
    """The majority for each place; empty when nobody voted."""
    return tuple(
        tie if 2 * sum(votes) == len(votes) else 2 * sum(votes) > len(votes)
        for votes in zip(*ballots, strict=True)
    )


def view_verdict(
    probe: Probe, view: Readings, pass_score: float, letter: str, failure: str | None
) -> Verdict:
    """What the view states of the facts and traps of a probe, and nothing of an answer.

    ``letter`` is what rules choose in a forced choice by reading the view. ``failure`` says why
    there is no view to score.
    """
    if failure is not None:
        unscored = JudgeReply(unscored=failure)
        found = verdict_from_reply(unscored, probe, view, "", pass_score, leads="view")
    elif probe.choice is not None:
        found = choice_verdict(probe, probe.choice, letter, view, pass_score, "view")
    elif probe.nuggets:
        judged = [JudgeReply()], [(RULES, RULES)]
        found = nugget_verdict(*judged, probe, "", view, pass_score, leads="view")
    else:
        scored = JudgeReply(probe_scores(probe, view))
        found = verdict_from_reply(scored, probe, view, "", pass_score, leads="view")
    facts = tuple(replace(fact, answer=None) for fact in found.facts)
    return replace(found, facts=facts, second=None)
