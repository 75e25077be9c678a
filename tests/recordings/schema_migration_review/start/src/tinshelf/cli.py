"""The commands of a desk."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tinshelf import loans, report, reservations
from tinshelf.backup import restore
from tinshelf.catalogue import search
from tinshelf.errors import FileError, RuleError
from tinshelf.fees import shown
from tinshelf.migrate import migrate
from tinshelf.store import Store


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tinshelf")
    parser.add_argument("--file", type=Path, required=True)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("status")
    commands.add_parser("migrate")
    back = commands.add_parser("restore")
    back.add_argument("--version", type=int, required=True)
    for name in ("lend", "return", "reserve"):
        command = commands.add_parser(name)
        command.add_argument("card")
        command.add_argument("title")
        command.add_argument("--on", required=True)
    find = commands.add_parser("find")
    find.add_argument("words")
    late = commands.add_parser("overdue")
    late.add_argument("--on", required=True)
    year = commands.add_parser("statement")
    year.add_argument("card")
    year.add_argument("year", type=int)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run one command. Returns 2 for a rule of the library, 3 for the file."""
    options = _parser().parse_args(arguments)
    try:
        print("\n".join(_run(options)))
    except RuleError as error:
        print(f"tinshelf: {error}", file=sys.stderr)
        return 2
    except FileError as error:
        print(f"tinshelf: {error}", file=sys.stderr)
        return 3
    return 0


def _run(options: argparse.Namespace) -> list[str]:
    if options.command == "migrate":
        return [f"schema {migrate(options.file)}"]
    if options.command == "restore":
        return [f"restored {restore(options.file, options.version).name}"]
    store = Store.open(options.file)
    try:
        return _ask(store, options)
    finally:
        store.close()


def _ask(store: Store, options: argparse.Namespace) -> list[str]:
    if options.command == "lend":
        loan = loans.lend(store, options.card, options.title, options.on)
        return [f"{loan.title} is due on {loan.due_on}"]
    if options.command == "return":
        loan = loans.give_back(store, options.card, options.title, options.on)
        return [f"{loan.title} is back, fee {shown(loan.fee)}"]
    if options.command == "reserve":
        place = reservations.reserve(store, options.card, options.title, options.on)
        return [f"place {place} for {options.title}"]
    if options.command == "find":
        found = search(store, options.words)
        return [f"{thing.title}, shelf {thing.shelf}: {thing.free} free" for thing in found]
    if options.command == "overdue":
        return report.overdue(store, options.on)
    if options.command == "statement":
        return report.statement(store, options.card, options.year)
    return report.status(store)
