"""Snapshots of verdicts: what is kept of a judge's scores, and what moved between two.

A snapshot holds what the judge said of the answer, whichever figure leads; where no answer was
made, what the view states. It is plain JSON without clock, usage or keys. It names its item, so
that a run of other cases or strategies can tell that the snapshot is not one of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
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
_SHOWN_CRITERIA: Final = 6
_SHOWN_TEXT: Final = 120
_BEFORE: Final = 30
"""Characters shown before the place where two texts begin to differ."""

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
    several = {printable(s.name, _SHOWN_TEXT): _rounded(s.overall) for s in verdict.judges}
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
    if old.get("reading") != new.get("reading"):
        return True
    if abs(old["overall"] - new["overall"]) > tolerance.overall + _EPSILON:
        return True
    if old["criteria"].keys() != new["criteria"].keys():
        return True
    return any(
        abs(score["score"] - new["criteria"][id]["score"]) > tolerance.criterion + _EPSILON
        for id, score in old["criteria"].items()
    )


def movements(old: Snapshot, new: Snapshot) -> list[str]:
    """The movements between two snapshots, a line each; the criteria that moved most come first."""
    if old.get("reading") != new.get("reading"):
        was, now = (f"of the {each.get('reading', 'answer')}" for each in (old, new))
        return [f"it was {was} and is now {now}", *([_ADD] if now.endswith("view") else [])]
    lines: list[str] = []
    if abs(old["overall"] - new["overall"]) > _EPSILON:
        lines.append(f"overall {old['overall']:.2f} -> {new['overall']:.2f}")
    lines += _criteria(old["criteria"], new["criteria"])
    lines += _told_apart(old, new, "facts", "stated", "fact")
    lines += _told_apart(old, new, "traps", "hit", "stale value")
    gone, come = (
        sorted(set(one.get("flags", ())) - set(other.get("flags", ())))
        for one, other in ((old, new), (new, old))
    )
    lines += [f"flag gone: {_shown(flag)}" for flag in gone]
    lines += [f"flag new: {_shown(flag)}" for flag in come]
    if old["response"] != new["response"]:
        lines.append("the answer changed as well")
        lines += _was_and_is(old["response"] or "(empty)", new["response"] or "(empty)")
    return lines


def _criteria(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    lines = [f"{id} is no longer scored" for id in sorted(old.keys() - new.keys())]
    lines += [f"{id} is scored now: {new[id]['score']:g}" for id in sorted(new.keys() - old.keys())]
    both = [(abs(old[id]["score"] - new[id]["score"]), id) for id in old.keys() & new.keys()]
    moved = sorted(((by, id) for by, id in both if by > _EPSILON), key=lambda m: (-m[0], m[1]))
    for _, id in moved[:_SHOWN_CRITERIA]:
        lines.append(f"{id} {old[id]['score']:g} -> {new[id]['score']:g}")
        if old[id]["reasoning"] != new[id]["reasoning"]:
            lines += _was_and_is(old[id]["reasoning"], new[id]["reasoning"])
    if len(moved) > _SHOWN_CRITERIA:
        lines.append(f"and {len(moved) - _SHOWN_CRITERIA} more criteria")
    return lines


def _told_apart(old: Snapshot, new: Snapshot, members: str, said: str, what: str) -> list[str]:
    """Facts (or stale values) on which two snapshots differ, or that only one of them has."""
    before = {each["text"]: each[said] for each in old[members]}
    after = {each["text"]: each[said] for each in new[members]}
    lines: list[str] = []
    for text in dict.fromkeys([*before, *after]):
        if text not in after:
            lines.append(f"{what} gone from the probe: {_shown(text)}")
        elif text not in before:
            lines.append(f"{what} new in the probe: {_shown(text)}")
        elif before[text] != after[text]:
            word = f"now {said}" if after[text] else f"no longer {said}"
            lines.append(f"{what} {word}: {_shown(text)}")
    return lines


def _was_and_is(old: str, new: str) -> Iterable[str]:
    """Both texts, from shortly before the place where they begin to differ."""
    pairs = zip(old, new, strict=False)
    shorter = min(len(old), len(new))
    common = next((i for i, (was, now) in enumerate(pairs) if was != now), shorter)
    start = common - _BEFORE if common > _SHOWN_TEXT // 2 else 0
    cut = "…" if start else ""
    return f"  was: {cut}{_shown(old[start:])}", f"  now: {cut}{_shown(new[start:])}"


def _shown(text: str) -> str:
    return printable(text, _SHOWN_TEXT)


def _kept(text: str) -> str:
    return printable(text, MAX_TEXT)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)
