"""From readings of facts to criteria.

A criterion reads the facts of its own types: ``5 * max(0, stated - contradicted) / facts``.
What is uncertain counts as not stated. What is unread, because its language has no rules or keys,
is left out. A trap that is hit counts as its fact contradicted;
one that is the counterpart of no fact counts as one more contradicted fact of its type.
Nothing has a floor: a text that knows nothing scores 0 on every criterion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_compaction.case import Fact, Probe, Trap
from pytest_compaction.metrics.readings import Readings
from pytest_compaction.rubric import (
    MAX_SCORE,
    Criterion,
    CriterionScore,
    criteria_of_facts,
)
from pytest_compaction.text import Outcome, Reading, printable

CHOICE_CRITERION: Final = "instruction_constraints"
"""The criterion that a forced choice is scored by."""
_LISTED: Final = 3
_SHOWN: Final = 60
_NAMES: Final[tuple[tuple[Outcome, str], ...]] = (
    ("absent", "missing"),
    ("contradicted", "contradicted"),
    ("uncertain", "uncertain"),
)


@dataclass(frozen=True, slots=True)
class CriterionTally:
    """The facts that a criterion reads, how they were read, and the loose traps that were hit."""

    read: tuple[tuple[Fact, Reading], ...]
    stale: tuple[str, ...] = ()

    @property
    def stated(self) -> int:
        """How many of the facts are stated."""
        return sum(reading.outcome == "stated" for _, reading in self.read)

    @property
    def contradicted(self) -> int:
        """How many are contradicted, with one for each loose trap."""
        wrong = sum(reading.outcome == "contradicted" for _, reading in self.read)
        return wrong + len(self.stale)

    @property
    def share(self) -> float:
        """Stated less contradicted facts, of all facts (0 to 1); 0 without facts."""
        return max(0, self.stated - self.contradicted) / len(self.read) if self.read else 0.0

    @property
    def reasoning(self) -> str:
        """The facts that are not known, by outcome, and the loose traps."""
        parts = [
            f"{name}: {listed([fact.text for fact, r in self.read if r.outcome == outcome])}"
            for outcome, name in _NAMES
            if any(reading.outcome == outcome for _, reading in self.read)
        ]
        parts += [f"stale: {listed(self.stale)}"] if self.stale else []
        return "; ".join(parts) or "nothing is missing"


def tally(
    criterion: Criterion, facts: Sequence[Fact], traps: Sequence[Trap], readings: Readings
) -> CriterionTally:
    """The facts of a criterion. A loose trap of type ``path`` counts for files of every change."""
    return CriterionTally(
        tuple(
            (fact, reading)
            for fact, reading in zip(facts, readings.facts, strict=True)
            if criterion.reads(fact.type, fact.change) and reading.outcome != "unread"
        ),
        tuple(trap.text for trap in _loose(traps, readings) if trap.type in criterion.types),
    )


def criterion_score(
    criterion: Criterion, facts: Sequence[Fact], traps: Sequence[Trap], readings: Readings
) -> CriterionScore | None:
    """The score of a criterion from facts alone; ``None`` if it has no facts to read."""
    if criterion.id == "completeness_coverage":
        if readings.facts and all(each.outcome == "unread" for each in readings.facts):
            return None
        return _coverage(criterion.id, facts, traps, readings)
    found = tally(criterion, facts, traps, readings)
    if not found.read:
        return None
    score = round(MAX_SCORE * found.share, 4)
    return CriterionScore(criterion.id, score, found.reasoning, score < MAX_SCORE)


def view_scores(
    facts: Sequence[Fact], traps: Sequence[Trap], readings: Readings
) -> tuple[CriterionScore, ...]:
    """The scores of a view: every criterion that has facts to read, in rubric order."""
    found = (criterion_score(c, facts, traps, readings) for c in criteria_of_facts(facts))
    return tuple(score for score in found if score is not None)


def probe_scores(probe: Probe, readings: Readings) -> tuple[CriterionScore, ...]:
    """The scores of a view for one probe. A forced choice has one score, all or nothing."""
    if probe.choice is None:
        return view_scores(probe.facts, probe.traps, readings)
    if any(each.outcome == "unread" for each in readings.facts):
        return ()
    lost = [f.text for f, held in zip(probe.facts, readings.stated, strict=True) if not held]
    said = f"not in the view: {listed(lost)}" if lost else "the view states the constraint"
    return (replace(choice_score(not lost, said), lists_facts=bool(lost)),)


def choice_score(complies: bool, reasoning: str) -> CriterionScore:
    """The only score of a forced choice: 5 for the option that complies, 0 for the other."""
    return CriterionScore(CHOICE_CRITERION, MAX_SCORE if complies else 0.0, reasoning)


def _coverage(
    id: str, facts: Sequence[Fact], traps: Sequence[Trap], readings: Readings
) -> CriterionScore:
    """The share of parts that are known completely; the facts of one type are a part.

    A loose trap of a type that no fact has is a part that is not known.
    """
    parts: dict[str, bool] = {}
    for fact, reading in zip(facts, readings.facts, strict=True):
        if reading.outcome != "unread":
            parts[fact.type] = parts.get(fact.type, True) and reading.outcome == "stated"
    parts |= dict.fromkeys((trap.type for trap in _loose(traps, readings)), False)
    lacking = sorted(type for type, known in parts.items() if not known)
    score = round(MAX_SCORE * (1 - len(lacking) / len(parts)), 4) if parts else 0.0
    said = f"not known completely: {', '.join(lacking)}" if lacking else "every part is known"
    return CriterionScore(id, score, said, bool(lacking))


def _loose(traps: Sequence[Trap], readings: Readings) -> list[Trap]:
    """The traps that were hit and are the counterpart of no fact."""
    return [t for t, hit in zip(traps, readings.hit, strict=True) if hit and t.of is None]


def listed(texts: Sequence[str]) -> str:
    """The first texts, and how many more there are."""
    shown = ", ".join(printable(text, _SHOWN) for text in texts[:_LISTED])
    return f"{shown} and {len(texts) - _LISTED} more" if len(texts) > _LISTED else shown
