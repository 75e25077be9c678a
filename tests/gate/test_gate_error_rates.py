"""How often the gate is red, by simulation: where nothing changed, and where a case is lost.

Run as a program it prints the table:
``PYTHONPATH=tests python tests/gate/test_gate_error_rates.py 500``.
"""

import random
import sys

import pytest
from support.builders import record

from pytest_compaction.gate import decide_baseline
from pytest_compaction.metrics import newly_gone_bound, run_changes
from pytest_compaction.records import Baseline
from pytest_compaction.rubric import DIMENSIONS
from pytest_compaction.settings import BaselineRules, NewlyGone

SLOW = pytest.mark.exhaustive
PROBES, FACTS, TRIALS, ERRS, STATED = 12, 5, 3, 0.05, 0.6


def truth(source, cases):
    """Which facts the summaries really state, by case and probe."""
    return {
        (f"case-{case}", f"p{probe}"): [source.random() < STATED for _ in range(FACTS)]
        for case in range(cases)
        for probe in range(PROBES)
    }


def run_of(source, stated):
    """Three trials of a run, read by a reader that errs in 5 % of the facts."""
    return [
        scored(case, probe, trial, [held != (source.random() < ERRS) for held in facts])
        for trial in range(1, TRIALS + 1)
        for (case, probe), facts in stated.items()
    ]


def scored(case, probe, trial, read):
    scores = dict.fromkeys(DIMENSIONS)
    for name, held in zip(DIMENSIONS, read, strict=False):
        scores[name] = 5.0 * held
    facts = [{"text": f"fact {n}", "survived": held, "used": held} for n, held in enumerate(read)]
    return record(
        item=f"{case}-{probe}-{trial}",
        case=case,
        probe=probe,
        trial=trial,
        overall=sum(5.0 * held for held in read) / len(read),
        dimensions=scores,
        facts=facts,
    )


def decision(source, cases, lost=0, with_bound=True):
    """One comparison of a run with its baseline, whose rule on facts is made of a second one."""
    stated = truth(source, cases)
    then, again = run_of(source, stated), run_of(source, stated)
    now = {
        key: [False] * FACTS if int(key[0].removeprefix("case-")) < lost else facts
        for key, facts in stated.items()
    }
    bound = newly_gone_bound(run_changes(then, again).facts, cases)
    rules = BaselineRules(max_newly_gone=NewlyGone(bound) if with_bound else None)
    baseline = {"anchored": Baseline("anchored", "main", "main", tuple(then), sampled=True)}
    return decide_baseline(run_of(source, now), baseline, rules)


def red(cases, lost=0, runs=40, with_bound=True, seed=0):
    """The share of comparisons that end with exit code 1."""
    source = random.Random(f"{cases} {lost} {seed}")
    return sum(not decision(source, cases, lost, with_bound).passed for _ in range(runs)) / runs


@pytest.mark.parametrize("cases", [1, 5, pytest.param(8, marks=SLOW)])
def test_a_change_that_changes_nothing_is_hardly_ever_red(cases):
    assert red(cases) <= 0.1  # 5 % in the long run: of 40 comparisons 4 are 10 %


@pytest.mark.parametrize(("cases", "lost"), [(1, 1), pytest.param(5, 1, marks=SLOW), (8, 1)])
def test_a_case_of_which_all_facts_are_gone_is_always_red(cases, lost):
    assert red(cases, lost, runs=10) == 1


def main(runs):
    print(f"{'cases':>5} {'nothing changed':>16} {'no rule on facts':>17} {'one case lost':>14}")
    for cases in (1, 5, 8, 24):
        quiet, bare = red(cases, runs=runs), red(cases, runs=runs, with_bound=False)
        print(f"{cases:>5} {quiet:>16.1%} {bare:>17.1%} {red(cases, 1, runs=runs):>14.1%}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
