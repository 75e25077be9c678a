"""The command line: describe, train, score."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from boxleave import features, scoring
from boxleave.cleaning import clean
from boxleave.errors import BoxleaveError
from boxleave.evaluate import Evaluation, evaluate
from boxleave.settings import Settings, load_settings
from boxleave.table import read_table


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns 2 for an error that carries a code."""
    options = _parser().parse_args(arguments)
    try:
        settings = load_settings(options.settings)
        if getattr(options, "seed", None) is not None:
            settings = replace(settings, seed=options.seed)
        options.run(options, settings)
    except BoxleaveError as error:
        print(f"boxleave: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="boxleave")
    parser.add_argument("--settings", type=Path, default=Path("experiment.ini"))
    commands = parser.add_subparsers(required=True)

    describe = commands.add_parser("describe", help="what an export holds")
    describe.add_argument("folder", type=Path)
    describe.set_defaults(run=_describe)

    train = commands.add_parser("train", help="fit and measure")
    train.add_argument("folder", type=Path)
    train.add_argument("--seed", type=int)
    train.add_argument("--weights", action="store_true")
    train.set_defaults(run=_train)

    score = commands.add_parser("score", help="write scores.csv for the desk")
    score.add_argument("folder", type=Path)
    score.add_argument("--train", type=Path, required=True)
    score.add_argument("--snapshot", type=date.fromisoformat, required=True)
    score.add_argument("--out", type=Path, default=Path("out/scores.csv"))
    score.set_defaults(run=_score)
    return parser


def _describe(options: argparse.Namespace, settings: Settings) -> None:
    table = read_table(options.folder)
    cleaned = clean(table, settings.snapshot)
    truth = features.labels(cleaned.table, settings.snapshot, settings.horizon_days)
    print(f"customers {len(table.customers)}, kept {len(truth)}, dropped {cleaned.total}")
    for code, count in cleaned.dropped.items():
        print(f"  {code} {count}")
    print(f"leavers {sum(truth)} of {len(truth)} ({sum(truth) / len(truth):.1%})")


def _train(options: argparse.Namespace, settings: Settings) -> None:
    result = evaluate(read_table(options.folder), settings)
    print(f"train {result.train_rows}, test {result.test_rows}, leavers in test {result.leavers}")
    print(_measures(result))
    print(f"call band {result.called} of {result.test_rows}")
    if options.weights:
        for name, weight in sorted(result.weights.items(), key=lambda item: -abs(item[1])):
            print(f"  {name:<14} {weight:+.2f}")


def _measures(result: Evaluation) -> str:
    return (
        f"auc {result.auc:.3f}  accuracy {result.accuracy:.3f}  precision {result.precision:.3f}  "
        f"recall {result.recall:.3f}  brier {result.brier:.3f}"
    )


def _score(options: argparse.Namespace, settings: Settings) -> None:
    found = scoring.score(
        read_table(options.train), read_table(options.folder), settings, options.snapshot
    )
    scoring.write_scores(found, options.out)
    counts = ", ".join(f"{band} {count}" for band, count in scoring.bands(found).items())
    print(f"scored {len(found)} customers: {counts}")
