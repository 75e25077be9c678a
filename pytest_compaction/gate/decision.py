"""The gate: thresholds on aggregates and a limit on unscored items decide whether a run passes."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, Final

from pytest_compaction.dialogues import is_dialogue_metric, measure_dialogues
from pytest_compaction.gate.threshold import ANSWERED, Threshold, scoped, scopes_of
from pytest_compaction.metrics import (
    ORIGINS,
    arm_name,
    by_arm,
    by_compactor,
    compliance,
    furthest_over,
    known,
    of_origin,
    over_budget_text,
    pass_estimates,
    stale_summaries,
    uncompacted_text,
)
from pytest_compaction.models import record_command
from pytest_compaction.records import Record, RecordType, type_of
from pytest_compaction.settings import CONTROL, Budget
from pytest_compaction.text import told_apart


def measure(metric: str, records: Sequence[Record], control: Sequence[Record]) -> float | None:
    scope, rest = scoped(metric)
    if scope in ORIGINS:
        return measure(rest, of_origin(records, scope), of_origin(control, scope))
    if scope:
        return measure(rest, [r for r in records if r["kind"] == scope], control)
    if metric.startswith("pass^"):
        return pass_estimates(records).get(int(metric[5:]))
    mean = known()[metric].mean(records, control)
    return None if mean is None else mean.value


def _why_missing(metric: str, records: Sequence[Record], control: Sequence[Record]) -> str:
    """Why a metric of these records, of which there are some, has no value."""
    if metric.rpartition(".")[2] in ANSWERED:
        return "no answers were made; add --compaction-answers"
    if metric.endswith(("needed.survival", "stated.survival")):
        return "no fact of these cases says what it was needed for (`needed` in the case file)"
    if "next_" in metric:
        asked = any("next_action" in record for record in records)
        none = "not defined, no lead of the full log over the tail is shown"
        return none if asked else "it was not asked; add --compaction-next-actions, with a model"
    found = compliance(records, control) if metric == "er" else None
    return f"not defined, {found.retained.reason}" if found else "nothing was measured"


def _measured(record: Record) -> bool:
    """Whether an item has a score or, in its place, a next action that the log tells."""
    asked = (record.get("next_action") or {}).get("message")
    return bool(asked) or record["status"] not in {"unscored", "skipped"}


_SIGNS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
Arm = tuple[str, Budget | None]
"""A strategy at a budget, which is ``None`` for that of the cases."""
_NOT_ASKED: Final[Mapping[RecordType, str]] = {
    "probe": "no probe was asked",
    "dialogue": "no dialogue was replayed",
}
_COMPACTED: Final = "compacted@"
_ITEM: Final = ("case", "probe", "trial")
_FOREIGN: Final = (
    ("foreign", "names", "names", "name", "mostly what the log never said", "own-log"),
    (
        *("worded", "facts", "has", "have"),
        "the case file's wordings of facts, which the log has not; was the case file read?",
        "own-words",
    ),
)
"""Marks of a view that is not made from its own log: its key in a record, what is listed there,
how it is said of one view and of several, and the rule."""
WEIGHTIEST: Final = 5
_OPPOSITE: Final = {">=": "<", "<=": ">", ">": "<=", "<": ">="}


@dataclass(frozen=True, slots=True)
class Check:
    """One comparison that the gate made: ``text`` for the user, ``rule`` as it was asked for.

    ``items`` are those farthest from what is asked for, with their ``figures``; ``details`` are
    lines where a score alone does not tell.
    """

    text: str
    holds: bool
    rule: str
    interval: tuple[float, float] | None = None
    items: tuple[Record, ...] = ()
    details: tuple[str, ...] = ()
    figures: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """The gate's decision: a check for each rule and strategy, be there records of it or not."""

    checks: tuple[Check, ...] = ()

    @property
    def decides(self) -> bool:
        return bool(self.checks)

    @property
    def uncompacted(self) -> tuple[str, ...]:
        return tuple(check.text for check in self.checks if check.rule.startswith(_COMPACTED))

    @property
    def passed(self) -> bool:
        return all(check.holds for check in self.checks)


def decide(
    records: Sequence[Record],
    thresholds: Sequence[Threshold],
    max_unscored: int,
    arms: Sequence[Arm] = (),
    has_baseline: bool = False,
) -> Decision:
    """Check every threshold against every strategy it is for; the control is judged only by name.

    With several budgets it is checked at each: ``overall@anchored-b2000>=3`` is for one. A rule for
    one of the ``arms`` that has no record does not hold. Unscored items above ``max_unscored`` fail
    a run even without thresholds, and so do a strategy without a scored item and one of several
    judges that scored nothing. However many may be unscored, no threshold and no baseline passes
    with recorded words that answer another request.
    """
    groups = by_arm(records)
    there = {(record["compactor"], record.get("budget")) for record in records}
    several = len({budget for _, budget in arms if budget is not None}) > 1
    for strategy, budget in arms:
        if (strategy, budget) not in there:
            groups.setdefault(arm_name(strategy, budget) if several else strategy, [])
    measured = {type_of(record) for record in records}
    checks = [
        check for threshold in thresholds for check in _checks_of(threshold, groups, arms, measured)
    ]
    unscored = sum(record["status"] == "unscored" for record in records)
    tolerated = f"unscored<={max_unscored}"
    if unscored > max_unscored:
        checks.append(Check(f"unscored {unscored} > {max_unscored}", False, tolerated))
    else:
        if unscored and checks:
            checks.append(Check(f"unscored {unscored} <= {max_unscored}", True, tolerated))
        checks += [
            Check(f"{name}: none of {len(group)} items could be scored", False, f"scored@{name}")
            for name, group in groups.items()
            if group and not any(map(_measured, group))
        ]
    by_name = by_compactor(records)
    for name, group in by_name.items():  # recorded words that answer another request
        ruled = bool(thresholds) or has_baseline
        if count := sum(stale_summaries([r]) > 0 for r in group if ruled or "stale" in r):
            text = f"{name}: no recorded words answer what would be sent now in {count} of "
            text += f"{len(group)} items; {record_command(name)}"
            checks.append(Check(text, False, f"words@{name}"))
    panels = [panel for record in records if len(panel := record.get("judges") or ()) > 1]
    asked = Counter(judge["name"] for panel in panels for judge in panel)
    spoke = {judge["name"] for panel in panels for judge in panel if judge["overall"] is not None}
    checks += [
        Check(f"judge {name}: scored none of {count} items", False, f"judge {name}")
        for name, count in asked.items()
        if spoke and name not in spoke
    ]
    alone = set(by_name) == {CONTROL} and all(rule.scope != CONTROL for rule in thresholds)
    for name, group in by_name.items():
        why = None if name == CONTROL and not alone else uncompacted_text(group)
        if why is not None:
            checks.append(Check(f"{name}: {why}", False, f"{_COMPACTED}{name}"))
    checks += _foreign(by_name)
    return Decision(tuple(checks))


def within_budget(check: Check, records: Sequence[Record]) -> Check:
    """The check, which does not hold if a view of these records is over its budget."""
    reason = over_budget_text(records)
    if reason is None:
        return check
    details = tuple(
        f"  {_item_name(record)}: {view:,} tokens for {budget:,}"
        for record, view, budget in furthest_over(records, WEIGHTIEST)
    )
    text = f"{check.text}, but {reason}" if check.holds else f"{check.text}; {reason}"
    return Check(text, False, check.rule, details=details)


def _item_name(record: Mapping[str, Any]) -> str:
    return f"{record['case']}-{record['probe']}" if record["probe"] else str(record["case"])


def _foreign(groups: Mapping[str, Sequence[Record]]) -> Iterator[Check]:
    """A failed check for each strategy with views that are not made from their own log."""
    for name, group in groups.items():
        for key, parts, one, more, what, rule in _FOREIGN:
            found: list[Mapping[str, Any]] = [record for record in group if record.get(key)]
            if not found:
                continue
            views = len({(r["case"], (r.get("point") or {}).get("id")) for r in found})
            has = f"1 view {one}" if views == 1 else f"{views} views {more}"
            details = tuple(
                f"  {_item_name(record)}: {'; '.join(record[key][parts])}"
                for record in found[:WEIGHTIEST]
            )
            yield Check(f"{name}: {has} {what}", False, f"{rule}@{name}", details=details)


def _checks_of(
    threshold: Threshold,
    groups: Mapping[str, Sequence[Record]],
    arms: Sequence[Arm],
    measured: Set[RecordType],
) -> Iterator[Check]:
    if threshold.scope:
        names = _named(threshold.scope, groups, arms)
    else:
        names = [name for name in groups if name != CONTROL] or list(groups)
    wanted: RecordType = "dialogue" if is_dialogue_metric(threshold.metric) else "probe"
    if threshold.metric.startswith("pass^") and measured == {"dialogue"}:
        wanted = "dialogue"
    if not names:
        yield _check(threshold, None, None, "nothing was measured")
    for name in names:
        mine = [record for record in groups[name] if type_of(record) == wanted]
        why = _NOT_ASKED[wanted] if measured and wanted not in measured else "nothing was measured"
        if wanted == "dialogue":
            value = measure_dialogues(threshold.metric, mine)
        else:
            control = [r for r in groups.get(CONTROL, ()) if type_of(r) == wanted]
            value = measure(threshold.metric, mine, control) if mine else None
            if mine and value is None:
                why = _why_missing(threshold.metric, mine, control)
        check = _check(threshold, value, name if len(names) > 1 else None, why)
        scored = sum(record["overall"] is not None for record in mine)
        check = _explained(check, threshold, threshold.metric, mine, scored)
        yield within_budget(check, groups[name])


def _named(scope: str, groups: Mapping[str, Sequence[Record]], arms: Sequence[Arm]) -> list[str]:
    """The arms that a scope names: a strategy at each of its budgets, or at one."""
    of_run = {arm_name(strategy, budget): strategy for strategy, budget in arms}
    return [
        name
        for name, group in groups.items()
        if scope in {name, of_run.get(name)}
        or scope in scopes_of((r["compactor"], r.get("budget")) for r in group[:1])
    ]


def _check(threshold: Threshold, value: float | None, name: str | None, why: str) -> Check:
    label = f"{threshold.metric}@{name}" if name else threshold.label
    rule = f"{label}{threshold.sign}{threshold.bound:g}"
    if value is None:
        return Check(f"{label}: {why}", False, rule)
    holds = _SIGNS[threshold.sign](value, threshold.bound)
    sign = threshold.sign if holds else _OPPOSITE[threshold.sign]
    measured, bound = told_apart(value, threshold.bound)
    return Check(f"{label} {measured} {sign} {bound}", holds, rule)


def _explained(
    check: Check, threshold: Threshold, metric: str, records: Sequence[Record], scored: int
) -> Check:
    """The check with the interval of a mean, how many items it is of, and those that weigh most."""
    scope, rest = scoped(metric)
    if scope in ORIGINS:
        return _explained(check, threshold, rest, of_origin(records, scope), scored)
    figure = known().get(rest)
    if figure is None or figure.of is None:
        return check
    if scope:
        records = [record for record in records if record["kind"] == scope]
    mean = figure.mean(records)
    if mean is None:
        return check
    missing = [
        (abs(score - threshold.bound), record)
        for record in records
        if (score := figure.of(record)) is not None
        and not _SIGNS[threshold.sign](score, threshold.bound)
    ]
    missing.sort(key=lambda pair: (-pair[0], *(str(pair[1].get(part)) for part in _ITEM)))
    text = check.text
    if mean.count < scored:
        text += f" on {mean.count} item{'' if mean.count == 1 else 's'}"
    weightiest = tuple(record for _, record in missing[:WEIGHTIEST])
    figures = tuple(map(figure.of, weightiest))
    return replace(check, text=text, interval=mean.interval, items=weightiest, figures=figures)
