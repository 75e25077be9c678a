"""Runs drawn from the scores of a real one, to see how often statistics are right.

A population is one list of scores for each case of a strategy. A drawn run takes cases with
replacement, and items of each case with replacement, so that the true mean is known.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

SCORES: Final = Path(__file__).with_name("case_scores") / "scores.json"
PASS_SCORE: Final = 3.5
MIXED: Final = ("anchored", "regenerate", "said-only")
"""The strategies of which each case of a run without a true difference takes one."""
REDRAWN: Final = 0.2
"""The share of items that such a run scores anew, as a model that is asked again would."""

Floats = NDArray[np.float64]
Scores = Mapping[str, Mapping[str, Sequence[float]]]
"""The scores of each item by strategy and case; the items of a case are in the same order."""


@dataclass(frozen=True)
class Population:
    """Cases to draw from: a row of ``scores`` a case, of which the first ``sizes`` count.

    With ``uneven`` a drawn case has 1 to all of its items, else all.
    """

    name: str
    scores: Floats
    sizes: NDArray[np.int64]
    uneven: bool = False

    @property
    def mean(self) -> float:
        """The true mean: a case counts by how many items it has on average."""
        weights = (1 + self.sizes) / 2 if self.uneven else self.sizes
        means = self.scores.sum(1) / self.sizes
        return float((weights * means).sum() / weights.sum())


def load_scores(path: Path = SCORES) -> Scores:
    """The scores that are kept here."""
    return json.loads(path.read_text("utf-8"))


def scores_of(records: Iterable[Mapping[str, Any]]) -> Scores:
    """The scores of a run's records; items that a strategy has no score for are left out."""
    found: dict[str, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for record in records:
        if record.get("overall") is not None:
            found[record["compactor"]][record["case"]][record["probe"]] = record["overall"]
    return {
        strategy: {case: [items[probe] for probe in sorted(items)] for case, items in cases.items()}
        for strategy, cases in found.items()
    }


def populations(scores: Scores) -> list[Population]:
    """Ordinary scores, floor-heavy ones, and these turned round; sizes as they are and uneven."""
    ordinary = list(scores["anchored"].values())
    floor = list(scores["truncate"].values())
    ceiling = [[5 - score for score in case] for case in floor]
    named = {"ordinary": ordinary, "floor-heavy": floor, "ceiling-heavy": ceiling}
    return [
        population_of(f"{name}, {sizes}", cases, uneven=uneven)
        for name, cases in named.items()
        for sizes, uneven in (("sizes as they are", False), ("uneven sizes", True))
    ]


def population_of(name: str, cases: Sequence[Sequence[float]], *, uneven: bool) -> Population:
    """A population from the scores of each case."""
    sizes = np.array([len(case) for case in cases])
    rows = np.zeros((len(cases), int(sizes.max())))
    for number, case in enumerate(cases):
        rows[number, : len(case)] = case
    return Population(name, rows, sizes, uneven)


def passes(population: Population) -> Population:
    """Whether each item passes, 1 or 0, in place of its score."""
    inside = np.arange(population.scores.shape[1]) < population.sizes[:, None]
    flags = ((population.scores >= PASS_SCORE) & inside).astype(float)
    return Population(population.name, flags, population.sizes, population.uneven)


def draw(
    population: Population, runs: int, cases: int, source: np.random.Generator
) -> tuple[Floats, Floats]:
    """Totals and sizes of the cases of many runs: a row a run, a column a case."""
    chosen = source.integers(0, len(population.sizes), (runs, cases))
    sizes = population.sizes[chosen]
    width = population.scores.shape[1]
    picked = (source.random((runs, cases, width)) * sizes[..., None]).astype(int)
    counted = source.integers(1, sizes + 1) if population.uneven else sizes
    values = np.take_along_axis(population.scores[chosen], picked, 2)
    values *= np.arange(width) < counted[..., None]
    return values.sum(2), counted.astype(float)


def without_difference(
    scores: Scores,
    cases: int,
    source: np.random.Generator,
    sides: int = 2,
    mixed: Sequence[str] = MIXED,
) -> list[dict[str, list[float]]]:
    """The scores of several runs over the same drawn cases, with no true difference.

    Each case of each run takes the compaction of one of the strategies at random, which all of
    its items share, and some of its items are scored anew.
    """
    names = list(scores[mixed[0]])
    runs: list[dict[str, list[float]]] = [{} for _ in range(sides)]
    for number, chosen in enumerate(source.integers(0, len(names), cases)):
        size = len(scores[mixed[0]][names[chosen]])
        items = source.integers(0, size, size)
        for run in runs:
            own = np.array(scores[mixed[source.integers(0, len(mixed))]][names[chosen]])
            redrawn = source.random(size) < REDRAWN
            taken = np.where(redrawn, source.integers(0, size, size), items)
            run[f"c{number:02}"] = own[taken].tolist()
    return runs


def differences(
    first: Mapping[str, Sequence[float]], second: Mapping[str, Sequence[float]], shift: float = 0
) -> dict[str, list[float]]:
    """The second run less the first, item by item, and a true difference that is planted."""
    return {
        case: [b - a + shift for a, b in zip(values, second[case], strict=True)]
        for case, values in first.items()
    }


def clusters_of(totals: Floats, sizes: Floats) -> dict[str, list[float]]:
    """One drawn run as the public functions take it: values with these totals and sizes."""
    return {
        f"c{number:02}": [total / size] * int(size)
        for number, (total, size) in enumerate(zip(totals, sizes, strict=True))
    }
