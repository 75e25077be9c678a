"""A verdict: fourteen criteria, six dimensions, one overall score; or unscored, with a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_compaction.case.case import Fact, Probe, Trap
from pytest_compaction.metrics.survival import loss
from pytest_compaction.models.protocol import CriterionScore, JudgeReply
from pytest_compaction.models.usage import Usage
from pytest_compaction.rubric import CRITERIA, dimension_scores, overall_score
from pytest_compaction.text.numbers import told_apart
from pytest_compaction.text.words import printable

_LOSSES = (
    ("dropped", "not in the view"),
    ("unused", "in the view, not in the answer"),
)
_DIMENSION_OF = {criterion.id: criterion.dimension for criterion in CRITERIA}


class BelowPassScoreError(AssertionError):
    """The response scored below the pass score; the text names what fell short, and why."""


class UnscoredError(Exception):
    """The response could not be judged, so it neither passed nor failed."""


@dataclass(frozen=True, slots=True)
class FactOutcome:
    """One fact: was it in the view, and is it in the answer?"""

    text: str
    survived: bool
    used: bool

    @property
    def loss(self) -> str | None:
        """``dropped``, ``unused``, or ``None`` for a fact that the answer states."""
        return loss(self.survived, self.used)


@dataclass(frozen=True, slots=True)
class JudgeScores:
    """What one of several judges said about a response; ``unscored`` says why it gave no score."""

    name: str
    overall: float | None
    criteria: tuple[CriterionScore, ...] = ()
    unscored: str | None = None
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge made of one response.

    ``overall`` and ``dimensions`` are 0 to 5; both are empty when ``unscored`` says why
    there is no score, and ``unpaid`` tells that the limit on costs is the reason. ``judges``
    holds what each of several judges said.
    """

    criteria: tuple[CriterionScore, ...]
    dimensions: dict[str, float]
    overall: float | None
    facts: tuple[FactOutcome, ...]
    traps: tuple[tuple[str, bool], ...]
    pass_score: float
    response: str = ""
    unscored: str | None = None
    flags: tuple[str, ...] = ()
    usage: Usage = Usage()
    judges: tuple[JudgeScores, ...] = ()
    unpaid: bool = False

    @property
    def passed(self) -> bool | None:
        """Whether the overall score reaches the pass score; ``None`` when unscored."""
        return None if self.overall is None else self.overall >= self.pass_score

    def check(self) -> None:
        """Raise when the response is unscored or falls short; the text is for the user."""
        if self.unscored is not None or self.overall is None:
            raise UnscoredError(f"unscored: {self.unscored or 'no criterion was scored'}")
        if not self.passed:
            raise BelowPassScoreError("\n".join(self.shortfall()))

    def shortfall(self) -> list[str]:
        """The failure in a few lines: score, weak dimensions with criteria, lost facts, traps."""
        overall, needed = told_apart(self.overall or 0.0, self.pass_score)
        lines = [f"overall {overall} is below the pass score {needed}"]
        for dimension, score in self.dimensions.items():
            if score < self.pass_score:
                lines.append(f"  {dimension} {score:.2f}: {self._weak_criteria(dimension)}")
        for name, where in _LOSSES:
            lost = [printable(fact.text, 70) for fact in self.facts if fact.loss == name]
            if lost:
                lines.append(f"  {name} ({where}): {'; '.join(lost)}")
        stale = [printable(text, 70) for text, hit in self.traps if hit]
        if stale:
            lines.append(f"  stale: {'; '.join(stale)}")
        lines.append(f"  answer: {printable(self.response, 160) or '(empty)'}")
        return lines

    def _weak_criteria(self, dimension: str) -> str:
        """Criteria below the pass score, with a reasoning unless it repeats what is lost."""
        parts: list[str] = []
        for criterion in self.criteria:
            low = criterion.score < self.pass_score
            if low and _DIMENSION_OF.get(criterion.id) == dimension:
                why = "" if criterion.lists_facts else f" ({printable(criterion.reasoning, 110)})"
                parts.append(f"{criterion.id} {criterion.score:.1f}{why}")
        return ", ".join(parts)


def unscored_verdict(
    reason: str, probe: Probe, survives: Sequence[bool], pass_score: float
) -> Verdict:
    """The verdict on a response that no judge was asked to score."""
    reply = JudgeReply(unscored=reason)
    return verdict_from_reply(reply, probe.facts, survives, probe.traps, "", pass_score)


def verdict_from_reply(
    reply: JudgeReply,
    facts: Sequence[Fact],
    survives: Sequence[bool],
    traps: Sequence[Trap],
    response: str,
    pass_score: float,
    judges: tuple[JudgeScores, ...] = (),
) -> Verdict:
    """Combine a judge's reply with the survival of the facts."""
    stated = reply.stated or tuple(False for _ in facts)
    hit = reply.hit or tuple(False for _ in traps)
    dimensions = {} if reply.unscored else dimension_scores({c.id: c.score for c in reply.criteria})
    return Verdict(
        criteria=reply.criteria,
        dimensions=dimensions,
        overall=overall_score(dimensions),
        facts=tuple(
            FactOutcome(fact.text, alive, used)
            for fact, alive, used in zip(facts, survives, stated, strict=True)
        ),
        traps=tuple((trap.text, caught) for trap, caught in zip(traps, hit, strict=True)),
        pass_score=pass_score,
        response=response,
        unscored=reply.unscored if dimensions or reply.unscored else "no criterion was scored",
        flags=reply.flags,
        usage=reply.usage,
        judges=judges,
        unpaid=reply.unpaid,
    )
