"""``pytest-compaction merge``: one run from the runs of its shards, with summary and gate."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_compaction.commands.arguments import complain
from pytest_compaction.commands.measured_run import RunRules, baselines_of, rules_of
from pytest_compaction.gate import (
    BaselineDecision,
    Decision,
    Threshold,
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
from pytest_compaction.models import is_offline
from pytest_compaction.records import (
    BaselineError,
    MergedRun,
    MergeError,
    Run,
    RunFileError,
    copy_texts,
    load_run,
    merge_runs,
    run_pricing,
    write_run,
)
from pytest_compaction.reports.changes import baseline_lines
from pytest_compaction.reports.gate_line import (
    Failures,
    below_text,
    gate_line,
    is_undecided,
    passes,
)
from pytest_compaction.reports.lines import Line
from pytest_compaction.reports.outlets.finished_run import (
    FinishedRun,
    Outcome,
    with_finite_figures,
)
from pytest_compaction.reports.outlets.report_file import check_place
from pytest_compaction.reports.outlets.written_files import (
    file_line,
    marked_failure,
    write_files,
    write_summary,
)
from pytest_compaction.reports.summary import file_lines, left_out_lines, run_summary
from pytest_compaction.reports.usage import usage_table
from pytest_compaction.settings import REPORT_SUFFIXES, OptionError
from pytest_compaction.text import printable

PASSED: Final = 0
FAILED: Final = 1
UNUSABLE: Final = 4
NOTHING: Final = 5
"""Exit codes with the meanings that pytest gives them."""


def add(commands: Any) -> None:
    """Add the command to the parser of the command line."""
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
    parser.add_argument(
        "--threshold",
        action="append",
        default=[],
        metavar="EXPR",
        help="gate on an aggregate, such as overall>=3.5, where the shards were run without "
        "--compaction-threshold; repeatable",
    )
    parser.add_argument(
        "--report",
        action="append",
        default=[],
        metavar="PATH",
        help=f"write the whole run to this file, in the form of its suffix: "
        f"{', '.join(REPORT_SUFFIXES)}; repeatable",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Merge, print and decide; returns an exit code of pytest's."""
    try:
        runs = _load(options.run_files)
        merged = merge_runs([(printable(str(path)), found) for path, found in runs])
        rules = _rules(merged.run)
        thresholds = _thresholds(options.threshold, merged.run)
        against, notes = _against(merged.run, rules, options.output)
        _check_output(options.output, options.run_files)
        _check_reports(options.report)
        write_run(options.output, merged.run)
        _copy_texts(runs, options.output.parent)
    except MergeError as error:
        for problem in error.problems:
            complain(problem)
        return UNUSABLE
    except OSError as error:
        complain(f"{options.output}: cannot be written: {error.strerror or error}")
        return UNUSABLE
    for line in _summary(merged, str(options.output)):
        print(line.text)
    for line in (*baseline_lines(against), *map(Line, notes)):
        print(line.text)
    records, arms = merged.run.records, arms_of(merged.run.header, merged.run.records)
    decision = decide(records, thresholds, rules.max_unscored, arms)
    code, lines = _decided(merged, rules, decision, against)
    finished = _finished(merged, decision, against, str(options.output), code, lines)
    files = write_files(finished, {name: Path(name) for name in options.report})
    written = [
        *(file_line(name, why) for name, why in files.items()),
        *write_summary(finished, os.environ),
    ]
    for line in [*written, *lines]:
        print(line.text)
    command = marked_failure(finished, os.environ)
    if command is not None:
        print(command)
    lost = any(line.style == "bad" for line in written[: len(options.report)])
    return FAILED if code == PASSED and lost else code


def _load(paths: Sequence[Path]) -> list[tuple[Path, Run]]:
    """All runs; raises :class:`MergeError` with what is wrong with each file that is none."""
    runs, problems = [], []
    for path in paths:
        try:
            found = load_run(path)
        except RunFileError as error:
            problems.append(str(error))
        else:
            runs.append((path, found))
            problems += found.problems
    if problems:
        raise MergeError(problems)
    return runs


def _check_output(output: Path, shards: Sequence[Path]) -> None:
    if output.is_dir():
        raise MergeError([f"-o {output} is a folder; name a file"])
    if output.resolve() in {path.resolve() for path in shards}:
        raise MergeError([f"-o {output} is the file of a shard; name another one"])


def _check_reports(names: Sequence[str]) -> None:
    """Refuse what cannot be written before anything is; raises :class:`MergeError`."""
    for name in names:
        if Path(name).suffix.lower() not in REPORT_SUFFIXES:
            raise MergeError(
                [f"--report={name} names no form; end it with one of {', '.join(REPORT_SUFFIXES)}"]
            )
        try:
            check_place(Path(name))
        except OSError as error:
            why = error.strerror or error
            raise MergeError([f"--report={name}: cannot write this file: {why}"]) from None


def _copy_texts(runs: Sequence[tuple[Path, Run]], folder: Path) -> None:
    """Put the views and logs of all shards beside the whole run."""
    try:
        for path, run in runs:
            if path.parent.resolve() != folder.resolve():
                copy_texts(run.records, path.parent, folder)
    except OSError as error:
        why = error.strerror or error
        raise MergeError(
            [f"{folder}: the run is written there, but not its views and logs: {why}"]
        ) from None


def _thresholds(given: Sequence[str], run: Run) -> list[Threshold]:
    """The thresholds of the shards, or those of the command line where they have none."""
    known = _settings(run)["thresholds"]
    if given and known:
        raise MergeError(
            [
                f"the shards were run with the thresholds {', '.join(known)}, which decide; leave "
                "--threshold out"
            ]
        )
    try:
        thresholds = [parse_threshold(text) for text in given or known]
        check_scopes(thresholds, arms_of(run.header, run.records))
        return thresholds
    except ThresholdError as error:
        raise MergeError([str(error)]) from None


def _rules(run: Run) -> RunRules:
    try:
        return rules_of(run.header, "the shards'")
    except OptionError as error:
        raise MergeError([str(error)]) from None


def _against(run: Run, rules: RunRules, output: Path) -> tuple[BaselineDecision, list[str]]:
    """The decision against the baseline of the shards, and notes on how it was read."""
    named = _settings(run).get("baseline")
    if not named or not run.records:
        return BaselineDecision(), []
    try:
        baselines, records, notes = baselines_of(named, output, run, rules.pass_score)
    except BaselineError as error:
        why = f"the shards were run with --compaction-baseline={named}, which decides"
        raise MergeError([f"{why}: {error}"]) from None
    return decide_baseline(records, baselines, rules.baseline, run.header), notes


def _settings(run: Run) -> dict[str, Any]:
    settings: dict[str, Any] = run.header["settings"]
    return settings


def _summary(merged: MergedRun, file: str) -> Iterator[Line]:
    """The summary that the whole run prints at its end."""
    records, header, settings = merged.run.records, merged.run.header, _settings(merged.run)
    cases = len({record["case"] for record in records})
    yield Line(f"merged: {len(records)} items of {cases} cases, from {merged.shards} shards")
    grouped = is_offline(settings["model"])
    prices = run_pricing(settings["responder"], records)
    yield from run_summary(
        records, settings["compactors"], settings["control"], grouped, pricing=prices
    )
    if "prices" in header:
        yield from usage_table(records)
        yield Line("all shards together; what came from a store counts too")
    yield from left_out_lines(header.get("left_out", ()))
    yield from file_lines(file, records)


def _finished(
    merged: MergedRun,
    decision: Decision,
    against: BaselineDecision,
    file: str,
    code: int,
    lines: Sequence[Line],
) -> FinishedRun:
    """The whole run as its reports show it."""
    records, settings = merged.run.records, _settings(merged.run)
    outcome: Outcome = "none"
    if decision.decides or against.decides or code == NOTHING:
        outcome = "passed" if code == PASSED else "failed"
    if lines and is_undecided(lines[-1]):
        outcome = "undecided"
    return FinishedRun(
        name=file,
        header=merged.run.header,
        records=with_finite_figures(records),
        order=tuple(settings["compactors"]),
        outcome=outcome,
        line=lines[-1].text if lines else "",
        decision=decision,
        against=against,
        control=settings["control"],
        grouped=is_offline(settings["model"]),
        pass_score=settings["pass_score"],
        folder=Path(file).parent,
    )


def _decided(
    merged: MergedRun, rules: RunRules, decision: Decision, against: BaselineDecision
) -> tuple[int, list[Line]]:
    """The exit code of the whole run, and the lines that say why.

    Without a threshold each item below the score at which it passes fails the run.
    """
    records = merged.run.records
    if not records and not merged.failures:
        return NOTHING, [Line("GATE FAILED nothing was measured: the shards hold no item")]
    limits = rules.pass_score, rules.consistency
    over = over_budget_failures(records, rules.over_budget) & merged.failures
    failures = Failures(len(merged.failures - over), merged.snapshots, len(over))
    if decision.decides or against.decides:
        code = PASSED if passes(decision, failures, against) else FAILED
        coverage = coverage_text(records, planned_in(merged.run.header))
        return code, [gate_line(decision, failures, records, *limits, against, coverage)]
    below = [record for record in records if record["item"] in merged.below]
    parts = [*([below_text(below, *limits)] if below else []), *failures.parts]
    if parts:
        return FAILED, [Line(f"FAILED {' · '.join(parts)}")]
    return PASSED, [Line(f"PASSED {len(records)} items")]
