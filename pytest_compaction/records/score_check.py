"""Whether the scores of a record fit together: a figure from a damaged line would mislead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from pytest_compaction.metrics import ORDER_FIGURES, is_over_budget
from pytest_compaction.records.items import mappings
from pytest_compaction.records.record import Record, type_of
from pytest_compaction.rubric import (
    CRITERIA,
    DIMENSIONS,
    MAX_SCORE,
    Rubric,
    dimension_scores,
    overall_score,
    rubric_with,
)
from pytest_compaction.text import Range

_SCORE: Final = Range(0, MAX_SCORE)
_SHARE: Final = Range(0, 1)
_ROUNDED: Final = 2e-4
"""Points by which a score may differ from its parts: all are rounded to four digits."""


def score_fault(record: Record, header: Mapping[str, Any]) -> str | None:
    """The first fault in the scores of a record of the run with this header; ``None`` without one.

    Its shape must have been accepted.
    """
    return next(_faults(record, header), None)


def _faults(record: Record, header: Mapping[str, Any]) -> Iterator[str]:
    if type_of(record) == "dialogue":
        for key in ("consistency", "retention"):
            yield from _outside(key, record.get(key), _SHARE)
        return
    rubric = rubric_of(header)
    yield from _of_scores("", record, rubric)
    for key, second in (("view", record.get("view")), ("answer", record.get("answer"))):
        if isinstance(second, dict):
            yield from _of_scores(f"{key} ", second, rubric)
    for judge in mappings(record.get("judges")):
        yield from _outside("judges' overall", judge.get("overall"), _SCORE)
    nulls = record.get("nulls")
    for name, null in nulls.items() if isinstance(nulls, dict) else ():
        if isinstance(null, dict):
            yield from _outside(f"{name} overall", null.get("overall"), _SCORE)
            yield from _outside(f"{name} stated", null.get("stated"), _SHARE)
    status, overall = record["status"], record["overall"]
    misfit = f"status {status} does not fit the overall {_shown(overall)}"
    if (overall is None) is (status in {"passed", "failed"}):
        yield misfit
    settings = header.get("settings")
    needed: Any = settings.get("pass_score") if isinstance(settings, dict) else None
    if overall is not None and needed in _SCORE:
        too_low = status == "passed" and overall < needed - _ROUNDED
        too_high = status == "failed" and overall > needed + _ROUNDED and not is_over_budget(record)
        if too_low or too_high:
            yield f"{misfit} and the run's pass score {needed:g}"


def rubric_of(header: Mapping[str, Any]) -> Rubric:
    settings = header.get("settings")
    changes = settings.get("rubric") if isinstance(settings, dict) else None
    return rubric_with(changes) if isinstance(changes, dict) else CRITERIA


def _of_scores(where: str, scores: Mapping[str, Any], rubric: Rubric) -> Iterator[str]:
    """The faults of an overall score, its dimensions and their criteria."""
    overall, given = scores.get("overall"), scores.get("dimensions") or {}
    yield from _outside(f"{where}overall", overall, _SCORE)
    for name, score in given.items():
        yield from _outside(f"{where}{name}", score, _SCORE)
    dimensions = {name: given[name] for name in DIMENSIONS if given.get(name) is not None}
    criteria: dict[Any, Any] = {
        c["id"]: c.get("score") for c in mappings(scores.get("criteria")) if "id" in c
    }
    for name, score in criteria.items():
        if score not in _SCORE:
            yield f"{where}{name} {_shown(score)} is not {_SCORE}"
    if criteria and overall is not None:
        for name, made in dimension_scores(criteria, rubric).items():
            yield from _differs(f"{where}{name}", dimensions.get(name), "criteria", made)
    if "nuggets" in scores:
        score = scores.get("score")
        made_of = None if score is None else MAX_SCORE * score
        yield from _differs(f"{where}overall", overall, "nuggets", made_of, MAX_SCORE * _ROUNDED)
    elif not where or dimensions:
        yield from _differs(f"{where}overall", overall, "dimensions", overall_score(dimensions))


def _outside(name: str, value: Any, range: Range) -> Iterator[str]:
    if value is not None and value not in range:
        yield f"{name} {_shown(value)} is not {range}"


def _differs(
    name: str, value: float | None, parts: str, made: float | None, tolerance: float = _ROUNDED
) -> Iterator[str]:
    fits = value is made if value is None or made is None else abs(value - made) <= tolerance
    if not fits:
        yield f"{name} {_shown(value)} is not what its {parts} make, {_shown(made)}"


def _shown(value: Any) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:.4g}" if number else str(value)[:40]


def unreadable_keys(record: Mapping[str, Any]) -> list[str]:
    """The keys of nuggets that a record has and that no report can read."""
    sound: dict[str, Callable[[Any], bool]] = {
        "size": lambda value: isinstance(value, str),
        "score": lambda value: value is None or _is_share(value),
        "tenths": lambda value: (
            isinstance(value, list) and all(type(tenth) is int for tenth in value)
        ),
        "nuggets": lambda value: (
            isinstance(value, list)
            and len(mappings(value)) == len(value)
            and all(
                isinstance(each.get("text"), str)
                and (each.get("score") is None or _is_share(each["score"]))
                for each in value
            )
        ),
        "ordering": lambda value: (
            isinstance(value, dict) and all(_is_share(value.get(name)) for name in ORDER_FIGURES)
        ),
    }
    return [key for key, is_sound in sound.items() if key in record and not is_sound(record[key])]


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
