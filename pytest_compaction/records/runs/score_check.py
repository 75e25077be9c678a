"""Scores of a record: each in its range, and the whole as its parts make it.

A job that merges shards takes files that a pull request may have written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_compaction.metrics.budgets import is_over_budget
from pytest_compaction.records.record import Record, type_of
from pytest_compaction.rubric import DIMENSIONS, MAX_SCORE, dimension_scores, overall_score
from pytest_compaction.text import Range

_SCORE: Final = Range(0, MAX_SCORE)
_SHARE: Final = Range(0, 1)
_ROUNDED: Final = 2e-4
"""Points by which a score may differ from its parts: all are rounded to four digits."""
_SCORED: Final = frozenset({"passed", "failed"})


def score_fault(record: Record, header: Mapping[str, Any]) -> str | None:
    """What is wrong with the scores of a record of the run with this header; ``None`` if nothing.

    Its shape must have been accepted.
    """
    faults = _of_dialogue(record) if type_of(record) == "dialogue" else _of_probe(record, header)
    return next(faults, None)


def _of_dialogue(record: Record) -> Iterator[str]:
    for key in ("consistency", "retention"):
        yield from _outside(key, record.get(key), _SHARE)


def _of_probe(record: Record, header: Mapping[str, Any]) -> Iterator[str]:
    yield from _of_scores("", record)
    for key in ("view", "answer"):
        if isinstance(record.get(key), dict):
            yield from _of_scores(f"{key} ", record[key])
    for judge in _mappings(record.get("judges")):
        yield from _outside("judges' overall", judge.get("overall"), _SCORE)
    nulls = record.get("nulls")
    for name, null in nulls.items() if isinstance(nulls, dict) else ():
        if isinstance(null, dict):
            yield from _outside(f"{name} overall", null.get("overall"), _SCORE)
            yield from _outside(f"{name} stated", null.get("stated"), _SHARE)
    yield from _of_status(record, header)


def _of_scores(where: str, scores: Mapping[str, Any]) -> Iterator[str]:
    """The faults of an overall score, its dimensions and their criteria."""
    overall, given = scores.get("overall"), scores.get("dimensions") or {}
    yield from _outside(f"{where}overall", overall, _SCORE)
    for name, score in given.items():
        yield from _outside(f"{where}{name}", score, _SCORE)
    dimensions = {name: given[name] for name in DIMENSIONS if given.get(name) is not None}
    criteria: dict[Any, Any] = {
        c["id"]: c.get("score") for c in _mappings(scores.get("criteria")) if "id" in c
    }
    for name, score in criteria.items():
        yield from _outside(f"{where}{name}", score, _SCORE, or_none=False)
    if criteria and overall is not None:
        for name, made in dimension_scores(criteria).items():
            if not _equal(dimensions.get(name), made):
                yield _differs(f"{where}{name}", dimensions.get(name), "criteria", made)
    if "nuggets" in scores:
        score = scores.get("score")
        expected, parts = None if score is None else MAX_SCORE * score, "nuggets"
    elif not where or dimensions:
        expected, parts = overall_score(dimensions), "dimensions"
    else:
        return
    tolerance = MAX_SCORE * _ROUNDED if parts == "nuggets" else _ROUNDED
    if not _equal(overall, expected, tolerance):
        yield _differs(f"{where}overall", overall, parts, expected)


def _of_status(record: Record, header: Mapping[str, Any]) -> Iterator[str]:
    """The faults of a status beside an overall score and the pass score of the run."""
    status, overall = record["status"], record["overall"]
    if (overall is None) is (status in _SCORED):
        yield f"status {status} does not fit the overall {_shown(overall)}"
    settings = header.get("settings")
    needed: Any = settings.get("pass_score") if isinstance(settings, dict) else None
    if overall is None or needed not in _SCORE:
        return
    too_low = status == "passed" and overall < needed - _ROUNDED
    too_high = status == "failed" and overall > needed + _ROUNDED and not is_over_budget(record)
    if too_low or too_high:
        yield (
            f"status {status} does not fit the overall {_shown(overall)} and the run's pass score "
            f"{needed:g}"
        )


def _outside(name: str, value: Any, range: Range, or_none: bool = True) -> Iterator[str]:
    if not (or_none and value is None) and value not in range:
        yield f"{name} {_shown(value)} is not {range}"


def _equal(value: float | None, expected: float | None, tolerance: float = _ROUNDED) -> bool:
    if value is None or expected is None:
        return value is expected
    return abs(value - expected) <= tolerance


def _differs(name: str, value: Any, parts: str, expected: float | None) -> str:
    return f"{name} {_shown(value)} is not what its {parts} make, {_shown(expected)}"


def _shown(value: Any) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:.4g}" if number else str(value)[:40]


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
