"""The command line: hours, day, balance, check, publish."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from hourfold import __version__
from hourfold.average import Hour, hourly
from hourfold.config import Config, Station, load_config
from hourfold.errors import HourfoldError
from hourfold.loaders import raw_path
from hourfold.merge import series_of
from hourfold.ratings import Ratings
from hourfold.report import HEADER, balance_line, day_line, hour_lines, publish
from hourfold.timeutil import ZoneTable
from hourfold.totals import balance_of, day_of
from hourfold.windows import longest_silence


class Basin:
    """A folder with settings, tables and raw files."""

    def __init__(self, root: Path) -> None:
        self.config: Config = load_config(root)
        self.zones = ZoneTable.load(root / "data" / "zones.csv")
        self.ratings = Ratings.load(root / "data" / "ratings.csv")

    def hours(self, station: Station, day: date) -> list[Hour]:
        """The hours of a station's day."""
        series = series_of(self.config, station, day, self.zones)
        return hourly(self.config, station, series, day, self.ratings)

    def silence(self, station: Station, day: date) -> int:
        """Minutes of the longest silence of a day."""
        return longest_silence(series_of(self.config, station, day, self.zones), day)


def show_hours(basin: Basin, options: argparse.Namespace) -> None:
    """Print the hours of a day."""
    hours = basin.hours(basin.config.station(options.station), options.day)
    print(HEADER)
    print("\n".join(hour_lines(hours, basin.config.settings.decimals)))


def show_day(basin: Basin, options: argparse.Namespace) -> None:
    """Print the volume of a day; a short day is an error."""
    station = basin.config.station(options.station)
    hours = basin.hours(station, options.day)
    day = day_of(station.name, options.day, hours)
    print(day_line(day, hours))
    day.require_complete()


def show_balance(basin: Basin, options: argparse.Namespace) -> None:
    """Print the balance of a day; a difference beyond the limit is an error."""
    settings = basin.config.settings
    sides = []
    for names in (settings.inflow, settings.outflow):
        stations = [basin.config.station(name) for name in names]
        sides.append(
            [day_of(each.name, options.day, basin.hours(each, options.day)) for each in stations]
        )
    balance = balance_of(options.day, *sides)
    print(balance_line(balance))
    balance.require_within(settings.limit_percent)


def show_check(basin: Basin, options: argparse.Namespace) -> None:
    """One line for each station that has a raw file of the day."""
    for station in basin.config.stations.values():
        if raw_path(basin.config, station, options.day).exists():
            hours = basin.hours(station, options.day)
            line = day_line(day_of(station.name, options.day, hours), hours)
            print(f"{line}  silence {basin.silence(station, options.day)} min")


def do_publish(basin: Basin, options: argparse.Namespace) -> None:
    """File the hours of a complete day."""
    station = basin.config.station(options.station)
    hours = basin.hours(station, options.day)
    day_of(station.name, options.day, hours).require_complete()
    settings = basin.config.settings
    path = publish(basin.config.root, station.name, options.day, hours, settings.decimals)
    print(f"filed {path.relative_to(basin.config.root)}")


def parser() -> argparse.ArgumentParser:
    """The options of all commands."""
    result = argparse.ArgumentParser(prog="hourfold", description="Hourly means of river gauges.")
    result.add_argument("--version", action="version", version=f"hourfold {__version__}")
    result.add_argument("--root", type=Path, default=Path())
    commands = result.add_subparsers(required=True, metavar="COMMAND")
    for name, function, needs_station in (
        ("hours", show_hours, True),
        ("day", show_day, True),
        ("balance", show_balance, False),
        ("check", show_check, False),
        ("publish", do_publish, True),
    ):
        command = commands.add_parser(name, help=function.__doc__)
        if needs_station:
            command.add_argument("station")
        command.add_argument("day", type=date.fromisoformat)
        command.set_defaults(function=function)
    return result


def main(arguments: Sequence[str]) -> int:
    """Run a command. Returns the exit code."""
    options = parser().parse_args(arguments)
    try:
        options.function(Basin(options.root), options)
    except HourfoldError as error:
        print(f"hourfold: {error}", file=sys.stderr)
        return error.exit_code
    return 0
