"""The command line. Output goes to stdout, errors as ``error TB-nnn: …`` to stderr."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tallybook import __version__
from tallybook.balance import trial_balance
from tallybook.config import FILE_NAME, Config, load_config
from tallybook.errors import LedgerError
from tallybook.models import Month
from tallybook.report import paged, render_accounts, render_text, render_trial
from tallybook.statement import Statement, build_statement
from tallybook.store import LedgerStore

FORMATS: dict[str, Callable[[Statement, Config], str]] = {
    "text": render_text,
}


def parser() -> argparse.ArgumentParser:
    """The argument parser."""
    main_parser = argparse.ArgumentParser(prog="tallybook", description="Bookkeeping in one file.")
    main_parser.add_argument("--version", action="version", version=f"tallybook {__version__}")
    main_parser.add_argument("--config", type=Path, default=Path(FILE_NAME))
    main_parser.add_argument("--journal", type=Path, help="overrides the journal of the config")
    commands = main_parser.add_subparsers(dest="command", required=True)
    commands.add_parser("accounts", help="list the chart of accounts")
    trial = commands.add_parser("trial", help="trial balance at the end of a month")
    trial.add_argument("--month", required=True)
    statement = commands.add_parser("statement", help="monthly statement of an account")
    statement.add_argument("account")
    statement.add_argument("--month", required=True)
    statement.add_argument("--format", default="text", help="text")
    statement.add_argument("--out", type=Path, help="write to this file instead of stdout")
    statement.add_argument("--paged", action="store_true", help="cut into screens")
    check = commands.add_parser("check", help="read the journal and say what it holds")
    check.add_argument("--strict", action="store_true", help="fail when the books do not balance")
    check.add_argument("--month", default="2025-12")
    return main_parser


def run_statement(arguments: argparse.Namespace, store: LedgerStore, config: Config) -> str:
    """``tallybook statement``."""
    if arguments.format not in FORMATS:
        known = ", ".join(sorted(FORMATS))
        raise LedgerError("TB-131", f"unknown format {arguments.format!r} (known: {known})")
    statement = build_statement(store, arguments.account, Month.parse(arguments.month))
    text = FORMATS[arguments.format](statement, config)
    if arguments.out:
        arguments.out.write_text(text, encoding="utf-8")
        return f"wrote {arguments.out} ({len(statement.lines)} lines)\n"
    return paged(text, config) if arguments.paged else text


def run_check(arguments: argparse.Namespace, store: LedgerStore, config: Config) -> str:
    """``tallybook check``."""
    rows = trial_balance(store, Month.parse(arguments.month))
    rest = sum(row.debit.minor - row.credit.minor for row in rows)
    text = f"{len(store.accounts)} accounts, {len(store.entries())} entries\n"
    if rest and arguments.strict:
        raise LedgerError("TB-208", f"the books are out of balance by {rest} minor units")
    return text


def run(arguments: argparse.Namespace, config: Config) -> str:
    """Execute a parsed command line; returns what to print."""
    journal = arguments.journal or Path(config.journal)
    store = LedgerStore.load(journal, config.base_currency)
    if arguments.command == "accounts":
        return render_accounts([store.accounts[number] for number in sorted(store.accounts)])
    if arguments.command == "trial":
        rows = trial_balance(store, Month.parse(arguments.month))
        return render_trial(rows, store.base_currency, config)
    if arguments.command == "statement":
        return run_statement(arguments, store, config)
    return run_check(arguments, store, config)


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    arguments = parser().parse_args(argv)
    try:
        config = load_config(arguments.config)
        sys.stdout.write(run(arguments, config))
    except LedgerError as error:
        sys.stderr.write(f"error {error}\n")
        return error.exit_code
    return 0
