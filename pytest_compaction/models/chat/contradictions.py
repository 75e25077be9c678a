"""Judgements that contradict themselves: scores that the judge's own findings rule out.

The judge says which facts are stated and which stale claims are hit, and scores criteria. The
rubric ties the two together, so that a score which the findings rule out is no measurement:
the judge did not read the answer that it scored, or followed something that stands in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
    said = next(_contradictions(request, scores, stated, hit), None)
    return None if said is None else f"it contradicts itself: {said}"


def _contradictions(
    request: JudgeRequest,
    scores: Mapping[str, float],
    stated: Sequence[bool],
    hit: Sequence[bool],
) -> Iterator[str]:
    criteria, facts = request.criteria, request.facts
    if facts and not any(stated):  # then every criterion is 0
        for criterion in criteria:
            score = scores[criterion.id]
            if score > 0:
                yield f"no fact is stated, but criteria.{criterion.id} is {score:g} and not 0"
    missing = _numbered(facts, stated, False)
    for criterion in criteria:  # one that reads facts is 5 only for all of them
        score, read = scores[criterion.id], _read_by(criterion, facts)
        for number, fact in missing if _is_full(score, len(read)) else ():
            if fact in read:
                yield (
                    f"facts.{number} is not stated, but criteria.{criterion.id} is {score:g}, "
                    "and 5 is for all facts"
                )
    for number, trap in _numbered(request.traps, hit, True):  # it lowers what it is about
        about = _about(request, trap)
        if about and all(_is_full(scores[each.id], len(facts) + 1) for each in about):
            names = ", ".join(criterion.id for criterion in about)
            yield f"stale_claims.{number} is hit, but nothing is taken from {names}"
    if facts and all(stated) and not any(hit):
        yield from _too_low(request, scores)


def _too_low(request: JudgeRequest, scores: Mapping[str, float]) -> Iterator[str]:
    """When all facts are stated, a criterion that asks only which are known is not 0."""
    for criterion in request.criteria:
        asks = criterion.types and criterion.dimension != _CLAIMS
        if scores[criterion.id] >= _NEAR or criterion.id == _LIMITS:
            continue
        if asks or criterion.id in _WHOLE:
            yield (
                f"all facts are stated, but criteria.{criterion.id} is "
                f"{scores[criterion.id]:g}, and 0 is for none"
            )


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
