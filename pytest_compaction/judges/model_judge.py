"""The rubric judge: asks a model to score one response. The run goes on if the model fails."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import replace
from typing import Final

from pytest_compaction.cache import SizedCache
from pytest_compaction.case import Case, Probe
from pytest_compaction.conversation import readable
from pytest_compaction.models import (
    NO_LOG,
    JudgeReply,
    JudgeRequest,
    LogDigest,
    Model,
    ModelError,
    NotRecordedError,
    Usage,
)
from pytest_compaction.rubric import MAX_SCORE

_MOST_CHARACTERS: Final = 20_000_000
"""Characters of all cached logs."""
_LOGS: Final[SizedCache[tuple[Case, int], LogDigest]] = SizedCache(
    _MOST_CHARACTERS, lambda log: log.characters
)


def log_digest(case: Case, point: int) -> LogDigest:
    """The judge's part of the log up to a compaction point; the latest are cached."""
    return _LOGS.get(
        (case, point),
        lambda: LogDigest("", tuple((m.id, m.role, readable(m)) for m in case.log_until(point))),
    )


class ModelJudge:
    """Scores responses with a model; if that fails, a response is unscored, with the reason.

    ``opinion`` counts the judgements that the model makes of the same response.
    """

    def __init__(self, model: Model, opinion: int = 1) -> None:
        self._model = model
        self._opinion = opinion

    @property
    def model(self) -> str:
        """The name of the model that judges."""
        return self._model.name

    @property
    def name(self) -> str:
        """The name of the model, with the number of a further judgement, as in ``gpt-5#2``."""
        return self.model if self._opinion == 1 else f"{self.model}#{self._opinion}"

    async def reply(self, case: Case, probe: Probe, response: str) -> JudgeReply:
        """Judge one response. The request holds neither the view nor the compactor's name.

        A call that a replay does not find raises
        :class:`~pytest_compaction.models.NotRecordedError`. Any other failure of
        the model makes the reply unscored.
        """
        request = JudgeRequest(
            kind=probe.kind,
            question=probe.question,
            response=response,
            facts=probe.facts,
            traps=probe.traps,
            answer=probe.answer,
            digest=NO_LOG if probe.nuggets else log_digest(case, probe.point),
            nuggets=probe.nuggets,
        )
        try:
            return _checked(await self._model.judge(request), request)
        except NotRecordedError:
            raise
        except ModelError as error:
            usage = error.spent.get("judge", Usage())
            return JudgeReply(unscored=str(error), usage=usage, unpaid=error.unpaid)


def _checked(reply: JudgeReply, request: JudgeRequest) -> JudgeReply:
    """The reply if it fits the request, or else an unscored one with what is wrong with it."""
    if reply.unscored is not None:
        return reply
    asked = (*request.criteria, *replace(request, by_evidence=True).criteria)
    known = {criterion.id for criterion in asked}
    parallel: tuple[tuple[Sized, Sized], ...] = (
        (reply.stated, request.facts),
        (reply.readings, request.facts),
        (reply.hit, request.traps),
        (reply.nuggets, request.nuggets),
    )
    fault = ""
    if any(len(said) and len(said) != len(asked) for said, asked in parallel):
        fault = "the judge's facts, traps or nuggets do not match the probe's"
    for criterion in reversed(reply.criteria):
        if criterion.id not in known:
            fault = f"the judge scored {criterion.id!r}, which does not apply here"
        elif not 0 <= criterion.score <= MAX_SCORE:
            fault = f"the judge gave {criterion.id} {criterion.score}, outside 0 to 5"
    return JudgeReply(unscored=fault, usage=reply.usage) if fault else reply
