"""``pytest-compaction gate``: decide again on a run that has been measured, without a new one."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pytest_compaction.commands.arguments import CommandError, complain, named_run
from pytest_compaction.commands.measured_run import (
    FAILED,
    NOTHING,
    PASSED,
    UNUSABLE,
    baselines_of,
    rules_of,
    settings_of,
)
from pytest_compaction.gate import (
    BaselineDecision,
    ThresholdError,
    arms_of,
    check_scopes,
    coverage_text,
    decide,
    decide_baseline,
    parse_threshold,
    planned_in,
)
from pytest_compaction.metrics import over_budget_failures
from pytest_compaction.records import (
    Baseline,
    BaselineError,
    judged_again,
    went_wrong_later,
)
from pytest_compaction.reports import (
    WIDTH,
    Failures,
    Line,
    baseline_block,
    baseline_lines,
    gate_line,
    passes,
    worse_title,
)
from pytest_compaction.settings import INCONCLUSIVE, OptionError

_FLAGS: Final = (
    (
        "--baseline",
        "RUN",
        "gate on what got worse since this run: a run file, a folder, or a baseline file; "
        "RUN@STRATEGY compares with another strategy",
    ),
    (
        "--max-drop",
        "F",
        "points by which overall and each dimension may be lower (default: 0.1)",
    ),
    (
        "--max-newly-gone",
        "N|P%",
        "facts that the baseline states and the run does not, at most: a number, or P%% of "
        "those that the baseline states",
    ),
    (
        "--pass-score",
        "F",
        "overall score at which an item passes, in place of that of the run",
    ),
    (
        "--max-unscored",
        "N",
        "number of unscored items that are accepted, in place of that of the run",
    ),
)


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "gate",
        help="decide again on a run: thresholds, a baseline, another pass score",
        description="Decide on the records of a run, as its own gate would, and print the same "
        "last line. Without --threshold and --baseline those of the run decide. The exit code is "
        "0 if the run passes, 1 if it fails, 4 if it cannot be decided, 5 if it holds no item.",
    )
    parser.add_argument("run_file", metavar="RUN", help="a run file, or last")
    for flag, metavar, meaning in _FLAGS:
        parser.add_argument(flag, metavar=metavar, help=meaning)
    parser.add_argument(
        "--threshold",
        action="append",
        default=[],
        metavar="EXPR",
        help="gate on an aggregate, such as overall>=3.5; repeatable",
    )
    parser.add_argument(
        "--inconclusive",
        choices=INCONCLUSIVE,
        help="what an undecided run is: its overall score fell by more than is allowed, these "
        "cases do not show it, and no rule on newly gone facts decided (default: fail)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print what is decided; returns an exit code of pytest's."""
    try:
        path, found = named_run(options.run_file)
        settings = settings_of(found.header)
        _check_given(options)
        arms = arms_of(found.header, found.records)
        expressions = options.threshold or ([] if options.baseline else settings.get("thresholds"))
        thresholds = [parse_threshold(text) for text in expressions or ()]
        check_scopes(thresholds, arms)
        rules = rules_of(found.header, "the run's", vars(options))
        records = found.records
        named = options.baseline or ("" if options.threshold else settings.get("baseline"))
        if named and settings.get("baseline_update") and not options.baseline:
            named = ""  # that run was accepted as its own baseline
        baselines: dict[str, Baseline] = {}
        notes: list[str] = []
        if named:
            baselines, records, notes = baselines_of(named, path, found, rules.pass_score)
        if options.pass_score is not None:
            records = list(judged_again(records, rules.pass_score, rules.over_budget))
    except (CommandError, ThresholdError, BaselineError, OptionError) as error:
        complain(str(error))
        return UNUSABLE
    if found.problems:
        complain(f"{path} is not whole, so nothing can be decided on it; run it again")
        return UNUSABLE
    if not records:
        complain(f"{path} holds no item")
        return NOTHING
    against = BaselineDecision()
    if baselines:
        against = decide_baseline(records, baselines, rules.baseline, found.header)
    for line in _compared(against, rules.pass_score, notes):
        print(line.text)
    decision = decide(records, thresholds, rules.max_unscored, arms, bool(baselines))
    wrong = sum(record["status"] == "error" or went_wrong_later(record) for record in records)
    failures = Failures(wrong, 0, len(over_budget_failures(records, rules.over_budget)))
    if not decision.decides and not against.decides:
        complain("nothing to decide on; give --threshold or --baseline")
        return UNUSABLE
    limits = rules.pass_score, rules.consistency
    coverage = coverage_text(records, planned_in(found.header))
    line = gate_line(decision, failures, records, *limits, against, coverage)
    print(line.text)
    return PASSED if passes(decision, failures, against) else FAILED


def _check_given(options: argparse.Namespace) -> None:
    for flag, texts in {"--threshold": options.threshold, "--baseline": [options.baseline]}.items():
        if any(text is not None and not text.strip() for text in texts):
            raise ThresholdError(f"{flag}= is empty; give a value, or leave it out")


def _compared(against: BaselineDecision, pass_score: float, notes: Sequence[str]) -> Iterator[Line]:
    if against.is_worse:
        yield Line(f" {worse_title(against)} ".center(WIDTH, "="))
        yield from baseline_block(against, pass_score)
    yield from baseline_lines(against)
    yield from (Line(note) for note in notes)
