"""``pytest-compaction merge``: one run from the runs of its shards, with summary and gate."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_compaction.commands.arguments import add_repeatable
from pytest_compaction.commands.measured_run import (
    RunRules,
    baselines_of,
    check_words,
    rules_of,
)
from pytest_compaction.gate import (
    BaselineDecision,
    Decision,
    ThresholdError,
    arms_of,
    check_scopes,
    decide,
    decide_baseline,
    parse_threshold,
)
from pytest_compaction.metrics import over_budget_failures
from pytest_compaction.models import RECORDED_WORDS
from pytest_compaction.records import (
    BaselineError,
    MergedRun,
    MergeError,
    Run,
    RunFileError,
    copy_texts,
    load_run,
    merge_runs,
    write_run,
)
from pytest_compaction.reports import (
    Failures,
    FinishedRun,
    Line,
    Outcome,
    baseline_lines,
    below_text,
    check_place,
    file_line,
    file_lines,
    is_undecided,
    left_out_lines,
    marked_failure,
    passes,
    run_summary,
    usage_table,
    with_finite_figures,
    write_files,
    write_summary,
)
from pytest_compaction.settings import REPORT_SUFFIXES
from pytest_compaction.text import printable


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "merge",
        help="put the runs of all shards together, print the summary and decide the gate",
        description="Put the run files of all shards (--compaction-shard=I/N) together to the file "
        "of the whole run, and print its summary and the decision of its gate. Refuses shards that "
        "are missing, unfinished, or of another run. The exit code is 0 if the run passes, 1 if it "
        "fails, 4 if the files cannot be merged, 5 if they hold no item.",
    )
    parser.add_argument("run_files", nargs="+", type=Path, metavar="RUN", help="a shard's run file")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="RUN", required=True, help="write the whole run here"
    )
    threshold = (
        "gate on an aggregate, such as overall>=3.5, where the shards were run without "
        "--compaction-threshold; repeatable"
    )
    add_repeatable(parser, "--threshold", "EXPR", threshold)
    suffixes = ", ".join(REPORT_SUFFIXES)
    report = f"write the whole run to this file, in the form of its suffix: {suffixes}; repeatable"
    add_repeatable(parser, "--report", "PATH", report)
    parser.set_defaults(run=run, unusable=pytest.ExitCode.USAGE_ERROR)


def run(options: argparse.Namespace) -> int:
    """Merge, print and decide; returns an exit code of pytest's."""
    output: Path = options.output
    shards = _loaded(options.run_files)
    merged = merge_runs([(printable(str(path)), found) for path, found in shards])
    run, settings = merged.run, merged.run.header["settings"]
    arms = arms_of(run.header, run.records)
    if options.threshold and settings["thresholds"]:
        known = ", ".join(settings["thresholds"])
        raise ThresholdError(
            f"the shards were run with the thresholds {known}, which decide; leave --threshold out"
        )
    thresholds = list(map(parse_threshold, options.threshold or settings["thresholds"]))
    check_scopes(thresholds, arms)
    rules = rules_of(run.header, "the shards'")
    against, notes = _against(run, rules, output)
    check_words(run.header, thresholds, arms, against.decides)
    _check_places(options)
    try:
        write_run(output, run)
    except OSError as error:
        raise MergeError([f"{output}: cannot be written: {error.strerror or error}"]) from None
    try:
        for path, shard in shards:
            if path.parent.resolve() != output.parent.resolve():
                copy_texts(shard.records, path.parent, output.parent)
    except OSError as error:
        why = f"the run is written there, but not its views and logs: {error.strerror or error}"
        raise MergeError([f"{output.parent}: {why}"]) from None
    for line in (*_summary(merged, str(output)), *baseline_lines(against), *map(Line, notes)):
        print(line.text)
    decision = decide(run.records, thresholds, rules.max_unscored, arms)
    code, line = _decided(merged, rules, decision, against)
    outcome: Outcome = "none"
    if is_undecided(line):
        outcome = "undecided"
    elif decision.decides or against.decides or code == pytest.ExitCode.NO_TESTS_COLLECTED:
        outcome = "passed" if code == pytest.ExitCode.OK else "failed"
    finished = FinishedRun(
        name=str(output),
        header=run.header,
        records=with_finite_figures(run.records),
        order=tuple(settings["compactors"]),
        outcome=outcome,
        line=line.text,
        decision=decision,
        against=against,
        control=settings["control"],
        pass_score=settings["pass_score"],
        folder=output.parent,
    )
    files = write_files(finished, {name: Path(name) for name in options.report})
    written = [file_line(name, why) for name, why in files.items()]
    for each in (*written, *write_summary(finished, os.environ), line):
        print(each.text)
    if (command := marked_failure(finished, os.environ)) is not None:
        print(command)
    lost = any(each.style == "bad" for each in written)
    return pytest.ExitCode.TESTS_FAILED if code == pytest.ExitCode.OK and lost else code


def _loaded(paths: Sequence[Path]) -> list[tuple[Path, Run]]:
    found, problems = [], []
    for path in paths:
        try:
            found.append((path, load_run(path)))
        except RunFileError as error:
            problems.append(str(error))
        else:
            problems += found[-1][1].problems
    if problems:
        raise MergeError(problems)
    return found


def _against(run: Run, rules: RunRules, output: Path) -> tuple[BaselineDecision, list[str]]:
    named = run.header["settings"].get("baseline")
    if not named or not run.records:
        return BaselineDecision(), []
    try:
        baselines, records, notes = baselines_of(named, output, run, rules.pass_score)
    except BaselineError as error:
        why = f"the shards were run with --compaction-baseline={named}, which decides"
        raise MergeError([f"{why}: {error}"]) from None
    return decide_baseline(records, baselines, rules.baseline, run.header), notes


def _check_places(options: argparse.Namespace) -> None:
    """Refuse what cannot be written before anything is."""
    output = options.output
    if output.is_dir():
        raise MergeError([f"-o {output} is a folder; name a file"])
    if output.resolve() in {path.resolve() for path in options.run_files}:
        raise MergeError([f"-o {output} is the file of a shard; name another one"])
    for name in options.report:
        if Path(name).suffix.lower() not in REPORT_SUFFIXES:
            suffixes = ", ".join(REPORT_SUFFIXES)
            raise MergeError([f"--report={name} names no form; end it with one of {suffixes}"])
        try:
            check_place(Path(name))
        except OSError as error:
            why = error.strerror or error
            raise MergeError([f"--report={name}: cannot write this file: {why}"]) from None


def _summary(merged: MergedRun, file: str) -> Iterator[Line]:
    records, header = merged.run.records, merged.run.header
    settings = header["settings"]
    cases = len({record["case"] for record in records})
    yield Line(f"merged: {len(records)} items of {cases} cases, from {merged.shards} shards")
    yield from run_summary(
        records,
        settings["compactors"],
        settings["control"],
        words=settings["model"] == RECORDED_WORDS or "words" in header,
    )
    if "prices" in header:
        yield from usage_table(records)
        yield Line("all shards together; what came from a store counts too")
    yield from left_out_lines(header.get("left_out", ()))
    yield from file_lines(file, records)


def _decided(
    merged: MergedRun, rules: RunRules, decision: Decision, against: BaselineDecision
) -> tuple[pytest.ExitCode, Line]:
    records = merged.run.records
    if not records and not merged.failures:
        said = "GATE FAILED nothing was measured: the shards hold no item"
        return pytest.ExitCode.NO_TESTS_COLLECTED, Line(said)
    over = over_budget_failures(records, rules.over_budget) & merged.failures
    failures = Failures(len(merged.failures - over), merged.snapshots, len(over))
    if decision.decides or against.decides:
        is_passed = passes(decision, failures, against)
        code = pytest.ExitCode.OK if is_passed else pytest.ExitCode.TESTS_FAILED
        return code, rules.line(decision, failures, records, against, merged.run.header)
    below = [record for record in records if record["item"] in merged.below]
    said_below = [below_text(below, rules.pass_score, rules.consistency)] if below else []
    if parts := [*said_below, *failures.parts]:
        return pytest.ExitCode.TESTS_FAILED, Line(f"FAILED {' · '.join(parts)}")
    return pytest.ExitCode.OK, Line(f"PASSED {len(records)} items")
