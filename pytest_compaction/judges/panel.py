"""Several judges over one response: their scores averaged, their votes on facts counted."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pytest_compaction.case.case import Case, Probe
from pytest_compaction.judges.choice import choice_verdict
from pytest_compaction.judges.model_judge import ModelJudge
from pytest_compaction.judges.nuggets import nugget_verdict
from pytest_compaction.judges.verdict import JudgeScores, Verdict, verdict_from_reply
from pytest_compaction.metrics.facts.survival import Readings, Source
from pytest_compaction.models.calls.turns import RequestTurn, in_turn
from pytest_compaction.models.protocol import JudgeReply
from pytest_compaction.models.usage import Usage
from pytest_compaction.rubric import CRITERIA, CriterionScore, dimension_scores, overall_score


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
        turn: RequestTurn,
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
        with in_turn(self._turn):
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
