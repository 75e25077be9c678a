"""The figures of the overview: scores, cases, losses and costs, and what a baseline decided."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pytest_compaction.gate import ArmComparison, BaselineDecision, Check, Decision
from pytest_compaction.metrics import (
    CLASSES,
    TIE,
    Aggregate,
    FactChange,
    FactFate,
    FactLosses,
    ItemChange,
    Mean,
    Pricing,
    StrategyCosts,
    StrategyLosses,
    aggregate,
    fates,
    known,
    strategy_costs,
    strategy_losses,
)
from pytest_compaction.reports.changes import (
    changed_text,
    crossed_text,
    decided_text,
    difference_text,
    facts_text,
    uncompared,
)
from pytest_compaction.reports.lines import removed_text
from pytest_compaction.reports.page.runs import Arm
from pytest_compaction.rubric import DIMENSIONS

SCORES: Final = ("overall", *DIMENSIONS)
_OPEN: Final = 12
_Group = tuple[str, list[dict[str, str]]]


@dataclass(frozen=True, slots=True)
class Figures:
    label: str
    control: bool
    whole: Aggregate
    means: dict[str, Mean]
    cases: dict[str, float]
    losses: StrategyLosses | None
    costs: StrategyCosts | None

    @property
    def unscored(self) -> int:
        """Items that should have a score and have none."""
        return self.whole.items - self.whole.scored

    def counts(self, name: str) -> FactLosses | None:
        return self.losses.classes.get(name) if self.losses else None


def figures_of_arm(arm: Arm, pricing: Pricing) -> Figures:
    records = list(arm.records)
    whole = aggregate(arm.label, records)
    found = {"overall": whole.overall, **whole.dimensions}
    cases: dict[str, list[float]] = defaultdict(list)
    for record in records:
        if record["overall"] is not None and not whole.too_few:
            cases[record["case"]].append(record["overall"])
    return Figures(
        label=arm.label,
        control=arm.control,
        whole=whole,
        means={
            name: replace(mean, interval=known()[name].within(mean.interval))
            for name, mean in found.items()
            if mean is not None
        },
        cases={case: sum(scores) / len(scores) for case, scores in cases.items()},
        losses=strategy_losses(records),
        costs=strategy_costs(records, pricing),
    )


def classes_of(figures: Sequence[Figures]) -> list[str]:
    found = {name for item in figures if item.losses for name in item.losses.classes}
    return [*(name for name in CLASSES if name in found), *sorted(found - set(CLASSES))]


@dataclass(frozen=True, slots=True)
class Gate:
    """A decision of the gate: ``passed``, ``failed`` or ``undecided``, its line, and its rules."""

    outcome: str
    line: str
    decision: Decision | None
    against: BaselineDecision


def rules_of(gate: Gate) -> list[dict[str, str]]:
    """The rules of the gate but those on one baseline's figures, the rules that fail first."""
    checks = gate.decision.checks if gate.decision else ()
    found = [(_outcome(check), check.rule, check.text) for check in checks]
    found += [("fails", rule, f"could not be applied: {w}") for rule, w in gate.against.not_applied]
    names = ("outcome", "rule", "found")
    return [dict(zip(names, each, strict=True)) for each in sorted(found, key=lambda e: e[0])]


def _outcome(check: Check) -> str:
    return "holds" if check.holds else "fails"


def comparisons_of(against: BaselineDecision, arms: Sequence[Arm]) -> Iterator[dict[str, Any]]:
    """Each strategy beside its baseline: figures, cases and facts, the largest losses first."""
    by_name = {arm.name: arm for arm in arms}
    for each in against.comparisons:
        arm = by_name[each.arm]
        facts, limit = each.changes.facts, each.newly_gone
        failing = [check.text for check in each.checks if not check.holds]
        said = decided_text(each, against.rules.max_drop)
        if each.worse or (limit is not None and len(facts.gone) > limit.allowed):
            said = f"worse: {crossed_text(each.changes, 'the pass score')}"
        elif failing and each.undecided is None:
            said = failing[0]
        cases, same = _cases(each)
        yield {
            "title": f"{each.arm} against {each.baseline.title}",
            "said": said,
            "figures": list(_compared(each)),
            "cases": cases,
            "same": same,
            "facts": [
                (title, len(changed), *_folded(_by_case(changed, arm)))
                for title, changed in (
                    ("Newly gone", facts.gone),
                    ("Regained", facts.regained),
                    ("Stated before, uncertain now", facts.uncertain),
                    ("Not comparable: the text or the keys changed", facts.not_comparable),
                )
                if changed
            ],
            "notes": [
                *([limit.why_not] if limit and limit.why_not else []),
                *uncompared(each.changes, (each.baseline.title, "this run")),
                *changed_text(each.changes),
                *each.baseline.problems,
            ],
        }


def _compared(each: ArmComparison) -> Iterator[tuple[str, str, str, str, str]]:
    """Name, baseline, now, difference, and the outcome of the rule on it, of each figure."""
    for rule in each.rules:
        one = rule.compared
        outcome = "undecided" if rule.outcome == "undecided" else _outcome(rule.check)
        yield rule.metric, f"{one.first:.2f}", f"{one.second:.2f}", difference_text(one), outcome
    before, after = each.changes.removed
    limit = each.newly_gone if each.newly_gone and each.newly_gone.check else None
    moved, outcome = facts_text(each.changes), ""
    if limit and limit.check:
        moved, outcome = f"{moved}; {limit.allowed} may be gone", _outcome(limit.check)
    for name, kept in each.changes.kept.items():
        yield name, f"{kept[0]:.0%}", f"{kept[1]:.0%}", moved, outcome
        moved = outcome = ""
    if before is not None and after is not None:
        yield "tokens removed", removed_text(before), removed_text(after), "", ""


def _cases(each: ArmComparison) -> tuple[list[dict[str, Any]], int]:
    """The cases that changed, the largest fall first, and how many did not change."""
    groups: dict[str, list[ItemChange]] = defaultdict(list)
    for item in each.changes.items:
        groups[item.second["case"]].append(item)
    gone, regained = (
        Counter(fact.case for fact in facts)
        for facts in (each.changes.facts.gone, each.changes.facts.regained)
    )
    found = []
    for case, items in groups.items():
        pairs = [(item.first["overall"], item.second["overall"]) for item in items]
        before, now = (sum(scores) / len(items) for scores in zip(*pairs, strict=True))
        if abs(now - before) > TIE or gone[case] or regained[case]:
            scores = {"case": case, "before": before, "now": now, "change": now - before}
            found.append({**scores, "gone": gone[case], "regained": regained[case]})
    found.sort(key=lambda row: (row["change"], row["regained"] - row["gone"], row["case"]))
    return found, len(groups) - len(found)


def _by_case(changed: Sequence[FactChange], arm: Arm) -> list[_Group]:
    """Facts by case, the case with most of them first, each with its place in log and run."""
    known = {fate.key: fate for fate in fates(arm.records)}
    groups: dict[str, list[dict[str, str]]] = defaultdict(list)
    for fact in changed:
        groups[fact.case].append(
            {
                "text": fact.text,
                "probe": fact.probe,
                "item": f"{arm.label}/{fact.case}/{fact.probe}",
                "place": _place(fact, known.get((fact.case, fact.probe, fact.text))),
            }
        )
    return sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))


def _folded(groups: list[_Group]) -> tuple[list[_Group], list[_Group]]:
    """The first cases, with as many facts as are read at a glance, and the rest."""
    shown = 0
    for n, (_, facts) in enumerate(groups):
        if shown >= _OPEN:
            return groups[:n], groups[n:]
        shown += len(facts)
    return groups, []


def _place(fact: FactChange, fate: FactFate | None) -> str:
    """Where the log states a fact, and after which compaction the view no longer does."""
    parts = [fact.kind.replace("_", " ")]
    if fate is not None and fate.evidence:
        parts.append(f"said in {', '.join(fate.evidence[:3])}")
    if fate is not None and fate.drop is not None and not fate.survived:
        parts.append(f"dropped at {fate.drop.point}")
    elif fact.point:
        parts.append(f"asked after {fact.point}")
    if fate is not None and fate.recoverable is not None:
        parts.append("can be read again" if fate.recoverable else "cannot be read again")
        parts += ["proved by a search"] if fate.proved else []
    return ", ".join(filter(None, parts))
