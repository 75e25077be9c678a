"""Rules against a baseline: whether a strategy got worse, from the paired differences of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from pytest_compaction.gate.decision import WEIGHTIEST, Check, within_budget
from pytest_compaction.metrics.aggregate import by_arm
from pytest_compaction.metrics.differences.run_changes import (
    Compared,
    RunChanges,
    differences_by_case,
    run_changes,
)
from pytest_compaction.metrics.item_figures import figure_of
from pytest_compaction.metrics.statistics.cluster_interval import cluster_interval
from pytest_compaction.metrics.statistics.power import cases_needed
from pytest_compaction.records.baselines.baseline import Baseline
from pytest_compaction.records.record import Record, type_of
from pytest_compaction.rubric import DIMENSIONS
from pytest_compaction.settings import CONTROL, Inconclusive
from pytest_compaction.text.words import printable

Outcome = Literal["holds", "worse", "cannot tell"]
_NAME: Final = 48


@dataclass(frozen=True, slots=True)
class BaselineRule:
    """One figure of a strategy against its baseline, and what was decided.

    ``cases`` is how many cases would tell a drop of ``max_drop``, ``None`` where that is not
    known or not needed. ``check`` is the rule as the gate reports it.
    """

    metric: str
    compared: Compared
    outcome: Outcome
    check: Check
    cases: int | None = None


@dataclass(frozen=True, slots=True)
class ArmComparison:
    """A strategy at a budget against its baseline: what changed, and the rules."""

    arm: str
    baseline: Baseline
    changes: RunChanges
    rules: tuple[BaselineRule, ...]

    @property
    def worse(self) -> tuple[BaselineRule, ...]:
        """The rules that show a drop."""
        return tuple(rule for rule in self.rules if rule.outcome == "worse")

    @property
    def unclear(self) -> tuple[BaselineRule, ...]:
        """The rules of which these cases cannot tell."""
        return tuple(rule for rule in self.rules if rule.outcome == "cannot tell")


@dataclass(frozen=True, slots=True)
class BaselineDecision:
    """What the baselines of a run decided.

    ``undecided`` are rules that could not be applied, each with the reason; ``not_compared``
    are strategies of the run without a baseline.
    """

    comparisons: tuple[ArmComparison, ...] = ()
    undecided: tuple[tuple[str, str], ...] = ()
    not_compared: tuple[str, ...] = ()

    @property
    def checks(self) -> tuple[Check, ...]:
        """All rules as checks of the gate."""
        return tuple(rule.check for each in self.comparisons for rule in each.rules)

    @property
    def decides(self) -> bool:
        """Whether there was anything to decide on."""
        return bool(self.comparisons or self.undecided)

    @property
    def passed(self) -> bool:
        """Whether every rule could be applied and holds, or passes without telling."""
        return not self.undecided and all(check.holds for check in self.checks)

    @property
    def is_worse(self) -> bool:
        """Whether a figure of some strategy is shown to be worse."""
        return any(each.worse for each in self.comparisons)


def outcome_of(
    compared: Compared, max_drop: float, wider: tuple[float, float] | None = None
) -> Outcome:
    """Whether a figure fell by more than ``max_drop`` (points, 0 to 5), held, or neither is shown.

    *worse*: the mean paired difference is below ``-max_drop``, and its whole interval is below 0:
    the 95 % interval, or a ``wider`` one where several figures are looked at. *holds*: the 95 %
    interval ends no lower than ``-max_drop``, or no item fell at all, which needs no interval.
    Anything else these cases *cannot tell*; a single case has no interval and so shows no drop.
    *holds* is non-inferiority by a confidence interval, at 2.5 % one-sided: Piaggio and others,
    "Reporting of Noninferiority and Equivalence Randomized Trials" (JAMA, 2012), figure 1.
    """
    if not compared.paired.losses:
        return "holds"
    if compared.interval is None:
        return "cannot tell"
    if compared.interval[0] >= -max_drop:
        return "holds"
    _, high = wider or compared.interval
    return "worse" if high < 0 and compared.value < -max_drop else "cannot tell"


def decide_baseline(
    records: Sequence[Record],
    baselines: Mapping[str, Baseline],
    max_drop: float,
    inconclusive: Inconclusive = "pass",
) -> BaselineDecision:
    """Compare each strategy of a run with its baseline, overall and in each dimension.

    ``baselines`` has one for each strategy by its name; strategies without one are said, and
    the control is compared only if it is the only strategy. With several budgets a strategy is
    compared at each of them. A rule without an item that has a score on both sides is undecided,
    and so is that of a baseline whose strategy has no record in the run. No rule holds for a
    strategy with views over their budget.
    """
    probes = [record for record in records if type_of(record) == "probe"]
    groups = by_arm(probes)
    arms = [name for name in groups if name != CONTROL] or list(groups)
    comparisons, undecided, not_compared = [], [], []
    for arm in arms:
        baseline = baselines.get(groups[arm][0]["compactor"])
        if baseline is None:
            not_compared.append(arm)
            continue
        changes = run_changes(baseline.records, groups[arm])
        label = f"@{arm}" if len(arms) > 1 else ""
        if "overall" not in changes.figures:
            rule = rule_text(f"overall{label}", baseline, max_drop)
            undecided.append((rule, _why_nothing(changes, baseline)))
            continue
        rules = tuple(
            _rule(metric, label, compared, changes, baseline, max_drop, inconclusive)
            for metric, compared in changes.figures.items()
        )
        rules = tuple(replace(rule, check=within_budget(rule.check, groups[arm])) for rule in rules)
        comparisons.append(ArmComparison(arm, baseline, changes, rules))
    there = {record["compactor"] for record in probes}
    for strategy, baseline in baselines.items():
        if strategy not in there:
            label = f"overall@{strategy}" if len(baselines) > 1 else "overall"
            why = "no probe was asked" if records else "nothing was measured"
            undecided.append((rule_text(label, baseline, max_drop), why))
    return BaselineDecision(tuple(comparisons), tuple(undecided), tuple(not_compared))


def rule_text(label: str, baseline: Baseline, max_drop: float) -> str:
    """The text of a rule, as in ``overall@anchored vs main: drop<=0.1``."""
    return f"{label} vs {baseline.name}: drop<={max_drop:g}"


def _why_nothing(changes: RunChanges, baseline: Baseline) -> str:
    if changes.unscored:
        return f"no item has a score both in this run and in {baseline.title}"
    return f"no item of this run is in {baseline.title}"


def _rule(
    metric: str,
    label: str,
    compared: Compared,
    changes: RunChanges,
    baseline: Baseline,
    max_drop: float,
    inconclusive: Inconclusive,
) -> BaselineRule:
    outcome = outcome_of(compared, max_drop, _for_all_dimensions(metric, changes))
    holds = outcome == "holds" or (outcome == "cannot tell" and inconclusive == "pass")
    cases = None
    if outcome == "cannot tell" and max_drop > 0:
        cases = cases_needed(differences_by_case(changes, metric), max_drop)
    text = f"{metric}{label} {_moved(compared, outcome)}, {baseline.name} {compared.first:.2f}"
    check = Check(
        text,
        holds,
        rule_text(f"{metric}{label}", baseline, max_drop),
        details=() if holds else tuple(_fallen(changes, metric)),
    )
    return BaselineRule(metric, compared, outcome, check, cases)


def _for_all_dimensions(metric: str, changes: RunChanges) -> tuple[float, float] | None:
    """The interval of a dimension that six of them together exceed in 5 % of cases at most.

    Bonferroni's correction; without it two runs of the same strategy differ in some dimension
    in one of eight comparisons. Overall is one figure and needs none.
    """
    if metric not in DIMENSIONS:
        return None
    return cluster_interval(differences_by_case(changes, metric), 1 - 0.05 / len(DIMENSIONS))


def _moved(compared: Compared, outcome: Outcome) -> str:
    interval = ""
    if compared.interval is not None:
        low, high = compared.interval
        interval = f" [{low:+.2f}, {high:+.2f}]"
    if outcome == "worse":
        return f"fell by {abs(compared.value):.2f}{interval}"
    lead = "cannot tell: " if outcome == "cannot tell" else ""
    return f"{lead}{compared.value:+.2f}{interval}"


def _fallen(changes: RunChanges, metric: str) -> list[str]:
    """The items that fell most in a metric, one line each."""
    fallen = []
    for item in changes.items:
        one, other = figure_of(item.first, metric), figure_of(item.second, metric)
        if one is not None and other is not None and other < one:
            record = item.second
            name = printable(f"{record['case']}-{record['probe']}", _NAME)
            fallen.append((other - one, name, f"  {one:.2f} -> {other:.2f}  {name}"))
    return [line for _, _, line in sorted(fallen)[:WEIGHTIEST]]
