"""How often statistics are right, over drawn runs: ``python -m tests.benchmarks statistics``.

Cases are drawn from the scores of a real run (``tests/calibration/case_scores``, or ``--run``):
how often intervals cover the true mean, how often two runs without a difference give an alarm,
and how often a planted difference is found. Seeded, so that the same code prints the same.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from calibration.drawn_runs import (
    MIXED,
    SCORES,
    Population,
    Scores,
    clusters_of,
    differences,
    draw,
    load_scores,
    passes,
    populations,
    scores_of,
    without_difference,
)
from calibration.interval_methods import Bounds, compared_intervals
from scipy.special import nctdtr, stdtrit

from pytest_compaction.metrics import (
    cluster_interval,
    compare,
    holm,
    noncentrality,
    proportion_interval,
)
from pytest_compaction.records import load_run

CASES = (8, 12, 24, 40)
SHIFT = 0.3
LEVEL = 0.05
STRATEGIES = 4
DIFFERING = {"compactions and answers": MIXED, "answers": ("anchored",)}
"""In what two runs alike differ: each case took one of three strategies, or all the same."""
SEED = 20261127


def main(arguments: Sequence[str]) -> None:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks statistics")
    parser.description = __doc__
    parser.add_argument("--runs", type=int, default=2000, help="drawn runs for each row")
    parser.add_argument("--run", type=Path, help="a run file with the scores to draw from")
    parser.add_argument("--keep", action="store_true", help=f"keep its scores in {SCORES.name}")
    chosen = parser.parse_args(arguments)
    scores = scores_of(load_run(chosen.run).records) if chosen.run else load_scores()
    if chosen.keep:
        SCORES.write_text(f"{json.dumps(scores, sort_keys=True)}\n", "utf-8")
    source = np.random.default_rng(SEED)
    drawn_from = populations(scores)
    sections = (
        _coverage(drawn_from, chosen.runs, source),
        _pass_coverage(drawn_from, chosen.runs, source),
        _alarms(scores, chosen.runs, source),
    )
    for section in sections:
        sys.stdout.write("\n".join(section) + "\n\n")


def _coverage(
    drawn_from: Sequence[Population], runs: int, source: np.random.Generator
) -> Iterator[str]:
    """How often each 95 % interval covers the true mean, and how wide it is in the median."""
    yield f"Mean: % of {runs:,} intervals that cover, and their median width.\n"
    heads: list[str] = []
    for population in drawn_from:
        for cases in CASES:
            totals, sizes = draw(population, runs, cases, source)
            found = {
                "in use": _bounds(cluster_interval, totals, sizes),
                **compared_intervals(totals, sizes, source),
            }
            if not heads:
                heads = list(found)
                yield from _head("scores", "cases", *heads)
            cells = (_covered(found[name], population.mean) for name in heads)
            yield _row(population.name, cases, *cells)


def _pass_coverage(
    drawn_from: Sequence[Population], runs: int, source: np.random.Generator
) -> Iterator[str]:
    """The same for Pass^1."""
    yield f"Pass^1: % of {runs:,} intervals that cover, and their median width.\n"
    yield from _head("scores", "Pass^1", "cases", "Wilson, in use", "t")
    for population in map(passes, drawn_from):
        for cases in CASES:
            totals, sizes = draw(population, runs, cases, source)
            own = _bounds(proportion_interval, totals, sizes)
            other = compared_intervals(totals, sizes, source)["t"]
            cells = (_covered(bounds, population.mean) for bounds in (own, other))
            yield _row(population.name, f"{population.mean:.2f}", cases, *cells)


def _alarms(scores: Scores, runs: int, source: np.random.Generator) -> Iterator[str]:
    """Alarms of two runs without a difference, of several, and what a planted one gives."""
    yield (
        f"{runs:,} pairs of runs: % with p <= {LEVEL} without a difference; % with any alarm among"
        f" {STRATEGIES} alike, with Holm's correction; % with p <= {LEVEL} if a difference of"
        f" {SHIFT} is planted, and the power that the noncentral t states for it; and the"
        " difference for which 80 % are stated, with the % that find it.\n"
    )
    found = ("alarms", "alarms, Holm", f"{SHIFT} found", "stated", "detectable", "found")
    yield from _head("runs differ by", "cases", *found)
    for name, mixed in DIFFERING.items():
        for cases in (8, 12, 24, 40):
            drawn = []
            for _ in range(runs):
                sides = without_difference(scores, cases, source, STRATEGIES, mixed)
                drawn.append([differences(one, two) for one, two in combinations(sides, 2)])
            yield _row(name, cases, *_rates(drawn, cases))


def _rates(drawn: Sequence[Sequence[dict[str, list[float]]]], cases: int) -> Iterator[str]:
    values = [[compare(found).p for found in pairs] for pairs in drawn]
    yield _percent(pairs[0] <= LEVEL for pairs in values)
    yield _percent(any(value <= LEVEL for value in holm(pairs)) for pairs in values)
    firsts = [pairs[0] for pairs in drawn]
    error = float(np.std([compare(found).difference.value for found in firsts]))
    freedom = cases - 1
    yield _found(firsts, SHIFT)
    yield f"{100 * (1 - nctdtr(freedom, SHIFT / error, stdtrit(freedom, 1 - LEVEL / 2))):.1f}"
    detectable = noncentrality(freedom, 0.8, LEVEL) * error
    yield f"{detectable:.2f}"
    yield _found(firsts, detectable)


def _found(drawn: Iterable[Mapping[str, Sequence[float]]], shift: float) -> str:
    """How often a difference is found that is planted in every item."""
    planted = (
        {case: [value + shift for value in values] for case, values in found.items()}
        for found in drawn
    )
    return _percent(compare(found).p <= LEVEL for found in planted)


def _percent(outcomes: Iterable[bool]) -> str:
    return f"{100 * np.mean(list(outcomes)):.1f}"


def _bounds(interval, totals, sizes) -> Bounds:
    """The bounds of a public function, run by run."""
    found = [interval(clusters_of(*run)) for run in zip(totals, sizes, strict=True)]
    low, high = np.array(found).T
    return low, high


def _covered(bounds: Bounds, mean: float) -> str:
    low, high = bounds
    share = 100 * np.mean((low <= mean) & (mean <= high))
    width = np.median(high - low)
    return f"{share:.1f} · {width:.2f}" if np.isfinite(width) else f"{share:.1f} · no end"


def _head(*names: str) -> Iterator[str]:
    yield _row(*names)
    yield "|---" * len(names) + "|"


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"
