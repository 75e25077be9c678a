"""Figures of one item and of a strategy, from records alone."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Literal, get_args

from pytest_compaction.case import Origin
from pytest_compaction.metrics.budgets import is_over_budget
from pytest_compaction.metrics.intervals import (
    Mean,
    case_key,
    clustered,
    mean_over,
    proportion_interval,
    ratio_interval,
    unit_of,
)
from pytest_compaction.metrics.readings import Source, loss
from pytest_compaction.record import Record
from pytest_compaction.rubric import DIMENSIONS
from pytest_compaction.settings import RECORDED, Budget


def reading_of(record: Record) -> Source:
    """The text that an item was scored by: the view, where rules answered, or the answer."""
    return "answer" if record.get("reading") == "answer" else "view"


def score_of(record: Record, name: str) -> float | None:
    return record["overall"] if name == "overall" else record["dimensions"].get(name)


def survival(record: Record) -> float | None:
    """The overall score of what the view states (0 to 5); ``None`` for an unscored item."""
    if record["overall"] is None or reading_of(record) == "view":
        return record["overall"]
    return (record.get("view") or {}).get("overall")


def second_figure(record: Record) -> float | None:
    """The overall score of the reading that does not lead (0 to 5)."""
    if record["overall"] is None:
        return None
    other = record.get("answer") if reading_of(record) == "view" else record.get("view")
    return (other or {}).get("overall")


def answer_figure(record: Record) -> float | None:
    """The overall score of the answer (0 to 5); ``None`` where none was scored."""
    return record["overall"] if reading_of(record) == "answer" else second_figure(record)


def stated_share(record: Record) -> float | None:
    """The share of an item's facts that its view states; ``None`` without a score or facts."""
    facts = record["facts"]
    if record["overall"] is None or not facts:
        return None
    return sum(is_stated(fact) for fact in facts) / len(facts)


def is_needed(fact: Mapping[str, Any]) -> bool:
    """Whether the session is known to have needed a fact later, from its part of a record."""
    return isinstance(fact.get("needed"), Mapping)


def survival_of_facts(records: Iterable[Record], needed: bool) -> Mean | None:
    """The share of the facts needed later, or of the others, that views state, if any is needed."""
    facts = [(case_key(record), fact) for record in scored(records) for fact in record["facts"]]
    if not any(is_needed(fact) for _, fact in facts):
        return None
    chosen = ((case, float(is_stated(f))) for case, f in facts if is_needed(f) == needed)
    return mean_over(clustered(chosen))


def survival_of_item(record: Record, needed: bool) -> float | None:
    """This share over the facts of one item; ``None`` if it has no such fact."""
    stated = [is_stated(fact) for fact in record["facts"] if is_needed(fact) == needed]
    return sum(stated) / len(stated) if stated and record["overall"] is not None else None


def is_stated(fact: Mapping[str, Any]) -> bool:
    return bool(fact["survived"])


def is_answered(fact: Mapping[str, Any]) -> bool:
    return fact.get("used", False) is not None


def outcome_of(fact: Mapping[str, Any], leads: Source) -> str:
    """The outcome of a fact in the view or the answer, from its part of a record."""
    stated = fact["survived"] if leads == "view" else fact["used"]
    return str(fact.get(leads, "stated" if stated else "absent"))


def pass_hat_k(trials: int, passed: int, k: int) -> float | None:
    """Unbiased probability that k trials all pass; ``None`` with fewer than k trials.

    Source: Yao et al., "τ-bench" (2024), section 3.
    """
    return None if k > trials else math.comb(passed, k) / math.comb(trials, k)


def mean_pass_hat_k(outcomes: Iterable[tuple[int, int]], k: int) -> float | None:
    """Mean of pass^k over items given as (trials, passed); items with fewer trials are left out."""
    values = [value for n, c in outcomes if (value := pass_hat_k(n, c, k)) is not None]
    return sum(values) / len(values) if values else None


def removed_share(before: float, after: float) -> float:
    """Share of tokens removed; negative when the view is larger, 0 for an empty log."""
    return (before - after) / before if before else 0.0


def _last_views(records: Iterable[Record]) -> dict[tuple[str, int], tuple[int, ...]]:
    """Tokens of log, view and budget at the last point with a probe, by case and trial."""
    last: dict[tuple[str, int], tuple[int, ...]] = {}
    for record in records:
        tokens, key = record["tokens"], (case_key(record), record["trial"])
        if tokens:
            budget = record["compaction"].get("budget") or 0
            found = tokens["log"], tokens["view"], budget
            last[key] = max(last.get(key, found), found)
    return last


def budget_share(records: Iterable[Record]) -> Mean | None:
    """Mean share of the budget that views take at the last point with a probe."""
    last = _last_views(r for r in records if r["compaction"].get("budget"))
    return mean_over(clustered((case, v / budget) for (case, _), (_, v, budget) in last.items()))


@dataclass(frozen=True, slots=True)
class Losses:
    """Facts asked for, and how many were dropped or left unused (``None`` without answers)."""

    facts: int
    dropped: int
    unused: int | None
    traps: int
    hit: int
    outcomes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of all logs and of the views that replaced them, summed over cases and trials.

    ``views`` counts these, and ``by_case`` has the tokens removed and before of each case.
    """

    before: int
    after: int
    views: int = 0
    by_case: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    view: Mean | None = None

    @property
    def removed(self) -> float:
        return removed_share(self.before, self.after)

    @property
    def removed_mean(self) -> Mean | None:
        """The share removed with its interval over cases, at most 1; ``None`` without tokens."""
        if not self.before:
            return None
        interval = ratio_interval(self.by_case)
        if interval is not None:
            interval = interval[0], min(interval[1], 1.0)
        units = len(set(map(unit_of, self.by_case)))
        return Mean(self.removed, interval, self.views, len(self.by_case), units)


TOO_FEW: Final = "less than half of the items have a score, and a mean of these would mislead"


@dataclass(frozen=True, slots=True)
class Aggregate:
    """All figures of one strategy; those that are means of scores are missing if ``too_few``."""

    compactor: str
    statuses: Mapping[str, int]
    overall: Mean | None
    dimensions: Mapping[str, Mean]
    passes: Mapping[int, float]
    tokens: Tokens
    losses: Losses
    steps: Mapping[str, int]
    over_budget: int
    compactions: int
    too_few: bool
    stated: Mean | None = None
    """The share of the facts that the views state, as a mean over items (0 to 1)."""
    reading: Source = "view"
    """The source of the scores; see :func:`reading_of`."""
    second: Mean | None = None
    """The overall score of the other reading."""
    listed: int = 0
    passed: Mean | None = None
    """pass^1 with its interval; ``passes`` has it too, without one."""

    @property
    def view_tokens(self) -> float | None:
        return self.tokens.view.value if self.tokens.view else None

    @property
    def items(self) -> int:
        """All items that can have a score, whatever their status."""
        return sum(self.statuses.values()) - self.statuses.get("skipped", 0)

    @property
    def scored(self) -> int:
        return self.statuses.get("passed", 0) + self.statuses.get("failed", 0)


def has_too_few(records: Sequence[Record]) -> bool:
    """Whether some items have a score, but less than half of those that can have one."""
    statuses = Counter(record["status"] for record in records)
    return 0 < 2 * (statuses["passed"] + statuses["failed"]) < len(records) - statuses["skipped"]


def mean_of(records: Iterable[Record], value: Callable[[Record], float | None]) -> Mean | None:
    """Mean of a figure over the records that have it, clustered by case, or ``None``."""
    found = ((case_key(record), value(record)) for record in records)
    return mean_over(clustered((case, each) for case, each in found if each is not None))


def scored(records: Iterable[Record]) -> list[Record]:
    return [record for record in records if record["overall"] is not None]


def overall_mean(records: Sequence[Record]) -> Mean | None:
    return mean_of(records, lambda record: record["overall"])


def _outcomes(records: Iterable[Record]) -> dict[tuple[str, str, str], list[bool]]:
    """Whether each scored trial of an item passed, by case, probe and test."""
    outcomes: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
    for record in scored(records):
        key = (case_key(record), record["probe"], record["item"].partition("[")[0])
        outcomes[key].append(record["status"] == "passed")
    return outcomes


def pass_estimates(records: Iterable[Record]) -> dict[int, float]:
    """pass^k for every k up to the number of trials; unscored items are left out."""
    counts = [(len(values), sum(values)) for values in _outcomes(records).values()]
    most = max((n for n, _ in counts), default=0)
    return {k: mean for k in range(1, most + 1) if (mean := mean_pass_hat_k(counts, k)) is not None}


def pass_mean(records: Iterable[Record]) -> Mean | None:
    """pass^1 with Wilson's interval over cases: the mean over items of passed trials."""
    clusters = clustered(
        (case, sum(values) / len(values)) for (case, *_), values in _outcomes(records).items()
    )
    found = mean_over(clusters)
    return None if found is None else replace(found, interval=proportion_interval(clusters))


def token_totals(records: Iterable[Record]) -> Tokens:
    """Log and view tokens at the last point with a probe, summed over cases and trials."""
    last = _last_views(records)
    removed: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for (case, _), (log, view, _) in last.items():
        less, of = removed[case]
        removed[case] = less + log - view, of + log
    return Tokens(
        before=sum(log for log, *_ in last.values()),
        after=sum(view for _, view, _ in last.values()),
        views=len(last),
        by_case=dict(removed),
        view=mean_over(clustered((case, v) for (case, _), (_, v, _) in last.items())),
    )


def loss_counts(records: Iterable[Record]) -> Losses:
    """Facts and traps over all scored records: how many were dropped, unused or hit."""
    facts = [(fact, reading_of(r)) for r in scored(records) for fact in r["facts"]]
    traps = [trap for record in scored(records) for trap in record["traps"]]
    kinds = Counter(loss(fact["survived"], fact["used"], leads) for fact, leads in facts)
    outcomes = Counter(outcome_of(fact, leads) for fact, leads in facts)
    hit = sum(trap["hit"] for trap in traps)
    unused = None if facts and not any(map(is_answered, (f for f, _ in facts))) else kinds["unused"]
    return Losses(len(facts), kinds["dropped"], unused, len(traps), hit, outcomes)


def aggregate(compactor: str, records: Sequence[Record]) -> Aggregate:
    last = {(r["case"], r["trial"]): r["compaction"] for r in records if r["compaction"]}
    steps: Counter[str] = Counter()
    for compaction in last.values():
        steps.update(compaction["steps"])
    too_few = has_too_few(records)
    scores = () if too_few else records
    dimensions = {name: mean_of(scores, partial(score_of, name=name)) for name in DIMENSIONS}
    listed = [record for record in records if record.get("listed")]
    return Aggregate(
        compactor=compactor,
        statuses=Counter(record["status"] for record in records),
        overall=overall_mean(scores),
        dimensions={name: mean for name, mean in dimensions.items() if mean is not None},
        passes=pass_estimates(scores),
        tokens=token_totals(records),
        losses=loss_counts(records),
        steps=dict(sorted(steps.items())),
        over_budget=len({(r["case"], r["trial"]) for r in records if is_over_budget(r)}),
        compactions=len(last),
        too_few=too_few,
        stated=mean_of(scores, stated_share),
        reading=reading_of(records[0]) if records else "view",
        second=mean_of(scores, second_figure),
        listed=len({(r["case"], r["trial"], (r.get("point") or {}).get("id")) for r in listed}),
        passed=pass_mean(scores),
    )


def by_arm(records: Iterable[Record]) -> dict[str, list[Record]]:
    """Records by strategy, in order of first occurrence; with several budgets also by budget."""
    found = list(records)
    if len(budgets_of(found)) < 2:
        return by_compactor(found)
    return dict(clustered((arm_name(r["compactor"], r.get("budget")), r) for r in found))


def by_compactor(records: Iterable[Record]) -> dict[str, list[Record]]:
    return dict(clustered((record["compactor"], record) for record in records))


def arm_name(compactor: str, budget: Budget | None) -> str:
    """The name of a strategy at a budget, as in the ids of items."""
    return compactor if budget is None else f"{compactor}-b{budget}"


def budgets_of(records: Iterable[Record]) -> list[Budget]:
    """The budgets that took the place of those of the cases: numbers, the smallest first."""
    found = {budget for record in records if (budget := record.get("budget")) is not None}
    return sorted(found, key=lambda budget: (budget == RECORDED, budget))


ORIGINS: Final[tuple[Origin, ...]] = get_args(Origin)


def of_origin(records: Iterable[Record], origin: str) -> list[Record]:
    """The records of real or of scripted cases; runs from before there were real ones say nothing
    and count as scripted.
    """
    return [record for record in records if record.get("origin", "scripted") == origin]


def by_origin(groups: Mapping[str, Sequence[Record]]) -> dict[str, dict[Origin, Aggregate]]:
    """The figures of each strategy over real and over scripted cases; empty without both."""
    every = [record for group in groups.values() for record in group]
    if not all(of_origin(every, origin) for origin in ORIGINS):
        return {}
    return {
        name: {
            origin: aggregate(name, found)
            for origin in ORIGINS
            if (found := of_origin(group, origin))
        }
        for name, group in groups.items()
    }


# By task and by length


@dataclass(frozen=True, slots=True)
class ClassScores:
    """The overall scores of strategies over the cases of one task, or of one class of lengths."""

    kind: Literal["task", "length"]
    name: str
    cases: int
    overall: Mapping[str, Mean | None]


LENGTHS: Final = (
    (32_000, "up to 32,000 tokens"),
    (128_000, "up to 128,000 tokens"),
    (math.inf, "longer"),
)
"""Classes of logs by the tokens until their last compaction."""


def by_class(groups: Mapping[str, Sequence[Record]]) -> list[ClassScores]:
    """Scores by task and by length; nothing of either where all cases are of one class."""
    tasks: dict[str, str] = {}
    longest: dict[str, int] = {}
    for record in (record for group in groups.values() for record in group):
        case, log = record["case"], (record.get("tokens") or {}).get("log", 0)
        tasks[case] = record.get("task") or "other"
        longest[case] = max(longest.get(case, 0), log)
    lengths = {c: next(name for most, name in LENGTHS if n <= most) for c, n in longest.items()}
    kinds: tuple[tuple[Literal["task", "length"], dict[str, str], list[str]], ...] = (
        ("task", tasks, sorted(set(tasks.values()))),
        ("length", lengths, [name for _, name in LENGTHS if name in lengths.values()]),
    )
    found = []
    for kind, of_case, names in kinds:
        for name in names if len(names) > 1 else ():
            parts = {
                strategy: [record for record in group if of_case[record["case"]] == name]
                for strategy, group in groups.items()
            }
            scores = {s: None if has_too_few(p) else overall_mean(p) for s, p in parts.items()}
            found.append(ClassScores(kind, name, list(of_case.values()).count(name), scores))
    return found
