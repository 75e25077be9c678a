"""The rubric as data: six dimensions, fourteen criteria, and the types of facts that each reads.

A criterion is scored from 0 to 5 with anchors at 0, 3 and 5. It reads the facts of its own
types alone and has no score where a probe has none. A dimension is the weighted mean of
its scored criteria, the overall score the unweighted mean of the scored dimensions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

DIMENSIONS: Final = (
    "accuracy",
    "context",
    "artifact",
    "continuity",
    "completeness",
    "instruction",
)

MAX_SCORE: Final = 5.0


class Typed(Protocol):
    """A fact's type and change, which decide the criteria that read it."""

    @property
    def type(self) -> str:
        """The type of the fact."""

    @property
    def change(self) -> str | None:
        """The change of the file of a fact of type ``path``; ``None`` is taken for ``read``."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """One question of the rubric with its anchors for the scores 0, 3 and 5.

    ``types`` are the types of facts that it reads; ``changes`` bound them to files to which
    one of these happened. Without types it reads no single facts: see :func:`applicable`.
    """

    id: str
    dimension: str
    question: str
    anchors: tuple[str, str, str]
    types: frozenset[str] = frozenset()
    changes: frozenset[str] = frozenset()
    weight: float = 1.0

    def reads(self, type: str, change: str | None = None) -> bool:
        """Whether a fact of this type and change is read for this criterion."""
        return type in self.types and (not self.changes or (change or "read") in self.changes)


CRITERIA: Final[tuple[Criterion, ...]] = (
    Criterion(
        "accuracy_factual",
        "accuracy",
        "Are the values asked for stated, and are they the current ones?",
        ("none, or wrong or made up", "most, with slips", "every value, and none wrong"),
        frozenset({"value"}),
    ),
    Criterion(
        "accuracy_technical",
        "accuracy",
        "Are the errors that occurred stated exactly?",
        ("none, or another error", "right in the main", "every error, exact"),
        frozenset({"error"}),
    ),
    Criterion(
        "context_conversation_state",
        "context",
        "Is it known how things stand now?",
        ("unknown, or as they stood before", "known with gaps", "known completely"),
        frozenset({"state"}),
    ),
    Criterion(
        "context_artifact_state",
        "context",
        "Is it known which files were only looked at?",
        ("none of them", "most of them", "all of them"),
        frozenset({"path"}),
        frozenset({"read"}),
    ),
    Criterion(
        "artifact_files_created",
        "artifact",
        "Is it known which files were created?",
        ("none of them", "most of them", "all of them"),
        frozenset({"path"}),
        frozenset({"created"}),
    ),
    Criterion(
        "artifact_files_modified",
        "artifact",
        "Is it known which files were modified, deleted or renamed?",
        ("none of them", "most of them", "all of them, with what happened"),
        frozenset({"path"}),
        frozenset({"modified", "deleted", "renamed"}),
    ),
    Criterion(
        "artifact_key_details",
        "artifact",
        "Are the names of functions, classes, settings and ids still known?",
        ("none", "most", "every one, exact"),
        frozenset({"identifier"}),
    ),
    Criterion(
        "continuity_work_state",
        "continuity",
        "Is it known which commands were run, and how they ended?",
        ("none of them", "most of them", "all of them, with the outcome"),
        frozenset({"command"}),
    ),
    Criterion(
        "continuity_todo_state",
        "continuity",
        "Is it known what is still to be done?",
        ("lost", "known with gaps", "known completely"),
        frozenset({"next_step"}),
    ),
    Criterion(
        "continuity_reasoning",
        "continuity",
        "Are the decisions known, and the reasons behind them?",
        ("none", "the main ones", "all of them"),
        frozenset({"decision", "reason"}),
    ),
    Criterion(
        "completeness_coverage",
        "completeness",
        "How many parts of what was asked (the facts of one type are a part) are known completely?",
        ("none", "most of them", "all of them"),
    ),
    Criterion(
        "completeness_depth",
        "completeness",
        "How much of the detail of the facts asked for has the answer?",
        ("none, or no fact stated", "most of it", "all of it"),
    ),
    Criterion(
        "instruction_format",
        "instruction",
        "Does an answer that states something have the requested form?",
        ("another form, or nothing stated", "roughly the form", "exactly the form"),
    ),
    Criterion(
        "instruction_constraints",
        "instruction",
        "Are the user's standing rules still known, and the limits of the question kept?",
        ("none of them", "most of them", "all of them"),
        frozenset({"constraint"}),
    ),
)


def criteria_of_facts(facts: Iterable[Typed]) -> tuple[Criterion, ...]:
    """The criteria that a text is scored by: those with facts to read, and the coverage."""
    found = [(fact.type, fact.change) for fact in facts]
    return tuple(
        criterion
        for criterion in CRITERIA
        if criterion.id == "completeness_coverage"
        or any(criterion.reads(type, change) for type, change in found)
    )


def applicable(
    facts: Iterable[Typed], has_form: bool = False, has_limits: bool = False
) -> tuple[Criterion, ...]:
    """The criteria that an answer is scored by, in rubric order.

    To those of :func:`criteria_of_facts` come the depth, the form if one was asked for, and
    the rules if the question sets limits.
    """
    ids = {criterion.id for criterion in criteria_of_facts(facts)} | {"completeness_depth"}
    if has_form:
        ids.add("instruction_format")
    if has_limits:
        ids.add("instruction_constraints")
    return tuple(criterion for criterion in CRITERIA if criterion.id in ids)


@dataclass(frozen=True, slots=True)
class CriterionScore:
    """Score (0 to 5) of one criterion with a one-line reasoning.

    ``lists_facts`` tells that the reasoning only lists facts that are not known.
    """

    id: str
    score: float
    reasoning: str
    lists_facts: bool = False


def dimension_scores(scores: Mapping[str, float]) -> dict[str, float]:
    """Weighted mean of the scored criteria of each dimension (0 to 5).

    A dimension without a scored criterion is absent, never 0.
    """
    result: dict[str, float] = {}
    for dimension in DIMENSIONS:
        scored = [c for c in CRITERIA if c.dimension == dimension and c.id in scores]
        weight = sum(criterion.weight for criterion in scored)
        if weight:
            result[dimension] = sum(scores[c.id] * c.weight for c in scored) / weight
    return result


def overall_score(dimensions: Mapping[str, float]) -> float | None:
    """Unweighted mean of the dimensions (0 to 5); ``None`` without any dimension."""
    return sum(dimensions.values()) / len(dimensions) if dimensions else None
