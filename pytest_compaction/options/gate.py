"""What a run is held to: thresholds, a baseline, accepted verdicts, and views over the budget."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from pytest_compaction.options.values import NO_GATE, number
from pytest_compaction.settings import (
    INCONCLUSIVE,
    OVER_BUDGET,
    BaselineRules,
    BaselineSettings,
    NewlyGone,
    OptionError,
    OverBudget,
    SnapshotSettings,
)
from pytest_compaction.text import printable

_NEWLY_GONE: Final = re.compile(
    r"(?P<number>[0-9]{1,9}|[0-9]{1,3}(?:\.[0-9]{1,6})?(?=\s*%))\s*(?P<percent>%)?"
)


def thresholds_of(given: Sequence[str]) -> tuple[str, ...]:
    """The expressions of the gate; there is none of them where ``none`` was given."""
    return () if set(given) == {NO_GATE} else tuple(given)


def baseline_settings(raw: dict[str, Any]) -> BaselineSettings:
    """What the run is compared with, and what becomes of the comparison.

    Raises :class:`OptionError` for an update that has no file to write or no whole run.
    """
    given, update = raw["compaction_baseline"].strip(), bool(raw["compaction_baseline_update"])
    given = "" if given == NO_GATE else given
    inconclusive = raw["compaction_inconclusive"]
    if inconclusive not in INCONCLUSIVE:
        expected = " or ".join(INCONCLUSIVE)
        raise OptionError(f"--compaction-inconclusive={inconclusive} is not {expected}")
    if update and not given.lower().endswith(".json"):
        named = (
            f"--compaction-baseline={given} is no file of that kind" if given else "none is named"
        )
        raise OptionError(
            "--compaction-baseline-update writes a .json file to be committed, and "
            f"{named}; name it, such as --compaction-baseline=compaction-baseline.json"
        )
    if update and raw["compaction_shard"] is not None:
        raise OptionError(
            "--compaction-baseline-update takes a whole run, and --compaction-shard measures a "
            "part of one; leave one of the two out"
        )
    limit = raw["compaction_max_newly_gone"]
    rules = BaselineRules(
        max_drop=number(raw, "compaction_max_drop"),
        max_newly_gone=None if limit is None else newly_gone("--compaction-max-newly-gone", limit),
        inconclusive=inconclusive,
    )
    return BaselineSettings(path=given, rules=rules, update=update)


def newly_gone(flag: str, text: str) -> NewlyGone:
    """Read a limit on newly gone facts: a whole number, or a share in per cent.

    Raises :class:`OptionError` for anything else.
    """
    match = _NEWLY_GONE.fullmatch(str(text).strip())
    if match is None or (match["percent"] and float(match["number"]) > 100):
        raise OptionError(
            f"{flag}={printable(str(text), 40)}: expected a whole number of facts, such as 0 or 3, "
            "or a share of those that the baseline states, from 0% to 100%"
        )
    return NewlyGone(float(match["number"]), bool(match["percent"]))


def over_budget_of(raw: dict[str, Any]) -> OverBudget:
    """What becomes of views over the budget."""
    given: Any = raw["compaction_over_budget"]
    if given not in OVER_BUDGET:
        expected = " or ".join(OVER_BUDGET)
        raise OptionError(f"--compaction-over-budget={given} is not {expected}")
    chosen: OverBudget = given
    return chosen


def snapshot_settings(raw: dict[str, Any]) -> SnapshotSettings:
    """Whether verdicts are compared with accepted ones, and by how many points they may differ."""
    key = "compaction_judge_tolerance"
    given = raw[key]
    parts = given.split(",")
    try:
        numbers = [number({key: part}, key) for part in parts] if len(parts) <= 2 else []
    except OptionError:
        numbers = []
    if not numbers:
        raise OptionError(
            f"--compaction-judge-tolerance={given}: expected points from 0 to 5, one number for "
            "the overall score or two as in 0.5,1 for the overall score and for a criterion"
        )
    return SnapshotSettings(bool(raw["compaction_judge_snapshots"]), *numbers)
