"""A verdict: fourteen criteria, six dimensions, one overall score; or unscored, with a reason.

The verdict on a forced choice is read from its letter, without a judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_compaction.case import Choice, FactType, Probe, read_letter
from pytest_compaction.metrics import (
    Loss,
    NuggetFigures,
    NuggetScore,
    Readings,
    Source,
    choice_score,
    loss,
    probe_scores,
    readings_of,
)
from pytest_compaction.models import JudgeReply, Usage
from pytest_compaction.rubric import (
    CRITERIA,
    CriterionScore,
    Rubric,
    dimension_scores,
    overall_score,
)
from pytest_compaction.text import Reading, printable, told_apart

REPORTED: Final = "to score views over the budget all the same: --compaction-over-budget=report"
"""The advice for an item that fails for a view over its budget."""
NULL: Final = (
    "null: only an answer can satisfy its nuggets, and rules do not judge answers; "
    "a model does: --compaction-judge=NAME"
)
"""Why an item is skipped that was judged and has no score."""
NEXT_ONLY: Final = "this point has no questions; the next action alone is asked for there"
"""Why an item is skipped that asks nothing."""
_DIMENSION_OF = {criterion.id: criterion.dimension for criterion in CRITERIA}


class BelowPassScoreError(AssertionError):
    """The response scored below the pass score; the text names what fell short, and why."""


class OverBudgetError(AssertionError):
    """The view takes more tokens than its budget, so that no score of it counts."""


class UnscoredError(Exception):
    """The response has no score, so it neither passed nor failed."""


@dataclass(frozen=True, slots=True)
class FactOutcome:
    """One fact: what the view does with it, and what the answer does, if one was made.

    ``leads`` says which of the two decides the score.
    """

    text: str
    type: FactType
    view: Reading
    answer: Reading | None
    leads: Source = "answer"

    @property
    def survived(self) -> bool:
        """Whether the view states it."""
        return self.view.outcome == "stated"

    @property
    def used(self) -> bool | None:
        """Whether the answer states it; ``None`` if none was made."""
        return None if self.answer is None else self.answer.outcome == "stated"

    @property
    def decisive(self) -> Reading:
        """The reading that the score is made of."""
        return self.view if self.leads == "view" or self.answer is None else self.answer

    @property
    def unread(self) -> str | None:
        """Why it was not read in the view or in the answer that decides; ``None`` if it was."""
        found = (each.why for each in (self.decisive, self.view) if each.outcome == "unread")
        return next(found, None)

    @property
    def loss(self) -> Loss | None:
        """``dropped``, ``unused``, or ``None`` for a fact that is not lost."""
        if self.unread is not None:
            return None
        return loss(self.survived, self.used, self.leads)


@dataclass(frozen=True, slots=True)
class Scores:
    """How the view or the answer scores (0 to 5), and which traps it hits."""

    criteria: tuple[CriterionScore, ...]
    dimensions: dict[str, float]
    overall: float | None
    traps: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class JudgeScores:
    """The scores of one of several judges; ``unscored`` says why it gave none.

    ``model`` is the name of its model, by which it is charged.
    """

    name: str
    model: str
    overall: float | None
    criteria: tuple[CriterionScore, ...] = ()
    unscored: str | None = None
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Nuggets:
    """Each nugget with its score and reasoning, in the order of the probe; and what they make."""

    scored: tuple[tuple[str, NuggetScore], ...]
    figures: NuggetFigures


@dataclass(frozen=True, slots=True)
class Verdict:
    """The scores of one response.

    ``reading`` says what leads: ``criteria``, ``dimensions``, ``overall`` (0 to 5) and ``traps``
    come from the whole view where rules answered, and from the answer where a model did; ``second``
    holds the other figure, if there is one. All are empty when ``unscored`` says why there is no
    score, and ``unpaid`` tells that the limit on costs is the reason. ``judges`` holds what each of
    several judges said of the answer. ``over_budget`` says that the view takes more tokens than it
    may, where that fails the item; empty if it does not. ``nuggets`` are those of a probe that is
    judged by them, in place of criteria and dimensions.
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
    reading: Source = "answer"
    second: Scores | None = None
    over_budget: str = ""
    nuggets: Nuggets | None = None

    @property
    def judged(self) -> Scores:
        """The scores of the answer, whether or not it leads; without one, of the view."""
        if self.reading == "view" and self.second is not None:
            return self.second
        return Scores(self.criteria, self.dimensions, self.overall, self.traps)

    @property
    def answered(self) -> bool:
        """Whether an answer was made and judged."""
        of_view = self.reading == "view" and self.second is None
        return not of_view or any(fact.used is not None for fact in self.facts)

    @property
    def passed(self) -> bool | None:
        """Whether the overall score reaches the pass score; ``None`` when unscored.

        Whatever its score, a view over its budget does not pass where that fails an item.
        """
        if self.overall is None:
            return None
        return self.overall >= self.pass_score and not self.over_budget

    @property
    def is_null(self) -> bool:
        """Whether nothing can give it a score: rules judge none of its nuggets, or nothing was
        asked."""
        asked = self.nuggets is None and self.unscored != NEXT_ONLY
        return self.overall is None and not asked

    def check(self) -> None:
        """Raise when the response is unscored, over budget or falls short, in sentences."""
        __tracebackhide__ = True  # pytest would parse this file for the lines of each failure
        if self.is_null:
            raise UnscoredError(self.unscored or NULL)
        if self.unscored is not None or self.overall is None:
            raise UnscoredError(f"unscored: {self.unscored or 'no criterion was scored'}")
        if self.over_budget:
            raise OverBudgetError(self.over_budget)
        if not self.passed:
            raise BelowPassScoreError("\n".join(self.shortfall()))

    def shortfall(self) -> list[str]:
        """The failure in a few lines: score, weak dimensions with criteria, lost facts, traps.

        Where the view leads, what the answer does not find is a remark at the end.
        """
        overall, needed = told_apart(self.overall or 0.0, self.pass_score)
        lines = [f"overall {overall} is below the pass score {needed}"]
        for dimension, score in self.dimensions.items():
            if score < self.pass_score:
                lines.append(f"  {dimension} {score:.2f}: {self._weak_criteria(dimension)}")
        for text, nugget in self.nuggets.scored if self.nuggets else ():
            if nugget.score is not None and nugget.score < 1:
                said = printable(nugget.reasoning, 80)
                lines.append(f"  nugget {nugget.score:.2g}: {printable(text, 90)} ({said})")
        ordering = self.nuggets.figures.ordering if self.nuggets else None
        if ordering is not None:
            found = f"precision {ordering.precision:.2f}, recall {ordering.recall:.2f}"
            lines.append(f"  order of the events {ordering.order:.2f}, {found}")
        lines += self._lost("dropped", "not in the view")
        if self.reading == "answer":
            lines += self._lost("unused", "in the view, not in the answer")
        stale = [printable(text, 70) for text, hit in self.traps if hit]
        if stale:
            lines.append(f"  stale: {'; '.join(stale)}")
        if self.reading == "view":
            lines += self._lost("unused", "remark: in the view, but not found by the answer")
            if self.second is not None and self.second.overall is not None:
                lines.append(f"  remark: the answer alone scores {self.second.overall:.2f}")
        if self.answered:
            lines.append(f"  answer: {printable(self.response, 160) or '(empty)'}")
        return lines

    def _lost(self, name: Loss, where: str) -> list[str]:
        """One line for each type of the facts that are lost in this way."""
        texts: dict[str, list[str]] = {}
        for fact in self.facts:
            if fact.loss == name:
                read = fact.answer if name == "unused" and fact.answer else fact.view
                outcome = read.outcome
                said = "" if outcome == "absent" else f" ({outcome})"
                texts.setdefault(fact.type, []).append(f"{printable(fact.text, 70)}{said}")
        return [f"  {name} ({where}), {type}: {'; '.join(of)}" for type, of in texts.items()]

    def _weak_criteria(self, dimension: str) -> str:
        """Criteria below the pass score, with a reasoning unless it repeats what is lost.

        Those of one score share it, and one that has the score of the dimension goes without.
        """
        parts: dict[str, list[str]] = {}
        for criterion in self.criteria:
            if criterion.score < self.pass_score and _DIMENSION_OF.get(criterion.id) == dimension:
                why = "" if criterion.lists_facts else f" ({printable(criterion.reasoning, 110)})"
                parts.setdefault(f"{criterion.score:.1f}", []).append(f"{criterion.id}{why}")
        same = f"{self.dimensions[dimension]:.1f}"
        return ", ".join(
            ", ".join(named) + ("" if score == same else f" {score}")
            for score, named in parts.items()
        )


def unscored_verdict(reason: str, probe: Probe, view: Readings, pass_score: float) -> Verdict:
    """The verdict on a response that no judge was asked to score."""
    return verdict_from_reply(JudgeReply(unscored=reason), probe, view, "", pass_score)


def verdict_from_reply(
    reply: JudgeReply,
    probe: Probe,
    view: Readings,
    response: str,
    pass_score: float,
    judges: tuple[JudgeScores, ...] = (),
    leads: Source = "answer",
    rubric: Rubric = CRITERIA,
) -> Verdict:
    """Combine a judge's reply on the answer with what the view does with the facts.

    If ``leads`` is ``view``, the score comes from the view and that of the judge is the
    second figure; the judge must have scored the answer all the same.
    """
    facts, traps = probe.facts, probe.traps
    answer = readings_of(
        reply.stated or (False,) * len(facts), reply.hit or (False,) * len(traps), facts, traps
    )
    if reply.readings:
        answer = Readings(reply.readings, answer.hit)

    def scores(criteria: tuple[CriterionScore, ...], readings: Readings) -> Scores:
        dimensions = dimension_scores({score.id: score.score for score in criteria}, rubric)
        hit = tuple((trap.text, caught) for trap, caught in zip(traps, readings.hit, strict=True))
        return Scores(criteria, dimensions, overall_score(dimensions), hit)

    first, second = scores(reply.criteria, answer), scores(probe_scores(probe, view), view)
    unscored = reply.unscored
    if not (unscored or first.dimensions):
        leading = view if leads == "view" else answer
        unread = (each.why for each in leading.facts if each.outcome == "unread")
        unscored = next(unread, "no criterion was scored")
    if unscored:
        first = Scores(reply.criteria, {}, None, first.traps)
    elif leads == "view":
        first, second = second, first
    return Verdict(
        criteria=first.criteria,
        dimensions=first.dimensions,
        overall=first.overall,
        facts=tuple(
            FactOutcome(fact.text, fact.type, in_view, in_answer, leads)
            for fact, in_view, in_answer in zip(facts, view.facts, answer.facts, strict=True)
        ),
        traps=first.traps,
        pass_score=pass_score,
        response=response,
        unscored=unscored,
        flags=reply.flags,
        usage=reply.usage,
        judges=judges,
        unpaid=reply.unpaid,
        reading=leads,
        second=None if unscored else second,
    )


_SHOWN: Final = 60


def choice_verdict(
    probe: Probe, choice: Choice, reply: str, view: Readings, pass_score: float, leads: Source
) -> Verdict:
    """5 or 0 for the constraint, and no other score; unscored without a single letter.

    ``view`` and ``leads`` are those of
    :func:`verdict_from_reply`. A choice that complies counts
    as one that uses the constraint.
    """
    complies = complied(choice, reply)
    if complies is None:
        read = JudgeReply(unscored=unreadable(reply))
    else:
        said = "keeps to the constraint" if complies else "breaks the constraint"
        taken = choice.complying if complies else choice.other
        score = choice_score(complies, f"{said}: {printable(taken, _SHOWN)}")
        read = JudgeReply((score,), (complies,) * len(probe.facts))
    return verdict_from_reply(read, probe, view, reply, pass_score, leads=leads)


def complied(choice: Choice, reply: str) -> bool | None:
    """Whether a reply takes the complying option; ``None`` if it is not one letter."""
    letter = read_letter(reply)
    return None if letter is None else letter == choice.letter


def unreadable(reply: str) -> str:
    """Why a reply is no choice."""
    shown = printable(reply.strip(), _SHOWN)
    return f"the reply is not one letter, A or B: {shown!r}" if shown else "the reply is empty"
