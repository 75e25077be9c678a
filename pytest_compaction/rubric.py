"""The rubric as data: six dimensions, fourteen criteria, and which apply to which kind of probe.

A criterion is scored from 0 to 5 with anchors at 0, 3 and 5. A dimension is the
weighted mean of its applicable criteria, the overall score the unweighted mean
of the applicable dimensions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

DIMENSIONS: Final = (
    "accuracy",
    "context",
    "artifact",
    "continuity",
    "completeness",
    "instruction",
)

MAX_SCORE: Final = 5.0

_ALL: Final = frozenset({"recall", "file", "continuation", "decision"})
_FILES: Final = frozenset({"file", "continuation"})


@dataclass(frozen=True, slots=True)
class Criterion:
    """One question of the rubric with its anchors for the scores 0, 3 and 5."""

    id: str
    dimension: str
    question: str
    anchors: tuple[str, str, str]
    kinds: frozenset[str] = _ALL
    weight: float = 1.0


CRITERIA: Final[tuple[Criterion, ...]] = (
    Criterion(
        "accuracy_factual",
        "accuracy",
        "Is everything that the answer asserts true of the session?",
        ("wrong or made up", "mostly true, small slips", "true throughout"),
    ),
    Criterion(
        "accuracy_technical",
        "accuracy",
        "Are paths, identifiers, numbers and technical terms the right ones?",
        ("seriously wrong", "right in the main", "exact"),
    ),
    Criterion(
        "context_conversation_state",
        "context",
        "Does the answer stand where the conversation stands now?",
        ("unaware of it", "aware, with gaps", "fully aware"),
    ),
    Criterion(
        "context_artifact_state",
        "context",
        "Does the answer reflect which files and artifacts were worked on?",
        ("not at all", "in part", "fully"),
    ),
    Criterion(
        "artifact_files_created",
        "artifact",
        "Does the answer know which files were created?",
        ("none of them", "most of them", "all of them"),
        _FILES,
    ),
    Criterion(
        "artifact_files_modified",
        "artifact",
        "Does the answer know which files were modified, and how?",
        ("none of them", "most, with what changed", "all, with what changed"),
        _FILES,
    ),
    Criterion(
        "artifact_key_details",
        "artifact",
        "Does the answer still have names, values and error messages?",
        ("none", "most", "every one"),
    ),
    Criterion(
        "continuity_work_state",
        "continuity",
        "Could the work go on without looking up again what was already known?",
        ("everything must be looked up again", "little must be", "nothing must be"),
    ),
    Criterion(
        "continuity_todo_state",
        "continuity",
        "Does the answer know what is still to be done?",
        ("lost", "known with gaps", "known completely"),
        frozenset({"continuation"}),
    ),
    Criterion(
        "continuity_reasoning",
        "continuity",
        "Does the answer keep the reasons behind earlier choices?",
        ("none", "the main ones", "all of them"),
        frozenset({"continuation", "decision"}),
    ),
    Criterion(
        "completeness_coverage",
        "completeness",
        "Is every part of the question addressed?",
        ("most parts are missing", "most parts are there", "every part is there"),
    ),
    Criterion(
        "completeness_depth",
        "completeness",
        "Is it detailed enough to act on?",
        ("superficial", "adequate", "thorough"),
    ),
    Criterion(
        "instruction_format",
        "instruction",
        "Does the answer have the requested form?",
        ("another form", "roughly the form", "exactly the form"),
    ),
    Criterion(
        "instruction_constraints",
        "instruction",
        "Does the answer keep the limits that the question sets?",
        ("ignores them", "keeps most", "keeps all"),
    ),
)


def applicable(kind: str) -> tuple[Criterion, ...]:
    """The criteria that apply to a kind of probe, in rubric order."""
    return tuple(criterion for criterion in CRITERIA if kind in criterion.kinds)


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
