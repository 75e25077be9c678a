"""A line for each item: its score, its name, and what was dropped; and a line for each case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pytest_compaction.metrics import by_arm, overall_mean
from pytest_compaction.records import Record
from pytest_compaction.reports.lines import WIDTH, Line, short_names
from pytest_compaction.text import printable

_SCORE: Final = 6
_NAME_SHARE: Final = 0.5
_STRATEGY: Final = 16
_FACT: Final = 60


def lowest_first(records: Iterable[Record]) -> list[Record]:
    """Records with a score, the lowest first; those of one score by their names."""
    found = [record for record in records if record.get("overall") is not None]
    return sorted(
        found, key=lambda r: (r["overall"], r["compactor"], r["case"], r["probe"], r["trial"])
    )


def item_lines(records: Sequence[Record], width: int = WIDTH) -> Iterator[Line]:
    """A line of at most ``width`` columns for each record, the lowest score first."""
    ranked = lowest_first(records)
    names = _names(ranked)
    most = int((width - _SCORE) * _NAME_SHARE)
    column = min(max(map(len, names), default=0), most)
    for record, name in zip(ranked, names, strict=True):
        start = f"{record['overall']:>{_SCORE}.2f}  {_shortened(name, column):<{column}}  "
        lost = printable(what_was_dropped(record), max(width - len(start), 1))
        yield Line((start + lost).rstrip())


def what_was_dropped(record: Record) -> str:
    """How many facts of an item are lost, and which; then the stale values that it states."""
    facts = record.get("facts") or []
    kinds = ("dropped",) if record.get("reading") == "view" else ("dropped", "unused")
    parts = []
    for kind in kinds:
        lost = [printable(fact["text"], _FACT) for fact in facts if fact.get("loss") == kind]
        if lost:
            parts.append(f"{len(lost)} of {len(facts)} {kind}: {'; '.join(lost)}")
    stale = [printable(trap["text"], _FACT) for trap in record.get("traps") or [] if trap["hit"]]
    if stale:
        parts.append(f"stale: {'; '.join(stale)}")
    return "; ".join(parts)


def _names(records: Sequence[Record]) -> list[str]:
    """Names of items by what tells them apart: strategy and trial only where there are several."""
    strategies = sorted({record["compactor"] for record in records})
    short = short_names(strategies, _STRATEGY) if len(strategies) > 1 else {}
    budgets = len({record.get("budget") for record in records}) > 1
    trials = any(record["trial"] > 1 for record in records)
    names = []
    for record in records:
        parts = [short[record["compactor"]]] if short else []
        if budgets and record.get("budget") is not None:
            parts.append(f"b{record['budget']}")
        parts += [str(record["case"]), str(record["probe"])]
        parts += [f"t{record['trial']}"] if trials else []
        names.append(printable("-".join(parts)))
    return names


def _shortened(name: str, width: int) -> str:
    """A name cut in its middle: both its ends tell items apart."""
    if len(name) <= width:
        return name
    start = (width - 1) // 2
    return f"{name[:start]}…{name[len(name) - (width - 1 - start) :]}"


def case_line(
    case: str, records: Sequence[Record], least: float, place: str, name: int, width: int
) -> str:
    """The line of a case: its score, and how many of its questions are below the pass score.

    ``name`` are the columns of the names of cases, ``width`` those of the line.
    """
    groups = by_arm(records)
    room = min(name, max(width // 2, 20))
    start = f"{place} {_shortened(printable(case), room):<{room}}"
    means = {arm: overall_mean(group) for arm, group in groups.items()}
    scores = {arm: "-" if mean is None else f"{mean.value:.2f}" for arm, mean in means.items()}
    if len(groups) > 1:
        short = short_names(groups, _STRATEGY)
        all_scores = [f"{short[arm]} {score}" for arm, score in scores.items()]
        count = len(all_scores)
        shown = ", ".join(all_scores)
        while count and len(start) + 2 + len(shown) > width:  # a name never loses its score
            count -= 1
            shown = ", ".join([*all_scores[:count], "…"])
    else:
        statuses = Counter(record["status"] for record in records)
        done = statuses["passed"] + statuses["failed"]
        said = [f"{statuses['failed']} of {done} below {least:g}"] if done else []
        said += [f"{statuses['unscored']} unscored"] if statuses["unscored"] else []
        said += [f"{statuses['error']} in error"] if statuses["error"] else []
        shown = f"{next(iter(scores.values())):>4}  {', '.join(said)}"
    return f"{start}  {shown}"[:width]
