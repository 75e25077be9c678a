"""How far two raters agree on scores, and two runs on items."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import correlation, fmean, variance
from typing import Any, Final

from pytest_compaction.metrics.aggregates import (
    answer_figure,
    outcome_of,
    reading_of,
    second_figure,
    survival,
)
from pytest_compaction.metrics.intervals import (
    case_key,
    cluster_interval,
    clustered,
    jackknife_interval,
)
from pytest_compaction.metrics.readings import Source
from pytest_compaction.record import Record
from pytest_compaction.rubric import DIMENSIONS
from pytest_compaction.settings import CONTROL


def krippendorff_alpha(units: Iterable[Sequence[float | None]]) -> float | None:
    """Krippendorff's alpha for interval data, 1 - D_o / D_e; missing values are allowed.

    A unit holds a value for each judge, or ``None``; one with fewer than two values is left out.
    ``None`` if no unit has two values, or all are equal. Source: Krippendorff, "Computing
    Krippendorff's Alpha-Reliability" (2011), sections C and D.
    """
    given = ([value for value in unit if value is not None] for unit in units)
    comparable = [values for values in given if len(values) > 1]
    everything = [value for values in comparable for value in values]
    if len(set(everything)) < 2:
        return None
    observed = math.fsum(len(values) * variance(values) for values in comparable)
    return 1.0 - observed / len(everything) / variance(everything)


def weighted_kappa(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Kappa of two raters with quadratic weights (-1 to 1); Cohen's kappa for values of 0 and 1.

    The values need no categories: it is Lin's coefficient of concordance (1989). ``None`` if a
    rater always said the same. Source: Fleiss and Cohen, "The equivalence of weighted kappa and the
    intraclass correlation coefficient as measures of reliability" (1973).
    """
    import numpy as np

    if not pairs or any(len(set(side)) < 2 for side in zip(*pairs, strict=True)):
        return None
    sides = np.array(pairs, dtype=float).T
    (first, both), (_, second) = np.cov(sides, bias=True)
    apart = sides[0].mean() - sides[1].mean()
    return float(2 * both / (first + second + apart**2))


def spearman(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Spearman's rank correlation with mean ranks for ties; ``None`` if one side is constant."""
    import numpy as np

    ranks = []
    for side in zip(*pairs, strict=True):
        _, place, counts = np.unique(side, return_inverse=True, return_counts=True)
        if len(counts) < 2:
            return None
        ranks.append((counts.cumsum() - (counts - 1) / 2)[place].tolist())
    return correlation(*ranks) if ranks else None


def kendall_tau_b(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Kendall's tau-b, corrected for ties, in quadratic time; ``None`` if one side is constant."""
    surplus = 0
    told = [0, 0]
    for (a, b), (c, d) in combinations(pairs, 2):
        first, second = (a > c) - (a < c), (b > d) - (b < d)
        surplus += first * second
        told[0] += first != 0
        told[1] += second != 0
    return surplus / math.sqrt(told[0] * told[1]) if all(told) else None


LEAST: Final = 3
"""The fewest pairs, or strategies, for which a figure of agreement is given."""

_TOO_FEW: Final = "not defined: {} to compare, and it takes at least {}"
Pair = tuple[float, float]
Pairs = Mapping[str, Sequence[Pair]]


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One figure of agreement: ``of`` what and by which ``measure``, with its interval over cases.

    ``undefined`` says why a ``value`` is ``None``; ``count`` is the number of things compared.
    """

    of: str
    measure: str
    value: float | None
    interval: tuple[float, float] | None
    count: int
    cases: int
    undefined: str = ""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The figures for two sides, and how many items each reason left out."""

    first: str
    second: str
    figures: tuple[Coefficient, ...]
    left_out: Mapping[str, int]


def of_runs(first: Sequence[Record], second: Sequence[Record], names: tuple[str, str]) -> Agreement:
    """Two runs over the same items: scores, dimensions, facts and the ranking of strategies.

    Not the control: it knows nearly everything, and both sides would agree on it for free.
    """
    pairs, left_out = _paired(first, second)
    overall = clustered((case_key(a), (a["overall"] or 0.0, b["overall"] or 0.0)) for a, b in pairs)
    figures = _of_scores("scores of items", overall)
    for name in DIMENSIONS:
        values = clustered(
            (case_key(a), (one, other))
            for a, b in pairs
            if (one := a["dimensions"].get(name)) is not None
            and (other := b["dimensions"].get(name)) is not None
        )
        if values:
            figures += [_figure(name, "Spearman", values, spearman), _difference(name, values)]
    facts = _facts((a, reading_of(a), b, reading_of(b)) for a, b in pairs)
    figures.append(_figure("facts stated", "kappa", facts, weighted_kappa))
    arms = clustered(
        (
            case_key(a),
            (
                f"{a['compactor']} {a.get('budget') or ''}",
                (a["overall"] or 0.0, b["overall"] or 0.0),
            ),
        )
        for a, b in pairs
    )

    def means(values: Iterable[tuple[str, Pair]]) -> list[Pair]:
        return [
            (fmean(a for a, _ in found), fmean(b for _, b in found))
            for _, found in sorted(clustered(values).items())
        ]

    figures.append(_figure("ranking of strategies", "Kendall", arms, kendall_tau_b, means))
    return Agreement(*names, tuple(figures), left_out)


def of_readings(records: Sequence[Record]) -> Agreement | None:
    """The views of one run against its answers, without the control; ``None`` without both."""
    compared = [record for record in records if record["compactor"] != CONTROL]
    both = [record for record in compared if second_figure(record) is not None]
    if not both:
        return None
    scores = clustered((case_key(r), (survival(r) or 0.0, answer_figure(r) or 0.0)) for r in both)
    facts = _facts((record, "view", record, "answer") for record in both)
    figures = _of_scores("scores of items", scores)
    figures.append(_figure("facts stated", "kappa", facts, weighted_kappa))
    without = len(compared) - len(both)
    left_out = {"without both figures": without} if without else {}
    return Agreement("view", "answer", tuple(figures), left_out)


def of_judges(records: Sequence[Record]) -> list[Agreement]:
    """Each two judges of a run with several, or two judgements of one, on the same answers."""
    panels = [
        (case_key(record), {judge["name"]: judge for judge in record["judges"]})
        for record in records
        if record.get("judges")
    ]
    names = list(dict.fromkeys(name for _, said in panels for name in said))
    found = []
    for first, second in combinations(names, 2):
        both = [
            (case, said[first], said[second])
            for case, said in panels
            if {first, second} <= said.keys()
        ]
        items = clustered(
            (case, (one["overall"], other["overall"]))
            for case, one, other in both
            if one["overall"] is not None and other["overall"] is not None
        )
        criteria = clustered(
            (case, (one["criteria"][name], other["criteria"][name]))
            for case, one, other in both
            for name in sorted(one["criteria"].keys() & other["criteria"].keys())
        )
        figures = _of_scores("scores of items", items) + _of_scores("scores of criteria", criteria)
        found.append(Agreement(first, second, tuple(figures), {}))
    return found


def _paired(
    first: Iterable[Record], second: Iterable[Record]
) -> tuple[list[tuple[Record, Record]], dict[str, int]]:
    """The items that both runs scored, and how many were left out for which reason."""

    def key(record: Record) -> tuple[str, str, str, str, int]:
        budget = str(record.get("budget"))
        return record["compactor"], budget, record["case"], record["probe"], record["trial"]

    others = {key(record): record for record in second}
    left_out: Counter[str] = Counter()
    pairs, matched = [], 0
    for record in first:
        other = others.get(key(record))
        matched += other is not None
        if other is None:
            left_out["in the first run only"] += 1
        elif record["compactor"] == CONTROL:
            left_out["of the control"] += 1
        elif record["hashes"]["case"] != other["hashes"]["case"]:
            left_out["of another version of their case"] += 1
        elif record["overall"] is None or other["overall"] is None:
            left_out["without a score in both"] += 1
        else:
            pairs.append((record, other))
    if len(others) > matched:
        left_out["in the second run only"] = len(others) - matched
    return pairs, dict(left_out)


def _facts(sides: Iterable[tuple[Record, Source, Record, Source]]) -> Pairs:
    """For each fact whether the two sides state it, 1 or 0."""
    return clustered(
        (
            case_key(first),
            (
                float(outcome_of(one, reads) == "stated"),
                float(outcome_of(other, other_reads) == "stated"),
            ),
        )
        for first, reads, second, other_reads in sides
        for one, other in zip(first["facts"], second["facts"], strict=False)
        if one["text"] == other["text"]
    )


def _of_scores(of: str, pairs: Pairs) -> list[Coefficient]:
    return [
        _figure(of, "kappa", pairs, weighted_kappa),
        _figure(of, "Spearman", pairs, spearman),
        _difference(of, pairs),
    ]


def _difference(of: str, pairs: Pairs) -> Coefficient:
    groups = {case: [b - a for a, b in values] for case, values in pairs.items()}
    values = [value for group in groups.values() for value in group]
    mean = sum(values) / len(values) if values else None
    counts = len(values), len(groups)
    why = "" if values else _TOO_FEW.format(0, 1)
    return Coefficient(of, "difference", mean, cluster_interval(groups), *counts, why)


def _figure(
    of: str,
    measure: str,
    clusters: Mapping[str, Sequence[Any]],
    statistic: Callable[[Sequence[Pair]], float | None],
    pairs_of: Callable[[Iterable[Any]], list[Pair]] = list,
) -> Coefficient:
    """A coefficient of the pairs that values make, with its interval within -1 and 1."""
    whole = pairs_of(value for group in clusters.values() for value in group)
    interval, why = None, _TOO_FEW.format(len(whole), LEAST) if len(whole) < LEAST else ""
    value = None if why else statistic(whole)
    if value is None:
        said = [len({pair[side] for pair in whole}) == 1 for side in (0, 1)]
        name = "first" if said[0] else "second"
        always = f": the {name} always says {whole[0][not said[0]]:.4g}" if any(said) else ""
        why = why or f"not defined{always}"
    elif found := jackknife_interval(clusters, lambda kept: statistic(pairs_of(kept))):
        interval = max(found[0], -1.0), min(found[1], 1.0)
    return Coefficient(of, measure, value, interval, len(whole), len(clusters), why)
