"""Items of two strategies or runs in pairs, and strategies against each other and the nulls."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Final, Literal

from pytest_compaction.metrics.aggregates import survival
from pytest_compaction.metrics.comparisons import (
    Paired,
    compare,
    fewest_cases,
    holm,
    letters,
)
from pytest_compaction.metrics.figures import events_of, figure_of
from pytest_compaction.metrics.intervals import (
    Mean,
    case_key,
    clustered,
    mean_over,
    unit_of,
)
from pytest_compaction.record import Record
from pytest_compaction.settings import CONTROL

ItemKey = tuple[str, str, int, str]


def pair_items(first: Sequence[Record], second: Sequence[Record]) -> list[tuple[Record, Record]]:
    """Pair the last records of the same case, probe, trial and budget."""
    one, other = _by_key(first), _by_key(second)
    return [(one[key], other[key]) for key in one if key in other]


def paired_difference(
    first: Sequence[Record], second: Sequence[Record], figure: str = "overall"
) -> Paired | None:
    return compare(differences_by_case(first, second, figure))


def figures_by_item(records: Iterable[Record], figure: str) -> dict[ItemKey, float]:
    """One figure of every item that has it, sorted by item; NaN is no figure."""
    found = {key: figure_of(record, figure) for key, record in _by_key(records).items()}
    return {
        key: value for key, value in found.items() if value is not None and math.isfinite(value)
    }


def differences_by_case(
    first: Sequence[Record], second: Sequence[Record], figure: str = "overall"
) -> dict[str, list[float]]:
    """The second side less the first, for each item that has the figure on both, by case."""
    one, other = figures_by_item(first, figure), figures_by_item(second, figure)
    keys = case_keys(first, second)
    return clustered((keys[key[0]], other[key] - one[key]) for key in one if key in other)


def case_keys(*sides: Iterable[Record]) -> dict[str, str]:
    """The name of each case in intervals; older records do not know the project of theirs."""
    records = [record for side in sides for record in side]
    return {r["case"]: case_key(r) for r in sorted(records, key=lambda r: bool(r.get("project")))}


def _by_key(records: Iterable[Record]) -> dict[ItemKey, Record]:
    keyed = {
        (record["case"], record["probe"], record["trial"], str(record.get("budget"))): record
        for record in records
    }
    return dict(sorted(keyed.items(), key=lambda pair: pair[0]))


def with_same_views(groups: Mapping[str, Sequence[Record]]) -> list[list[str]]:
    """The names of the strategies; where rules summarise, those with the same views together.

    The summariser did not read what these differ in, such as a prompt.
    """
    words = {name: words_in(records) for name, records in groups.items()}
    found: dict[object, list[str]] = {}
    for name, records in groups.items():
        hashes = [(r, each if isinstance(each := r.get("hashes"), dict) else {}) for r in records]
        views = frozenset(
            (r["case"], r["probe"], r["trial"], str(of.get("prompt") or "")) for r, of in hashes
        )
        by_rules = words[name] == "rules" and name != CONTROL and "live" not in words.values()
        is_known = all(digest for *_, digest in views)
        found.setdefault(views if by_rules and is_known else name, []).append(name)
    return list(found.values())


LEVEL: Final = 0.05
"""Holm-corrected p up to which two strategies differ."""


@dataclass(frozen=True, slots=True)
class StrategyPair:
    """Two strategies: the second score less the first, and its p corrected for all pairs."""

    first: str
    second: str
    paired: Paired
    holm: float | None

    @property
    def differ(self) -> bool:
        return self.holm is not None and self.holm <= LEVEL


@dataclass(frozen=True, slots=True)
class StrategyComparison:
    """Every two strategies of a run, the best first, and their letters, empty below six cases."""

    pairs: tuple[StrategyPair, ...]
    letters: Mapping[str, str]


def compare_strategies(groups: Mapping[str, Sequence[Record]]) -> StrategyComparison:
    """Compare the overall scores of all strategies with any, but not the control and those
    :func:`with_other_words`.
    """
    apart = with_other_words(groups)
    scores = {
        name: found
        for name, group in groups.items()
        if name not in apart
        and not any(record["compactor"] == CONTROL for record in group)
        and (found := figures_by_item(group, "overall"))
    }
    ranked = sorted(scores, key=lambda name: (-fmean(scores[name].values()), name))
    keys = case_keys(*groups.values())
    differences = {}
    for first, second in combinations(ranked, 2):
        one, other = scores[first], scores[second]
        shared = ((keys[key[0]], other[key] - one[key]) for key in one if key in other)
        if (paired := compare(clustered(shared))) is not None:
            differences[first, second] = paired
    corrected = holm([paired.p for paired in differences.values()])
    pairs = [
        StrategyPair(*names, paired, p)
        for (names, paired), p in zip(differences.items(), corrected, strict=True)
    ]
    differ = {(pair.first, pair.second) for pair in pairs if pair.differ}
    shown = letters(ranked, lambda a, b: (a, b) in differ)
    units = {unit_of(keys[key[0]]) for found in scores.values() for key in found}
    if len(units) < fewest_cases(LEVEL):
        shown = dict.fromkeys(ranked, "")
    return StrategyComparison(tuple(pairs), shown)


def with_other_words(groups: Mapping[str, Sequence[Record]]) -> frozenset[str]:
    """The strategies that are compared with none.

    Their summaries have other writers than those that are compared: recorded words where there are
    any, else those of the first strategy that has a writer. Or another reader than that of the
    first strategy read their views.
    """
    words = {name: words_in(group) for name, group in groups.items()}
    readers = {name: reader_in(group) for name, group in groups.items()}
    first = next(iter(readers.values()), None)
    apart = {name for name, reader in readers.items() if reader != first}
    writers = [whose for whose in words.values() if whose]
    kept = "recorded" if "recorded" in writers else next(iter(writers), None)
    apart |= {name for name, whose in words.items() if whose not in {None, kept}}
    return frozenset(apart)


def words_in(records: Iterable[Record]) -> str | None:
    """Who wrote the summaries of a strategy; ``None`` where no model was asked."""
    return next((words for record in records if (words := record.get("words"))), None)


def reader_in(records: Iterable[Record]) -> str | None:
    """The model that read the views of a strategy; ``None`` where rules did."""
    return next((record["reader"] for record in records if "reader" in record), None)


def stale_summaries(records: Sequence[Record]) -> int:
    """How many recorded summaries answer another request than the one that would be sent now.

    An item without a score for that reason counts as one.
    """
    measured = sum((event.get("flaws") or {}).get("stale", 0) for event in events_of(records))
    return measured + sum("stale" in record for record in records)


NULLS: Final = ("anchors", "random", "said-only", "window")

Result = Literal["beats", "does not beat", "is beaten by", "cannot be told from"]


@dataclass(frozen=True, slots=True)
class NullComparison:
    """A strategy and the null that survives best in as many tokens: their mean difference."""

    null: str
    difference: Mean
    tokens: tuple[float, float]

    @property
    def result(self) -> Result:
        """The verdict of the interval; fewer than six cases have none."""
        if self.difference.interval is None:
            return "cannot be told from"
        low, high = self.difference.interval
        return "beats" if low > 0 else "is beaten by" if high < 0 else "does not beat"


def best_null(records: Sequence[Record]) -> NullComparison | None:
    """The comparison with the null of the highest mean, paired by item, if there is any."""
    paired = [(r, own) for r in records if r.get("nulls") and (own := survival(r)) is not None]
    if not paired:
        return None
    # Records of older versions may know fewer of them.
    names = sorted(set.intersection(*(set(record["nulls"]) for record, _ in paired)))
    means = {name: fmean(r["nulls"][name]["overall"] for r, _ in paired) for name in names}
    best = max(names, key=lambda name: (means[name], name))
    found = mean_over(
        clustered((case_key(r), own - r["nulls"][best]["overall"]) for r, own in paired)
    )
    if found is None:
        return None
    own = fmean(r["tokens"]["view"] for r, _ in paired)
    return NullComparison(best, found, (own, fmean(r["nulls"][best]["tokens"] for r, _ in paired)))


def is_null(compactor: str) -> bool:
    """Whether a strategy is a shipped null, with any parameters."""
    return compactor.partition(":")[0] in NULLS
