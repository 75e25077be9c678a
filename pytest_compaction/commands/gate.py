"""``pytest-compaction gate``: decide again on a run that has been measured, without a new one."""

from __future__ import annotations

import argparse
from typing import Any

import pytest

from pytest_compaction.commands.arguments import CommandError, add_repeatable, named_run
from pytest_compaction.commands.measured_run import (
    baselines_of,
    check_words,
    rules_of,
    settings_of,
)
from pytest_compaction.gate import (
    BaselineDecision,
    ThresholdError,
    arms_of,
    check_scopes,
    decide,
    decide_baseline,
    parse_threshold,
)
from pytest_compaction.metrics import over_budget_failures
from pytest_compaction.records import Baseline, judged_again, went_wrong_later
from pytest_compaction.reports import (
    WIDTH,
    Failures,
    Line,
    baseline_block,
    baseline_lines,
    passes,
    worse_title,
)
from pytest_compaction.settings import INCONCLUSIVE


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "gate",
        help="decide again on a run: thresholds, a baseline, another pass score",
        description="Decide on the records of a run, as its own gate would, and print the same "
        "last line. Without --threshold and --baseline those of the run decide. The exit code is "
        "0 if the run passes, 1 if it fails, 4 if it cannot be decided, 5 if it holds no item.",
    )
    parser.add_argument("run_file", metavar="RUN", help="a run file, or last")
    for flag, metavar, meaning in (
        ("--baseline", "RUN", "gate on what got worse since this run: a run file, a folder, or a "
         "baseline file; RUN@STRATEGY compares with another strategy"),
        ("--max-drop", "F",
         "points by which overall and each dimension may be lower (default: 0.1)"),
        ("--max-newly-gone", "N|P%", "facts that the baseline states and the run does not, at "
         "most: a number, or P%% of those that the baseline states"),
        ("--pass-score", "F", "overall score at which an item passes, in place of that of the run"),
        ("--max-unscored", "N",
         "number of unscored items that are accepted, in place of that of the run"),
    ):  # fmt: skip
        parser.add_argument(flag, metavar=metavar, help=meaning)
    threshold = "gate on an aggregate, such as overall>=3.5; repeatable"
    add_repeatable(parser, "--threshold", "EXPR", threshold)
    parser.add_argument(
        "--inconclusive",
        choices=INCONCLUSIVE,
        help="what an undecided run is: its overall score fell by more than is allowed, these "
        "cases do not show it, and no rule on newly gone facts decided (default: fail)",
    )
    parser.set_defaults(run=run, unusable=pytest.ExitCode.USAGE_ERROR)


def run(options: argparse.Namespace) -> int:
    """Print what is decided; returns an exit code of pytest's."""
    path, found = named_run(options.run_file)
    settings, header = settings_of(found.header), found.header
    for flag, texts in (("--threshold", options.threshold), ("--baseline", [options.baseline])):
        if any(text is not None and not text.strip() for text in texts):
            raise ThresholdError(f"{flag}= is empty; give a value, or leave it out")
    arms = arms_of(header, found.records)
    expressions = options.threshold or ([] if options.baseline else settings.get("thresholds"))
    thresholds = [parse_threshold(text) for text in expressions or ()]
    check_scopes(thresholds, arms)
    rules = rules_of(header, "the run's", vars(options))
    named = options.baseline or ("" if options.threshold else settings.get("baseline"))
    if settings.get("baseline_update") and not options.baseline:
        named = ""  # that run was accepted as its own baseline
    baselines: dict[str, Baseline] = {}
    records, notes = found.records, list[str]()
    if named:
        baselines, records, notes = baselines_of(named, path, found, rules.pass_score)
    check_words(header, thresholds, arms, bool(baselines))
    if options.pass_score is not None:
        records = list(judged_again(records, rules.pass_score, rules.over_budget))
    if found.problems:
        raise CommandError(f"{path} is not whole, so nothing can be decided on it; run it again")
    if not records:
        options.unusable = pytest.ExitCode.NO_TESTS_COLLECTED
        raise CommandError(f"{path} holds no item")
    against = BaselineDecision()
    if baselines:
        against = decide_baseline(records, baselines, rules.baseline, header)
    lines = [*baseline_lines(against), *map(Line, notes)]
    if against.is_worse:
        title = Line(f" {worse_title(against)} ".center(WIDTH, "="))
        lines = [title, *baseline_block(against, rules.pass_score), *lines]
    for line in lines:
        print(line.text)
    decision = decide(records, thresholds, rules.max_unscored, arms, bool(baselines))
    if not decision.decides and not against.decides:
        raise CommandError("nothing to decide on; give --threshold or --baseline")
    wrong = sum(record["status"] == "error" or went_wrong_later(record) for record in records)
    failures = Failures(wrong, 0, len(over_budget_failures(records, rules.over_budget)))
    print(rules.line(decision, failures, records, against, header).text)
    return (
        pytest.ExitCode.OK if passes(decision, failures, against) else pytest.ExitCode.TESTS_FAILED
    )
