"""Judgements that contradict themselves: scores that the judge's own findings rule out.

The judge says which facts are stated and which stale claims are hit, and scores criteria. The
rubric ties the two together, so that a score which the findings rule out is no measurement:
the judge did not read the answer that it scored, or followed something that stands in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Final, TypeVar

from pytest_compaction.case.case import Fact, Trap
from pytest_compaction.models.protocol import JudgeRequest
from pytest_compaction.rubric import MAX_SCORE, Criterion

T = TypeVar("T")
_WHOLE: Final = frozenset({"completeness_coverage", "completeness_depth"})
"""Criteria that are about all facts."""
_CLAIMS: Final = "accuracy"
"""The dimension that a false claim lowers, whatever else is stated."""
_NEAR: Final = 0.5
"""A score that is this near to 5 or to 0 may be meant as that."""
_LIMITS: Final = "instruction_constraints"
"""The criterion that an answer beyond the limits of its question can fail with every fact."""


def contradiction(
    request: JudgeRequest,
    scores: Mapping[str, float],
    stated: Sequence[bool],
    hit: Sequence[bool],
) -> str | None:
    """The first contradiction of a judgement, as in "it contradicts itself: …"; else ``None``.

    ``scores`` (0 to 5) are by criterion; ``stated`` and ``hit`` run parallel to the facts and
    the traps of the request.
    """
    found = chain(
        _too_high_for_nothing(request, scores, stated),
        _too_high_for_gaps(request, scores, stated),
        _too_high_for_stale(request, scores, hit),
        _too_low_for_all(request, scores, stated, hit),
    )
    said = next(found, None)
    return None if said is None else f"it contradicts itself: {said}"


def _too_high_for_nothing(
    request: JudgeRequest, scores: Mapping[str, float], stated: Sequence[bool]
) -> Sequence[str]:
    """An answer that states none of the facts is 0 on every criterion."""
    if any(stated) or not request.facts:
        return []
    return [
        f"no fact is stated, but criteria.{criterion.id} is {scores[criterion.id]:g} and not 0"
        for criterion in request.criteria
        if scores[criterion.id] > 0
    ]


def _too_high_for_gaps(
    request: JudgeRequest, scores: Mapping[str, float], stated: Sequence[bool]
) -> Sequence[str]:
    """Every criterion that reads facts is 5 only for all of them."""
    return [
        f"facts.{number} is not stated, but criteria.{criterion.id} is {scores[criterion.id]:g}, "
        "and 5 is for all facts"
        for criterion in request.criteria
        if _is_full(scores[criterion.id], len(_read_by(criterion, request.facts)))
        for number, fact in _numbered(request.facts, stated, False)
        if fact in _read_by(criterion, request.facts)
    ]


def _too_high_for_stale(
    request: JudgeRequest, scores: Mapping[str, float], hit: Sequence[bool]
) -> Sequence[str]:
    """A stale claim takes something from the criteria that it is about."""
    found: list[str] = []
    for number, trap in _numbered(request.traps, hit, True):
        about = _about(request, trap)
        if about and all(_is_full(scores[each.id], len(request.facts) + 1) for each in about):
            names = ", ".join(criterion.id for criterion in about)
            found.append(f"stale_claims.{number} is hit, but nothing is taken from {names}")
    return found


def _too_low_for_all(
    request: JudgeRequest,
    scores: Mapping[str, float],
    stated: Sequence[bool],
    hit: Sequence[bool],
) -> Sequence[str]:
    """A criterion that asks only which facts are known is not 0 when all of them are stated."""
    if any(hit) or not all(stated) or not request.facts:
        return []
    return [
        f"all facts are stated, but criteria.{criterion.id} is {scores[criterion.id]:g}, and 0 is "
        "for none"
        for criterion in request.criteria
        if scores[criterion.id] < _NEAR
        if criterion.id in _WHOLE or (criterion.types and criterion.dimension != _CLAIMS)
        if criterion.id != _LIMITS
    ]


def _is_full(score: float, facts: int) -> bool:
    """Whether a score says that none of so many facts is missing.

    It is nearer to 5 than to the score of all facts but one, and would be rounded to 5.
    """
    return score > MAX_SCORE - min(_NEAR, MAX_SCORE / (2 * max(facts, 1)))


def _read_by(criterion: Criterion, facts: Sequence[Fact]) -> Sequence[Fact]:
    """The facts that a criterion is about; none for one of form alone."""
    return [fact for fact in facts if criterion.id in _WHOLE or _reads(criterion, fact)]


def _about(request: JudgeRequest, trap: Trap) -> list[Criterion]:
    """The criteria of a request that a stale claim lowers.

    They are those that read its fact, or its type if it is the counterpart of none. For a
    claim of another type they are the accuracy and the coverage.
    """
    facts = [fact for fact in request.facts if fact.text == trap.of]
    reads: Callable[[Criterion], bool] = (
        (lambda criterion: any(_reads(criterion, fact) for fact in facts))
        if facts
        else (lambda criterion: trap.type in criterion.types)
    )
    read = [criterion for criterion in request.criteria if reads(criterion)]
    return read or [
        criterion
        for criterion in request.criteria
        if criterion.dimension == _CLAIMS or criterion.id == "completeness_coverage"
    ]


def _reads(criterion: Criterion, fact: Fact) -> bool:
    return criterion.reads(fact.type, fact.change)


def _numbered(items: Sequence[T], said: Sequence[bool], wanted: bool) -> list[tuple[int, T]]:
    """The items of which this was said, with their numbers in the judgement."""
    found = zip(items, said, strict=True)
    return [(number, item) for number, (item, so) in enumerate(found, 1) if so is wanted]
