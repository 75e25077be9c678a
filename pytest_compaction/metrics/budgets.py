"""Views over their budget, and strategies that compact nothing, read from the tokens in records."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pytest_compaction.record import Record
from pytest_compaction.settings import CONTROL, OverBudget


def tokens_over(record: Mapping[str, Any]) -> tuple[int, int] | None:
    """The tokens of the view, or of a dialogue's worst turn, and its budget where it is over.

    What a search found after the compaction is not held against the budget.
    """
    compaction = record.get("compaction") or {}
    tokens, budget = record.get("tokens"), compaction.get("budget")
    if record["compactor"] == CONTROL:
        return None
    if turns := compaction.get("over_budget"):
        most = max(turns, key=lambda turn: turn["view"] / turn["budget"])
        return most["view"], most["budget"]
    if not tokens or budget is None:
        return None
    search = record.get("search") or {}
    held = tokens["view"] - (search["tokens"] if search.get("apart") else 0)
    return (held, budget) if held > budget else None


def is_over_budget(record: Mapping[str, Any]) -> bool:
    return tokens_over(record) is not None


def over_budget_failures(records: Iterable[Record], setting: OverBudget) -> frozenset[str]:
    """The items that failed because their views are over the budget, whatever their score."""
    if setting == "report":
        return frozenset()
    return frozenset(
        record["item"]
        for record in records
        if record["status"] == "failed" and is_over_budget(record)
    )


def over_budget_text(records: Sequence[Record]) -> str | None:
    """How many items have a view over the budget, and how far at most; ``None`` if none has."""
    found = [over for record in records if (over := tokens_over(record)) is not None]
    if not found:
        return None
    most = max(view / budget if budget else float(view) for view, budget in found)
    have = "item has" if len(records) == 1 else "items have"
    return f"{len(found)} of {len(records)} {have} a view over budget, up to {times(most)} it"


def times(ratio: float) -> str:
    """A ratio above 1 in words, rounded up so that what is over is never 1.00 times."""
    hundredths = math.ceil(ratio * 100 - 1e-9)
    return f"{hundredths / 100:.2f} times" if hundredths < 1000 else f"{ratio:,.0f} times"


def furthest_over(records: Iterable[Record], most: int) -> list[tuple[Record, int, int]]:
    """The items furthest over their budget, with the tokens of the view and the budget."""
    found = [(r, *over) for r in records if (over := tokens_over(r)) is not None]
    found.sort(key=lambda each: (-each[1] / max(each[2], 1), str(each[0]["item"])))
    return found[:most]


def uncompacted_text(records: Sequence[Record]) -> str | None:
    """Why a strategy compacted nothing; ``None`` if a view is smaller than its log."""
    dialogues = [r for r in records if r.get("comparison") is not None]
    probes = [r for r in records if r["overall"] is not None and r.get("tokens")]
    if not (dialogues or probes) or any(map(_is_compacted, [*dialogues, *probes])):
        return None
    if records[0]["compactor"] == CONTROL:
        return "nothing was compacted: this is the control, which leaves out nothing"
    found = []
    if probes:
        fits = all(r["tokens"]["log"] <= r["compaction"]["budget"] for r in probes)
        why = ", and each log fits its budget" if fits else ""
        found.append(f"no view of {_counted(probes, 'item')} is smaller than its log{why}")
    if dialogues:
        found.append(f"no turn of {_counted(dialogues, 'dialogue')} reads less than its history")
    return f"nothing was compacted: {'; '.join(found)}"


def _counted(records: Sequence[Record], what: str) -> str:
    return f"{len(records)} {what}{'' if len(records) == 1 else 's'}"


def _is_compacted(record: Record) -> bool:
    """Whether the view of a probe, or of some turn of a dialogue, is smaller than the log."""
    comparison = record.get("comparison")
    if comparison is None:
        return record["tokens"]["view"] < record["tokens"]["log"]
    return any(
        reply["summarised"] and reply["prompt_tokens"] < full["prompt_tokens"]
        for one, other in zip(comparison["summary"], comparison["baseline"], strict=False)
        for reply, full in zip(one["replies"], other["replies"], strict=False)
    )
