"""The command line."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from quaylm.errors import ConfigError, QuayError
from quaylm.results import table, write_rows
from quaylm.settings import load
from quaylm.sweep import fitted, run, run_sweep


def parser() -> ArgumentParser:
    """The arguments."""
    result = ArgumentParser(prog="quaylm", description="Small language models over pieces.")
    verbs = result.add_subparsers(dest="verb", required=True)
    for name, text in (
        ("score", "score one configuration"),
        ("sweep", "score every value of a sweep"),
        ("pieces", "show how an entry is cut"),
    ):
        verb = verbs.add_parser(name, help=text)
        verb.add_argument("config", type=Path)
        if name == "pieces":
            verb.add_argument("text")
        else:
            verb.add_argument("--final", action="store_true", help="allow the held-out split")
        if name == "sweep":
            verb.add_argument("--out", type=Path, help="write the table here, tab-separated")
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb; returns the exit code, 3 for errors of the user."""
    options = parser().parse_args(arguments)
    verbs = {"score": _score, "sweep": _sweep, "pieces": _pieces}
    try:
        print(verbs[options.verb](options))
    except QuayError as error:
        print(f"quaylm: {error}", file=sys.stderr)
        return 3
    return 0


def _score(options: Namespace) -> str:
    settings, _ = load(options.config)
    found = run(settings, final=options.final)
    return (
        f"{settings.split}: {found.characters} characters, {found.pieces} pieces, "
        f"{100 * found.unknown_share:.1f}% unknown, {found.bpc:.3f} bpc"
    )


def _sweep(options: Namespace) -> str:
    settings, sweep = load(options.config)
    if sweep is None:
        raise ConfigError(f"{options.config} has no section [sweep]")
    rows = run_sweep(settings, sweep, final=options.final)
    if options.out:
        write_rows(options.out, rows)
    return table(sweep.key, rows)


def _pieces(options: Namespace) -> str:
    settings, _ = load(options.config)
    tokenizer, _ = fitted(settings)
    return " ".join(tokenizer.encode(options.text))
