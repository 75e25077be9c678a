"""The record of a dialogue: a comparison of both arms, or why there is none."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pytest_compaction.dialogues.aggregates import RECORD_TYPE
from pytest_compaction.dialogues.dialogue import Dialogue
from pytest_compaction.dialogues.figures import retention_of, spending_of
from pytest_compaction.dialogues.files import digest
from pytest_compaction.dialogues.replayed import Replayed
from pytest_compaction.models.calls.prices import PriceTable
from pytest_compaction.record import merged
from pytest_compaction.records.record import (
    Record,
    Status,
    blank_record,
    charged,
    rounded,
    status_from,
)
from pytest_compaction.settings import Settings
from pytest_compaction.text import printable

_REASON_CHARACTERS = 400


def replayed_record(
    item: str, replayed: Replayed, settings: Settings, prices: PriceTable | None = None
) -> Record:
    """The record of a replayed dialogue; its status is passed, failed or unscored.

    ``comparison`` holds every reply of every trial with its tokens, so that all
    figures can be computed again; the others are for reading. ``prices`` are those
    of the endpoint.
    """
    passed = replayed.passed
    comparison = replayed.comparison
    unscored = replayed.consistency is None
    reason = replayed.unscored
    if passed is False:
        reason = replayed.over_budget.partition("\n")[0] or replayed.shortfall()[0]
    spent = spending_of(comparison)
    record: dict[str, Any] = {
        "status": status_from(passed),
        "reason": _one_line(reason),
        "consistency": rounded(replayed.consistency),
        "retention": None if unscored else rounded(retention_of(comparison)),
        "savings": rounded(spent.savings),
        "history": replayed.history,
        "comparison": comparison.as_json(),
        "compaction": {
            "steps": dict(replayed.steps),
            "errors": [_one_line(error) for error in replayed.errors],
            **_over_budget(replayed),
        },
        **charged(replayed.usage, replayed.judging, settings, prices, {"compaction": replayed.own}),
    }
    return merged(_blank(item, replayed.dialogue, replayed.compactor, settings), record)


def _over_budget(replayed: Replayed) -> dict[str, Any]:
    """The turns whose views were over the budget, by trial; nothing if there are none."""
    found = [
        {"trial": trial, **asdict(turn)}
        for trial, turns in enumerate(replayed.over, start=1)
        for turn in turns
    ]
    return {"over_budget": found} if found else {}


def record_without_comparison(
    item: str, dialogue: Dialogue, compactor: str, status: Status, reason: str, settings: Settings
) -> Record:
    """The record of a dialogue that ended before both arms had answered.

    ``unscored``: a model did not answer. ``error``: the strategy or the test went wrong.
    """
    return merged(
        _blank(item, dialogue, compactor, settings),
        {
            "status": status,
            "reason": _one_line(reason),
            **dict.fromkeys(("consistency", "retention", "savings", "history", "comparison")),
            "compaction": {},
            "usage": {},
            "usd": {},
        },
    )


def _blank(item: str, dialogue: Dialogue, compactor: str, settings: Settings) -> Record:
    scoring = {**settings.scoring(), **settings.dialogues.scoring()}
    del scoring["pass_score"]  # a dialogue passes by its consistency
    record = blank_record(
        item=item,
        case=dialogue.id,
        task=dialogue.task,
        probe="",
        kind=RECORD_TYPE,
        compactor=compactor,
        trial=1,
        digest=digest(dialogue),
        scoring=scoring,
    )
    own = {"type": RECORD_TYPE, "overall": None, "pass_at": settings.dialogues.consistency}
    return merged(record, own)


def _one_line(text: str) -> str:
    """One line, bounded and safe to show."""
    return printable(text, _REASON_CHARACTERS)
