"""The line that says what the gate decided, the same for a run and for merged shards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.gate import ArmComparison, BaselineDecision, Decision
from pytest_compaction.metrics import is_over_budget
from pytest_compaction.records import Record, type_of
from pytest_compaction.reports.lines import Line, Style, counted
from pytest_compaction.text import printable

_NONE: Final = BaselineDecision()
UNDECIDED: Final = "UNDECIDED"
"""First word of the line if the drop is larger than allowed and not significant."""


@dataclass(frozen=True, slots=True)
class Failures:
    """What fails a run whatever its scores: tests that failed for another reason than the
    score, unused ``snapshots``, and items that failed for a view ``over_budget``.
    """

    others: int = 0
    snapshots: int = 0
    over_budget: int = 0

    @property
    def parts(self) -> list[str]:
        found = []
        if self.over_budget:
            found.append(f"{counted(self.over_budget, 'item')} over budget")
        if self.others:
            found.append(f"{self.others} failed for another reason than the score")
        if self.snapshots:
            found.append(f"{counted(self.snapshots, 'snapshot')} unused")
        return found


def passes(decision: Decision, failures: Failures, against: BaselineDecision = _NONE) -> bool:
    """Whether a run passes: a rule against a baseline that could not be applied passes nothing."""
    return decision.passed and against.passed and not failures.parts


def gate_line(
    decision: Decision,
    failures: Failures,
    records: Sequence[Record],
    pass_score: float,
    consistency: float,
    against: BaselineDecision = _NONE,
    coverage: str = "",
) -> Line:
    """What the gate decided, and why; ``against`` is what the baselines decided."""
    passed = passes(decision, failures, against)
    undecided = decision.passed and not failures.parts and against.is_undecided
    shown = decision.checks if passed else [c for c in decision.checks if not c.holds]
    parts = [", ".join(check.text for check in shown)] if shown else []
    parts += _against_parts(against, passed)
    parts += failures.parts
    if against.not_compared and against.comparisons:
        parts.append(f"without a baseline: {', '.join(against.not_compared)}")
    if against.comparisons and against.rules.inconclusive != "fail":
        parts.append(f"inconclusive={against.rules.inconclusive}")
    if coverage:
        parts.append(coverage)
    if passed:
        parts.append(below_text(records, pass_score, consistency))
    word = UNDECIDED if undecided else "GATE PASSED" if passed else "GATE FAILED"
    style: Style = "warning" if undecided and passed else "good" if passed else "bad"
    return Line(printable(f"{word} {' · '.join(parts)}"), style)


def is_undecided(line: Line) -> bool:
    """Whether the gate came to no decision on the scores, whatever the exit code is."""
    return line.text.startswith(UNDECIDED)


def _against_parts(against: BaselineDecision, passed: bool) -> Iterator[str]:
    """For each strategy: the undecided rule, the first that fails or that all hold, and facts."""
    for each in against.comparisons:
        failed = [
            rule for rule in each.rules if not rule.check.holds and rule.outcome != "undecided"
        ]
        if each.undecided is not None:
            yield f"{each.undecided.check.text}, allowed drop {against.rules.max_drop:g}"
        if failed:
            others = ", ".join(rule.metric for rule in failed[1:])
            yield failed[0].check.text + (f" (and {others})" if others else "")
        elif passed and each.undecided is None:
            compared = each.changes.figures["overall"]
            moved = f"{compared.value:+.2f}"
            if each.changes.new:  # items that the baseline does not have
                moved += f" on {compared.paired.difference.count} items of both"
            named = f" {each.arm}" if len(against.comparisons) > 1 else ""
            yield f"no worse than {each.baseline.name}{named}: overall {moved}"
        if passed or each.undecided is not None or each.is_worse:
            yield newly_gone_text(each)
    yield from (f"{rule}: {why}" for rule, why in against.not_applied)


def newly_gone_text(each: ArmComparison) -> str:
    """How many facts are newly gone and regained, and how many may be gone."""
    rule = each.newly_gone
    if rule is not None and rule.check is not None:
        return rule.check.text
    facts = each.changes.facts
    text = f"newly gone {len(facts.gone)}, regained {len(facts.regained)}"
    return text if rule is None else f"{text}, not gated: {rule.why_not}"


def below_text(records: Sequence[Record], pass_score: float, consistency: float) -> str:
    """How many probes and dialogues are below the score at which they pass."""
    below: Counter[str] = Counter()
    for record in records:
        figure, least = record.get("overall"), pass_score
        if type_of(record) == "dialogue":
            figure, least = record["consistency"], consistency
        # One that fails for its view alone reaches its score.
        for_view = is_over_budget(record) and (figure or 0) >= least
        below[type_of(record)] += record["status"] == "failed" and not for_view
    parts = []
    if below.keys() != {"dialogue"}:
        parts.append(f"{below['probe']} items below {pass_score:g}")
    if "dialogue" in below:
        parts.append(f"{below['dialogue']} dialogues below {consistency:g}")
    return ", ".join(parts)
