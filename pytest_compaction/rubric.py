"""The rubric as data: six dimensions, fourteen criteria, and what decides each.

A criterion is scored from 0 to 5 with anchors at 0, 3 and 5. A model is asked its question, for
every criterion of the kind of the probe. Rules cannot answer such questions: they read the facts
of the criterion's own types in its place, and give no score where a probe has none. A dimension
is the weighted mean of its scored criteria, the overall score the unweighted mean of the scored
dimensions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

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

    ``types`` are the types of facts that rules read for it; ``changes`` bound them to files to
    which one of these happened. Without types rules read no single facts: see :func:`applicable`.
    ``kinds`` are the kinds of probes for which a model is asked it, empty for all.
    """

    id: str
    dimension: str
    question: str
    anchors: tuple[str, str, str]
    types: frozenset[str] = frozenset()
    changes: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    weight: float = 1.0

    @property
    def line(self) -> str:
        """The criterion as a judge is shown it."""
        low, middle, high = self.anchors
        return f"- {self.id}: {self.question} 0: {low}. 3: {middle}. 5: {high}."

    @property
    def by_rules(self) -> str:
        """What rules read in place of the question."""
        if self.id in _BY_RULES:
            return _BY_RULES[self.id]
        changes = f" that were {' or '.join(sorted(self.changes))}" if self.changes else ""
        return f"the facts of type {' or '.join(sorted(self.types))}{changes}"

    def reads(self, type: str, change: str | None = None) -> bool:
        """Whether a fact of this type and change is read for this criterion."""
        return type in self.types and (not self.changes or (change or "read") in self.changes)


_BY_RULES: Final[Mapping[str, str]] = {
    "completeness_coverage": "the types of facts of which every fact is stated",
    "completeness_depth": "the words of the facts, in an answer",
    "instruction_format": "the lines of an answer",
    "instruction_constraints": "the facts of type constraint, and the limits of an answer",
}
"""What rules read for the criteria that are not about facts of certain types alone."""

Rubric = tuple[Criterion, ...]

CRITERIA: Final[Rubric] = (
    Criterion(
        "accuracy_factual",
        "accuracy",
        "Are the facts, the values and the file paths that the answer gives right?",
        ("wrong or made up", "mostly right, with small errors", "right throughout"),
        frozenset({"value"}),
    ),
    Criterion(
        "accuracy_technical",
        "accuracy",
        "Are its references to code and its technical concepts right?",
        ("serious technical errors", "sound, with small slips", "precise"),
        frozenset({"error"}),
    ),
    Criterion(
        "context_conversation_state",
        "context",
        "Does it reflect where the conversation stands now?",
        ("no sign of what went before", "known, with gaps", "known completely"),
        frozenset({"state"}),
    ),
    Criterion(
        "context_artifact_state",
        "context",
        "Does it reflect which files and other artifacts were looked at or changed?",
        ("none of them", "some of them", "all of them"),
        frozenset({"path"}),
        frozenset({"read"}),
    ),
    Criterion(
        "artifact_files_created",
        "artifact",
        "Does it know which files were created?",
        ("none of them", "most of them", "all of them"),
        frozenset({"path"}),
        frozenset({"created"}),
        kinds=frozenset({"file", "continuation"}),
    ),
    Criterion(
        "artifact_files_modified",
        "artifact",
        "Does it know which files were modified, and how?",
        (
            "none of them",
            "most of them, with the change in the main",
            "all of them, each with its change",
        ),
        frozenset({"path"}),
        frozenset({"modified", "deleted", "renamed"}),
        kinds=frozenset({"file", "continuation"}),
    ),
    Criterion(
        "artifact_key_details",
        "artifact",
        "Does it still have the names of functions and variables, and the error messages?",
        ("none", "most", "every one, exact"),
        frozenset({"identifier"}),
    ),
    Criterion(
        "continuity_work_state",
        "continuity",
        "Can the work go on from it without fetching again what was seen before?",
        (
            "everything has to be fetched again",
            "little has to be fetched again",
            "it can go on at once",
        ),
        frozenset({"command"}),
    ),
    Criterion(
        "continuity_todo_state",
        "continuity",
        "Does it know what is still to be done?",
        ("lost", "known, with gaps", "known completely"),
        frozenset({"next_step"}),
        kinds=frozenset({"continuation"}),
    ),
    Criterion(
        "continuity_reasoning",
        "continuity",
        "Does it know why the earlier decisions were made?",
        ("no reason is known", "the main reasons", "all of them"),
        frozenset({"decision", "reason"}),
        kinds=frozenset({"continuation", "decision"}),
    ),
    Criterion(
        "completeness_coverage",
        "completeness",
        "Does it address every part of the question?",
        ("hardly any part", "most parts", "every part, thoroughly"),
    ),
    Criterion(
        "completeness_depth",
        "completeness",
        "Does it go into enough detail?",
        ("shallow", "enough to work with", "everything that matters"),
    ),
    Criterion(
        "instruction_format",
        "instruction",
        "Does it have the form that was asked for?",
        ("another form", "the form in the main", "exactly the form"),
    ),
    Criterion(
        "instruction_constraints",
        "instruction",
        "Does it respect the limits that the question and the user have set?",
        ("none of them", "most of them", "all of them"),
        frozenset({"constraint"}),
    ),
)


def asked_of_models(kind: str) -> tuple[Criterion, ...]:
    """The criteria that a model scores an answer by, in rubric order; each dimension has one."""
    return tuple(each for each in CRITERIA if not each.kinds or kind in each.kinds)


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
    """The criteria that rules score an answer by, in rubric order: those with evidence.

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


def changes_of(rubric: Rubric) -> dict[str, dict[str, Any]]:
    """What a rubric has in place of the default: weights, questions and anchors, by criterion."""
    return {
        mine.id: {
            **({} if mine.weight == usual.weight else {"weight": mine.weight}),
            **({} if mine.question == usual.question else {"question": mine.question}),
            **({} if mine.anchors == usual.anchors else {"anchors": list(mine.anchors)}),
        }
        for mine, usual in zip(rubric, CRITERIA, strict=True)
        if mine != usual
    }


def rubric_with(changes: Mapping[str, Mapping[str, Any]]) -> Rubric:
    """The default rubric with the changes of :func:`changes_of`."""
    found: list[Criterion] = []
    for usual in CRITERIA:
        new = changes.get(usual.id, {})
        low, middle, high = new.get("anchors", usual.anchors)
        question, weight = new.get("question", usual.question), new.get("weight", usual.weight)
        anchors = (low, middle, high)
        found.append(replace(usual, question=question, anchors=anchors, weight=weight))
    return tuple(found)


def dimension_scores(scores: Mapping[str, float], rubric: Rubric = CRITERIA) -> dict[str, float]:
    """Weighted mean of the scored criteria of each dimension (0 to 5).

    A dimension without a scored criterion, or with those of weight 0 alone, is absent, never 0.
    """
    result: dict[str, float] = {}
    for dimension in DIMENSIONS:
        scored = [c for c in rubric if c.dimension == dimension and c.id in scores]
        weight = sum(criterion.weight for criterion in scored)
        if weight:
            result[dimension] = sum(scores[c.id] * c.weight for c in scored) / weight
    return result


def overall_score(dimensions: Mapping[str, float]) -> float | None:
    """Unweighted mean of the dimensions (0 to 5); ``None`` without any dimension."""
    return sum(dimensions.values()) / len(dimensions) if dimensions else None
