"""The command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tidebook.almanac import render_sheets, sheet
from tidebook.errors import TideError
from tidebook.export import index, table
from tidebook.predict import day_from_text
from tidebook.spool import Spool
from tidebook.station import load_station, load_stations


def parser() -> argparse.ArgumentParser:
    """The parser with its three commands."""
    result = argparse.ArgumentParser(prog="tidebook")
    commands = result.add_subparsers(dest="command", required=True)
    one = commands.add_parser("sheet", help="print the sheet of a station")
    one.add_argument("station", type=Path)
    one.add_argument("day")
    some = commands.add_parser("index", help="print the index of all stations of a directory")
    some.add_argument("directory", type=Path)
    some.add_argument("day")
    turning = commands.add_parser("table", help="print turning points as CSV")
    turning.add_argument("directory", type=Path)
    turning.add_argument("day")
    return result


def run(options: argparse.Namespace) -> str:
    """What a command prints."""
    day = day_from_text(options.day)
    if options.command == "sheet":
        return sheet(load_station(options.station), day)
    stations = load_stations(options.directory)
    if options.command == "table":
        return table(stations, day)
    with Spool() as spool:
        render_sheets(stations, day, spool)
        return index(spool)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Returns the exit code."""
    options = parser().parse_args(arguments)
    try:
        sys.stdout.write(run(options))
    except TideError as error:
        print(f"tidebook: {error}", file=sys.stderr)
        return error.exit_code
    return 0
