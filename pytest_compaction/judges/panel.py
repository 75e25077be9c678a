"""Verdicts of several judges, on nuggets, and on a view that nobody answered from.

The scores of judges are averaged, and their votes on facts counted.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.case import Case, Probe
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
from pytest_compaction.models import OFFLINE as RULES
from pytest_compaction.models import JudgeReply, RequestSlot, Usage, requests_in
from pytest_compaction.rubric import (
    CRITERIA,
    MAX_SCORE,
    CriterionScore,
    Rubric,
    dimension_scores,
    overall_score,
)
from pytest_compaction.text import Outcome, Reading, printable

_ONLY_AN_ANSWER: Final = "only an answer can satisfy it, and rules do not judge answers"
_NO_CRITERION: Final = "no criterion was scored"
_SHOWN: Final = 80
"""Characters of a text in a reasoning."""


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
        rubric: Rubric = CRITERIA,
    ) -> None:
        self._published_rounding = published_rounding
        self._rubric = rubric
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
        named = [(judge.name, judge.model) for judge in self._judges]
        if probe.nuggets:
            rounding = self._published_rounding
            return nugget_verdict(
                replies, named, probe, response, view, self._pass_score, rounding, leads
            )
        reply, judges = replies[0], []
        if len(replies) > 1:
            reply = combined([(name, r) for (name, _), r in zip(named, replies, strict=True)])
            for (name, model), each in zip(named, replies, strict=True):
                criteria = each.criteria if _has_scores(each) else ()
                dimensions = dimension_scores({c.id: c.score for c in criteria}, self._rubric)
                why = None if criteria else each.unscored or _NO_CRITERION
                said = overall_score(dimensions), criteria, why, each.usage
                judges.append(JudgeScores(name, model, *said))
        return verdict_from_reply(
            reply, probe, view, response, self._pass_score, tuple(judges), leads, self._rubric
        )

    async def replies(self, case: Case, probe: Probe, response: str) -> list[JudgeReply]:
        """The replies of all judges; none to a forced choice, about which no judge is asked.

        Each is waited for, also if one before it was not asked; requests are sent in the ``turn``.
        """
        if probe.choice is not None:
            return []

        async def reply_of(judge: ModelJudge) -> JudgeReply:
            with requests_in(self._turn):
                return await judge.reply(case, probe, response)

        replies: list[JudgeReply] = []
        for reply in await asyncio.gather(*map(reply_of, self._judges), return_exceptions=True):
            if isinstance(reply, BaseException):
                raise reply
            replies.append(reply)
        return replies


def combined(replies: Sequence[tuple[str, JudgeReply]]) -> JudgeReply:
    """One reply of several; see :class:`PanelJudge` for the rules."""
    usage = sum((reply.usage for _, reply in replies), Usage())
    flags = _flags(reply for _, reply in replies)
    scored = [(name, reply) for name, reply in replies if _has_scores(reply)]
    if not scored:
        reasons = _reasons([(name, r.unscored or _NO_CRITERION) for name, r in replies])
        unpaid = any(reply.unpaid for _, reply in replies)
        return JudgeReply(unscored=reasons, flags=flags, usage=usage, unpaid=unpaid)
    means: list[CriterionScore] = []
    for criterion in CRITERIA:
        given = [(n, s) for n, reply in scored for s in reply.criteria if s.id == criterion.id]
        if given:
            mean = sum(score.score for _, score in given) / len(given)
            said = "; ".join(f"{name} {score.score:g}: {score.reasoning}" for name, score in given)
            means.append(CriterionScore(criterion.id, mean, said))

    def majority(ballots: Sequence[tuple[bool, ...]], tie: bool) -> tuple[bool, ...]:
        """The majority for each place; empty when nobody voted."""
        return tuple(
            tie if 2 * sum(votes) == len(votes) else 2 * sum(votes) > len(votes)
            for votes in zip(*ballots, strict=True)
        )

    return JudgeReply(
        criteria=tuple(means),
        stated=majority([reply.stated for _, reply in scored if reply.stated], tie=False),
        hit=majority([reply.hit for _, reply in scored if reply.hit], tie=True),
        flags=flags,
        usage=usage,
    )


def _flags(replies: Iterable[JudgeReply]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(flag for reply in replies for flag in reply.flags))


def _has_scores(reply: JudgeReply) -> bool:
    return reply.unscored is None and bool(reply.criteria)


def _reasons(said: Sequence[tuple[str, str]]) -> str:
    """Why no judge gave a score: each reason once, with the names of the judges."""
    reasons: dict[str, list[str]] = {}
    for name, reason in said:
        reasons.setdefault(reason, []).append(name)
    return "; ".join(f"{', '.join(names)}: {reason}" for reason, names in reasons.items())


# --- nuggets ---


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
    said: list[JudgeScores] = []
    scored: list[tuple[JudgeReply, NuggetFigures]] = []
    for (name, model), reply in zip(judges, replies, strict=True):
        if model == RULES and not reply.nuggets and reply.unscored is None:
            decisive = view.facts if leads == "view" else reply.readings
            stated = {fact.text: read for fact, read in zip(probe.facts, decisive, strict=True)}
            by_rules = []
            for nugget in probe.nuggets:
                if (found := stated.get(nugget.content)) is None:
                    by_rules.append(NuggetScore(None, _ONLY_AN_ANSWER))
                elif found.outcome == "stated":
                    clause = printable(found.clause, _SHOWN)
                    by_rules.append(NuggetScore(1.0, f"stated: {clause}"))
                else:
                    why = printable(found.why, _SHOWN) or found.outcome
                    by_rules.append(NuggetScore(0.0, why))
            reply = replace(reply, nuggets=tuple(by_rules))
        overall: float | None = None
        unscored: str | None = reply.unscored or "no nugget was scored"
        if reply.unscored is None and reply.nuggets:
            figures = nugget_figures(probe.kind, reply.nuggets, reply.events, published_rounding)
            scored.append((reply, figures))
            overall, unscored = figures.overall, None
        said.append(JudgeScores(name, model, overall, (), unscored, reply.usage))
    nuggets, unscored = (_combined(probe, scored) if scored else None), None
    if not scored:
        why_not = _reasons([(each.name, each.unscored or "") for each in said])
        unscored = why_not if len(said) > 1 else said[0].unscored
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
        flags=_flags(replies),
        usage=sum((reply.usage for reply in replies), Usage()),
        judges=tuple(said) if len(said) > 1 else (),
        unpaid=not scored and any(reply.unpaid for reply in replies),
        reading=leads,
        second=None if second is None or unscored else Scores((), {}, second),
        nuggets=nuggets,
    )


def _combined(probe: Probe, replies: Sequence[tuple[JudgeReply, NuggetFigures]]) -> Nuggets:
    """The mean of each score, and of each figure of the order of events."""

    def mean(scores: Iterable[float | None]) -> float | None:
        found = [score for score in scores if score is not None]
        return math.fsum(found) / len(found) if found else None

    orders = [figures.ordering for _, figures in replies if figures.ordering is not None]
    scored = []
    for number, nugget in enumerate(probe.nuggets):
        given = [reply.nuggets[number] for reply, _ in replies]
        reasoning = "; ".join(dict.fromkeys(score.reasoning for score in given))
        scored.append((nugget.text, NuggetScore(mean(s.score for s in given), reasoning)))
    score = mean(figures.score for _, figures in replies)
    return Nuggets(tuple(scored), NuggetFigures(score, mean_order(orders) if orders else None))


def _outcomes(
    probe: Probe,
    nuggets: Nuggets | None,
    view: Readings,
    read: Sequence[Reading],
    leads: Source,
) -> tuple[FactOutcome, ...]:
    """The outcomes of the facts, each of which is the content of a nugget.

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


def view_verdict(
    probe: Probe,
    view: Readings,
    pass_score: float,
    letter: str,
    failure: str | None,
    rubric: Rubric = CRITERIA,
) -> Verdict:
    """The verdict on what the view states of the facts and traps of a probe, without an answer.

    ``letter`` is what rules choose in a forced choice by reading the view. ``failure`` says why
    there is no view to score.
    """
    if failure is None and probe.choice is not None:
        found = choice_verdict(probe, probe.choice, letter, view, pass_score, "view")
    elif failure is None and probe.nuggets:
        judged = [JudgeReply()], [(RULES, RULES)]
        found = nugget_verdict(*judged, probe, "", view, pass_score, leads="view")
    else:
        reply = JudgeReply(probe_scores(probe, view)) if failure is None else JudgeReply()
        reply = replace(reply, unscored=failure)
        found = verdict_from_reply(reply, probe, view, "", pass_score, leads="view", rubric=rubric)
    facts = tuple(replace(fact, answer=None) for fact in found.facts)
    return replace(found, facts=facts, second=None)
