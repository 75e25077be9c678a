"""Rules against a baseline: a limit on newly gone facts, and a limit on the drop of each mean.

Two questions are kept apart. The facts newly gone on these cases are certain, and have a rule of
their own. The interval of the mean estimates the loss on other cases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from pytest_compaction.gate.decision import WEIGHTIEST, Check, within_budget
from pytest_compaction.metrics import (
    TIE,
    BothMeans,
    FactChange,
    FactChanges,
    RunChanges,
    by_arm,
    cases_needed,
    cluster_interval,
    figure_of,
    known,
    run_changes,
)
from pytest_compaction.records import Baseline, Record, is_sampled, type_of
from pytest_compaction.rubric import DIMENSIONS
from pytest_compaction.settings import CONTROL, BaselineRules
from pytest_compaction.text import printable

Outcome = Literal["holds", "worse", "undecided"]
FEWEST_TRIALS: Final = 3
"""Trials that both sides need where a model is sampled: fewer do not tell a loss from chance."""
_FALSE_ALARMS: Final = 0.02
"""The share of runs without a change in which the interval of some dimension may lie off 0."""
_NAME: Final = 48
_FACT: Final = 100


@dataclass(frozen=True, slots=True)
class MeanRule:
    """One figure of a strategy against its baseline, and what was decided.

    ``cases`` is how many would tell a drop of the allowed size. ``check`` is the rule as the gate
    reports it; undecided, it holds where another rule decided or the user wants it to.
    """

    metric: str
    compared: BothMeans
    outcome: Outcome
    check: Check
    cases: int | None = None


@dataclass(frozen=True, slots=True)
class NewlyGoneRule:
    """How many facts are newly gone and may be; not applied for the reason ``why_not``."""

    facts: FactChanges
    allowed: int
    check: Check | None = None
    why_not: str = ""

    @property
    def fails(self) -> bool:
        return self.check is not None and not self.check.holds


@dataclass(frozen=True, slots=True)
class ArmComparison:
    """A strategy at a budget against its baseline; ``newly_gone`` is ``None`` without a limit."""

    arm: str
    baseline: Baseline
    changes: RunChanges
    rules: tuple[MeanRule, ...]
    newly_gone: NewlyGoneRule | None = None

    @property
    def worse(self) -> tuple[MeanRule, ...]:
        return tuple(rule for rule in self.rules if rule.outcome == "worse")

    @property
    def is_worse(self) -> bool:
        return bool(self.worse) or (self.newly_gone is not None and self.newly_gone.fails)

    @property
    def undecided(self) -> MeanRule | None:
        """The rule on the overall score, if its estimate is beyond the drop and not shown."""
        return next((rule for rule in self.rules if rule.outcome == "undecided"), None)

    @property
    def checks(self) -> tuple[Check, ...]:
        own = self.newly_gone and self.newly_gone.check
        return (*(rule.check for rule in self.rules), *((own,) if own else ()))


@dataclass(frozen=True, slots=True)
class BaselineDecision:
    """The decision of the baselines of a run.

    Rules ``not_applied`` have a reason; strategies ``not_compared`` have no baseline.
    """

    comparisons: tuple[ArmComparison, ...] = ()
    not_applied: tuple[tuple[str, str], ...] = ()
    not_compared: tuple[str, ...] = ()
    rules: BaselineRules = BaselineRules()

    @property
    def checks(self) -> tuple[Check, ...]:
        return tuple(check for each in self.comparisons for check in each.checks)

    @property
    def decides(self) -> bool:
        return bool(self.comparisons or self.not_applied)

    @property
    def passed(self) -> bool:
        """Whether every rule could be applied and holds, or is undecided and may be."""
        return not self.not_applied and all(check.holds for check in self.checks)

    @property
    def is_worse(self) -> bool:
        return any(each.is_worse for each in self.comparisons)

    @property
    def is_undecided(self) -> bool:
        """Whether nothing fails but rules that these cases leave undecided."""
        undecided = {each.undecided.check.rule for each in self.comparisons if each.undecided}
        failed = {check.rule for check in self.checks if not check.holds}
        return bool(undecided) and not self.not_applied and failed <= undecided


def outcome_of(
    compared: BothMeans, max_drop: float, wider: tuple[float, float] | None = None
) -> Outcome:
    """Whether a figure fell by more than ``max_drop`` (points, 0 to 5), held, or neither is shown.

    It is *worse* if its whole interval, or a ``wider`` one where several figures are looked at, is
    below 0 too, and *undecided* if that is not so, as always with fewer than six cases.
    """
    if compared.value >= -max_drop - TIE or not compared.paired.losses:
        return "holds"
    interval = wider or compared.interval
    return "worse" if interval is not None and interval[1] < 0 else "undecided"


def decide_baseline(
    records: Sequence[Record],
    baselines: Mapping[str, Baseline],
    rules: BaselineRules,
    header: Mapping[str, Any] | None = None,
) -> BaselineDecision:
    """Compare each strategy of a run with its baseline: scores, and facts that are newly gone.

    ``baselines`` has one for each strategy. The control is compared only if it is alone. A rule
    without an item that has a score on both sides cannot be applied, nor one whose strategy has no
    record. ``header`` tells whether a model was sampled.
    """
    probes = [record for record in records if type_of(record) == "probe"]
    groups = by_arm(probes)
    arms = [name for name in groups if name != CONTROL] or list(groups)
    comparisons, not_applied, not_compared = [], [], []
    for arm in arms:
        group = groups[arm]
        baseline = baselines.get(group[0]["compactor"])
        if baseline is None:
            not_compared.append(arm)
            continue
        changes = run_changes(baseline.records, group)
        label = f"@{arm}" if len(arms) > 1 else ""
        if "overall" not in changes.figures:
            why = f"no item of this run is in {baseline.title}"
            if changes.unscored:
                why = f"no item has a score both in this run and in {baseline.title}"
            elif changes.changed_cases:
                why = (
                    f"nothing is comparable: {len(changes.changed_cases)} cases changed since "
                    f"{baseline.title}; accept a run anew with --compaction-baseline-update"
                )
            elif changes.changed_probes:
                why = f"nothing is comparable: all facts changed since {baseline.title}"
            not_applied.append((rule_text(f"overall{label}", baseline, rules.max_drop), why))
            continue
        sampled = baseline.sampled or is_sampled(header or {}, group)
        newly_gone = _newly_gone(label, baseline, changes.facts, rules, sampled)
        passes = rules.inconclusive == "pass"
        if newly_gone is not None and newly_gone.check is not None:
            passes = True
            newly_gone = replace(newly_gone, check=within_budget(newly_gone.check, group))
        means = tuple(
            _mean_rule(metric, label, changes, baseline, rules.max_drop, passes)
            for metric in changes.figures
            if known()[metric].kind == "score"
        )
        means = tuple(replace(rule, check=within_budget(rule.check, group)) for rule in means)
        comparisons.append(ArmComparison(arm, baseline, changes, means, newly_gone))
    there = {record["compactor"] for record in probes}
    for strategy, baseline in baselines.items():
        if strategy not in there:
            label = f"overall@{strategy}" if len(baselines) > 1 else "overall"
            why = "no probe was asked" if records else "nothing was measured"
            not_applied.append((rule_text(label, baseline, rules.max_drop), why))
    return BaselineDecision(tuple(comparisons), tuple(not_applied), tuple(not_compared), rules)


def rule_text(label: str, baseline: Baseline, max_drop: float) -> str:
    """The text of a rule, as in ``overall@anchored vs main: drop<=0.1``."""
    return f"{label} vs {baseline.name}: drop<={max_drop:g}"


def _newly_gone(
    label: str, baseline: Baseline, facts: FactChanges, rules: BaselineRules, sampled: bool
) -> NewlyGoneRule | None:
    """The rule on facts that are newly gone; it is not applied where chance could decide it."""
    limit = rules.max_newly_gone
    if limit is None:
        return None
    allowed, (before, now) = limit.of(facts.stated), facts.trials
    why_not = "" if facts.compared else "no fact can be compared"
    if sampled and min(before, now) < FEWEST_TRIALS:
        why_not = (
            f"a model is sampled, which takes {FEWEST_TRIALS} trials on both sides to gate on "
            f"facts: the baseline has {before} and this run {now} "
            f"(--compaction-trials={FEWEST_TRIALS})"
        )
    if why_not:
        return NewlyGoneRule(facts, allowed, why_not=why_not)
    holds = len(facts.gone) <= allowed
    sign = "<=" if holds else ">"
    text = f"newly gone{label} {len(facts.gone)} {sign} {allowed}, regained {len(facts.regained)}"
    rule = f"newly-gone{label} vs {baseline.name}: <={limit}"
    details = () if holds else tuple(f"  {fact_name(fact)}" for fact in facts.gone)
    return NewlyGoneRule(facts, allowed, Check(text, holds, rule, details=details))


def fact_name(fact: FactChange) -> str:
    """A fact with the item that asks for it, as in ``case-probe @p2: text``."""
    point = f" @{fact.point}" if fact.point else ""
    budget = f"-b{fact.budget}" if fact.budget else ""
    name = printable(f"{fact.case}-{fact.probe}{budget}", _NAME)
    return f"{name}{printable(point, 20)}: {printable(fact.text, _FACT)}"


def _mean_rule(
    metric: str,
    label: str,
    changes: RunChanges,
    baseline: Baseline,
    max_drop: float,
    passes_undecided: bool,
) -> MeanRule:
    """The rule on one mean. A dimension fails only if its drop is shown; it is never undecided.

    Without Bonferroni's correction two runs of one strategy differ in some dimension in one of
    eight comparisons.
    """
    compared, differences = changes.figures[metric], changes.differences(metric)
    if metric == "overall":
        outcome = outcome_of(compared, max_drop)
    else:
        wider = cluster_interval(differences, 1 - _FALSE_ALARMS / len(DIMENSIONS))
        outcome = "worse" if outcome_of(compared, max_drop, wider) == "worse" else "holds"
    undecided = outcome == "undecided"
    holds = outcome == "holds" or (undecided and passes_undecided)
    cases = cases_needed(differences, max_drop) if undecided and max_drop > 0 else None
    interval = ""
    if compared.interval is not None:
        interval = f" [{compared.interval[0]:+.2f}, {compared.interval[1]:+.2f}]"
    moved = f"fell by {abs(compared.value):.2f}{interval}"
    if outcome != "worse":
        there = compared.paired.difference.cases
        few = "" if interval else f" in {there} case{'' if there == 1 else 's'}"
        moved = f"{compared.value:+.2f}{interval}{few}{', not shown' if undecided else ''}"
    check = Check(
        f"{metric}{label} {moved}, {baseline.name} {compared.first:.2f}",
        holds,
        rule_text(f"{metric}{label}", baseline, max_drop),
        details=() if outcome == "holds" else tuple(_fallen(changes, metric)),
    )
    return MeanRule(metric, compared, outcome, check, cases)


def _fallen(changes: RunChanges, metric: str) -> list[str]:
    fallen = []
    for item in changes.items:
        one, other = figure_of(item.first, metric), figure_of(item.second, metric)
        if one is not None and other is not None and other < one:
            record = item.second
            name = printable(f"{record['case']}-{record['probe']}", _NAME)
            fallen.append((other - one, name, f"  {one:.2f} -> {other:.2f}  {name}"))
    return [line for _, _, line in sorted(fallen)[:WEIGHTIEST]]
