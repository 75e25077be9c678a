"""Snapshots of verdicts: what is kept of a judge's scores, and what moved between two.

A snapshot holds what the judge said of the answer, whichever figure leads; where no answer was
made, what the view states. It is plain JSON without clock, usage or keys, and names its item.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.judges.verdict import Verdict
from pytest_compaction.rubric import MAX_SCORE
from pytest_compaction.text import printable

FORMAT: Final = 1
REFUSED: Final = frozenset({"moved", "missing", "unusable"})
"""States of a snapshot in a record that fail the item whatever its score."""
MAX_TEXT: Final = 2000
"""The most characters of a reasoning or an answer that a snapshot keeps."""
_DIGITS: Final = 4
_EPSILON: Final = 1e-6
"""Scores are rounded in snapshots; a difference this small is not a movement."""
_ADD: Final = "to compare answers of rules, add --compaction-answers"
_SHOWN_NAME: Final = 120
_SHOWN_LINE: Final = 400
_SHOWN_LINES: Final = 40

Snapshot = dict[str, Any]


class VerdictMovedError(AssertionError):
    """A verdict is not the accepted one, or none was accepted; the text is for the user."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """By how many points (0 to 5) the overall score and a criterion may move unnoticed."""

    overall: float = 0.5
    criterion: float = 1.0


def snapshot_of(verdict: Verdict, item: Mapping[str, Any] | None = None) -> Snapshot:
    """A scored verdict as plain JSON; ``item`` are the case, probe, compactor and trial.

    Texts are made safe to show: keys are replaced, control characters escaped, white space
    collapsed. An unscored verdict raises :class:`ValueError`.
    """
    judged = verdict.judged
    if verdict.unscored is not None or judged.overall is None:
        raise ValueError(verdict.unscored or "no criterion was scored")
    several = {printable(s.name, _SHOWN_NAME): _rounded(s.overall) for s in verdict.judges}
    return {
        "format": FORMAT,
        **({"item": dict(item)} if item else {}),
        **({} if verdict.answered else {"reading": "view"}),
        "overall": _rounded(judged.overall),
        "dimensions": {name: _rounded(score) for name, score in judged.dimensions.items()},
        "criteria": {
            score.id: {"score": _rounded(score.score), "reasoning": _kept(score.reasoning)}
            for score in judged.criteria
        },
        "facts": [
            {"text": _kept(f.text), "stated": f.survived if f.used is None else f.used}
            for f in verdict.facts
        ],
        "traps": [{"text": _kept(text), "hit": hit} for text, hit in judged.traps],
        "flags": [_kept(flag) for flag in verdict.flags],
        "response": _kept(verdict.response),
        **({"judges": several} if several else {}),
    }


def snapshot_text(snapshot: Snapshot) -> str:
    """The text of a snapshot file: sorted members, one value per line, a newline at the end."""
    text = json.dumps(snapshot, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    return f"{text}\n"


def read_snapshot(text: str) -> Snapshot | None:
    """The snapshot in a file; ``None`` if it is torn, badly merged or something else."""
    try:
        data = json.loads(text)
        usable = data["format"] == FORMAT and all(
            0 <= score["score"] <= MAX_SCORE and isinstance(score["reasoning"], str)
            for score in data["criteria"].values()
        )
        usable = usable and 0 <= data["overall"] <= MAX_SCORE
        for members, said in (("facts", "stated"), ("traps", "hit")):
            usable = usable and all(
                isinstance(each["text"], str) and isinstance(each[said], bool)
                for each in data[members]
            )
        usable = usable and isinstance(data["response"], str)
        usable = usable and isinstance(data.get("item", {}), dict)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return data if usable else None


def has_moved(old: Snapshot, new: Snapshot, tolerance: Tolerance) -> bool:
    """Whether a score moved beyond the tolerance, or what is scored is another thing."""
    was, now = old["criteria"], new["criteria"]
    if old.get("reading") != new.get("reading") or was.keys() != now.keys():
        return True
    return abs(old["overall"] - new["overall"]) > tolerance.overall + _EPSILON or any(
        abs(was[id]["score"] - now[id]["score"]) > tolerance.criterion + _EPSILON for id in was
    )


def movements(old: Snapshot, new: Snapshot) -> list[str]:
    """The movements between two snapshots: the lines of their files that differ."""
    if old.get("reading") != new.get("reading"):
        was, now = (f"of the {each.get('reading', 'answer')}" for each in (old, new))
        return [f"it was {was} and is now {now}", *([_ADD] if now.endswith("view") else [])]
    # Two lines around a change name its criterion.
    before, after = (snapshot_text(each).splitlines() for each in (old, new))
    lines = difflib.unified_diff(before, after, n=2)
    shown = [printable(line, _SHOWN_LINE) for line in lines if line[:2] not in ("--", "++", "@@")]
    more = len(shown) - _SHOWN_LINES
    return [*shown[:_SHOWN_LINES], *([f"and {more} more lines"] if more > 0 else [])]


def _kept(text: str) -> str:
    return printable(text, MAX_TEXT)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)
