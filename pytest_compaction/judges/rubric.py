"""The rubric judge: asks a model to score one response, and never fails the run for it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pytest_compaction.case import Case, Probe
from pytest_compaction.conversation import readable
from pytest_compaction.judges.verdict import Verdict, verdict_from_reply
from pytest_compaction.models.protocol import (
    JudgeReply,
    JudgeRequest,
    LogDigest,
    Model,
    ModelError,
)
from pytest_compaction.rubric import MAX_SCORE, applicable


@lru_cache(maxsize=8)
def log_digest(case: Case, point: int) -> LogDigest:
    """What a judge may know of the log up to a compaction point."""
    return LogDigest("\n".join(readable(message) for message in case.log_until(point)))


class RubricJudge:
    """Scores responses with a model; what cannot be scored is unscored, with the reason."""

    def __init__(self, model: Model, pass_score: float) -> None:
        self._model = model
        self._pass_score = pass_score

    async def verdict(
        self, case: Case, probe: Probe, response: str, survives: Sequence[bool]
    ) -> Verdict:
        """Judge one response. The request holds neither the view nor the compactor's name."""
        request = JudgeRequest(
            kind=probe.kind,
            question=probe.question,
            response=response,
            facts=probe.facts,
            traps=probe.traps,
            answer=probe.answer,
            digest=log_digest(case, probe.point),
        )
        try:
            reply = _checked(await self._model.judge(request), request)
        except ModelError as error:
            reply = JudgeReply(unscored=str(error))
        return verdict_from_reply(
            reply, probe.facts, survives, probe.traps, response, self._pass_score
        )


def _checked(reply: JudgeReply, request: JudgeRequest) -> JudgeReply:
    """A reply that does not hold what was asked for is unscored, whatever it claims."""
    if reply.unscored is not None:
        return reply
    known = {criterion.id for criterion in applicable(request.kind)}
    for criterion in reply.criteria:
        if criterion.id not in known:
            return JudgeReply(
                unscored=f"the judge scored {criterion.id!r}, which does not apply here",
                usage=reply.usage,
            )
        if not 0 <= criterion.score <= MAX_SCORE:
            return JudgeReply(
                unscored=f"the judge gave {criterion.id} {criterion.score}, outside 0 to 5",
                usage=reply.usage,
            )
    wrong_lengths = (reply.stated and len(reply.stated) != len(request.facts)) or (
        reply.hit and len(reply.hit) != len(request.traps)
    )
    if wrong_lengths:
        return JudgeReply(
            unscored="the judge's facts or traps do not match the probe's", usage=reply.usage
        )
    return reply
