"""How far two runs agree, the two readings of a run, and the judges of a run; from records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Final

from pytest_compaction.metrics.agreement.raters import (
    kendall_tau_b,
    spearman,
    weighted_kappa,
)
from pytest_compaction.metrics.facts.survival import Source
from pytest_compaction.metrics.item_figures import Record, outcome_of, reading_of, second_figure
from pytest_compaction.metrics.statistics.cluster_interval import cluster_interval
from pytest_compaction.metrics.statistics.jackknife import jackknife_interval
from pytest_compaction.rubric import DIMENSIONS
from pytest_compaction.settings import CONTROL

LEAST: Final = 3
"""The fewest pairs for which a figure of agreement is given."""
LEAST_STRATEGIES: Final = 3

Pair = tuple[float, float]
Pairs = Mapping[str, Sequence[Pair]]
"""What two sides say of the same things, by case."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of agreement.

    ``of`` says what was compared, ``measure`` how. ``value`` is ``None`` if the figure is
    not defined, and ``undefined`` then says why. ``interval`` is the 95 % interval over
    cases. ``count`` is the number of things compared.
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
    figures: tuple[Figure, ...]
    left_out: Mapping[str, int]


def of_runs(first: Sequence[Record], second: Sequence[Record], names: tuple[str, str]) -> Agreement:
    """Two runs over the same items: scores, dimensions, facts and the ranking of strategies."""
    pairs, left_out = paired(first, second)
    overall = _clustered(pairs, lambda record: record["overall"])
    figures = [*_scores("scores of items", overall)]
    for name in DIMENSIONS:
        values = _clustered(pairs, partial(_dimension, name))
        if values:
            figures += [_ranked(name, values), _difference(name, values)]
    facts = _facts((a, reading_of(a), b, reading_of(b)) for a, b in pairs)
    figures += [_kappa("facts stated", facts), _ranking(pairs)]
    return Agreement(*names, tuple(figures), left_out)


def of_readings(records: Sequence[Record]) -> Agreement | None:
    """What the view states against what the answer scores, in one run, without the control.

    ``None`` if no item has both figures.
    """
    compared = [record for record in records if record["compactor"] != CONTROL]
    both = [record for record in compared if second_figure(record) is not None]
    if not both:
        return None
    overall: dict[str, list[Pair]] = defaultdict(list)
    for record in both:
        view, answer = record["overall"], second_figure(record) or 0.0
        if reading_of(record) == "answer":
            view, answer = answer, view
        overall[record["case"]].append((view, answer))
    facts = _facts((record, "view", record, "answer") for record in both)
    figures = (*_scores("scores of items", overall), _kappa("facts stated", facts))
    without = len(compared) - len(both)
    return Agreement(
        "view", "answer", figures, {"without both figures": without} if without else {}
    )


def of_judges(records: Sequence[Record]) -> list[Agreement]:
    """Each two judges of a run with several, or two judgements of one, on the same answers."""
    panels = [(record["case"], record["judges"]) for record in records if record.get("judges")]
    names = list(dict.fromkeys(judge["name"] for _, judges in panels for judge in judges))
    found = []
    for first, second in combinations(names, 2):
        items: dict[str, list[Pair]] = defaultdict(list)
        criteria: dict[str, list[Pair]] = defaultdict(list)
        for case, judges in panels:
            said = {judge["name"]: judge for judge in judges}
            if first not in said or second not in said:
                continue
            one, other = said[first], said[second]
            if one["overall"] is not None and other["overall"] is not None:
                items[case].append((one["overall"], other["overall"]))
            for name in sorted(one["criteria"].keys() & other["criteria"].keys()):
                criteria[case].append((one["criteria"][name], other["criteria"][name]))
        figures = (*_scores("scores of items", items), *_scores("scores of criteria", criteria))
        found.append(Agreement(first, second, figures, {}))
    return found


def paired(
    first: Iterable[Record], second: Iterable[Record]
) -> tuple[list[tuple[Record, Record]], dict[str, int]]:
    """The items that both runs scored, and how many were left out for which reason.

    Those of the control are left out: from the whole log nearly everything is known, and both
    sides would agree on it for free.
    """
    others = {_key(record): record for record in second}
    left_out: dict[str, int] = defaultdict(int)
    pairs = []
    matched = 0
    for record in first:
        other = others.get(_key(record))
        if other is None:
            left_out["in the first run only"] += 1
            continue
        matched += 1
        if record["compactor"] == CONTROL:
            left_out["of the control"] += 1
            continue
        if record["hashes"]["case"] != other["hashes"]["case"]:
            left_out["of another version of their case"] += 1
        elif record["overall"] is None or other["overall"] is None:
            left_out["without a score in both"] += 1
        else:
            pairs.append((record, other))
    if len(others) > matched:
        left_out["in the second run only"] = len(others) - matched
    return pairs, dict(left_out)


def _key(record: Record) -> tuple[str, int, str, str, int]:
    budget = record.get("budget") or 0
    return record["compactor"], budget, record["case"], record["probe"], record["trial"]


def _clustered(
    pairs: Iterable[tuple[Record, Record]], value: Callable[[Record], float | None]
) -> Pairs:
    found: dict[str, list[Pair]] = defaultdict(list)
    for first, second in pairs:
        one, other = value(first), value(second)
        if one is not None and other is not None:
            found[first["case"]].append((one, other))
    return found


def _dimension(name: str, record: Record) -> float | None:
    score: float | None = record["dimensions"].get(name)
    return score


def _facts(sides: Iterable[tuple[Record, Source, Record, Source]]) -> Pairs:
    """For each fact whether the two sides state it, 1 or 0."""
    found: dict[str, list[Pair]] = defaultdict(list)
    for first, reads, second, other_reads in sides:
        for one, other in zip(first["facts"], second["facts"], strict=False):
            if one["text"] == other["text"]:
                stated = (
                    outcome_of(one, reads) == "stated",
                    outcome_of(other, other_reads) == "stated",
                )
                found[first["case"]].append((float(stated[0]), float(stated[1])))
    return found


def _scores(of: str, pairs: Pairs) -> Iterator[Figure]:
    yield _kappa(of, pairs)
    yield _ranked(of, pairs)
    yield _difference(of, pairs)


def _kappa(of: str, pairs: Pairs) -> Figure:
    return _figure(of, "kappa", pairs, weighted_kappa)


def _ranked(of: str, pairs: Pairs) -> Figure:
    return _figure(of, "Spearman", pairs, spearman)


def _difference(of: str, pairs: Pairs) -> Figure:
    """The mean of the second side minus that of the first."""
    groups = {case: [b - a for a, b in values] for case, values in pairs.items()}
    values = [value for group in groups.values() for value in group]
    mean = sum(values) / len(values) if values else None
    cases = len(groups)
    return Figure(
        of, "difference", mean, cluster_interval(groups), len(values), cases, _why(values, 1)
    )


def _figure(
    of: str, measure: str, pairs: Pairs, statistic: Callable[[Sequence[Pair]], float | None]
) -> Figure:
    values = [pair for group in pairs.values() for pair in group]
    enough = len(values) >= LEAST
    value = statistic(values) if enough else None
    interval = _within(jackknife_interval(pairs, statistic)) if value is not None else None
    why = "" if value is not None else _why(values, LEAST) or _constant(values)
    return Figure(of, measure, value, interval, len(values), len(pairs), why)


def _ranking(pairs: Iterable[tuple[Record, Record]]) -> Figure:
    """Kendall's tau-b of the strategies' mean scores."""
    clusters: dict[str, list[tuple[str, Pair]]] = defaultdict(list)
    for first, second in pairs:
        budget = first.get("budget") or ""
        said = (first["overall"], second["overall"])
        clusters[first["case"]].append((f"{first['compactor']} {budget}", said))
    everything = [value for values in clusters.values() for value in values]
    strategies = len({name for name, _ in everything})
    means = _means(everything)
    value = kendall_tau_b(means) if strategies >= LEAST_STRATEGIES else None
    interval = None
    if value is not None:
        interval = _within(jackknife_interval(clusters, lambda kept: kendall_tau_b(_means(kept))))
    why = "" if value is not None else _why(means, LEAST_STRATEGIES) or _constant(means)
    return Figure(
        "ranking of strategies", "Kendall", value, interval, strategies, len(clusters), why
    )


def _means(values: Iterable[tuple[str, Pair]]) -> list[Pair]:
    """The mean scores of each strategy on both sides."""
    by_name: dict[str, list[Pair]] = defaultdict(list)
    for name, pair in values:
        by_name[name].append(pair)
    return [
        (sum(a for a, _ in found) / len(found), sum(b for _, b in found) / len(found))
        for _, found in sorted(by_name.items())
    ]


def _within(interval: Pair | None) -> Pair | None:
    """An interval of a coefficient, within -1 and 1."""
    return None if interval is None else (max(interval[0], -1.0), min(interval[1], 1.0))


def _why(values: Sequence[object], least: int) -> str:
    if len(values) >= least:
        return ""
    return f"not defined: {len(values)} to compare, and it takes at least {least}"


def _constant(values: Sequence[Pair]) -> str:
    for side, name in enumerate(("first", "second")):
        if len({pair[side] for pair in values}) == 1:
            return f"not defined: the {name} always says {values[0][side]:.4g}"
    return "not defined"
